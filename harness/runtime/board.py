"""What the workers of one project have in common: who holds which task, which plan is driven, which signals wait."""

from collections import deque
from enum import StrEnum
from typing import NamedTuple

from harness.systems.signals.contract import Signal


class Stage(StrEnum):
    """What is next for a task that is held."""

    WORK = "work"
    PHASE = "phase"  # nothing, until the phase that it is has been launched
    ASK = "ask"  # a human, because the request could not be stored
    FINISH = "finish"  # the work is done, and could not be put down


class Held(NamedTuple):
    """A task that a worker holds. ``failures`` in a row are those it knows of; ``reason`` is that of a request."""

    worker: str
    stage: Stage = Stage.WORK
    failures: int = 0
    reason: str = ""


class Raised(NamedTuple):
    """A signal that was raised, and how often somebody looked for it in vain."""

    signal: Signal
    name: str
    looked: int = 0


class Driven(NamedTuple):
    """The plan that is driven, by its path, and the worker who drives it."""

    plan: str
    worker: str

    def task_of(self, phase: str) -> str:
        """The task that a phase is, by its normalised id."""
        return f"{self.plan}/{phase}"

    def has(self, task: str) -> bool:
        """Is it a phase of this plan?"""
        return task.startswith(f"{self.plan}/")


class Board:
    """One project's. What is lost with it is found again by a recovery."""

    def __init__(self) -> None:
        self.held: dict[str, Held] = {}
        self.driven: Driven | None = None
        self.enqueued: set[str] = set()  # phases that were put into the queues
        self.raised: deque[Raised] = deque()

    def of(self, worker: str, *stages: Stage) -> tuple[str, ...]:
        """The tasks that the worker holds, and which are there, in the order in which they came."""
        return tuple(task for task, held in self.held.items() if held.worker == worker and held.stage in stages)

    def is_phase(self, task: str) -> bool:
        """Is it a phase of the plan that is driven?"""
        return self.driven is not None and self.driven.has(task)

    def drives(self, worker: str) -> bool:
        """Does that worker drive it?"""
        return self.driven is not None and self.driven.worker == worker

    def set_stage(self, task: str, stage: Stage, reason: str = "") -> None:
        """That is next for a task which is held."""
        self.held[task] = self.held[task]._replace(stage=stage, reason=reason)
