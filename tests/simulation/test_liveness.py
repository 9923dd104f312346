"""Once nothing goes wrong any more, all that was begun ends within a day. Source: issue 10; INV-17."""

import pytest
from told import HOUR, PLAN, made, shortened

from harness.runtime.session import Session
from harness.runtime.worker import Worker
from harness.simulation.incidents import Incidents
from harness.simulation.invariants import ENDS, unended
from harness.simulation.session import HOME
from harness.simulation.shrinking import shrink

HOURS = 6


class Idle(Session):
    """Its workers put down what is left over, and claim nothing."""

    class workers(Worker):  # noqa: N801 - the name it has in a session
        """See Idle."""

        def steps(self, doing):
            """See Worker.steps."""
            self.put_right()
            yield from ()
            return ""


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shortened(monkeypatch, HOURS)


@pytest.mark.parametrize("profile", ["calm", "flaky", "hostile"])
def test_sound_agents_end_everything_within_the_day(profile):
    simulation = made(PLAN._replace(profile=profile), Incidents())
    assert simulation.run()
    assert () == unended(simulation.files, HOME)
    assert ENDS not in simulation.broken
    assert HOURS * HOUR < simulation.clock.ticks < (HOURS + 24) * HOUR


def test_workers_that_claim_nothing_never_end_and_are_found():
    simulation = made(PLAN._replace(profile="calm"), Incidents(), kind=Idle)
    assert simulation.run()
    assert unended(simulation.files, HOME)
    assert 1 == simulation.broken[ENDS]
    assert (HOURS + 24) * HOUR == simulation.clock.ticks


def test_what_never_ends_is_told_with_the_last_event():
    simulation = made(PLAN._replace(profile="calm"), Incidents(), kind=Idle)
    simulation.run()
    assert simulation.events == simulation.first[ENDS].event.number


def test_what_never_ends_is_shrunk_too():
    def idle(plan, incidents):
        return made(plan, incidents, kind=Idle)

    simulation = idle(PLAN, Incidents())
    simulation.run()
    found = shrink(PLAN, ENDS, simulation.first[ENDS].event.number, idle, most=8)
    assert () == found.case.incidents
    assert 1 == found.case.plan.agents


def test_an_interrupted_quiet_day_says_nothing_of_what_ends():
    simulation = made(PLAN._replace(profile="calm"), Incidents(), kind=Idle)
    assert not simulation.run(interrupted=lambda: simulation.clock.ticks > (HOURS + 1) * HOUR - 1)
    assert ENDS not in simulation.broken


def test_nothing_new_is_put_into_the_queue_in_the_quiet_day():
    simulation = made(PLAN._replace(profile="calm"), Incidents())
    simulation.run()
    before = dict(simulation.files.contents)
    simulation.backlog.fill()
    assert before == simulation.files.contents
    assert simulation.plans.due() is None
