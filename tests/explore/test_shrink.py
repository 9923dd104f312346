"""What is left of a failing scenario: every step that stays is needed."""

import msgspec
import pytest
from toy import CLOCK, add

from harness.core.scenario import FORMAT, Scenario, World
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
