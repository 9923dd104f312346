"""How the reference claims, starts and finishes tasks, and what it does with queues that are not as they should be."""

import errno
import json

import pytest
from session_recovery_world import actions, codes, task, world

FULL = OSError(errno.ENOSPC, "full")
EIO = OSError(errno.EIO, "broken")


def test_each_task_is_claimed_once_and_then_there_is_none():
    made = world(pending=[task("a", priority="high", odd={"x": [1]}), task("b")])
    other = made.opened()
    first, second, third = made.claim("w1"), other.claim("w2"), made.claim("w1")
    assert ["claimed", "claimed", "none"] == [first.outcome, second.outcome, third.outcome]
    assert {**task("a", priority="high", odd={"x": [1]}), "claimed_by": "w1", "moves": 1} == first.task
    assert ("b", None) == (second.task["task_id"], third.task)
    assert {"pending": [], "in-progress": ["a", "b"], "completed": []} == made.queues()
    assert [] == codes(first) + codes(second) + codes(third)


def test_without_queues_there_is_nothing_to_claim():
    assert ("none", None, ()) == (world().claim().outcome, world().claim().task, world().claim().log)


def test_what_stands_beside_the_tasks_stays():
    made = world()
    made.put("pending", b'{"v":1,"tasks":[7,{"title":"no id"},{"task_id":"a"},{"task_id":"b","n":1e2}],"w":2}')
    made.put("in-progress", b'[{"task_id":"c"},"odd"]')
    assert "a" == made.claim().task["task_id"]
    assert {"v": 1, "tasks": [7, {"title": "no id"}, {"task_id": "b", "n": 100.0}], "w": 2} == made.written("pending")
    assert ["c", "a"] == [each["task_id"] for each in made.written("in-progress") if each != "odd"]


def test_a_number_that_no_float_holds_stays_and_is_told_as_null():
    made = world()
    made.put("pending", b'[{"task_id":"a","cost":1e400}]')
    found = made.claim().task
    assert ("a", None) == (found["task_id"], found["cost"])
    assert b'"cost":1e400' in made.files.read("/world/.loki/queue/in-progress.json", 999)


@pytest.mark.parametrize("queue", ["in_progress", "completed"])
@pytest.mark.parametrize("moves", [{}, {"moves": 9}])
def test_what_is_in_progress_or_finished_is_not_claimed(queue, moves):
    made = world(pending=[task("a", **moves), task("b")], **{queue: [task("a")]})
    assert "b" == made.claim().task["task_id"]
    assert 1 == sum(ids.count("a") for ids in made.queues().values())


def test_of_two_of_one_id_one_is_handed_out():
    made = world(pending=[task("a"), task("a", title="again")])
    found = made.claim()
    assert ("claimed", "Task a", ["duplicate_removed"]) == (found.outcome, found.task["title"], codes(found))
    assert "none" == made.claim().outcome


def test_a_damaged_queue_has_no_tasks_and_is_kept():
    made = world()
    made.put("pending", b"{torn")
    found = made.claim()
    assert ("none", ["queue_invalid"]) == (found.outcome, codes(found))
    assert b"{torn" == made.files.read("/world/.loki/queue/pending.json.corrupt-1", 99)


def test_a_damaged_queue_that_cannot_be_kept_aside_stays():
    made = world(pending=[task("a")])
    made.put("in-progress", b"{torn")
    made.files.broken["create", "in-progress"] = FULL
    found = made.claim()
    assert ("failed", None) == (found.outcome, found.task)
    assert ["queue_write_failed", "queue_invalid"] == codes(found)
    assert (b"{torn", ["a"]) == (made.text("in-progress"), made.ids("pending"))


@pytest.mark.parametrize("label", ["pending", "in-progress", "completed"])
def test_nothing_is_claimed_while_it_may_be_taken(label):
    made = world(pending=[task("a")], in_progress=[], completed=[])
    made.files.broken["read", label] = EIO
    found = made.claim()
    assert ("failed", None) == (found.outcome, found.task)
    assert "queue_unreadable" in codes(found)
    made.files.broken.clear()
    assert ["a"] == made.ids("pending")


def test_nothing_is_claimed_without_the_lock():
    made = world(pending=[task("a")])
    made.files.broken["lock", "queues"] = FULL
    found = made.claim()
    assert ("failed", None, ["lock_failed"]) == (found.outcome, found.task, codes(found))
    assert (["a"], []) == (made.ids("pending"), made.ids("in-progress"))


def test_nothing_is_claimed_on_a_full_disk():
    made = world(pending=[task("a")])
    made.files.broken["replace", None] = FULL
    found = made.claim()
    assert ("failed", None, ["queue_write_failed"]) == (found.outcome, found.task, codes(found))
    made.files.broken.clear()
    assert "a" == made.claim().task["task_id"]


