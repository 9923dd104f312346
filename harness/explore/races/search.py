"""Every order of a race, one execution each; what was found, and how far it went."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeVar

import msgspec

from harness.explore.new_names import MadeUp
from harness.explore.races.identities import actor
from harness.explore.races.race import IDLE_S, SCHEDULED, Race, RaceStep
from harness.explore.schedules import STEPS, Schedule, ScheduleCoverage, Schedules, replay

T = TypeVar("T")
Attempt = Callable[[Race], T]
Judge = Callable[[T], str]
_NUMBER: Final = re.compile(r"\bprocess (\d+)\b")


class RaceBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How far to go: ``schedules`` depth-first, ``beyond`` more at random when those did not exhaust all orders.

    One schedule has at most ``steps`` calls. ``idle_s`` is how long nothing may happen before it is given up. A run
    that computes for ``endless_s`` seconds of processor time without any file call fails. ``over`` is asked after each
    schedule: True ends the exploration there, which the report tells.
    """

    schedules: int = 1000
    beyond: int = 100
    steps: int = STEPS
    idle_s: float = IDLE_S
    endless_s: float = math.inf
    over: Callable[[], bool] = lambda: False


class RaceFailure(msgspec.Struct, frozen=True, kw_only=True):
    """An order in which something went wrong, and what the judge said, or who waits for whom for ever.

    ``choices`` repeat it. ``switches`` is how often another run went on than the one before. ``made_up`` are the names
    that the programs made up, which stand in ``order`` as ``{new name 1 of 0}``.
    """

    verdict: str
    order: tuple[RaceStep, ...]
    choices: tuple[int, ...]
    killed: tuple[int, ...] = ()
    switches: int = 0
    made_up: frozenset[str] = frozenset()


class RaceReport(msgspec.Struct, frozen=True, kw_only=True):
    """How many schedules were run, and how they ended.

    ``judged`` of them came to their end, ``failing`` of those (``deadlocks`` included) badly; ``failures`` has the one
    with the fewest switches for each verdict, the best of all first. ``redundant`` ones were given up as they only
    repeated others; ``untold`` ones say nothing, and ``inconclusive`` why: an order like theirs may be a bad one.
    ``bounded`` says which orders a stated bound has left out. ``exhausted`` when there was neither; else ``cut`` says
    both. ``longest`` is the number of steps of the longest.
    """

    schedules: int = 0
    judged: int = 0
    failing: int = 0
    deadlocks: int = 0
    redundant: int = 0
    untold: int = 0
    exhausted: bool = False
    bounded: str = ""
    cut: str = ""
    failures: tuple[RaceFailure, ...] = ()
    inconclusive: tuple[str, ...] = ()
    longest: int = 0

    @property
    def smallest(self) -> RaceFailure | None:
        """The failure with the fewest switches, if there is one."""
        return self.failures[0] if self.failures else None


class RaceOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How one schedule went: ``verdict`` None when it was not judged, and then ``why``."""

    verdict: str | None
    order: tuple[RaceStep, ...]
    choices: tuple[int, ...]
    killed: tuple[int, ...] = ()
    why: str = ""

    @property
    def switches(self) -> int:
        """How often another run went on than the one before."""
        runs = [step.run for step in self.order]
        return sum(before != after for before, after in itertools.pairwise(runs))


def explore_races(
    attempt: Attempt[T],
    judge: Judge[T],
    *,
    below: tuple[str, ...],
    bounds: RaceBounds = RaceBounds(),  # noqa: B008  # it is frozen
    seed: int = 0,
    runs: int = 2,
    names: frozenset[str] = SCHEDULED,
    crashing: tuple[int, ...] = (),
    hide: Callable[[str], str] = str,
) -> RaceReport:
    """Run ``attempt`` under every order of the calls below ``below``, and let ``judge`` say what came of it.

    ``below`` are absolute paths without symbolic links, as the programs see them; ``hide`` writes those it is given for
    the report. ``crashing`` are runs (counted from 0 as they get their filters) that may be killed before any of their
    calls: each order is also run with every such kill. Raises MachineError when this machine refuses the supervisor.
    """
    schedules = Schedules(bound=bounds.schedules, beyond=bounds.beyond, seed=seed, steps=bounds.steps)
    known = MadeUp()
    found = _Found(known)

    def race_of(schedule: Schedule) -> Race:
        return Race(
            schedule, below=below, runs=runs, names=names, crashing=crashing, hide=hide, made_up=known,
            idle_s=bounds.idle_s, endless_s=bounds.endless_s,
        )  # fmt: skip

    first: tuple[Race, RaceOutcome] | None = None
    for schedule in schedules:
        race = race_of(schedule)
        outcome = _run(schedule, race, attempt, judge)
        first = first or (race, outcome)
        found.add(outcome, race)
        if bounds.over():
            break
    if first is not None and found.all_told and not bounds.over():
        again = replay(first[1].choices)
        race = race_of(again)
        outcome = _run(again, race, attempt, lambda _: "")
        same = race.order == first[0].order and not outcome.why
        if not same and not race.by_time and not first[0].by_time:
            found.doubt(
                outcome.why or "a run did not repeat what it had done before, when the first order was run again"
            )
    return found.report(schedules.coverage)


def replay_race(
    attempt: Attempt[T],
    judge: Judge[T],
    choices: Sequence[int],
    *,
    below: tuple[str, ...],
    bounds: RaceBounds = RaceBounds(),  # noqa: B008  # it is frozen
    runs: int = 2,
    crashing: tuple[int, ...] = (),
    hide: Callable[[str], str] = str,
    made_up: Collection[str] = (),
) -> RaceOutcome:
    """One schedule again, by the choices and the ``made_up`` names of a failure.

    The other arguments are those of the exploration that found it; of ``bounds`` only the times count.
    """
    schedule = replay(choices)
    race = Race(
        schedule,
        below=below,
        runs=runs,
        crashing=crashing,
        idle_s=bounds.idle_s,
        endless_s=bounds.endless_s,
        hide=hide,
        made_up=MadeUp(made_up),
    )
    return _run(schedule, race, attempt, judge)


def _run(schedule: Schedule, race: Race, attempt: Attempt[T], judge: Judge[T]) -> RaceOutcome:
    seen: list[T] = []
    with race:
        try:
            seen.append(attempt(race))
        except Exception:
            if race.failure is not None:
                raise race.failure from None
            if not race.stopped:  # whoever is killed by us may seem to have broken a rule
                raise
    verdict: str | None = None
    why = race.given_up
    if schedule.end == "deadlock":
        verdict = "deadlock: " + ", ".join(race.stuck)
    elif race.endless:
        verdict = f"endless: {race.endless}"
    elif schedule.end == "exited" and not why:
        verdict = judge(seen[0])
    return RaceOutcome(verdict=verdict, order=race.order, choices=schedule.choices, killed=race.killed, why=why)


class _Found:
    """What the schedules so far have come to."""

    def __init__(self, known: MadeUp) -> None:
        self._known = known
        self._failures: dict[str, tuple[RaceFailure, Race]] = {}
        self._inconclusive: Counter[str] = Counter()
        self._run = self._again = self._judged = self._failing = self._longest = 0

    def add(self, outcome: RaceOutcome, race: Race) -> None:
        self._run += 1
        self._longest = max(self._longest, len(outcome.order))
        if outcome.why:
            self._inconclusive[outcome.why] += 1
        if outcome.verdict is None:
            return
        self._judged += 1
        if outcome.verdict:
            self._failing += 1
            failure = _failure(outcome)
            known = self._failures.get(failure.verdict)
            if known is None or _size(failure) < _size(known[0]):
                self._failures[failure.verdict] = failure, race

    @property
    def all_told(self) -> bool:
        """Whether every execution came to an end that says something."""
        return not self._inconclusive

    def doubt(self, why: str) -> None:
        """One more execution, which was no schedule of its own, has shown why none says anything for sure."""
        self._again += 1
        self._inconclusive[why] += 1

    def report(self, coverage: ScheduleCoverage) -> RaceReport:
        bounded = self._known.told(_NUMBER.sub(lambda number: f"process {_who(int(number[1]))}", coverage.bounded))
        if coverage.run < self._run:
            bounded = f"ended after {self._run} schedules"
        untold = self._inconclusive.total()
        why = "; ".join(f"{text} ({count})" if count > 1 else text for text, count in self._inconclusive.items())
        cuts = [bounded, f"{untold} of {self._run + self._again} schedules say nothing: {why}" if untold else ""]
        return RaceReport(
            schedules=self._run + self._again,
            judged=self._judged,
            failing=self._failing,
            deadlocks=coverage.deadlocks,
            redundant=coverage.redundant,
            untold=untold,
            exhausted=not any(cuts),
            bounded=bounded,
            cut="; ".join(filter(None, cuts)),
            failures=tuple(sorted(map(self._renamed, self._failures.values()), key=_size)),
            inconclusive=tuple(self._inconclusive),
            longest=self._longest,
        )

    def _renamed(self, found: tuple[RaceFailure, Race]) -> RaceFailure:
        """With names for what turned out to be made up only in later executions."""
        failure, race = found
        return msgspec.structs.replace(failure, order=race.order, made_up=frozenset(self._known.slots))


def _who(number: int) -> str:
    who = actor(number)
    return f"{who.run}.{who.process}"


def _failure(outcome: RaceOutcome) -> RaceFailure:
    return RaceFailure(
        verdict=outcome.verdict or "",
        order=outcome.order,
        choices=outcome.choices,
        killed=outcome.killed,
        switches=outcome.switches,
    )


def _size(failure: RaceFailure) -> tuple[int, int, tuple[int, ...]]:
    return failure.switches, len(failure.order), failure.choices
