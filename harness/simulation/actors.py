"""Who goes on by steps in a simulation, and in which order."""

import errno
import heapq
from collections.abc import Callable, Generator

from harness.ports.launcher import Ended
from harness.runtime.trial import Pause, Run
from harness.simulation.agent import Agent
from harness.simulation.virtual_time import Chance

Life = Generator[Pause | Run, Ended | None, None]


class CrashedError(BaseException):
    """The process of a session died here. No implementation may survive it, so it is no Exception."""


class Actor:
    """Something that goes on by steps; ``life`` numbers them, so that what is planned for a dead one is dropped."""

    def __init__(self, steps: Callable[[], Life], agent: Agent | None = None) -> None:
        self._steps = steps
        self.agent = agent
        self.life = 0
        self.steps = steps()

    def begin_again(self) -> None:
        """Dies, whatever it is doing, and begins anew."""
        self.steps.close()
        self.life += 1
        self.steps = self._steps()


class Agenda:
    """What comes next, at which tick; of what comes at the same, ``ties`` choose."""

    def __init__(self, ties: Chance) -> None:
        self._ties = ties
        self._queue: list[tuple[int, int, int, Actor, int, Ended | None]] = []
        self._queued = 0

    def put(self, at: int, actor: Actor, ended: Ended | None) -> None:
        """It goes on at that tick, with how its command ended."""
        self._queued += 1
        heapq.heappush(self._queue, (at, self._ties.below(1 << 32), self._queued, actor, actor.life, ended))

    def next(self, before: int) -> tuple[int, Actor, Ended | None] | None:
        """What comes next before that tick, of those who are still alive."""
        while self._queue and self._queue[0][0] < before:
            at, _, _, actor, life, ended = heapq.heappop(self._queue)
            if life == actor.life:
                return at, actor, ended
        return None


def run_nothing(argv: object) -> Ended:
    """How a command ends that was not asked for step by step: a simulation runs none."""
    return Ended("not_started", errno.ENOENT, f"a simulation runs nothing: {argv}")
