"""The order rules INT-32..46: each holds of a good stream, and each is broken by its own defect only."""

import pytest
from told_tasks import (
    DAY_S,
    adopted,
    asked,
    at,
    back,
    begun,
    call,
    claimed,
    counted,
    decided,
    drifted,
    escalated,
    failing,
    finished,
    listed,
    looked,
    looked_for,
    operated,
    raised,
    ready,
    resumed,
    reviewed,
    signalled,
    silent,
    started,
    tried,
    using,
)

from harness.core.events import SessionCut, StorageChanged
from harness.core.task_events import (
    DriftReviewed,
    NothingClaimed,
    SignalConsumed,
    SignalEmitted,
    TaskAdopted,
    TaskReleased,
    TaskStarted,
    WorkerBegun,
)
from harness.ports.clock import to_seconds
from harness.runtime.order import Order
from harness.runtime.order_tasks import TaskOrder

CUT = at(SessionCut)
FULL = at(StorageChanged, full=True)
AT_WORK = [*begun(), claimed(), started()]
DONE = [using(), tried(succeeded=True), operated(), finished()]
THREE = [*AT_WORK, *failing(1), *failing(2), *failing(3)]
BLOCKED = [*THREE, asked("repeated_failures")]
DEAD = [*THREE, asked("repeated_failures"), *(looked(resolved={"t": "approved"}), claimed(), started()), *failing(4)]
DEAD = [*DEAD, asked("repeated_failures"), looked(resolved={"t": "approved"}), claimed(), started()]
DEAD = [*DEAD, *failing(5, moved=True)]
TWO = [*AT_WORK, drifted(), drifted("low", ("escalate",))]
GOOD = {
    "done": [*AT_WORK, *DONE],
    "blocked": BLOCKED,
    "dead": DEAD,
    "back": [*DEAD, *ready(decided={"t": "retried"}), claimed(), started(), *DONE],
    "back, failing": [*DEAD, *ready(decided={"t": "retried"}), claimed(), started(), *failing(1)],
    "back, failing on": [*DEAD, *ready(decided={"t": "retried"}), claimed(), started(), *failing(6, moved=True)],
    "failed before anybody watched": [*AT_WORK, *failing(2), *failing(3), asked("repeated_failures")],
    "failed, not recorded, failed": [
        *AT_WORK,
        *failing(1),
        *failing(None, recorded=False),
        *failing(3),
        asked("repeated_failures"),
    ],
    "given up": [*DEAD, *ready(decided={"t": "abandoned"})],
    "given up, not stored": [*DEAD, *ready(decided={"t": "abandoned"}, unstored=("t",)), listed(dead_letter=["t"])],
    "approved": [*BLOCKED, looked(resolved={"t": " Approved "}), claimed(), started(), using()],
    "clarified": [*BLOCKED, decided("clarified"), claimed(), started(), using()],
    "clarified in vain": [*BLOCKED, decided("clarified", done=False)],
    "rejected": [*BLOCKED, looked(resolved={"t": "rejected"}), listed()],
    "cancelled": [*BLOCKED, decided("cancelled"), listed()],
    "decided but not told": [*BLOCKED, decided("approved"), claimed(), started(), using()],
    "timed out": [*BLOCKED, looked(DAY_S + 2, timed_out=("t",)), listed(dead_letter=["t"])],
    "waiting": [*BLOCKED, looked(DAY_S)],
    "given back": [*AT_WORK, *failing(1), at(TaskReleased, task="t"), claimed(), started(), using()],
    "released by nobody": [*begun(), at(TaskReleased, task="t")],
    "escalated": [*AT_WORK, using(), *escalated(), tried(), counted(1), asked("x")],
    "escalated beside the work": [*AT_WORK, using(), *escalated(by="beside-1"), tried(), counted(1), using()],
    "another's task escalated": [*AT_WORK, using(), *escalated("of no queue"), *failing(1)[1:]],
    "finished, unknown": [*AT_WORK, *DONE[:-1], finished("unknown"), listed(), claimed(), started(), using()],
    "finished long ago": [*AT_WORK, *DONE, *begun(), listed(), using("of no queue")],
    "started after a silence": [*BLOCKED, silent(), started(), using()],
    "escalated by mistake": [*AT_WORK, using(), *escalated(by="beside-1"), tried(), counted(1), asked("escalated")],
    "for a reason": [*AT_WORK, *failing(1), asked("low_confidence")],
    "not stored": [*THREE, asked("repeated_failures", stored=False, blocked=False), claimed("u")],
    "not blocked": [*THREE, asked("repeated_failures", blocked=False), asked("repeated_failures")],
    "not recorded": [*AT_WORK, using(), tried(), counted(None, recorded=False), asked("repeated_failures")],
    "another task": [*begun(), using("of no queue"), at(NothingClaimed, outcome="none")],
    "paused": [*AT_WORK, drifted("high", ("pause",)), *reviewed(), using()],
    "not passed": [
        *(*AT_WORK, drifted("high", ("pause",)), at(DriftReviewed, task="t", passed=False)),
        *(tried(), counted(1), asked("escalated")),
    ],
    "passed without an answer": [*AT_WORK, silent(), at(DriftReviewed, task="t", passed=True), using()],
    "consolidated": [*TWO, drifted("low", ("escalate", "consolidate"))],
    "drift lost": [*AT_WORK, drifted(stored=False), drifted("low", ("escalate",))],
    "handed on": [signalled(SignalEmitted, written=True), signalled(SignalConsumed, handled=True)],
    "not there": [*begun(), signalled(SignalEmitted, written=False), signalled(SignalConsumed, handled=False)],
    "not put down": [
        *AT_WORK,
        using(),
        tried(succeeded=True),
        operated(performed=False),
        operated(),
        finished("failed"),
    ],
    "many signals": [*begun(), *raised(10), *looked_for(3, handled=True), *raised(3, first=10)],
    "reviewed every day": [*begun(), *begun(s=DAY_S), *ready(DAY_S + 2, reviewed=False)],
    "reviewed twice a day": [*begun(), *ready(3600.0, reviewed=False), *ready(DAY_S + 2)],
    "after a silence": [*begun(), silent("dead_letter"), *ready(DAY_S + 9, reviewed=False)],
    "resumed": [*AT_WORK, *back(), listed(in_progress=["t"]), adopted(), *ready(), started(), *DONE],
    "resumed, let go": [*AT_WORK, *back(), listed(pending=["t"]), at(TaskReleased, task="t"), *ready(), claimed("u")],
    "resumed, others": [*begun(), *back(), listed(in_progress=["t"]), *ready(), claimed("u")],
    "resumed again": [*AT_WORK, claimed("u"), resumed("t", "u"), claimed("v")],
    "not resumed": [*AT_WORK, *back(outcome="failed"), *ready(), claimed("u")],
    "next session": [*AT_WORK, *begun(), at(TaskAdopted, task="t"), started(), using()],
    "done before": [
        *(*AT_WORK, using(), tried(succeeded=True), operated(performed=False)),
        *(*begun(), at(TaskAdopted, task="t"), operated(), finished()),
    ],
}


