"""The scenarios of sessions: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 7 (scenarios at every boundary, L1 to L3); document 000, Common Issues, Red Flags, Recovery Procedures.
"""

import itertools
from random import Random

import msgspec
import pytest
from session_recovery_played import SYSTEM, served

from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.faults import catalogue
from harness.systems.session_recovery.contract import OPERATIONS, PENDING_PATH, Facts, Kind, Reason
from harness.systems.session_recovery.workload import boundaries, candidates
from harness.systems.session_recovery.workload.session_steps import CONTROL, OPEN, Story
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
CONTROL_STEPS = len(Story().control().steps)
# the protocol refuses the arguments of these; in this process nothing stands between a caller and the reference
BY_PROTOCOL = frozenset(f"session-l2-worker-{kind}" for kind in ("absent", "null", "wrong-type"))
# what a session does not have, or what the protocol needs itself
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


def musts():
    return {clause.id for clause in SYSTEM.catalogue.judged_in("session") if clause.level is Level.MUST}


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_clause_is_named_on_every_level(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert {clause.id for clause in SYSTEM.catalogue} == named


def test_every_scenario_has_the_control_before_everything_else():
    for scenario in SCENARIOS:
        assert Story().control().steps == scenario.steps[:CONTROL_STEPS], scenario.id
        assert CONTROL in [each.args["worker"] for each in operations([scenario], "claim")]


def test_every_scenario_ends_in_an_operation():
    assert [] == [scenario.id for scenario in SCENARIOS if not asked_in(scenario.steps[-1])]


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_operation_is_asked_for_on_every_level(level):
    assert set(OPERATIONS) == {each.name for each in operations(OF_LEVEL[level])}


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


def test_two_three_and_eight_processes_claim_at_once():
    widths = {
        len(step.schedule.together) for each in OF_LEVEL["L1"] for step in each.steps if step.schedule is not None
    }
    assert {2, 3, 8} <= widths


def test_pending_begins_in_every_shape():
    specs = [each.world.files[PENDING_PATH] for each in OF_LEVEL["L1"]]
    assert {"file", "absent"} == {spec.kind for spec in specs}  # directories and FIFOs come as faults, at level L2
    assert {"", "null", "[]"} <= {spec.text for spec in specs}


def test_every_scenario_of_the_second_level_meets_a_fault_or_a_move_of_the_clock():
    for scenario in OF_LEVEL["L2"]:
        assert faults_of(scenario) or "moved" in scenario.id, scenario.id


def test_everything_that_reads_or_writes_is_struck_and_two_workers_are_ordered():
    after = [
        scenario.steps[number + 1]
        for scenario in OF_LEVEL["L3"]
        for number, step in enumerate(scenario.steps)
        if step.explore is not None
    ]
    assert set(OPERATIONS) == {step.op.name for step in after if step.op is not None}
    assert {2} == {len(step.schedule.together) for step in after if step.schedule is not None}


def test_every_fault_that_a_session_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, OF_LEVEL["L2"]))
    left = {kind.name for kind in catalogue.EVERY} - struck
    assert set() == {name for name in left if not name.startswith(ELSEWHERE)}


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_reference_breaks_nothing_in_process(shard):
    """What this process cannot meet comes back not armed; it is judged by `certify reference`."""
    with DirectSession("session", served) as session:
        for scenario in [each for each in SCENARIOS if each.level != "L3"][shard::SHARDS]:
            if scenario.id in BY_PROTOCOL:
                continue
            history = play(scenario, session, SYSTEM.inputs_of)
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
    for candidate in itertools.islice(candidates.candidates("session", Random(7), names, calm=True), 60):
        assert Story().control().steps == candidate.steps[:CONTROL_STEPS]
        assert "begin_operation" == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= musts()


def test_without_a_fault_that_strikes_there_are_candidates_in_calm_weather_only():
    assert [] == list(candidates.candidates("session", Random(1), ["network.refused"], calm=False))
    assert ["network.refused"] == list(candidates.without_place("session", ["network.refused", "clock.back"]))
    assert "L1" == next(candidates.candidates("session", Random(1), [], calm=True)).level


def test_of_the_two_controls_one_begins_and_one_does_not():
    assert [True, False] == [each.allowed[0]["performed"] for each in candidates.controls("session")]
