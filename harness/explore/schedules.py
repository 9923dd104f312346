"""Every order in which a few processes, or threads, may make their file calls: pure, it only chooses who goes next.

Whoever runs the processes holds each at its calls and asks ``Schedule.choose`` whenever every one of them is held at a
call, blocked in the kernel, or has exited. A *step* is the call that is let go and everything until that process is
held, blocked or gone; what it does to others beyond its call must stand in its Access (see ``accessed``).

Depth-first, until nothing is left. Reduction: of orders that differ only in calls that do not depend on each other one
is run (source-set dynamic partial-order reduction with sleep sets; Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic
partial order reduction", POPL 2014, Algorithm 1). Sound for processes that do the same when they meet the same. Beyond
a stated bound: random orders, and PCT (Burckhardt and others, ASPLOS 2010), which gives each process a priority and
lowers it at few places.
"""

import itertools
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from harness.core.rate import none_of
from harness.core.seed import derive
from harness.explore.accesses import Access
from harness.explore.orders import Orders

STEPS = 2000  # of one schedule
WAITS = 2  # how often a process that waits may look in vain while others could go on
DEPTH = 3  # of the defects PCT looks for: so many ordering constraints

End = Literal["", "exited", "deadlock", "redundant", "steps", "diverged"]


class Step(msgspec.Struct, frozen=True):
    """One call that was let go."""

    process: int
    name: str
    paths: tuple[str, ...]


class ScheduleCoverage(msgspec.Struct, frozen=True):
    """How many schedules were run and how they ended.

    ``redundant`` ones were given up: what was left of them had been seen in another order. ``deadlocks`` ended with
    every process blocked. ``untold`` ones were given up and show nothing of their orders: a process did not do what it
    did before, or there were too many steps. ``bounded`` says which orders were left out because of a stated bound.
    ``exhausted`` when nothing was left out or untold, else ``cut`` says all of it.
    """

    run: int = 0
    redundant: int = 0
    deadlocks: int = 0
    untold: int = 0
    bounded: str = ""
    exhausted: bool = True
    cut: str = ""


class _Chooser(Protocol):
    def choose(self, held: Mapping[int, Access], blocked: Collection[int]) -> int | End: ...


class Schedule:
    """One execution to make: asked for each step, and afterwards the record of it.

    ``choices`` repeats it exactly (see Replay); ``end`` says how it ended, and is empty while it runs.
    """

    def __init__(self, chooser: _Chooser, origin: str, limit: int = STEPS) -> None:
        self._chooser = chooser
        self._limit = limit
        self.origin = origin
        self.trace: list[Step] = []
        self.end: End = ""
        self.stuck: tuple[int, ...] = ()

    @property
    def choices(self) -> tuple[int, ...]:
        """Which process went, step by step."""
        return tuple(step.process for step in self.trace)

    def choose(self, held: Mapping[int, Access], blocked: Collection[int] = ()) -> int | None:
        """The process to let go; None when this execution is over, and what is left of it is to be ended.

        ``held`` are the processes held at a call, and the call; ``blocked`` those that wait in the kernel for another.
        """
        if self.end:
            return None
        if not held:
            self.end = "deadlock" if blocked else "exited"
            self.stuck = tuple(sorted(blocked))
            return None
        if len(self.trace) >= self._limit:
            self.end = "steps"
            return None
        chosen = self._chooser.choose(held, blocked)
        if isinstance(chosen, str):
            self.end = chosen
            return None
        self.trace.append(Step(chosen, held[chosen].name, held[chosen].paths))
        return chosen


class _Replaying:
    def __init__(self, choices: Sequence[int]) -> None:
        self._choices = iter(choices)

    def choose(self, held: Mapping[int, Access], blocked: Collection[int]) -> int | End:
        following = next(self._choices, None)
        if following is None:
            return min(held)
        return following if following in held else "diverged"


def replay(choices: Sequence[int]) -> Schedule:
    """The schedule that makes these choices again; after the last of them the lowest process goes first."""
    return Schedule(_Replaying(choices), "replay")


class _Leaning:
    def __init__(self, wishes: Sequence[int]) -> None:
        self._wishes = iter(wishes)

    def choose(self, held: Mapping[int, Access], blocked: Collection[int]) -> int | End:
        return sorted(held)[next(self._wishes, 0) % len(held)]


