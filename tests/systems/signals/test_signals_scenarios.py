"""The scenarios of signals: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 7, 2 and 4 (scenarios at every boundary, L1 to L3), and its bad input; document 000, Signal Processing.
"""

import pytest
from scenario_checks import operations

from harness.systems.signals.contract import (
    APPROVED_PATH,
    DRIFT_PATH,
    HEALING,
    QUEUE_PATHS,
    REVIEW_PATH,
    ROUTES,
    Severity,
    Signal,
)
from harness.systems.signals.workload import boundaries
from harness.systems.signals.workload.signal_steps import CONTROL, DAY_S

SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}


def test_every_scenario_asks_for_the_drifts_of_the_control():
    for scenario in SCENARIOS:
        assert {"task_id": CONTROL} in [each.args for each in operations([scenario], "drifts")]


def test_no_two_drifts_of_a_scenario_say_the_same_unless_their_text_is_given():
    for scenario in SCENARIOS:
        said = [each.args["detected_drift"] for each in operations([scenario], "report_drift")]
        numbered = [each for each in said if isinstance(each, str) and each.startswith("Started")]
        assert len(numbered) == len(set(numbered)), scenario.id


def test_every_severity_drifts_and_every_signal_goes_every_way():
    severities = {
        each.args["severity"]
        for each in operations(OF_LEVEL["L1"], "report_drift")
        if isinstance(each.args["severity"], str)
    }
    assert {severity.value for severity in Severity} <= severities
    emitted = {(each.args["signal"], each.args["by"]) for each in operations(OF_LEVEL["L1"], "emit")}
    assert set() == {(signal, role) for signal, (roles, _) in ROUTES.items() for role in roles} - emitted
    for name, signals in (("consume", set(Signal) - HEALING), ("heal", HEALING)):
        asked = {(each.args["signal"], each.args["by"]) for each in operations(OF_LEVEL["L1"], name)}
        assert set() == {(signal, ROUTES[signal][1]) for signal in signals} - asked


def test_channels_handlers_gates_and_modes_end_in_every_way():
    def given(name, field):
        return {each.args[field] for each in operations(OF_LEVEL["L1"], name) if field in each.args}

    assert {"ok", "fails", "hangs"} == given("check_reviews", "alert")
    assert {"fails"} == given("consume", "handler")  # the other is the default
    assert {"passes", "fails", "hangs"} == given("heal", "gate")
    assert {True, False} == given("heal", "strict") == given("heal", "tests_confirmed")


def test_reviews_are_looked_after_around_their_time_limit():
    waits = {round(step.clock.by_s, 6) for each in OF_LEVEL["L1"] for step in each.steps if step.clock is not None}
    assert {DAY_S - 1.0, DAY_S, DAY_S + 1.0} <= waits


@pytest.mark.parametrize("path", [DRIFT_PATH, REVIEW_PATH, APPROVED_PATH, QUEUE_PATHS["dead-letter"]])
def test_files_of_others_are_found(path):
    assert any(path in each.world.files for each in OF_LEVEL["L1"])
