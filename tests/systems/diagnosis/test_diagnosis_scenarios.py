"""The scenarios of diagnoses: every clause and every boundary is there, and what they allow is what one gives.

Source: issue 6, 1, 4 and its bad input; FAULTS.md.
"""

import itertools
from random import Random

import msgspec
import pytest
from diagnosis_played import SYSTEM, served

from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import dump, load
from harness.faults import catalogue
from harness.systems.diagnosis.contract import OPERATIONS, PREVIOUS_ACTIONS, ErrorType, Flag, ModelBehaviour
from harness.systems.diagnosis.workload import boundaries, candidates, combinations
from harness.systems.diagnosis.workload.diagnosis_steps import CONTROL, Story
from harness.systems.diagnosis.workload.failures import FIRST, OF_TYPE
from harness.systems.diagnosis.workload.recovery_boundaries import HOSTILE
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
FIELDS = frozenset(name for _, result in OPERATIONS.values() for name in result.__struct_fields__ if name != "log")
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


# the protocol refuses the arguments of these; in this process nothing stands between a caller and the reference
BY_PROTOCOL = frozenset(f"diagnosis-l2-call-{kind}" for kind in ("absent", "null", "wrong-type"))
# what a diagnosis does not have, or what the protocol needs itself
ELSEWHERE = (
    "json_document.", "network.", "syscall.", "environment.std", "collaborator.", "filesystem.parent_missing",
    "filesystem.file_for_directory",
)  # fmt: skip
MOST_HANGS = 3  # a hang that is waited for in real time is in so few scenarios


def faults_of(scenario):
    return {step.fault.name for step in scenario.steps if step.fault is not None}


def asked_in(step):
    if step.op is not None:
        return (step.op,) if step.op.name != "reset" else ()
    return step.schedule.together if step.schedule is not None else ()


def operations_of(scenario):
    return [operation for step in scenario.steps for operation in asked_in(step)]


def allowed(scenario, value):
    return any(all(value.get(name) == wanted for name, wanted in one.items()) for one in scenario.allowed)


def of_levels(*levels):
    return {clause.id for clause in SYSTEM.catalogue.judged_in("reflection") if clause.level in levels}


def test_ids_are_unique_and_ordinary():
    assert len(SCENARIOS) == len(BY_ID)
    assert [] == [each for each in BY_ID if each.lower() != each or not each.replace("-", "").isalnum()]


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in BY_ID


@pytest.mark.parametrize("level", ["L1", "L2"])
def test_every_must_clause_is_named_on_the_levels_that_need_it(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert set() == of_levels(Level.MUST) - named


def test_every_should_clause_is_named_somewhere():
    named = {clause for scenario in SCENARIOS for clause in scenario.clauses}
    assert set() == of_levels(Level.MUST, Level.SHOULD) - named


def test_every_clause_that_is_named_is_one_of_the_catalogue():
    known = {clause.id for clause in SYSTEM.catalogue}
    assert set() == {clause for scenario in SCENARIOS for clause in scenario.clauses} - known


def test_every_scenario_begins_with_the_control_in_which_one_call_works_and_two_fail():
    control = Story().control().steps
    for scenario in SCENARIOS:
        assert control == scenario.steps[: len(control)], scenario.id
    told = [operation.args for operation in operations_of(SCENARIOS[0]) if operation.args["call"].startswith(CONTROL)]
    assert [True, False, False] == [args["success"] for args in told]


def test_every_scenario_says_what_its_last_operation_may_give_and_in_fields_of_the_contract():
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.allowed]
    assert set() == {name for scenario in SCENARIOS for one in scenario.allowed for name in one} - FIELDS


def test_every_operation_is_one_of_the_contract():
    for scenario in SCENARIOS:
        for operation in operations_of(scenario):
            msgspec.convert(operation.args, OPERATIONS[operation.name][0])


def test_every_call_that_is_observed_has_a_name_of_its_own():
    for scenario in SCENARIOS:
        calls = [each.args["call"] for each in operations_of(scenario) if each.name == "observe"]
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
        scripted = {name for each in operations_of(scenario) for name in scripted_in(each)}
        assert faults_of(scenario) or scripted or "moved" in scenario.id or "model" in scenario.id, scenario.id