def leaning(wishes: Sequence[int]) -> Schedule:
    """The schedule in which at each step the wished for of all that can goes, counted from 0; after them the first."""
    return Schedule(_Leaning(wishes), "leaning")


class _Random:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a schedule, no secret

    def choose(self, held: Mapping[int, Access], blocked: Collection[int]) -> int | End:
        return self._random.choice(sorted(held))


class _Pct:
    """Highest priority first; at ``depth`` - 1 steps among ``length`` the one that went falls below all others."""

    def __init__(self, seed: int, depth: int, length: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a schedule, no secret
        self._priorities: dict[int, float] = {}
        self._falls = {self._random.randint(1, max(length, 1)): -position for position in range(1, depth)}
        self._steps = itertools.count(1)

    def choose(self, held: Mapping[int, Access], blocked: Collection[int]) -> int | End:
        for process in sorted(held):
            if process not in self._priorities:
                self._priorities[process] = self._random.random()
        chosen = max(held, key=lambda process: self._priorities[process])
        fall = self._falls.get(next(self._steps))
        if fall is not None:
            self._priorities[chosen] = fall
            chosen = max(held, key=lambda process: self._priorities[process])
        return chosen


class Schedules:
    """The schedules to run: iterate, run each to its end, look at it. ``coverage`` counts as it goes.

    At most ``bound`` are run depth-first, at most ``beyond`` more at random when that did not exhaust them, every
    second one by PCT. ``reduced`` leaves out orders that cannot differ. With ``preemptions`` only orders are tried in
    which a process that could go on is interrupted at most so often; they are not reduced, as the two do not go
    together. ``waits``: see Orders. Same arguments, same processes: same schedules.
    """

    def __init__(
        self,
        *,
        bound: int = 1000,
        beyond: int = 0,
        seed: int = 0,
        reduced: bool = True,
        preemptions: int | None = None,
        steps: int = STEPS,
        waits: int = WAITS,
        depth: int = DEPTH,
    ) -> None:
        self._orders = Orders(reduced=reduced and preemptions is None, preemptions=preemptions, waits=waits)
        self._bound = bound
        self._beyond = beyond
        self._seed = seed
        self._steps = steps
        self._depth = depth
        self._longest = 0
        self._counts = {"deadlock": 0, "redundant": 0, "steps": 0, "diverged": 0}
        self._run = self._at_random = 0
        self._over = False

    def __iter__(self) -> Iterator[Schedule]:
        """Each schedule once; the next one is chosen by how the last one went."""
        while self._run < self._bound and not self._orders.exhausted:
            yield from self._told(Schedule(self._orders, "depth-first", self._steps))
            self._orders.end()
        self._over = self._orders.exhausted
        if self.coverage.exhausted:
            return
        for number in range(self._beyond):
            self._at_random = number + 1
            seed = derive(self._seed, "schedule", number)
            if number % 2:
                yield from self._told(Schedule(_Pct(seed, self._depth, self._longest), "pct", self._steps))
            else:
                yield from self._told(Schedule(_Random(seed), "random", self._steps))

    def _told(self, schedule: Schedule) -> Iterator[Schedule]:
        yield schedule
        self._run += 1
        self._longest = max(self._longest, len(schedule.trace))
        if schedule.end in self._counts:
            self._counts[schedule.end] += 1

    @property
    def coverage(self) -> ScheduleCoverage:
        """What was run so far; exhausted once every order was run or shown to be like one that was."""
        bounds = [] if self._over else [self._bounded()]
        bounds += self._orders.cuts
        cuts = list(bounds)
        endless, diverged = self._counts["steps"], self._counts["diverged"]
        if endless:
            cuts.append(f"{endless} of {self._run} schedules had more than {self._steps} steps and were given up")
        if diverged:
            cuts.append(f"in {diverged} of {self._run} schedules a process did not repeat what it had done before")
        return ScheduleCoverage(
            run=self._run,
            redundant=self._counts["redundant"],
            deadlocks=self._counts["deadlock"],
            untold=diverged + endless,
            bounded="; ".join(bounds),
            exhausted=not cuts,
            cut="; ".join(cuts),
        )

    def _bounded(self) -> str:
        depth_first = self._run - self._at_random
        more = ""
        if self._at_random:
            more = f", then {self._at_random} more at random (seed {self._seed}): "
            more += none_of(self._at_random, "orders drawn so fail")
        return f"at {depth_first} orders depth-first{more}; how many there are is not known"
