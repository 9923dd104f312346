"""What befalls the machine: in order, once each, and after a fork from another seed. Source: issue 10."""

from itertools import islice, takewhile

import pytest
from told import HOUR, PLAN, made, recorded, run, shortened

from harness.runtime.trial import Pause
from harness.simulation import trouble
from harness.simulation.incidents import MACHINE, Incident, Incidents
from harness.simulation.profiles import PROFILES
from harness.simulation.trouble import CLOCK, DIES, FULL, RESTARTS, Fork
from harness.simulation.virtual_time import TICKS_PER_S

HOSTILE = PROFILES["hostile"]
DAY = 24 * HOUR


class Noting:
    """A machine that notes what is done to it, and when."""

    def __init__(self):
        self.elapsed = 0
        self.done = []

    def kill_session(self, number):
        self.done.append((self.elapsed, f"dies {number}"))

    def restart_machine(self):
        self.done.append((self.elapsed, "restarts"))

    def set_clock(self, by):
        self.done.append((self.elapsed, f"clock {by}"))

    def fill_storage(self, *, full):
        self.done.append((self.elapsed, "full" if full else "free"))


def befallen(*told, over_at=None):
    """What is done to a machine that meets with that."""
    machine, incidents = Noting(), Incidents(told, is_kept=True)
    for step in trouble.life(machine, iter(incidents.of_the_machine()), incidents):
        assert isinstance(step, Pause)
        if step.for_s >= 1 << 30:
            break
        machine.elapsed += round(step.for_s * TICKS_PER_S)
        incidents.are_over = over_at is not None and machine.elapsed >= over_at
    return machine.done, incidents.happened


def of_machine(kind, number, what):
    return Incident(MACHINE, kind, number, what)


def drawn(days=20, **more):
    every = trouble.drawn(HOSTILE, 3, 1, **more)
    return list(takewhile(lambda incident: incident.number < days * DAY, every))


def test_what_is_drawn_comes_in_its_order_in_time():
    times = [incident.number for incident in drawn()]
    assert times == sorted(times)
    assert {FULL, CLOCK, DIES, RESTARTS} == {incident.kind for incident in drawn()}


def test_calm_weather_has_nothing_for_the_machine():
    assert [] == list(islice(trouble.drawn(PROFILES["calm"], 3, 1), 3))


def test_another_seed_draws_others():
    assert drawn() != list(islice(trouble.drawn(HOSTILE, 3, 2), len(drawn())))


def test_only_agents_that_there_are_die():
    assert {"0", "1", "2"} == {incident.what for incident in drawn() if incident.kind == DIES}


def test_a_fork_has_the_same_past_and_another_future():
    forked = drawn(forks=(Fork(5 * DAY, 99),))
    before = [[each for each in some if each.number < 5 * DAY] for some in (drawn(), forked)]
    after = [[each for each in some if each.number >= 5 * DAY] for some in (drawn(), forked)]
    assert before[0]
    assert before[0] == before[1]
    assert after[0] != after[1]


def test_after_a_fork_comes_what_its_seed_draws_for_that_time():
    alone = list(takewhile(lambda each: each.number < 20 * DAY, trouble.drawn(HOSTILE, 3, 99)))
    forked = drawn(forks=(Fork(5 * DAY, 99),))
    assert [each for each in alone if each.number >= 5 * DAY] == [each for each in forked if each.number >= 5 * DAY]


def test_a_fork_of_a_fork_leaves_the_past_of_both():
    once, twice = drawn(forks=(Fork(5 * DAY, 99),)), drawn(forks=(Fork(5 * DAY, 99), Fork(9 * DAY, 7)))
    assert [each for each in once if each.number < 9 * DAY] == [each for each in twice if each.number < 9 * DAY]
    assert once != twice


def test_each_befalls_the_machine_at_its_time():
    told = [of_machine(CLOCK, 30, "-64"), of_machine(DIES, 10, "1"), of_machine(RESTARTS, 20, RESTARTS)]
    done, happened = befallen(*told)
    assert [(10, "dies 1"), (20, "restarts"), (30, "clock -64")] == done
    assert sorted(told, key=lambda each: each.number) == happened


