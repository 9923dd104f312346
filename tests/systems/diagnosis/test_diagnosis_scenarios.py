"""The scenarios of diagnoses: every clause and every boundary is there, and what they allow is what one gives.

Source: issue 6, 1, 4 and its bad input; FAULTS.md.
"""

import pytest
from scenario_checks import faults_of, operations

from harness.systems import registry
from harness.systems.diagnosis.contract import PREVIOUS_ACTIONS, ErrorType, Flag, ModelBehaviour
from harness.systems.diagnosis.workload import boundaries, candidates
from harness.systems.diagnosis.workload.diagnosis_steps import CONTROL
from harness.systems.diagnosis.workload.failures import FIRST, OF_TYPE
from harness.systems.diagnosis.workload.recovery_boundaries import HOSTILE

SYSTEM = registry.get("diagnosis")
SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
BOUNDARIES = (
    "diagnosis-trigger-success", "diagnosis-trigger-failure", "diagnosis-trigger-in-turn", "diagnosis-again-same",
    "diagnosis-input-0-previous", "diagnosis-input-1-previous", "diagnosis-input-3-previous",
    "diagnosis-input-4-previous", "diagnosis-input-10-previous", "diagnosis-odd-message-number",
    "diagnosis-odd-message-object", "diagnosis-odd-message-null", "diagnosis-odd-message-list",
    "diagnosis-odd-message-missing", "diagnosis-odd-message-long", "diagnosis-odd-message-nul",
    "diagnosis-odd-code-text", "diagnosis-odd-code-fraction", "diagnosis-odd-code-true",
    "diagnosis-odd-stderr-bytes", "diagnosis-odd-args-list", "diagnosis-odd-args-null", "diagnosis-odd-context-null",
    "diagnosis-odd-context-list", "diagnosis-odd-context-number", "diagnosis-odd-context-availabletools-null",
    "diagnosis-odd-context-without-availabletools", "diagnosis-odd-tools-numbers", "diagnosis-odd-iteration-text",
    "diagnosis-tools-none", "diagnosis-tools-shell", "diagnosis-tools-all", "diagnosis-tools-unknown",
    "diagnosis-smoke-git", "diagnosis-smoke-wget", "diagnosis-smoke-curl", "diagnosis-smoke-unzip",
    "diagnosis-smoke-python", "diagnosis-attempts-one-fails", "diagnosis-attempts-two-fail", "diagnosis-flags-unset",
    "diagnosis-flag-depth-0", "diagnosis-flag-depth-1", "diagnosis-flag-depth-4", "diagnosis-flag-depth-5",
    "diagnosis-flag-depth-6", "diagnosis-flag-depth-minus-1", "diagnosis-flag-depth-x", "diagnosis-flag-depth-2-5",
    "diagnosis-flag-temperature-0", "diagnosis-flag-temperature-0-2", "diagnosis-flag-temperature-1",
    "diagnosis-flag-temperature-2-5", "diagnosis-flag-temperature-x", "diagnosis-flag-tokens-0",
    "diagnosis-flag-tokens-1", "diagnosis-flag-tokens-1024", "diagnosis-flag-attempts-0", "diagnosis-flag-attempts-1",
    "diagnosis-flag-attempts-2", "diagnosis-flag-attempts-3", "diagnosis-learn-nothing", "diagnosis-learn-1",
    "diagnosis-learn-2", "diagnosis-learn-3", "diagnosis-learn-restarted", "diagnosis-learn-other-process",
    "diagnosis-learn-off", "diagnosis-session-torn", "diagnosis-episodic-torn", "diagnosis-session-directory",
    "diagnosis-model-half", "diagnosis-model-fenced", "diagnosis-model-hangs", "diagnosis-model-raises",
    "diagnosis-l3-failure", "diagnosis-l3-outcome", "diagnosis-l3-order-two-failures",
)  # fmt: skip


MOST_HANGS = 3  # a hang that is waited for in real time is in so few scenarios


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in BY_ID


def test_in_the_control_one_call_works_and_two_fail():
    told = [operation.args for operation in operations(SCENARIOS[:1]) if operation.args["call"].startswith(CONTROL)]
    assert [True, False, False] == [args["success"] for args in told]


def test_every_call_that_is_observed_has_a_name_of_its_own():
    for scenario in SCENARIOS:
        calls = [each.args["call"] for each in operations([scenario]) if each.name == "observe"]
        assert len(calls) == len(set(calls)), scenario.id


def test_every_scenario_that_judges_files_ends_with_an_operation_that_finds_them():
    kept = ("DR-MEM-", "DR-LOG-", "DR-LRN-01")
    for scenario in SCENARIOS:
        judges = any(clause.startswith(kept) for clause in scenario.clauses)
        if judges and scenario.level == "L1":
            last = scenario.steps[-1].op
            assert last.name == "observe", scenario.id


def test_every_scenario_of_the_second_level_meets_a_fault_a_move_of_the_clock_or_a_model_that_fails():
    for scenario in OF_LEVEL["L2"]:
        scripted = {name for each in operations([scenario]) for name in scripted_in(each)}
        assert faults_of(scenario) or scripted or "moved" in scenario.id or "model" in scenario.id, scenario.id


def scripted_in(operation):
    return SYSTEM.contract.scripted_faults(operation.name, operation.args)


def test_every_type_has_several_texts_and_every_tool_is_told_by_its_name():
    assert set(ErrorType) - {ErrorType.UNKNOWN} == set(OF_TYPE)
    assert all(len(failures) >= 3 for failures in OF_TYPE.values())
    assert [] == [failure.word for failure in FIRST.values() if not isinstance(failure.tool, str)]


def test_every_flag_is_set_to_on_off_and_something_odd_somewhere():
    values = {flag.value: set() for flag in Flag}
    for scenario in SCENARIOS:
        for name, value in scenario.world.config.get("flags", {}).items():
            values.setdefault(name, set()).add(value)
    assert [] == [flag for flag in Flag if not {"0", "1"} <= values[flag.value] or len(values[flag.value]) < 8]


def test_every_behaviour_of_a_model_is_scripted_and_hangs_are_few():
    behaviours = [
        (scenario.id, operation.args["model"]["behaviour"])
        for scenario in SCENARIOS
        for operation in operations([scenario])
        if operation.args.get("model")
    ]
    assert set(ModelBehaviour) == {behaviour for _, behaviour in behaviours}
    assert len({id_ for id_, behaviour in behaviours if behaviour == "hangs"}) <= MOST_HANGS


def test_no_previous_actions_beyond_three_are_supplied_unless_the_scenario_is_about_them():
    for scenario in SCENARIOS:
        for operation in operations([scenario]):
            context = operation.args.get("context")
            before = context.get("previousActions") if isinstance(context, dict) else None
            if isinstance(before, list | tuple) and len(before) > PREVIOUS_ACTIONS:
                assert "previous" in scenario.id, scenario.id


def test_hostile_words_are_as_odd_as_the_issue_asks_for():
    texts = [text for _, text in HOSTILE]
    for mark in ("$(", "`", '"', "'", "\n", ";", "|", "&", " "):
        assert any(mark in text for text in texts), mark
    assert any(text.startswith("-") for text in texts)
    assert any(not text.isascii() for text in texts)


def test_the_controls_are_the_two_sides():
    assert [{"reflection": "none"}, {"reflection": "full"}] == [
        dict(each.allowed[0]) for each in candidates.controls("reflection")
    ]
