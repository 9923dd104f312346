"""Mutants of workers: how tasks are claimed, counted, asked about, paused, finished, and handed on."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.events import SessionEvent
from harness.core.task_events import SignalConsumed
from harness.runtime.board import Raised, Stage
from harness.runtime.calls import Task
from harness.runtime.mutants.table import mutant, stream_mutant
from harness.runtime.ports import DeadLetters, Signals, Systems
from harness.runtime.session import Session
from harness.runtime.trial import Steps
from harness.runtime.worker import Attempted, Worker
from harness.systems import queue_files
from harness.systems.dead_letter.contract import (
    ListArguments,
    ListResult,
    RecordFailureArguments,
    RecordFailureResult,
    SessionArguments,
    SessionResult,
    TaskFacts,
)
from harness.systems.session_recovery.contract import (
    BeginOperationArguments,
    CompleteArguments,
    Kind,
    Reason,
    ResumeArguments,
)
from harness.systems.signals.contract import (
    ROUTES,
    AssessArguments,
    AssessResult,
    CheckArguments,
    CheckResult,
    ConsumeArguments,
    ConsumeResult,
    DriftArguments,
    DriftResult,
    EmitArguments,
    EmitResult,
    ReviewArguments,
    ReviewResult,
)

DAY_S = 24 * 3600.0


class PassedOn:
    """Dead letters: passes on what it is asked."""

    def __init__(self, inner: DeadLetters) -> None:
        self._inner = inner

    def record_failure(self, arguments: RecordFailureArguments, now_s: float) -> RecordFailureResult:
        """See DeadLetters.record_failure."""
        return self._inner.record_failure(arguments, now_s)

    def start_session(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        """See DeadLetters.start_session."""
        return self._inner.start_session(arguments, now_s)

    def list(self, arguments: ListArguments, now_s: float) -> ListResult:
        """See DeadLetters.list."""
        return self._inner.list(arguments, now_s)


class _Kept(PassedOn):
    """Says of no task that it is dead."""

    def record_failure(self, arguments: RecordFailureArguments, now_s: float) -> RecordFailureResult:
        return msgspec.structs.replace(super().record_failure(arguments, now_s), moved=False)


class _Signals:
    """Passes on what it is asked; reviews are looked after as if it were ``ahead_s`` later."""

    def __init__(self, inner: Signals, ahead_s: float = 0.0) -> None:
        self._inner = inner
        self._ahead_s = ahead_s

    def report_drift(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        return self._inner.report_drift(arguments, now_s)

    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        return self._inner.assess(arguments, now_s)

    def request_review(self, arguments: ReviewArguments, now_s: float) -> ReviewResult:
        return self._inner.request_review(arguments, now_s)

    def check_reviews(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        return self._inner.check_reviews(arguments, now_s + self._ahead_s)

    def emit(self, arguments: EmitArguments, now_s: float) -> EmitResult:
        return self._inner.emit(arguments, now_s)

    def consume(self, arguments: ConsumeArguments, now_s: float) -> ConsumeResult:
        return self._inner.consume(arguments, now_s)


class _Everywhere(_Signals):
    """Tells every drift of a task of its own."""

    _told = 0

    def report_drift(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        self._told += 1
        return super().report_drift(msgspec.structs.replace(arguments, task_id=f"drift-{self._told}"), now_s)


def _doubled(event: SessionEvent) -> tuple[SessionEvent, ...]:
    return (event, event)


@mutant("INT-32")
class AdoptsOthers(Worker):
    """What others hold is gone on with after a recovery."""

    def _may_adopt(self, task: str) -> bool:
        return True


@mutant("INT-32")
class TakesOthers(Worker):
    """Works on whatever anybody holds."""

    def _next(self) -> Mapping[str, Any] | None:
        for task, held in self._board.held.items():
            if held.stage is Stage.WORK and held.worker != self._name:
                self._board.held[task] = held._replace(worker=self._name)
                return {"task_id": task}
        return super()._next()


@mutant("INT-33")
class NotResumed(Worker):
    """After a cut it begins as if nothing had been."""

    def _resume(self) -> bool:
        return False


@mutant("INT-33")
class ResumedLate(Worker):
    """A task is claimed first, and then the session resumed."""

    def begin(self, *, cut: bool, facts: Mapping[str, TaskFacts] | None = None) -> None:
        """See Worker.begin."""
        self._is_late = cut
        super().begin(cut=False, facts=facts)

    def _claim(self) -> Mapping[str, Any] | None:
        claimed = super()._claim()
        if self._is_late:
            self._is_late = False
            self._systems.recovery.resume(ResumeArguments(Reason.CONTEXT_LOSS), self._now_s)
        return claimed


@mutant("INT-34")
class LettersForgotten(Worker):
    """Dead letters are never reviewed."""

    def _review_letters(self, facts: Mapping[str, TaskFacts]) -> None:
        return


@mutant("INT-35")
class RequirementsUnread(Worker):
    """A task is worked on without a look at its requirements."""

    def start(self, task: str) -> bool:
        """See Worker.start."""
        return True


@mutant("INT-36")
class FailureUncounted(Worker):
    """Nobody counts failures of tasks."""

    def _count(self, task: str, attempt: Attempted) -> tuple[int, bool]:
        held = self._board.held[task]
        self._board.held[task] = held._replace(failures=held.failures + 1)
        return held.failures + 1, False


@mutant("INT-36")
class FailureCountedTwice(Worker):
    """Each failure is counted twice."""

    def _count(self, task: str, attempt: Attempted) -> tuple[int, bool]:
        found = super()._count(task, attempt)
        return found if found[1] else super()._count(task, attempt)


@mutant("INT-37")
class NobodyAsked(Worker):
    """A human is never asked: the task is tried again."""

    def _ask(self, task: str, reason: str) -> None:
        self._board.set_stage(task, Stage.WORK)


@mutant("INT-37")
class AskedLate(Worker):
    """The third failure is a reason to try once more."""

    def _reasons(self, failures: int, attempt: Attempted) -> tuple[str, ...]:
        return super()._reasons(failures - 1, attempt)


@mutant("INT-37")
class AskedEarly(Worker):
    """The second failure calls a human."""

    def _reasons(self, failures: int, attempt: Attempted) -> tuple[str, ...]:
        return super()._reasons(failures + 1, attempt)


@mutant("INT-38")
class DeathUnheard(Session):
    """That a task is a dead letter is not heard."""

    def __init__(self, *given: Any, **rest: Any) -> None:
        session_id, place, outside, systems = given
        kept = systems._replace(dead_letters=_Kept(systems.dead_letters))
        super().__init__(session_id, place, outside, kept, **rest)


@mutant("INT-39")
class FinishedAgain(Worker):
    """What is finished is worked on once more."""

    _finished: str = ""

    def _finish(self, task: str) -> None:
        super()._finish(task)
        if task not in self._board.held:
            self._finished = task

    def _next(self) -> Mapping[str, Any] | None:
        task, self._finished = self._finished, ""
        if not task:
            return super()._next()
        self._hold(task, 0)
        return {"task_id": task}


@mutant("INT-40")
class ReviewsForgotten(Worker):
    """Nobody looks after reviews."""

    def _check(self) -> None:
        return


@mutant("INT-40")
class CheckedAhead(Session):
    """Reviews are looked after as if it were a day later."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(signals=_Signals(systems.signals, DAY_S))


