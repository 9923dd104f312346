"""The machine of sessions: what it draws is what the fault table holds, and what it finds is small.

Source: issue 7 (workloads); document 000.
"""

import msgspec
import pytest
from session_recovery_played import SYSTEM, Served, served

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems.session_recovery.contract import Configuration
from harness.systems.session_recovery.reference import create
from harness.systems.session_recovery.workload import boundaries, machine_session
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

SEEDS = (1, 2)
CASES = 150
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


def hands_out_the_first_task_again(planted, operation, args, result):
    tasks = [each[2].task for each in planted.asked if each[0] == "claim" and each[2].task is not None]
    if operation == "claim" and len(tasks) > 1:
        return msgspec.structs.replace(result, outcome="claimed", task=tasks[0])
    return result


def resumes_from_the_first_checkpoint(planted, operation, args, result):
    made = [each[1] for each in planted.asked if each[0] == "checkpoint" and each[2].stored]
    if operation == "resume" and result.checkpoint is not None and len(made) > 1:
        return msgspec.structs.replace(result, checkpoint=made[0]["name"], state=made[0]["state"])
    return result


def begins_in_spite_of_the_breaker(planted, operation, args, result):
    return msgspec.structs.replace(result, performed=True) if operation == "begin_operation" else result


DEFECTS = (hands_out_the_first_task_again, resumes_from_the_first_checkpoint, begins_in_spite_of_the_breaker)


def found_in(create_planted, seed=1, cases=CASES):
    with DirectSession("session", create_planted) as session:
        return search(SYSTEM, session, "session", (), seed, cases, lambda: False, shrinks=SHRINKS)


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
    assert set() == {fault.name for fault in getattr(machine_session, table)} - {kind.name for kind in catalogue.EVERY}


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {fault.name for table in TABLES for fault in getattr(machine_session, table)}
    drawn.add(machine_session.RESTARTED.name)
    held = {step.fault.name for scenario in boundaries() for step in scenario.steps if step.fault is not None}
    # identifiers are arguments; a clock of the year 9999 is met by scenarios
    assert {"clock.year_9999"} == {name for name in held - drawn if not name.startswith("identifier.")}


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


def test_no_name_is_used_twice_and_workers_come_together():
    machine = SYSTEM.workload.machine("session", ())(Recording())
    machine.together(8, False)
    machine.together(2, True)
    machine.checkpoint(0, {})
    machine.begin_operation("spawn", (3, 1), True, None, 0)
    machine.begin_operation("minor", (1, 0), False, "api/openai", 1)
    together, finishing, *others = machine._driver.steps
    assert 8 == len({each.args["worker"] for each in together.schedule.together})
    assert ["complete", "claim"] == [each.name for each in finishing.schedule.together]
    assert ["m1", "m2", "m3"] == [step.op.args["name"] for step in others]
