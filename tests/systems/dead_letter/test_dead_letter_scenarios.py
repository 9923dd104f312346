"""The scenarios of dead-letter queues: every clause, operation and boundary is there, and the reference agrees.

Source: issue 7 (dead-letter queue: scenarios at every boundary, L1 to L3); document 000, Dead Letter Queue.
"""

import itertools
from random import Random

import msgspec
import pytest
from dead_letter_played import SYSTEM, served

from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.faults import catalogue
from harness.systems.dead_letter.contract import (
    CONFIDENCE_AT_LEAST,
    DEAD_LETTER_PATH,
    OPERATIONS,
    WORK_QUEUES,
    ErrorType,
    TaskFacts,
    Touch,
)
from harness.systems.dead_letter.workload import boundaries, candidates
from harness.systems.dead_letter.workload.dead_letter_steps import Story
from harness.systems.dead_letter.workload.legs import FACTS, LETTERS
from harness.systems.queue_files import QUEUES
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
CONTROL_STEPS = len(Story().control().steps)
# the protocol refuses the arguments of these; in this process nothing stands between a caller and the reference
BY_PROTOCOL = frozenset(f"dlq-l2-task-{kind}" for kind in ("absent", "null", "wrong-type"))
# what a queue does not have, or what the protocol needs itself
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


def facts_in(level):
    asked = [each for name in ("review", "start_session") for each in operations(OF_LEVEL[level], name)]
    return [msgspec.convert(one, TaskFacts) for each in asked for one in each.args.get("facts", {}).values()]


def test_every_scenario_names_clauses_of_the_catalogue():
    known = {clause.id for clause in SYSTEM.catalogue}
    assert known == {clause for scenario in SCENARIOS for clause in scenario.clauses}
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.clauses]


def test_every_scenario_has_the_control_before_everything_else():
    for scenario in SCENARIOS:
        assert Story().control().steps == scenario.steps[:CONTROL_STEPS], scenario.id


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_operation_is_asked_for_on_every_level_with_arguments_of_the_contract(level):
    assert set(OPERATIONS) == {each.name for each in operations(OF_LEVEL[level])}
    for each in operations(OF_LEVEL[level]):
        msgspec.convert(each.args, OPERATIONS[each.name][0])


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_condition_criterion_and_trigger_is_met_on_every_level(level):
    met = {name for one in facts_in(level) for name in one.__struct_fields__ if getattr(one, name)}
    assert set(TaskFacts.__struct_fields__) == met


def test_everything_that_a_task_touches_and_every_kind_of_failure_is_met():
    assert {touch.value for touch in Touch} == {touch for one in facts_in("L1") for touch in one.touches}
    kinds = {each.args["attempt"]["error_type"] for each in operations(OF_LEVEL["L1"], "record_failure")
             if isinstance(each.args["attempt"]["error_type"], str)}  # fmt: skip
    assert {kind.value for kind in ErrorType} < kinds


def test_confidence_is_below_at_and_above_its_limit():
    given = {one.confidence for one in facts_in("L1") if one.confidence is not None}
    assert CONFIDENCE_AT_LEAST in given
    assert min(given) < CONFIDENCE_AT_LEAST < max(given)


def test_every_queue_is_listed_and_tasks_fail_in_every_queue_of_work():
    assert set(QUEUES) < {each.args["queue"] for each in operations(OF_LEVEL["L1"], "list")}
    assert set(WORK_QUEUES) <= {id_.split("-count-")[1].rpartition("-")[0] for id_ in BY_ID if "-count-" in id_}


def test_dead_letter_begins_in_every_shape():
    specs = [each.world.files[DEAD_LETTER_PATH] for each in OF_LEVEL["L1"]]
    assert {"file", "absent"} == {spec.kind for spec in specs}  # directories and FIFOs come as faults, at level L2
    assert {"", "42"} <= {spec.text for spec in specs}


def test_two_and_eight_processes_tell_of_failures_at_once():
    widths = {
        len(step.schedule.together) for each in OF_LEVEL["L1"] for step in each.steps if step.schedule is not None
    }
    assert {2, 8} == widths


def test_the_letters_of_a_tour_have_names_of_their_own_and_facts_are_about_them():
    names = [letter["task_id"] for letter in LETTERS]
    assert len(names) == len(set(names))
    assert set() == set(FACTS) - set(names)


def test_every_scenario_of_the_second_level_meets_a_fault_or_a_move_of_the_clock_after_its_control():
    for scenario in OF_LEVEL["L2"]:
        assert faults_of(scenario) or "moved" in scenario.id, scenario.id


def test_every_operation_is_struck_and_two_writers_are_ordered():
    after = [
        scenario.steps[number + 1]
        for scenario in OF_LEVEL["L3"]
        for number, step in enumerate(scenario.steps)
        if step.explore is not None
    ]
    assert set(OPERATIONS) == {step.op.name for step in after if step.op is not None}
    assert {2} == {len(step.schedule.together) for step in after if step.schedule is not None}


def test_every_fault_that_a_queue_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, OF_LEVEL["L2"]))
    left = {kind.name for kind in catalogue.EVERY} - struck
    assert set() == {name for name in left if not name.startswith(ELSEWHERE)}


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_reference_gives_what_is_allowed_and_breaks_nothing_in_process(shard):
    """What this process cannot meet comes back not armed; it is judged by `certify reference`."""
    with DirectSession("queue", served) as session:
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


def test_a_candidate_has_the_control_and_at_most_one_fault():
    names = [kind.name for kind in catalogue.EVERY]
    for candidate in itertools.islice(candidates.candidates("queue", Random(7), names, calm=True), 60):
        assert Story().control().steps == candidate.steps[:CONTROL_STEPS]
        assert "list" == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= {clause.id for clause in SYSTEM.catalogue}
        assert candidate.allowed == candidates.allowed(candidate, lambda _: ())


def test_the_controls_of_candidates_end_on_either_side():
    with DirectSession("queue", served) as session:
        for one in candidates.controls("queue"):
            assert allowed(one, play(one, session, SYSTEM.inputs_of).entries[-1].value)
