"""What a gate remembers: the task that was begun last, and the last round of each task's review."""

from collections.abc import Mapping
from typing import Final

import msgspec

from harness.systems.review_gate.contract import Decision, Issue, Severity

ANALYSIS: Final = "analysis"
REVIEWING: Final = "reviewing"
DECIDED: Final = "decided"


class Round(msgspec.Struct, frozen=True):
    """The last round of a review; ``launched_at_s`` is when its reviewers were launched, in seconds since the epoch."""

    number: int
    stage: str = ANALYSIS
    reviewers: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    launched_at_s: float = 0.0

    @property
    def missing(self) -> tuple[str, ...]:
        """The reviewers that have not returned."""
        return tuple(name for name in self.reviewers if name not in self.returned)

    @property
    def decision(self) -> Decision:
        """How it stands."""
        if self.stage != DECIDED:
            return Decision.PENDING
        return Decision.BLOCKED if self.issues else Decision.PASSED


class Memory(msgspec.Struct, frozen=True):
    """All of it. ``version`` is that of this form."""

    version: int = 1
    last: str | None = None
    rounds: Mapping[str, Round] = {}


def blocks(issue: Issue) -> bool:
    """Does it have to be fixed? All but low does, and what is no severity (LK-GEN-04)."""
    return issue.severity.strip().lower() != Severity.LOW
