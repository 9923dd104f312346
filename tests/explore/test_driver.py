"""A driver plays each step at once, has the case judged at its end, and remembers the way to a broken clause."""

import pytest
from toy import CATALOGUE, CLOCK, ToySession, add, seeded, sound, toy

from harness.core.fault import Fault, Injection
from harness.core.scenario import ClockStep, Operation, Schedule, Step, World
from harness.explore.driver import JudgingDriver, ViolationError
from harness.targets.file_calls import is_supervised

RESET = Step(op=Operation("reset"))
WORLD = World(CLOCK)


def driver(answer) -> JudgingDriver:
    made = JudgingDriver(toy(), ToySession(answer), "toy", 7)
    made.begin(WORLD, "extra")
    return made


def test_a_case_that_breaks_a_must_raises_at_its_end_with_all_its_steps():
    steps = (add(1), add(600), add(700))
    searching = driver(seeded)
    assert [1, 1, 1] == [len(searching.take(step)) for step in steps]
    with pytest.raises(ViolationError) as caught:
        searching.end()
    found = caught.value
    assert (found.clause, found.scenario.clauses, found.scenario.steps) == ("T-1", ("T-1",), steps)
    assert found.scenario.id.startswith("found-t-1-")
    assert (found.scenario.seed, found.scenario.group, found.scenario.profile) == (7, "extra", "toy")
    assert found.scenario.title == "Found by search: it broke"
    assert str(found).startswith("T-1 after 3 steps: expected it holds; observed it broke.")
    assert searching.smallest is found.scenario


def test_one_step_is_no_steps():
    searching = driver(lambda numbers: {"broken": True})
    searching.take(add(1))
    with pytest.raises(ViolationError, match="T-1 after 1 step:"):
        searching.end()


def test_a_should_that_fails_is_not_what_search_is_for():
    searching = driver(lambda numbers: {"odd": True})
    searching.take(add(1))
    searching.end()
    assert searching.smallest is None


def test_a_case_is_judged_once_and_an_empty_one_never():
    asked = []
    system = toy()
    system.judge = lambda scenario, history, catalogue: asked.append(len(history.entries)) or ()
    session = ToySession(sound)
    session.move_clock = lambda by_s: None
    searching = JudgingDriver(system, session, "toy", 7)
    searching.end()
    searching.begin(WORLD)
    searching.end()
    assert asked == []
    for step in (Step(clock=ClockStep(1.0)), RESET, Step(schedule=Schedule((add(1).op, add(2).op)))):
        searching.take(step)
    searching.end()
    assert asked == [6]


def test_a_fresh_world_forgets_the_steps_before():
    searching = driver(seeded)
    searching.take(add(600))
    searching.begin(WORLD)
    searching.take(add(700))
    assert searching.scenario.steps == (add(700),)
    assert searching.begun == 2


def test_the_smallest_violation_is_remembered():
    searching = driver(lambda numbers: {"broken": numbers[-1] >= 500})
    for numbers in ((1, 2, 600), (3, 7000), (1, 2, 3, 500), (3, 800), (3, 900)):
        searching.begin(WORLD)
        try:
            for number in numbers:
                searching.take(add(number))
            searching.end()
        except ViolationError:
            pass
    assert searching.smallest.steps == (add(3), add(900))  # the later of two that are as long


def test_the_same_steps_are_the_same_scenario_and_others_another():
    def found(*numbers: int) -> str:
        searching = driver(lambda all_numbers: {"broken": len(all_numbers) == len(numbers)})
        for number in numbers:
            searching.take(add(number))
        with pytest.raises(ViolationError) as caught:
            searching.end()
        return caught.value.scenario.id

    assert found(1, 2) == found(1, 2)
    assert found(1, 2) != found(2, 1)


def test_what_was_asked_before_the_first_fault_at_a_file_call_is_asked_again_of_a_process_whose_calls_are_notified():
    begun, remembered = [], []
    session = ToySession(lambda numbers: remembered.append(tuple(numbers)) or {})
    session.reset = lambda scenario: begun.append(is_supervised(scenario)) or session.numbers.clear()
    session.inject = lambda fault, seed: Injection(fault, armed=True, proof="EIO")
    searching = JudgingDriver(toy(), session, "toy", 7)
    searching.begin(WORLD)
    struck = Step(fault=Fault("syscall.errno", "{home}/a", {"call": "write", "nth": 1, "errno": "EIO"}))
    for step in (add(1), RESET, add(2), struck, add(3), struck, add(4)):
        searching.take(step)
    assert [False, False, True] == begun  # a replay of these steps begins so as well
    assert [(1,), (2,), (2,), (2, 3), (2, 3, 4)] == remembered
    assert (add(1), RESET, add(2), struck, add(3), struck, add(4)) == searching.scenario.steps


def test_a_step_needs_a_world():
    with pytest.raises(RuntimeError, match="begin comes before take"):
        JudgingDriver(toy(), ToySession(sound), "toy", 7).take(add(1))


def test_the_toy_has_both_levels():
    assert [clause.level.value for clause in CATALOGUE] == ["MUST", "SHOULD"]
