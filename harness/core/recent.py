"""Names that were seen lately, in memory that does not grow with the time they were seen in."""

from collections.abc import Iterable
from typing import Final

MOST: Final = 20_000


class Recent:
    """The last ``most`` names that were added; one that is older is forgotten, and new when it comes again."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._names: dict[str, None] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str) -> None:
        """Adding one that is there changes nothing."""
        self._names[name] = None
        if len(self._names) > self._most:
            del self._names[next(iter(self._names))]

    def update(self, names: Iterable[str]) -> None:
        """Adds them in the order of the alphabet, so that which are forgotten is the same in every process."""
        for name in sorted(names):
            self.add(name)
