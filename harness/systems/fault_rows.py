"""What the tables of faults of several systems' workloads share: a row, clocks, kills. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.core.fault import Fault, Scalar

YEAR_S = 365 * 24 * 3600
_FAR_S = 1000 * YEAR_S


class Row(NamedTuple):
    """One fault at one place, or a move of the clock ``by_s``.

    ``name`` says what goes wrong, and is part of the scenario's; ``group`` says which tours meet it.
    """

    name: str
    group: str
    fault: Fault | None = None
    by_s: float = 0.0

    @property
    def goes_back(self) -> bool:
        """Does time go back?"""
        return self.by_s < 0 or (self.fault is not None and self.fault.name in ("clock.back", "clock.year_1970"))

    @property
    def goes_far(self) -> bool:
        """Does time go to where seconds, as numbers with a point, hold no microseconds any more?"""
        return self.by_s > _FAR_S or (self.fault is not None and self.fault.name == "clock.year_9999")

    @property
    def title(self) -> str:
        """What goes wrong, in words."""
        words = self.name.replace("-", " ")
        return words[0].upper() + words[1:]


def row(place: str, group: str, kind: str, path: str | None = None, suffix: str = "", **params: Scalar) -> Row:
    """The row of one fault; its name is made of the place, the fault's kind and ``suffix``."""
    word = kind.partition(".")[2].replace("_", "-")
    return Row("-".join(part for part in (place, word, suffix) if part), group, Fault(kind, path, params))


CLOCKS: tuple[tuple[str, str, Mapping[str, Scalar]], ...] = (
    ("back", "", {"by_s": 3600}),
    ("forward", "", {"by_s": 7200}),
    ("frozen", "", {}),
    ("jump", "forward", {"by_s": 7200}),
    ("jump", "back", {"by_s": -7200}),
    ("year_1970", "", {}),
    ("year_2038", "", {}),
    ("year_9999", "", {}),
    ("time_zone", "east", {"name": "Pacific/Kiritimati"}),
    ("time_zone", "daylight-saving", {"name": "America/New_York"}),
)
"""The faults of the family clock, each with a suffix for its row and its parameters."""


def kills(group: str) -> Iterator[Row]:
    """A process that is killed as it begins, or in the middle, by either signal."""
    for signal in ("SIGKILL", "SIGTERM"):
        for at in (0.0, 0.5):
            suffix = f"{signal.lower()}-at-{int(at * 100)}"
            yield row("process", group, "process.killed", None, suffix, signal=signal, at=at)