def test_a_task_whose_old_queue_cannot_be_written_stays_there():
    made = world(pending=[task("a")])
    made.files.broken["replace", "pending"] = FULL
    found = made.claim()
    assert ("failed", None, ["queue_write_failed"]) == (found.outcome, found.task, codes(found))
    assert {"pending": ["a"], "in-progress": [], "completed": []} == made.queues()
    made.files.broken.clear()
    assert ("claimed", task("a")["title"]) == (made.claim().outcome, made.written("in-progress")["tasks"][0]["title"])


@pytest.mark.parametrize(
    ("struck", "told", "left"),
    [({2, 3}, [], []), ({2, 3, 4}, ["queue_write_failed"], []), ({2, 3, 4, 5}, ["queue_write_failed"], ["a"])],
    ids=["second-write", "next-opening", "next-operation"],
)
def test_a_task_that_cannot_be_put_back_is_claimed(struck, told, left):
    made = world(pending=[task("a")])
    replace, calls = made.files.replace, []

    def struck_replace(path, data):
        calls.append(path)
        if len(calls) in struck:
            raise EIO
        replace(path, data)

    made.files.replace = struck_replace
    found = made.claim()
    assert ("claimed", "a", told) == (found.outcome, found.task["task_id"], codes(found))
    assert {"pending": left, "in-progress": ["a"], "completed": []} == made.queues()
    assert "none" == made.claim().outcome
    assert {"pending": [], "in-progress": ["a"], "completed": []} == made.queues()


def test_a_task_that_cannot_be_written_stays_and_the_next_is_claimed(monkeypatch):
    made = world(pending=[task("a"), task("b")])
    deep = {}
    for _ in range(300):
        deep = {"x": deep}
    change = made.session.parts.tasks.change
    monkeypatch.setattr(
        made.session.parts.tasks, "change",
        lambda field, worker: lambda found: {**change(field, worker)(found), **({"x": deep} if found["task_id"] == "a" else {})},
    )  # fmt: skip
    found = made.claim()
    assert ("b", ["queue_invalid"]) == (found.task["task_id"], codes(found))
    assert ["a"] == made.ids("pending")


# -- start_task


@pytest.mark.parametrize("queue", ["pending", "in_progress", "blocked", "completed", "abandoned"])
def test_requirements_are_read_before_anything_is_coded(queue):
    found = world(**{queue: [task("b"), task("a", description="Do it well.")]}).start()
    assert ["read_requirements", "implement"] == actions(found)
    assert (True, "Do it well.", None, []) == (found.started, found.requirements, found.specification, codes(found))


def test_a_dead_letter_has_its_requirements_in_its_data():
    letter = {"task_id": "a", "task_data": {"description": "From before."}}
    assert "From before." == world(dead_letter=[letter]).start().requirements


def test_of_long_requirements_the_beginning_is_shown():
    assert "x" * 4096 == world(pending=[task("a", description="x" * 5000)]).start().requirements


def test_a_task_that_no_queue_has_is_not_begun():
    found = world(pending=[task("b")]).start("a", "GET /x")
    assert ["read_requirements"] == actions(found)
    assert (False, None, None, ["task_unknown"]) == (
        found.started,
        found.requirements,
        found.specification,
        codes(found),
    )
    assert not found.steps[0].ok


@pytest.mark.parametrize("fields", [{"description": ""}, {"description": 5}, {"description": None, "task_data": []}])
def test_a_task_without_requirements_is_not_begun(fields):
    found = world(pending=[task("a", **fields)]).start()
    assert (False, ["read_requirements"], ["requirements_missing"]) == (found.started, actions(found), codes(found))


def test_an_interface_is_specified_before_it_is_coded():
    made = world(pending=[task("a")])
    made.start("a", "GET /users -> 200\nä")
    found = made.start("a", "GET /users -> 204")
    assert ["read_requirements", "specify", "implement"] == actions(found)
    assert ".loki/specs/interfaces.jsonl" == found.specification
    lines = [json.loads(line) for line in made.text("specification").splitlines()]
    assert [
        {"task_id": "a", "interface": "GET /users -> 200\nä"},
        {"task_id": "a", "interface": "GET /users -> 204"},
    ] == lines


@pytest.mark.parametrize("method", ["read", "replace", "lock"])
def test_what_cannot_be_specified_is_not_coded(method):
    made = world(pending=[task("a")])
    made.files.broken[method, "specification"] = FULL
    found = made.start("a", "GET /users")
    assert ["read_requirements", "specify"] == actions(found)
    assert (False, None, False) == (found.started, found.specification, found.steps[1].ok)
    assert ["specification_write_failed"] == codes(found)


def test_requirements_are_read_without_the_lock_where_it_cannot_be_had():
    made = world(pending=[task("a")])
    made.files.broken["lock", "queues"] = FULL
    found = made.start()
    assert (True, ["lock_failed"]) == (found.started, codes(found))


# -- complete, ledger


