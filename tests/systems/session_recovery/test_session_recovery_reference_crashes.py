"""The reference with each of its file calls struck, at every crash and loss of power, and with other processes at once."""

import pytest
from campaigns import sliced
from crash_checks import (
    WaitingHere,
    assert_sound_at_every_error,
    assert_sound_in_every_order,
    assert_survives,
    outputs_of_processes,
)
from session_recovery_world import World, codes, task

from harness.explore.in_process.subject import Subject
from harness.ports.files import RealFiles

LOCKS = (".loki/queue/.lock", ".loki/memory/ledgers/tasks.jsonl.lock", ".loki/specs/interfaces.jsonl.lock")
LABELS = ("pending", "in-progress", "completed", "ledger", "checkpoint", "specification")


def prepared(home):
    """The files of a project at work: one task finished, one in progress, two pending, a checkpoint, an interface."""
    made = World(home, RealFiles())
    made.queue("pending", task("x"), task("a"), task("b"), task("c"))
    made.claim()
    made.complete("x")
    made.claim()
    made.checkpoint("before")
    made.start("a", "GET /a")
    return {made.path(label).removeprefix(f"{home}/"): made.text(label) for label in LABELS} | dict.fromkeys(LOCKS, b"")


BEFORE = {"pending": ["b", "c"], "in-progress": ["a"], "completed": ["x"]}
CLAIMED = {"pending": ["c"], "in-progress": ["a", "b"], "completed": ["x"]}
FINISHED = {"pending": ["b", "c"], "in-progress": [], "completed": ["x", "a"]}


def seen(home):
    """The queues and the ledger after the next operation that looks into them."""
    made = World(home, RealFiles())
    return made.ledger().task_ids, made.queues()


@pytest.mark.parametrize("model", ["kill", "power"])
@pytest.mark.parametrize(
    ("operate", "after"),
    sliced([(World.claim, (("x",), CLAIMED)), (World.complete, (("x", "a"), FINISHED))]),
    ids=["claim", "complete"],
)
def test_no_task_is_lost_or_twice_at_any_crash(home, model, operate, after):
    def survives(finished):
        found = seen(home)
        return "" if found == after or (not finished and found == (("x",), BEFORE)) else str(found)

    subject = Subject(
        home, prepared(home), lambda: operate(World(home, RealFiles())), recover=lambda: seen(home), survives=survives
    )
    assert_survives(subject, model, deep=(operate, model) == (World.complete, "kill"))


@pytest.mark.parametrize("model", ["kill", "power"])
def test_the_last_checkpoint_outlives_every_crash(home, model):
    def survives(finished):
        found = World(home).resume().checkpoint
        return "" if found in (("last",) if finished else ("last", "before")) else str(found)

    subject = Subject(
        home, prepared(home), lambda: World(home).begin("last"), recover=lambda: World(home).resume(), survives=survives
    )
    assert_survives(subject, model)


@pytest.mark.parametrize(
    ("operate", "after"),
    [
        (World.claim, CLAIMED), (World.complete, FINISHED), (World.turn, BEFORE), (World.resume, BEFORE),
        (lambda made: made.start("b", "GET /b"), BEFORE), (World.begin, BEFORE), (World.ledger, BEFORE),
    ],
    ids=["claim", "complete", "turn", "resume", "start", "begin", "ledger"],
)  # fmt: skip
def test_no_error_of_a_file_call_escapes_or_loses_a_task(home, operate, after):
    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        told = str(getattr(ended.result, "outcome", ""))
        ledger, queues = seen(home)
        good = {"claimed": [after], "completed": [after], "failed": [BEFORE]}.get(told, [BEFORE])
        return "" if queues in good and set(ledger) == set(queues["completed"]) else f"{told} {ledger} {queues}"

    assert_sound_at_every_error(Subject(home, prepared(home), lambda: operate(World(home, RealFiles())), judge), 5)


def test_two_at_once_claim_different_tasks_in_any_order(home):
    def judge(ends):
        got = sorted((end.result.task or {}).get("task_id", "") for end in ends)
        return "" if (got, seen(home)[1]["in-progress"][1:]) == (["b", "c"], ["b", "c"]) else f"{got}"

    before = prepared(home)
    bodies = [lambda: World(home, WaitingHere()).claim("w1"), lambda: World(home, WaitingHere()).claim("w2")]
    assert_sound_in_every_order(home, before, bodies, judge, bound=60, beyond=20)


def test_two_at_once_finish_one_task_once_in_any_order(home):
    def judge(ends):
        told = sorted(str(end.result.outcome) for end in ends)
        return "" if (told, seen(home)) == (["completed", "unknown"], (("x", "a"), FINISHED)) else str(told)

    before = prepared(home)
    bodies = [lambda: World(home, WaitingHere()).complete("a"), lambda: World(home, WaitingHere()).complete("a")]
    assert_sound_in_every_order(home, before, bodies, judge, bound=60, beyond=20)


WORKER = """
import sys
from harness.systems.session_recovery.contract import ClaimArguments, CompleteArguments, Configuration
from harness.systems.session_recovery.reference import create

session, worker = create(Configuration(sys.argv[1])), sys.argv[2]
sys.stdin.readline()
while True:
    found = session.claim(ClaimArguments(worker), 0.0)
    if found.outcome == "none":
        break
    print(found.task["task_id"])
    told = session.complete(CompleteArguments(worker, found.task["task_id"]), 0.0)
    if not told.recorded or told.log:
        sys.exit(str(told))
"""


def test_processes_at_once_do_each_task_once(home):
    made = World(home, RealFiles())
    wanted = [f"t{number}" for number in range(40)]
    made.queue("pending", *map(task, wanted))
    did = [each.split() for each in outputs_of_processes(WORKER, home, ("w0", "w1", "w2"))]
    assert sorted(wanted) == sorted(found for each in did for found in each)
    assert sorted(wanted) == sorted(made.ledger().task_ids) == sorted(made.ids("completed"))
    assert [] == made.ids("pending") + made.ids("in-progress")


def test_a_lock_that_somebody_keeps_fails_a_claim_and_changes_nothing(home):
    made = World(home, RealFiles())
    made.queue("pending", task("a"))
    made.session.parts.tasks.store.patience_s = 0.02
    with RealFiles().lock(f"{home}/.loki/queue/.lock", 0):
        found = made.claim()
        assert ("failed", ["lock_failed"], ["a"]) == (found.outcome, codes(found), made.ids("pending"))
        assert made.start("a").started
    # who waited in vain may still take the lock for an instant, and give it back
    assert any(made.claim().outcome == "claimed" for _ in range(10_000))
