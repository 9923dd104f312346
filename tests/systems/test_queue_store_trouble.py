"""The queues on disk when files are damaged or cannot be read or written, hold copies of a task, or are locked."""

import contextlib
import json

import pytest
from queue_disk import A, Disk, opened, tasks, where

from harness.systems import queue_files, queue_store
from harness.systems.queue_document import InvalidTaskError, document_of, encoded
from harness.systems.queue_store import QueuesLockedError, QueueStore, Report

# -- damaged files, and such as cannot be read


@pytest.mark.parametrize("data", ["", "{", "7", "{}", '{"tasks":[1],"tasks":[2]}', b"\xff", "[NaN]", "[" * 100_000])
def test_a_damaged_file_is_set_aside_and_the_queue_is_empty(data):
    disk = Disk(pending=data, blocked=tasks(A))
    disk.put("pending.json.corrupt-1", "earlier")
    disk.contents["/home/.loki/queue/pending.json.corrupt-1"] = (b"earlier", 1.0)
    with opened(disk) as queues:
        assert queues.reports == [Report("damaged", "pending", "/home/.loki/queue/pending.json.corrupt-2")]
        assert queues.read("pending") == queue_files.EMPTY
        queues.put("pending", {"task_id": "b"})
        assert queues.place("a") == "blocked"
    kept, mtime_s = disk.contents["/home/.loki/queue/pending.json.corrupt-2"]
    assert (kept, mtime_s) == (data if isinstance(data, bytes) else data.encode(), 5.0)
    assert disk.text("pending.json.corrupt-1") == "earlier"
    assert where(disk, "b") == ["pending"]


@pytest.mark.parametrize("operation", ["create", "remove"])
def test_a_damaged_file_that_cannot_be_set_aside_is_never_overwritten(operation):
    disk = Disk(pending="{torn")
    disk.broken[operation, ""] = OSError("full")
    for _ in range(3):
        with opened(disk) as queues:
            assert queues.reports == [Report("not_set_aside", "pending", "full")]
            assert queues.read("pending") == queue_files.EMPTY
            with pytest.raises(OSError, match="full"):
                queues.put("pending", A)
    assert disk.text("pending.json") == "{torn"
    disk.broken.clear()
    with opened(disk) as queues:
        queues.put("pending", A)
    assert disk.names() == ["pending.json", "pending.json.corrupt-1"]


def test_a_damaged_file_vanishes_while_it_is_set_aside():
    class Vanishing(Disk):
        def status(self, path):
            return None if path.endswith("pending.json") else super().status(path)

        def read(self, path, limit_bytes):
            return b"{" if path.endswith("pending.json") else super().read(path, limit_bytes)

    disk = Vanishing()
    with opened(disk) as queues:
        assert [each.kind for each in queues.reports] == ["damaged"]
    assert disk.contents["/home/.loki/queue/pending.json.corrupt-1"] == (b"{", 0.0)


def test_when_too_many_damaged_files_are_kept_the_next_stays_where_it_is(monkeypatch):
    monkeypatch.setattr(queue_store, "ASIDE_NUMBERS", range(1, 3))
    disk = Disk()
    for number in range(3):
        disk.put("pending", f"{{torn {number}")
        with opened(disk) as queues:
            kinds = [each.kind for each in queues.reports]
    assert kinds == ["not_set_aside"]
    assert disk.text("pending.json") == "{torn 2"
    disk.broken["read", "corrupt-1"] = OSError("bad sector")
    with opened(disk) as queues:
        assert [each.kind for each in queues.reports] == ["not_set_aside"]


def test_a_file_that_cannot_be_read_is_not_taken_for_an_empty_one():
    disk = Disk(pending=tasks(A), blocked=tasks({"task_id": "b"}))
    disk.broken["read", "pending.json"] = OSError("bad sector")
    with opened(disk) as queues:
        assert queues.reports == [Report("unreadable", "pending", "bad sector")]
        assert list(queues.unreadable) == ["pending"]
        assert queues.place("a") is None
        for call in (
            lambda: queues.read("pending"),
            lambda: queues.put("blocked", A),  # it may be in the one that cannot be read
            lambda: queues.put("pending", {"task_id": "b"}),
            lambda: queues.move("b", "blocked", "pending"),
            lambda: queues.set_metadata("pending", n=1),
        ):
            with pytest.raises(OSError, match="bad sector"):
                call()
        assert queues.move("b", "blocked", "completed")["moves"] == 1
    assert disk.text("pending.json") == tasks(A)


