"""The machine of circuit breakers: what it draws is what the fault table holds, and what it finds is small.

Source: issue 5, 3 (restarts, bad state files, several breakers, several processes, clock steps, boundaries).
"""

import msgspec
import pytest
from campaigns import sliced
from machine_checks import Recording, assert_small, found_in, planted
from played import served

from harness.systems import registry
from harness.systems.circuit_breaker.contract import State

SYSTEM = registry.get("circuit_breaker")
SEEDS = (1, 2, 4)
CASES = 150  # a search of so many meets each planted defect nine times of ten
FEW = 60
SHRINKS = 150
MOST_STEPS = 10  # three failures are six


def permits_the_second_call_of_a_cooldown(earlier, operation, args, result):
    refused = [each for each in earlier if each[0] == "acquire" and not each[2].permitted]
    if operation == "acquire" and result.state is State.OPEN and refused:
        return msgspec.structs.replace(result, permitted=True, held=None, error=None)
    return result


def says_it_is_closed_once_a_call_has_succeeded(earlier, operation, args, result):
    succeeded = any(each[0] == "record" and each[1]["outcome"] == "success" for each in earlier)
    if operation == "acquire" and succeeded and result.state is State.OPEN:
        return msgspec.structs.replace(result, permitted=True, state=State.CLOSED, held=None, error=None)
    return result


def reduces_nothing(earlier, operation, args, result):
    return msgspec.structs.replace(result, agents=args["agents"]) if operation == "capacity" else result


DEFECTS = (permits_the_second_call_of_a_cooldown, says_it_is_closed_once_a_call_has_succeeded, reduces_nothing)


@pytest.mark.parametrize("change", sliced(DEFECTS))
def test_a_planted_defect_is_found_and_shrinks_to_a_few_steps(change):
    assert_small(SYSTEM, planted(SYSTEM, change), SEEDS, CASES, SHRINKS, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_the_reference(seed):
    found, begun = found_in(SYSTEM, served(SYSTEM), seed, FEW, SHRINKS)
    assert ([], True) == (found, begun >= FEW)


def asked(machine):
    return [step.op for step in machine._driver.steps if step.op is not None]


def test_a_call_that_was_refused_has_no_result():
    machine = SYSTEM.workload.machine("breaker", ())(Recording({"permitted": False, "held": "refused"}))
    machine._begin_anew()
    assert machine._begun("api/claude") is None
    assert ["acquire"] == [operation.name for operation in asked(machine)]


def test_a_call_that_waits_is_kept_to_be_asked_for_again():
    machine = SYSTEM.workload.machine("breaker", ())(Recording({"permitted": False, "held": "queued"}))
    assert machine._begun("api/claude") is None
    assert ["m1"] == [flying.call for flying in machine._waiting]


def test_without_answers_every_call_is_taken_to_run():
    machine = SYSTEM.workload.machine("breaker", ())(Recording(None))
    assert "m1" == machine._begun("api/claude").call
