"""The reference on queue files that are damaged or doubled, and on storage that refuses."""

import errno

import pytest
from dead_letter_reference_world import Failing, World, codes, letter, stamp, task

from harness.systems.dead_letter.contract import Scope, TaskFacts

FULL = OSError(errno.ENOSPC, "full")
SCOPE = Scope("part", "of it")
OLD = {"last_reviewed": stamp(-9e5), "total_abandoned": 0, "total_recovered": 0}


@pytest.fixture
def world():
    made = World(files=Failing())
    made.put("dead-letter", {"tasks": [letter()], "metadata": OLD})
    made.put("pending", [task("T-2", 4)])
    return made


@pytest.mark.parametrize("queue", ["pending", "dead-letter"])
def test_a_failure_that_cannot_be_written_is_not_recorded(world, queue):
    world.files.broken["replace", queue] = FULL
    found = world.fail("T-2")
    assert found.moved == found.recorded == (queue == "pending")  # the destination is written first
    assert ["queue_write_failed"] == codes(found)
    world.files.broken.clear()
    again = world.opened().fail("T-2")
    assert (queue != "pending", ["dead-letter"]) == (again.recorded, world.places("T-2"))


@pytest.mark.parametrize("method", ["read", "lock"])
def test_queues_that_cannot_be_read_or_locked_are_left_alone(world, method):
    before = dict(world.files.contents)
    world.files.broken[method, "queue"] = OSError(errno.EIO, "broken")
    found = [world.fail("T-2"), world.start(), world.review(), world.abandon(), world.tasks(), world.escalations()]
    assert [False] * 4 == [found[0].recorded, found[1].reviewed, found[2].reviewed, found[3].abandoned]
    assert (("work",), ()) == (found[1].order, found[2].order)
    code = {"read": "queue_unreadable", "lock": "lock_failed"}[method]
    assert all(code in codes(each) for each in found)
    assert (() if method == "read" else (task("T-2", 4),)) == found[4].tasks
    world.files.broken.clear()
    assert before == {path: held for path, held in world.files.contents.items() if path in before}
    assert (True, True) == (world.start().reviewed, world.abandon().abandoned)


