"""What the workers of one project have in common: who holds which task, and which signals wait to be handled."""

from collections import deque
from enum import StrEnum
from typing import NamedTuple

from harness.systems.signals.contract import Signal


class Stage(StrEnum):
    """What is next for a task that is held."""

    WORK = "work"
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


class Board:
    """One project's. What is lost with it is found again by a recovery."""

    def __init__(self) -> None:
        self.held: dict[str, Held] = {}
        self.raised: deque[Raised] = deque()

    def of(self, worker: str, *stages: Stage) -> tuple[str, ...]:
        """The tasks that the worker holds, and which are there, in the order in which they came."""
        return tuple(task for task, held in self.held.items() if held.worker == worker and held.stage in stages)

    def set_stage(self, task: str, stage: Stage, reason: str = "") -> None:
        """That is next for a task which is held."""
        self.held[task] = self.held[task]._replace(stage=stage, reason=reason)
