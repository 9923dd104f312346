"""Each situation means something: a stream that shows it is seen, and one that nearly does is not."""

import pytest

from harness.core.events import SessionEvent
from harness.simulation.sometimes import AWAITED, SOMETIMES, Sometimes
from harness.systems import registry
from tests.simulation import situations_of_calls, situations_of_plans, situations_of_tasks
from tests.simulation.playing import played
from tests.simulation.situations_nearly import NEARLY, STILL
from tests.simulation.telling_events import stream, told

CASES = {**situations_of_calls.CASES, **situations_of_tasks.CASES, **situations_of_plans.CASES}


def seen(*parts):
    sometimes = Sometimes()
    for session, event in stream(*parts):
        sometimes.take(session, event)
    assert set(sometimes.seen) <= {*SOMETIMES, *AWAITED}
    return sometimes.seen


@pytest.mark.parametrize("situation", CASES)
def test_a_situation_is_seen_in_a_stream_that_shows_it(situation):
    assert situation in seen(CASES[situation][0])


@pytest.mark.parametrize("situation", CASES)
def test_a_situation_is_not_seen_in_a_stream_that_nearly_shows_it(situation):
    assert situation not in seen(CASES[situation][1])


@pytest.mark.parametrize(("situation", "parts"), NEARLY)
def test_nothing_less_than_a_situation_is_seen_as_one(situation, parts):
    assert situation not in seen(parts)


@pytest.mark.parametrize(("situation", "parts"), STILL)
def test_a_situation_is_seen_whatever_else_happens(situation, parts):
    assert situation in seen(parts)


@pytest.mark.parametrize("kind", SessionEvent.__args__, ids=lambda kind: kind.__name__)
def test_an_event_whose_beginning_nobody_has_seen_does_no_harm(kind):
    more = {"triggers": ("diagnosis",)} if kind.__name__ == "EscalationRaised" else {}
    assert seen(told(kind, **more)).total() <= 1


def test_every_situation_has_a_stream_and_a_near_miss():
    assert {*SOMETIMES, *AWAITED} == set(CASES)


def test_what_has_to_be_seen_is_not_also_what_need_not_be():
    assert set() == set(SOMETIMES) & set(AWAITED)


def test_every_situation_rests_on_clauses_that_exist():
    known = {clause.id for system in registry.every() for clause in system.catalogue}
    every = {**SOMETIMES, **AWAITED}
    assert {} == {name: set(told.rests_on) - known for name, told in every.items() if not set(told.rests_on) <= known}
    assert [] == [name for name, told in every.items() if not (told.says and told.rests_on)]


def test_every_system_has_situations_that_put_its_clauses_to_the_test():
    resting = {clause for told in SOMETIMES.values() for clause in told.rests_on}
    without = [
        system.name for system in registry.every() if resting.isdisjoint(clause.id for clause in system.catalogue)
    ]
    assert [] == without


def test_a_simulation_shows_nothing_that_is_in_no_catalogue():
    sometimes = Sometimes()
    for session, event in played(profile="hostile")[1]:
        sometimes.take(session, event)
    assert set() == set(sometimes.seen) - {*SOMETIMES, *AWAITED}
    assert sometimes.seen.total() > 0
