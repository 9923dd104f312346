"""More mutants of workers: what they leave out or do once too often, where the next step would look the same."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.events import SessionEvent
from harness.core.task_events import DriftReviewed, SignalConsumed, TaskAttempted
from harness.runtime.board import Held
from harness.runtime.calls import Task
from harness.runtime.mutants.queued_tasks import PassedOn
from harness.runtime.mutants.table import mutant, stream_mutant
from harness.runtime.ports import DeadLetters
from harness.runtime.session import Session
from harness.runtime.trial import DONE, Steps
from harness.runtime.witness import text_at
from harness.runtime.worker import CALLED, SEVERE, Attempted, Desk, Worker
from harness.systems import queue_files
from harness.systems.dead_letter.contract import (
    ListArguments,
    RecordFailureArguments,
    RecordFailureResult,
    SessionArguments,
    SessionResult,
)
from harness.systems.session_recovery.contract import Outcome, Reason, ResumeArguments
from harness.systems.signals.contract import DriftArguments, ReviewArguments, Severity

NOBODY = "nobody"


class _Anew(PassedOn):
    """Counts failures for itself."""

    def __init__(self, inner: DeadLetters) -> None:
        super().__init__(inner)
        self._counts: dict[str, int] = {}

    def record_failure(self, arguments: RecordFailureArguments, now_s: float) -> RecordFailureResult:
        result = super().record_failure(arguments, now_s)
        if not result.recorded:
            return result
        self._counts[arguments.task_id] = self._counts.get(arguments.task_id, 0) + 1
        return msgspec.structs.replace(result, failure_count=self._counts[arguments.task_id])


class _Timeless(PassedOn):
    """Is always asked at the same time."""

    def start_session(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        return super().start_session(arguments, 0.0)


class _Lettered(Session):
    """A session whose dead letters are ``letters``, before anybody watches them."""

    letters: type[PassedOn]

    def __init__(self, *given: Any, **rest: Any) -> None:
        session_id, place, outside, systems = given
        found = systems._replace(dead_letters=self.letters(systems.dead_letters))
        super().__init__(session_id, place, outside, found, **rest)


def _by_anybody(event: SessionEvent) -> tuple[SessionEvent, ...]:
    return (msgspec.structs.replace(event, by="anybody"),)


def _nobody_called(_task: Task) -> Steps[str]:
    yield from ()
    return DONE


@mutant("INT-32")
class Unclaimed(Worker):
    """The first task that is pending is worked on, and claimed by nobody."""

    def _claim(self) -> Mapping[str, Any] | None:
        pending = self._systems.dead_letters.list(ListArguments(queue_files.PENDING), self._now_s).tasks
        return next((task for task in pending if text_at(task, "task_id") not in self._board.held), None)


@mutant("INT-33")
class InterruptedForgotten(Worker):
    """What was in progress is not gone on with after a recovery."""

    def _resume(self) -> bool:
        found = self._systems.recovery.resume(ResumeArguments(Reason.CONTEXT_LOSS), self._now_s)
        self._list_queues()
        if found.outcome is not Outcome.FAILED:
            for task in found.interrupted:
                self._board.held.setdefault(task, Held(NOBODY))
                if self._may_adopt(task):
                    self._board.held[task] = Held(NOBODY)
        return False


@mutant("INT-34")
class LettersOutOfTime(_Lettered):
    """Dead letters are looked after as if no time went by."""

    letters = _Timeless


@mutant("INT-36")
class CountedAnew(_Lettered):
    """What was counted before this session is forgotten."""

    letters = _Anew


@mutant("INT-36")
class FailurePassedOver(Worker):
    """Of an attempt that failed nobody is told."""

    def _note(self, kind: type[Any], **fields: object) -> None:
        if kind is not TaskAttempted or fields["succeeded"]:
            super()._note(kind, **fields)

    def _fail(self, task: str, attempt: Attempted) -> None:
        self._keep(task)


@mutant("INT-37")
class AskedTwice(Worker):
    """A human who was asked is asked again."""

    def _ask(self, task: str, reason: str) -> None:
        super()._ask(task, reason)
        if task not in self._board.held:
            arguments = ReviewArguments(task, reason, {}, Severity.HIGH, blocking=True, agent=self._name)
            self._systems.signals.request_review(arguments, self._now_s)


@mutant("INT-37")
class AskedOfTheDead(Worker):
    """A human is asked to review what has just become a dead letter."""

    def _count(self, task: str, attempt: Attempted) -> tuple[int, bool]:
        failures, is_dead = super()._count(task, attempt)
        if is_dead:
            arguments = ReviewArguments(task, "repeated_failures", {}, Severity.HIGH, blocking=True, agent=self._name)
            self._systems.signals.request_review(arguments, self._now_s)
        return failures, is_dead


@mutant("INT-37")
class AskedForNothing(Worker):
    """Every failure calls a human."""

    def _reasons(self, failures: int, attempt: Attempted) -> tuple[str, ...]:
        return super()._reasons(failures, attempt) or (CALLED,)


@mutant("INT-41")
class RubberStamped(Worker):
    """A severe drift passes, and no reviewer has seen it."""

    def __init__(self, name: str, desk: Desk) -> None:
        super().__init__(name, desk._replace(call=_nobody_called))


@mutant("INT-42")
class DriftUntold(Worker):
    """A drift is reviewed, and stands in no log."""

    def drift_steps(self, arguments: DriftArguments, reviewer: Task) -> Steps[bool]:
        """See Worker.drift_steps."""
        if arguments.severity not in SEVERE:
            return True
        passed = (yield from self._desk.call(reviewer)) == DONE
        self._label(f"round-{self._rounds}")
        self._note(DriftReviewed, task=arguments.task_id, passed=passed)
        return passed


@mutant("INT-43")
class QueuesUnlisted(Worker):
    """After a recovery nobody looks where tasks are."""

    def _list_queues(self) -> None:
        return


@mutant("INT-44")
class SignalsForgotten(Worker):
    """Signals are raised, and handled by nobody."""

    def hand_on(self) -> None:
        """See Worker.hand_on."""


stream_mutant("handled-by-anybody", "INT-44", "A signal is handled by whom it is not for.", SignalConsumed, _by_anybody)


@mutant("INT-46")
class FinishForgotten(Worker):
    """What is done is never put down."""

    def _finish(self, task: str) -> None:
        self._board.held[task] = Held(NOBODY)