def test_a_file_that_is_too_long_is_neither_read_nor_written(monkeypatch):
    monkeypatch.setattr(queue_store, "LIMIT_BYTES", 200)
    disk = Disk(pending=tasks(A | {"n": "x" * 300}), blocked=tasks({"task_id": "b"}))
    with opened(disk) as queues:
        assert [each.kind for each in queues.reports] == ["unreadable"]
        with pytest.raises(OSError, match="more than 200 bytes"):
            queues.move("b", "blocked", "blocked", lambda task: task | {"n": "x" * 300})
    assert json.loads(disk.text("blocked.json")) == {"tasks": [{"task_id": "b"}]}


# -- copies


@pytest.mark.parametrize(
    ("copies", "expected"),
    [
        ({"pending": 0, "dead_letter": 1}, "dead-letter"),  # pending to dead letters, dead on the way
        ({"pending": 2, "dead_letter": 1}, "pending"),  # and back
        ({"pending": 4, "in_progress": 3}, "pending"),
        ({"pending": 4, "in_progress": 5, "abandoned": 3}, "in-progress"),
        ({"pending": 0, "in_progress": 0}, "in-progress"),  # by somebody who does not count
        ({"abandoned": 0, "dead_letter": 0}, "abandoned"),
        ({"pending": 1, "completed": True}, "pending"),
        ({"pending": 1, "completed": "9"}, "pending"),
        ({"pending": 1, "completed": -1}, "pending"),
        ({"pending": 1, "completed": 10**30}, "pending"),
        ({"pending": 1, "completed": 5.0}, "pending"),
    ],
)
def test_of_copies_the_one_that_is_further_along_stays(copies, expected):
    disk = Disk(**{queue: tasks({"task_id": "z"}, A | {"moves": moves}, 7) for queue, moves in copies.items()})
    for queue in copies:
        disk.put(queue, disk.text(f"{queue.replace('_', '-')}.json").replace('"z"', f'"{queue}"'))
    with opened(disk) as queues:
        gone = [queue for queue in queue_files.QUEUES if queue.replace("-", "_") in copies and queue != expected]
        assert sorted(queues.reports) == sorted(Report("duplicate", queue, "a", "a") for queue in gone)
    found = {queue: document_of(disk.text(f"{queue}.json").encode()).queue for queue in [expected, *gone]}
    assert [expected] == list(queue_files.places(found, "a"))
    assert {each.odd for each in found.values()} == {(7,)}
    assert all(each.ids()[0] == queue.replace("-", "_") for queue, each in found.items())


def test_of_copies_in_one_file_the_first_of_the_furthest_stays():
    one, two, three = (A | {"n": number} for number in range(3))
    for copies, expected in (((one, two, 7, two), one), ((one, two | {"moves": 1}, three), two | {"moves": 1})):
        disk = Disk(pending=tasks(*copies))
        with opened(disk) as queues:
            assert queues.tasks("pending") == (expected,)
            assert [each.kind for each in queues.reports] == ["duplicate", "duplicate"]
        assert [expected] == [each for each in json.loads(disk.text("pending.json"))["tasks"] if each != 7]


def test_a_copy_that_cannot_be_taken_out_is_gone_here_and_goes_with_the_next_write():
    disk = Disk(pending=tasks(A), dead_letter=tasks(A | {"moves": 1}))
    disk.broken["replace", "pending.json"] = OSError("full")
    with opened(disk) as queues:
        assert [(each.kind, each.task_id) for each in queues.reports] == [("duplicate", "a"), ("not_removed", "a")]
        assert queues.tasks("pending") == ()
        with pytest.raises(OSError, match="full"):
            queues.drop("dead-letter", "a")  # else the copy would come back
        assert queues.place("a") == "dead-letter"
        disk.broken.clear()
        queues.drop("dead-letter", "a")
    assert where(disk) == []


def test_a_copy_in_the_file_itself_goes_with_the_drop():
    disk = Disk(pending=tasks(A, A))
    disk.broken["replace", ""] = OSError("full")
    with opened(disk) as queues:
        disk.broken.clear()
        queues.drop("pending", "a")
    assert json.loads(disk.text("pending.json")) == {"tasks": []}


def test_dropping_another_task_leaves_what_is_left_of_a_copy():
    disk = Disk(pending=tasks(A), dead_letter=tasks(A | {"moves": 1}, {"task_id": "b"}))
    disk.broken["replace", "pending.json"] = OSError("full")
    with opened(disk) as queues:
        queues.drop("dead-letter", "b")
    disk.broken.clear()
    assert where(disk) == ["dead-letter"]


