"""The words systems use to each other: one frozen event a thing that happened, joined by a correlation id.

A session's history is a stream of these; any system can be exchanged as long as it keeps to them.
"""

from typing import Any

import msgspec

from harness.core.digest import sha256_of
from harness.core.event import Event
from harness.core.plan_events import PlanEvent
from harness.core.recent import MOST
from harness.core.task_events import TaskEvent


class CallBegun(Event, frozen=True, kw_only=True, tag="call_begun", omit_defaults=True):
    """A call of a task to a model begins, at these rungs of the two ladders; all that follows of it has its id.

    What is known of the task and may call for a human follows; see the contract of the system ``fallback``.
    """

    task: str
    tool: str
    model: str
    approach: str
    decision: str = "general"
    confidence: float | None = None
    security_critical: bool = False
    irreversible: bool = False
    rollback: bool | None = None


class CallEnded(Event, frozen=True, kw_only=True, tag="call_ended"):
    """The call is over: ``outcome`` is done, or escalated when a human has the task now.

    ``consecutive_failures``, here and elsewhere: of the task since its last success, as the session counts them.
    """

    outcome: str
    consecutive_failures: int


class CallPermitted(Event, frozen=True, kw_only=True, tag="call_permitted"):
    """The provider's breaker, now in ``state``, lets the next attempt run."""

    provider: str
    state: str


class CallRefused(Event, frozen=True, kw_only=True, tag="call_refused"):
    """The provider's breaker does not; ``wait_s`` is how long it stays OPEN, null when it does not say."""

    provider: str
    state: str
    held: str | None
    wait_s: float | None


class WaitBegun(Event, frozen=True, kw_only=True, tag="wait_begun"):
    """The call waits that many seconds before it asks again: ``cause`` is back_off, or cooldown after a refusal."""

    cause: str
    wait_s: float
    consecutive_failures: int


class BreakerTold(Event, frozen=True, kw_only=True, tag="breaker_told"):
    """A breaker was told how an attempt ended (success or failure), and is in ``state`` since.

    ``trouble`` are the codes of warnings and errors it logged on it.
    """

    provider: str
    outcome: str
    state: str
    trouble: tuple[str, ...] = ()


class BreakerMoved(Event, frozen=True, kw_only=True, tag="breaker_moved"):
    """A breaker was seen in another state than the last time it was seen."""

    provider: str
    before: str
    after: str


class UseBegun(Event, frozen=True, kw_only=True, tag="use_begun"):
    """A local tool is going to be used: no model, no breaker, no ladder."""

    task: str
    tool: str


class UseEnded(Event, frozen=True, kw_only=True, tag="use_ended"):
    """The use of a local tool is over: ``outcome`` is done, or escalated when a human has it now."""

    outcome: str


class AttemptStarted(Event, frozen=True, kw_only=True, tag="attempt_started", omit_defaults=True):
    """A tool is about to be called; of a call to a model, with these rungs of the ladders and at that provider.

    ``strategy`` is the recovery that is tried with it, empty when none is.
    """

    tool: str
    attempt: int
    provider: str = ""
    model: str = ""
    approach: str = ""
    strategy: str = ""


class AttemptSucceeded(Event, frozen=True, kw_only=True, tag="attempt_succeeded"):
    """The tool did what was asked."""

    tool: str


class FailureObserved(Event, frozen=True, kw_only=True, tag="failure_observed"):
    """The tool failed: ``kind`` is exit, signal, timeout or not_started; ``message`` is what it said."""

    tool: str
    kind: str
    message: str


class FailureRecorded(Event, frozen=True, kw_only=True, tag="failure_recorded", omit_defaults=True):
    """The failure stands in the error log, or ``stored`` is false and only this stream and the log's memory have it.

    ``record_id`` is the id of the log's record, and ``name`` what the session calls it.
    """

    record_id: str
    stored: bool
    name: str = ""


class Diagnosed(Event, frozen=True, kw_only=True, tag="diagnosed"):
    """The failure was diagnosed: as ``error_type``, by a ``reflection`` that was full, fast or none.

    ``strategy`` is what the diagnosis recommends, empty when nothing; ``asks_user`` is true when it is to ask.
    """

    error_type: str
    reflection: str
    strategy: str
    asks_user: bool


class RecoveryEnded(Event, frozen=True, kw_only=True, tag="recovery_ended"):
    """The diagnosis was told how its recovery ended, after so many attempts, and says what is to be tried next.

    ``strategy`` is the one that was tried, as the diagnosis says; ``next_strategy`` is empty when there is none.
    """

    strategy: str
    succeeded: bool
    iterations: int
    next_strategy: str
    asks_user: bool