def only_tasks(events):
    """The watcher of tasks alone, which is told of no failure's record."""
    order, found = TaskOrder(), []
    for event in events:
        found += order.take("s", event, 0.0)
    return found


@pytest.mark.parametrize("events", GOOD.values(), ids=GOOD)
def test_what_is_as_it_should_be_breaks_nothing(events):
    order, found = TaskOrder(), []
    for event in events:
        found += order.take("s", event, seconds(event))
    found += order.end("s")
    assert found == []


def seconds(event):
    return to_seconds(event.at)


BROKEN = [
    ("INT-39", [*AT_WORK, *DONE, *begun(), claimed()]),
    ("INT-39", [*AT_WORK, *DONE, *begun(), using()]),
    ("INT-43", [*AT_WORK, *back(), listed(in_progress=["t"], pending=["t"]), adopted()]),
    ("INT-46", [*AT_WORK, using(), tried(succeeded=True), *begun("a")]),
    ("INT-32", [*begun(), started()]),
    ("INT-32", [*begun(), started("t"), using(), *failing(1)]),
    ("INT-32", [*AT_WORK, at(TaskReleased, task="t"), started()]),
    ("INT-33", [*AT_WORK, *back(), listed(in_progress=["t"]), *ready(), claimed("u")]),
    (
        "INT-33",
        [*AT_WORK, *back(), listed(in_progress=["t"]), *ready(), at(NothingClaimed, outcome="none"), claimed("u")],
    ),
    ("INT-34", [*begun(), *ready(DAY_S + 2, reviewed=False)]),
    ("INT-34", [*begun(), *ready(DAY_S + 2, reviewed=False), *ready(DAY_S + 9, reviewed=False)]),
    ("INT-36", [*AT_WORK, *failing(1), *failing(1)]),
    ("INT-36", [*AT_WORK, *failing(1), *failing(3), asked("repeated_failures")]),
    ("INT-36", [*AT_WORK, *failing(2), *begun(), adopted(), started(), *failing(1)]),
    ("INT-36", [*AT_WORK, *failing(1), *failing(1), *failing(2, moved=True)]),
    ("INT-36", [*AT_WORK, using(), started(), *DONE]),
    ("INT-36", [*AT_WORK, using(), claimed("u"), started("u")]),
    ("INT-37", [*BLOCKED, asked("repeated_failures")]),
    ("INT-37", [*DEAD, asked("repeated_failures")]),
    ("INT-37", [*AT_WORK, *failing(1), asked("escalated")]),
    ("INT-37", [*THREE, asked("repeated_failures", blocked=False), using()]),
    ("INT-39", [*BLOCKED, started()]),
    ("INT-39", [*AT_WORK, *DONE, started(), using()]),
    ("INT-39", [*BLOCKED, decided("rejected"), claimed()]),
    ("INT-41", [*AT_WORK, drifted("critical", ("pause",)), tried(succeeded=True), operated(), finished()]),
    ("INT-41", [*AT_WORK, drifted("high", ("pause",)), at(DriftReviewed, task="t", passed=True), using()]),
    ("INT-41", [*AT_WORK, drifted("high", ("pause",)), *reviewed(model="sonnet"), using()]),
    ("INT-41", [*AT_WORK, *reviewed()[:1], drifted("high", ("pause",)), *reviewed()[1:], using()]),
    ("INT-42", [*AT_WORK, *reviewed(), using()]),
    ("INT-43", [*AT_WORK, *back(), adopted(), *ready(), claimed("u")]),
    ("INT-43", [*AT_WORK, at(WorkerBegun, worker="b"), resumed(), listed(pending=["t"])]),
    ("INT-43", [*BLOCKED, *back(), listed(pending=["t"])]),
    ("INT-43", [*DEAD, *back(), listed(blocked=["t"])]),
    ("INT-44", [*begun(), *raised(11)]),
    ("INT-44", [*begun(), signalled(SignalEmitted, by="merge", written=True)]),
    ("INT-44", [*begun(), *raised(1), signalled(SignalConsumed, "t-0", by="merge", handled=True)]),
    ("INT-44", [*begun(), *raised(1), *looked_for(1, handled=True), *looked_for(1, handled=True)]),
    ("INT-46", [*AT_WORK, using(), tried(succeeded=True)]),
    ("INT-46", [*AT_WORK, using(), tried(succeeded=True), claimed("u")]),
    ("INT-34", [at(WorkerBegun, worker="a"), looked(), claimed()]),
    ("INT-34", [at(WorkerBegun, worker="a"), looked(), at(NothingClaimed, outcome="none"), claimed()]),
    ("INT-40", [at(WorkerBegun, worker="a"), ready()[0], claimed()]),
    ("INT-32", [*AT_WORK, claimed()]),
    ("INT-35", [*begun(), claimed(), using()]),
    ("INT-35", [*begun(), claimed(), at(TaskStarted, task="t", started=False), using(), using()]),
    ("INT-36", [*AT_WORK, using(), tried(), using()]),
    ("INT-36", [*AT_WORK, using(), tried()]),
    ("INT-36", [*AT_WORK, using(), counted(1)]),
    ("INT-36", [*AT_WORK, using(), tried(), counted(1, task="u")]),
    ("INT-36", [*AT_WORK, using(), tried(), claimed("u")]),
    ("INT-37", [*THREE, using()]),
    ("INT-37", THREE),
    ("INT-37", [*THREE, claimed("u")]),
    ("INT-37", [*THREE, asked("repeated_failures", stored=False, blocked=False), using()]),
    ("INT-37", [*AT_WORK, *failing(1), asked("repeated_failures")]),
    ("INT-37", [*THREE, asked("something else")]),
    ("INT-38", [*AT_WORK, *failing(5)]),
    ("INT-38", [*AT_WORK, *failing(4, moved=True)]),
    ("INT-39", [*BLOCKED, using()]),
    ("INT-39", [*DEAD, using()]),
    ("INT-39", [*AT_WORK, *DONE, using()]),
    ("INT-39", [*BLOCKED, claimed()]),
    ("INT-39", [*DEAD, claimed()]),
    ("INT-40", [*BLOCKED, looked(DAY_S + 2)]),
    ("INT-40", [*BLOCKED, looked(DAY_S - 2, timed_out=("t",))]),
    ("INT-40", [*BLOCKED, looked(DAY_S + 2, timed_out=("t",), alerts={})]),
    ("INT-41", [*AT_WORK, drifted("critical", ("pause",)), using()]),
    ("INT-41", [*AT_WORK, drifted("critical")]),
    ("INT-42", [*AT_WORK, drifted(), drifted()]),
    ("INT-42", [*AT_WORK, drifted("low", ("escalate",))]),
    ("INT-42", [*TWO, drifted("low", ("escalate",))]),
    ("INT-42", [*AT_WORK, drifted(task="u")]),
    ("INT-42", [*AT_WORK, *DONE, drifted()]),
    ("INT-43", [*AT_WORK, listed(pending=["t"], blocked=["t"])]),
    ("INT-43", [*AT_WORK, listed(pending=["u"])]),
    ("INT-44", [*begun(), signalled(SignalConsumed, handled=True)]),
    ("INT-44", [*begun(), signalled(SignalEmitted, written=True), signalled(SignalConsumed, handled=False)]),
    ("INT-45", [*AT_WORK, using(), tried(succeeded=True), finished()]),
    ("INT-45", [*AT_WORK, using(), tried(succeeded=True), operated(checkpointed=False), finished()]),
    ("INT-46", [*AT_WORK, *DONE, finished("unknown")]),
    ("INT-46", [*AT_WORK, *DONE[:-1], finished(recorded=False)]),
    ("INT-46", [*AT_WORK, using(), operated(), finished()]),
]


