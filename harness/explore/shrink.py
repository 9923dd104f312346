"""Makes a failing scenario smaller by leaving steps out, as long as the same clause still fails."""

from collections.abc import Callable, Iterator

import msgspec

from harness.core.scenario import Scenario, Schedule, Step

Fails = Callable[[Scenario], bool]
Steps = tuple[Step, ...]


def shortened(scenario: Scenario, fails: Fails) -> Scenario:
    """``scenario`` with no step that could be left out: without any one of them ``fails`` is false.

    Hypothesis shrinks what is drawn, and now and then keeps a step that does nothing; this asks about each, last first.
    Operations made at once are made fewer, and one alone where that will do; it is then asked by the process that asked
    it before, which may remember, unless all can be asked by the first.
    """
    smallest = _smallest(scenario, fails, _without)
    narrow = _smallest(smallest, fails, _narrower)
    if narrow is smallest:
        return smallest
    alike = msgspec.structs.replace(narrow, steps=tuple(map(_of_first, narrow.steps)))
    return _smallest(alike if alike != narrow and fails(alike) else narrow, fails, _without)


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
    for process, operation in enumerate(together, 1):
        yield _exchanged(steps, position, Step(op=operation))
        yield _exchanged(steps, position, Step(process, op=operation))
    if len(together) > 2:  # with one operation it is no schedule
        for left_out in range(len(together)):
            fewer = Schedule(together[:left_out] + together[left_out + 1 :])
            yield _exchanged(steps, position, Step(schedule=fewer))


def _of_first(step: Step) -> Step:
    return step if step.schedule is not None else msgspec.structs.replace(step, process=0)


def _exchanged(steps: Steps, position: int, step: Step) -> Steps:
    return (*steps[:position], step, *steps[position + 1 :])
