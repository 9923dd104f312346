"""What systems answer is what stands in their files."""

import json

import pytest
from file_world import AT_WORK, BREAKERS, HOME, PENDING, WHEN, World, breakers, queue

from harness.core.events import (
    BreakerMoved,
    BreakerTold,
    CallPermitted,
    CallRefused,
    ErrorsReported,
    MachineRestarted,
    SessionCut,
    StorageChanged,
)
from harness.core.task_events import TaskClaimed, WorkerBegun
from harness.systems.phase_runner.contract.words import Status


@pytest.fixture
def world():
    return World()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (CallPermitted, {"state": "CLOSED"}),
        (CallRefused, {"state": "HALF_OPEN", "held": None, "wait_s": None}),
        (BreakerTold, {"outcome": "success", "state": "CLOSED"}),
        (BreakerMoved, {"before": "OPEN", "after": "HALF_OPEN"}),
    ],
)
def test_an_answer_of_a_breaker_with_another_state_than_its_file_is_accused(world, kind, fields):
    world.write(BREAKERS, breakers(p="OPEN"))
    assert ("INV-05",) == world.take(kind, provider="p", **fields)
    assert () == world.take(CallRefused, provider="p", state="OPEN", held=None, wait_s=1.0)
    assert () == world.take(CallPermitted, provider="another", state="CLOSED")


def closed(world, session):
    return world.watched.take(session, CallPermitted(**WHEN, provider="p", state="CLOSED"))


@pytest.fixture
def refused(world):
    """Worker a could not write that a breaker is CLOSED, and has begun another session since."""
    world.write(BREAKERS, breakers(p="HALF_OPEN"))
    world.take(WorkerBegun, worker="a")
    world.take(StorageChanged, full=True)
    assert () == closed(world, "s")
    world.take(StorageChanged, full=False)
    world.take(ErrorsReported, names=())
    world.watched.take("s-2", WorkerBegun(**WHEN, worker="a"))
    return world


def test_a_process_that_could_not_write_may_know_more_of_a_breaker_than_its_file(refused):
    assert () == closed(refused, "s-2")
    assert ("INV-05",) == closed(refused, "of another worker")


def test_a_process_that_has_answered_what_the_file_says_knows_no_more(refused):
    refused.write(BREAKERS, breakers(p="CLOSED"))
    assert () == closed(refused, "s-2")
    refused.write(BREAKERS, breakers(p="OPEN"))
    assert ("INV-05",) == closed(refused, "s-2")


@pytest.mark.parametrize(("session", "kind"), [("s-2", SessionCut), ("", MachineRestarted)])
def test_a_process_that_begins_anew_knows_what_the_file_says(refused, session, kind):
    refused.watched.take(session, kind(**WHEN))
    refused.watched.take("s-3", WorkerBegun(**WHEN, worker="a"))
    assert ("INV-05",) == closed(refused, "s-3")


def test_a_task_that_is_claimed_and_not_in_progress_is_accused(world):
    world.write(PENDING, queue("a", "b"))
    assert ("INV-02",) == world.take(TaskClaimed, task="a")
    world.write(AT_WORK, queue("b"))
    world.write(PENDING, queue("a"))
    assert () == world.take(TaskClaimed, task="b")


@pytest.mark.parametrize(("status", "broken"), [*((each.value, ()) for each in Status), ("retry", ("INV-14",))])
def test_the_status_of_a_phase_is_a_word_of_the_document(world, status, broken):
    record = {"phase_id": "1", "status": status, "attempt": 1, "max_attempts": 2}
    world.write(f"{HOME}/.autobuild/phases/phase-1.json", json.dumps(record).encode())
    assert broken == world.watched.end()
