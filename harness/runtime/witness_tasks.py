"""What passes between a worker and the systems of its tasks, as events; see witness.py.

Without an answer nothing was claimed, counted, asked, written or done, and a human is called where one may be needed.
"""

from harness.core.event import Event
from harness.core.events import SystemSilent
from harness.core.task_events import (
    DeadLettersReviewed,
    DriftReported,
    FailureCounted,
    NothingClaimed,
    OperationBegun,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    SignalConsumed,
    SignalEmitted,
    TaskClaimed,
    TaskCompleted,
    TaskStarted,
)
from harness.runtime.ports import Systems, UnansweredError
from harness.runtime.witness import (
    Note,
    WitnessedBackoff,
    WitnessedBreaker,
    WitnessedDiagnostician,
    WitnessedErrorLog,
    WitnessedGate,
    WitnessedLadder,
    answered,
    text_at,
)
from harness.runtime.witness_plans import WitnessedReviewGate, WitnessedRunner, WitnessedWatch
from harness.systems.circuit_breaker.contract import State
from harness.systems.dead_letter.contract import (
    ListArguments,
    ListResult,
    RecordFailureArguments,
    RecordFailureResult,
    SessionArguments,
    SessionResult,
)
from harness.systems.session_recovery.contract import (
    Action,
    BeginOperationArguments,
    BeginOperationResult,
    ClaimArguments,
    Claimed,
    ClaimResult,
    CompleteArguments,
    CompleteResult,
    Finished,
    Outcome,
    ResumeArguments,
    ResumeResult,
    StartTaskArguments,
    StartTaskResult,
)
from harness.systems.signals.contract import (
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

REASONS = ", "  # between the reasons of a request, which is one text


class WitnessedDeadLetters:
    """The dead letters, and what they count and decide."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.dead_letters
        self._note = note

    def record_failure(self, arguments: RecordFailureArguments, now_s: float) -> RecordFailureResult:
        """See DeadLetters.record_failure."""
        try:
            result = self._inner.record_failure(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="dead_letter", operation="record_failure", why=str(error))
            return RecordFailureResult(recorded=False, moved=False, failure_count=None)
        self._note(
            FailureCounted,
            task=arguments.task_id,
            recorded=result.recorded,
            failure_count=result.failure_count,
            moved=result.moved,
        )
        return result

    def start_session(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        """See DeadLetters.start_session."""
        try:
            result = self._inner.start_session(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="dead_letter", operation="start_session", why=str(error))
            return SessionResult(reviewed=False)
        self._note(
            DeadLettersReviewed,
            reviewed=result.reviewed,
            decided={each.task_id: each.decision for each in result.decisions},
            unstored=tuple(each.task_id for each in result.decisions if not each.stored),
            notified=result.notified,
            created=tuple(each.created for each in result.decisions if each.created is not None),
        )
        return result

    def list(self, arguments: ListArguments, now_s: float) -> ListResult:
        """See DeadLetters.list."""
        return answered(self._note, "dead_letter", "list", lambda: self._inner.list(arguments, now_s), ListResult(()))


class WitnessedSignals:
    """Signals, and what became of them."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.signals
        self._note = note

    def report_drift(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        """See Signals.report_drift."""
        try:
            result = self._inner.report_drift(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="signals", operation="report_drift", why=str(error))
            return DriftResult(None, stored=False, steps=())
        self._note(
            DriftReported,
            task=arguments.task_id,
            severity=str(arguments.severity),
            stored=result.stored,
            actions=tuple(step.action for step in result.steps),
        )
        return result

    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        """See Signals.assess."""
        return answered(
            self._note, "signals", "assess", lambda: self._inner.assess(arguments, now_s), AssessResult(review=True)
        )

    def request_review(self, arguments: ReviewArguments, now_s: float) -> ReviewResult:
        """See Signals.request_review."""
        try:
            result = self._inner.request_review(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="signals", operation="request_review", why=str(error))
            return ReviewResult(None, stored=False, blocked=False, steps=())
        self._note(
            ReviewRequested,
            task=arguments.task_id,
            reasons=tuple(str(arguments.reason).split(REASONS)),
            stored=result.stored,
            blocked=result.blocked,
        )
        return result

    def check_reviews(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """See Signals.check_reviews."""
        try:
            result = self._inner.check_reviews(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="signals", operation="check_reviews", why=str(error))
            return CheckResult()
        self._note(
            ReviewsChecked,
            resolved={each.task_id: each.decision for each in result.resolved},
            timed_out=result.timed_out,
            alerts={each.task_id: each.ok for each in result.alerts},
        )
        return result

    def emit(self, arguments: EmitArguments, now_s: float) -> EmitResult:
        """See Signals.emit."""
        try:
            result = self._inner.emit(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="signals", operation="emit", why=str(error))
            return EmitResult(written=False)
        self._handed(SignalEmitted, arguments, written=result.written)
        return result

    def consume(self, arguments: ConsumeArguments, now_s: float) -> ConsumeResult:
        """See Signals.consume."""
        try:
            result = self._inner.consume(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="signals", operation="consume", why=str(error))
            return ConsumeResult(handled=False)
        self._handed(SignalConsumed, arguments, handled=result.handled)
        return result

    def _handed(self, kind: type[Event], arguments: EmitArguments | ConsumeArguments, **said: bool) -> None:
        self._note(kind, signal=arguments.signal, name=arguments.name or "", by=arguments.by, **said)


class WitnessedRecovery:
    """A session's recovery, its claims and what it finished."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.recovery
        self._note = note

    def resume(self, arguments: ResumeArguments, now_s: float) -> ResumeResult:
        """See SessionRecovery.resume."""
        try:
            result = self._inner.resume(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="session_recovery", operation="resume", why=str(error))
            return ResumeResult((), Outcome.FAILED)
        self._note(
            SessionResumed,
            outcome=result.outcome.value,
            interrupted=result.interrupted,
            checkpoint=result.checkpoint,
        )
        return result

    def claim(self, arguments: ClaimArguments, now_s: float) -> ClaimResult:
        """See SessionRecovery.claim."""
        try:
            result = self._inner.claim(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="session_recovery", operation="claim", why=str(error))
            return ClaimResult(Claimed.FAILED)
        if result.task is None:
            self._note(NothingClaimed, outcome=result.outcome.value)
        else:
            self._note(TaskClaimed, task=text_at(result.task, "task_id"))
        return result

    def start_task(self, arguments: StartTaskArguments, now_s: float) -> StartTaskResult:
        """See SessionRecovery.start_task."""
        try:
            result = self._inner.start_task(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="session_recovery", operation="start_task", why=str(error))
            return StartTaskResult((), started=False)
        self._note(TaskStarted, task=arguments.task_id, started=result.started)
        return result

    def begin_operation(self, arguments: BeginOperationArguments, now_s: float) -> BeginOperationResult:
        """See SessionRecovery.begin_operation."""
        try:
            result = self._inner.begin_operation(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="session_recovery", operation="begin_operation", why=str(error))
            return BeginOperationResult((), performed=False)
        self._note(
            OperationBegun,
            task=text_at(arguments.state, "task_id"),
            name=arguments.name,
            checkpointed=any(step.action == Action.CHECKPOINT and step.ok for step in result.steps),
            performed=result.performed,
        )
        return result

    def complete(self, arguments: CompleteArguments, now_s: float) -> CompleteResult:
        """See SessionRecovery.complete."""
        try:
            result = self._inner.complete(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="session_recovery", operation="complete", why=str(error))
            return CompleteResult(Finished.FAILED)
        self._note(TaskCompleted, task=arguments.task_id, outcome=result.outcome.value, recorded=result.recorded)
        return result


def witnessed(systems: Systems, note: Note, known: dict[str, State]) -> Systems:
    """The systems, with everything that passes told to ``note``."""
    return Systems(
        WitnessedGate(systems, note),
        WitnessedBreaker(systems, note, known),
        WitnessedBackoff(systems, note),
        WitnessedLadder(systems, note),
        WitnessedErrorLog(systems, note),
        WitnessedDiagnostician(systems, note),
        WitnessedDeadLetters(systems, note),
        WitnessedSignals(systems, note),
        WitnessedRecovery(systems, note),
        WitnessedRunner(systems, note),
        WitnessedReviewGate(systems, note),
        WitnessedWatch(systems, note),
    )
