"""What is left of a failing scenario: every step that stays is needed."""

import msgspec
import pytest
from toy import CLOCK, add

from harness.core.scenario import FORMAT, Scenario, Schedule, Step, World
from harness.explore.shrink import shortened

STEPS = tuple(add(number) for number in range(6))
SCENARIO = Scenario(FORMAT, "s", "t", "toy", "toy", ("T-1",), World(CLOCK), STEPS)


@pytest.mark.parametrize("needed", [(0,), (5,), (1, 4), (0, 2, 3), (0, 1, 2, 3, 4, 5)])
def test_only_the_steps_that_are_needed_stay(needed):
    wanted = tuple(STEPS[position] for position in needed)
    smallest = shortened(SCENARIO, lambda scenario: all(step in scenario.steps for step in wanted))
    assert msgspec.structs.replace(SCENARIO, steps=wanted) == smallest


def test_what_fails_no_more_is_left_as_it_was():
    assert shortened(SCENARIO, lambda scenario: False) is SCENARIO


def test_a_scenario_keeps_a_step():
    assert len(shortened(SCENARIO, lambda scenario: True).steps) == 1


def at_once(*numbers):
    return Step(schedule=Schedule(tuple(add(number).op for number in numbers)))


@pytest.mark.parametrize(
    ("needed", "kept"),
    [((2,), (add(2),)), ((1, 3), (at_once(1, 3),)), ((1, 2, 3), (at_once(1, 2, 3),))],
)
def test_no_more_operations_are_made_at_once_than_are_needed(needed, kept):
    wide = msgspec.structs.replace(SCENARIO, steps=(add(9), at_once(0, 1, 2, 3)))

    def fails(scenario):
        asked = [
            op.args["number"] for step in scenario.steps for op in (step.schedule.together if step.schedule else ())
        ]
        alone = [step.op.args["number"] for step in scenario.steps if step.op is not None]
        return set(needed) <= set(asked) or (len(needed) == 1 and needed[0] in alone)

    assert kept == shortened(wide, fails).steps


@pytest.mark.parametrize(("processes", "kept"), [((0, 1, 2), 0), ((1,), 1)])
def test_an_operation_that_was_made_at_once_is_left_to_the_process_that_made_it_before(processes, kept):
    twice = msgspec.structs.replace(SCENARIO, steps=(at_once(0, 1), add(2), at_once(0, 3)))

    def fails(scenario):
        by_process = {process: [] for process in processes}
        for step in scenario.steps:
            asked = enumerate(step.schedule.together, 1) if step.schedule else [(step.process, step.op)]
            for process, operation in asked:
                by_process.setdefault(process, []).append(operation.args["number"])
        return [0, 0] in [by_process[process] for process in processes]

    assert (Step(kept, op=add(0).op),) * 2 == shortened(twice, fails).steps
