"""What the machines of all systems that keep files share: operations that are struck at a file call, or made in order."""

import pytest
from machine_checks import Recording

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, Operation, Step, World
from harness.systems.families import CALLS, SCHEDULE
from harness.systems.struck_machine import SUPERVISED, Faults, StruckMachine
from harness.systems.swarm import Table

BEFORE, LAST, LOOK = (Operation("log", {"n": number}) for number in (1, 2, 3))
AT_A_CALL = Fault("syscall.killed", "{home}/x", {"number": 1})
RESET = Step(op=Operation("reset"))


class Drawing:
    """Draws the last of what it is given to choose from."""

    def draw(self, strategy):
        return strategy.elements[-1] if hasattr(strategy, "elements") else [1, 0]


class Striking(Recording):
    """A driver of what is reached in processes of its own, whose file calls can be struck."""

    def strikes_calls(self):
        return True

    def faults_at_calls(self, world, *steps):
        assert World("2026-03-01T12:00:00Z") == world
        return (AT_A_CALL,) if steps else ()


class Machine(StruckMachine):
    FAULTS = Faults(Table(()), Table(()), Table(()))
    MOVES_S = (1.0,)
    LEARNT_IN = World("2026-03-01T12:00:00Z")
    STRUCK = ((Step(op=BEFORE), Step(op=LAST)),)
    LOOKS = (LOOK,)


def machine(*families, driver=Striking):
    made = Machine(driver())
    made._learn(frozenset(families))
    return made


def test_the_last_of_some_operations_is_struck_in_a_fresh_world_and_then_looked_at():
    made = machine(CALLS)
    assert made._strikes_a_call(CALLS, Drawing())
    assert [RESET, Step(op=BEFORE), Step(fault=AT_A_CALL), Step(op=LAST), Step(op=LOOK)] == made._driver.steps


@pytest.mark.parametrize(("families", "way"), [((CALLS,), "plain"), ((), CALLS), ((SCHEDULE,), CALLS)])
def test_nothing_is_struck_where_that_is_not_the_way_or_no_call_is_known(families, way):
    made = machine(*families)
    assert (False, []) == (made._strikes_a_call(way, Drawing()), made._driver.steps)


def test_one_world_has_only_so_many_operations_that_cost_so_much():
    made = machine(CALLS, SCHEDULE)
    assert made._strikes_a_call(CALLS, Drawing())
    assert not made._strikes_a_call(CALLS, Drawing())
    assert not made._orders(SCHEDULE)
    ordering = machine(SCHEDULE)
    assert [True] * SUPERVISED + [False] == [ordering._orders(SCHEDULE) for _ in range(SUPERVISED + 1)]


@pytest.mark.parametrize(
    ("families", "way", "driver"),
    [((SCHEDULE,), "plain", Striking), ((CALLS,), SCHEDULE, Striking), ((SCHEDULE,), SCHEDULE, Recording)],
)
def test_nothing_is_put_in_order_where_that_is_not_the_way_or_cannot_be(families, way, driver):
    assert not machine(*families, driver=driver)._orders(way)


def test_two_are_made_at_once_in_the_order_that_is_drawn():
    made = machine(SCHEDULE)
    made._take_in_order((BEFORE, LAST), Drawing())
    (step,) = made._driver.steps
    assert ((BEFORE, LAST), (1, 0)) == (step.schedule.together, step.schedule.order)


def test_the_clock_goes_back_by_decades_once_in_a_world_since_none_shows_a_time_before_1970():
    class FarBack(Machine):
        MOVES_S = (60.0, -1.7e9)

    made = FarBack(Striking())
    for _ in range(2):
        made.move_clock(Drawing())
    made._begin_anew()
    made.move_clock(Drawing())
    assert [Step(clock=ClockStep(-1.7e9))] * 2 == made._driver.steps
