"""The scenarios of circuit breakers: every clause and every boundary is there, and what they allow is what one gives.

Source: issue 5, 1 (the traps) and 7 (scenarios for every boundary), and its bad input; FAULTS.md.
"""

import itertools
from random import Random

import msgspec
import pytest
from breaker_played import SYSTEM, served

from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import dump, load
from harness.faults import catalogue
from harness.systems.circuit_breaker.contract import OPERATIONS
from harness.systems.circuit_breaker.workload import boundaries, candidates, combinations
from harness.systems.circuit_breaker.workload.breaker_steps import CONTROL, Story
from harness.systems.circuit_breaker.workload.name_boundaries import NAMES
from harness.targets.direct import DirectSession
from harness.targets.player import play

SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
SHARDS = 8
FIELDS = frozenset(name for _, result in OPERATIONS.values() for name in result.__struct_fields__ if name != "log")
BOUNDARIES = (
    "breaker-failures-at-30-59-999999", "breaker-failures-at-30-60", "breaker-failures-at-30-60-000001",
    "breaker-failures-at-40-70-80", "breaker-cooldown-299-999999", "breaker-cooldown-300",
    "breaker-cooldown-300-000001", "breaker-interval-of-0-before-10-from-start", "breaker-interval-of-0-at-10-from-start",
    "breaker-interval-of-0-after-10-from-start", "breaker-interval-of-1-before-10-from-end",
    "breaker-interval-of-1-at-10-from-end", "breaker-interval-of-1-after-10-from-end",
    "breaker-interval-of-15-before-10-from-start", "breaker-interval-of-15-at-10-from-start",
    "breaker-interval-of-15-after-10-from-start", "breaker-interval-of-15-at-10-from-end", "breaker-successes-one",
    "breaker-successes-two", "breaker-successes-three", "breaker-ramp-0", "breaker-ramp-59-999999", "breaker-ramp-60",
    "breaker-ramp-119-999999", "breaker-ramp-120", "breaker-name-long", "breaker-name-nul", "breaker-name-slashes",
    "breaker-configure-zero", "breaker-configure-negative", "breaker-configure-fractional", "breaker-configure-nan",
    "breaker-file-future-open", "breaker-file-lower-case", "breaker-file-whole-fraction",
)  # fmt: skip
# the protocol refuses the arguments of these; in this process nothing stands between a caller and the reference
BY_PROTOCOL = frozenset(
    f"breaker-l2-{field}-{kind}" for field in ("name", "call") for kind in ("absent", "null", "wrong-type")
)
# what a breaker does not have, or what the protocol needs itself
ELSEWHERE = ("jsonl.", "network.", "collaborator.", "syscall.", "environment.std")


def faults_of(scenario):
    return {step.fault.name for step in scenario.steps if step.fault is not None}


def asked_in(step):
    if step.op is not None:
        return (step.op,) if step.op.name != "reset" else ()
    return step.schedule.together if step.schedule is not None else ()


def allowed(scenario, value):
    return any(all(value.get(name) == wanted for name, wanted in one.items()) for one in scenario.allowed)


def musts():
    return {clause.id for clause in SYSTEM.catalogue.judged_in("breaker") if clause.level is Level.MUST}


def test_ids_are_unique_and_ordinary():
    assert len(SCENARIOS) == len(BY_ID)
    assert [] == [each for each in BY_ID if each.lower() != each or not each.replace("-", "").isalnum()]


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in BY_ID


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_must_clause_is_named_on_every_level(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert set() == musts() - named


def test_every_clause_that_is_named_is_one_of_the_catalogue():
    known = {clause.id for clause in SYSTEM.catalogue}
    assert set() == {clause for scenario in SCENARIOS for clause in scenario.clauses} - known


def test_every_scenario_has_the_control_before_everything_else_or_after_it():
    for scenario in SCENARIOS:
        operations = [operation for step in scenario.steps for operation in asked_in(step)]
        control = [operation for operation in operations if operation.args.get("name") == CONTROL]
        assert {"acquire", "record"} == {operation.name for operation in control}, scenario.id
        assert "acquire" == control[-1].name, scenario.id
        assert control[0] in (operations[0], operations[-len(control)]), scenario.id


def test_every_scenario_says_what_its_last_operation_may_give_and_in_fields_of_the_contract():
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.allowed]
    assert set() == {name for scenario in SCENARIOS for one in scenario.allowed for name in one} - FIELDS


def test_every_operation_is_one_of_the_contract():
    for scenario in SCENARIOS:
        for operation in (operation for step in scenario.steps for operation in asked_in(step)):
            msgspec.convert(operation.args, OPERATIONS[operation.name][0])


def test_every_result_is_of_a_call_that_was_asked_for_and_no_call_has_two():
    for scenario in SCENARIOS:
        asked, told = set(), []
        for operation in (operation for step in scenario.steps for operation in asked_in(step)):
            call = (operation.args.get("name"), operation.args.get("call"))
            if operation.name == "acquire":
                asked.add(call)
            elif operation.name == "record":
                told.append(call)
        assert len(told) == len(set(told)), scenario.id
        assert set(told) <= asked or scenario.id == "breaker-unknown-call", scenario.id


def test_every_scenario_of_the_second_level_meets_a_fault_or_a_move_of_the_clock_after_its_control():
    for scenario in OF_LEVEL["L2"]:
        assert Story().control().steps == scenario.steps[:8], scenario.id
        assert faults_of(scenario) or "moved" in scenario.id, scenario.id


def test_every_scenario_of_the_third_level_explores_one_step():
    assert [1] * len(OF_LEVEL["L3"]) == [
        sum(step.explore is not None for step in scenario.steps) for scenario in OF_LEVEL["L3"]
    ]


def test_every_fault_that_a_breaker_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, OF_LEVEL["L2"]))
    left = {kind.name for kind in catalogue.EVERY} - struck
    assert set() == {name for name in left if not name.startswith(ELSEWHERE)}


def test_two_three_and_eight_processes_ask_for_the_probe_at_once():
    widths = {
        len(step.schedule.together)
        for scenario in SCENARIOS
        if scenario.id.startswith("breaker-probe-together")
        for step in scenario.steps
        if step.schedule is not None
    }
    assert {2, 3, 8} == widths


def test_names_of_breakers_are_as_odd_as_the_issue_asks_for():
    names = [name for _, _, name, _ in NAMES]
    assert any("/" in name for name in names)
    assert any("\0" in name for name in names)
    assert 10_000 == max(map(len, names))
    assert [] == [name for _, _, name, neighbour in NAMES if name == neighbour]


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
    with DirectSession("breaker", served) as session:
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
    for candidate in itertools.islice(candidates.candidates("breaker", Random(7), names, calm=True), 60):
        assert Story().control().steps == candidate.steps[:8]
        assert "acquire" == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= musts()


def test_the_same_chance_composes_the_same_candidates():
    one, other = (
        list(itertools.islice(candidates.candidates("breaker", Random(3), ["clock.back"], calm=True), 20))
        for _ in range(2)
    )
    assert one == other


def test_faults_that_strike_one_place_are_in_one_slot():
    names = [kind.name for kind in catalogue.EVERY]
    slots = combinations.slots("breaker", names)
    left = set(candidates.without_place("breaker", names)) - set(combinations.AT_CALLS)
    assert set(names) - left == {name for slot in slots.values() for name in slot}
    for row in itertools.islice(itertools.product(*slots.values()), 5):
        combined = combinations.combined("breaker", row)
        assert set(row) == faults_of(combined)