@pytest.mark.parametrize(("rule", "events"), BROKEN)
def test_each_rule_is_broken_by_its_own_defect(rule, events):
    order, found = TaskOrder(), []
    for event in events:
        found += order.take("s", event, seconds(event))
    found += order.end("s")
    assert found == [rule]


def test_every_rule_of_tasks_has_its_defect_here():
    assert {rule for rule, _ in BROKEN} | {"INT-33"} == {f"INT-{number}" for number in range(32, 47)}


def watched(*told):
    """The rules that events of several sessions break."""
    order, found = Order(), []
    for session, events in told:
        for event in events:
            found += order.take(session, event)
    return found


def test_after_a_cut_resuming_comes_before_any_claim():
    cut = [("s", AT_WORK), ("s", [CUT])]
    assert watched(*cut, ("s2", [*begun(), claimed("u")])) == ["INT-33"]
    assert watched(*cut, ("s2", [*begun(), at(TaskAdopted, task="t")])) == ["INT-33"]
    assert watched(*cut, ("s2", [*begun(), started(), using()])) == ["INT-33"]
    found = [*back(), listed(in_progress=["t"]), adopted(), *ready()]
    assert watched(*cut, ("s2", [*found, claimed("u")])) == []
    assert watched(*cut, ("s2", [*found, started(), using()])) == []


