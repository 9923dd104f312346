"""What a scenario asks of a hook after its last reset, call by call: with all that stands against each call."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, History
from harness.core.scenario import Operation, Scenario, Step
from harness.errors import UsageError
from harness.explore import plain
from harness.explore.coverage import proven
from harness.faults import clock as clocks
from harness.faults.catalogue import checked
from harness.ports.clock import to_seconds
from harness.sandbox.room import Room

WITHOUT = "so it cannot be shown without windtunnel"


class Clock(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the calls read: the machine's time moved by so many seconds, a year's, or one that stands still."""

    moved_s: float = 0.0
    at_s: float | None = None
    stands: bool = False


class Moment(NamedTuple):
    """Calls begun together, mostly one alone, and what stands against them.

    ``damage`` are the faults of files so far, ``around`` those of the process, ``strike`` the one at a file call; none
    when the call never came.
    ``step`` is the place of their step in the scenario, and with ``ordered`` it names the order of their file calls.
    """

    step: int
    calls: tuple[Operation, ...]
    damage: tuple[Fault, ...] = ()
    around: tuple[Fault, ...] = ()
    clock: Clock | None = None
    strike: Fault | None = None
    ordered: bool = False


class _Reader:
    """Takes the steps one by one and keeps what stands."""

    def __init__(self, scenario: Scenario, room: Room, made: Sequence[Completed], repeated: int) -> None:
        self._files = scenario.world.files
        self._room = room
        self._made = iter(made)
        self._repeated = repeated
        self._standing = Moment(0, ())
        self._began_s = to_seconds(scenario.world.clock)
        self._passed_s = 0.0
        self.moments: list[Moment] = []

    def take(self, place: int, step: Step) -> None:
        if step.fault is not None:
            self._standing = self._against(step.fault)
        elif step.clock is not None:
            self._passed_s += clocks.not_before_1970(step.clock.by_s, self._began_s + self._passed_s)
            self._standing = self._standing._replace(clock=Clock(moved_s=self._passed_s))
        elif step.op is not None:
            self._ask(place, (step.op,))
        elif step.schedule is not None and step.schedule.order is not None:
            if self._standing.strike is not None:
                refuse("a file call is struck of one of several calls at once")
            self._ask(place, step.schedule.together, ordered=True)
        elif step.schedule is not None:
            refuse("calls are begun at once in no stated order")
        elif step.repeat is not None and len(step.repeat.steps) == 1 and step.repeat.steps[0].op is not None:
            for _ in range(self._repeated):
                self._ask(place, (step.repeat.steps[0].op,))
        else:
            refuse("it repeats more than one call, or begins after a crash")

    def _ask(self, place: int, calls: tuple[Operation, ...], *, ordered: bool = False) -> None:
        came = {name for done in itertools.islice(self._made, len(calls)) for name in proven(done)}
        strike = self._standing.strike
        if strike is not None and strike.name not in came:
            strike = None
        self.moments.append(self._standing._replace(step=place, calls=calls, strike=strike, ordered=ordered))
        self._standing = self._standing._replace(strike=None)

    def _against(self, fault: Fault) -> Moment:
        standing = self._standing
        family, _, kind = fault.name.partition(".")
        if family == "syscall":
            return standing._replace(strike=fault)
        if family == "environment" or fault.name == "clock.time_zone":
            return standing._replace(around=(*standing.around, fault))
        if fault.name == "clock.frozen":
            return standing._replace(clock=Clock(stands=True))
        if family == "clock" and kind != "jump":
            return standing._replace(clock=_moved(kind, checked(fault, self._room)))
        if self.moments and fault.path not in self._files:
            refuse(f"{fault.name} strikes between two calls, at what these may have written")
        return standing._replace(damage=(*standing.damage, fault))


def moments(scenario: Scenario, history: History, room: Room) -> list[Moment]:
    """The calls since the last reset, in order; one that repeats as often as it did in ``history``.

    UsageError, in one sentence, for what a script cannot do.
    """
    steps = scenario.steps
    resets = [n for n, step in enumerate(steps) if step.op is not None and step.op.name == plain.RESET]
    begin = resets[-1] + 1 if resets else 0
    last = steps[begin:]
    done = history.operations()
    asked = [each.begin.op for each in done]
    made = done[len(asked) - asked[::-1].index(plain.RESET) :] if plain.RESET in asked else done
    reader = _Reader(scenario, room, made, len(made) - sum(_count(step) for step in last))
    for place, step in enumerate(last, begin):
        reader.take(place, step)
    if sum(len(moment.calls) for moment in reader.moments) != len(made):
        refuse("it repeats more than one call")
    return reader.moments


def refuse(why: str) -> NoReturn:
    """UsageError: nothing but the harness can do that."""
    raise UsageError(f"{why}, {WITHOUT}")


def _count(step: Step) -> int:
    return len(step.schedule.together) if step.schedule is not None else int(step.op is not None)


def _moved(kind: str, fault: Fault) -> Clock:
    by_s = clocks.shift_s(kind, fault.params, 0.0)
    return Clock(at_s=by_s) if kind.startswith("year_") else Clock(moved_s=by_s)
