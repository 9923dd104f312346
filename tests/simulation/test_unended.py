"""What is left to do, of tasks and of phases. Source: INV-17."""

import json

import pytest
from file_world import AT_WORK, BLOCKED, DEAD, DONE, HOME, PENDING, REVIEWS, queue

from harness.ports.fake_files import FakeFiles
from harness.simulation.invariants import unended


def test_what_is_pending_at_work_or_blocked_without_a_request_is_unended():
    files = FakeFiles()
    files.replace(PENDING, queue("a"))
    files.replace(AT_WORK, queue("b"))
    files.replace(BLOCKED, queue("c", "d"))
    files.replace(REVIEWS, b'{"task_id":"c"}')
    files.replace(DONE, queue("e"))
    files.replace(DEAD, queue("f"))
    assert ("a", "b", "d") == unended(files, HOME)


@pytest.mark.parametrize(
    ("statuses", "left"),
    [
        (("complete", "complete"), ()),
        (("complete", "running"), ("plan/1",)),
        (("pending", "pending"), ("plan/0", "plan/1")),
        (("failed", "blocked"), ()),
    ],
)
def test_a_plan_that_neither_is_complete_nor_has_failed_is_unended(statuses, left):
    files = FakeFiles()
    files.replace(f"{HOME}/.autobuild/config.json", b'{"plan_path":"plan","phase_ids":["0","1"]}')
    for number, status in enumerate(statuses):
        record = {"phase_id": str(number), "status": status, "attempt": 1, "max_attempts": 2}
        files.replace(f"{HOME}/.autobuild/phases/phase-{number}.json", json.dumps(record).encode())
    assert left == unended(files, HOME)
