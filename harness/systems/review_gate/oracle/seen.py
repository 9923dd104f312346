"""What an operation may show of a clause, and how the gate stands after it. Pure."""

from typing import Final, NamedTuple

from harness.systems.review_gate.oracle.state import Gate

ANALYSED_FIRST: Final = "LK-GEN-03"
NOT_BYPASSED: Final = "LK-GEN-04"
BETWEEN: Final = "LK-REV-01"
TOGETHER: Final = "LK-REV-02"
MODELS: Final = "LK-REV-03"
AGGREGATED: Final = "LK-REV-04"
ALL_AGAIN: Final = "LK-REV-05"
CLAUSES: Final = (ANALYSED_FIRST, NOT_BYPASSED, BETWEEN, TOGETHER, MODELS, AGGREGATED, ALL_AGAIN)


class Seen(NamedTuple):
    """One observation of a clause; ``readings`` are those it agrees with, None for all."""

    clause: str
    ok: bool
    expected: str
    readings: tuple[str, ...] | None = None


def broken(clause: str, expected: str) -> Seen:
    """It contradicts the clause."""
    return Seen(clause, ok=False, expected=expected)


class Outcome(NamedTuple):
    """How the gate may stand after an operation, and what that shows."""

    gate: Gate
    seen: tuple[Seen, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Is nothing broken?"""
        return all(each.ok for each in self.seen)
