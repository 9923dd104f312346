"""The notes of a breaker's oracle, which can be silent for a while. Pure."""

from collections.abc import Iterable

from harness.systems import notes


class Notes(notes.Notes):
    """While they are ``silent`` nothing is noted: what is seen then speaks for no clause, and against none."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = False

    def agrees(self, clause: str, expected: str, readings: Iterable[str] | None = None) -> None:
        """As of all notes, unless they are silent."""
        if not self.silent:
            super().agrees(clause, expected, readings)

    def breaks(self, clause: str, expected: str, observed: str) -> None:
        """As of all notes, unless they are silent."""
        if not self.silent:
            super().breaks(clause, expected, observed)

    def broken(self, clause: str) -> int:
        """How many observations contradict the clause."""
        return len(self._broken.get(clause, ()))
