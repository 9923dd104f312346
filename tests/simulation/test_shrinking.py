"""A simulation that breaks a rule is made small, and what is left still breaks that rule. Source: issue 10."""

from functools import partial

import pytest
from told import HOUR, PLAN, made, run, shortened

from harness.runtime.mutants import MUTANTS
from harness.simulation.incidents import Incidents
from harness.simulation.script import load, written
from harness.simulation.shrinking import shrink
from harness.simulation.trouble import Fork

# mutants, each with the most incidents that a person has to read of it
FEW = {
    "unrecorded": 1,
    "told-twice": 0,
    "delay-halved": 1,
    "repeat-forgotten": 1,
    "rung-skipped": 1,
    "failure-uncounted": 4,
    "drift-untold": 1,
    "strategy-repeated": 4,
}


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shortened(monkeypatch)


def broken(name, plan=PLAN):
    """What makes simulations of that mutant, the rule it breaks and the event that breaks it first."""
    make, rule = partial(made, kind=MUTANTS[name].session), MUTANTS[name].rule
    simulation = make(plan, Incidents())
    assert simulation.run()
    return make, rule, simulation.first[rule].event.number


def shrunk(name, plan=PLAN, **more):
    make, rule, event = broken(name, plan)
    return shrink(plan, rule, event, make, **more)


@pytest.mark.parametrize("name", FEW)
def test_what_is_left_breaks_the_same_rule_at_that_event_when_its_file_is_played(name, tmp_path):
    found = shrunk(name, most=100)
    (tmp_path / "case.yaml").write_text(written(found.case, found.rule))
    script = load(tmp_path / "case.yaml")
    assert (found.case, found.rule) == (script.case(), script.breaks)
    again = made(script.case().plan, Incidents(script.case().incidents), kind=MUTANTS[name].session)
    assert again.run()
    assert found.event == again.first[MUTANTS[name].rule].event.number


@pytest.mark.parametrize("name", FEW)
def test_few_incidents_are_left_and_no_more_agents_than_they_need(name):
    found = shrunk(name, most=100)
    assert len(found.case.incidents) <= FEW[name]
    assert found.case.plan.agents <= 1 + ("agent-1" in str(found.case.incidents))
    assert found.event <= broken(name)[2] * 3 // 2
    assert found.tries <= 100


@pytest.mark.parametrize("name", ["unrecorded", "repeat-forgotten", "strategy-repeated"])
def test_no_incident_that_is_left_can_be_left_out(name):
    found = shrunk(name)
    rule, session = MUTANTS[name].rule, MUTANTS[name].session
    for incident in found.case.incidents:
        rest = [each for each in found.case.incidents if each != incident]
        simulation = made(found.case.plan, Incidents(rest), kind=session)
        simulation.run(interrupted=lambda simulation=simulation: simulation.events > found.event)
        assert rule not in simulation.broken


def test_no_case_that_is_tried_has_two_incidents_of_the_same_name(monkeypatch):
    """Those of two agents become one's, and of the same name one alone would happen: neither could be left out."""
    tried = []

    def noting(told=None, **more):
        tried.append(told or ())
        return Incidents(told, **more)

    monkeypatch.setattr("harness.simulation.shrinking.Incidents", noting)
    shrunk("repeat-forgotten", PLAN._replace(agents=4), most=40)
    shrunk("never-asked", most=40)
    names = [[(each.who, each.kind, each.number) for each in told] for told in tried]
    assert [] == [told for told in names if len(told) != len(set(told))]


def test_sound_sessions_break_nothing_when_the_case_is_played():
    found = shrunk("strategy-repeated", most=60)
    simulation, _ = run(found.case.plan, Incidents(found.case.incidents))
    assert {} == dict(simulation.broken)


def test_shrinking_is_the_same_each_time():
    assert shrunk("drift-untold", most=60) == shrunk("drift-untold", most=60)


def test_what_only_a_fork_shows_is_shrunk_with_its_fork(tmp_path):
    plan = PLAN._replace(forks=(Fork(HOUR, 77),))
    _, rule, event = broken("unrecorded", plan)

    def only_forked(plan, incidents):
        return made(plan, incidents, kind=MUTANTS["unrecorded"].session) if plan.forks else made(plan, incidents)

    found = shrink(plan, rule, event, only_forked, most=30)
    assert plan.forks == found.case.plan.forks
    (tmp_path / "case.yaml").write_text(written(found.case, found.rule))
    assert found.case == load(tmp_path / "case.yaml").case()


def test_what_needs_no_fork_is_shrunk_to_a_case_without():
    assert () == shrunk("told-twice", PLAN._replace(forks=(Fork(HOUR, 77),))).case.plan.forks


def test_a_failure_that_does_not_come_again_gives_none():
    assert shrink(PLAN, "INT-06", 14, made) is None


def test_a_failure_that_comes_later_than_it_was_told_gives_none():
    make, rule, event = broken("repeat-forgotten")
    assert shrink(PLAN, rule, event // 2, make) is None


def test_a_failure_of_another_rule_is_not_taken():
    make, _, event = broken("unrecorded")
    assert shrink(PLAN, "INT-06", event, make) is None


@pytest.mark.parametrize("most", [1, 5, 10])
def test_no_more_simulations_are_tried_than_is_said(most):
    make, rule, event = broken("never-asked")
    counted = []

    def counting(plan, incidents):
        counted.append(plan)
        return make(plan, incidents)

    found = shrink(PLAN, rule, event, counting, most=most)
    assert found.tries == most
    assert 1 + most == len(counted), "the first only records what happens"


def test_with_no_try_nothing_is_shrunk():
    assert shrunk("unrecorded", most=0) is None


def test_an_interruption_keeps_the_smallest_case_until_then():
    make, rule, event = broken("never-asked")
    tried = []

    def counting(plan, incidents):
        tried.append(plan)
        return make(plan, incidents)

    found = shrink(PLAN, rule, event, counting, interrupted=lambda: len(tried) > 5)
    assert 5 >= found.tries
    assert rule == found.rule
    whole = shrink(PLAN, rule, event, make)
    assert len(whole.case.incidents) < len(found.case.incidents)


def test_an_interruption_at_once_gives_none():
    assert shrunk("unrecorded", interrupted=lambda: True) is None
