"""What is known of a gate: the task that was begun last, and how the review of each stands. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from harness.systems.review_gate.contract import REVIEWERS, Decision, Issue, Severity

_HARMLESS: Final = Severity.LOW


class Stage(StrEnum):
    """Where a round of a review is."""

    UNOPENED = "unopened"
    ANALYSIS = "analysis"
    REVIEWING = "reviewing"
    BLOCKED = "blocked"
    PASSED = "passed"


_DECISIONS: Final = {Stage.BLOCKED: Decision.BLOCKED, Stage.PASSED: Decision.PASSED}


class Review(msgspec.Struct, frozen=True):
    """The last round of a task's review; its number is 0 when there was none, and None when nobody knows it.

    ``waited_for`` are the reviewers that have not returned; ``issues`` what blocks so far, static analysis included;
    ``since`` is when the reviewers were launched last, None when nobody knows. ``is_given_up``: it is blocked as
    somebody never returned.
    """

    round: int | None = 0
    stage: Stage = Stage.UNOPENED
    waited_for: frozenset[str] = frozenset()
    issues: tuple[Issue, ...] = ()
    since: datetime | None = None
    is_given_up: bool = False

    @property
    def decision(self) -> Decision:
        """How it stands."""
        return _DECISIONS.get(self.stage, Decision.PENDING)

    def is_due(self, number: int, stage: Stage) -> bool:
        """Is the round of that number at that stage?"""
        return self.stage is stage and self.round == number

    def awaits(self, number: int, reviewer: str) -> bool:
        """Has that reviewer to return, in the round of that number?"""
        return self.is_due(number, Stage.REVIEWING) and reviewer in self.waited_for

    def analysed(self, issues: tuple[Issue, ...], at: datetime | None) -> "Review":
        """After static analysis, when the reviewers were launched at that time."""
        return Review(self.round, Stage.REVIEWING, frozenset(REVIEWERS), blocking(issues), at)

    def returned(self, reviewer: str, issues: tuple[Issue, ...]) -> "Review":
        """After a reviewer returned."""
        left = self.waited_for - {reviewer}
        found = (*self.issues, *blocking(issues))
        stage = Stage.REVIEWING if left else (Stage.BLOCKED if found else Stage.PASSED)
        return Review(self.round, stage, left, found, self.since)

    def launched_anew(self, at: datetime | None) -> "Review":
        """After those that are missing were launched anew at that time."""
        return msgspec.structs.replace(self, since=at)

    def given_up(self) -> "Review":
        """After nobody waited any more."""
        return Review(self.round, Stage.BLOCKED, issues=self.issues, is_given_up=True)


_UNOPENED: Final = Review()
_UNKNOWN: Final = Review(None)


class Gate(msgspec.Struct, frozen=True):
    """All that was begun. ``reviews`` are those of tasks, in the order of their names.

    ``is_lost``: what the implementation knew was damaged. Whatever it refuses then is right, and nothing passes but
    what was reviewed since.
    """

    last: str | None = None
    reviews: tuple[tuple[str, Review], ...] = ()
    is_lost: bool = False

    def review(self, task: str) -> Review:
        """That of a task."""
        return dict(self.reviews).get(task, _UNKNOWN if self.is_lost else _UNOPENED)

    def begun(self, task: str) -> "Gate":
        """After that task was begun; what was found of it before does not count."""
        if task == self.last:
            return self
        earlier = self.review(task)
        return Gate(task, self.reviews).reviewed(task, Review(earlier.round))

    def reviewed(self, task: str, review: Review) -> "Gate":
        """After that came of the review of a task."""
        reviews = tuple(sorted({**dict(self.reviews), task: review}.items(), key=lambda each: each[0]))
        return msgspec.structs.replace(self, reviews=reviews)

    def lost(self) -> "Gate":
        """After what the implementation knew was damaged."""
        return Gate(self.last, is_lost=True)

    def may_begin(self, task: str) -> bool:
        """May that task be begun now?"""
        if self.last is None:
            return not self.is_lost or any(review.stage is Stage.PASSED for _, review in self.reviews)
        return self.last == task or self.review(self.last).stage is Stage.PASSED


def blocking(issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    """Those that block: all but those of severity low, which any case may have."""
    return tuple(issue for issue in issues if issue.severity.lower() != _HARMLESS)
