"""The machine of the gate: what it draws is what the fault table holds, and what it finds is as small as it can be.

Source: issue 3, 2: a failing run shrinks to the smallest sequence of operations, faults and time.
"""

from pathlib import Path

import msgspec
import pytest
from gate_world import served

from harness.core.scenario import Step
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems import registry
from harness.systems.stop_gate.contract import CONFIG_PATH, CheckArguments, Decision
from harness.systems.stop_gate.workload import machine_gate
from harness.systems.stop_gate.workload.gate_faults import rows
from harness.targets.direct import DirectSession

SYSTEM = registry.get("stop_gate")
HOUR_S = 3600.0
SEEDS = (1, 2, 3, 4, 5)
CASES = 300  # a search of so many meets the planted defects nine times of ten
FEW = 60


class Planted:
    """The reference gate, that holds everybody under one condition of faults, time and what was asked before."""

    def __init__(self, config, condition):
        self.gate = served(config)
        self.condition = condition
        self.project = ""
        self.asked_s = []

    def __getattr__(self, name):
        return getattr(self.gate, name)

    def check(self, args, now_s):
        result = self.gate.check(args, now_s)
        self.project = args["project_root"]
        held = self.condition(self, args, now_s)
        self.asked_s.append(now_s)
        if not held:
            return result
        return msgspec.structs.replace(
            result, decision=Decision.BLOCK, reasons=("planted",), continuation_prompt="The session appears incomplete"
        )

    def configuration(self):
        path = Path(CONFIG_PATH.replace("{project}", self.project))
        try:
            return msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
        except (ValueError, RecursionError):
            return None


def after_an_hour_under_a_bad_configuration(gate, args, now_s):
    late = any(now_s - asked_s >= HOUR_S for asked_s in gate.asked_s)
    return late and not isinstance(gate.configuration(), dict)


def without_a_transcript_under_a_bad_configuration(gate, args, now_s):
    return not Path(args["transcript_path"]).is_file() and not isinstance(gate.configuration(), dict)


def found_in(condition, seed=1, cases=CASES):
    with DirectSession("gate", lambda config: Planted(config, condition)) as session:
        return search(SYSTEM, session, "gate", (), seed, cases, lambda: False)


def first_found(condition):
    """The smallest scenario of the first search that meets the defect; one in ten does not."""
    return next(scenario for seed in SEEDS for scenario in found_in(condition, seed)[0])


def kinds(scenario):
    return sorted(name for step in scenario.steps for name in ("op", "fault", "clock") if getattr(step, name))


@pytest.mark.campaign
def test_a_defect_of_a_fault_time_and_two_operations_shrinks_to_exactly_these():
    scenario = first_found(after_an_hour_under_a_bad_configuration)
    assert ["clock", "fault", "op", "op"] == kinds(scenario)
    first, last = (step.op for step in scenario.steps if step.op is not None)
    assert scenario.steps[-1] == Step(op=last)
    assert ([], []) == (first.args["considerations"], last.args["considerations"])
    (moved,) = (step.clock.by_s for step in scenario.steps if step.clock is not None)
    assert HOUR_S == moved
    (struck,) = (step.fault for step in scenario.steps if step.fault is not None)
    assert machine_gate.CONFIG_FAULTS[0] == struck


@pytest.mark.campaign
def test_a_defect_of_two_faults_of_two_families_shrinks_to_these_and_one_operation():
    scenario = first_found(without_a_transcript_under_a_bad_configuration)
    assert ["fault", "fault", "op"] == kinds(scenario)
    assert {"filesystem", "json_document"} == {step.fault.family for step in scenario.steps if step.fault is not None}


def test_nothing_is_found_in_the_reference():
    found, begun = found_in(lambda gate, args, now_s: False, cases=FEW)
    assert ([], True) == (found, begun >= FEW)


def test_every_fault_the_machine_draws_is_one_of_the_list():
    known = {kind.name for kind in catalogue.EVERY}
    for table in ("TRANSCRIPT_FAULTS", "CONFIG_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS"):
        assert set() == {fault.name for fault in getattr(machine_gate, table)} - known, table


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {
        fault.name
        for table in ("TRANSCRIPT_FAULTS", "CONFIG_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS")
        for fault in getattr(machine_gate, table)
    }
    held = {step.fault.name for row in rows() for step in row.steps if step.fault is not None}
    # a step of ten megabytes costs more than a case; what is no check of the contract is refused before it is one
    assert {"jsonl.long_line", "identifier.wrong_type"} == held - drawn


def test_a_check_that_is_drawn_is_one_of_the_contract():
    asked = machine_gate.check("session-1", [machine_gate.FAILED], {"A": "1"})
    assert isinstance(msgspec.convert(asked.args, CheckArguments), CheckArguments)
