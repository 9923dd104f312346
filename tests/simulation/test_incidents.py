"""Everything that goes wrong has a name, by which it can be told again or left out. Source: issue 10."""

import pytest
from told import HOUR, PLAN, recorded, run, shortened

from harness.simulation.incidents import MACHINE, WHOLE, Incident, Incidents
from harness.simulation.profiles import PROFILES
from harness.simulation.script import KINDS, OF_THE_MACHINE
from harness.simulation.trouble import Fork

WRONG = {
    "failure_observed",
    "non_blocking_failed",
    "session_cut",
    "machine_restarted",
    "clock_stepped",
    "storage_changed",
    "breaker_moved",
    "call_refused",
    "failure_counted",
    "plan_halted",
}


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shortened(monkeypatch)


def kinds_of(stream):
    return {event["event"] for _, event in stream}


@pytest.mark.parametrize("forks", [(), (Fork(2 * HOUR, 77), Fork(4 * HOUR, 78))], ids=["whole", "forked"])
@pytest.mark.parametrize("profile", PROFILES)
def test_what_was_drawn_and_is_then_told_gives_the_same_digest(profile, forks):
    plan = PLAN._replace(profile=profile, forks=forks)
    simulation, stream, happened = recorded(plan)
    again, stream_again = run(plan, Incidents(happened))
    assert happened
    assert stream == stream_again
    assert simulation.digest == again.digest


def test_what_is_told_does_not_hang_on_the_profile():
    """The weather is among the incidents: nothing of it is drawn once they are told."""
    simulation, _, happened = recorded(PLAN)
    again, _ = run(PLAN._replace(profile="calm"), Incidents(happened))
    assert simulation.digest == again.digest


def test_what_happens_when_it_is_told_is_what_was_told():
    _, _, happened = recorded(PLAN)
    again = Incidents(happened, is_kept=True)
    run(PLAN, again)
    assert sorted(happened) == sorted(again.happened)


def test_where_nothing_is_told_nothing_goes_wrong_even_in_hostile_weather():
    simulation, stream = run(PLAN, Incidents(()))
    assert set() == kinds_of(stream) & WRONG
    assert {} == dict(simulation.broken)
    assert simulation.counts["task_completed"] > 10
    assert simulation.counts["call_begun"] > 50


def test_the_words_for_what_goes_wrong_are_those_of_events():
    """Else the test above could not fail."""
    _, stream, _ = recorded(PLAN._replace(agents=4))
    assert set() == WRONG - kinds_of(stream)


def test_one_incident_that_is_left_out_changes_nothing_before_it():
    """What others meet with keeps its names: the streams part where the incident was, and not before."""
    _, stream, happened = recorded(PLAN)
    left = next(each for each in happened[len(happened) // 2 :] if each.who.startswith("agent-1-"))
    _, without = run(PLAN, Incidents(each for each in happened if each != left))
    parted = next(n for n, (one, other) in enumerate(zip(stream, without, strict=False)) if one != other)
    assert parted > 100
    assert left.who in {stream[parted][0], without[parted][0]}


def test_one_incident_alone_is_all_that_goes_wrong_and_changes_nothing_before_its_session():
    incident = Incident("agent-1-1", "beside", 1, "fails")
    _, calm = run(PLAN, Incidents(()))
    _, failed = run(PLAN, Incidents((incident,)))
    assert {"non_blocking_failed"} == kinds_of(failed) & WRONG

    def of_others(stream):
        return [line for line in stream if line[0] not in ("agent-1-1", "")]

    assert calm != failed
    first = [next(i for i, line in enumerate(of_others(s)) if line[0].startswith("agent-1")) for s in (calm, failed)]
    assert of_others(calm)[: first[0]] == of_others(failed)[: first[1]]


def test_an_incident_of_nobody_changes_nothing():
    calm, _ = run(PLAN, Incidents(()))
    told = (Incident("agent-9-1", "crash", 1, "/ 1"), Incident("agent-0-1", "provider", 10_000, "down 0"))
    again, _ = run(PLAN, Incidents(told))
    assert calm.digest == again.digest


def test_no_two_incidents_have_the_same_name():
    _, _, happened = recorded(PLAN._replace(agents=3))
    of_somebody = [each for each in happened if each.who != MACHINE]
    assert len(of_somebody) == len({(each.who, each.kind, each.number) for each in of_somebody})
    assert {each.kind for each in happened} <= set(KINDS) | set(OF_THE_MACHINE)


def always(_chance):
    return "down 0"


def test_a_fate_counts_its_questions_of_each_kind_from_1():
    incidents = Incidents(is_kept=True)
    fate = incidents.of("agent-0-1", 3)
    met = [fate.meets(kind, always) for kind in ("provider", "tool", "provider")]
    assert ["down 0"] * 3 == met
    assert [("provider", 1), ("tool", 1), ("provider", 2)] == [(each.kind, each.number) for each in incidents.happened]


def test_what_does_not_happen_is_no_incident_but_counts():
    incidents = Incidents(is_kept=True)
    fate = incidents.of("agent-0-1", 3)
    assert WHOLE == fate.meets("provider", lambda _: WHOLE)
    fate.meets("provider", always)
    assert [Incident("agent-0-1", "provider", 2, "down 0")] == incidents.happened


def test_a_fate_is_drawn_from_its_seed_and_name_alone():
    def drawn(seed, who):
        fate = Incidents().of(who, seed)
        return [fate.meets("provider", lambda chance: str(chance.below(1 << 30))) for _ in range(3)]

    assert drawn(3, "agent-0-1") == drawn(3, "agent-0-1")
    assert 3 == len({tuple(drawn(*given)) for given in ((3, "agent-0-1"), (3, "agent-0-2"), (4, "agent-0-1"))})


def test_once_they_are_over_nothing_happens_drawn_or_told():
    told = Incident("agent-0-1", "provider", 2, "down 0")
    for incidents in (Incidents(is_kept=True), Incidents((told,), is_kept=True)):
        fate = incidents.of("agent-0-1", 3)
        fate.meets("provider", always)
        before = list(incidents.happened)
        incidents.are_over = True
        assert WHOLE == fate.meets("provider", always)
        assert before == incidents.happened


def test_told_incidents_are_drawn_from_nothing():
    fate = Incidents(()).of("agent-0-1", 3)
    assert WHOLE == fate.meets("provider", always)


def test_of_a_long_simulation_they_are_not_kept():
    incidents = Incidents()
    incidents.of("agent-0-1", 3).meets("provider", always)
    assert [] == incidents.happened


def test_those_of_the_machine_are_told_in_their_order_in_time():
    told = tuple(Incident(MACHINE, "clock", at, "64") for at in (30, 10, 20))
    of_machine = Incidents((*told, Incident("agent-0-1", "provider", 1, "down 0"))).of_the_machine()
    assert [10, 20, 30] == [each.number for each in of_machine]


def test_incidents_are_over_in_the_quiet_day():
    """Whatever is asked after the last day happens to nobody."""
    incidents = Incidents(is_kept=True)
    simulation, _ = run(PLAN, incidents)
    assert incidents.are_over
    assert simulation.clock.ticks > 6 * HOUR
    times = [each.number for each in incidents.happened if each.who == MACHINE]
    assert times == sorted(times)
    assert max(times) < 6 * HOUR
