"""Steps of a scenario as they are told, one method a thing that happens; each system adds its own operations. Pure."""

from typing import Final, Self

from harness.core.fault import Fault, Scalar
from harness.core.scenario import ClockStep, Explore, ExploreKind, Operation, Schedule, Step

_MICROSECONDS: Final = 1_000_000


class Story:
    """What happens in every system's scenarios. Times are in seconds since the last reset."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._now_us = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was told so far."""
        return tuple(self._steps)

    @property
    def now_s(self) -> float:
        """The time it is."""
        return self._now_us / _MICROSECONDS

    def take(self, *steps: Step) -> Self:
        """Any other steps."""
        self._steps += steps
        return self

    def do(self, operation: Operation, process: int = 0) -> Self:
        """Any other operation."""
        return self.take(Step(process=process, op=operation))

    def at(self, seconds: float) -> Self:
        """The clock goes on to that time, or back."""
        by_us = round(seconds * _MICROSECONDS) - self._now_us
        self._now_us += by_us
        return self if by_us == 0 else self.take(Step(clock=ClockStep(by_us / _MICROSECONDS)))

    def later(self, seconds: float) -> Self:
        """The clock goes on by that much, or back."""
        return self.at(self.now_s + seconds)

    def together(self, *operations: Operation) -> Self:
        """Operations begun at once, each by a process of its own."""
        return self.take(Step(schedule=Schedule(operations)))

    def explore(self, *kinds: ExploreKind) -> Self:
        """What is enumerated about the step that follows."""
        return self.take(Step(explore=Explore(kinds)))

    def fault(self, name: str, path: str | None = None, **params: Scalar) -> Self:
        """That fault is put in place."""
        return self.take(Step(fault=Fault(name, path, params)))

    def restart(self) -> Self:
        """The process ends, and another one opens what is on disk."""
        return self.fault("process.restarted")

    def reset(self) -> Self:
        """A fresh world; it is time 0 again."""
        self._now_us = 0
        return self.do(Operation("reset"))
