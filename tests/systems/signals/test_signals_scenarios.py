"""The scenarios of signals: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 7, 2 and 4 (scenarios at every boundary, L1 to L3), and its bad input; document 000, Signal Processing.
"""

import itertools
from random import Random

import msgspec
import pytest
from signals_played import SYSTEM, served

from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import dump, load
from harness.faults import catalogue
from harness.systems.signals.contract import (
    APPROVED_PATH,
    DRIFT_PATH,
    HEALING,
    OPERATIONS,
    QUEUE_PATHS,
    REVIEW_PATH,
    ROUTES,
    Severity,
    Signal,
)
from harness.systems.signals.workload import boundaries, candidates, combinations
from harness.systems.signals.workload.signal_steps import CONTROL, DAY_S, Story
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
FIELDS = frozenset(name for _, result in OPERATIONS.values() for name in result.__struct_fields__ if name != "log")
CONTROL_STEPS = len(Story().control().steps)
# the protocol refuses the arguments of these; in this process nothing stands between a caller and the reference
BY_PROTOCOL = frozenset(f"signals-l2-task-{kind}" for kind in ("absent", "null", "wrong-type"))
# what signals do not have, or what the protocol needs itself; collaborators are scripted by arguments
ELSEWHERE = ("network.", "collaborator.", "syscall.", "environment.std")


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
    return {clause.id for clause in SYSTEM.catalogue.judged_in("signals") if clause.level is Level.MUST}


def test_ids_are_unique_and_ordinary():
    assert len(SCENARIOS) == len(BY_ID)
    assert [] == [each for each in BY_ID if each.lower() != each or not each.replace("-", "").isalnum()]


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_must_clause_is_named_on_every_level(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert set() == musts() - named


def test_every_clause_is_named_and_every_name_is_one_of_the_catalogue():
    assert {clause.id for clause in SYSTEM.catalogue} == {each for scenario in SCENARIOS for each in scenario.clauses}
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.clauses]


def test_every_scenario_has_the_control_before_everything_else():
    for scenario in SCENARIOS:
        assert Story().control().steps == scenario.steps[:CONTROL_STEPS], scenario.id
        assert {"task_id": CONTROL} in [each.args for each in operations([scenario], "drifts")]


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


def test_two_three_and_eight_processes_drift_at_once():
    widths = {
        len(step.schedule.together) for each in OF_LEVEL["L1"] for step in each.steps if step.schedule is not None
    }
    assert {2, 3, 8} <= widths


@pytest.mark.parametrize("path", [DRIFT_PATH, REVIEW_PATH, APPROVED_PATH, QUEUE_PATHS["dead-letter"]])
def test_files_of_others_are_found(path):
    assert any(path in each.world.files for each in OF_LEVEL["L1"])


def test_every_scenario_of_the_second_level_meets_a_fault_or_a_move_of_the_clock_after_its_control():
    for scenario in OF_LEVEL["L2"]:
        assert faults_of(scenario) or "moved" in scenario.id, scenario.id


def test_every_scenario_of_the_third_level_explores_one_step():
    assert [1] * len(OF_LEVEL["L3"]) == [
        sum(step.explore is not None for step in scenario.steps) for scenario in OF_LEVEL["L3"]
    ]


def test_what_writes_is_struck_and_two_or_three_writers_are_ordered():
    after = [
        scenario.steps[number + 1]
        for scenario in OF_LEVEL["L3"]
        for number, step in enumerate(scenario.steps)
        if step.explore is not None
    ]
    assert set(OPERATIONS) - {"drifts", "assess", "decide", "remove_friction"} == {
        step.op.name for step in after if step.op is not None
    }
    assert {2, 3} == {len(step.schedule.together) for step in after if step.schedule is not None}


def test_every_fault_that_signals_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, OF_LEVEL["L2"]))
    left = {kind.name for kind in catalogue.EVERY} - struck
    assert set() == {name for name in left if not name.startswith(ELSEWHERE)}


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
    with DirectSession("signals", served) as session:
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
    for candidate in itertools.islice(candidates.candidates("signals", Random(7), names, calm=True), 60):
        assert Story().control().steps == candidate.steps[:CONTROL_STEPS]
        assert "assess" == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= {clause.id for clause in SYSTEM.catalogue}


def test_the_same_chance_composes_the_same_candidates():
    one, other = (
        list(itertools.islice(candidates.candidates("signals", Random(3), ["clock.back"], calm=True), 20))
        for _ in range(2)
    )
    assert one == other


def test_without_a_fault_that_has_a_place_there_are_calm_candidates_or_none():
    assert [] == list(candidates.candidates("signals", Random(1), ["network.refused"], calm=False))
    calm = itertools.islice(candidates.candidates("signals", Random(1), ["network.refused"], calm=True), 3)
    assert [set()] * 3 == [faults_of(each) for each in calm]
    assert ("network.refused",) == candidates.without_place("signals", ["network.refused", "clock.back"])
    assert [({"review": True},), ({"review": False},)] == [each.allowed for each in candidates.controls("signals")]


def test_faults_that_strike_one_place_are_in_one_slot():
    names = [kind.name for kind in catalogue.EVERY]
    slots = combinations.slots("signals", names)
    left = set(candidates.without_place("signals", names)) - set(combinations.AT_CALLS)
    assert set(names) - left == {name for slot in slots.values() for name in slot}
    for row in itertools.islice(itertools.product(*slots.values()), 5):
        combined = combinations.combined("signals", row)
        assert set(row) == faults_of(combined)
