"""The scenarios of error logs: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 6, 2 and 4 (scenarios at every boundary, L1 to L3), and its bad input; document 002.
"""

import itertools
from random import Random

import msgspec
import pytest
from error_log_played import SYSTEM, served

from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import dump, load
from harness.faults import catalogue
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    NON_BLOCKING,
    OPERATIONS,
    ErrorType,
    Facts,
    Severity,
)
from harness.systems.error_log.workload import boundaries, candidates, combinations
from harness.systems.error_log.workload.error_log_steps import CONTROL, Story
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
FIELDS = frozenset(name for _, result in OPERATIONS.values() for name in result.__struct_fields__ if name != "log")
CONTROL_STEPS = len(Story().control().steps)
PROCEDURES = (
    ErrorType.TIMEOUT, ErrorType.STATUS_SYNC_FAILURE, ErrorType.BUILD_ERROR, ErrorType.JQ_PARSE_FAILURE,
    ErrorType.MCP_ABORT_ERROR, ErrorType.DELEGATION_INTERRUPTED,
)  # fmt: skip
# the protocol refuses the arguments of these; in this process nothing stands between a caller and the reference
BY_PROTOCOL = frozenset(f"log-l2-name-{kind}" for kind in ("absent", "null", "wrong-type"))
# what a log does not have, or what the protocol needs itself
ELSEWHERE = ("jsonl.", "network.", "collaborator.", "syscall.", "environment.std")


def faults_of(scenario):
    return {step.fault.name for step in scenario.steps if step.fault is not None}


def asked_in(step):
    if step.op is not None:
        return (step.op,) if step.op.name != "reset" else ()
    return step.schedule.together if step.schedule is not None else ()


def operations(scenarios, name=None):
    found = [each for scenario in scenarios for step in scenario.steps for each in asked_in(step)]
    return [each for each in found if name in (None, each.name)]


def allowed(scenario, value):
    return any(all(value.get(name) == wanted for name, wanted in one.items()) for one in scenario.allowed)


def musts():
    return {clause.id for clause in SYSTEM.catalogue.judged_in("log") if clause.level is Level.MUST}


def test_ids_are_unique_and_ordinary():
    assert len(SCENARIOS) == len(BY_ID)
    assert [] == [each for each in BY_ID if each.lower() != each or not each.replace("-", "").isalnum()]


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_must_clause_is_named_on_every_level(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert set() == musts() - named


def test_every_clause_that_is_named_is_one_of_the_catalogue():
    known = {clause.id for clause in SYSTEM.catalogue}
    assert set() == {clause for scenario in SCENARIOS for clause in scenario.clauses} - known


def test_every_scenario_has_the_control_before_everything_else():
    for scenario in SCENARIOS:
        assert Story().control().steps == scenario.steps[:CONTROL_STEPS], scenario.id
        assert {"session_id": CONTROL} in [each.args for each in operations([scenario], "read")]


def test_every_scenario_says_what_its_last_operation_may_give_and_in_fields_of_the_contract():
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.allowed]
    assert set() == {name for scenario in SCENARIOS for one in scenario.allowed for name in one} - FIELDS
    assert [] == [scenario.id for scenario in SCENARIOS if not asked_in(scenario.steps[-1])]


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_operation_is_asked_for_on_every_level(level):
    assert set(OPERATIONS) == {each.name for each in operations(OF_LEVEL[level])}


def test_every_operation_is_one_of_the_contract():
    for each in operations(SCENARIOS):
        msgspec.convert(each.args, OPERATIONS[each.name][0])


def test_no_name_of_an_error_is_used_twice():
    for scenario in SCENARIOS:
        names = [each.args["name"] for each in operations([scenario]) if each.name in ("log", "handle", "recover")]
        assert len(names) == len(set(names)), scenario.id


def test_every_type_is_handled_with_every_severity_and_recovered_from():
    handled = {
        (each.args["error"]["type"], each.args["error"]["severity"])
        for each in operations(OF_LEVEL["L1"], "handle")
        if isinstance(each.args["error"]["severity"], str)
    }
    kinds = {*(kind.value for kind in ErrorType), *NON_BLOCKING}
    assert set() == set(itertools.product(kinds, (each.value for each in Severity))) - handled
    assert set() == {kind.value for kind in ErrorType} - {
        each.args["error"]["type"] for each in operations(OF_LEVEL["L1"], "recover")
    }


def recovered(kind):
    found = [each for each in operations(OF_LEVEL["L1"], "recover") if each.args["error"]["type"] == kind]
    return [msgspec.convert(each.args.get("facts", {}), Facts) for each in found]


def test_every_branch_of_the_procedures_is_taken():
    assert {True, False} == {facts.commit_succeeds for facts in recovered("timeout")}
    assert {True, False} == {facts.retry_succeeds for facts in recovered("jq_parse_failure")}
    branches = {
        (facts.retry_succeeds, facts.alternative is not None, facts.alternative_succeeds)
        for facts in recovered("mcp_abort_error")
    }
    assert {
        (True, False, True), (True, True, True), (True, True, False),
        (False, False, True), (False, True, True), (False, True, False),
    } == branches  # fmt: skip
    dated = {(facts.todo_changed is None, facts.state_changed is None) for facts in recovered("status_sync_failure")}
    assert set(itertools.product((True, False), repeat=2)) == dated


def test_every_procedure_meets_a_fault_and_is_struck_or_seen_after_a_crash():
    for level in ("L2", "L3"):
        met = {each.args["error"]["type"] for each in operations(OF_LEVEL[level], "recover")}
        assert {kind.value for kind in PROCEDURES} <= met


