"""The machine of circuit breakers: what it draws is what the fault table holds, and what it finds is small.

Source: issue 5, 3 (restarts, bad state files, several breakers, several processes, clock steps, boundaries).
"""

import msgspec
import pytest
from breaker_played import SYSTEM, Served, served

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems.circuit_breaker.contract import Configuration, State
from harness.systems.circuit_breaker.reference import create
from harness.systems.circuit_breaker.workload import boundaries, machine_breaker
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

SEEDS = (1, 2, 4)
CASES = 150  # a search of so many meets each planted defect nine times of ten
FEW = 60
SHRINKS = 150
MOST_STEPS = 10  # three failures are six
TABLES = ("STATE_FAULTS", "STORAGE_FAULTS", "SURROUNDINGS")


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
            self.asked.append((operation, args, now_s, result))
            return self.change(self, operation, args, now_s, result)

        return call


def permits_the_second_call_of_a_cooldown(planted, operation, args, now_s, result):
    refused = [each for each in planted.asked if each[0] == "acquire" and not each[3].permitted]
    if operation == "acquire" and result.state is State.OPEN and len(refused) > 1:
        return msgspec.structs.replace(result, permitted=True, held=None, error=None)
    return result


def says_it_is_closed_once_a_call_has_succeeded(planted, operation, args, now_s, result):
    succeeded = any(earlier[0] == "record" and earlier[1]["outcome"] == "success" for earlier in planted.asked)
    if operation == "acquire" and succeeded and result.state is State.OPEN:
        return msgspec.structs.replace(result, permitted=True, state=State.CLOSED, held=None, error=None)
    return result


def reduces_nothing(planted, operation, args, now_s, result):
    return msgspec.structs.replace(result, agents=args["agents"]) if operation == "capacity" else result


DEFECTS = (permits_the_second_call_of_a_cooldown, says_it_is_closed_once_a_call_has_succeeded, reduces_nothing)


def found_in(create_planted, seed=1, cases=CASES):
    with DirectSession("breaker", create_planted) as session:
        return search(SYSTEM, session, "breaker", (), seed, cases, lambda: False, shrinks=SHRINKS)


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
    assert set() == {fault.name for fault in getattr(machine_breaker, table)} - {kind.name for kind in catalogue.EVERY}


def test_the_machine_draws_every_kind_of_fault_that_the_scenarios_hold():
    drawn = {fault.name for table in TABLES for fault in getattr(machine_breaker, table)}
    drawn.add(machine_breaker.RESTARTED.name)
    held = {step.fault.name for scenario in boundaries() for step in scenario.steps if step.fault is not None}
    # the protocol refuses what is no text; a clock of the year 9999, names of blanks and paths are met by scenarios
    refused = {"identifier.absent", "identifier.null", "identifier.wrong_type"}
    left = refused | {"identifier.whitespace", "identifier.absolute", "identifier.other_session", "clock.year_9999"}
    assert left == held - drawn


class Recording:
    """A driver that answers everything as ``value`` says."""

    def __init__(self, value):
        self.value = value
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
        return [Reply("ok", self.value)] * count if self.value is not None else []

    def end(self):
        pass


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
