"""What calls to models meet with: breakers, back-off and ladders, and the sessions that die in them."""

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    BreakerMoved,
    BreakerTold,
    CallBegun,
    CallEnded,
    CallPermitted,
    CallRefused,
    EscalationRaised,
    FailureObserved,
    FellBack,
    RecoveryEnded,
    RetriesEnded,
    RetryScheduled,
    SessionCut,
    UseBegun,
    UseEnded,
    WaitBegun,
)
from harness.runtime.trial import DONE
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.circuit_breaker.contract import Outcome, State
from harness.systems.fallback.contract import ESCALATE, Ladder, Trigger

SITUATIONS: Catalogue = {
    "retry-meets-an-open-breaker": Situation(
        "a retry that back-off allowed is refused by a breaker that has opened since", ("LK-RL-04", "LK-CB-13")
    ),
    "retry-succeeds": Situation("a retry after a rate limit succeeds", ("LK-RL-01", "LK-RL-04")),
    "local-tool-is-retried": Situation(
        "a local tool is limited, and backed off from without a breaker", ("LK-RL-02", "LK-RL-04")
    ),
    "back-off-gives-up-and-the-ladder-goes-on": Situation(
        "five retries fail, and the call goes on one rung down", ("LK-RL-06", "LK-FB-01")
    ),
    "session-dies-while-it-backs-off": Situation(
        "a session is cut between an allowed retry and its attempt", ("LK-RL-04", "LK-RC-01")
    ),
    "probe-is-lost-with-its-session": Situation(
        "a session is cut while its probe of a HALF_OPEN breaker is in flight", ("LK-CB-16", "LK-CB-18")
    ),
    "breaker-opens-with-calls-in-flight": Situation(
        "a breaker opens while another session's attempt at the same provider is in flight", ("LK-CB-10", "LK-CB-24")
    ),
    "late-success-meets-an-open-breaker": Situation(
        "an attempt that was let through succeeds when its breaker is OPEN", ("LK-CB-24",)
    ),
    "late-failure-meets-an-open-breaker": Situation(
        "an attempt that a CLOSED breaker let through fails when another one has opened it", ("LK-CB-24",)
    ),
    "probe-fails": Situation("a probe fails, and its breaker is OPEN again", ("LK-CB-21",)),
    "sessions-close-a-breaker-together": Situation(
        "a breaker closes after successful probes of more than one session", ("LK-CB-19", "LK-CB-27")
    ),
    "breaker-cannot-store-a-failure": Situation(
        "a breaker is told of a failure, and cannot write its state", ("LK-CB-10", "LK-CB-26")
    ),
    "urgent-call-falls-back-from-an-open-breaker": Situation(
        "a call goes one rung down without a failure, because its breaker is OPEN", ("LK-CB-13", "LK-FB-01")
    ),
    "call-waits-for-a-cooldown-and-probes": Situation(
        "a call waits for an OPEN breaker's cooldown and is let through as its probe", ("LK-RP-01", "LK-CB-16")
    ),
    "model-ladder-ends": Situation("the last model fails, and a human is called", ("LK-FB-01",)),
    "third-failure-calls-a-human": Situation("three failures of one task call a human", ("LK-FB-04",)),
    "unsure-call-is-a-humans": Situation(
        "a call is a human's before its first attempt, for its confidence", ("LK-FB-03",)
    ),
    "risky-call-is-a-humans": Situation("a call is a human's before its first attempt, for its risk", ("LK-FB-05",)),
    "one-call-meets-them-all": Situation(
        "one call is backed off from, refused, taken down a rung and recovered from, and then done",
        ("LK-RL-04", "LK-CB-13", "LK-FB-01", "DR-TRG-03"),
    ),
}
_RISKS = {Trigger.SECURITY_CRITICAL.value, Trigger.IRREVERSIBLE.value}


class _Call:
    """A call, or the use of a local tool, that is under way."""

    __slots__ = (
        "backs_off",
        "failures",
        "gave_up",
        "in_flight",
        "is_tool",
        "is_trying",
        "met",
        "refused",
        "state",
        "waits",
    )

    def __init__(self, *, is_tool: bool) -> None:
        self.is_tool = is_tool
        self.failures = 0
        self.in_flight = ""  # the provider of the attempt under way
        self.state = ""  # of its breaker when it let the attempt through
        self.is_trying = False  # an attempt is under way, whether a provider is asked or not
        self.backs_off = self.gave_up = self.waits = False
        self.refused = ""  # the state in which the breaker has refused last, since the last attempt
        self.met: set[type] = set()


