"""Generated scenarios and pairs of faults of the systems that keep nothing. Source: issue 5, 2; issue 3, 5."""

from importlib import import_module
from random import Random

import msgspec
import pytest
from stateless_sessions import opened

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, Operation, Scenario, Schedule, Step, World, dump
from harness.explore.generate import Wish, generate
from harness.explore.pairs import paired
from harness.faults import catalogue
from harness.systems import registry, stateless_search
from harness.targets.player import play

NAMES = ("rate_limit", "fallback")
HERE = (
    "filesystem.missing", "filesystem.symlink_loop", "filesystem.dangling_link", "filesystem.leftover",
    "identifier.null", "identifier.absent", "clock.back",
)  # fmt: skip
EVERY = tuple(kind.name for kind in catalogue.EVERY)


def room(name):
    return import_module(f"harness.systems.{name}.workload.candidates")


def profile(name):
    return registry.get(name).contract.PROFILES[0]


def made(name, seed=1, count=6):
    system = registry.get(name)
    with opened(system) as session:
        return generate(system, session, Wish(profile(name), HERE, count, seed))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_wish_makes_the_same_scenarios_which_the_reference_passes(name):
    one, again = made(name), made(name)
    assert [dump(scenario) for scenario in one.chosen] == [dump(scenario) for scenario in again.chosen]
    assert one.chosen
    assert () == one.red
    assert {scenario.id for scenario in one.chosen}.isdisjoint(scenario.id for scenario in made(name, seed=2).chosen)


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_is_allowed_and_the_reference_does_that(name):
    system = registry.get(name)
    for scenario in made(name).chosen:
        with opened(system) as session:
            last = play(scenario, session, system.inputs_of).operations()[-1].end
        assert any(all(last.value.get(key) == value for key, value in one.items()) for one in scenario.allowed) or (
            last.type != "ok"
        ), scenario.id
        assert scenario.clauses
        assert scenario.title.startswith("Found: ")


@pytest.mark.parametrize("name", NAMES)
def test_pairs_of_faults_stand_against_one_operation(name):
    system = registry.get(name)
    with opened(system) as session:
        found = paired(system, session, Wish(profile(name), HERE, 0, 1))
    assert () == found.red
    assert found.met > 0
    assert found.exclusive > 0


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_in_calm_weather_are_controls(name):
    one, other = room(name).controls(profile(name))
    assert one.steps[-1] != other.steps[-1]
    assert one.steps[:-1] == other.steps[:-1]


@pytest.mark.parametrize("name", NAMES)
def test_faults_of_content_have_no_place_where_nothing_is_kept(name):
    without = room(name).without_place(profile(name), EVERY)
    assert {"jsonl.bom", "json_document.nan", "syscall.errno"} <= set(without)
    assert {"process.restarted", "environment.no_home", "identifier.null"}.isdisjoint(without)


@pytest.mark.parametrize("name", NAMES)
def test_candidates_are_calm_now_and_then_and_end_when_there_is_nothing_to_draw(name):
    drawn = room(name).candidates(profile(name), Random(1), HERE, calm=True)
    levels = [next(drawn).level for _ in range(60)]
    assert {"L1", "L2"} == set(levels)
    assert [] == list(room(name).candidates(profile(name), Random(1), ("jsonl.bom",), calm=False))
    assert "L1" == next(room(name).candidates(profile(name), Random(1), (), calm=True)).level


def test_what_strikes_while_an_operation_runs_is_unsteady():
    assert stateless_search.unsteady("process.killed")
    assert not stateless_search.unsteady("process.restarted")


def test_the_title_tells_what_happens_after_the_control():
    together = Step(schedule=Schedule((Operation("next"), Operation("next"))))
    struck = (Step(fault=Fault("process.restarted")), Step(clock=ClockStep(1.0)), together)
    steps = (Step(op=Operation("next")), stateless_search.RESET, *struck)
    scenario = Scenario(1, "x", "", "fallback", "ladder", (), World("2026-03-01T12:00:00Z"), steps)
    assert "Found: process.restarted; 2 operations at once" == stateless_search.title(scenario)
    whole = msgspec.structs.replace(scenario, steps=(Step(op=Operation("escalation")),))
    assert "Found: escalation" == stateless_search.title(whole)


def test_a_fault_without_a_place_is_in_no_slot():
    assert {"process": ("process.restarted",)} == stateless_search.slots(
        room("fallback").ROOM, ("process.restarted", "jsonl.bom")
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_that_does_not_end_in_an_operation_allows_nothing(name):
    scenario = Scenario(
        1, "x", "", name, profile(name), (), World("2026-03-01T12:00:00Z"), (Step(fault=Fault("process.restarted")),)
    )
    assert () == room(name).allowed(scenario, lambda alternatives: alternatives)
