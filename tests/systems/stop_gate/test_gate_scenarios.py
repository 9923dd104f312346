"""The scenarios of the profile gate: every clause and every boundary is there, and what they allow is what a gate gives.

Source: issue 3, 1 and 3 (a curated file for every row and every boundary, with the results allowed); FAULTS.md.
"""

import msgspec
import pytest
from gate_world import served
from scenario_checks import (
    assert_breaks_nothing,
    assert_witnessed,
    faults_of,
    is_allowed,
    is_refused,
    operations,
    widths,
)

from harness.core.history import History
from harness.faults import catalogue
from harness.systems import registry
from harness.systems.stop_gate.contract import CheckArguments
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
BOUNDARIES = (
    "gate-transcript-ten-invalid-lines", "gate-transcript-eleven-invalid-lines", "gate-transcript-at-the-limit",
    "gate-transcript-over-the-limit", "gate-semaphore-aged-3600", "gate-semaphore-aged-3601", "gate-config-timeout-zero",
    "gate-config-timeout-1", "gate-config-timeout-300", "gate-config-timeout-301", "gate-config-timeout-true",
    "gate-config-timeout-30-0", "gate-config-timeout-text-30", "gate-config-timeout-beyond-64-bits",
    "gate-summary-at-the-limit", "gate-summary-too-long", "gate-summary-below-the-limit",
    "gate-transcript-huge-integer", "gate-config-huge-integer", "gate-transcript-deep-nesting",
    "gate-config-deep-nesting",
)  # fmt: skip


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in BY_ID


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
    assert count in widths(SECOND)


def test_every_check_that_is_asked_is_one_of_the_contract():
    for operation in operations(SCENARIOS, "check"):
        msgspec.convert(operation.args, CheckArguments)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_reference_gives_what_is_allowed_and_breaks_nothing_in_process(shard):
    """What this process cannot meet comes back not armed; every scenario that waits for limits is played elsewhere."""
    with DirectSession("gate", served) as session:
        for scenario in SCENARIOS[shard::SHARDS]:
            if scenario.id in ELSEWHERE or waits(scenario):
                continue
            history = play(scenario, session, SYSTEM.inputs_of)
            assert is_allowed(scenario, history.entries[-1].value), (scenario.id, history.entries[-1].value)
            assert_breaks_nothing(SYSTEM, scenario, history)
            if not is_refused(history) and scenario.level != "L3":  # a variant of it shows what it names
                after = after_control(history) if scenario.level == "L2" else history
                assert_witnessed(SYSTEM, scenario, after)


def waits(scenario):
    asked = msgspec.json.encode(scenario.steps)
    return scenario.full_length or b'"hangs' in asked


def after_control(history):
    invokes = [entry.n for entry in history.entries if entry.type.value == "invoke"]
    return History(tuple(entry for entry in history.entries if entry.n >= invokes[len(START)]))
