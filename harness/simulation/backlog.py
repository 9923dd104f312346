"""The tasks of a simulation: who fills the queue, how hard a task is, and what is known of dead letters."""

import contextlib
from collections.abc import Mapping
from typing import Any

from harness.core.event import Event
from harness.core.task_events import (
    DeadLettersReviewed,
    FailureCounted,
    HumanDecided,
    NothingClaimed,
    ReviewsChecked,
    TaskClaimed,
)
from harness.ports.files import Files
from harness.simulation.incidents import WHOLE, Fate
from harness.simulation.virtual_time import Chance
from harness.systems.dead_letter.contract import Scope, TaskFacts
from harness.systems.queue_files import PENDING
from harness.systems.queue_store import QueueStore

LOW = 8  # fewer are pending: the queue is filled
FULL = 16
HARD_SHARE = 150  # of a thousand tasks
HARD = 600  # of a thousand attempts at a hard task so many fail
EASY = 20
WORK = "work"  # the kind of incident
WORDS = ("login form", "search", "export", "cache", "settings page", "report", "importer", "audit log")


class Backlog:
    """What is to be done in a project at ``home``."""

    def __init__(self, home: str, files: Files, seed: int) -> None:
        self._store = QueueStore(files, home)
        self._seed = seed
        self._made = 0
        self._left = 0  # about so many are pending: there may be more, which humans and reviews gave back
        self._dead: dict[str, None] = {}
        self._is_closed = False

    def fill(self) -> None:
        """Makes new tasks when few are pending; none on a full disk, and none after ``close``."""
        if self._left >= LOW or self._is_closed:
            return
        with contextlib.suppress(OSError), self._store.held() as queues:
            pending = len(queues.tasks(PENDING))
            for _ in range(FULL - pending):
                queues.put(PENDING, _task(self._made + 1))
                self._made += 1
            self._left = max(pending, FULL)

    def close(self) -> None:
        """There will be no new ones."""
        self._is_closed = True

    def is_wrong(self, task: str, fate: Fate) -> bool:
        """Is the work of an attempt not what was wanted?"""
        hard = Chance(self._seed, "hard", task).per_mille(HARD_SHARE)
        return bool(fate.meets(WORK, lambda chance: "wrong" if chance.per_mille(HARD if hard else EASY) else WHOLE))

    def facts(self, chance: Chance) -> Mapping[str, TaskFacts]:
        """What a model, CI or a human says of each dead letter when a session begins."""
        return {task: _drawn(chance) for task in self._dead}

    def take(self, event: Event) -> None:
        """What became of tasks."""
        if isinstance(event, TaskClaimed | NothingClaimed):
            self._left -= 1
        elif isinstance(event, FailureCounted) and event.moved:
            self._dead[event.task] = None
        elif isinstance(event, ReviewsChecked):
            self._dead.update(dict.fromkeys(event.timed_out))
        elif isinstance(event, HumanDecided) and event.decision == "abandoned" and event.done:
            self._dead.pop(event.task, None)
        elif isinstance(event, DeadLettersReviewed):
            for task, verdict in event.decided.items():
                if verdict in ("retried", "abandoned") and task not in event.unstored:
                    self._dead.pop(task, None)


def _task(number: int) -> Mapping[str, Any]:
    about = WORDS[number % len(WORDS)]
    return {
        "task_id": f"task-{number}",
        "title": f"Make the {about} work",
        "description": f"All tests of the {about} pass.",
        "dependencies": [],
        "priority": ("high", "medium", "low")[number % 3],
    }


def _drawn(chance: Chance) -> TaskFacts:
    return TaskFacts(
        dependency_available=chance.per_mille(50),
        new_approach="a smaller step first" if chance.per_mille(500) else None,
        simpler_scope=Scope("Half of it", "Half of the tests pass.") if chance.per_mille(50) else None,
        fixed_by="0a1b2c3" if chance.per_mille(50) else None,
        dependency_never=chance.per_mille(50),
        irrelevant=chance.per_mille(200),
        rollback_failed=chance.per_mille(20),
        confidence=chance.between(10, 100) / 100 if chance.per_mille(300) else None,
        readings=2 if chance.per_mille(100) else 1,
    )
