"""What befalls the machine of a simulation: full disks, clocks that are set, sessions and machines that die."""

import heapq
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from harness.runtime.trial import Pause, Steps
from harness.simulation.incidents import MACHINE, Incident, Incidents
from harness.simulation.profiles import Profile, Spells
from harness.simulation.virtual_time import TICKS_PER_S, Chance

FULL: Final = "full"  # the disk is full, for so many ticks
CLOCK: Final = "clock"  # the clock is set, by so many ticks
DIES: Final = "dies"  # the session of the agent of that number
RESTARTS: Final = "restarts"
_RESTARTED_FULL, _RESTARTED_FREE = 200, 500  # of a thousand full disks: restarted before, or when, it is free again
_CLOCK_SET_S = (1, 30, 600, 3600)  # up to so far, forward or back


class Machine(Protocol):
    """What can be done to it."""

    @property
    def elapsed(self) -> int:
        """The ticks since the beginning, whatever clocks say."""
        ...

    def kill_session(self, number: int) -> None:
        """The session of that agent dies; nothing happens when there is no such agent."""
        ...

    def restart_machine(self) -> None:
        """Everything dies."""
        ...

    def set_clock(self, by: int) -> None:
        """The clock is set, by so many ticks."""
        ...

    def fill_storage(self, *, full: bool) -> None:
        """The disk is full, or no longer."""
        ...


class Fork(NamedTuple):
    """From ``at`` ticks on, chance goes on from another seed: the same past, with another future."""

    at: int
    seed: int


def drawn(profile: Profile, agents: int, seed: int, forks: tuple[Fork, ...] = ()) -> Iterator[Incident]:
    """All that befalls the machine in that weather, without end, in its order in time."""
    seeds = (Fork(0, seed), *forks)
    for number, fork in enumerate(seeds):
        end = seeds[number + 1].at if number + 1 < len(seeds) else None
        for incident in _merged(profile, agents, fork.seed):
            if end is not None and incident.number >= end:
                break
            if incident.number >= fork.at:
                yield incident


def life(machine: Machine, coming: Iterator[Incident], incidents: Incidents) -> Steps[None]:
    """Lets them befall it, each at its time."""
    full_until = 0
    ends: list[int] = []  # of full disks
    following = next(coming, None)
    while following is not None or ends:
        if ends and (following is None or ends[0] <= following.number):
            at = heapq.heappop(ends)
            yield _until(machine, at)
            if at == full_until:
                machine.fill_storage(full=False)
            continue
        assert following is not None  # noqa: S101 - the loop's condition
        incident, following = following, next(coming, None)
        yield _until(machine, incident.number)
        if incidents.are_over:
            return
        incidents.note(incident)
        if incident.kind == FULL:
            if incident.number >= full_until:
                machine.fill_storage(full=True)
            full_until = max(full_until, incident.number + int(incident.what))
            heapq.heappush(ends, incident.number + int(incident.what))
        else:
            _befall(machine, incident)
    while True:
        yield Pause(1 << 30)


def _until(machine: Machine, at: int) -> Pause:
    return Pause(max(0, at - machine.elapsed) / TICKS_PER_S)


def _befall(machine: Machine, incident: Incident) -> None:
    if incident.kind == CLOCK:
        machine.set_clock(int(incident.what))
    elif incident.kind == DIES:
        machine.kill_session(int(incident.what))
    else:
        machine.restart_machine()


def _merged(profile: Profile, agents: int, seed: int) -> Iterator[Incident]:
    kinds: list[Iterator[Incident]] = []
    if profile.full is not None:
        kinds.append(_full_disks(profile.full, seed))
    if profile.clock_set_every_s:
        kinds.append(_set_clocks(profile.clock_set_every_s, seed))
    if profile.session_dies_every_s:
        kinds.append(_dead_sessions(profile.session_dies_every_s, agents, seed))
    if profile.machine_restarts_every_s:
        kinds.append(_restarts(profile.machine_restarts_every_s, seed))
    return heapq.merge(*kinds, key=lambda incident: incident.number)


def _full_disks(spells: Spells, seed: int) -> Iterator[Incident]:
    chance, at = Chance(seed, "full disk"), 0
    while True:
        at += chance.around(spells.every_s)
        lasts = chance.seconds(spells.low_s, spells.high_s)
        yield Incident(MACHINE, FULL, at, str(lasts))
        drawn = chance.below(1000)
        if drawn < _RESTARTED_FULL:
            yield Incident(MACHINE, RESTARTS, at + chance.between(1, lasts - 1), RESTARTS)
        at += lasts
        if drawn >= 1000 - _RESTARTED_FREE:
            yield Incident(MACHINE, RESTARTS, at, RESTARTS)


def _set_clocks(every_s: int, seed: int) -> Iterator[Incident]:
    chance, at = Chance(seed, "clock"), 0
    while True:
        at += chance.around(every_s)
        farthest = _CLOCK_SET_S[chance.below(len(_CLOCK_SET_S))] * TICKS_PER_S
        yield Incident(MACHINE, CLOCK, at, str(chance.between(-farthest, farthest)))


def _dead_sessions(every_s: int, agents: int, seed: int) -> Iterator[Incident]:
    chance, at = Chance(seed, "dead sessions"), 0
    while True:
        at += chance.around(every_s)
        yield Incident(MACHINE, DIES, at, str(chance.below(agents)))


def _restarts(every_s: int, seed: int) -> Iterator[Incident]:
    chance, at = Chance(seed, "restarts"), 0
    while True:
        at += chance.around(every_s)
        yield Incident(MACHINE, RESTARTS, at, RESTARTS)
