"""Orders of operations begun together, as they are told. Source: issue 4, item 4."""

import pytest

from harness.core.scenario import Explore, Operation, Scenario, Schedule, Step, World
from harness.explore.operation_orders import in_order, told
from harness.explore.races import RaceStep

STOP = Operation("stop", {"session_id": "s-1"})


def steps(*runs):
    return tuple(RaceStep(run, 0, "write", (f"file-{n}",)) for n, run in enumerate(runs))


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ((0, 0, 1), "the first up to write(file-1), then the second up to write(file-2)"),
        (
            (0, 1, 0, 1, 0, 1),
            "the first up to write(file-0), then the second up to write(file-1), then the first up to write(file-2), "
            "then the second up to write(file-3), and 2 more turns",
        ),
        ((9,), "another up to write(file-0)"),
    ],
)
def test_an_order_is_told_by_where_another_goes_on(runs, says):
    assert says == told(steps(*runs))


def test_a_scenario_in_one_order_is_known_by_its_choices_and_says_how_they_went():
    world = World("2026-03-01T12:00:00Z")
    together = (Step(explore=Explore(("schedule",))), Step(schedule=Schedule((STOP, STOP))))
    scenario = Scenario(1, "tour", "Two stops", "toy", "gate", ("A",), world, together, "L3")
    plain, known = in_order(scenario, 0, (0, 1)), in_order(scenario, 0, (0, 1), steps(0, 1))
    assert (plain.id, plain.steps) == (known.id, known.steps)
    assert "Two stops; one order of their file calls" == plain.title
    assert "Two stops; the first up to write(file-0), then the second up to write(file-1)" == known.title
