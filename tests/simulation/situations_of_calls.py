"""For each situation of calls, recoveries, stops and machines: a stream that shows it, and one that nearly does."""

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    BreakerMoved,
    BreakerTold,
    CallBegun,
    CallEnded,
    CallPermitted,
    CallRefused,
    ClockStepped,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureObserved,
    FailureRecorded,
    FellBack,
    MachineRestarted,
    NonBlockingFailed,
    RecoveryEnded,
    RetriesEnded,
    RetryScheduled,
    SessionCut,
    StopAnswered,
    StorageChanged,
    UseBegun,
    UseEnded,
    WaitBegun,
)
from harness.core.plan_events import PlanHalted
from harness.core.task_events import TaskAdopted, TaskClaimed, WorkerBegun
from tests.simulation.telling_events import of, told

CALL, USE = told(CallBegun), told(UseBegun)
DONE, USED = told(CallEnded, outcome="done"), told(UseEnded, outcome="done")
CUT, FULL, ROOM = told(SessionCut), told(StorageChanged, full=True), told(StorageChanged, full=False)
RESTART, BACK = told(MachineRestarted), told(ClockStepped, by_s=-1.0)
RETRY, FAILED, WELL = told(RetryScheduled), told(FailureObserved), told(AttemptSucceeded)
OPEN_REFUSES, HALF_REFUSES = told(CallRefused, state="OPEN"), told(CallRefused, state="HALF_OPEN")
LET, PROBE = told(CallPermitted, state="CLOSED"), told(CallPermitted, state="HALF_OPEN")
TRIED = told(AttemptStarted, provider="p")
DOWN = told(FellBack, ladder="model", before="opus", after="sonnet")
OPENED = told(BreakerMoved, before="CLOSED", after="OPEN")
HALF = told(BreakerMoved, before="OPEN", after="HALF_OPEN")
REOPENED = told(BreakerMoved, before="HALF_OPEN", after="OPEN")
CLOSED = told(BreakerMoved, before="HALF_OPEN", after="CLOSED")
GOOD_PROBE = told(BreakerTold, outcome="success", state="HALF_OPEN")
LAST_PROBE = told(BreakerTold, outcome="success", state="CLOSED")
LATE_FAILURE = told(BreakerTold, outcome="failure", state="OPEN")
UNWRITTEN = ("lock_failed", "state_write_failed")


def escalated(*triggers):
    return told(EscalationRaised, triggers=triggers)


def ended(*, succeeded, strategy="a", following=""):
    return told(RecoveryEnded, strategy=strategy, succeeded=succeeded, next_strategy=following)


def diagnosed(strategy="a", reflection="fast", error_type=""):
    return told(Diagnosed, strategy=strategy, reflection=reflection, error_type=error_type)


def trying(strategy="a"):
    return told(AttemptStarted, strategy=strategy)


def answered(decision, *reasons):
    return told(StopAnswered, decision=decision, reasons=reasons)


COOLDOWN = told(WaitBegun, cause="cooldown")
TWO_FAILED = [
    [USE, FAILED, diagnosed("a"), trying("a"), FAILED, ended(succeeded=False, following="b")],
    [trying("b"), FAILED, ended(succeeded=False, strategy="b")],
]
MET = [CALL, RETRY, OPEN_REFUSES, DOWN]

