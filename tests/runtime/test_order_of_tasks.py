"""The order rules INT-32..46: each holds of a good stream, and each is broken by its own defect only."""

import pytest

from harness.core.events import CallBegun, EscalationRaised, SessionCut, StorageChanged, SystemSilent, UseBegun
from harness.core.task_events import (
    DeadLettersReviewed,
    DriftReported,
    DriftReviewed,
    FailureCounted,
    HumanDecided,
    NothingClaimed,
    OperationBegun,
    QueuesListed,
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
    TaskStarted,
    WorkerBegun,
)
from harness.ports.clock import to_text
from harness.runtime.order import Order, broken_together
from harness.runtime.order_tasks import TaskOrder

DAY_S = 86_400.0


def at(kind, s=0.0, **fields):
    return kind(at=to_text(1_772_366_400.0 + s), correlation_id="r", **fields)


def begun(worker="a", s=0.0):
    return [at(WorkerBegun, s, worker=worker), *ready(s)]


def ready(s=0.0, decided=(), unstored=(), **checked):
    reviewed = at(
        DeadLettersReviewed, s, reviewed=True, decided=dict(decided), unstored=unstored, notified=(), created=()
    )
    return [reviewed, looked(s, **checked)]


def looked(s=0.0, resolved=(), timed_out=(), alerts=None):
    sent = dict.fromkeys(timed_out, True) if alerts is None else alerts
    return at(ReviewsChecked, s, resolved=dict(resolved), timed_out=timed_out, alerts=sent)


def claimed(task="t"):
    return at(TaskClaimed, task=task)


def started(task="t"):
    return at(TaskStarted, task=task, started=True)


def using(task="t"):
    return at(UseBegun, task=task, tool="run_bash")


def tried(task="t", *, succeeded=False):
    return at(TaskAttempted, task=task, succeeded=succeeded)


def counted(count, *, moved=False, task="t", recorded=True):
    return at(FailureCounted, task=task, recorded=recorded, failure_count=count, moved=moved)


def failing(count, **more):
    return [using(), tried(), counted(count, **more)]


def asked(*reasons, s=0.0, stored=True, blocked=True):
    return at(ReviewRequested, s, task="t", reasons=reasons, stored=stored, blocked=blocked)


def operated(*, checkpointed=True, performed=True):
    return at(OperationBegun, task="t", name="o", checkpointed=checkpointed, performed=performed)


def finished(outcome="completed", *, recorded=True):
    return at(TaskCompleted, task="t", outcome=outcome, recorded=recorded)


def drifted(severity="low", actions=(), task="t", *, stored=True):
    return at(DriftReported, task=task, severity=severity, stored=stored, actions=actions)


def decided(decision, *, done=True):
    return at(HumanDecided, task="t", decision=decision, done=done)


def signalled(kind, **said):
    return at(kind, signal="FEATURE_READY", name="t", by="x", **said)


def silent(system="signals"):
    return at(SystemSilent, system=system, operation="o", why="it died")


def resumed(*interrupted):
    return at(SessionResumed, outcome="recovered", interrupted=interrupted, checkpoint=None)


def listed(**queues):
    return at(QueuesListed, queues={name: tuple(tasks) for name, tasks in queues.items()})


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
    "back": [*DEAD, *ready(decided={"t": "retried"}), claimed(), started(), using(), tried(succeeded=True)],
    "given up": [*DEAD, *ready(decided={"t": "abandoned"})],
    "given up, not stored": [*DEAD, *ready(decided={"t": "abandoned"}, unstored=("t",)), listed(dead=["t"])],
    "approved": [*BLOCKED, looked(resolved={"t": " Approved "}), claimed(), started(), using()],
    "clarified": [*BLOCKED, decided("clarified"), claimed(), started(), using()],
    "clarified in vain": [*BLOCKED, decided("clarified", done=False)],
    "rejected": [*BLOCKED, looked(resolved={"t": "rejected"}), listed()],
    "cancelled": [*BLOCKED, decided("cancelled"), listed()],
    "decided but not told": [*BLOCKED, decided("approved"), claimed(), started(), using()],
    "timed out": [*BLOCKED, looked(DAY_S + 2, timed_out=("t",)), listed(dead=["t"])],
    "waiting": [*BLOCKED, looked(DAY_S)],
    "given back": [*AT_WORK, *failing(1), at(TaskReleased, task="t"), claimed(), started(), using()],
    "released by nobody": [*begun(), at(TaskReleased, task="t")],
    "escalated": [
        *AT_WORK,
        at(EscalationRaised, task="t", triggers=(), consecutive_failures=0),
        *failing(1),
        asked("x"),
    ],
    "not stored": [*THREE, asked("repeated_failures", stored=False, blocked=False), claimed("u")],
    "not blocked": [*THREE, asked("repeated_failures", blocked=False), using()],
    "not recorded": [*AT_WORK, using(), tried(), counted(None, recorded=False), asked("repeated_failures")],
    "another task": [*begun(), using("of no queue"), at(NothingClaimed, outcome="none")],
    "paused": [*AT_WORK, drifted("high", ("pause",)), at(DriftReviewed, task="t", passed=True), using()],
    "not passed": [
        *(*AT_WORK, drifted("high", ("pause",)), at(DriftReviewed, task="t", passed=False)),
        *(tried(), counted(1), asked("escalated")),
    ],
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
    "next session": [*AT_WORK, *begun(), at(TaskAdopted, task="t"), started(), using()],
    "done before": [
        *(*AT_WORK, using(), tried(succeeded=True), operated(performed=False)),
        *(*begun(), at(TaskAdopted, task="t"), operated(), finished()),
    ],
}


def of_one(events):
    return broken_together(("s", event) for event in events)


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
    from harness.ports.clock import to_seconds

    return to_seconds(event.at)


BROKEN = [
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


def call(task="t"):
    return at(CallBegun, task=task, tool="model", model="opus", approach="complex")


def test_after_a_cut_resuming_comes_before_any_claim():
    cut = [("s", AT_WORK), ("s", [CUT])]
    assert watched(*cut, ("s2", [*begun(), claimed("u")])) == ["INT-33"]
    assert watched(*cut, ("s2", [*begun(), at(TaskAdopted, task="t")])) == ["INT-33"]
    assert watched(*cut, ("s2", [at(WorkerBegun, worker="a"), resumed("t"), *ready(), claimed("u")])) == []
    assert watched(*cut, ("s2", [at(WorkerBegun, worker="a"), resumed("t"), at(TaskAdopted, task="t")])) == []


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
