"""The machine of a watch: what it draws, and that what it finds is small.

Source: issue 8 (workloads); document 000, Rationalization Tables.
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.rationalization.contract import Action
from harness.systems.rationalization.workload.watch_steps import BEHAVIOUR

SYSTEM = registry.get("rationalization")
SEEDS = (1, 2, 4)
CASES = 50  # a search of so many meets each planted defect nine times of ten
FEW = 25
SHRINKS = 60
MOST_STEPS = 6


def finds_nothing_late(earlier, operation, args, result):
    if operation != "scan":
        return result
    return msgspec.structs.replace(result, findings=tuple(each for each in result.findings if each.start < 30))


def never_documents(earlier, operation, args, result):
    if operation != "enforce":
        return result
    return msgspec.structs.replace(result, steps=tuple(each for each in result.steps if each.action != Action.DOCUMENT))


def tells_two_attempts_at_most(earlier, operation, args, result):
    return msgspec.structs.replace(result, attempts=result.attempts[:2]) if operation == "attempts" else result


@pytest.mark.parametrize("change", sliced((finds_nothing_late, never_documents, tells_two_attempts_at_most)))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def test_no_two_actions_have_the_same_name():
    machine = SYSTEM.workload.machine("watch", ())(Recording({}))
    machine.together(8, "I think")
    machine.enforce("plain", "probably", "qa-1", False, 0, None)
    asked = [
        each for step in machine._driver.steps for each in (step.schedule.together if step.schedule else (step.op,))
    ]
    named = [each.args["action"] for each in asked]
    assert [9] * 2 == [len(named), len(set(named))]


def test_facts_are_assessed_by_the_group_only():
    makes = {groups: SYSTEM.workload.machine("watch", groups) for groups in ((), (BEHAVIOUR,))}
    assert [hasattr(make, "assess") for make in makes.values()] == [False, True]
    machine = makes[(BEHAVIOUR,)](Recording({}))
    machine.assess({"expanded": True}, {}, 1)
    (step,) = machine._driver.steps
    assert (step.process, step.op.args) == (1, {"scope": {"expanded": True}, "verification": {}})