class CallWatch:
    """Of all calls and uses."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._calls: dict[str, _Call] = {}
        self._states: dict[str, str] = {}  # of breakers, as they were seen last
        self._probers: dict[str, set[str]] = {}  # by provider: who has told of a good probe since it is HALF_OPEN
        self.takes: Takes = {
            CallBegun: self._begun,
            UseBegun: self._use_begun,
            CallPermitted: self._permitted,
            CallRefused: self._refused,
            WaitBegun: self._waiting,
            AttemptStarted: self._started,
            AttemptSucceeded: self._succeeded,
            FailureObserved: self._failed,
            BreakerTold: self._told,
            BreakerMoved: self._moved,
            RetryScheduled: self._scheduled,
            RetriesEnded: self._given_up,
            FellBack: self._fell_back,
            RecoveryEnded: self._recovered,
            EscalationRaised: self._escalated,
            CallEnded: self._ended,
            UseEnded: self._ended,
            SessionCut: self._cut,
        }

    def _begun(self, session: str, event: CallBegun) -> None:
        self._calls[session] = _Call(is_tool=False)

    def _use_begun(self, session: str, event: UseBegun) -> None:
        self._calls[session] = _Call(is_tool=True)

    def _permitted(self, session: str, event: CallPermitted) -> None:
        if (call := self._calls.get(session)) is not None:
            call.state = event.state
            if call.waits and event.state == State.HALF_OPEN:
                self._note("call-waits-for-a-cooldown-and-probes")
            call.waits = False

    def _refused(self, session: str, event: CallRefused) -> None:
        if (call := self._calls.get(session)) is None:
            return
        call.refused = event.state
        call.met.add(CallRefused)
        if call.backs_off and event.state == State.OPEN:
            self._note("retry-meets-an-open-breaker")
        call.backs_off = False

    def _waiting(self, session: str, event: WaitBegun) -> None:
        if (call := self._calls.get(session)) is not None and event.cause == "cooldown":
            call.waits = call.refused == State.OPEN

    def _started(self, session: str, event: AttemptStarted) -> None:
        if (call := self._calls.get(session)) is not None:
            call.in_flight = event.provider
            call.is_trying = True
            call.refused = ""

    def _succeeded(self, session: str, event: AttemptSucceeded) -> None:
        if (call := self._calls.get(session)) is not None:
            call.is_trying = False
            if call.backs_off:
                self._note("retry-succeeds")
            call.backs_off = False

    def _failed(self, session: str, event: FailureObserved) -> None:
        if (call := self._calls.get(session)) is not None:
            call.failures += 1
            call.is_trying = call.backs_off = False

    def _told(self, session: str, event: BreakerTold) -> None:
        call = self._calls.get(session)
        state = "" if call is None else call.state
        if call is not None:
            call.in_flight = ""
        if event.outcome == Outcome.SUCCESS:
            if event.state == State.OPEN:
                self._note("late-success-meets-an-open-breaker")
            elif event.state == State.HALF_OPEN:
                self._probers.setdefault(event.provider, set()).add(session)
        elif "state_write_failed" in event.trouble:
            self._note("breaker-cannot-store-a-failure")
        elif event.state == State.OPEN == self._states.get(event.provider) and state == State.CLOSED:
            self._note("late-failure-meets-an-open-breaker")

    def _moved(self, session: str, event: BreakerMoved) -> None:
        self._states[event.provider] = event.after
        if event.after == State.HALF_OPEN:
            self._probers.pop(event.provider, None)
        elif event.before == State.HALF_OPEN and event.after == State.OPEN:
            self._note("probe-fails")
        elif event.before == State.HALF_OPEN and self._probers.pop(event.provider, set()) - {session}:
            self._note("sessions-close-a-breaker-together")
        elif event.after == State.OPEN and any(
            call.in_flight == event.provider for other, call in self._calls.items() if other != session
        ):
            self._note("breaker-opens-with-calls-in-flight")

    def _scheduled(self, session: str, event: RetryScheduled) -> None:
        if (call := self._calls.get(session)) is not None:
            call.backs_off = True
            call.met.add(RetryScheduled)
            if call.is_tool:
                self._note("local-tool-is-retried")

    def _given_up(self, session: str, event: RetriesEnded) -> None:
        if (call := self._calls.get(session)) is not None:
            call.gave_up = True

    def _fell_back(self, session: str, event: FellBack) -> None:
        if (call := self._calls.get(session)) is None:
            return
        call.met.add(FellBack)
        if event.after == ESCALATE:
            if event.ladder == Ladder.MODEL:
                self._note("model-ladder-ends")
        elif call.gave_up:
            self._note("back-off-gives-up-and-the-ladder-goes-on")
        elif call.refused == State.OPEN:
            self._note("urgent-call-falls-back-from-an-open-breaker")
        call.gave_up, call.refused = False, ""

    def _recovered(self, session: str, event: RecoveryEnded) -> None:
        if (call := self._calls.get(session)) is not None and event.succeeded:
            call.met.add(RecoveryEnded)

    def _escalated(self, session: str, event: EscalationRaised) -> None:
        if Trigger.CONSECUTIVE_FAILURES in event.triggers:
            self._note("third-failure-calls-a-human")
        if (call := self._calls.get(session)) is not None and not call.failures:
            if Trigger.LOW_CONFIDENCE in event.triggers:
                self._note("unsure-call-is-a-humans")
            if _RISKS & set(event.triggers):
                self._note("risky-call-is-a-humans")

    def _ended(self, session: str, event: CallEnded | UseEnded) -> None:
        call = self._calls.pop(session, None)
        if call is not None and event.outcome == DONE and len(call.met) == len(_ALL):
            self._note("one-call-meets-them-all")

    def _cut(self, session: str, event: SessionCut) -> None:
        call = self._calls.pop(session, None)
        if call is None:
            return
        if call.in_flight and call.state == State.HALF_OPEN:
            self._note("probe-is-lost-with-its-session")
        if call.backs_off and not call.is_trying:
            self._note("session-dies-while-it-backs-off")


_ALL = (RetryScheduled, CallRefused, FellBack, RecoveryEnded)
