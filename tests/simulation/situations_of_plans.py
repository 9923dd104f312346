"""For each situation of plans and their reviews: a stream that shows it, and one that nearly does."""

from harness.core.events import (
    BreakerMoved,
    BreakerTold,
    CallRefused,
    EscalationRaised,
    MachineRestarted,
    SessionCut,
    StorageChanged,
)
from harness.core.plan_events import (
    ClaimWeighed,
    CodeReviewBegun,
    CodeReviewed,
    PhaseBegun,
    PhaseLaunched,
    PhaseReported,
    PhaseVerified,
    PlanBegun,
    PlanCompleted,
    PlanDecided,
    PlanHalted,
)
from harness.core.task_events import HumanDecided, ReviewRequested, TaskAttempted
from tests.simulation.telling_events import of, told

CUT, RESTART, FULL = told(SessionCut), told(MachineRestarted), told(StorageChanged, full=True)
BEGUN, FRESH = told(PlanBegun), told(PlanBegun, modes=("fresh",))
REFUSED = told(PlanBegun, accepted=False)
OPENED = [
    told(BreakerTold, outcome="failure", state="OPEN"),
    told(BreakerMoved, before="CLOSED", after="OPEN"),
]
RESUME, GIVEN_UP = told(PlanDecided, decision="resume"), told(PlanDecided, decision="fresh")
COMPLETED = told(PlanCompleted)
DOUBTED = told(ClaimWeighed, phrases=("works locally",), proceeds=False)
SHOWN = told(ClaimWeighed, phrases=(), proceeds=True)
HUMAN = told(EscalationRaised, task="plan-1/1")
ASKED = told(ReviewRequested, task="plan-1/1")
GIVEN_BACK = told(HumanDecided, task="plan-1/1", decision="clarified")
REVIEW = told(CodeReviewBegun, task="r")


def launched(phase="1", attempt=1, kind="phase"):
    return told(PhaseLaunched, phase=phase, attempt=attempt, kind=kind)


def working(phase="1", attempt=1):
    return told(PhaseBegun, task=f"plan-1/{phase}", phase=phase, attempt=attempt)


def claimed(phase="1", attempt=1):
    return told(PhaseReported, phase=phase, attempt=attempt)


def failed(phase="1", attempt=1, *, answered=True):
    return told(PhaseReported, phase=phase, attempt=attempt, claimed=False, answered=answered)


def verified(phase="1", attempt=1, *, passed=True, complete=True):
    return told(PhaseVerified, phase=phase, attempt=attempt, passed=passed, complete=complete)


def tried(phase="1", *, succeeded=False):
    return told(TaskAttempted, task=f"plan-1/{phase}", succeeded=succeeded)


def halted(*phases):
    return told(PlanHalted, failed=phases)


def reviewing(operation, decision="pending", **said):
    return told(CodeReviewed, task="r", operation=operation, decision=decision, **said)


FIRST = [BEGUN, launched(), working()]
ONCE = [FIRST, failed(), tried()]
TWICE = [ONCE, launched(attempt=2), working(attempt=2)]
BOTH = [BEGUN, launched("1"), launched("2")]
DOUBTED_ONCE = [FIRST, DOUBTED, failed(), launched(attempt=2), tried()]
HALTED = [TWICE, failed(attempt=2), halted("1")]