CALLS = {
    "retry-meets-an-open-breaker": ([CALL, RETRY, OPEN_REFUSES], [CALL, RETRY, HALF_REFUSES]),
    "retry-succeeds": ([CALL, RETRY, TRIED, WELL], [CALL, RETRY, OPEN_REFUSES, DOWN, TRIED, WELL]),
    "local-tool-is-retried": ([USE, RETRY], [CALL, RETRY]),
    "back-off-gives-up-and-the-ladder-goes-on": (
        [CALL, told(RetriesEnded), DOWN],
        [CALL, told(RetriesEnded), told(FellBack, ladder="model", after="escalate")],
    ),
    "session-dies-while-it-backs-off": ([CALL, RETRY, CUT], [CALL, RETRY, TRIED, CUT]),
    "probe-is-lost-with-its-session": (
        [CALL, PROBE, TRIED, CUT],
        [CALL, PROBE, TRIED, GOOD_PROBE, CUT],
    ),
    "breaker-opens-with-calls-in-flight": (
        [of("b", CALL, LET, TRIED), CALL, LET, OPENED],
        [of("b", CALL, LET, told(AttemptStarted, provider="q")), CALL, LET, TRIED, OPENED],
    ),
    "late-success-meets-an-open-breaker": (
        [CALL, told(BreakerTold, outcome="success", state="OPEN")],
        [CALL, LATE_FAILURE],
    ),
    "late-failure-meets-an-open-breaker": (
        [of("b", OPENED), CALL, LET, TRIED, LATE_FAILURE],
        [CALL, LET, TRIED, LATE_FAILURE, OPENED],
    ),
    "probe-fails": ([HALF, REOPENED], [HALF, CLOSED, OPENED]),
    "sessions-close-a-breaker-together": (
        [HALF, of("b", GOOD_PROBE), GOOD_PROBE, LAST_PROBE, CLOSED],
        [of("b", GOOD_PROBE), HALF, GOOD_PROBE, GOOD_PROBE, LAST_PROBE, CLOSED],
    ),
    "breaker-cannot-store-a-failure": (
        [told(BreakerTold, outcome="failure", state="CLOSED", trouble=UNWRITTEN)],
        [told(BreakerTold, outcome="success", state="CLOSED", trouble=UNWRITTEN)],
    ),
    "urgent-call-falls-back-from-an-open-breaker": (
        [CALL, OPEN_REFUSES, DOWN],
        [CALL, OPEN_REFUSES, LET, TRIED, FAILED, DOWN],
    ),
    "call-waits-for-a-cooldown-and-probes": (
        [CALL, OPEN_REFUSES, COOLDOWN, PROBE],
        [CALL, HALF_REFUSES, COOLDOWN, PROBE],
    ),
    "model-ladder-ends": (
        [CALL, told(FellBack, ladder="model", after="escalate")],
        [CALL, told(FellBack, ladder="workflow", after="escalate")],
    ),
    "third-failure-calls-a-human": ([CALL, escalated("consecutive_failures")], [CALL, escalated("diagnosis")]),
    "unsure-call-is-a-humans": (
        [CALL, escalated("low_confidence")],
        [CALL, FAILED, escalated("low_confidence")],
    ),
    "risky-call-is-a-humans": (
        [CALL, escalated("irreversible")],
        [CALL, FAILED, escalated("irreversible")],
    ),
    "one-call-meets-them-all": (
        [*MET, ended(succeeded=True), DONE],
        [*MET, ended(succeeded=False), DONE],
    ),
}
RECOVERIES = {
    "fast-path-helps": (
        [USE, FAILED, diagnosed(), trying(), ended(succeeded=True)],
        [USE, FAILED, diagnosed(reflection="full"), trying(), ended(succeeded=True)],
    ),
    "fast-path-does-not-help": (
        [USE, FAILED, diagnosed(), trying(), FAILED, diagnosed("b", "full"), ended(succeeded=False)],
        [USE, FAILED, diagnosed("b", "full"), trying("b"), FAILED, diagnosed("a"), ended(succeeded=False)],
    ),
    "one-session-learns-from-another": (
        [of("b", USE, trying(), WELL), USE, diagnosed()],
        [USE, trying(), WELL, diagnosed()],
    ),
    "second-recovery-helps": (
        [USE, trying(), ended(succeeded=False), trying("b"), ended(succeeded=True)],
        [USE, trying(), ended(succeeded=False), USED, USE, trying("b"), ended(succeeded=True)],
    ),
    "two-recoveries-fail-and-the-user-is-asked": (
        [TWO_FAILED, escalated("diagnosis")],
        [USE, FAILED, trying(), FAILED, ended(succeeded=False), escalated("diagnosis")],
    ),
    "diagnosis-asks-before-the-third-failure": (
        [CALL, FAILED, escalated("diagnosis")],
        [CALL, FAILED, FAILED, FAILED, escalated("diagnosis")],
    ),
    "diagnosis-and-third-failure-agree": (
        [CALL, escalated("consecutive_failures", "diagnosis")],
        [CALL, escalated("consecutive_failures")],
    ),
    "session-dies-in-a-recovery": ([USE, trying(), CUT], [USE, trying(), ended(succeeded=True), CUT]),
    "failure-is-not-stored-on-a-full-disk": (
        [FULL, told(FailureRecorded, stored=False)],
        [FULL, ROOM, told(FailureRecorded, stored=False)],
    ),
    "work-succeeds-without-a-log": (
        [USE, told(FailureRecorded, stored=False), USED],
        [USE, told(FailureRecorded, stored=False), told(UseEnded, outcome="escalated")],
    ),
    "several-failures-beside-the-work-are-reported": (
        [told(ErrorsReported, names=("a", "b"))],
        [told(ErrorsReported, names=("a",))],
    ),
    "failure-beside-the-work-is-lost-with-its-session": (
        [told(NonBlockingFailed), CUT],
        [told(NonBlockingFailed), told(ErrorsReported), CUT],
    ),
}
HOLDING = [told(WorkerBegun), told(TaskClaimed), told(ErrorsReported)]
STOPS = {
    "stop-is-blocked-then-granted": (
        [answered("block"), answered("approve", "complete")],
        [of("b", answered("block")), answered("approve", "complete")],
    ),
    "stop-is-granted-without-a-transcript": (
        [answered("approve", "transcript_missing")],
        [answered("approve", "empty_transcript")],
    ),
    "stop-is-granted-because-the-transcript-cannot-be-read": (
        [answered("approve", "transcript_unreadable")],
        [answered("approve", "transcript_missing")],
    ),
    "stop-is-granted-on-a-full-disk": ([FULL, answered("approve")], [FULL, answered("block"), ROOM]),
    "stop-is-granted-after-a-halt": (
        [told(PlanHalted), answered("approve")],
        [of("b", told(PlanHalted)), answered("approve")],
    ),
    "task-outlives-its-session": (
        [HOLDING, of("b", told(WorkerBegun), told(TaskAdopted))],
        [told(WorkerBegun), told(TaskClaimed), CUT, of("b", told(WorkerBegun), told(TaskAdopted))],
    ),
    "session-dies-while-its-stop-is-blocked": (
        [answered("block"), CUT],
        [answered("block"), answered("approve"), CUT],
    ),
}
MACHINES = {
    "clock-back-while-a-breaker-is-open": ([OPENED, BACK], [OPENED, HALF, BACK]),
    "clock-forward-over-a-cooldown": (
        [OPENED, told(ClockStepped, 100.0, by_s=200.0)],
        [OPENED, told(ClockStepped, 100.0, by_s=199.0)],
    ),
    "restart-while-a-breaker-is-open": ([OPENED, RESTART], [OPENED, HALF, RESTART]),
    "restart-while-a-breaker-is-half-open": ([HALF, RESTART], [HALF, REOPENED, RESTART]),
    "restart-while-the-disk-is-full": ([FULL, RESTART], [FULL, ROOM, RESTART]),
    "disk-fills-while-a-breaker-is-open": ([OPENED, FULL], [FULL, OPENED]),
}
CASES = {**CALLS, **RECOVERIES, **STOPS, **MACHINES}
