"""What a gate remembers: the task that was begun last, and the last round of each task's review."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

from harness.systems.review_gate.contract import Decision, Issue, Severity

VERSION: Final = 1
Stage = Literal["begun", "analysis", "reviewing", "decided"]
BEGUN: Final = "begun"
ANALYSIS: Final = "analysis"
REVIEWING: Final = "reviewing"
DECIDED: Final = "decided"


class Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last round of a review, numbered from 1; of a task that was only begun it is 0, or that of a review before.

    ``missing`` are the reviewers that were launched and have not returned; ``launched_at_s`` is when, in seconds since
    the epoch; ``issues`` are those that block.
    """

    number: Annotated[int, msgspec.Meta(ge=0)] = 0
    stage: Stage = BEGUN
    missing: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    launched_at_s: float = 0.0

    @property
    def is_open(self) -> bool:
        """Did its review begin?"""
        return self.stage != BEGUN

    @property
    def decision(self) -> Decision:
        """How it stands."""
        if self.stage != DECIDED:
            return Decision.PENDING
        return Decision.BLOCKED if self.issues else Decision.PASSED

    @property
    def has_passed(self) -> bool:
        """May the next task begin?"""
        return self.decision is Decision.PASSED


class Memory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it. ``version`` is that of this form; no field may be missing where it is stored."""

    version: int
    last: str | None
    rounds: Mapping[str, Round]

    def round_of(self, task: str) -> Round:
        """The last round of a task."""
        return self.rounds.get(task, UNOPENED)

    def with_round(self, task: str, found: Round) -> "Memory":
        """With that round."""
        return msgspec.structs.replace(self, rounds={**self.rounds, task: found})


UNOPENED: Final = Round()
NOTHING: Final = Memory(VERSION, None, {})


def blocks(issue: Issue) -> bool:
    """Does it have to be fixed? All but low does, and what is no severity (LK-GEN-04)."""
    return issue.severity.lower() != Severity.LOW
