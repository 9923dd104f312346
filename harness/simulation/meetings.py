"""Which of the twelve systems meet in a simulation, and which of their mechanisms. Pure: a stream of events in.

A *mechanism* fires when its system does something beyond the answer that it gives when all is well: a breaker refuses,
moves or lets a probe through, back-off schedules or gives up, a ladder steps down or calls a human, a failure is
logged, reported, diagnosed, recovered from or counted, a dead letter is made or decided about, a signal, a request or
a drift is raised or handled, a recovery resumes something, a phase is launched or the plan over, a review blocks or
passes, a claim is weighed, a stop is blocked. A call that is let through CLOSED, a claim of a task that is there, a
checkpoint that is written or a stop of a finished session are none.

Two mechanisms *meet*, in that order, when the second fires in the session of the first, at most WINDOW events of that
session later. The next session of a worker whose session was cut goes on with its window, since it takes up what was
interrupted; one that ended by itself leaves none. WINDOW is about what one attempt at a task takes, so that whatever
meets does so in one piece of work, and neither a whole session nor a whole day is one meeting. A pair counts once a
window: a burst is one meeting. That systems meet otherwise through what they share on disk, over sessions, is not
counted; the counts are of meetings there are at least.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, Final, NamedTuple

from harness.core.events import (
    BreakerMoved,
    CallPermitted,
    CallRefused,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureRecorded,
    FellBack,
    RecoveryEnded,
    RetriesEnded,
    RetryScheduled,
    SessionCut,
    SessionEvent,
    StopAnswered,
)
from harness.core.plan_events import (
    ClaimWeighed,
    CodeReviewed,
    PhaseLaunched,
    PhaseVerified,
    PlanCompleted,
    PlanHalted,
)
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
    WorkerBegun,
)
from harness.runtime.witness import ASKED
from harness.simulation.systems import IN_A_SESSION
from harness.systems.circuit_breaker.contract import State
from harness.systems.diagnosis.contract import Reflection
from harness.systems.fallback.contract import ESCALATE
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, LaunchKind
from harness.systems.review_gate.contract import Decision as Passing
from harness.systems.session_recovery.contract import Claimed
from harness.systems.stop_gate.contract import Decision as Stopping

WINDOW: Final = 64
"""Events of one session within which mechanisms meet."""
BUCKETS: Final = (1, 2, 4, 8, 16, 32, 64, 128)
"""How often a pair has met in a run, as features tell it: at least so often."""
PAIRS: Final = tuple(combinations(sorted(IN_A_SESSION), 2))
"""All unordered pairs of systems, each in the order of the alphabet."""

_NEVER: Final = -WINDOW - 1  # before any event of a session
COMPLETE: Final = "complete"  # the reason of a stop whose session has done its work


class Mechanism(NamedTuple):
    """What has fired, and in which of IN_A_SESSION."""

    system: str
    name: str


def _of(system: str, *names: str) -> tuple[Mechanism, ...]:
    return tuple(Mechanism(system, name) for name in names)


STOP_BLOCKED, STOP_UNREAD = _of("stop_gate", "stop blocked", "stop granted without its transcript")
REFUSED, PROBING, OPENED, HALF_OPENED, CLOSED = _of(
    "circuit_breaker", "breaker refused", "probe let through", "breaker opened", "breaker half-opened", "breaker closed"
)
RETRYING, GAVE_UP = _of("rate_limit", "retry scheduled", "retries ended")
MODEL_DOWN, WORKFLOW_DOWN, LADDER_ENDED, HUMAN_CALLED = _of(
    "fallback", "model ladder stepped down", "workflow ladder stepped down", "ladder ended", "ladder called a human"
)
LOGGED, UNLOGGED, REPORTED = _of("error_log", "failure logged", "failure not stored", "failures reported")
FULL, FAST, HELPED, FAILED, USER_ASKED = _of(
    "diagnosis", "diagnosed in full", "diagnosed fast", "recovery helped", "recovery failed", "diagnosis asked the user"
)
COUNTED, UNCOUNTED, DEAD, LETTERS = _of(
    "dead_letter", "failure counted", "failure not counted", "dead letter made", "dead letters reviewed"
)
RAISED, HANDLED, ASKED_FOR, DRIFTED, RESOLVED, TIMED_OUT = _of(
    "signals", "signal raised", "signal handled", "human asked", "drift told", "review resolved", "review timed out"
)
RESUMED, UNCLAIMED, PUT_OFF = _of("session_recovery", "session resumed", "claim failed", "operation put off")
LAUNCHED, RELAUNCHED, VERIFYING, UNVERIFIED, HALTED, COMPLETED = _of(
    "phase_runner",
    "phase launched",
    "phase retried",
    "verification launched",
    "verification failed",
    "plan halted",
    "plan completed",
)
BLOCKING, PASSED, SENT_AGAIN = _of("review_gate", "review blocked", "review passed", "reviewer launched again")
WEIGHED, DOUBTED = _of("rationalization", "claim weighed", "claim doubted")

_MOVED: Mapping[str, Mechanism] = {State.OPEN: OPENED, State.HALF_OPEN: HALF_OPENED, State.CLOSED: CLOSED}
_REFLECTED: Mapping[str, Mechanism] = {Reflection.FULL: FULL, Reflection.FAST: FAST}


def _stop(event: StopAnswered) -> Mechanism | None:
    if event.decision == Stopping.BLOCK:
        return STOP_BLOCKED
    return None if COMPLETE in event.reasons else STOP_UNREAD


def _stepped_down(event: FellBack) -> Mechanism:
    if event.after == ESCALATE:
        return LADDER_ENDED
    return MODEL_DOWN if event.ladder == "model" else WORKFLOW_DOWN


def _recorded(event: FailureRecorded) -> Mechanism:
    return LOGGED if event.stored else UNLOGGED


def _counted(event: FailureCounted) -> Mechanism:
    return DEAD if event.moved else COUNTED if event.recorded else UNCOUNTED


def _checked(event: ReviewsChecked) -> Mechanism | None:
    return TIMED_OUT if event.timed_out else RESOLVED if event.resolved else None


def _launched(event: PhaseLaunched) -> Mechanism:
    if event.kind == LaunchKind.VERIFICATION:
        return VERIFYING
    return RELAUNCHED if event.attempt == MAX_ATTEMPTS else LAUNCHED


def _reviewed(event: CodeReviewed) -> Mechanism | None:
    if not event.accepted:
        return None
    if event.operation == "status":
        return SENT_AGAIN if event.launched else None
    return {Passing.BLOCKED.value: BLOCKING, Passing.PASSED.value: PASSED}.get(event.decision)


_Fired = Callable[[Any], Mechanism | None]
_MECHANISMS: Mapping[type, _Fired] = {
    StopAnswered: _stop,
    CallRefused: lambda event: REFUSED,
    CallPermitted: lambda event: PROBING if event.state == State.HALF_OPEN else None,
    BreakerMoved: lambda event: _MOVED.get(event.after),
    RetryScheduled: lambda event: RETRYING,
    RetriesEnded: lambda event: GAVE_UP,
    FellBack: _stepped_down,
    EscalationRaised: lambda event: USER_ASKED if event.triggers == (ASKED,) else HUMAN_CALLED,
    FailureRecorded: _recorded,
    ErrorsReported: lambda event: REPORTED if event.names else None,
    Diagnosed: lambda event: _REFLECTED.get(event.reflection),
    RecoveryEnded: lambda event: HELPED if event.succeeded else FAILED,
    FailureCounted: _counted,
    DeadLettersReviewed: lambda event: LETTERS if event.reviewed else None,
    SignalEmitted: lambda event: RAISED if event.written else None,
    SignalConsumed: lambda event: HANDLED if event.handled else None,
    ReviewRequested: lambda event: ASKED_FOR if event.stored else None,
    DriftReported: lambda event: DRIFTED,
    ReviewsChecked: _checked,
    SessionResumed: lambda event: RESUMED if event.interrupted else None,
    NothingClaimed: lambda event: UNCLAIMED if event.outcome == Claimed.FAILED else None,
    OperationBegun: lambda event: None if event.performed else PUT_OFF,
    PhaseLaunched: _launched,
    PhaseVerified: lambda event: None if event.passed else UNVERIFIED,
    PlanHalted: lambda event: HALTED,
    PlanCompleted: lambda event: COMPLETED,
    CodeReviewed: _reviewed,
    ClaimWeighed: lambda event: WEIGHED if event.proceeds else DOUBTED,
}


def fired(event: SessionEvent) -> Mechanism | None:
    """The mechanism whose firing this event tells of; None when it tells of none."""
    told = _MECHANISMS.get(type(event))
    return None if told is None else told(event)


class _Session:
    """What has fired in a session, each with the number of the event of that session that told it."""

    __slots__ = ("at", "counted", "fired")

    def __init__(self) -> None:
        self.at = 0
        self.fired: dict[Mechanism, int] = {}  # the last time
        self.counted: dict[tuple[str, str], int] = {}  # by pair of systems, and of names of mechanisms


class Meetings:
    """Watches all sessions of a simulation.

    ``pairs`` counts for two systems how often a mechanism of the second met one of the first that had fired before it.
    """

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str, str]] = Counter()
        self._mechanisms: Counter[tuple[str, str]] = Counter()
        self._sessions: dict[str, _Session] = {}
        self._workers: dict[str, str] = {}  # by session
        self._cut: dict[str, _Session] = {}  # the last session of a worker, when it was cut

    def take(self, session: str, event: SessionEvent) -> None:
        """One more event; what befalls a session counts, and with its death it is over, but for its worker's next."""
        seen = self._sessions.get(session)
        if seen is None:
            seen = self._sessions[session] = self._begun(session, event)
        seen.at += 1
        told = _MECHANISMS.get(type(event))
        if told is not None and (mechanism := told(event)) is not None:
            self._meets(seen, mechanism)
        elif type(event) is SessionCut:
            worker = self._workers.get(session)
            self.forget(session)
            if worker is not None:
                self._cut[worker] = seen

    def _begun(self, session: str, event: SessionEvent) -> _Session:
        """A session begins; one that a worker begins after a cut goes on with what was cut."""
        if type(event) is not WorkerBegun:
            return _Session()
        self._workers[session] = event.worker
        return self._cut.pop(event.worker, None) or _Session()

    def _meets(self, seen: _Session, mechanism: Mechanism) -> None:
        oldest, gone = seen.at - WINDOW, []
        for before, at in seen.fired.items():
            if at < oldest:
                gone.append(before)
                continue
            self._count(seen, self._mechanisms, (before.name, mechanism.name), oldest)
            if before.system != mechanism.system:
                self._count(seen, self.pairs, (before.system, mechanism.system), oldest)
        for before in gone:
            del seen.fired[before]
        seen.fired[mechanism] = seen.at

    def _count(self, seen: _Session, counts: Counter[tuple[str, str]], pair: tuple[str, str], oldest: int) -> None:
        if seen.counted.get(pair, _NEVER) < oldest:
            seen.counted[pair] = seen.at
            counts[pair] += 1

    def forget(self, session: str) -> None:
        """The session is over."""
        self._sessions.pop(session, None)
        self._workers.pop(session, None)

    def unordered(self) -> dict[tuple[str, str], int]:
        """How often each of PAIRS has met, whichever fired first."""
        return {pair: self.pairs[pair] + self.pairs[pair[::-1]] for pair in PAIRS}

    def features(self) -> frozenset[str]:
        """What this run has shown: each ordered pair of mechanisms that met, with each of BUCKETS that it reached.

        A run with more meetings of a pair has all features of one with fewer, so a campaign that keeps what shows
        something new keeps few.
        """
        return frozenset(
            f"{before} > {after}, {bucket}"
            for (before, after), count in self._mechanisms.items()
            for bucket in BUCKETS
            if bucket <= count
        )
