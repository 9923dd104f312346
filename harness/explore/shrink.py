"""Makes a failing scenario smaller by leaving steps out, as long as the same clause still fails."""

from collections.abc import Callable, Iterator

import msgspec

from harness.core.scenario import Scenario, Schedule, Step

Fails = Callable[[Scenario], bool]
Steps = tuple[Step, ...]


def shortened(scenario: Scenario, fails: Fails) -> Scenario:
    """``scenario`` with no step that could be left out: without any one of them ``fails`` is false.

    Hypothesis shrinks what is drawn, and now and then keeps a step that does nothing; this asks about each, last first.
    Operations made at once are made fewer, and one alone where that will do.
    """
    smallest = _smallest(scenario, fails, _without)
    narrow = _smallest(smallest, fails, _narrower)
    return narrow if narrow is smallest else _smallest(narrow, fails, _without)


def _smallest(scenario: Scenario, fails: Fails, smaller: Callable[[Steps, int], Iterator[Steps]]) -> Scenario:
    smallest = scenario
    again = True
    while again:
        again = False
        for position in reversed(range(len(smallest.steps))):
            for steps in smaller(smallest.steps, position):
                candidate = msgspec.structs.replace(smallest, steps=steps)
                if steps and fails(candidate):
                    smallest, again = candidate, True
                    break
    return smallest


def _without(steps: Steps, position: int) -> Iterator[Steps]:
    yield steps[:position] + steps[position + 1 :]


def _narrower(steps: Steps, position: int) -> Iterator[Steps]:
    schedule = steps[position].schedule
    together = () if schedule is None else schedule.together
    for operation in together:
        yield _exchanged(steps, position, Step(op=operation))
    if len(together) > 2:  # with one operation it is no schedule
        for left_out in range(len(together)):
            fewer = Schedule(together[:left_out] + together[left_out + 1 :])
            yield _exchanged(steps, position, Step(schedule=fewer))


def _exchanged(steps: Steps, position: int, step: Step) -> Steps:
    return (*steps[:position], step, *steps[position + 1 :])
