"""The machine of dead-letter queues: what it draws is what the fault table holds, and what it finds is small.

Source: issue 7 (workloads); document 000, Dead Letter Queue.
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.dead_letter.workload import machine_dead_letter
from harness.systems.queue_files import read

SYSTEM = registry.get("dead_letter")
SEEDS = (1, 2)
CASES = 25
FEW = 20
SHRINKS = 30
MOST_STEPS = 8


def says_that_nothing_moves(earlier, operation, args, result):
    return msgspec.structs.replace(result, moved=False) if operation == "record_failure" else result


def forgets_the_last_decision(earlier, operation, args, result):
    if operation in ("review", "start_session") and len(result.decisions) > 1:
        return msgspec.structs.replace(result, decisions=result.decisions[:-1])
    return result


def says_that_all_is_abandoned(earlier, operation, args, result):
    return msgspec.structs.replace(result, abandoned=True) if operation == "abandon" else result


DEFECTS = (says_that_nothing_moves, forgets_the_last_decision, says_that_all_is_abandoned)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_the_files_it_begins_with_are_whole_absent_and_damaged():
    files = [spec for spec in machine_dead_letter.LETTER_FILES if spec is not None]
    assert {"file", "absent"} == {spec.kind for spec in files}
    assert {True, False} == {read(spec.text.encode()) is None for spec in files if spec.text is not None}


def test_processes_tell_at_once_of_one_task_or_of_several():
    machine = SYSTEM.workload.machine("queue", ())(Recording({}))
    machine.together(8, "third", alike=True)
    machine.together(3, "third", alike=False)
    told = [[each.args["task_id"] for each in step.schedule.together] for step in machine._driver.steps]
    assert [["third"] * 8, list(machine_dead_letter.WORKING[:3])] == told