def scripted_in(operation):
    return SYSTEM.contract.scripted_faults(operation.name, operation.args)


def test_every_scenario_of_the_third_level_explores_one_step():
    assert [1] * len(OF_LEVEL["L3"]) == [
        sum(step.explore is not None for step in scenario.steps) for scenario in OF_LEVEL["L3"]
    ]


def test_every_fault_that_a_diagnosis_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, OF_LEVEL["L2"]))
    left = {kind.name for kind in catalogue.EVERY} - struck
    assert set() == {name for name in left if not name.startswith(ELSEWHERE)}


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
        for operation in operations_of(scenario)
        if operation.args.get("model")
    ]
    assert set(ModelBehaviour) == {behaviour for _, behaviour in behaviours}
    assert len({id_ for id_, behaviour in behaviours if behaviour == "hangs"}) <= MOST_HANGS


def test_no_previous_actions_beyond_three_are_supplied_unless_the_scenario_is_about_them():
    for scenario in SCENARIOS:
        for operation in operations_of(scenario):
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


def test_a_scenario_is_the_same_when_it_is_read_back():
    for scenario in SCENARIOS[::17]:
        assert scenario == load(dump(scenario), where=scenario.id)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_reference_gives_what_is_allowed_and_breaks_nothing_in_process(shard):
    """What this process cannot meet comes back not armed; it is judged by `certify reference`."""
    with DirectSession("reflection", served) as session:
        for scenario in [each for each in SCENARIOS if each.level != "L3"][shard::SHARDS]:
            if scenario.id in BY_PROTOCOL:
                continue
            history = play(scenario, session, SYSTEM.inputs_of)
            assert allowed(scenario, history.entries[-1].value), (scenario.id, history.entries[-1].value)
            findings = SYSTEM.judge(scenario, history, SYSTEM.catalogue)
            broken = [each for each in findings if each.verdict in (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR)]
            assert [] == broken, scenario.id
            if not refused(history):
                assert_witnessed(scenario, history)


def refused(history):
    standing = [injection for entry in history.entries for injection in entry.faults]
    return any(not injection.armed or not injection.proof for injection in standing)


def assert_witnessed(scenario, history):
    """Every clause a scenario names is witnessed; a tour's is after its fault struck."""
    entries = history.entries
    if scenario.level == "L2":
        resets = [entry.n for entry in entries if entry.op == "reset"]
        entries = tuple(entry for entry in entries if entry.n > resets[-1])
    findings = SYSTEM.judge(scenario, History(entries), SYSTEM.catalogue)
    missed = [finding.clause for finding in findings if finding.verdict is CheckVerdict.INCONCLUSIVE]
    assert [] == missed, scenario.id


def test_a_candidate_has_the_control_an_end_and_at_most_one_fault():
    names = [kind.name for kind in catalogue.EVERY]
    control = Story().control().steps
    for candidate in itertools.islice(candidates.candidates("reflection", Random(7), names, calm=True), 60):
        assert control == candidate.steps[: len(control)]
        assert "observe" == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= of_levels(Level.MUST)


def test_the_same_chance_composes_the_same_candidates():
    one, other = (
        list(itertools.islice(candidates.candidates("reflection", Random(3), ["clock.back"], calm=True), 20))
        for _ in range(2)
    )
    assert one == other


def test_the_controls_are_the_two_sides():
    assert [{"reflection": "none"}, {"reflection": "full"}] == [
        dict(each.allowed[0]) for each in candidates.controls("reflection")
    ]


def test_faults_that_strike_one_place_are_in_one_slot():
    names = [kind.name for kind in catalogue.EVERY]
    slots = combinations.slots("reflection", names)
    left = set(candidates.without_place("reflection", names)) - set(combinations.AT_CALLS)
    assert set(names) - left == {name for slot in slots.values() for name in slot}
    for row in itertools.islice(itertools.product(*slots.values()), 5):
        combined = combinations.combined("reflection", row)
        assert set(row) == faults_of(combined)
