"""For each situation of tasks, humans and drifts: a stream that shows it, and one that nearly does."""

from harness.core.events import CallRefused, ClockStepped, MachineRestarted, SessionCut, StorageChanged, UseBegun
from harness.core.task_events import (
    DeadLettersReviewed,
    DriftReported,
    DriftReviewed,
    FailureCounted,
    HumanDecided,
    NothingClaimed,
    OperationBegun,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    SignalConsumed,
    SignalEmitted,
    TaskAdopted,
    TaskAttempted,
    TaskClaimed,
    TaskCompleted,
    TaskReleased,
    WorkerBegun,
)
from tests.simulation.telling_events import HOUR_S, of, told

BEGUN, OTHER = told(WorkerBegun), told(WorkerBegun, worker="b")
CLAIMED, ADOPTED, USING = told(TaskClaimed), told(TaskAdopted), told(UseBegun)
CUT, RESTART = told(SessionCut), told(MachineRestarted)
FULL, ROOM = told(StorageChanged, full=True), told(StorageChanged, full=False)
RESUMED = told(SessionResumed, outcome="recovered", interrupted=("t",))
COMPLETED = told(TaskCompleted, outcome="completed")
TRIED = told(TaskAttempted, succeeded=False)
COUNTED, DEAD = told(FailureCounted, failure_count=1), told(FailureCounted, failure_count=5, moved=True)
PUT_OFF, PUT_DOWN = told(OperationBegun, performed=False), told(OperationBegun, performed=True)
RAISED = told(SignalEmitted, signal="FEATURE_READY", name="t")
HANDLED = told(SignalConsumed, signal="FEATURE_READY", name="t", handled=True)
LOOKED = told(SignalConsumed, signal="FEATURE_READY", name="t", handled=False)
LETTERS = "/home/agent/.loki/queue/dead-letter.json"

ASKED, UNASKED = told(ReviewRequested), told(ReviewRequested, stored=False, blocked=False)
NOTHING_DUE = told(ReviewsChecked)


def decided(decision, s=0.0, *, done=True, task="t"):
    return told(HumanDecided, s, task=task, decision=decision, done=done)


def resolved(decision, timed_out=(), task="t"):
    return told(ReviewsChecked, resolved={task: decision}, timed_out=timed_out)


def reviewed(verdict="retried", **said):
    return told(DeadLettersReviewed, decided={"t": verdict}, **said)


def drifted(severity="high", actions=("pause",), **said):
    return told(DriftReported, severity=severity, actions=actions, **said)


LATE = told(ReviewsChecked, timed_out=("t",))
WORKED = [BEGUN, CLAIMED, USING, CUT]
AGAIN = of("s-2", BEGUN, RESUMED, ADOPTED)
LEFT = told(DeadLettersReviewed, reviewed=False)
PASSED, UNPASSED = told(DriftReviewed, passed=True), told(DriftReviewed, passed=False)