class NonBlockingFailed(Event, frozen=True, kw_only=True, tag="non_blocking_failed"):
    """Something beside the work failed, a git commit, a metric or a log: the session goes on. ``name`` is its own."""

    name: str
    error_type: str
    message: str


class ErrorsReported(Event, frozen=True, kw_only=True, tag="errors_reported"):
    """The session is over, and these failures, by name, did not stop it."""

    names: tuple[str, ...]


class FailureClassified(Event, frozen=True, kw_only=True, tag="failure_classified"):
    """Whether the failure is a rate limit, which is retried."""

    rate_limited: bool


class RetryScheduled(Event, frozen=True, kw_only=True, tag="retry_scheduled"):
    """Back-off allows retry number ``retry`` (from 1) of this model, ``delay_s`` seconds from now."""

    retry: int
    delay_s: float


class RetriesEnded(Event, frozen=True, kw_only=True, tag="retries_ended"):
    """Back-off does not allow retry number ``retry`` any more."""

    retry: int


class FellBack(Event, frozen=True, kw_only=True, tag="fell_back"):
    """The call goes on one rung further down that ladder."""

    ladder: str
    before: str
    after: str
    consecutive_failures: int


class EscalationRaised(Event, frozen=True, kw_only=True, tag="escalation_raised"):
    """A human is called and the task stops, for these triggers, or for none at the end of a ladder.

    ``diagnosis`` among them: two recoveries have failed, or there is none to try (DR-REC-07).
    """

    task: str
    triggers: tuple[str, ...]
    consecutive_failures: int


class SystemSilent(Event, frozen=True, kw_only=True, tag="system_silent"):
    """A system gave no answer to an operation, and the session went on with the careful one."""

    system: str
    operation: str
    why: str


class ClockStepped(Event, frozen=True, kw_only=True, tag="clock_stepped"):
    """The clock was set, by so many seconds; ``at`` is the time before it."""

    by_s: float


class StorageChanged(Event, frozen=True, kw_only=True, tag="storage_changed"):
    """The disk is full from now on, or no longer."""

    full: bool


class MachineRestarted(Event, frozen=True, kw_only=True, tag="machine_restarted"):
    """Whatever ran has ended, and begins again from what is on disk."""


class SessionCut(Event, frozen=True, kw_only=True, tag="session_cut", omit_defaults=True):
    """The session's process died, with whatever call it was in.

    ``changing`` is the path of the file that it was about to change, when it died in the middle of an operation.
    """

    changing: str = ""


class StopRequested(Event, frozen=True, kw_only=True, tag="stop_requested"):
    """The session asks to end; ``repeat`` is true when the stop before this one was blocked."""

    repeat: bool


class StopAnswered(Event, frozen=True, kw_only=True, tag="stop_answered"):
    """The gate's answer to a stop: approve or block, with its reasons."""

    decision: str
    reasons: tuple[str, ...]


SessionEvent = (
    CallBegun
    | CallEnded
    | CallPermitted
    | CallRefused
    | WaitBegun
    | BreakerTold
    | BreakerMoved
    | UseBegun
    | UseEnded
    | AttemptStarted
    | AttemptSucceeded
    | FailureObserved
    | FailureRecorded
    | FailureClassified
    | Diagnosed
    | RecoveryEnded
    | NonBlockingFailed
    | ErrorsReported
    | RetryScheduled
    | RetriesEnded
    | FellBack
    | EscalationRaised
    | SystemSilent
    | ClockStepped
    | StorageChanged
    | MachineRestarted
    | SessionCut
    | StopRequested
    | StopAnswered
    | TaskEvent
    | PlanEvent
)


class Anonymous:
    """Takes out of events what each implementation draws for itself: ids of records become the numbers of their order.

    Two records with one id keep having one, so that the digest of a stream still tells them from two, unless there are
    ``recent.MOST`` between them.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._count = 0

    def __call__(self, event: SessionEvent) -> SessionEvent:
        """The event without it."""
        if not isinstance(event, FailureRecorded) or not event.record_id:
            return event
        if event.record_id not in self._numbers:
            self._count += 1
            self._numbers[event.record_id] = self._count
            if len(self._numbers) > MOST:
                del self._numbers[next(iter(self._numbers))]
        return msgspec.structs.replace(event, record_id=f"record-{self._numbers[event.record_id]}")


def digest(events: tuple[SessionEvent, ...]) -> str:
    """The digest of a stream of events; two runs of one session on different ports have the same."""
    anonymous = Anonymous()
    stream: list[Any] = [msgspec.to_builtins(anonymous(event)) for event in events]
    return sha256_of(stream)
