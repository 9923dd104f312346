"""Operations of a scenario that are begun together, under every order of their file calls."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from harness.core.digest import sha256_of
from harness.core.history import History
from harness.core.scenario import Scenario, Schedule, Step
from harness.explore.races import Race, RaceBounds, RaceReport, RaceStep, explore_races
from harness.targets import player
from harness.targets.player import Head, InputsOf
from harness.targets.session import Session

IDLE_S: Final = 30.0  # without anything happening: a busy machine takes seconds
SCHEDULES: Final = 200  # of one set of operations, depth-first; the reference needs up to 140
BEYOND: Final = 0.5  # so many more, as a share of those, at random, where the first did not exhaust all orders
TURNS: Final = 4  # told of an order
_NUMBERS: Final = {0: "the first", 1: "the second", 2: "the third", 3: "the fourth"}
_HASH_LENGTH: Final = 8


class _Over(Exception):  # noqa: N818 - no error: the execution only repeats others
    """What is left of this execution shows nothing."""


def explored_orders(
    scenario: Scenario,
    place: int,
    session: Session,
    inputs_of: InputsOf,
    judge: Callable[[History], str],
    *,
    head: Head,
    limit: int,
    seed: int,
    over: Callable[[], bool] = lambda: False,
) -> RaceReport:
    """Plays ``scenario`` under each order of the operations after the step at ``place``.

    ``judge`` says "" of a history in which all is well, and otherwise what is wrong. ``over`` is asked after each order
    whether to end. MachineError where processes cannot be held at their calls.
    """
    one = in_order(scenario, place, ())

    def attempt(race: Race) -> History:
        @contextmanager
        def this_race(session: Session, schedule: Schedule) -> Iterator[Race]:
            del session, schedule
            yield race
            if race.stopped:
                raise _Over

        return player.play(one, session, inputs_of, this_race, head)

    schedule = scenario.steps[place + 1].schedule
    return explore_races(
        attempt,
        judge,
        below=session.ordered_below(),
        bounds=RaceBounds(schedules=limit, beyond=int(limit * BEYOND), idle_s=IDLE_S, over=over),
        seed=seed,
        runs=len(schedule.together) if schedule is not None else 0,
        hide=session.hide,
    )


def told(order: Sequence[RaceStep]) -> str:
    """Where in that order another operation goes on, in words: the last call of each before it has to wait."""
    turns = [list(steps) for _, steps in itertools.groupby(order, key=lambda step: step.run)]
    said = [f"{_NUMBERS.get(turn[-1].run, 'another')} up to {turn[-1].call()}" for turn in turns]
    more = f", and {len(said) - TURNS} more turns" if len(said) > TURNS else ""
    return f"{', then '.join(said[:TURNS])}{more}"


def in_order(scenario: Scenario, place: int, choices: tuple[int, ...], order: Sequence[RaceStep] = ()) -> Scenario:
    """``scenario`` with the operations after the step at ``place`` made in that order; its id hangs on nothing else.

    ``order`` is how they went, to be told in the title.
    """
    steps: list[Step] = []
    for n, step in enumerate(scenario.steps):
        if n == place + 1 and step.schedule is not None:
            steps.append(Step(step.process, schedule=Schedule(step.schedule.together, choices)))
        elif step.explore is None:
            steps.append(step)
    return msgspec.structs.replace(
        scenario,
        id=f"{scenario.id}-order-{sha256_of([place, choices])[:_HASH_LENGTH]}",
        title=f"{scenario.title}; {told(order)}" if order else f"{scenario.title}; one order of their file calls",
        steps=tuple(steps),
    )