@pytest.mark.parametrize(
    ("fields", "queue"),
    [
        ({"dependency_available": True}, "pending"), ({"irrelevant": True}, "abandoned"),
        ({"needs": ("x",)}, "dead-letter"), ({"simpler_scope": SCOPE}, "dead-letter"),
        ({"simpler_scope": SCOPE}, "pending"), ({"needs": ("x",)}, "escalations"),
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_as_it_was_and_decided_again(world, fields, queue):
    before = (world.file(), world.file("pending"))
    world.files.broken["replace", queue] = FULL
    found = world.review(**fields)
    assert (False, False) == (found.reviewed, found.decisions[0].stored)
    assert (None, "retry_with_simpler_approach") == (found.decisions[0].created, found.decisions[0].strategy)
    assert ((), ["review", "decided"]) == (found.notified, list(found.order))
    expected = "escalation_write_failed" if queue == "escalations" else "queue_write_failed"
    assert {expected} == set(codes(found))
    assert before == (world.file(), world.file("pending"))
    assert [] == world.names()
    world.files.broken.clear()
    again = world.review(**fields)
    assert (True, True) == (again.reviewed, again.decisions[0].stored)


def test_what_cannot_be_taken_back_is_found_by_the_next_review(world):
    world.files.broken["replace", "dead-letter"] = world.files.broken["remove", "escalations"] = FULL
    assert not world.review(needs=("x",)).reviewed
    assert 1 == len(world.names())
    world.files.broken.clear()
    assert (("T-1",), 1) == (world.review(needs=("x",)).notified, len(world.names()))


def test_an_adopted_escalation_is_not_taken_back(world):
    world.files.broken["replace", "dead-letter"] = world.files.broken["remove", "escalations"] = FULL
    world.review(needs=("x",))
    del world.files.broken["remove", "escalations"]
    assert not world.review(needs=("x",)).reviewed
    assert 1 == len(world.names())


def test_a_simpler_task_that_cannot_be_taken_back_stays_the_only_one(world):
    writes = []
    replace = world.files.replace

    def once(path, data):
        writes.append(path)
        if len(writes) > 1:
            raise FULL
        replace(path, data)

    world.files.replace = once
    assert not world.review(simpler_scope=SCOPE).reviewed
    world.files.replace = replace
    assert ["pending"] == world.places("T-1-simpler")
    assert ("left", True) == tuple(getattr(world.decide(simpler_scope=SCOPE), name) for name in ("decision", "stored"))
    assert "T-1-simpler" == world.stored()["simpler_task"]


@pytest.mark.parametrize("method", ["look", "listing"])
def test_an_escalation_directory_that_cannot_be_looked_at(world, method):
    world.put("dead-letter", [letter(), letter("T-9", recovery_strategy="requires_human_review")])
    if method == "look":
        world.files.broken["look", "escalations"] = OSError(errno.EIO, "broken")
    else:
        world.queue.escalation_files.listing = lambda _: (_ for _ in ()).throw(OSError(errno.EACCES, "no"))
        assert (["escalation_write_failed"], ()) == (codes(world.escalations()), world.escalations().files)
    facts = {name: TaskFacts(needs=("x",)) for name in ("T-1", "T-9")}
    found = world.review(facts=facts)
    assert ([False, False], (), False) == ([each.stored for each in found.decisions], found.notified, found.reviewed)


def test_an_escalation_that_cannot_be_read_is_passed_over(world):
    world.review(needs=("x",))
    world.files.broken["read", "escalations"] = OSError(errno.EIO, "broken")
    found = world.escalations()
    assert ((), ["escalation_write_failed"]) == (found.files, codes(found))


def test_when_only_the_time_cannot_be_written_it_is_no_review(world):
    world.files.broken["replace", "dead-letter"] = FULL
    found = world.start()
    assert (False, ["review", "decided", "work"]) == (found.reviewed, list(found.order))
    assert OLD == world.file()["metadata"]


def test_a_task_that_stands_in_two_files_is_not_yet_abandoned_and_counted_once(world):
    world.files.broken["replace", "dead-letter"] = FULL
    found = world.abandon()
    assert (False, ["queue_write_failed"]) == (found.abandoned, codes(found))
    assert ["dead-letter", "abandoned"] == world.places()
    world.files.broken.clear()
    again = world.opened().abandon()
    assert (True, ["duplicate_removed"]) == (again.abandoned, codes(again))
    assert ["abandoned"] == world.places()
    assert (1, 0) == tuple(world.file()["metadata"][name] for name in ("total_abandoned", "total_recovered"))


def test_a_recovery_that_somebody_else_finishes_is_counted_once(world):
    world.files.broken["replace", "dead-letter"] = FULL
    assert world.decide(fixed_by="abc").stored
    world.files.broken.clear()
    world.tasks()
    assert (["pending"], 1) == (world.places(), world.file()["metadata"]["total_recovered"])
    world.tasks()
    assert 1 == world.file()["metadata"]["total_recovered"]


@pytest.mark.parametrize("other", ["pending", "abandoned", "dead-letter"])
def test_a_duplicate_that_this_did_not_make_is_removed_and_not_counted(world, other):
    twice = {"dead-letter": [letter(), letter()], other: [letter(), *([letter()] if other == "dead-letter" else [])]}
    for queue, tasks in twice.items():
        world.put(queue, {"tasks": tasks, "metadata": OLD})
    assert "duplicate_removed" in codes(world.tasks())
    assert ["abandoned" if other == "abandoned" else "dead-letter"] == world.places()
    assert OLD == world.file()["metadata"]


@pytest.mark.parametrize("data", [b"", b"{", b"null", b'{"tasks":5}', b"\xff", b"[" * 100_000])
def test_a_damaged_queue_is_kept_aside(world, data):
    world.put("dead-letter", data)
    found = world.start()
    assert (False, ["queue_damaged"], ["work"]) == (found.reviewed, codes(found), list(found.order))
    assert data == world.files.read(world.path("dead-letter") + ".corrupt-1", 1 << 20)
    assert world.fail("T-2").moved
    assert ["dead-letter"] == world.places("T-2")


def test_a_task_that_cannot_be_written_again_is_left(world):
    deep = "x"
    for _ in range(197):
        deep = [deep]
    world.put("pending", [task("T-3", 4, task_data=None, title=deep)])
    found = world.fail("T-3")
    assert (False, ["queue_write_failed"]) == (found.recorded, codes(found))
    assert ["pending"] == world.places("T-3")


def test_a_dependent_queue_that_cannot_be_read_stops_only_what_needs_it(world):
    world.files.broken["read", "pending"] = OSError(errno.EIO, "broken")
    world.put("dead-letter", [letter(), letter("T-9")])
    found = world.review(facts={"T-1": TaskFacts(fixed_by="x"), "T-9": TaskFacts(irrelevant=True)})
    assert [("retried", False), ("abandoned", True)] == [(each.decision, each.stored) for each in found.decisions]
    assert not found.reviewed
