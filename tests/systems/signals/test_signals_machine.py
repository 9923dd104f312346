"""The machine of signals: what it draws is what the fault table holds, and what it finds is small.

Source: issue 7, 4 (workloads); document 000, Signal Processing.
"""

import msgspec
import pytest
from signals_played import SYSTEM, Served, served

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems.signals.contract import Configuration
from harness.systems.signals.reference import create
from harness.systems.signals.workload import boundaries, machine_signals
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

SEEDS = (1, 2, 4)
CASES = 150  # a search of so many meets each planted defect nine times of ten
FEW = 40
SHRINKS = 150
MOST_STEPS = 10
TABLES = ("DOCUMENT_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS")


class Planted(Served):
    """The reference, with its answers changed by one condition."""

    def __init__(self, config, change):
        super().__init__(create(msgspec.convert(config, Configuration)))
        self.change = change

    def __getattr__(self, operation):
        method = super().__getattr__(operation)
        return lambda args, now_s: self.change(operation, method(args, now_s))


def warns_of_every_drift(operation, result):
    if operation != "report_drift":
        return result
    steps = tuple(step for step in result.steps if step.action != "escalate")
    return msgspec.structs.replace(result, steps=steps)


def forgets_all_but_the_first_request(operation, result):
    return msgspec.structs.replace(result, pending=result.pending[:1]) if operation == "reviews" else result


def alerts_nobody(operation, result):
    return msgspec.structs.replace(result, alerts=()) if operation == "check_reviews" else result


DEFECTS = (warns_of_every_drift, forgets_all_but_the_first_request, alerts_nobody)


def found_in(create_planted, seed=1, cases=CASES):
    with DirectSession("signals", create_planted) as session:
        return search(SYSTEM, session, "signals", (), seed, cases, lambda: False, shrinks=SHRINKS)


@pytest.mark.parametrize("change", DEFECTS)
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    lengths = []
    for seed in SEEDS:
        lengths += [len(scenario.steps) for scenario in found_in(lambda config: Planted(config, change), seed)[0]]
        if lengths and min(lengths) <= MOST_STEPS:
            break
    assert lengths
    assert MOST_STEPS >= min(lengths), lengths


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(served, seed, FEW)
    assert ([], True) == (found, begun >= FEW)


@pytest.mark.parametrize("table", TABLES)
def test_every_fault_the_machine_draws_is_one_of_the_list(table):
    assert set() == {fault.name for fault in getattr(machine_signals, table)} - {kind.name for kind in catalogue.EVERY}


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {fault.name for table in TABLES for fault in getattr(machine_signals, table)}
    drawn.add(machine_signals.RESTARTED.name)
    held = {step.fault.name for scenario in boundaries() for step in scenario.steps if step.fault is not None}
    # identifiers are drawn as they are; a clock of the year 9999 is met by scenarios
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


def test_no_two_drifts_say_the_same():
    machine = SYSTEM.workload.machine("signals", ())(Recording())
    machine.together(8, machine_signals.CURRENT)
    machine.drift("plain", machine_signals.CURRENT, "high", 2, machine_signals.MEMORY, 0, None)
    asked = [
        each for step in machine._driver.steps for each in (step.schedule.together if step.schedule else (step.op,))
    ]
    said = [each.args["detected_drift"] for each in asked]
    assert [9] * 2 == [len(said), len(set(said))]
