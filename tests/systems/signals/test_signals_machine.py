"""The machine of signals: what it draws is what the fault table holds, and what it finds is small.

Source: issue 7, 4 (workloads); document 000, Signal Processing.
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.signals.workload import machine_signals

SYSTEM = registry.get("signals")
SEEDS = (1, 2, 4)
CASES = 50  # a search of so many meets each planted defect nine times of ten
FEW = 25
SHRINKS = 60
MOST_STEPS = 10


def warns_of_every_drift(earlier, operation, args, result):
    if operation != "report_drift":
        return result
    steps = tuple(step for step in result.steps if step.action != "escalate")
    return msgspec.structs.replace(result, steps=steps)


def forgets_all_requests(earlier, operation, args, result):
    return msgspec.structs.replace(result, pending=()) if operation == "reviews" else result


def alerts_nobody(earlier, operation, args, result):
    return msgspec.structs.replace(result, alerts=()) if operation == "check_reviews" else result


DEFECTS = (warns_of_every_drift, forgets_all_requests, alerts_nobody)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_no_two_drifts_say_the_same():
    machine = SYSTEM.workload.machine("signals", ())(Recording({}))
    machine.together(8, machine_signals.CURRENT)
    machine.drift("plain", machine_signals.CURRENT, "high", 2, machine_signals.MEMORY, 0, None)
    asked = [
        each for step in machine._driver.steps for each in (step.schedule.together if step.schedule else (step.op,))
    ]
    said = [each.args["detected_drift"] for each in asked]
    assert [9] * 2 == [len(said), len(set(said))]
