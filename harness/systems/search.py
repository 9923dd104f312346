"""Scenarios nobody wrote down: composed by chance, or of several faults at once; what is the same in all systems. Pure.

The chance is a ``random.Random``, so the same seed composes the same candidates on every Python version. Whether a
candidate is worth keeping is for the caller to find out by playing it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import cycle
from random import Random
from typing import Final, TypeVar

from harness.core.fault import Fault
from harness.core.scenario import Operation, Scenario, Step
from harness.systems.families import CALLS
from harness.systems.fault_rows import Row
from harness.systems.story import Story

T = TypeVar("T")
_CALM_SHARE: Final = 6  # one candidate in so many has no fault, where the caller names none
# these strike while an operation runs: two runs may rightly end differently
_UNSTEADY: Final = frozenset(
    ("filesystem.vanishing", "filesystem.growing", "clock.jump", "process.killed", "process.paused",
     "process.lock_held", "process.slow_disk")
)  # fmt: skip


class Places:
    """Where each fault can strike a system, and with which quantities, read from its table of rows."""

    def __init__(self, rows: Callable[[], Iterable[Row]]) -> None:
        self._rows = rows

    def of(self, name: str) -> tuple[Fault, ...]:
        """Every way in which the fault of that name strikes; none when it does not."""
        return self._places.get(name, ())

    def without(self, profile: str, names: Sequence[str]) -> tuple[str, ...]:
        """Those faults that cannot strike; the same in every profile."""
        del profile
        return tuple(name for name in names if not self.of(name))

    @cached_property
    def _places(self) -> Mapping[str, tuple[Fault, ...]]:
        found: dict[str, tuple[Fault, ...]] = {}
        for row in self._rows():
            if row.fault is not None:
                known = found.get(row.fault.name, ())
                found[row.fault.name] = known if row.fault in known else (*known, row.fault)
        return found


def one(rng: Random, choices: Sequence[T]) -> T:
    """One of these."""
    return choices[rng.randrange(len(choices))]


class Search:
    """Candidates without end, composed by ``compose`` with a fault of that name, or in calm weather with None.

    ``described`` says in words what an operation asks for. ``struck`` and ``calm`` are the clauses that a candidate
    with a fault, and one without, may be meant for.
    """

    def __init__(
        self,
        places: Places,
        compose: Callable[[Random, str | None], Scenario],
        described: Callable[[Operation], str],
        *,
        struck: tuple[str, ...],
        calm: tuple[str, ...],
    ) -> None:
        self._places, self._compose, self._described = places, compose, described
        self._struck, self._calm = struck, calm

    def candidates(self, profile: str, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
        """Candidates without end, one of ``faults`` in each, in turn; with ``calm`` now and then none.

        They have no id, no title and no clauses yet; see ``title`` and ``meant``. Every profile has the same.
        """
        del profile
        names = [name for name in faults if self._places.of(name)]
        usable = [names.pop(rng.randrange(len(names))) for _ in range(len(names))]
        turns = enumerate(cycle(usable or [""]))
        while usable or calm:
            position, name = next(turns)
            yield self._compose(rng, None if not usable or (calm and position % _CALM_SHARE == 0) else name)

    def meant(self, scenario: Scenario) -> tuple[str, ...]:
        """The clauses that a candidate may be meant for; of these it is for those that the reference witnesses."""
        return self._struck if any(step.fault for step in scenario.steps) else self._calm

    def title(self, scenario: Scenario) -> str:
        """What happens in the scenario after its control, in a line."""
        resets = [number for number, step in enumerate(scenario.steps) if step.op and step.op.name == "reset"]
        words: list[str] = []
        for step in scenario.steps[resets[-1] + 1 if resets else 0 :]:
            words += self._words(step)
        return "Found: " + "; ".join(dict.fromkeys(words))

    @staticmethod
    def unsteady(name: str) -> bool:
        """May two runs under the fault of that name rightly end differently, as it strikes while an operation runs?"""
        return name in _UNSTEADY

    def _words(self, step: Step) -> list[str]:
        if step.op is not None:
            return [self._described(step.op)]
        if step.fault is not None:
            place = (step.fault.path or "").rpartition("/")[2]
            return [f"{step.fault.name} at {place}" if place else step.fault.name]
        return [] if step.clock is None else [f"{step.clock.by_s:+g} s"]


class Combination:
    """Several faults at once, one at each place: what pairs of faults are covered with.

    ``slot`` names what a fault at that path strikes. Storage fails in the ``preferred`` slot where it can, all else
    strikes at the first of its places. Faults at a file call strike calls to ``path``, which every implementation
    makes, or is free to make.
    """

    def __init__(self, places: Places, path: str, slot: Callable[[str], str], *, preferred: str | None = None) -> None:
        self._places, self._slot, self._preferred = places, slot, preferred
        self.at_calls: Mapping[str, Fault] = {
            fault.name: fault
            for fault in (
                Fault("syscall.errno", path, {"call": "openat", "errno": "EIO"}),
                Fault("syscall.killed", path, {"call": "openat"}),
                Fault("syscall.delayed", path, {"call": "openat", "delay_ms": 20}),
                Fault("syscall.torn", path + "*", {"call": "write", "bytes": 1}),
            )
        }

    def slots(self, profile: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The faults by what they strike; of one slot only one can stand at a time.

        Those without a place are left out. The same in every profile.
        """
        del profile
        found: dict[str, list[str]] = {}
        for name in names:
            if name in self.at_calls:
                found.setdefault(CALLS, []).append(name)
            elif self._places.of(name):
                found.setdefault(self._slot_of(self._placed(name)), []).append(name)
        return {slot: tuple(of_slot) for slot, of_slot in found.items()}

    def strike(self, story: Story, names: Sequence[str]) -> None:
        """All of these faults are put in place; those at file calls last, as each strikes the next operation only."""
        standing = [self._placed(name) for name in names if name not in self.at_calls]
        for fault in (*standing, *(self.at_calls[name] for name in names if name in self.at_calls)):
            story.take(Step(fault=fault))

    def _placed(self, name: str) -> Fault:
        every = self._places.of(name)
        storage = (each for each in every if each.family == "filesystem" and self._slot_of(each) == self._preferred)
        return next(storage, every[0])

    def _slot_of(self, fault: Fault) -> str:
        return fault.family if fault.path is None else self._slot(fault.path)
