"""The scenarios of the profile gate: every clause and every boundary is there, and what they allow is what a gate gives.

Source: issue 3, 1 and 3 (a curated file for every row and every boundary, with the results allowed); FAULTS.md.
"""

import msgspec
import pytest
from gate_world import served

from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import dump, load
from harness.faults import catalogue
from harness.systems import registry
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, MetricsResult, PromptResult
from harness.systems.stop_gate.workload.boundaries_gate import gate_boundaries
from harness.systems.stop_gate.workload.gate_faults import TOGETHER
from harness.systems.stop_gate.workload.gate_tours import START
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("stop_gate")
SCENARIOS = gate_boundaries()
SECOND = [scenario for scenario in SCENARIOS if scenario.level == "L2"]
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
SHARDS = 8
# for these it takes dropped capabilities, or a protocol that can refuse an argument: judged by `certify reference`
ELSEWHERE = frozenset(
    {"gate-transcript-is-unreadable", "gate-config-unusable-unreadable", "gate-l2-id-wrong-type",
     "gate-l2-path-wrong-type"}
)  # fmt: skip
FIELDS = frozenset(
    name for kind in (CheckResult, PromptResult, MetricsResult) for name in kind.__struct_fields__ if name != "log"
)
BOUNDARIES = (
    "gate-transcript-ten-invalid-lines", "gate-transcript-eleven-invalid-lines", "gate-transcript-at-the-limit",
    "gate-transcript-over-the-limit", "gate-semaphore-aged-3600", "gate-semaphore-aged-3601", "gate-config-timeout-zero",
    "gate-config-timeout-1", "gate-config-timeout-300", "gate-config-timeout-301", "gate-config-timeout-true",
    "gate-config-timeout-30-0", "gate-config-timeout-text-30", "gate-config-timeout-beyond-64-bits",
    "gate-summary-at-the-limit", "gate-summary-too-long", "gate-summary-below-the-limit",
    "gate-transcript-huge-integer", "gate-config-huge-integer", "gate-transcript-deep-nesting",
    "gate-config-deep-nesting",
)  # fmt: skip


def faults_of(scenario):
    return {step.fault.name for step in scenario.steps if step.fault is not None}


def allowed(scenario, value):
    return any(all(value.get(name) == wanted for name, wanted in one.items()) for one in scenario.allowed)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in BY_ID


def test_every_scenario_says_what_its_last_operation_may_give_and_in_fields_of_the_contract():
    assert [] == [scenario.id for scenario in SCENARIOS if not scenario.allowed]
    assert set() == {name for scenario in SCENARIOS for one in scenario.allowed for name in one} - FIELDS


def test_every_must_clause_of_the_profile_is_named_on_every_level():
    for level in ("L1", "L2", "L3"):
        named = {clause for scenario in SCENARIOS if scenario.level == level for clause in scenario.clauses}
        musts = {clause.id for clause in SYSTEM.catalogue.judged_in("gate") if clause.level is Level.MUST}
        assert set() == musts - named, level


def test_every_scenario_of_the_second_level_begins_with_the_calm_control_and_meets_a_fault_or_hostile_input():
    for scenario in SECOND:
        assert START == scenario.steps[: len(START)], scenario.id
        moved = any(step.clock is not None for step in scenario.steps)
        assert faults_of(scenario) or moved or "hostile" in scenario.id, scenario.id
        assert scenario.id.startswith("gate-l2-")


def test_every_fault_that_a_gate_can_meet_strikes_in_some_scenario():
    struck = set().union(*map(faults_of, SECOND))
    streams = {f"environment.{name}" for name in ("stdin_closed", "stdout_closed", "stdout_full", "stdout_slow")}
    # no Python starts under a clock of the year 9999; gates meet that year by the time of a call
    enumerated = {kind.name for kind in catalogue.EVERY if kind.name.startswith("syscall.")}  # at L3, and in no file
    assert streams | {"clock.year_9999"} | enumerated == {kind.name for kind in catalogue.EVERY} - struck


@pytest.mark.parametrize("count", TOGETHER)
def test_so_many_checks_are_made_at_once(count):
    widths = {
        len(step.schedule.together) for scenario in SECOND for step in scenario.steps if step.schedule is not None
    }
    assert count in widths


def test_a_scenario_is_the_same_when_it_is_read_back():
    for scenario in SECOND[::12]:
        assert scenario == load(dump(scenario), where=scenario.id)


def test_every_check_that_is_asked_is_one_of_the_contract():
    for scenario in SCENARIOS:
        for step in scenario.steps:
            asked = step.schedule.together if step.schedule is not None else (step.op,) if step.op is not None else ()
            for operation in asked:
                if operation.name == "check":
                    msgspec.convert(operation.args, CheckArguments)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_reference_gives_what_is_allowed_and_breaks_nothing_in_process(shard):
    """What this process cannot meet comes back not armed; every scenario that waits for limits is played elsewhere."""
    with DirectSession("gate", served) as session:
        for scenario in SCENARIOS[shard::SHARDS]:
            if scenario.id in ELSEWHERE or waits(scenario):
                continue
            history = play(scenario, session, SYSTEM.inputs_of)
            assert allowed(scenario, history.entries[-1].value), (scenario.id, history.entries[-1].value)
            findings = SYSTEM.judge(scenario, history, SYSTEM.catalogue)
            broken = [
                finding for finding in findings if finding.verdict in (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR)
            ]
            assert [] == broken, scenario.id
            if not refused(history) and scenario.level != "L3":  # a variant of it shows what it names
                assert_witnessed(scenario, history)


def waits(scenario):
    asked = msgspec.json.encode(scenario.steps)
    return scenario.full_length or b'"hangs' in asked


def refused(history):
    standing = [injection for entry in history.entries for injection in entry.faults]
    return any(not injection.armed or not injection.proof for injection in standing)


def assert_witnessed(scenario, history):
    """Every clause a tour names is witnessed after its fault struck; of L1, anywhere."""
    entries = history.entries
    if scenario.level == "L2":
        invokes = [entry.n for entry in entries if entry.type.value == "invoke"]
        entries = tuple(entry for entry in entries if entry.n >= invokes[len(START)])
    findings = SYSTEM.judge(scenario, History(entries), SYSTEM.catalogue)
    missed = [finding.clause for finding in findings if finding.verdict is CheckVerdict.INCONCLUSIVE]
    assert [] == missed, scenario.id
