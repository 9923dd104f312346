"""The queues on disk, one process at a time: tasks put, moved, dropped, and what others wrote."""

import json

import pytest
from queue_disk import A, Disk, opened, tasks, where

from harness.systems import queue_files, queue_store
from harness.systems.queue_document import InvalidTaskError
from harness.systems.queue_store import NoSuchTaskError, Queues, QueueStore, Report


def test_a_task_is_put_found_changed_and_dropped():
    disk = Disk()
    with opened(disk) as queues:
        assert queues.read("pending") is not None
        assert queues.read("pending") == queue_files.EMPTY
        assert queues.put("pending", A) == A
        assert queues.place("a") == "pending"
        assert queues.tasks("pending") == (A,)
        assert queues.put("pending", A | {"n": 1}) == A | {"n": 1}
    assert json.loads(disk.text("pending.json")) == {"tasks": [A | {"n": 1}]}
    with opened(disk) as queues:
        queues.drop("pending", "a")
        assert queues.place("a") is None
        assert queues.reports == []
    assert disk.names() == ["pending.json"]
    assert where(disk) == []


def test_a_move_goes_through_the_change_and_counts():
    disk = Disk(pending=tasks(A, {"task_id": "b"}))
    with opened(disk) as queues:
        assert queues.move("a", "pending", "dead-letter", lambda task: task | {"failure_count": 5}) == {
            **A, "failure_count": 5, "moves": 1,
        }  # fmt: skip
        assert queues.move("a", "dead-letter", "pending")["moves"] == 2
        assert queues.move("a", "pending", "pending", lambda _: {"task_id": "other", "n": 1}) == {
            "task_id": "a", "n": 1, "moves": 2,
        }  # fmt: skip
        assert queues.read("pending").ids() == ("b", "a")
        assert queues.read("dead-letter").ids() == ()
    assert where(disk) == ["pending"]


def test_a_task_that_is_put_elsewhere_is_moved_there():
    disk = Disk(in_progress=tasks(A))
    with opened(disk) as queues:
        assert queues.put("blocked", {"task_id": "a", "n": 1}) == {"task_id": "a", "n": 1, "moves": 1}
        assert queues.read("in-progress").tasks == ()
    assert where(disk) == ["blocked"]


def test_what_is_given_and_what_is_held_are_two_things():
    disk = Disk(pending=tasks(A | {"deep": {"list": [1]}}))
    with opened(disk) as queues:

        def change(task):
            task["deep"]["list"].append(2)
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            queues.move("a", "pending", "blocked", change)
        assert queues.read("pending").tasks[0]["deep"] == {"list": [1]}
        queues.put("pending", A | {"deep": [1]})["deep"].append(2)
        assert queues.read("pending").tasks[0]["deep"] == [1]


def test_a_task_that_is_not_there_is_said_to_be_missing():
    with opened(Disk(pending=tasks(A))) as queues:
        for call in (
            lambda: queues.move("a", "blocked", "pending"),
            lambda: queues.drop("blocked", "a"),
            lambda: queues.drop("pending", "\ud800"),
        ):
            with pytest.raises(NoSuchTaskError):
                call()


def nested(levels):
    return [] if levels == 0 else [nested(levels - 1)]


@pytest.mark.parametrize(
    "task",
    [
        {}, {"task_id": ""}, {"task_id": 1}, {"task_id": "\ud800"}, A | {"n": object()}, A | {"n": nested(300)},
        A | {"n": nested(900)}, A | {"n": "\ud800", "m": float("nan")},
    ],
    ids=["empty", "no id", "number", "half", "object", "deep", "deeper", "no number"],
)  # fmt: skip
def test_what_could_not_be_read_again_is_refused_and_nothing_written(task):
    disk = Disk(pending=tasks(A))
    before = disk.text("pending.json")
    with opened(disk) as queues, pytest.raises(InvalidTaskError):
        queues.put("pending", task)
    with opened(disk) as queues, pytest.raises(InvalidTaskError):
        queues.move("a", "pending", "pending", lambda _: task | {"n": nested(900)})
    assert disk.text("pending.json") == before


def test_halves_of_surrogate_pairs_are_kept_as_texts():
    disk = Disk(pending=r'{"tasks":[{"task_id":"a","t":"\ud800"}],"m\ud800":1}')
    with opened(disk) as queues:
        assert queues.put("blocked", {"task_id": "b", "t": "\ud800"})["t"] == "\\ud800"
        queues.put("pending", {"task_id": "c"})
    with opened(disk) as queues:
        assert queues.read("blocked").tasks == ({"task_id": "b", "t": "\\ud800"},)
        assert queues.read("pending").tasks == ({"task_id": "a", "t": "\\ud800"}, {"task_id": "c"})
        assert queues.read("pending").metadata == {"m\\ud800": 1}


def test_the_form_of_a_file_and_all_that_others_wrote_is_kept():
    disk = Disk(
        pending='{"v":1e400,"tasks":[null, {"task_id":"b","n":1.0}, {"id":7}, [1]],"metadata":{"x": 1},"v2":null}',
        blocked='\n[{"task_id":"c","n":12345678901234567890123456789}, "odd"]',
    )
    with opened(disk) as queues:
        queues.put("pending", A)
        queues.put("blocked", {"task_id": "d"})
        queues.put("blocked", {"task_id": "d", "n": 2})
        assert queues.read("pending").odd == (None, [1])
        assert queues.read("pending").metadata == {"v": float("inf"), "metadata": {"x": 1}, "v2": None}
        assert queues.read("blocked").metadata is None
    assert disk.text("pending.json") == (
        '{"v":1e400,"tasks":[\nnull,\n{"task_id":"b","n":1.0},\n{"id":7},\n[1],\n{"task_id":"a","title":"parser"}\n],'
        '"metadata":{"x": 1},"v2":null}\n'
    )
    assert disk.text("blocked.json") == (
        '[\n{"task_id":"c","n":12345678901234567890123456789},\n"odd",\n{"task_id":"d","n":2}\n]\n'
    )


