"""The machine of error logs: what it draws is what the fault table holds, and what it finds is small.

Source: issue 6, 4 (workloads); document 002.
"""

import json

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.error_log.workload import machine_error_log

SYSTEM = registry.get("error_log")
SEEDS = (1, 2, 4)
CASES = 150  # a search of so many meets each planted defect nine times of ten
FEW = 60
SHRINKS = 150
MOST_STEPS = 8


def goes_on_after_the_second_critical_error(earlier, operation, args, result):
    handled = [each for each in earlier if each[0] == "handle" and each[1]["error"]["severity"] == "critical"]
    if operation == "handle" and result.response == "stop" and handled:
        return msgspec.structs.replace(result, response="recover", continues=True)
    return result


def forgets_the_oldest_record_of_a_session(earlier, operation, args, result):
    if operation == "read" and args.get("session_id") and len(result.records) > 1:
        return msgspec.structs.replace(result, records=result.records[1:])
    return result


def begins_every_task_anew(earlier, operation, args, result):
    return msgspec.structs.replace(result, resume_at=None) if operation == "resume" else result


DEFECTS = (
    goes_on_after_the_second_critical_error,
    forgets_the_oldest_record_of_a_session,
    begins_every_task_anew,
)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_the_files_it_begins_with_are_whole_empty_and_damaged():
    files = [text for text in machine_error_log.ERRORS_FILES if text is not None]
    assert any(isinstance(json.loads(text), list) for text in files if text.endswith("]"))
    assert any(not text.endswith(("]", "}")) for text in files)


def test_no_name_is_used_twice_and_tasks_only_get_further():
    machine = SYSTEM.workload.machine("log", ())(Recording({}))
    machine.together(8, machine_error_log.SESSION)
    for further in (0, 0, 1, 0, 1):
        machine.handle("timeout", "high", machine_error_log.TASK, further, None, 0)
    steps = machine._driver.steps
    asked = [each for step in steps for each in (step.schedule.together if step.schedule else (step.op,))]
    names = [each.args["name"] for each in asked]
    assert len(names) == len(set(names))
    assert [1, 1, 2, 2, 2] == [len(each.args["progress"]["completed"]) for each in asked if each.name == "handle"]
