"""What passes between a session and its systems, as events: told where it passes, whatever the session makes of it."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from harness.core.events import (
    BreakerMoved,
    BreakerTold,
    CallPermitted,
    CallRefused,
    Diagnosed,
    FailureClassified,
    FailureRecorded,
    RecoveryEnded,
    RetriesEnded,
    RetryScheduled,
    SystemSilent,
)
from harness.core.log import LogEntry, LogLevel
from harness.runtime.ports import Systems, UnansweredError
from harness.systems.circuit_breaker.contract import (
    AcquireArguments,
    AcquireResult,
    Held,
    RecordArguments,
    RecordResult,
    State,
)
from harness.systems.diagnosis.contract import (
    ObserveArguments,
    ObserveResult,
    OutcomeArguments,
    OutcomeResult,
    PromptArguments,
    PromptResult,
    Reflection,
    ReportArguments,
    ReportResult,
)
from harness.systems.error_log.contract import ClassifyArguments as KindArguments
from harness.systems.error_log.contract import ClassifyResult as KindResult
from harness.systems.error_log.contract import FinishArguments, FinishResult, LogArguments, LogResult
from harness.systems.fallback.contract import (
    ESCALATE,
    EscalationArguments,
    EscalationResult,
    NextArguments,
    NextResult,
)
from harness.systems.rate_limit.contract import ClassifyArguments, ClassifyResult, DelayArguments, DelayResult
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision

Result = TypeVar("Result")
ASKED: Final = "diagnosis"  # the trigger of a human who is called because the diagnosis asks the user (DR-REC-07)
UNTYPED: Final = "unknown"  # the type of an error when nobody says one

Note = Callable[..., None]
"""``note(kind, **fields)`` takes an event into the stream, with the time and the correlation id of the moment."""


class WitnessedBreaker:
    """A breaker, and what it is asked and told. ``known`` is the state each was last seen in, by any session."""

    def __init__(self, systems: Systems, note: Note, known: dict[str, State]) -> None:
        self._inner = systems.breaker
        self._note = note
        self._known = known

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        """See Breaker.acquire; a breaker that does not answer lets nothing through."""
        try:
            result = self._inner.acquire(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="circuit_breaker", operation="acquire", why=str(error))
            return AcquireResult(False, self._known.get(arguments.name, State.OPEN), Held.REFUSED)
        self._seen(arguments.name, result.state)
        if result.permitted:
            self._note(CallPermitted, provider=arguments.name, state=result.state.value)
        else:
            held = None if result.held is None else result.held.value
            self._note(CallRefused, provider=arguments.name, state=result.state.value, held=held, wait_s=result.wait_s)
        return result

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        """See Breaker.record."""
        try:
            result = self._inner.record(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="circuit_breaker", operation="record", why=str(error))
            return RecordResult(self._known.get(arguments.name, State.CLOSED))
        self._note(
            BreakerTold,
            provider=arguments.name,
            outcome=arguments.outcome.value,
            state=result.state.value,
            trouble=_trouble(result.log),
        )
        self._seen(arguments.name, result.state)
        return result

    def _seen(self, name: str, state: State) -> None:
        before = self._known.get(name, state)  # the first time, nothing is known that it could have moved from
        self._known[name] = state
        if state is not before:
            self._note(BreakerMoved, provider=name, before=before.value, after=state.value)


class WitnessedBackoff:
    """A back-off, and what it says."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.backoff
        self._note = note

    def classify(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        """See Backoff.classify; what is not said to be a rate limit is none."""
        try:
            result = self._inner.classify(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="rate_limit", operation="classify", why=str(error))
            return ClassifyResult(rate_limited=False)
        self._note(FailureClassified, rate_limited=result.rate_limited)
        return result

    def next_delay(self, arguments: DelayArguments, now_s: float) -> DelayResult:
        """See Backoff.next_delay; without an answer there is no retry."""
        try:
            result = self._inner.next_delay(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="rate_limit", operation="next_delay", why=str(error))
            return DelayResult(retry=False)
        if result.retry and result.delay_s is not None:
            self._note(RetryScheduled, retry=arguments.retry, delay_s=result.delay_s)
        else:
            self._note(RetriesEnded, retry=arguments.retry)
        return result


class WitnessedLadder:
    """A ladder; what follows from its answers is told by the session. Without an answer a human is called."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.ladder
        self._note = note

    def next(self, arguments: NextArguments, now_s: float) -> NextResult:
        """See Ladder.next."""
        return self._answer("next", lambda: self._inner.next(arguments, now_s), NextResult(ESCALATE))

    def escalation(self, arguments: EscalationArguments, now_s: float) -> EscalationResult:
        """See Ladder.escalation."""
        return self._answer(
            "escalation", lambda: self._inner.escalation(arguments, now_s), EscalationResult(escalate=True)
        )

    def _answer(self, operation: str, ask: Callable[[], Result], careful: Result) -> Result:
        return answered(self._note, "fallback", operation, ask, careful)


class WitnessedGate:
    """A gate; one that does not answer holds nobody (PS-FO-01)."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.gate
        self._note = note

    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """See Gate.check."""
        try:
            return self._inner.check(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="stop_gate", operation="check", why=str(error))
            return CheckResult(Decision.APPROVE, ("the gate gave no answer",), None, None)


class WitnessedErrorLog:
    """An error log, and which records it made. Without an answer nothing is stored, and the session goes on."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.error_log
        self._note = note

    def classify(self, arguments: KindArguments, now_s: float) -> KindResult:
        """See ErrorLog.classify."""
        return self._answer("classify", lambda: self._inner.classify(arguments, now_s), KindResult(UNTYPED))

    def log(self, arguments: LogArguments, now_s: float) -> LogResult:
        """See ErrorLog.log."""
        try:
            result = self._inner.log(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="error_log", operation="log", why=str(error))
            return LogResult(None, stored=False)
        record_id = text_at(result.record, "id")
        self._note(FailureRecorded, record_id=record_id, stored=result.stored, name=arguments.name)
        return result

    def finish(self, arguments: FinishArguments, now_s: float) -> FinishResult:
        """See ErrorLog.finish."""
        return self._answer("finish", lambda: self._inner.finish(arguments, now_s), FinishResult(()))

    def _answer(self, operation: str, ask: Callable[[], Result], careful: Result) -> Result:
        return answered(self._note, "error_log", operation, ask, careful)


class WitnessedDiagnostician:
    """A diagnosis, and what it says. Without an answer nothing is tried, and the user is asked."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.diagnostician
        self._note = note

    def observe(self, arguments: ObserveArguments, now_s: float) -> ObserveResult:
        """See Diagnostician.observe."""
        try:
            result = self._inner.observe(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="diagnosis", operation="observe", why=str(error))
            return ObserveResult(Reflection.NONE, asks_user=True)
        diagnosis = result.diagnosis or {}
        self._note(
            Diagnosed,
            error_type=text_at(diagnosis.get("errorClassification"), "type"),
            reflection=result.reflection.value,
            strategy=strategy_of(diagnosis.get("recoveryPlan")),
            asks_user=result.asks_user,
        )
        return result

    def outcome(self, arguments: OutcomeArguments, now_s: float) -> OutcomeResult:
        """See Diagnostician.outcome."""
        try:
            result = self._inner.outcome(arguments, now_s)
        except UnansweredError as error:
            self._note(SystemSilent, system="diagnosis", operation="outcome", why=str(error))
            return OutcomeResult(None, asks_user=True)
        self._note(
            RecoveryEnded,
            strategy=result.strategy or "",
            succeeded=arguments.success,
            iterations=arguments.iterations,
            next_strategy=strategy_of(result.next_plan),
            asks_user=result.asks_user,
        )
        return result

    def prompt(self, arguments: PromptArguments, now_s: float) -> PromptResult:
        """See Diagnostician.prompt."""
        return self._answer("prompt", lambda: self._inner.prompt(arguments, now_s), PromptResult(""))

    def report(self, arguments: ReportArguments, now_s: float) -> ReportResult:
        """See Diagnostician.report."""
        return self._answer("report", lambda: self._inner.report(arguments, now_s), ReportResult(""))

    def _answer(self, operation: str, ask: Callable[[], Result], careful: Result) -> Result:
        return answered(self._note, "diagnosis", operation, ask, careful)


def strategy_of(plan: object) -> str:
    """The strategy of a recovery plan, empty when there is no plan, or none that can be understood."""
    return text_at(plan, "strategy")


def text_at(value: object, name: str) -> str:
    """The text of that name in an object of any shape; empty when there is none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


def answered(note: Note, system: str, operation: str, ask: Callable[[], Result], careful: Result) -> Result:
    """What a system answers; the careful answer, and a word of it, when it gives none."""
    try:
        return ask()
    except UnansweredError as error:
        note(SystemSilent, system=system, operation=operation, why=str(error))
        return careful


def _trouble(log: tuple[LogEntry, ...]) -> tuple[str, ...]:
    return tuple(f"{entry.code}" for entry in log if entry.level is not LogLevel.INFO)