TASKS = {
    "session-dies-between-claim-and-first-attempt": ([BEGUN, CLAIMED, CUT], WORKED),
    "interrupted-task-is-completed": (
        [WORKED, AGAIN, of("s-2", COMPLETED)],
        [BEGUN, CLAIMED, CUT, AGAIN, of("s-2", COMPLETED)],
    ),
    "session-dies-before-it-has-claimed-again": (
        [WORKED, AGAIN, of("s-2", CUT)],
        [WORKED, AGAIN, of("s-2", USING, CUT)],
    ),
    "resume-finds-what-others-hold": (
        [of("b", OTHER, CLAIMED), BEGUN, RESUMED],
        [of("b", OTHER, CLAIMED, told(TaskReleased)), BEGUN, RESUMED],
    ),
    "restart-cuts-several-tasks": (
        [BEGUN, CLAIMED, of("b", OTHER, told(TaskClaimed, task="u")), CUT, of("b", CUT), RESTART],
        [BEGUN, CLAIMED, of("b", OTHER), CUT, of("b", CUT), RESTART],
    ),
    "nothing-can-be-claimed-on-a-full-disk": (
        [FULL, told(NothingClaimed, outcome="failed")],
        [FULL, told(NothingClaimed, outcome="none")],
    ),
    "failure-is-not-counted-on-a-full-disk": (
        [FULL, told(FailureCounted, recorded=False, failure_count=None)],
        [told(FailureCounted, recorded=False, failure_count=None)],
    ),
    "task-is-put-down-at-a-later-try": (
        [BEGUN, CLAIMED, PUT_OFF, PUT_DOWN, COMPLETED],
        [BEGUN, CLAIMED, PUT_OFF, PUT_DOWN, told(TaskCompleted, outcome="failed", recorded=False)],
    ),
    "phase-is-claimed-by-another-worker": (
        [BEGUN, CLAIMED, told(TaskReleased)],
        [BEGUN, CLAIMED, USING, told(TaskReleased)],
    ),
    "signal-crosses-workers": (
        [BEGUN, RAISED, of("b", OTHER, HANDLED)],
        [BEGUN, RAISED, of("b", BEGUN, HANDLED)],
    ),
    "signal-lies-unread-across-a-restart": (
        [BEGUN, RAISED, RESTART, of("b", BEGUN, HANDLED)],
        [BEGUN, RAISED, RESTART, of("b", BEGUN, LOOKED)],
    ),
    "signal-is-handled-at-a-later-look": ([BEGUN, RAISED, LOOKED, HANDLED], [BEGUN, LOOKED, RAISED, HANDLED]),
    "session-dies-between-failure-and-count": ([BEGUN, CLAIMED, TRIED, CUT], [BEGUN, CLAIMED, TRIED, COUNTED, CUT]),
    "session-dies-in-the-move-of-a-dead-letter": (
        [BEGUN, CLAIMED, TRIED, told(SessionCut, changing=LETTERS)],
        [BEGUN, CLAIMED, TRIED, COUNTED, told(SessionCut, changing=LETTERS)],
    ),
    "session-dies-between-checkpoint-and-end": (
        [BEGUN, CLAIMED, PUT_DOWN, CUT],
        [BEGUN, CLAIMED, PUT_OFF, CUT],
    ),
}
HUMANS = {
    "two-tasks-wait-for-humans": (
        [ASKED, told(ReviewRequested, task="u")],
        [ASKED, decided("clarified"), told(ReviewRequested, task="u")],
    ),
    "human-is-asked-again-when-the-request-was-not-stored": ([UNASKED, ASKED], [UNASKED, COMPLETED, ASKED]),
    "human-is-asked-twice-of-one-task": ([ASKED, decided("clarified"), ASKED], [ASKED, ASKED]),
    "decision-is-written-at-a-later-try": (
        [ASKED, decided("approved", done=False), decided("approved")],
        [ASKED, decided("approved", done=False), decided("approved", task="u")],
    ),
    "clarified-task-is-completed": (
        [ASKED, decided("clarified"), COMPLETED],
        [decided("clarified"), COMPLETED],
    ),
    "approved-task-is-completed": ([ASKED, resolved("approved"), COMPLETED], [ASKED, decided("approved"), COMPLETED]),
    "human-rejects": ([ASKED, resolved("rejected")], [ASKED, decided("rejected")]),
    "human-cancels": ([ASKED, decided("cancelled")], [ASKED, decided("cancelled", done=False)]),
    "review-times-out": ([ASKED, LATE], [ASKED, NOTHING_DUE]),
    "review-times-out-during-a-resume": ([ASKED, RESUMED, LATE], [ASKED, RESUMED, NOTHING_DUE, LATE]),
    "review-times-out-beside-a-decision": (
        [ASKED, resolved("approved", ("u",))],
        [ASKED, resolved("approved", ("t",))],
    ),
    "decision-comes-too-late": (
        [ASKED, decided("approved", 24 * HOUR_S + 1)],
        [ASKED, decided("approved", 24 * HOUR_S)],
    ),
    "request-and-decision-lie-across-a-restart": (
        [ASKED, RESTART, decided("approved")],
        [RESTART, ASKED, decided("approved")],
    ),
    "clock-back-while-a-review-waits": (
        [ASKED, told(ClockStepped, by_s=-1.0)],
        [ASKED, LATE, told(ClockStepped, by_s=-1.0)],
    ),
    "fifth-failure-makes-a-dead-letter": ([DEAD], [told(FailureCounted, failure_count=5)]),
    "dead-letter-is-tried-again-and-completed": ([DEAD, reviewed(), COMPLETED], [DEAD, reviewed("left"), COMPLETED]),
    "dead-letter-dies-again": ([DEAD, reviewed(), DEAD], [DEAD, reviewed("left"), DEAD]),
    "unanswered-task-is-tried-again": ([ASKED, LATE, reviewed()], [ASKED, DEAD, reviewed()]),
    "dead-letter-needs-a-human": ([reviewed("human", notified=("t",))], [reviewed("human")]),
    "dead-letter-is-abandoned-by-a-human": (
        [DEAD, decided("abandoned")],
        [DEAD, decided("abandoned", done=False)],
    ),
    "dead-letter-is-abandoned-by-rule": ([reviewed("abandoned")], [reviewed("abandoned", unstored=("t",))]),
    "dead-letter-of-reduced-scope": ([reviewed(created=("t-2",))], [reviewed()]),
    "dead-letters-are-reviewed-after-a-resume": ([RESUMED, reviewed()], [RESUMED, LEFT, NOTHING_DUE, reviewed()]),
    "decision-about-a-dead-letter-is-not-stored": ([reviewed(unstored=("t",))], [reviewed()]),
}
DRIFTS = {
    "second-drift-is-escalated": ([drifted("low", ("escalate",))], [drifted("low", ("warn",))]),
    "third-drift-is-consolidated": (
        [drifted("low", ("escalate", "consolidate"))],
        [drifted("low", ("escalate",))],
    ),
    "drifts-of-two-sessions-add-up": (
        [drifted("low", ("warn",)), of("b", drifted("low", ("escalate",)))],
        [drifted("low", ("warn",)), drifted("low", ("escalate",))],
    ),
    "two-severe-drifts-of-one-task": ([drifted(), PASSED, drifted("critical")], [drifted(), PASSED, drifted("medium")]),
    "drift-is-not-stored-on-a-full-disk": ([FULL, drifted(stored=False)], [FULL, ROOM, drifted(stored=False)]),
    "reviewer-passes-a-severe-drift": ([drifted(), PASSED], [drifted(), UNPASSED]),
    "drift-is-not-passed-and-a-human-is-asked": ([drifted(), UNPASSED, ASKED], [drifted(), PASSED, ASKED]),
    "reviewer-of-a-drift-meets-an-open-breaker": (
        [drifted(), told(CallRefused, state="OPEN")],
        [drifted("low"), told(CallRefused, state="OPEN")],
    ),
    "session-dies-while-a-drift-is-reviewed": ([drifted(), CUT], [drifted(), PASSED, CUT]),
}
CASES = {**TASKS, **HUMANS, **DRIFTS}