PLANS = {
    "breaker-opens-in-a-parallel-batch": ([BOTH, working(), OPENED], [FIRST, OPENED]),
    "retried-phase-is-complete": ([TWICE, claimed(attempt=2), verified(attempt=2)], [FIRST, claimed(), verified()]),
    "retry-fails-and-the-plan-halts": (HALTED, [FIRST, failed(), halted("1")]),
    "plan-halts-at-once": ([FIRST, failed(), halted("1")], HALTED),
    "siblings-conflict": (
        [FIRST, claimed(), verified(passed=True, complete=False)],
        [FIRST, claimed(), verified(passed=False, complete=False)],
    ),
    "sibling-works-on-before-a-retry": (
        [BOTH, working("1"), failed("1"), tried("1"), working("2"), claimed("2"), launched("1", 2)],
        [BOTH, working("1"), failed("1"), tried("1"), launched("1", 2), working("2"), claimed("2")],
    ),
    "siblings-are-retried-together": (
        [BOTH, launched("1", 2), launched("2", 2)],
        [BOTH, launched("1", 2), working("1", 2), launched("2", 2)],
    ),
    "doubted-claim-is-retried": (DOUBTED_ONCE, [FIRST, SHOWN, failed(), launched(attempt=2)]),
    "doubted-phase-is-complete": (
        [DOUBTED_ONCE, working(attempt=2), SHOWN, claimed(attempt=2), verified(attempt=2)],
        [TWICE, SHOWN, claimed(attempt=2), verified(attempt=2)],
    ),
    "verification-contradicts-a-claim": (
        [FIRST, claimed(), verified(passed=False, complete=False)],
        [FIRST, claimed(), REVIEW, verified(passed=False, complete=False)],
    ),
    "phase-fails-by-its-review": (
        [FIRST, claimed(), REVIEW, verified(passed=False, complete=False)],
        [FIRST, claimed(), REVIEW, verified()],
    ),
    "halted-plan-is-resumed": ([HALTED, RESUME, BEGUN, launched()], [HALTED, RESUME, BEGUN, launched("2")]),
    "resumed-plan-is-completed": (
        [HALTED, RESUME, BEGUN, launched(), COMPLETED],
        [HALTED, GIVEN_UP, FRESH, launched(), COMPLETED],
    ),
    "halted-plan-gives-way-to-another": ([HALTED, GIVEN_UP, FRESH], [COMPLETED, FRESH]),
    "plan-cannot-begin-on-a-full-disk": ([FULL, REFUSED], [REFUSED]),
    "plan-is-completed-over-a-restart": ([FIRST, RESTART, COMPLETED], [FIRST, COMPLETED, RESTART, COMPLETED]),
    "phase-cut-off-is-complete-later": (
        [FIRST, CUT, of("b", BEGUN, launched(), working(), claimed(), verified())],
        [FIRST, tried(), CUT, of("b", BEGUN, launched(), working(), claimed(), verified())],
    ),
    "session-dies-between-claim-and-verification": ([FIRST, claimed(), CUT], [FIRST, claimed(), REVIEW, CUT]),
    "human-is-called-within-a-phase": ([FIRST, HUMAN, failed(answered=False)], [FIRST, failed(answered=False)]),
    "phase-waits-for-a-human-and-is-complete": (
        [ONCE, ASKED, GIVEN_BACK, BEGUN, launched(), working(), claimed(), verified()],
        [ONCE, ASKED, BEGUN, launched(), working(), claimed(), verified()],
    ),
    "phase-that-nobody-will-do-is-told": (
        [BEGUN, launched(), failed(answered=False)],
        [FIRST, failed(answered=False)],
    ),
}
OPENED_REVIEW = [working(), REVIEW, reviewing("open")]
BLOCKED = [OPENED_REVIEW, reviewing("report", "blocked")]
OPEN_REFUSES = told(CallRefused, state="OPEN")
LAUNCHED = reviewing("analysed", launched=("reviewer-1", "reviewer-2"))
LAUNCHED_AGAIN = reviewing("status", launched=("reviewer-1",))
REVIEWS = {
    "review-blocks-is-fixed-and-passes": (
        [BLOCKED, reviewing("fixed"), reviewing("report", "passed")],
        [OPENED_REVIEW, reviewing("fixed"), reviewing("report", "passed")],
    ),
    "reviewer-is-lost-and-launched-again": (
        [OPENED_REVIEW, LAUNCHED, LAUNCHED_AGAIN],
        [OPENED_REVIEW, LAUNCHED],
    ),
    "reviewer-meets-an-open-breaker": (
        [OPENED_REVIEW, OPEN_REFUSES],
        [OPENED_REVIEW, reviewing("report", "passed"), OPEN_REFUSES],
    ),
    "session-dies-while-a-review-is-open": (
        [OPENED_REVIEW, CUT],
        [OPENED_REVIEW, reviewing("report", "passed"), CUT],
    ),
    "review-cut-off-passes-later": (
        [OPENED_REVIEW, CUT, of("b", working(), REVIEW, reviewing("report", "passed"))],
        [OPENED_REVIEW, of("b", working(), REVIEW, reviewing("report", "passed"))],
    ),
    "blocked-review-is-gone-on-with-by-a-sibling": (
        [BLOCKED, verified(passed=False, complete=False), working("2"), REVIEW],
        [BLOCKED, verified(passed=False, complete=False), working("1"), REVIEW],
    ),
}
CASES = {**PLANS, **REVIEWS}