@mutant("INT-40")
class CheckedBehind(Session):
    """Reviews are looked after as if it were a day ago."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(signals=_Signals(systems.signals, -DAY_S))


@mutant("INT-41")
class NotPaused(Worker):
    """A severe drift is reported, and gone on from."""

    def drift_steps(self, arguments: DriftArguments, reviewer: Task) -> Steps[bool]:
        """See Worker.drift_steps."""
        self._label(f"round-{self._rounds}")
        self._systems.signals.report_drift(arguments, self._now_s)
        yield from ()
        return True


@mutant("INT-42")
class DriftsApart(Session):
    """Each drift is told of another task."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(signals=_Everywhere(systems.signals))


@mutant("INT-43")
class OneQueueListed(Worker):
    """What is in progress is taken for what all queues have."""

    def _listed(self, queue: str) -> tuple[str, ...]:
        return super()._listed(queue_files.IN_PROGRESS)


@mutant("INT-44")
class HandledByNobody(Worker):
    """Whoever raised a signal looks for it, and not the one it is for."""

    def _consume(self, raised: Raised) -> bool:
        (by, *_), _ = ROUTES[raised.signal]
        return self._systems.signals.consume(ConsumeArguments(raised.signal, by, raised.name), self._now_s).handled


stream_mutant(
    "handling-doubled", "INT-44", "The event of a signal that is handled comes twice.", SignalConsumed, _doubled
)


@mutant("INT-45")
class NoCheckpoint(Worker):
    """A task is put down without a checkpoint."""

    def _may_put_down(self, task: str) -> bool:
        return True


@mutant("INT-45")
class MinorOperation(Worker):
    """To put a task down is taken for a minor operation."""

    def _may_put_down(self, task: str) -> bool:
        arguments = BeginOperationArguments(f"{self._desk.session_id}/{task}", Kind.MINOR, {"task_id": task})
        return self._systems.recovery.begin_operation(arguments, self._now_s).performed


@mutant("INT-46")
class FinishedTwice(Worker):
    """A task is said to be finished twice."""

    def _finish(self, task: str) -> None:
        super()._finish(task)
        self._systems.recovery.complete(CompleteArguments(self._name, task), self._now_s)


@mutant("INT-46")
class FailureFinished(Worker):
    """A task whose attempt failed is finished."""

    def _keep(self, task: str) -> None:
        self._finish(task)
