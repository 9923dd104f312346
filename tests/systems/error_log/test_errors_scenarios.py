"""The scenarios of error logs: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 6, 2 and 4 (scenarios at every boundary, L1 to L3), and its bad input; document 002.
"""

import itertools

import msgspec
from scenario_checks import asked_in, faults_of, operations

from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    NON_BLOCKING,
    ErrorType,
    Facts,
    Severity,
)
from harness.systems.error_log.workload import boundaries
from harness.systems.error_log.workload.error_log_steps import CONTROL

SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
PROCEDURES = (
    ErrorType.TIMEOUT, ErrorType.STATUS_SYNC_FAILURE, ErrorType.BUILD_ERROR, ErrorType.JQ_PARSE_FAILURE,
    ErrorType.MCP_ABORT_ERROR, ErrorType.DELEGATION_INTERRUPTED,
)  # fmt: skip


def test_every_scenario_reads_the_log_of_the_control():
    for scenario in SCENARIOS:
        assert {"session_id": CONTROL} in [each.args for each in operations([scenario], "read")]


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


def test_errors_and_metadata_begin_in_every_shape():
    specs = [each.world.files[ERRORS_PATH] for each in SCENARIOS if ERRORS_PATH in each.world.files]
    assert {"file", "symlink"} == {spec.kind for spec in specs}  # directories and FIFOs come as faults, at level L2
    assert {"", "42", "null", "[]"} <= {spec.text for spec in specs}
    assert 10 <= sum(METADATA_PATH in each.world.files for each in SCENARIOS)


def test_messages_are_numbers_objects_null_and_odd_texts():
    kinds = {type(each.args["error"]["message"]) for each in operations(OF_LEVEL["L1"], "log")}
    assert {str, int, float, bool, list, dict, type(None)} <= kinds


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
