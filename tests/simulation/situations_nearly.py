"""More streams that nearly show a situation, and some that do show it in spite of something: each kills a mutant."""

from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    BreakerTold,
    CallEnded,
    CallRefused,
    ClockStepped,
    EscalationRaised,
    FailureRecorded,
    MachineRestarted,
    SessionCut,
    UseBegun,
    WaitBegun,
)
from harness.core.plan_events import ClaimWeighed, CodeReviewBegun, PhaseReported, PhaseVerified
from harness.core.task_events import (
    DeadLettersReviewed,
    HumanDecided,
    NothingClaimed,
    ReviewRequested,
    SignalEmitted,
    TaskAttempted,
    TaskClaimed,
)
from tests.simulation import situations_of_calls as c
from tests.simulation import situations_of_plans as p
from tests.simulation import situations_of_tasks as t
from tests.simulation.telling_events import of, told

TRYING = [c.USE, c.FAILED, c.diagnosed(reflection="full"), c.trying()]
LATER = of("b", p.working(), p.REVIEW, p.reviewing("report", "passed"))
AGAIN = [t.AGAIN, of("s-2", t.COMPLETED)]
UNREAD = (
    "transcript_missing",
    "transcript_unreadable",
    "transcript_too_large",
    "too_many_invalid_lines",
    "empty_transcript",
)
AT_LAST = [p.FIRST, p.claimed(), p.verified()]
TOLD = p.OPENED[0]
OTHERS = of("b", t.OTHER, told(TaskClaimed, task="u"))

