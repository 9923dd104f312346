"""The machine of phase runners: what it draws is what the fault table holds, and what it finds is small.

Source: issue 8, 2 (random plans, scripted results, crashes and resumes, hand-edited state); document 003.
"""

import json

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.phase_runner.contract.words import PHASES_DIRECTORY, Status
from harness.systems.phase_runner.workload import machine_phases
from harness.systems.phase_runner.workload.fault_rows import rows

SYSTEM = registry.get("phase_runner")
SEEDS = (1, 2, 3)
CASES = 30
FEW = 20
SHRINKS = 40
MOST_STEPS = 8


def tells_a_retry_nothing(earlier, operation, args, result):
    if operation == "status":
        return result
    return msgspec.structs.replace(
        result, launch=tuple(msgspec.structs.replace(each, context=None) for each in result.launch)
    )


def says_that_all_is_pending(earlier, operation, args, result):
    if operation != "status":
        return result
    phases = tuple(msgspec.structs.replace(each, status=Status.PENDING) for each in result.phases)
    return msgspec.structs.replace(result, phases=phases)


def verifies_nothing(earlier, operation, args, result):
    return msgspec.structs.replace(result, launch=()) if operation == "report" else result


DEFECTS = (tells_a_retry_nothing, says_that_all_is_pending, verifies_nothing)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_it_draws_every_family_of_the_table_but_that_of_arguments():
    families = {row.fault.family for row in rows() if row.fault is not None}
    assert families - {"identifier"} <= set(machine_phases.FAULTS.families)


def test_the_state_it_begins_with_is_absent_whole_and_damaged_in_every_status():
    worlds = machine_phases.LEFT
    texts = [file.text for files in worlds for path, file in files.items() if path.startswith(PHASES_DIRECTORY)]
    statuses = list(map(_status, texts))
    assert ({}, None) == (worlds[0], next(each for each in statuses if each not in set(Status)))
    assert set(Status) == {each for each in statuses if each is not None}


def _status(text):
    try:
        return json.loads(text)["status"]
    except ValueError:
        return None


def test_processes_report_at_once_what_was_launched_and_what_was_not():
    launched = {"launch": [{"kind": "phase", "phase_id": "7", "attempt": 2}]}
    machine = SYSTEM.workload.machine("runner", ())(Recording(launched))
    machine.look(True, 0)
    machine.together(3)
    asked, together = machine._driver.steps
    assert "status" == asked.op.name
    assert [("7", 2), ("0", 1), ("1", 1)] == [
        (each.args["phase_id"], each.args["attempt"]) for each in together.schedule.together
    ]


def test_a_plan_is_followed_from_the_start_that_takes_it_up_and_one_that_is_none_is_not():
    machine = SYSTEM.workload.machine("runner", ())(Recording({}))
    machine.start_another(machine_phases.PAIR, True)
    machine.start_another("", True)
    machine.look(True, 0)
    assert list(machine_phases.PAIR.ids) == machine._driver.steps[-1].op.args["of"]
