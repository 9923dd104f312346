"""The scenarios of sessions: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 7 (scenarios at every boundary, L1 to L3); document 000, Common Issues, Red Flags, Recovery Procedures.
"""

import itertools
from random import Random

import msgspec
import pytest
from scenario_checks import asked_in, operations

from harness.systems import registry
from harness.systems.session_recovery.contract import PENDING_PATH, Facts, Kind, Reason
from harness.systems.session_recovery.workload import boundaries, candidates
from harness.systems.session_recovery.workload.session_steps import CONTROL, OPEN

SYSTEM = registry.get("session_recovery")
SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_clause_is_named_on_every_level(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert {clause.id for clause in SYSTEM.catalogue} == named


def test_every_scenario_claims_for_the_worker_of_the_control():
    for scenario in SCENARIOS:
        assert CONTROL in [each.args["worker"] for each in operations([scenario], "claim")]


def test_every_scenario_ends_in_an_operation():
    assert [] == [scenario.id for scenario in SCENARIOS if not asked_in(scenario.steps[-1])]


def test_no_name_of_a_checkpoint_is_used_twice():
    for scenario in SCENARIOS:
        asked = operations([scenario])
        names = [each.args["name"] for each in asked if each.name in ("checkpoint", "begin_operation")]
        assert len(names) == len(set(names)), scenario.id


def recovered(reason):
    asked = [each for each in operations(OF_LEVEL["L1"], "resume") if each.args["reason"] == reason]
    return [msgspec.convert(each.args.get("facts", {}), Facts) for each in asked]


def test_every_branch_of_the_procedures_is_taken_with_the_numbers_around_each_limit():
    limited, failed = recovered("rate_limit"), recovered("test_failure")
    assert set(range(8)) <= {facts.failing_tries for facts in limited}
    assert set(range(1, 7)) <= {facts.agents for facts in limited}
    assert {None, True, False} == {any(facts.reruns) if facts.reruns else None for facts in failed}
    rollbacks = {(facts.rollback_needed, facts.last_passing_commit is None) for facts in failed}
    assert set(itertools.product((True, False), repeat=2)) == rollbacks
    assert {(True,), (False,), (False, True)} <= {facts.suite for facts in failed}


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_reason_to_recover_is_met_on_every_level(level):
    assert {each.value for each in Reason} == {each.args["reason"] for each in operations(OF_LEVEL[level], "resume")}


def test_every_kind_of_operation_is_guarded_by_an_open_breaker_and_by_none():
    asked = {(each.args["kind"], each.args.get("breaker")) for each in operations(OF_LEVEL["L1"], "begin_operation")}
    assert set(itertools.product((kind.value for kind in Kind), (OPEN, None))) <= asked


def test_pending_begins_in_every_shape():
    specs = [each.world.files[PENDING_PATH] for each in OF_LEVEL["L1"]]
    assert {"file", "absent"} == {spec.kind for spec in specs}  # directories and FIFOs come as faults, at level L2
    assert {"", "null", "[]"} <= {spec.text for spec in specs}


def test_without_a_fault_that_strikes_there_are_candidates_in_calm_weather_only():
    assert [] == list(candidates.candidates("session", Random(1), ["network.refused"], calm=False))
    assert ["network.refused"] == list(candidates.without_place("session", ["network.refused", "clock.back"]))
    assert "L1" == next(candidates.candidates("session", Random(1), [], calm=True)).level


def test_of_the_two_controls_one_begins_and_one_does_not():
    assert [True, False] == [each.allowed[0]["performed"] for each in candidates.controls("session")]
