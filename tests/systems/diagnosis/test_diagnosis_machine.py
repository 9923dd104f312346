"""The machine of diagnoses: what it draws is what the fault table holds, and what it finds is small.

Source: issue 6, 4, and its bad input.
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.diagnosis.contract import Reflection
from harness.systems.diagnosis.workload import machine_reflection

SYSTEM = registry.get("diagnosis")
SEEDS = (1, 2, 4)
CASES = 60
FEW = 40
SHRINKS = 100
MOST_STEPS = 6


def passes_over_the_second_failure(earlier, operation, args, result):
    fails = [each for each in earlier if each[0] == "observe" and not each[1]["success"]]
    if operation == "observe" and not args["success"] and len(fails) == 1:
        return msgspec.structs.replace(result, reflection=Reflection.NONE, diagnosis=None, asks_user=False)
    return result


def never_asks_the_user_after_failures(earlier, operation, args, result):
    return msgspec.structs.replace(result, asks_user=False) if operation == "outcome" else result


def takes_missing_tools_for_missing_commands(earlier, operation, args, result):
    if result.log is None or operation != "observe" or result.diagnosis is None:
        return result
    classified = result.diagnosis["errorClassification"]
    if classified["type"] != "tool_not_found":
        return result
    wrong = {**result.diagnosis, "errorClassification": {**classified, "type": "command_not_found"}}
    return msgspec.structs.replace(result, diagnosis=wrong)


DEFECTS = (
    passes_over_the_second_failure,
    never_asks_the_user_after_failures,
    takes_missing_tools_for_missing_commands,
)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_a_recovery_is_told_by_the_process_that_met_the_failure():
    machine = SYSTEM.workload.machine("reflection", ())(Recording({}))
    machine._fails(machine_reflection.GIT, None, process=2)
    assert [("m1", 2)] == machine._failed


def test_every_call_has_a_name_of_its_own_even_after_starting_over():
    machine = SYSTEM.workload.machine("reflection", ())(Recording({}))
    machine._fails(machine_reflection.GIT, None)
    machine._begin_anew()
    machine._fails(machine_reflection.GIT, None)
    assert ["m1", "m2"] == [step.op.args["call"] for step in machine._driver.steps]