def test_a_full_disk_is_free_again_after_its_time():
    assert [(10, "full"), (15, "free")] == befallen(of_machine(FULL, 10, "5"))[0]


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [((10, 20), (15, 5), 30), ((10, 20), (15, 40), 55), ((10, 20), (15, 15), 30)],
    ids=["within", "beyond", "ending together"],
)
def test_full_disks_that_overlap_are_one(first, second, free):
    done, _ = befallen(*(of_machine(FULL, at, str(lasts)) for at, lasts in (first, second)))
    assert (10, "full") == done[0]
    assert {(free, "free")} == set(done[1:])


def test_a_disk_that_fills_again_when_it_becomes_free_is_told_so_twice():
    done, _ = befallen(of_machine(FULL, 10, "10"), of_machine(FULL, 20, "10"))
    assert [(10, "full"), (20, "free"), (20, "full"), (30, "free")] == done


def test_the_machine_restarts_while_the_disk_is_full_and_it_stays_so():
    done, _ = befallen(of_machine(FULL, 10, "20"), of_machine(RESTARTS, 15, RESTARTS))
    assert [(10, "full"), (15, "restarts"), (30, "free")] == done


def test_once_incidents_are_over_none_befalls_it():
    done, happened = befallen(of_machine(CLOCK, 10, "64"), of_machine(CLOCK, 20, "64"), over_at=15)
    assert [(10, "clock 64")] == done
    assert 1 == len(happened)


def test_hostile_weather_restarts_machines_whose_disks_are_full():
    done, full, while_full = befallen(*drawn())[0], False, 0
    for _, what in done:
        full = what == "full" if what in ("full", "free") else full
        while_full += full and what == "restarts"
    assert while_full > 3


# -- in a simulation


@pytest.fixture
def short(monkeypatch):
    shortened(monkeypatch)


def test_events_before_a_fork_are_the_same_and_those_after_it_are_not(short):
    whole, stream, _ = recorded(PLAN)
    other, forked = run(PLAN._replace(forks=(Fork(3 * HOUR, 5000),)))
    parted = next(n for n, (one, another) in enumerate(zip(stream, forked, strict=False)) if one != another)
    assert whole.digest != other.digest
    assert parted > len(stream) // 4


def test_nothing_parts_before_the_time_of_the_fork(short):
    """By the time that has passed, and not by the machine's clock, which can be set."""
    whole, forked = (_events_before(3 * HOUR, PLAN._replace(forks=forks)) for forks in ((), (Fork(3 * HOUR, 5000),)))
    assert whole == forked
    assert len(whole) > 500


def _events_before(at, plan):
    simulation, events = made(plan, Incidents()), []

    def note(session, event):
        if simulation.elapsed < at:
            events.append((session, type(event).__name__, event.at, event.correlation_id))

    simulation.watchers.append(note)
    assert simulation.run()
    return events


def test_what_is_told_of_the_machine_befalls_a_simulation(short):
    told = (
        of_machine(FULL, HOUR, str(HOUR)),
        of_machine(RESTARTS, HOUR + 100, RESTARTS),
        of_machine(CLOCK, 3 * HOUR, "-6400"),
        of_machine(DIES, 4 * HOUR, "1"),
    )
    simulation, stream = run(PLAN, Incidents(told))
    words = ("storage_changed", "machine_restarted", "clock_stepped")
    seen = [(event["event"], event.get("full", event.get("by_s"))) for _, event in stream if event["event"] in words]
    assert [
        ("storage_changed", True),
        ("machine_restarted", None),
        ("storage_changed", False),
        ("clock_stepped", -100.0),
    ] == seen
    assert {} == dict(simulation.broken)


def test_the_session_of_an_agent_that_does_not_exist_cannot_die(short):
    calm, _ = run(PLAN, Incidents(()))
    again, _ = run(PLAN, Incidents((of_machine(DIES, HOUR, "9"), of_machine(DIES, HOUR, "2"))))
    assert calm.digest == again.digest


def test_a_disk_that_is_full_at_the_end_is_free_in_the_quiet_day(short):
    simulation, stream = run(PLAN, Incidents((of_machine(FULL, 5 * HOUR, str(10 * HOUR)),)))
    assert [True, False] == [event["full"] for _, event in stream if event["event"] == "storage_changed"]
    assert simulation.files.fail is None
    assert {} == dict(simulation.broken)
