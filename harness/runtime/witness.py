"""What passes between a session and its systems, as events: told where it passes, whatever the session makes of it."""

from collections.abc import Callable
from typing import TypeVar

from harness.core.events import (
    BreakerMoved,
    BreakerTold,
    CallPermitted,
    CallRefused,
    FailureClassified,
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
        try:
            return ask()
        except UnansweredError as error:
            self._note(SystemSilent, system="fallback", operation=operation, why=str(error))
            return careful


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


def witnessed(systems: Systems, note: Note, known: dict[str, State]) -> Systems:
    """The systems, with everything that passes told to ``note``."""
    return Systems(
        WitnessedGate(systems, note),
        WitnessedBreaker(systems, note, known),
        WitnessedBackoff(systems, note),
        WitnessedLadder(systems, note),
    )


def _trouble(log: tuple[LogEntry, ...]) -> tuple[str, ...]:
    return tuple(f"{entry.code}" for entry in log if entry.level is not LogLevel.INFO)
