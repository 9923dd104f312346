"""The machine of diagnoses: what it draws is what the fault table holds, and what it finds is small.

Source: issue 6, 4, and its bad input.
"""

import msgspec
import pytest
from diagnosis_played import SYSTEM, Served, served

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems.diagnosis.contract import Configuration, Reflection
from harness.systems.diagnosis.reference import create
from harness.systems.diagnosis.workload import boundaries, machine_reflection
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

SEEDS = (1, 2, 4)
CASES = 60
FEW = 40
SHRINKS = 100
MOST_STEPS = 6
TABLES = ("LINE_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS")


class Planted(Served):
    """The reference, with its answers changed by one condition."""

    def __init__(self, config, change):
        super().__init__(create(msgspec.convert(config, Configuration)))
        self.change = change
        self.asked = []

    def __getattr__(self, operation):
        method = super().__getattr__(operation)

        def call(args, now_s):
            result = self.change(self, operation, args, method(args, now_s))
            self.asked.append((operation, args, result))
            return result

        return call


def passes_over_the_second_failure(planted, operation, args, result):
    fails = [each for each in planted.asked if each[0] == "observe" and not each[1]["success"]]
    if operation == "observe" and not args["success"] and len(fails) == 1:
        return msgspec.structs.replace(result, reflection=Reflection.NONE, diagnosis=None, asks_user=False)
    return result


def never_asks_the_user_after_failures(planted, operation, args, result):
    return msgspec.structs.replace(result, asks_user=False) if operation == "outcome" else result


def takes_missing_tools_for_missing_commands(planted, operation, args, result):
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


def found_in(create_planted, seed=1, cases=CASES):
    with DirectSession("reflection", create_planted) as session:
        return search(SYSTEM, session, "reflection", (), seed, cases, lambda: False, shrinks=SHRINKS)


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
    drawn = {fault.name for fault in getattr(machine_reflection, table)}
    assert set() == drawn - {kind.name for kind in catalogue.EVERY}


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {fault.name for table in TABLES for fault in getattr(machine_reflection, table)}
    drawn.add(machine_reflection.RESTARTED.name)
    held = {step.fault.name for scenario in boundaries() for step in scenario.steps if step.fault is not None}
    # a call has a name of its own, which a fault that makes all of them one takes away; the others are met by scenarios
    left = {name for name in held - drawn if not name.startswith("identifier.")}
    assert {"clock.year_9999", "jsonl.long_line", "jsonl.deep_nesting"} >= left - {
        "filesystem.file_for_directory", "filesystem.parent_missing",
    }  # fmt: skip


class Recording:
    """A driver that answers nothing and remembers what it was given."""

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
        return [Reply("ok", {})] if step.op is not None else []

    def end(self):
        pass


def test_a_recovery_is_told_by_the_process_that_met_the_failure():
    machine = SYSTEM.workload.machine("reflection", ())(Recording())
    machine._fails(machine_reflection.GIT, None, process=2)
    assert [("m1", 2)] == machine._failed


def test_every_call_has_a_name_of_its_own_even_after_starting_over():
    machine = SYSTEM.workload.machine("reflection", ())(Recording())
    machine._fails(machine_reflection.GIT, None)
    machine._begin_anew()
    machine._fails(machine_reflection.GIT, None)
    assert ["m1", "m2"] == [step.op.args["call"] for step in machine._driver.steps]
