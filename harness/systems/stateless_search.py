"""Scenarios of systems that keep nothing, found by search: their operations by chance, under one fault or several."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, TypeVar

from harness.core.scenario import FORMAT, Operation, Scenario, Schedule, Step, World
from harness.systems.stateless_faults import FILES, UNSTEADY, Row, faults_of

T = TypeVar("T")
Results = tuple[Mapping[str, Any], ...]
Permitted = Callable[[Sequence[Mapping[str, Any]]], Any]
CALM_SHARE = 6  # one candidate in so many has no fault, where the caller names none
MOST_OPERATIONS = 5
CLOCK = "2026-03-01T12:00:00Z"
RESET = Step(op=Operation("reset"))


class Room(NamedTuple):
    """What is a system's own in its search.

    ``control`` shows every MUST clause, both its sides, in calm weather; ``operation`` draws one; ``results`` are those
    that an operation may be tried with, of which the permitted ones are written down; ``musts`` are its MUST clauses.
    """

    system: str
    profile: str
    rows: tuple[Row, ...]
    control: tuple[Step, ...]
    operation: Callable[[Random], Operation]
    results: Callable[[Operation], Results]
    musts: tuple[str, ...]
    tunables: tuple[Mapping[str, Any], ...] = ()


def one(rng: Random, choices: Sequence[T]) -> T:
    """One of these."""
    return choices[rng.randrange(len(choices))]


def candidates(room: Room, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
    """Candidates without end, one of ``faults`` in each, in turn; with ``calm`` now and then none."""
    usable = [name for name in faults if places(room, name)]
    usable = [usable.pop(rng.randrange(len(usable))) for _ in range(len(usable))]
    position = 0
    while usable or calm:
        without = not usable or (calm and position % CALM_SHARE == 0)
        yield _candidate(room, rng, None if without else usable[position % len(usable)])
        position += 1


def _candidate(room: Room, rng: Random, name: str | None) -> Scenario:
    steps: list[Step] = [*room.control, RESET]
    steps += [_step(room, rng) for _ in range(rng.randrange(2))]
    if name is not None:
        steps += one(rng, places(room, name))
    steps += [_step(room, rng) for _ in range(rng.randrange(MOST_OPERATIONS))]
    if name is None and rng.randrange(CALM_SHARE) == 0:
        steps.append(Step(schedule=Schedule((room.operation(rng), room.operation(rng)))))
    tuned = one(rng, ({}, *room.tunables))
    return composed(room, (*steps, Step(op=room.operation(rng))), {"tunables": dict(tuned)} if tuned else {})


def _step(room: Room, rng: Random) -> Step:
    return Step(op=room.operation(rng))


def composed(room: Room, steps: Sequence[Step], config: Mapping[str, Any]) -> Scenario:
    """A scenario of these steps; it has no id, no title and no clauses yet."""
    return Scenario(
        format=FORMAT,
        id="candidate",
        title="",
        system=room.system,
        profile=room.profile,
        clauses=(),
        world=World(CLOCK, FILES, config),
        steps=tuple(steps),
        level="L2" if faults_of(steps) else "L1",
    )


def places(room: Room, name: str) -> tuple[tuple[Step, ...], ...]:
    """Every way in which the fault of that name strikes; none when it does not."""
    return tuple(row.steps for row in room.rows if any(fault.name == name for fault in faults_of(row.steps)))


def unsteady(name: str) -> bool:
    """May two runs under the fault of that name rightly end differently?"""
    return name in UNSTEADY


def allowed(room: Room, scenario: Scenario, permitted: Permitted) -> Results:
    """What the last operation may end in."""
    last = scenario.steps[-1].op
    return () if last is None else tuple(permitted(room.results(last)))


def title(scenario: Scenario) -> str:
    """What happens in the scenario after its control, in a line."""
    resets = [number for number, step in enumerate(scenario.steps) if step == RESET]
    words: list[str] = []
    for step in scenario.steps[resets[-1] + 1 if resets else 0 :]:
        if step.op is not None:
            words.append(step.op.name)
        elif step.fault is not None:
            words.append(step.fault.name)
        elif step.schedule is not None:
            words.append(f"{len(step.schedule.together)} operations at once")
    return "Found: " + "; ".join(dict.fromkeys(words))


# -- several faults at once


def slots(room: Room, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The faults by what they strike; of one slot only one can stand at a time. Those without any place are left out.

    Faults at a file call have none: there is no call, so that nothing could be met.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        ways = places(room, name)
        if ways:
            path = next((fault.path for fault in faults_of(ways[0]) if fault.path is not None), None)
            found.setdefault(path or name.partition(".")[0], []).append(name)
    return {slot: tuple(of_slot) for slot, of_slot in found.items()}


def combined(room: Room, names: Sequence[str]) -> Scenario:
    """The control in calm weather, then again under all of these faults at once."""
    steps = [step for name in names for step in places(room, name)[0]]
    return composed(room, (*room.control, RESET, *steps, *room.control), {})
