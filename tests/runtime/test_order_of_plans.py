"""The order rules INT-47..57: each holds of a good stream, and each is broken by its own defect only."""

import pytest
from told_tasks import at, begun, finished, operated, started, tried

from harness.core.events import (
    CallBegun,
    CallEnded,
    ErrorsReported,
    FailureObserved,
    FailureRecorded,
    MachineRestarted,
    SessionCut,
    StopRequested,
    SystemSilent,
    UseBegun,
    UseEnded,
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
from harness.core.task_events import TaskCompleted
from harness.runtime.order import Order
from harness.runtime.order_plans import PlanOrder

REVIEWERS = ("reviewer-1", "reviewer-2", "reviewer-3")


def plan(*modes, name="p", accepted=True):
    return at(PlanBegun, plan=name, modes=modes, accepted=accepted, error="")


def launched(phase="1", attempt=1, kind="phase"):
    return at(PhaseLaunched, phase=phase, attempt=attempt, kind=kind)


def taken(phase="1", attempt=1, name="p"):
    return at(PhaseBegun, task=f"{name}/{phase}", phase=phase, attempt=attempt)


def called(task="p/1", outcome="done"):
    begun = at(CallBegun, task=task, tool="model", model="opus", approach="complex")
    return [begun, at(CallEnded, outcome=outcome, consecutive_failures=0)]


def used(task="p/1", outcome="done"):
    return [at(UseBegun, task=task, tool="run_bash"), at(UseEnded, outcome=outcome)]


def weighed(*, proceeds=True, task="p/1"):
    return at(ClaimWeighed, action=f"claim {task}", phrases=(), proceeds=proceeds, logged=not proceeds)


def told(phase="1", attempt=1, *, claimed=True, answered=True, accepted=True):
    return at(PhaseReported, phase=phase, attempt=attempt, answered=answered, claimed=claimed, accepted=accepted)


def verified(phase="1", attempt=1, *, passed=True, accepted=True, complete=None):
    is_complete = passed and accepted if complete is None else complete
    return at(PhaseVerified, phase=phase, attempt=attempt, passed=passed, accepted=accepted, complete=is_complete)


def gate(operation, decision="pending", *, accepted=True, reviewer="", review=1):
    launched = REVIEWERS if operation == "analysed" else ()
    said = {"operation": operation, "round": 1, "reviewer": reviewer, "accepted": accepted, "launched": launched}
    return at(CodeReviewed, task=f"p/review/{review}", decision=decision, **said)


def review_begun(review=1, *, begun=True):
    return at(CodeReviewBegun, task=f"p/review/{review}", begun=begun)


def returned(*names, decision="passed"):
    found = []
    for name in names:
        last = name == REVIEWERS[-1]
        found += [*called(f"p/1/{name}"), gate("report", decision if last else "pending", reviewer=name)]
    return found


def reviewed(decision="passed", *, opened="open"):
    found = [gate(opened), *used("p/1/analysis"), gate("analysed")]
    return [*([review_begun()] if opened == "open" else []), *found, *returned(*REVIEWERS, decision=decision)]


def logged(tool="phase"):
    failed = at(FailureObserved, tool=tool, kind="exit", message="exit 1: it failed")
    return [failed, at(FailureRecorded, record_id="e", stored=True, name="n")]


def halted(*failed):
    return at(PlanHalted, plan="p", reason="a phase failed", completed=(), failed=failed, blocked=())


def decided(decision="resume"):
    return at(PlanDecided, plan="p", decision=decision)


def attempted(task="p/1", *, succeeded):
    return tried(task, succeeded=succeeded)


def completed(task="p/1", outcome="completed"):
    return at(TaskCompleted, task=task, outcome=outcome, recorded=True)


FIRST = [plan(), launched(), taken()]
CLAIMED = [*FIRST, *called(), weighed(), told(), launched(kind="verification")]
VERIFIED = [*CLAIMED, *used(), *reviewed(), verified()]
DONE = [*VERIFIED, attempted(succeeded=True), operated(), completed()]
FAILING = [*called(), told(claimed=False)]
FAILED = [*FIRST, *FAILING, launched(attempt=2), *logged(), attempted(succeeded=False)]
HALTED = [*FAILED, taken(attempt=2), *called(), told(attempt=2, claimed=False), halted("1"), *logged()]
HALTED = [*HALTED, attempted(succeeded=False)]
STOPPED = [at(StopRequested, repeat=False), at(ErrorsReported, names=())]
AGAIN = [*logged(), attempted(succeeded=False), launched(attempt=2), taken(attempt=2), *called(), weighed(),
         told(attempt=2), launched(attempt=2, kind="verification"), *used()]  # fmt: skip
BLOCKED = [*reviewed("blocked"), *called("p/1/fix"), *reviewed(opened="fixed")]
GOOD = {
    "complete": [*DONE, launched("2"), taken("2")],
    "retried": [*FAILED, taken(attempt=2), *called(), weighed(), told(attempt=2)],
    "halted": [*HALTED, *STOPPED],
    "halted, and ended with its stop before": [*HALTED, STOPPED[0], *HALTED[:0], STOPPED[1]],
    "decided": [*HALTED, *STOPPED, decided(), plan("resume"), launched(), taken()],
    "fresh, as decided": [*HALTED, decided("fresh"), plan("fresh"), launched(), taken()],
    "its sub-agent is not reached": [*FIRST, *called(outcome="escalated"), told(answered=False, claimed=False)],
    "a verification nobody awaits": [plan(), launched(kind="verification")],
    "nobody works on it": [plan(), launched(), told(answered=False, claimed=False), launched(attempt=2)],
    "two have changed one file": [*VERIFIED[:-1], verified(complete=False), halted("1"), *logged(), attempted(succeeded=False), STOPPED[0]],
    "two are launched, and worked on in turn": [plan(), launched("2a"), launched("2b"), taken("2b")],
    "a claim is weak": [*FIRST, *called(), weighed(proceeds=False), told(claimed=False)],
    "a review blocks, what it found is fixed": [*CLAIMED, *used(), *BLOCKED, verified()],
    "a review blocks, and the phase fails": [*CLAIMED, *used(), *reviewed("blocked"), verified(passed=False)],
    "a review that blocked is gone on with": [*CLAIMED, *used(), *reviewed("blocked"), verified(passed=False), *AGAIN,
                                              review_begun(), gate("open", "blocked", accepted=False),
                                              *reviewed(opened="fixed"), verified(attempt=2)],
    "a round is left over, and everything reviewed once more": [*CLAIMED, *used(), review_begun(), gate("open"),
                                              *used("p/1/analysis"), gate("analysed"), *returned("reviewer-1"),
                                              verified(passed=False), *AGAIN, *returned("reviewer-2", "reviewer-3"),
                                              review_begun(2), *reviewed()[1:], verified(attempt=2)],
    "a review cannot begin": [*CLAIMED, *used(), review_begun(begun=False), verified(passed=False)],
    "another plan is reviewed": [*CLAIMED, *used(), review_begun(), halted("1"), decided("fresh"), plan("fresh"),
                               review_begun(2)],
    "a sub-agent is called once in each attempt": [*FAILED, taken(attempt=2), *called()],
    "analysis cannot be run": [*CLAIMED, gate("open"), *used("p/1/analysis", "escalated"), gate("analysed")],
    "who has returned before is refused": [*CLAIMED, gate("open"), gate("report", accepted=False)],
    "the review of something else": [*CLAIMED, at(CodeReviewed, task="q", operation="report", round=1, reviewer="r",
                                                  accepted=True, launched=(), decision="passed")],
    "verification finds something": [*CLAIMED, *used(), verified(passed=False), *logged(), attempted(succeeded=False)],
    "it cannot be stored": [*CLAIMED, *used(), *reviewed(), verified(accepted=False), *logged(),
                            attempted(succeeded=False)],
    "the start is refused": [plan(accepted=False), plan(), launched(), taken()],
    "the plan is complete, and another begins": [*DONE, at(PlanCompleted, plan="p"), plan("fresh", name="q"),
                                                 launched(), taken(name="q")],
    "what a plan left behind is a task like any other": [*FAILED, halted(), decided("fresh"), plan("fresh", name="q"),
                                                         *called(), attempted(succeeded=True), completed()],
    "tasks that are no phases": [plan(), *called("t"), attempted("t", succeeded=True), completed("t"), *called("p/1/x")],
    "a system is silent": [*CLAIMED, at(SystemSilent, system="phase_runner", operation="o", why="it died"), verified(),
                           attempted(succeeded=True), completed(), *called()],
    "before any plan": [*called(), attempted(succeeded=False), told(), *STOPPED],
}  # fmt: skip


def only_plans(events, *, ends=False):
    order = PlanOrder()
    found = [rule for event in events for rule in order.take("s", event)]
    return found + (list(order.end("s")) if ends else [])


@pytest.mark.parametrize("events", GOOD.values(), ids=GOOD)
def test_a_good_stream_breaks_no_rule_of_plans(events):
    assert only_plans(events) == []


BROKEN = [
    ("INT-47", [plan(), taken()]),
    ("INT-47", [plan(), launched("2"), taken()]),
    ("INT-47", [plan(), launched(), *called()]),
    ("INT-47", [*FAILED, *used()]),
    ("INT-47", [*DONE, *called("p/2")]),
    ("INT-47", [plan(), launched(), attempted(succeeded=False)]),
    ("INT-47", [*FIRST, *called("p/2")]),
    ("INT-48", [*FIRST, *called(), taken()]),
    ("INT-48", [*FIRST, *FAILING, *logged(), attempted(succeeded=False), taken()]),
    ("INT-48", [*FAILED, plan("resume")]),
    ("INT-48", [*FIRST, *called(), *called()]),
    ("INT-48", [*FIRST, *called(outcome="escalated"), *called()]),
    ("INT-48", [plan(), launched(attempt=3)]),
    ("INT-49", [*FIRST, *called(outcome="escalated"), weighed(), told()]),
    ("INT-49", [*FIRST, weighed(), told()]),
    ("INT-49", [*FIRST, told(claimed=False)]),
    ("INT-49", [*FIRST, *called(outcome="escalated"), told(claimed=False)]),
    ("INT-49", [*FIRST, *called(), told(answered=False, claimed=False)]),
    ("INT-49", [*FIRST, *called(), weighed(), told(claimed=False)]),
    ("INT-49", [*FIRST, *called(), told(claimed=False), told(claimed=False)]),
    ("INT-49", [*FIRST, *called(), weighed(), told(), told()]),
    ("INT-49", [*FIRST, *called(), told("2", claimed=False)]),
    ("INT-49", [*FIRST, *called(), told(attempt=2, claimed=False)]),
    ("INT-49", [plan(), launched(), told(claimed=False)]),
    ("INT-49", [plan(), told(claimed=False, answered=False)]),
    ("INT-49", [*FIRST, *called(), *logged(), attempted(succeeded=False), told(claimed=False)]),
    ("INT-49", [*FIRST, *called(), launched("2"), taken("2")]),
    ("INT-49", [*FIRST, *called(), told(claimed=False), verified()]),
    ("INT-49", [*VERIFIED, verified()]),
    ("INT-49", [*DONE, verified()]),
    ("INT-50", [*FIRST, *called(), told()]),
    ("INT-50", [*FIRST, *called(), weighed(proceeds=False), told()]),
    ("INT-50", [*FIRST, *called(), weighed(task="p/2"), told()]),
    ("INT-50", [*FIRST, *called(), weighed(task="p/11"), told()]),
    ("INT-51", [*CLAIMED, *reviewed(), verified()]),
    ("INT-51", [*CLAIMED, *used(outcome="escalated"), *reviewed(), verified()]),
    ("INT-51", [*FIRST, *used(), *called(), weighed(), told(), launched(kind="verification"), *reviewed(), verified()]),
    ("INT-52", [*CLAIMED, *used(), verified()]),
    ("INT-52", [*CLAIMED, *used(), *reviewed("blocked"), verified()]),
    ("INT-52", [*CLAIMED, *used(), *reviewed(), *called("p/1/fix"), gate("fixed"), verified()]),
    ("INT-52", [*CLAIMED, *used(), gate("open"), gate("analysed")]),
    ("INT-52", [*CLAIMED, *used(), *reviewed("blocked"), gate("fixed")]),
    ("INT-52", [*CLAIMED, *used(), *reviewed("blocked"), *called("p/1/fix", outcome="escalated"), gate("fixed")]),
    ("INT-52", [*CLAIMED, *used(), *reviewed(), review_begun(2), review_begun(3)]),
    ("INT-52", [*CLAIMED, *used(), *reviewed("blocked"), verified(passed=False), *AGAIN, review_begun(2)]),
    (
        "INT-52",
        [
            *CLAIMED,
            *used(),
            review_begun(),
            gate("open"),
            *used("p/1/analysis"),
            gate("analysed"),
            *returned("reviewer-1"),
            verified(passed=False),
            *AGAIN,
            *returned("reviewer-2", "reviewer-3"),
            verified(attempt=2),
        ],
    ),
    (
        "INT-52",
        [
            *CLAIMED,
            *used(),
            review_begun(),
            gate("open"),
            *used("p/1/analysis"),
            gate("analysed"),
            *returned("reviewer-1", "reviewer-3"),
            verified(),
        ],
    ),
    ("INT-52", [*CLAIMED, *used(), gate("open"), *used("p/1/analysis"), gate("analysed"), gate("report")]),
    ("INT-52", [*CLAIMED, *reviewed(), gate("report", "passed")]),
    ("INT-53", [*HALTED, launched()]),
    ("INT-53", [*HALTED, taken()]),
    ("INT-53", [*HALTED, plan("resume")]),
    ("INT-53", [*HALTED, *STOPPED, plan("resume"), launched(), taken()]),
    ("INT-53", [*HALTED, plan("fresh", name="q")]),
    ("INT-54", [*HALTED, STOPPED[1]]),
    ("INT-54", [STOPPED[0], *HALTED, STOPPED[1]]),
    ("INT-55", [*DONE, at(PlanCompleted, plan="p"), plan("fresh"), launched()]),
    ("INT-55", [*DONE, launched()]),
    ("INT-56", [*CLAIMED, attempted(succeeded=True)]),
    ("INT-56", [*CLAIMED, *used(), verified(passed=False), *logged(), attempted(succeeded=True)]),
    ("INT-56", [*VERIFIED, *logged(), attempted(succeeded=False)]),
    ("INT-56", [*VERIFIED[:-1], verified(complete=False), attempted(succeeded=True)]),
    ("INT-56", [*CLAIMED, *used(), verified(passed=False), completed()]),
    ("INT-57", [*FIRST, *FAILING, attempted(succeeded=False)]),
    ("INT-57", [*FIRST, *FAILING, *logged("model"), attempted(succeeded=False)]),
]


@pytest.mark.parametrize(("rule", "events"), BROKEN)
def test_each_rule_of_plans_is_broken_by_its_own_defect(rule, events):
    assert only_plans(events) == [rule]


def test_every_rule_of_plans_has_its_defect_here():
    assert {rule for rule, _ in BROKEN} == {f"INT-{number}" for number in range(47, 58)}


def test_what_was_begun_is_told_before_the_session_ends():
    assert only_plans([*FIRST, *called()], ends=True) == ["INT-49"]
    assert only_plans(CLAIMED, ends=True) == []
    assert only_plans([], ends=True) == []


def watched(*told_by):
    order, found = Order(), []
    for session, events in told_by:
        for event in events:
            found += [rule for rule in order.take(session, event) if rule >= "INT-47"]
    return found


CUT = at(SessionCut)
LEFT = [("s", [plan(), launched("1"), launched("2")]), ("s", [CUT])]


def test_the_next_session_goes_on_by_resuming():
    assert watched(*LEFT, ("s2", [plan(), launched(), taken()])) == []
    assert watched(*LEFT, ("s2", [taken(), *called("t")])) == ["INT-55"]
    assert watched(*LEFT, ("s2", [told(answered=False, claimed=False)])) == ["INT-55"]
    restarted = [*LEFT, ("", [at(MachineRestarted)])]
    assert watched(*restarted, ("s2", [taken()])) == ["INT-55"]


def test_a_plan_is_gone_on_with_until_it_is_complete_or_a_human_gives_it_up():
    other = [plan("fresh", name="q"), launched(), taken(name="q")]
    assert watched(*LEFT, ("s2", other)) == ["INT-55"]
    assert watched(*LEFT, ("s2", [plan("fresh", name="q", accepted=False)])) == []
    wrong = at(PlanBegun, plan="p", modes=(), accepted=True, error="circular_dependency")
    assert watched(("s", [wrong]), ("s", [CUT]), ("s2", other)) == []
    over = at(PlanCompleted, plan="p")
    assert watched(("s", [plan(), over]), ("s", [CUT]), ("s2", other)) == []
    silent = at(SystemSilent, system="signals", operation="emit", why="it died")
    assert watched(("s", [plan(), silent, over]), ("s", [CUT]), ("s2", other)) == []
    assert watched(*LEFT, ("s2", [decided("fresh"), *other])) == []


def test_what_is_complete_does_not_run_again_over_sessions():
    done = [("s", [*begun(), started("p/1"), *DONE]), ("s", [CUT])]
    assert "INT-55" in watched(*done, ("s2", [plan("fresh"), launched()]))
    assert watched(*LEFT, ("s2", [plan("fresh"), launched()])) == []


def test_a_halt_holds_until_a_human_decides_over_sessions_too():
    def others(*events):
        order = PlanOrder()
        for event in HALTED:
            assert list(order.take("s", event)) == []
        return [rule for event in events for rule in order.take("s2", event)]

    assert others(plan("resume")) == ["INT-53"]
    assert others(decided(), plan("resume"), launched(), taken()) == []
    assert others(decided(), plan("resume"), launched(), taken(), at(ErrorsReported, names=())) == []


def test_what_became_of_a_review_that_was_not_followed_is_not_judged():
    silent = at(SystemSilent, system="review_gate", operation="open", why="it died")
    unseen = [*CLAIMED, *used(), review_begun(), silent]
    anew = [plan(), launched(), taken(), *called()]
    assert watched(("s", unseen), ("s", [CUT]), ("s2", [*anew, review_begun(2)])) == []
    assert watched(("s", [*unseen, review_begun(2)]), ("s", [CUT]), ("s2", [*anew, review_begun(3)])) == []
    assert watched(("s", unseen[:-1]), ("s", [CUT]), ("s2", [*anew, review_begun(2)])) == ["INT-52"]


def test_nobody_else_works_on_a_phase():
    assert watched(("s", FIRST), ("s2", called())) == ["INT-47"]


def test_another_outcome_than_completed_finishes_nothing():
    assert only_plans([*FAILED, completed(outcome="failed")]) == []
    assert only_plans([*FAILED, completed(outcome="unknown")]) == ["INT-56"]
    assert finished().task == "t"