def test_a_task_whose_source_cannot_be_written_is_moved_and_the_source_follows():
    disk = Disk(in_progress=tasks(A))
    disk.broken["replace", "in-progress.json"] = OSError("full")
    with opened(disk) as queues:
        assert queues.move("a", "in-progress", "dead-letter")["moves"] == 1
        assert queues.reports == [Report("not_removed", "in-progress", "full", "a")]
        assert queues.place("a") == "dead-letter"
        disk.broken.clear()
        assert queues.move("a", "dead-letter", "in-progress")["moves"] == 2
        assert queues.place("a") == "in-progress"
    assert where(disk) == ["in-progress"]


def test_a_task_whose_destination_cannot_be_written_stays():
    disk = Disk(in_progress=tasks(A))
    before = disk.text("in-progress.json")
    disk.broken["replace", "blocked.json"] = OSError("full")
    with opened(disk) as queues:
        with pytest.raises(OSError, match="full"):
            queues.move("a", "in-progress", "blocked", lambda task: task | {"n": 1})
        assert queues.place("a") == "in-progress"
        assert queues.tasks("in-progress") == (A,)
    assert disk.text("in-progress.json") == before


def test_a_document_replaces_all_copies_of_a_task():
    document = document_of(tasks(A, {"task_id": "b"}, A | {"n": 1}).encode())
    changed = document.with_task(document.entries[2])
    assert changed.queue.tasks == (A | {"n": 1}, {"task_id": "b"})


def test_what_is_no_json_is_an_invalid_task():
    assert json.loads(encoded("\ud800x")) == "\ud800x"
    with pytest.raises(InvalidTaskError):
        encoded({1, object()})


# -- the lock


def test_when_the_lock_cannot_be_had_nothing_is_touched_and_the_reason_told():
    disk = Disk(pending="{torn")
    disk.broken["lock", ".loki/queue/.lock"] = PermissionError(13, "Permission denied")
    with pytest.raises(QueuesLockedError, match="Permission denied") as caught, opened(disk):
        pass
    assert caught.value.errno == 13
    assert disk.names() == ["pending.json"]


def test_who_keeps_the_lock_is_waited_for_less_each_time_and_then_no_more():
    disk, asked = Disk(pending=tasks(A)), []

    class Kept(Disk):
        @contextlib.contextmanager
        def lock(self, path, timeout_s):
            asked.append(timeout_s)
            raise TimeoutError(path)
            yield

    store = QueueStore(Kept(), "/home")
    for _ in range(5):
        with pytest.raises(QueuesLockedError), store.held():
            pass
    assert asked == [0.5, 0, 1 / 32, 0, 1 / 512, 0, 0, 0]
    store.files = disk
    with store.held() as queues:
        assert queues.place("a") == "pending"
    assert store.patience_s == 0.5


@pytest.mark.parametrize("refusal", [BlockingIOError, TimeoutError])
def test_who_has_no_thread_to_wait_in_or_none_in_time_asks_once_more(refusal):
    asked = []

    class Crowded(Disk):
        free = True

        @contextlib.contextmanager
        def lock(self, path, timeout_s):
            asked.append(timeout_s)
            if timeout_s:
                raise refusal(path)
            if not self.free:
                raise TimeoutError(path)
            yield

    disk = Crowded(pending=tasks(A))
    with opened(disk) as queues:
        assert queues.place("a") == "pending"
    assert asked == [0.5, 0]
    disk.free = False
    with pytest.raises(QueuesLockedError), opened(disk):
        pass


def test_nothing_is_written_once_the_lock_is_given_back():
    disk = Disk(pending=tasks(A))
    with opened(disk) as queues:
        pass
    for call in (
        lambda: queues.put("pending", {"task_id": "b"}),
        lambda: queues.move("a", "pending", "blocked"),
        lambda: queues.drop("pending", "a"),
        lambda: queues.set_metadata("pending", n=1),
    ):
        with pytest.raises(QueuesLockedError):
            call()
    assert disk.text("pending.json") == tasks(A)
    assert disk.names() == ["pending.json"]


def test_an_error_of_the_caller_gives_the_lock_back_as_it_is():
    with pytest.raises(TimeoutError, match="mine"), opened(Disk()) as queues:
        raise TimeoutError("mine")
    assert not queues.can_write


def test_without_the_lock_the_queues_are_seen_and_left_as_they_are():
    disk = Disk(pending=tasks(A), dead_letter=tasks(A | {"moves": 1}), blocked="{torn")
    before = dict(disk.contents)
    disk.broken["lock", ""] = OSError("full")
    queues = QueueStore(disk, "/home").seen()
    assert queues.place("a") == "dead-letter"
    assert queues.read("blocked") == queue_files.EMPTY
    assert [each.kind for each in queues.reports] == ["not_set_aside", "duplicate", "not_removed"]
    assert before == disk.contents