def test_two_three_and_eight_processes_log_at_once():
    widths = {
        len(step.schedule.together) for each in OF_LEVEL["L1"] for step in each.steps if step.schedule is not None
    }
    assert {2, 3, 8} <= widths


def test_errors_and_metadata_begin_in_every_shape():
    specs = [each.world.files[ERRORS_PATH] for each in SCENARIOS if ERRORS_PATH in each.world.files]
    assert {"file", "symlink"} == {spec.kind for spec in specs}  # directories and FIFOs come as faults, at level L2
    assert {"", "42", "null", "[]"} <= {spec.text for spec in specs}
    assert 10 <= sum(METADATA_PATH in each.world.files for each in SCENARIOS)


def test_messages_are_numbers_objects_null_and_odd_texts():
    kinds = {type(each.args["error"]["message"]) for each in operations(OF_LEVEL["L1"], "log")}
    assert {str, int, float, bool, list, dict, type(None)} <= kinds


def test_every_scenario_of_the_second_level_meets_a_fault_or_a_move_of_the_clock_after_its_control():
    for scenario in OF_LEVEL["L2"]:
        assert faults_of(scenario) or "moved" in scenario.id, scenario.id


def test_every_scenario_of_the_third_level_explores_one_step():
    assert [1] * len(OF_LEVEL["L3"]) == [
        sum(step.explore is not None for step in scenario.steps) for scenario in OF_LEVEL["L3"]
    ]


def test_logging_handling_recovering_beginning_and_setting_are_struck_and_two_or_three_writers_ordered():
    after = [
        scenario.steps[number + 1]
        for scenario in OF_LEVEL["L3"]
        for number, step in enumerate(scenario.steps)
        if step.explore is not None
    ]
    assert {"log", "handle", "recover", "begin", "set_fix_status", "read", "resume"} == {
        step.op.name for step in after if step.op is not None
    }
    assert {2, 3} == {len(step.schedule.together) for step in after if step.schedule is not None}


def test_every_fault_that_a_log_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, OF_LEVEL["L2"]))
    left = {kind.name for kind in catalogue.EVERY} - struck
    assert set() == {name for name in left if not name.startswith(ELSEWHERE)}


def test_where_a_fault_of_storage_passes_something_is_logged_or_handled_in_it_and_after_it_by_one_process():
    passing = [scenario for scenario in OF_LEVEL["L2"] if scenario.id.startswith("log-l2-passing-")]
    assert 20 <= len(passing)
    for scenario in passing:
        places = [number for number, step in enumerate(scenario.steps) if step.fault is not None]
        writing = [
            number
            for number, step in enumerate(scenario.steps)
            if any(each.name in ("log", "handle", "recover") for each in asked_in(step))
        ]
        assert any(places[0] < number < places[1] for number in writing), scenario.id
        assert any(places[-1] < number for number in writing), scenario.id
        assert {"filesystem"} == {name.partition(".")[0] for name in faults_of(scenario)}, scenario.id
        assert {0} == {step.process for step in scenario.steps}, scenario.id


def test_hundreds_of_errors_are_logged_and_the_longest_message_that_has_to_be_kept():
    assert 200 <= max(len(operations([scenario], "log")) for scenario in OF_LEVEL["L1"])
    texts = [each.args["error"]["message"] for each in operations(OF_LEVEL["L1"], "log")]
    assert {65_535, 65_536, 65_537} <= {len(text) for text in texts if isinstance(text, str)}


def test_a_scenario_is_the_same_when_it_is_read_back():
    for scenario in SCENARIOS[::12]:
        assert scenario == load(dump(scenario), where=scenario.id)


def test_times_are_whole_microseconds():
    for scenario in SCENARIOS:
        for step in scenario.steps:
            if step.clock is not None:
                assert round(step.clock.by_s, 6) == step.clock.by_s, scenario.id


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_reference_gives_what_is_allowed_and_breaks_nothing_in_process(shard):
    """What this process cannot meet comes back not armed; it is judged by `certify reference`."""
    with DirectSession("log", served) as session:
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
    """Every clause a scenario names is witnessed after its control; a tour's is after its fault struck, too."""
    resets = [entry.n for entry in history.entries if entry.op == "reset"]
    after = History(tuple(entry for entry in history.entries if entry.n > resets[-1]))
    findings = SYSTEM.judge(scenario, after, SYSTEM.catalogue)
    missed = [finding.clause for finding in findings if finding.verdict is CheckVerdict.INCONCLUSIVE]
    assert [] == [clause for clause in missed if clause in scenario.clauses], scenario.id


def test_a_candidate_has_the_control_an_end_and_at_most_one_fault():
    names = [kind.name for kind in catalogue.EVERY]
    for candidate in itertools.islice(candidates.candidates("log", Random(7), names, calm=True), 60):
        assert Story().control().steps == candidate.steps[:CONTROL_STEPS]
        assert "handle" == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= musts()


def test_the_same_chance_composes_the_same_candidates():
    one, other = (
        list(itertools.islice(candidates.candidates("log", Random(3), ["clock.back"], calm=True), 20)) for _ in range(2)
    )
    assert one == other


def test_faults_that_strike_one_place_are_in_one_slot():
    names = [kind.name for kind in catalogue.EVERY]
    slots = combinations.slots("log", names)
    left = set(candidates.without_place("log", names)) - set(combinations.AT_CALLS)
    assert set(names) - left == {name for slot in slots.values() for name in slot}
    for row in itertools.islice(itertools.product(*slots.values()), 5):
        combined = combinations.combined("log", row)
        assert set(row) == faults_of(combined)
