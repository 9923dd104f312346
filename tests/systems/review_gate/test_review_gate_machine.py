"""The machine of review gates: what it draws is what the fault table holds, and what it finds is small.

Source: issue 8 (review_gate); document 000.
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.review_gate.contract import REVIEWERS, Decision
from harness.systems.review_gate.workload.gate_steps import fixed, opened

SYSTEM = registry.get("review_gate")
SEEDS = (1, 2)
CASES = 120
FEW = 40
SHRINKS = 150
MOST_STEPS = 8


def lets_every_task_begin(earlier, operation, args, result):
    return msgspec.structs.replace(result, begun=True) if operation == "begin_task" else result


def launches_two(earlier, operation, args, result):
    if operation == "analysed" and len(result.launch) > 1:
        return msgspec.structs.replace(result, launch=result.launch[:2])
    return result


def passes_what_blocks(earlier, operation, args, result):
    if operation != "begin_task" and result.decision == Decision.BLOCKED:
        return msgspec.structs.replace(result, decision=Decision.PASSED, issues=())
    return result


DEFECTS = (launches_two, lets_every_task_begin, passes_what_blocks)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_what_is_told_is_of_the_task_and_the_round_under_way():
    machine = SYSTEM.workload.machine("gate", ())(Recording({}))
    machine.go_on(0)
    machine.ask(opened, 0)
    machine.analyse(0, ["low"], 0)
    machine.ask(fixed, 0)
    machine.review(["high"])
    machine.together(8, "high")
    *asked, together = machine._driver.steps
    assert {"task-1"} == {step.op.args["task"] for step in asked}
    assert [1, 2, 2, 2, 2] == [step.op.args["round"] for step in asked if "round" in step.op.args]
    assert set(REVIEWERS) == {each.args["reviewer"] for each in together.schedule.together}
