"""The scenarios of signals: every clause, operation, branch and hostile shape is there, and the reference agrees.

Source: issue 7, 2 and 4 (scenarios at every boundary, L1 to L3), and its bad input; document 000, Signal Processing.
"""

import itertools
from random import Random

import pytest
from signals_played import SYSTEM, served

from harness.core.finding import CheckVerdict
from harness.core.history import History
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
from harness.systems.signals.workload import boundaries, candidates
from harness.systems.signals.workload.signal_steps import CONTROL, DAY_S, Story
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
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


def test_every_clause_is_named_and_every_name_is_one_of_the_catalogue():
    assert {clause.id for clause in SYSTEM.catalogue} == {each for scenario in SCENARIOS for each in scenario.clauses}
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.clauses]


def test_every_scenario_has_the_control_before_everything_else():
    for scenario in SCENARIOS:
        assert Story().control().steps == scenario.steps[:CONTROL_STEPS], scenario.id
        assert {"task_id": CONTROL} in [each.args for each in operations([scenario], "drifts")]


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_operation_is_asked_for_on_every_level(level):
    assert set(OPERATIONS) == {each.name for each in operations(OF_LEVEL[level])}


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
