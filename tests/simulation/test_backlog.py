"""The tasks of a simulation: who makes them, how hard they are, and what is known of dead letters. Issue 7, Build 4."""

import errno

import pytest

from harness.core.task_events import (
    DeadLettersReviewed,
    FailureCounted,
    HumanDecided,
    NothingClaimed,
    ReviewsChecked,
    TaskClaimed,
)
from harness.ports.fake_files import FakeFiles
from harness.simulation.backlog import FULL, HARD_SHARE, LOW, Backlog
from harness.simulation.incidents import Incidents
from harness.simulation.virtual_time import Chance
from harness.systems.queue_files import COMPLETED, PENDING
from harness.systems.queue_store import QueueStore

AT = {"at": "2026-03-01T12:00:00Z", "correlation_id": "r"}


class Shop:
    """A backlog, and somebody who takes tasks from it."""

    def __init__(self):
        self.files = FakeFiles()
        self.backlog = Backlog("/h", self.files, 1)
        self.store = QueueStore(self.files, "/h")

    def pending(self):
        return self.store.seen().tasks(PENDING)

    def take(self, count):
        with self.store.held() as queues:
            for task in queues.tasks(PENDING)[:count]:
                queues.move(task["task_id"], PENDING, COMPLETED)
                self.backlog.take(TaskClaimed(**AT, task=task["task_id"]))


def dead(backlog):
    return set(backlog.facts(Chance(1, "facts")))


def letters(backlog, verdict, *, stored=True):
    unstored = () if stored else ("a",)
    backlog.take(
        DeadLettersReviewed(**AT, reviewed=True, decided={"a": verdict}, unstored=unstored, notified=(), created=())
    )


def test_it_is_filled_when_few_are_pending():
    shop = Shop()
    shop.backlog.fill()
    assert len(shop.pending()) == FULL
    assert all(task["title"] and task["description"] and task["priority"] for task in shop.pending())
    shop.take(FULL - LOW)
    shop.backlog.fill()
    assert len(shop.pending()) == LOW
    shop.take(1)
    shop.backlog.fill()
    ids = [task["task_id"] for task in shop.pending()]
    assert len(set(ids)) == len(ids) == FULL
    assert ids[-1] == f"task-{FULL + FULL - LOW + 1}", "no id comes twice"


def test_who_finds_nothing_lets_it_be_filled_too():
    shop = Shop()
    shop.backlog.fill()
    with shop.store.held() as queues:
        for task in queues.tasks(PENDING):
            queues.drop(PENDING, task["task_id"])
    for _ in range(FULL - LOW + 1):
        shop.backlog.fill()
        assert shop.pending() == ()
        shop.backlog.take(NothingClaimed(**AT, outcome="none"))
    shop.backlog.fill()
    assert len(shop.pending()) == FULL


def test_what_humans_gave_back_counts_as_pending():
    shop = Shop()
    with shop.store.held() as queues:
        for number in range(FULL + 3):
            queues.put(PENDING, {"task_id": f"back-{number}"})
    shop.backlog.fill()
    assert len(shop.pending()) == FULL + 3


def test_a_full_disk_takes_no_new_tasks_and_later_does():
    shop = Shop()
    shop.files.fail = OSError(errno.ENOSPC, "No space left on device")
    shop.backlog.fill()
    assert shop.pending() == ()
    shop.files.fail = None
    shop.backlog.fill()
    assert len(shop.pending()) == FULL


def test_few_tasks_are_hard_and_those_fail_mostly():
    backlog, fate = Backlog("/h", FakeFiles(), 1), Incidents().of("agent-0-1", 1)
    wrong = {task: sum(backlog.is_wrong(task, fate) for _ in range(100)) for task in map(str, range(400))}
    hard = [count for count in wrong.values() if count > 30]
    assert 0.7 * HARD_SHARE < 1000 * len(hard) / 400 < 1.3 * HARD_SHARE
    assert min(hard) > 40
    assert max(count for count in wrong.values() if count <= 30) < 12
    other = Backlog("/h", FakeFiles(), 2)
    assert [sum(other.is_wrong(task, fate) for _ in range(100)) > 30 for task in wrong] != [
        count > 30 for count in wrong.values()
    ]


def test_of_every_dead_letter_something_is_known():
    backlog = Backlog("/h", FakeFiles(), 1)
    backlog.take(FailureCounted(**AT, task="a", recorded=True, failure_count=4, moved=False))
    assert dead(backlog) == set()
    backlog.take(FailureCounted(**AT, task="a", recorded=True, failure_count=5, moved=True))
    backlog.take(ReviewsChecked(**AT, resolved={}, timed_out=("b",), alerts={"b": True}))
    assert dead(backlog) == {"a", "b"}
    backlog.take(HumanDecided(**AT, task="b", decision="abandoned", done=False))
    backlog.take(HumanDecided(**AT, task="b", decision="approved", done=True))
    assert dead(backlog) == {"a", "b"}
    backlog.take(HumanDecided(**AT, task="b", decision="abandoned", done=True))
    assert dead(backlog) == {"a"}


@pytest.mark.parametrize(
    ("verdict", "stored", "is_left"),
    [
        ("retried", True, False),
        ("abandoned", True, False),
        ("left", True, True),
        ("human", True, True),
        ("retried", False, True),
    ],
)
def test_what_was_tried_again_or_given_up_is_no_dead_letter(verdict, stored, is_left):
    backlog = Backlog("/h", FakeFiles(), 1)
    backlog.take(FailureCounted(**AT, task="a", recorded=True, failure_count=5, moved=True))
    letters(backlog, verdict, stored=stored)
    assert dead(backlog) == ({"a"} if is_left else set())


def test_what_is_known_is_drawn_from_everything_that_can_be():
    backlog, chance = Backlog("/h", FakeFiles(), 1), Chance(1, "facts")
    backlog.take(FailureCounted(**AT, task="a", recorded=True, failure_count=5, moved=True))
    drawn = [backlog.facts(chance)["a"] for _ in range(500)]
    for field in (
        "dependency_available",
        "new_approach",
        "simpler_scope",
        "fixed_by",
        "dependency_never",
        "irrelevant",
    ):
        assert {bool(getattr(facts, field)) for facts in drawn} == {True, False}
    assert {facts.readings for facts in drawn} == {1, 2}
    assert all(facts.confidence is None or 0.1 <= facts.confidence <= 1 for facts in drawn)
