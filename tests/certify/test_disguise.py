"""What is asked once more on another day: whoever learned the published scenarios by heart fails there."""

import pytest

from harness.certify import corpus
from harness.certify.disguise import AGAIN, EARLIEST, LATEST, SUFFIX, any_day, chosen, disguised, is_movable, moved
from harness.core.clause import Level
from harness.systems import registry


def known(system, id_):
    return next(each for each in corpus.scenarios(system) if each.id == id_)


@pytest.mark.parametrize("system", registry.every(), ids=registry.NAMES)
def test_every_must_clause_of_a_served_profile_is_asked_on_another_day(system):
    profile = system.served_profile
    musts = {clause.id for clause in system.catalogue if clause.level is Level.MUST and profile in clause.profiles}
    again = disguised(corpus.scenarios(system.name), system.catalogue, profile, 1000)
    assert set() == musts - {clause for scenario in again for clause in scenario.clauses}
    assert len(again) == len({scenario.id for scenario in again})


def test_every_date_of_a_scenario_is_moved_and_nothing_else():
    scenario = known("dead_letter", next(each.id for each in corpus.scenarios("dead_letter") if is_movable(each)))
    again = moved(scenario, 366)
    assert (f"{scenario.id}-{SUFFIX}", scenario.clauses) == (again.id, again.clauses)
    assert scenario.world.clock[:4] != again.world.clock[:4]
    assert scenario.world.clock[10:] == again.world.clock[10:]
    back = moved(again, -366)
    assert (scenario.world, scenario.steps) == (back.world, back.steps)


def test_dates_that_stand_for_themselves_are_not_moved():
    far = [each for each in corpus.scenarios("circuit_breaker") if "9999-" in str(each.world.files)]
    assert not any(map(is_movable, far))


def test_what_leaves_the_calendar_is_not_asked():
    scenario = known("rate_limit", "backoff-status-around-429")
    assert moved(scenario, 10**7) is None


def test_the_shortest_that_aim_at_a_clause_are_taken():
    found = chosen(corpus.scenarios("rate_limit"), {"LK-RL-01"})
    rest = [each for each in corpus.scenarios("rate_limit") if "LK-RL-01" in each.clauses and is_movable(each)]
    assert AGAIN == len(found)
    assert sorted(len(each.steps) for each in found) == sorted(len(each.steps) for each in rest)[:AGAIN]


def test_the_day_is_drawn_and_never_the_same_one():
    days = {any_day() for _ in range(200)}
    assert len(days) > 100
    assert min(days) >= EARLIEST
    assert max(days) <= LATEST
    assert 0 not in days
