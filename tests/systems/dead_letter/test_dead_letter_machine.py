"""The machine of dead-letter queues: what it draws is what the fault table holds, and what it finds is small.

Source: issue 7 (workloads); document 000, Dead Letter Queue.
"""

import msgspec
import pytest
from dead_letter_played import SYSTEM, Served, served

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems.dead_letter.contract import Configuration
from harness.systems.dead_letter.reference import create
from harness.systems.dead_letter.workload import boundaries, machine_dead_letter
from harness.systems.queue_files import read
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

SEEDS = (1, 2)
CASES = 25
FEW = 20
SHRINKS = 30
MOST_STEPS = 8
TABLES = ("DOCUMENT_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS")


class Planted(Served):
    """The reference, with its answers changed by one condition."""

    def __init__(self, config, change):
        super().__init__(create(msgspec.convert(config, Configuration)))
        self.change = change

    def __getattr__(self, operation):
        method = super().__getattr__(operation)
        return lambda args, now_s: self.change(operation, method(args, now_s))


def says_that_nothing_moves(operation, result):
    return msgspec.structs.replace(result, moved=False) if operation == "record_failure" else result


def forgets_the_last_decision(operation, result):
    if operation in ("review", "start_session") and len(result.decisions) > 1:
        return msgspec.structs.replace(result, decisions=result.decisions[:-1])
    return result


def says_that_all_is_abandoned(operation, result):
    return msgspec.structs.replace(result, abandoned=True) if operation == "abandon" else result


DEFECTS = (says_that_nothing_moves, forgets_the_last_decision, says_that_all_is_abandoned)


def found_in(create_planted, seed=1, cases=CASES):
    with DirectSession("queue", create_planted) as session:
        return search(SYSTEM, session, "queue", (), seed, cases, lambda: False, shrinks=SHRINKS)


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
    assert set() == {fault.name for fault in getattr(machine_dead_letter, table)} - {
        kind.name for kind in catalogue.EVERY
    }


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {fault.name for table in TABLES for fault in getattr(machine_dead_letter, table)}
    drawn.add(machine_dead_letter.RESTARTED.name)
    held = {step.fault.name for scenario in boundaries() for step in scenario.steps if step.fault is not None}
    # ids are drawn as they are; a clock of the year 9999 is met by scenarios
    assert {"clock.year_9999"} == {name for name in held - drawn if not name.startswith("identifier.")}


def test_the_files_it_begins_with_are_whole_absent_and_damaged():
    files = [spec for spec in machine_dead_letter.LETTER_FILES if spec is not None]
    assert {"file", "absent"} == {spec.kind for spec in files}
    assert {True, False} == {read(spec.text.encode()) is None for spec in files if spec.text is not None}


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


def test_processes_tell_at_once_of_one_task_or_of_several():
    machine = SYSTEM.workload.machine("queue", ())(Recording())
    machine.together(8, "third", alike=True)
    machine.together(3, "third", alike=False)
    told = [[each.args["task_id"] for each in step.schedule.together] for step in machine._driver.steps]
    assert [["third"] * 8, list(machine_dead_letter.WORKING[:3])] == told