NEARLY = [
    ("call-waits-for-a-cooldown-and-probes", [c.CALL, c.OPEN_REFUSES, c.COOLDOWN, c.LET]),
    ("call-waits-for-a-cooldown-and-probes", [c.CALL, c.OPEN_REFUSES, told(WaitBegun, cause="back_off"), c.PROBE]),
    ("retry-meets-an-open-breaker", [c.CALL, c.OPEN_REFUSES]),
    ("sessions-close-a-breaker-together", [c.HALF, of("b", c.LAST_PROBE), c.GOOD_PROBE, c.LAST_PROBE, c.CLOSED]),
    ("sessions-close-a-breaker-together", [of("b", c.GOOD_PROBE), told(BreakerMoved, before="OPEN", after="CLOSED")]),
    ("late-failure-meets-an-open-breaker", [of("b", c.OPENED), c.CALL, c.PROBE, c.TRIED, c.LATE_FAILURE]),
    ("probe-fails", [c.OPENED]),
    (
        "breaker-opens-with-calls-in-flight",
        [of("b", c.CALL, c.LET, c.TRIED), told(BreakerMoved, before="OPEN", after="CLOSED")],
    ),
    ("unsure-call-is-a-humans", [c.CALL, c.escalated("irreversible")]),
    ("risky-call-is-a-humans", [c.CALL, c.escalated("low_confidence")]),
    ("one-call-meets-them-all", [*c.MET, c.ended(succeeded=True), told(CallEnded, outcome="escalated")]),
    ("probe-is-lost-with-its-session", [c.CALL, c.LET, c.TRIED, c.CUT]),
    ("session-dies-while-it-backs-off", [c.CALL, c.CUT]),
    ("failure-is-not-stored-on-a-full-disk", [c.FULL, told(FailureRecorded, stored=True)]),
    ("fast-path-helps", [TRYING, c.FAILED, c.diagnosed(), c.trying(), c.ended(succeeded=True)]),
    ("one-session-learns-from-another", [of("b", c.USE, c.trying(), c.WELL), c.USE, c.diagnosed(reflection="full")]),
    (
        "one-session-learns-from-another",
        [of("b", c.USE, told(AttemptStarted), c.WELL), c.USE, c.diagnosed("")],
    ),
    (
        "second-recovery-helps",
        [c.USE, c.trying(), c.ended(succeeded=False), c.trying("b"), c.ended(succeeded=False)],
    ),
    ("two-recoveries-fail-and-the-user-is-asked", [c.TWO_FAILED, c.escalated("low_confidence")]),
    ("work-succeeds-without-a-log", [c.USE, c.FAILED, c.USED]),
    ("stop-is-granted-on-a-full-disk", [c.answered("approve")]),
    ("nothing-can-be-claimed-on-a-full-disk", [told(NothingClaimed, outcome="failed")]),
    ("interrupted-task-is-completed", [t.WORKED, of("s-2", t.BEGUN, t.ADOPTED, t.COMPLETED)]),
    ("interrupted-task-is-completed", [t.BEGUN, t.CLAIMED, t.USING, t.TRIED, t.DEAD, t.CUT, AGAIN]),
    ("interrupted-task-is-completed", [t.BEGUN, t.CLAIMED, t.USING, t.ASKED, t.CUT, AGAIN]),
    (
        "session-dies-between-failure-and-count",
        [t.BEGUN, t.CLAIMED, told(TaskAttempted, succeeded=True), t.CUT],
    ),
    ("failure-is-not-counted-on-a-full-disk", [t.FULL, t.COUNTED]),
    ("task-is-put-down-at-a-later-try", [t.BEGUN, t.CLAIMED, t.PUT_DOWN, t.COMPLETED]),
    (
        "signal-crosses-workers",
        [t.BEGUN, told(SignalEmitted, signal="FEATURE_READY", name="t", written=False), of("b", t.OTHER, t.HANDLED)],
    ),
    ("signal-crosses-workers", [t.BEGUN, t.HANDLED]),
    ("signal-lies-unread-across-a-restart", [t.BEGUN, t.RAISED, t.HANDLED]),
    ("session-dies-before-it-has-claimed-again", [t.BEGUN, t.CUT]),
    (
        "session-dies-in-the-move-of-a-dead-letter",
        [t.BEGUN, t.CLAIMED, t.TRIED, told(SessionCut, changing="/home/agent/.loki/queue/pending.json")],
    ),
    (
        "restart-cuts-several-tasks",
        [t.BEGUN, t.CLAIMED, OTHERS, t.CUT, of("b", told(SessionCut, 5.0)), told(MachineRestarted, 5.0)],
    ),
    (
        "restart-cuts-several-tasks",
        [t.BEGUN, t.CLAIMED, OTHERS, t.CUT, of("b", t.CUT), told(MachineRestarted, 5.0)],
    ),
    ("human-cancels", [t.ASKED, t.decided("clarified")]),
    ("human-rejects", [t.ASKED, t.resolved("approved")]),
    ("review-times-out-beside-a-decision", [t.ASKED, t.LATE]),
    ("dead-letter-is-abandoned-by-rule", [t.reviewed("left")]),
    ("dead-letters-are-reviewed-after-a-resume", [t.RESUMED, t.reviewed("left", reviewed=False)]),
    ("dead-letters-are-reviewed-after-a-resume", [t.RESUMED, told(DeadLettersReviewed)]),
    ("clock-back-while-a-review-waits", [t.ASKED, told(ClockStepped, by_s=1.0)]),
    ("second-drift-is-escalated", [t.drifted("low", ("escalate", "consolidate"))]),
    ("drifts-of-two-sessions-add-up", [t.drifted("low", ("warn",)), of("b", t.drifted("low", ("warn",)))]),
    ("drift-is-not-stored-on-a-full-disk", [t.FULL, t.drifted()]),
    ("reviewer-of-a-drift-meets-an-open-breaker", [t.drifted(), told(CallRefused, state="HALF_OPEN")]),
    ("drift-is-not-passed-and-a-human-is-asked", [t.drifted(), t.UNPASSED, t.UNASKED]),
    ("breaker-opens-in-a-parallel-batch", [p.FIRST, p.launched("2", kind="verification"), p.OPENED]),
    (
        "breaker-opens-in-a-parallel-batch",
        [p.BOTH, p.working(), TOLD, told(BreakerMoved, before="HALF_OPEN", after="OPEN")],
    ),
    ("breaker-opens-in-a-parallel-batch", [p.BOTH, p.working(), p.failed(), p.tried(), p.working("2"), p.OPENED]),
    (
        "breaker-opens-in-a-parallel-batch",
        [p.BOTH, p.working(), p.claimed(), p.verified(complete=False), p.tried(), p.working("2"), p.OPENED],
    ),
    ("breaker-opens-in-a-parallel-batch", [p.BOTH, p.working(), of("b", *p.OPENED)]),
    ("breaker-opens-in-a-parallel-batch", [p.BOTH, p.working(), p.OPENED[1]]),
    ("breaker-opens-in-a-parallel-batch", [p.BOTH, p.working(), of("b", p.OPENED[0]), p.OPENED[1]]),
    (
        "breaker-opens-in-a-parallel-batch",
        [p.BOTH, p.working(), told(BreakerTold, outcome="failure", provider="q"), p.OPENED[1]],
    ),
    ("breaker-opens-in-a-parallel-batch", [p.BOTH, p.working(), told(BreakerTold, outcome="success"), p.OPENED[1]]),
    ("diagnosis-asks-before-the-third-failure", [c.USE, c.FAILED, c.escalated("diagnosis")]),
    (
        "one-session-learns-from-another",
        [of("b", c.USE, c.diagnosed("a", "full", "timeout"), c.trying(), c.WELL), c.USE, c.diagnosed(error_type="api")],
    ),
    ("second-recovery-helps", [c.USE, c.trying(), c.ended(succeeded=False), c.trying(), c.ended(succeeded=True)]),
    ("session-dies-while-it-backs-off", [c.USE, c.RETRY, c.trying(""), c.CUT]),
    *(("stop-is-blocked-then-granted", [c.answered("block"), c.answered("approve", reason)]) for reason in UNREAD),
    (
        "blocked-review-is-gone-on-with-by-a-sibling",
        [p.BLOCKED, p.reviewing("fixed"), p.verified(passed=False, complete=False), p.working("2"), p.REVIEW],
    ),
    ("human-is-asked-twice-of-one-task", [t.ASKED, t.decided("cancelled"), t.ASKED]),
    ("human-is-asked-twice-of-one-task", [t.ASKED, t.resolved("rejected"), t.ASKED]),
    (
        "phase-waits-for-a-human-and-is-complete",
        [p.ONCE, p.ASKED, told(HumanDecided, task="plan-1/1", decision="cancelled"), AT_LAST],
    ),
    (
        "phase-waits-for-a-human-and-is-complete",
        [p.ONCE, p.ASKED, told(HumanDecided, task="plan-1/1", decision="clarified", done=False), AT_LAST],
    ),
    ("phase-waits-for-a-human-and-is-complete", [p.ONCE, p.ASKED, t.resolved("rejected", task="plan-1/1"), AT_LAST]),
    ("dead-letter-is-abandoned-by-a-human", [t.decided("abandoned")]),
    ("dead-letter-is-abandoned-by-a-human", [t.DEAD, t.reviewed(), t.decided("abandoned")]),
    ("dead-letter-is-abandoned-by-a-human", [t.DEAD, t.reviewed("abandoned"), t.decided("abandoned")]),
    ("dead-letter-is-abandoned-by-a-human", [t.DEAD, t.COMPLETED, t.decided("abandoned")]),
    (
        "reviewer-is-lost-and-launched-again",
        [p.OPENED_REVIEW, p.LAUNCHED, p.CUT, of("b", p.working(), p.REVIEW, p.LAUNCHED_AGAIN)],
    ),
    (
        "reviewer-is-lost-and-launched-again",
        [p.OPENED_REVIEW, p.LAUNCHED, p.reviewing("status", launched=("reviewer-1",), accepted=False)],
    ),
    (
        "reviewer-is-lost-and-launched-again",
        [p.OPENED_REVIEW, p.LAUNCHED, p.reviewing("report", reviewer="reviewer-1"), p.LAUNCHED_AGAIN],
    ),
    ("reviewer-is-lost-and-launched-again", [p.OPENED_REVIEW, p.LAUNCHED, p.reviewing("fixed"), p.LAUNCHED_AGAIN]),
    ("siblings-are-retried-together", [p.BOTH, p.launched("1", 2), p.launched("1", 2)]),
    (
        "breaker-opens-in-a-parallel-batch",
        [p.BOTH, p.working(), TOLD, told(BreakerMoved, before="CLOSED", after="HALF_OPEN")],
    ),
    ("halted-plan-is-resumed", [p.HALTED, p.BEGUN, p.launched()]),
    ("plan-halts-at-once", [p.BEGUN, p.halted("1")]),
    (
        "doubted-claim-is-retried",
        [p.FIRST, told(ClaimWeighed, phrases=(), proceeds=False), p.failed(), p.launched(attempt=2)],
    ),
    (
        "doubted-claim-is-retried",
        [p.FIRST, told(ClaimWeighed, phrases=("works locally",)), p.failed(), p.launched(attempt=2)],
    ),
    ("human-is-called-within-a-phase", [p.FIRST, told(EscalationRaised, task="u"), p.failed(answered=False)]),
    ("human-is-called-within-a-phase", [p.FIRST, p.HUMAN, p.failed()]),
    ("session-dies-between-claim-and-verification", [p.FIRST, told(PhaseReported, accepted=False), p.CUT]),
    ("session-dies-between-claim-and-verification", [p.FIRST, p.CUT]),
    ("phase-that-nobody-will-do-is-told", [p.BEGUN, p.launched(), p.failed()]),
    ("retried-phase-is-complete", [p.BEGUN, p.launched(attempt=2), p.verified(attempt=2)]),
    ("retried-phase-is-complete", [p.TWICE, told(PhaseVerified, attempt=2, accepted=False)]),
    (
        "phase-waits-for-a-human-and-is-complete",
        [p.ONCE, told(ReviewRequested, task="plan-1/1", stored=False), AT_LAST],
    ),
    ("session-dies-while-a-review-is-open", [p.working(), told(CodeReviewBegun, task="r", begun=False), p.CUT]),
    ("blocked-review-is-gone-on-with-by-a-sibling", [p.OPENED_REVIEW, p.verified(), p.working("2"), p.REVIEW]),
    (
        "review-blocks-is-fixed-and-passes",
        [p.BLOCKED, p.reviewing("fixed", accepted=False), p.reviewing("report", "passed")],
    ),
    (
        "review-blocks-is-fixed-and-passes",
        [p.BLOCKED, p.reviewing("fixed"), p.reviewing("report", "passed", accepted=False)],
    ),
    ("reviewer-is-lost-and-launched-again", [p.OPENED_REVIEW, p.reviewing("status")]),
    ("reviewer-meets-an-open-breaker", [p.OPENED_REVIEW, told(CallRefused, state="HALF_OPEN")]),
    ("review-cut-off-passes-later", [p.OPENED_REVIEW, p.CUT, p.GIVEN_UP, LATER]),
    ("clock-back-while-a-breaker-is-open", [c.OPENED, told(ClockStepped, by_s=1.0)]),
    ("disk-fills-while-a-breaker-is-open", [c.OPENED, c.ROOM]),
]
STILL = [
    ("phase-waits-for-a-human-and-is-complete", [p.ONCE, p.ASKED, t.resolved("approved", task="plan-1/1"), AT_LAST]),
    ("stop-is-blocked-then-granted", [c.answered("block"), c.answered("approve", "block_limit")]),
    (
        "breaker-opens-in-a-parallel-batch",
        [p.BOTH, p.working(), p.failed(), p.launched("1", 2), p.tried(), p.working("2"), p.OPENED],
    ),
    (
        "reviewer-is-lost-and-launched-again",
        [p.OPENED_REVIEW, p.LAUNCHED, p.CUT, of("b", p.working(), p.REVIEW, p.LAUNCHED_AGAIN, p.LAUNCHED_AGAIN)],
    ),
    ("dead-letter-is-abandoned-by-a-human", [t.reviewed("human"), t.decided("abandoned")]),
    ("dead-letter-is-abandoned-by-a-human", [t.ASKED, t.LATE, t.decided("abandoned")]),
    ("one-session-learns-from-another", [of("b", c.USE, c.trying(), c.WELL), c.USE, c.diagnosed("b"), c.diagnosed()]),
    ("session-dies-before-it-has-claimed-again", [t.WORKED, t.AGAIN, of("s-2", told(UseBegun, task="u"), t.CUT)]),
    ("interrupted-task-is-completed", [t.BEGUN, t.CLAIMED, t.USING, t.TRIED, t.COUNTED, t.CUT, AGAIN]),
    (
        "interrupted-task-is-completed",
        [t.BEGUN, t.CLAIMED, t.USING, told(ReviewRequested, blocked=False), t.CUT, AGAIN],
    ),
    ("human-rejects", [t.ASKED, t.resolved("rejected"), t.COMPLETED]),
    ("phase-that-nobody-will-do-is-told", [p.FIRST, p.launched("2"), p.failed("2", answered=False)]),
    (
        "phase-cut-off-is-complete-later",
        [p.FIRST, p.tried("2"), p.CUT, of("b", p.BEGUN, p.launched(), p.working(), p.claimed(), p.verified())],
    ),
    ("review-cut-off-passes-later", [p.OPENED_REVIEW, p.CUT, p.RESUME, LATER]),
]
