"""The machine of sessions: what it draws is what the fault table holds, and what it finds is small.

Source: issue 7 (workloads); document 000.
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry

SYSTEM = registry.get("session_recovery")
SEEDS = (1, 2)
CASES = 150
FEW = 60
SHRINKS = 150
MOST_STEPS = 8


def hands_out_the_first_task_again(earlier, operation, args, result):
    tasks = [each[2].task for each in earlier if each[0] == "claim" and each[2].task is not None]
    if operation == "claim" and tasks:
        return msgspec.structs.replace(result, outcome="claimed", task=tasks[0])
    return result


def resumes_from_the_first_checkpoint(earlier, operation, args, result):
    made = [each[1] for each in earlier if each[0] == "checkpoint" and each[2].stored]
    if operation == "resume" and result.checkpoint is not None and len(made) > 1:
        return msgspec.structs.replace(result, checkpoint=made[0]["name"], state=made[0]["state"])
    return result


def begins_in_spite_of_the_breaker(earlier, operation, args, result):
    return msgspec.structs.replace(result, performed=True) if operation == "begin_operation" else result


DEFECTS = (hands_out_the_first_task_again, resumes_from_the_first_checkpoint, begins_in_spite_of_the_breaker)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_no_name_is_used_twice_and_workers_come_together():
    machine = SYSTEM.workload.machine("session", ())(Recording({}))
    machine.together(8, False)
    machine.together(2, True)
    machine.checkpoint(0, {})
    machine.begin_operation("spawn", (3, 1), True, None, 0)
    machine.begin_operation("minor", (1, 0), False, "api/openai", 1)
    together, finishing, *others = machine._driver.steps
    assert 8 == len({each.args["worker"] for each in together.schedule.together})
    assert ["complete", "claim"] == [each.name for each in finishing.schedule.together]
    assert ["m1", "m2", "m3"] == [step.op.args["name"] for step in others]
