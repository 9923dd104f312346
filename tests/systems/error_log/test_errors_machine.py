"""The machine of error logs: what it draws is what the fault table holds, and what it finds is small.

Source: issue 6, 4 (workloads); document 002.
"""

import json

import msgspec
import pytest
from error_log_played import SYSTEM, Served, served

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems.error_log.contract import Configuration
from harness.systems.error_log.reference import create
from harness.systems.error_log.workload import boundaries, machine_error_log
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

SEEDS = (1, 2, 4)
CASES = 150  # a search of so many meets each planted defect nine times of ten
FEW = 60
SHRINKS = 150
MOST_STEPS = 8
TABLES = ("DOCUMENT_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS")


class Planted(Served):
    """The reference, with its answers changed by one condition."""

    def __init__(self, config, change):
        super().__init__(create(msgspec.convert(config, Configuration)))
        self.change = change
        self.asked = []

    def __getattr__(self, operation):
        method = super().__getattr__(operation)

        def call(args, now_s):
            result = method(args, now_s)
            self.asked.append((operation, args, result))
            return self.change(self, operation, args, result)

        return call


def goes_on_after_the_second_critical_error(planted, operation, args, result):
    handled = [each for each in planted.asked if each[0] == "handle" and each[1]["error"]["severity"] == "critical"]
    if operation == "handle" and result.response == "stop" and len(handled) > 1:
        return msgspec.structs.replace(result, response="recover", continues=True)
    return result


def forgets_the_oldest_record_of_a_session(planted, operation, args, result):
    if operation == "read" and args.get("session_id") and len(result.records) > 1:
        return msgspec.structs.replace(result, records=result.records[1:])
    return result


def begins_every_task_anew(planted, operation, args, result):
    return msgspec.structs.replace(result, resume_at=None) if operation == "resume" else result


DEFECTS = (
    goes_on_after_the_second_critical_error,
    forgets_the_oldest_record_of_a_session,
    begins_every_task_anew,
)


def found_in(create_planted, seed=1, cases=CASES):
    with DirectSession("log", create_planted) as session:
        return search(SYSTEM, session, "log", (), seed, cases, lambda: False, shrinks=SHRINKS)


@pytest.mark.parametrize("change", DEFECTS)
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    found = [found_in(lambda config: Planted(config, change), seed)[0] for seed in SEEDS]
    lengths = [len(scenario.steps) for each in found for scenario in each]
    assert lengths
    assert MOST_STEPS >= min(lengths), lengths


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(served, seed, FEW)
    assert ([], True) == (found, begun >= FEW)


@pytest.mark.parametrize("table", TABLES)
def test_every_fault_the_machine_draws_is_one_of_the_list(table):
    assert set() == {fault.name for fault in getattr(machine_error_log, table)} - {
        kind.name for kind in catalogue.EVERY
    }


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {fault.name for table in TABLES for fault in getattr(machine_error_log, table)}
    drawn.add(machine_error_log.RESTARTED.name)
    held = {step.fault.name for scenario in boundaries() for step in scenario.steps if step.fault is not None}
    # names and sessions are drawn as they are; a clock of the year 9999 is met by scenarios
    assert {"clock.year_9999"} == {name for name in held - drawn if not name.startswith("identifier.")}


def test_the_files_it_begins_with_are_whole_empty_and_damaged():
    files = [text for text in machine_error_log.ERRORS_FILES if text is not None]
    assert any(isinstance(json.loads(text), list) for text in files if text.endswith("]"))
    assert any(not text.endswith(("]", "}")) for text in files)


class Recording:
    """A driver that answers nothing."""

    def __init__(self):
        self.steps = []

    def strikes_calls(self):
        return False

    def faults_at_calls(self, world, *steps):
        return ()

    def begin(self, world, group=None):
        assert isinstance(world, World)

    def take(self, step):
        self.steps.append(step)
        count = len(step.schedule.together) if step.schedule is not None else step.op is not None
        return [Reply("ok", {})] * count

    def end(self):
        pass


def test_no_name_is_used_twice_and_tasks_only_get_further():
    machine = SYSTEM.workload.machine("log", ())(Recording())
    machine.together(8, machine_error_log.SESSION)
    for further in (0, 0, 1, 0, 1):
        machine.handle("timeout", "high", machine_error_log.TASK, further, None, 0)
    steps = machine._driver.steps
    asked = [each for step in steps for each in (step.schedule.together if step.schedule else (step.op,))]
    names = [each.args["name"] for each in asked]
    assert len(names) == len(set(names))
    assert [1, 1, 2, 2, 2] == [len(each.args["progress"]["completed"]) for each in asked if each.name == "handle"]
