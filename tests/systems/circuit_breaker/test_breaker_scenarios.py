"""The scenarios of circuit breakers: every clause and every boundary is there, and what they allow is what one gives.

Source: issue 5, 1 (the traps) and 7 (scenarios for every boundary), and its bad input; FAULTS.md.
"""

import pytest
from scenario_checks import operations

from harness.systems.circuit_breaker.workload import boundaries
from harness.systems.circuit_breaker.workload.breaker_steps import CONTROL
from harness.systems.circuit_breaker.workload.name_boundaries import NAMES

SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
BOUNDARIES = (
    "breaker-failures-at-30-59-999999", "breaker-failures-at-30-60", "breaker-failures-at-30-60-000001",
    "breaker-failures-at-40-70-80", "breaker-cooldown-299-999999", "breaker-cooldown-300",
    "breaker-cooldown-300-000001", "breaker-interval-of-0-before-10-from-start", "breaker-interval-of-0-at-10-from-start",
    "breaker-interval-of-0-after-10-from-start", "breaker-interval-of-1-before-10-from-end",
    "breaker-interval-of-1-at-10-from-end", "breaker-interval-of-1-after-10-from-end",
    "breaker-interval-of-15-before-10-from-start", "breaker-interval-of-15-at-10-from-start",
    "breaker-interval-of-15-after-10-from-start", "breaker-interval-of-15-at-10-from-end", "breaker-successes-one",
    "breaker-successes-two", "breaker-successes-three", "breaker-ramp-0", "breaker-ramp-59-999999", "breaker-ramp-60",
    "breaker-ramp-119-999999", "breaker-ramp-120", "breaker-name-long", "breaker-name-nul", "breaker-name-slashes",
    "breaker-configure-zero", "breaker-configure-negative", "breaker-configure-fractional", "breaker-configure-nan",
    "breaker-file-future-open", "breaker-file-lower-case", "breaker-file-whole-fraction",
)  # fmt: skip


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in BY_ID


def test_every_scenario_has_the_control_before_everything_else_or_after_it():
    for scenario in SCENARIOS:
        asked = operations([scenario])
        control = [operation for operation in asked if operation.args.get("name") == CONTROL]
        assert {"acquire", "record"} == {operation.name for operation in control}, scenario.id
        assert "acquire" == control[-1].name, scenario.id
        assert control[0] in (asked[0], asked[-len(control)]), scenario.id


def test_every_result_is_of_a_call_that_was_asked_for_and_no_call_has_two():
    for scenario in SCENARIOS:
        asked, told = set(), []
        for operation in operations([scenario]):
            call = (operation.args.get("name"), operation.args.get("call"))
            if operation.name == "acquire":
                asked.add(call)
            elif operation.name == "record":
                told.append(call)
        assert len(told) == len(set(told)), scenario.id
        assert set(told) <= asked or scenario.id == "breaker-unknown-call", scenario.id


def test_two_three_and_eight_processes_ask_for_the_probe_at_once():
    widths = {
        len(step.schedule.together)
        for scenario in SCENARIOS
        if scenario.id.startswith("breaker-probe-together")
        for step in scenario.steps
        if step.schedule is not None
    }
    assert {2, 3, 8} == widths


def test_names_of_breakers_are_as_odd_as_the_issue_asks_for():
    names = [name for _, _, name, _ in NAMES]
    assert any("/" in name for name in names)
    assert any("\0" in name for name in names)
    assert 10_000 == max(map(len, names))
    assert [] == [name for _, _, name, neighbour in NAMES if name == neighbour]
