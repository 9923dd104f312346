"""What is known of a gate: the task that was begun last, and how the review of each stands. Pure."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from harness.systems.review_gate.contract import Decision, Issue, Severity

_HARMLESS: Final = Severity.LOW


class Stage(StrEnum):
    """Where a round of a review is."""

    ANALYSIS = "analysis"
    REVIEWING = "reviewing"
    BLOCKED = "blocked"
    PASSED = "passed"


_DECISIONS: Final = {Stage.BLOCKED: Decision.BLOCKED, Stage.PASSED: Decision.PASSED}


class Review(msgspec.Struct, frozen=True):
    """The last round of a task's review.

    ``waited_for`` are the reviewers that were launched and have not returned; ``issues`` what blocks so far, static
    analysis included; ``since`` is when the reviewers were launched, None when nobody knows.
    """

    round: int
    stage: Stage
    launched: frozenset[str] = frozenset()
    waited_for: frozenset[str] = frozenset()
    issues: tuple[Issue, ...] = ()
    since: datetime | None = None

    @property
    def decision(self) -> Decision:
        """How it stands."""
        return _DECISIONS.get(self.stage, Decision.PENDING)


class Gate(msgspec.Struct, frozen=True):
    """All that was begun. ``is_lost``: what the implementation knew was damaged, and nothing is demanded of it."""

    last: str | None = None
    reviews: Mapping[str, Review] = {}
    is_lost: bool = False

    def begun(self, task: str) -> "Gate":
        """After that task was begun."""
        return msgspec.structs.replace(self, last=task)

    def reviewed(self, task: str, review: Review) -> "Gate":
        """After that came of the review of a task."""
        return msgspec.structs.replace(self, reviews={**self.reviews, task: review})

    def may_begin(self, task: str) -> bool:
        """May that task be begun now?"""
        if self.last is None or self.last == task:
            return True
        review = self.reviews.get(self.last)
        return review is not None and review.stage is Stage.PASSED


def blocking(issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    """Those that block: all but those of severity low, which any case may have."""
    return tuple(issue for issue in issues if issue.severity.strip().lower() != _HARMLESS)
