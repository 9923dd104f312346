"""What is explored in a scenario, and what is left of it for a mutant that little can show."""

from harness.core.scenario import Explore, Operation, Scenario, Schedule, Step, World
from harness.qualify.layers import kinds_of, narrowed

ASKED = Step(op=Operation("next", {"current": "opus"}))


def scenario(*steps):
    return Scenario(1, "s", "t", "fallback", "ladder", (), World("2026-03-01T12:00:00Z"), steps, level="L3")


def test_what_is_explored_are_the_kinds_of_its_steps_and_the_order_of_what_begins_together():
    both = Step(schedule=Schedule((ASKED.op, ASKED.op)))
    assert frozenset() == kinds_of(scenario(ASKED))
    assert {"errno", "power"} == kinds_of(scenario(Step(explore=Explore(("errno", "power"))), ASKED))
    assert {"killed", "schedule"} == kinds_of(scenario(Step(explore=Explore(("killed",))), ASKED, both))


def test_a_narrowed_scenario_explores_the_kinds_named_and_nothing_else():
    whole = scenario(Step(explore=Explore(("errno", "power"))), ASKED, Step(explore=Explore(("errno",))), ASKED)
    assert (Step(explore=Explore(("power",))), ASKED, ASKED) == narrowed(whole, frozenset({"power", "torn"})).steps
    assert whole == narrowed(whole, frozenset({"errno", "power"}))