def test_a_finished_task_leaves_and_is_in_the_ledger():
    made = world(pending=[task("a"), task("b")])
    made.claim()
    found = made.complete("a")
    assert ("completed", True, ".loki/memory/ledgers/tasks.jsonl", []) == (
        found.outcome, found.recorded, found.ledger, codes(found),
    )  # fmt: skip
    assert {"pending": ["b"], "in-progress": [], "completed": ["a"]} == made.queues()
    assert b'{"task_id":"a","worker":"w1"}\n' == made.text("ledger")
    assert (("a",), ()) == (made.opened().ledger().task_ids, made.ledger().log)
    again = made.complete("a")
    assert ("unknown", False, None, ["task_unknown"]) == (again.outcome, again.recorded, again.ledger, codes(again))
    assert ("a",) == made.ledger().task_ids


@pytest.mark.parametrize("queues", [{}, {"pending": [task("a")]}, {"in_progress": [task("b")]}])
def test_a_task_that_is_not_in_progress_is_unknown(queues):
    made = world(**queues)
    assert "unknown" == made.complete("a").outcome
    assert () == made.ledger().task_ids


@pytest.mark.parametrize("queue", ["completed", "dead_letter"])
def test_a_task_that_was_in_progress_too_is_finished(queue):
    made = world(in_progress=[task("a")], **{queue: [task("a", title="copy")]})
    found = made.complete("a")
    assert ("completed", True) == (found.outcome, found.recorded)
    assert {"pending": [], "in-progress": [], "completed": ["a"]} == made.queues()
    assert ("a",) == made.ledger().task_ids


def test_what_somebody_else_finished_is_not_in_the_ledger():
    made = world(completed=[task("a"), task("b", completed_by=5), {"completed_by": "x"}])
    assert () == made.ledger().task_ids
    with pytest.raises(FileNotFoundError):
        made.text("ledger")


@pytest.mark.parametrize("method", ["read", "replace", "lock"])
def test_a_ledger_that_cannot_be_written_is_made_good_for_later(method):
    made = world(in_progress=[task("a"), task("b")])
    made.files.broken[method, "ledger"] = FULL
    found = made.complete("a")
    assert ("completed", False, None, ["ledger_write_failed"]) == (
        found.outcome, found.recorded, found.ledger, codes(found),
    )  # fmt: skip
    made.files.broken.clear()
    assert ("a",) == made.ledger().task_ids
    assert made.complete("b").recorded
    assert ("a", "b") == made.ledger().task_ids


def test_an_unreadable_ledger_has_nothing_and_is_told():
    made = world(in_progress=[task("a")])
    made.complete("a")
    made.files.broken["read", "ledger"] = EIO
    found = made.ledger()
    assert ((), ["ledger_write_failed", "ledger_invalid"]) == (found.task_ids, codes(found))


def test_a_ledger_that_is_too_long_is_not_read(monkeypatch):
    made = world(in_progress=[task("a")])
    made.put("ledger", b'{"task_id":"z"}\n')
    monkeypatch.setattr("harness.systems.session_recovery.reference.lines.LIMIT_BYTES", 5)
    assert ((), ["ledger_invalid"]) == (made.ledger().task_ids, codes(made.ledger()))
    found = made.complete("a")
    assert ("completed", False) == (found.outcome, found.recorded)
    assert b'{"task_id":"z"}\n' == made.text("ledger")


def test_lines_that_name_no_task_stay_and_are_told():
    made = world(in_progress=[task("a")])
    made.put("ledger", b'{"task_id":"z"}\n\n[]\n{"task_id":5}\n{"task_id":"z"}\n\xff\ntorn')
    found = made.complete("a")
    assert (True, ["ledger_invalid"]) == (found.recorded, codes(found))
    assert (("z", "a"), ["ledger_invalid"]) == (made.ledger().task_ids, codes(made.ledger()))
    assert made.text("ledger").startswith(b'{"task_id":"z"}\n\n[]\n{"task_id":5}\n{"task_id":"z"}\n\xff\ntorn\n{')


@pytest.mark.parametrize(("method", "label", "code"), [
    ("lock", "queues", "lock_failed"), ("replace", "completed", "queue_write_failed"),
    ("read", "in-progress", "queue_unreadable"), ("read", "completed", "queue_unreadable"),
])  # fmt: skip
def test_a_task_that_cannot_leave_stays(method, label, code):
    made = world(in_progress=[task("a")], completed=[])
    made.files.broken[method, label] = FULL
    found = made.complete("a")
    assert ("failed", False) == (found.outcome, found.recorded)
    assert code in codes(found)
    made.ledger()
    made.files.broken.clear()
    assert ["a"] == made.ids("in-progress")
    assert () == made.ledger().task_ids


def test_the_ledger_is_told_without_the_lock():
    made = world(in_progress=[task("a")])
    made.complete("a")
    made.files.broken["lock", "queues"] = FULL
    assert (("a",), ["lock_failed"]) == (made.ledger().task_ids, codes(made.ledger()))