def test_what_a_worker_holds_that_lives_is_nobody_elses():
    assert watched(("s", AT_WORK), ("s2", [*begun("b"), claimed()])) == ["INT-32"]
    assert watched(("s", AT_WORK), ("s2", [*begun("b"), at(TaskAdopted, task="t")])) == ["INT-32"]
    assert watched(("s", AT_WORK), ("s2", [*begun("b"), started(), call()])) == ["INT-32"]
    dead = [("s", AT_WORK), ("s", [CUT])]
    assert watched(*dead, ("s2", [*begun("b"), resumed("t"), at(TaskAdopted, task="t"), started(), call()])) == []
    assert watched(*dead, ("s2", [*begun("b"), claimed()])) == []


def test_a_full_disk_excuses_what_could_not_be_written():
    full = ("", [FULL])
    assert watched(("s", AT_WORK), full, ("s", [listed()])) == []
    emitted = [*begun(), signalled(SignalEmitted, written=True)]
    assert watched(("s", emitted), full, ("s", [signalled(SignalConsumed, handled=False)])) == []
    assert watched(("s", begun()), full, ("s", ready(DAY_S + 2, reviewed=False))) == []
    seen = [*begun(), *raised(10)]
    again = [*looked_for(10), at(StorageChanged, full=False), *raised(3, first=10)]
    assert watched(("s", seen), full, ("s", again)) == []
    assert watched(("s", BLOCKED), full, ("s", [looked(DAY_S + 2)])) == []


def test_a_system_that_is_silent_makes_everything_uncertain():
    """That it is silent is INT-21's."""
    order = TaskOrder()
    events = [*AT_WORK, using(), tried(), silent(), using(), listed()]
    assert [rule for event in events for rule in order.take("s", event, 0.0)] == []
    assert only_tasks([*THREE, silent("error_log"), using()]) == ["INT-37"]
    assert only_tasks([*AT_WORK, *DONE, silent(), using()]) == ["INT-39"]


def test_a_session_that_ended_is_not_watched_any_more():
    order = TaskOrder()
    assert list(order.end("s")) == []
    order.cut("s")
    assert list(order.take("s", claimed(), 0.0)) == []


def test_a_restart_makes_every_worker_resume():
    order = TaskOrder()
    for event in begun():
        list(order.take("s", event, 0.0))
    order.restart()
    assert [rule for event in [*begun(), claimed()] for rule in order.take("s2", event, 0.0)] == ["INT-33"]
