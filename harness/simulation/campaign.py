"""Many simulations, one after the other or side by side: what all of them together have shown, and what none has.

A campaign that is steered plays half of its runs as forks of those that showed something new: the same past up to some
time, with another future. What is new is a pair of mechanisms that had not fired in that order yet, or not so often.
"""

import hashlib
import multiprocessing
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, wait
from typing import Final, Literal

import msgspec

from harness.simulation.meetings import PAIRS, Meetings
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.sometimes import SOMETIMES, Sometimes
from harness.simulation.systems import Assembly
from harness.simulation.trouble import Fork
from harness.simulation.virtual_time import Chance, days

FORMAT: Final = 1
LEAST: Final = 100  # so often each pair of systems has to meet
LOOK_S: Final = 0.2  # between two looks whether it is interrupted
ROUND: Final = 4  # runs that are chosen together, so that it does not matter how many are played at a time
Outcome = Literal["sound", "broken", "unseen", "interrupted"]
EXIT_CODES: Final[Mapping[Outcome, int]] = {"sound": 0, "broken": 1, "unseen": 1, "interrupted": 130}


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """One run: what was played, and what came of it.

    ``broken`` has the number of the first event that broke each rule. ``situations`` and ``meetings`` say how often
    each was seen, a meeting under the names of two systems with a plus between them; ``features`` are for steering.
    """

    plan: Plan
    digest: str
    events: int
    sessions: int
    tool_calls: int
    broken: Mapping[str, int]
    situations: Mapping[str, int]
    meetings: Mapping[str, int]
    features: tuple[str, ...] = ()


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """What all runs have shown. ``digest`` is that of the digests of all runs, in their order.

    ``unseen`` are the situations that no run has shown, ``apart`` the pairs of systems that met less than ``least``
    times; both are empty when they were not asked for. ``agent_hours`` are of virtual time.
    """

    format: int = FORMAT
    windtunnel: str
    outcome: Outcome
    digest: str
    runs: tuple[Played, ...]
    agent_hours: int
    tool_calls: int
    events: int
    situations: Mapping[str, int]
    unseen: tuple[str, ...]
    meetings: Mapping[str, int]
    least: int
    apart: tuple[str, ...]


def watched(simulation: Simulation) -> tuple[Sometimes, Meetings]:
    """Watches a simulation that has not begun."""
    sometimes, meetings = Sometimes(), Meetings()
    simulation.watchers += [sometimes.take, meetings.take]
    return sometimes, meetings


def play(plan: Plan) -> Played:
    """Plays one run with the references, to its end."""
    simulation = Simulation(plan, Assembly(HOME, seed=plan.seed))
    sometimes, meetings = watched(simulation)
    simulation.run()
    return told(simulation, sometimes, meetings)


def told(simulation: Simulation, sometimes: Sometimes, meetings: Meetings) -> Played:
    """What a run came to."""
    unordered = meetings.unordered()
    return Played(
        plan=simulation.plan,
        digest=simulation.digest,
        events=simulation.events,
        sessions=simulation.sessions,
        tool_calls=simulation.tool_calls,
        broken={rule: first.event.number for rule, first in simulation.first.items()},
        situations={name: count for name, count in sorted(sometimes.seen.items()) if count},
        meetings={name: unordered[pair] for pair, name in _names() if unordered[pair]},
        features=tuple(sorted(meetings.features())),
    )


class Steering:
    """Chooses the runs of a campaign: seeds one after the other and, when it ``steers``, forks of what showed news."""

    def __init__(self, plan: Plan, runs: int, *, steers: bool) -> None:
        self._plan = plan
        self._left = runs
        self._steers = steers
        self._chance = Chance(plan.seed, "steering")
        self._seed = plan.seed
        self._seen: set[str] = set()
        self._kept: list[Plan] = []

    def round(self) -> tuple[Plan, ...]:
        """The next few, none when it is over."""
        count = min(self._left, ROUND)
        self._left -= count
        return tuple(self._next(number) for number in range(count))

    def take(self, played: Iterable[Played]) -> None:
        """What came of them, in their order."""
        for each in played:
            if not self._seen.issuperset(each.features):
                self._seen.update(each.features)
                self._kept.append(each.plan)

    def _next(self, number: int) -> Plan:
        if self._steers and self._kept and number % 2:
            kept = self._kept[self._chance.below(len(self._kept))]
            earliest = kept.forks[-1].at if kept.forks else 0
            at = self._chance.between(earliest, days(kept.days) - 1)
            return kept._replace(forks=(*kept.forks, Fork(at, self._chance.below(1 << 32))))
        self._seed += 1
        return self._plan._replace(seed=self._seed - 1)


Heard = Callable[[Played], None]


def run(steering: Steering, jobs: int, heard: Heard, interrupted: Callable[[], bool]) -> tuple[Played, ...]:
    """Plays all runs, so many at a time, and tells of each; those that were played when it is interrupted."""
    played: list[Played] = []
    for each in _played(steering, jobs, interrupted):
        played.append(each)
        heard(each)
    return tuple(played)


def _played(steering: Steering, jobs: int, interrupted: Callable[[], bool]) -> Iterator[Played]:
    if jobs == 1:
        while (plans := steering.round()) and not interrupted():
            finished = []
            for plan in plans:
                if interrupted():
                    return
                finished.append(play(plan))
                yield finished[-1]
            steering.take(finished)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_deaf) as pool:
        while plans := steering.round():
            finished = []
            for future in [pool.submit(play, plan) for plan in plans]:
                each = _awaited(future, interrupted)
                if each is None:
                    pool.shutdown(wait=False, cancel_futures=True)
                    for process in multiprocessing.active_children():
                        process.terminate()
                    return
                finished.append(each)
                yield each
            steering.take(finished)


def _awaited(future: Future[Played], interrupted: Callable[[], bool]) -> Played | None:
    """What a run came to; None when that is not waited for any more."""
    while not interrupted():
        if wait([future], timeout=LOOK_S).done:
            return future.result()
    return None


def gathered(played: tuple[Played, ...], version: str, *, whole: bool, demands: bool, least: int = LEAST) -> Campaign:
    """What all runs have shown; with ``demands`` every situation has to be seen, and every pair to meet."""
    situations: Counter[str] = Counter()
    meetings: Counter[str] = Counter()
    digest = hashlib.sha256()
    for each in played:
        situations.update(each.situations)
        meetings.update(each.meetings)
        digest.update(each.digest.encode())
    unseen = tuple(name for name in SOMETIMES if not situations[name]) if demands else ()
    apart = tuple(name for _, name in _names() if meetings[name] < least) if demands else ()
    outcome: Outcome = "interrupted" if not whole else "sound"
    if any(each.broken for each in played):
        outcome = "broken"
    elif whole and (unseen or apart):
        outcome = "unseen"
    return Campaign(
        windtunnel=version,
        outcome=outcome,
        digest=digest.hexdigest(),
        runs=tuple(msgspec.structs.replace(each, features=()) for each in played),
        agent_hours=sum(24 * each.plan.days * each.plan.agents for each in played),
        tool_calls=sum(each.tool_calls for each in played),
        events=sum(each.events for each in played),
        situations={name: situations[name] for name in SOMETIMES},
        unseen=unseen,
        meetings={name: meetings[name] for _, name in _names()},
        least=least,
        apart=apart,
    )


def _names() -> Iterator[tuple[tuple[str, str], str]]:
    for pair in PAIRS:
        yield pair, "+".join(pair)


def _deaf() -> None:
    """Ctrl-C is for whoever waits for the runs."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
