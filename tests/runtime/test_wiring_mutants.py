"""Every defect of the wiring breaks exactly its rule, and the sound wiring none, over many seeded sessions. Issue 5, item 6."""

from collections import Counter

import driven
import pytest
import queued
from fakes import live
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.ports.fake_files import FakeFiles
from harness.runtime.mutants import MUTANTS
from harness.runtime.order import ORDER, broken, broken_together
from harness.runtime.session import Session
from harness.simulation.systems import references
from harness.systems.stop_gate.contract import Decision


def where_of(mutant):
    parts = (mutant.session, mutant.session.foremen, mutant.session.workers)
    return {part.__module__.rpartition(".")[2] for part in parts}


SEEDS = 15  # each mutant is found by one of the first six
PLANS = {"driven_plans", "plan_reviews"}
DRIVEN = {name: mutant for name, mutant in MUTANTS.items() if where_of(mutant) & PLANS}
QUEUED = {name: mutant for name, mutant in MUTANTS.items() if mutant.rule >= "INT-32" and name not in DRIVEN}
ALONE = {name: mutant for name, mutant in MUTANTS.items() if mutant.rule < "INT-32"}  # a session alone shows no more


@given(st.integers(0, 1 << 32))
@settings(max_examples=40, deadline=None)
def test_the_sound_wiring_breaks_no_rule(seed):
    assert broken(live(seed).session.events) == ()


class Scripted:
    """The fake gate's place, where the references are asked for everything else."""

    def __init__(self, gate):
        self.gate, self.decisions = gate, []

    def check(self, arguments, now_s):
        answer = self.gate.check(arguments, now_s)
        return answer if not self.decisions else type(answer)(self.decisions.pop(), answer.reasons, None, None)


@given(st.integers(0, 1 << 32))
@settings(max_examples=15, deadline=None)
def test_the_references_in_the_sound_wiring_break_none_either(seed):
    found = references("/h", FakeFiles())
    systems = found._replace(gate=Scripted(found.gate))
    assert broken(live(seed, systems=systems).session.events) == ()
    assert Decision.APPROVE in Decision


@given(st.integers(0, 1 << 32))
@settings(max_examples=8, deadline=None)
def test_the_sound_wiring_of_workers_breaks_none(seed):
    assert broken_together(queued.live(seed).events) == ()


@pytest.mark.parametrize("mutant", QUEUED.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_of_workers_breaks_its_rule_and_no_other(mutant):
    found = set()
    for seed in range(SEEDS):
        found.add(broken_together(queued.live(seed, kind=mutant.session, sessions=9).events))
        if seed > 1 and found != {()}:
            break
    assert found - {()} == {(mutant.rule,)}


@given(st.integers(0, 1 << 32))
@settings(max_examples=12, deadline=None)
def test_the_sound_driving_of_plans_breaks_none(seed):
    assert broken_together(driven.live(seed).events) == ()


@pytest.mark.parametrize("mutant", DRIVEN.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_of_foremen_breaks_its_rule_and_no_other(mutant):
    found = set()
    for seed in range(SEEDS):
        found.add(broken_together(driven.live(seed, kind=mutant.session, sessions=10).events))
        if seed > 1 and found != {()}:
            break
    assert found - {()} == {(mutant.rule,)}


@pytest.mark.parametrize("mutant", ALONE.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_breaks_its_rule_and_no_other(mutant):
    found = Counter(broken(live(seed, kind=mutant.session).session.events) for seed in range(SEEDS))
    assert {(mutant.rule,)} == set(found) - {()}


@given(st.sampled_from(sorted(QUEUED)), st.integers(0, 1 << 32))
@settings(max_examples=15, deadline=None)
def test_no_seed_makes_a_mutant_of_workers_break_another_rule(name, seed):
    mutant = MUTANTS[name]
    assert set(broken_together(queued.live(seed, kind=mutant.session, sessions=6).events)) <= {mutant.rule}


@given(st.sampled_from(sorted(DRIVEN)), st.integers(0, 1 << 32))
@settings(max_examples=25, deadline=None)
def test_no_seed_makes_a_mutant_of_foremen_break_another_rule(name, seed):
    mutant = MUTANTS[name]
    assert set(broken_together(driven.live(seed, kind=mutant.session, sessions=8).events)) <= {mutant.rule}


@given(st.sampled_from(sorted(ALONE)), st.integers(0, 1 << 32))
@settings(max_examples=80, deadline=None)
def test_no_seed_makes_a_mutant_break_another_rule(name, seed):
    mutant = MUTANTS[name]
    assert set(broken(live(seed, kind=mutant.session).session.events)) <= {mutant.rule}


def test_every_rule_has_a_mutant():
    assert set(ORDER) == {mutant.rule for mutant in MUTANTS.values()}


def test_a_mutant_says_what_is_wrong_and_is_a_session():
    assert all(mutant.description.endswith(".") for mutant in MUTANTS.values())
    assert all(issubclass(mutant.session, Session) for mutant in MUTANTS.values())


def test_every_rule_says_what_it_rests_on():
    assert all(rule.says and rule.rests_on for rule in ORDER.values())
