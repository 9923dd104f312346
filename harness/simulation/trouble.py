"""What befalls the machine of a simulation: full disks, clocks that are set, sessions and machines that die."""

from collections.abc import Callable, Iterator
from typing import Protocol

from harness.runtime.trial import Pause, Steps
from harness.simulation.profiles import Profile, Spells
from harness.simulation.virtual_time import TICKS_PER_S, Chance

_CLOCK_SET_S = (1, 30, 600, 3600)  # up to so far, forward or back


class Machine(Protocol):
    """What can be done to it."""

    @property
    def seed(self) -> int:
        """The simulation's."""
        ...

    @property
    def agents(self) -> int:
        """How many there are."""
        ...

    def kill_session(self, number: int) -> None:
        """The session of that agent dies."""
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


def trouble(profile: Profile) -> Iterator[Callable[[Machine], Steps[None]]]:
    """Each kind of trouble that a profile has, as steps on a machine."""
    full = profile.full
    if full is not None:
        yield lambda machine: _full_disks(machine, full)
    if profile.clock_set_every_s:
        yield lambda machine: _set_clocks(machine, profile.clock_set_every_s)
    if profile.session_dies_every_s:
        yield lambda machine: _dead_sessions(machine, profile.session_dies_every_s)
    if profile.machine_restarts_every_s:
        yield lambda machine: _restarts(machine, profile.machine_restarts_every_s)


def _full_disks(machine: Machine, spells: Spells) -> Steps[None]:
    chance = Chance(machine.seed, "full disk")
    while True:
        yield _pause(chance.around(spells.every_s))
        machine.fill_storage(full=True)
        yield _pause(chance.seconds(spells.low_s, spells.high_s))
        machine.fill_storage(full=False)
        if chance.per_mille(500):
            machine.restart_machine()


def _set_clocks(machine: Machine, every_s: int) -> Steps[None]:
    chance = Chance(machine.seed, "clock")
    while True:
        yield _pause(chance.around(every_s))
        farthest = _CLOCK_SET_S[chance.below(len(_CLOCK_SET_S))] * TICKS_PER_S
        machine.set_clock(chance.between(-farthest, farthest))


def _dead_sessions(machine: Machine, every_s: int) -> Steps[None]:
    chance = Chance(machine.seed, "dead sessions")
    while True:
        yield _pause(chance.around(every_s))
        machine.kill_session(chance.below(machine.agents))


def _restarts(machine: Machine, every_s: int) -> Steps[None]:
    chance = Chance(machine.seed, "restarts")
    while True:
        yield _pause(chance.around(every_s))
        machine.restart_machine()


def _pause(length: int) -> Pause:
    return Pause(length / TICKS_PER_S)