def test_metadata_is_set_and_a_bare_array_becomes_an_object_for_it():
    disk = Disk(dead_letter='{"metadata":{"total_abandoned":2},"tasks":[]}', blocked="[7]", pending='{"tasks":[]}')
    with opened(disk) as queues:
        for queue in ("dead-letter", "blocked", "pending", "abandoned"):
            queues.set_metadata(queue, last_reviewed="now")
        assert queues.read("blocked") == queue_files.QueueFile((), (7,), {"metadata": {"last_reviewed": "now"}})
        assert queues.reports == []
        with pytest.raises(InvalidTaskError):
            queues.set_metadata("blocked", deep=nested(300))
        with pytest.raises(InvalidTaskError):
            queues.set_metadata("blocked", odd=object())
    assert json.loads(disk.text("dead-letter.json")) == {
        "metadata": {"total_abandoned": 2, "last_reviewed": "now"}, "tasks": [],
    }  # fmt: skip
    assert json.loads(disk.text("abandoned.json")) == {"tasks": [], "metadata": {"last_reviewed": "now"}}


def test_metadata_that_is_no_object_is_replaced_and_told():
    disk = Disk(blocked='{"tasks":[],"metadata":[1]}')
    with opened(disk) as queues:
        queues.set_metadata("blocked", n=1)
        assert queues.reports == [Report(queue_store.METADATA, "blocked", "[1]")]
    assert json.loads(disk.text("blocked.json")) == {"tasks": [], "metadata": {"n": 1}}


def test_one_behaviour_is_replaced_by_one_method():
    class SourceFirst(Queues):
        def _write_destination_first(self, entry, source, destination):
            self._take_out(source, str(entry.id()))
            self._write(destination, self._document(destination).with_task(entry))

    class Wrong(QueueStore):
        queues_class = SourceFirst

    disk = Disk(pending=tasks(A))
    disk.broken["replace", "blocked.json"] = OSError("full")
    with Wrong(disk, "/home").held() as queues, pytest.raises(OSError, match="full"):
        queues.move("a", "pending", "blocked")
    disk.broken.clear()
    assert where(disk) == []


# -- what no float holds

HUGE = '{"tasks": [{"task_id": "a", "cost": 1e400, "deep": {"n": [-1E+999, null]}, "exact": 0.10000000000000000055}]}'


def test_a_number_beyond_a_float_goes_with_its_task_as_it_is_written():
    disk = Disk(pending=HUGE)
    with opened(disk) as queues:
        assert queues.move("a", "pending", "blocked", lambda task: {**task, "n": 1})["n"] == 1
    assert disk.text("blocked.json") == (
        '{"tasks":[\n{"task_id":"a","cost":1e400,"deep":{"n": [-1E+999, null]},"exact":0.10000000000000000055,'
        '"n":1,"moves":1}\n]}\n'
    )


def test_an_integer_of_many_digits_goes_with_its_task():
    digits = "1" + "0" * 5_000
    disk = Disk(pending='[{"task_id": "a", "cost": ' + digits + "}]")
    with opened(disk) as queues:
        queues.move("a", "pending", "pending", lambda task: {**task, "n": 1})
    assert f'"cost":{digits},' in disk.text("pending.json")


def test_what_would_become_null_is_refused():
    disk = Disk(pending=HUGE)
    for change in (
        lambda task: {**task, "deep": {"n": [*task["deep"]["n"], 3]}},
        lambda task: {**task, "copy": task["cost"]},
        lambda task: {**task, "mean": float("nan")},
    ):
        with opened(disk) as queues, pytest.raises(InvalidTaskError, match="not finite"):
            queues.move("a", "pending", "blocked", change)
    with opened(disk) as queues, pytest.raises(InvalidTaskError):
        queues.put("blocked", {"task_id": "b", "cost": (float("inf"),)})
    assert disk.text("pending.json") == HUGE
    assert disk.names() == ["pending.json"]


def test_a_field_that_says_something_else_is_written_anew():
    disk = Disk(pending='[{"task_id": "a", "x": 1, "y": 1.0, "z": 1e400, "w": null}]')
    with opened(disk) as queues:
        queues.move("a", "pending", "pending", lambda task: {**task, "x": True, "y": 1, "z": None, "w": 0})
    assert json.loads(disk.text("pending.json")) == [{"task_id": "a", "x": True, "y": 1, "z": None, "w": 0}]
    assert '"x":true,"y":1,"z":null' in disk.text("pending.json")


def test_metadata_that_is_such_a_number_is_replaced_and_told_of():
    disk = Disk(blocked='{"tasks": [], "metadata": 1e400}')
    with opened(disk) as queues:
        queues.set_metadata("blocked", n=1)
        assert queues.reports == [Report(queue_store.METADATA, "blocked", "1e400")]


def test_metadata_keeps_a_number_that_no_float_holds():
    disk = Disk(dead_letter='{"tasks": [], "metadata": {"total": 1e400, "other": [1.50]}}')
    with opened(disk) as queues:
        queues.set_metadata("dead-letter", last="now")
    assert disk.text("dead-letter.json") == '{"tasks":[\n\n],"metadata":{"total":1e400,"other":[1.50],"last":"now"}}\n'
    with opened(disk) as queues:
        queues.set_metadata("dead-letter", total=1)
    assert '"total":1,' in disk.text("dead-letter.json")
