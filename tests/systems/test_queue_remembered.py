"""A queue file that was read a moment ago is not read again, and nobody can tell."""

import json

import pytest

from harness.ports.fake_files import FakeFiles
from harness.systems.queue_document import queue_document_of
from harness.systems.queue_files import BLOCKED, PENDING, path_of
from harness.systems.queue_store import QueueStore

TASK = {"task_id": "a", "title": "A"}


def written(*tasks):
    return json.dumps({"tasks": tasks}).encode()


def test_two_queues_that_say_the_same_have_no_entry_in_common():
    """Or the copy that stays could not be told from the one that is taken out."""
    files = FakeFiles()
    for queue in (PENDING, BLOCKED):
        files.replace(f"/h/{path_of(queue)}", written(TASK))
    with QueueStore(files, "/h").held() as queues:
        assert [report.queue for report in queues.reports] == [PENDING]
        assert (queues.tasks(PENDING), queues.tasks(BLOCKED)) == ((), (TASK,))


def test_what_somebody_else_has_written_is_read():
    files = FakeFiles()
    mine, other = QueueStore(files, "/h"), QueueStore(files, "/h")
    with mine.held() as queues:
        queues.put(PENDING, TASK)
    with other.held() as queues:
        queues.move("a", PENDING, PENDING, lambda task: {**task, "title": "B"})
    assert mine.seen().find("a")["title"] == "B"


def test_what_is_said_of_a_task_is_no_part_of_what_is_remembered():
    files = FakeFiles()
    store = QueueStore(files, "/h")
    with store.held() as queues:
        queues.put(PENDING, {**TASK, "list": []})["list"].append(1)

    def spoilt(task):
        task["list"].append(2)
        raise OSError

    for _ in range(2):
        with store.held() as queues:
            with pytest.raises(OSError):
                queues.move("a", PENDING, BLOCKED, spoilt)
            assert queues.find("a")["list"] == []


def test_a_file_is_remembered_when_it_is_short():
    short, long = written(TASK), written({**TASK, "title": "A" * 70_000})
    assert queue_document_of(PENDING, short) is queue_document_of(PENDING, short)
    assert queue_document_of(PENDING, short) == queue_document_of(BLOCKED, short)
    assert queue_document_of(PENDING, short) is not queue_document_of(BLOCKED, short)
    assert queue_document_of(PENDING, long) is not queue_document_of(PENDING, long)
    assert queue_document_of(PENDING, long) == queue_document_of(PENDING, long)
