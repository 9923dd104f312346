"""Degenerate implementations pass no MUST clause, and what they say has the right form."""

import random

import msgspec
import pytest

from harness.certify import corpus
from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.qualify import degenerates
from harness.qualify.answers import Chooser, answer, copied
from harness.qualify.degenerate import KINDS, Degenerate
from harness.systems import registry
from harness.targets.slots import Slots

SYSTEM = registry.get("rate_limit")
MUSTS = [clause.id for clause in SYSTEM.catalogue if clause.level is Level.MUST]


def refuted(kind, seed=0, stopped=lambda: False):
    return degenerates.refuted(SYSTEM, kind, seed, Slots(1), stopped)


@pytest.mark.parametrize("kind", ["always-yes", "always-no", "random"])
@pytest.mark.parametrize("system", registry.every(), ids=registry.NAMES)
def test_an_answer_that_means_nothing_has_the_right_form(system, kind):
    for _, result in system.contract.OPERATIONS.values():
        for seed in range(5):
            msgspec.convert(answer(result, Chooser(kind, random.Random(seed))), result)


def test_the_same_seed_says_the_same():
    result = SYSTEM.contract.OPERATIONS["next_delay"][1]
    first, again, other = (
        [answer(result, Chooser("random", draw)) for _ in range(20)]
        for draw in (random.Random(1), random.Random(1), random.Random(2))
    )
    assert first == again
    assert first != other


def test_an_echo_takes_what_fits_from_what_it_is_told():
    class Result(msgspec.Struct):
        retry: int
        name: str

    said = copied(Result, {"retry": 7, "name": 5, "other": 1}, Chooser("echo", random.Random(0)))
    assert {"retry": 7, "name": ""} == said


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_none_passes_a_must_clause(kind):
    found = refuted(kind)
    assert ("rate_limit", kind, 0, len(MUSTS), ()) == (
        found.system, found.kind, found.seed, found.clauses, found.passed,
    )  # fmt: skip
    assert found.examples >= 1


def test_what_ends_at_once_is_untestable():
    assert "exit-0" in refuted("exit-0").untestable


def test_an_answer_key_passes_what_is_published_and_fails_on_another_day(monkeypatch):
    monkeypatch.setattr(degenerates, "disguised", lambda *asked: ())
    assert set(MUSTS) == set(refuted("answer-key").passed)


def test_a_harness_that_lets_one_pass_says_so(monkeypatch):
    real = registry.System.judge
    monkeypatch.setattr(
        registry.System,
        "judge",
        lambda self, *asked: tuple(
            msgspec.structs.replace(found, verdict=CheckVerdict.PASS, witnesses=1) for found in real(self, *asked)
        ),
    )
    assert refuted("always-no").passed


def test_a_run_that_is_stopped_plays_nothing():
    assert 0 == refuted("always-no", stopped=lambda: True).examples


def test_the_random_one_is_run_with_twenty_seeds():
    runs = degenerates.runs([SYSTEM])
    assert list(range(20)) == [seed for _, kind, seed in runs if kind == "random"]
    assert set(KINDS) == {kind for _, kind, _ in runs}


def test_what_is_wanted_is_run_in_its_order():
    wanted = [(SYSTEM, "always-no", 0), (SYSTEM, "always-yes", 0)]
    assert ["always-no", "always-yes"] == [found.kind for found in degenerates.refute(wanted, 2)]


def test_the_last_answer_is_the_right_one_to_the_question_before(tmp_path):
    served = Degenerate(SYSTEM, "last-answer", 0)
    served.create(str(tmp_path), {"home": str(tmp_path)}, "2026-03-01T12:00:00Z")
    said = [served.call("next_delay", {"retry": retry}, "2026-03-01T12:00:00Z").get("delay_s") for retry in (1, 2, 3)]
    assert [5.0, 10.0] == said[1:]
    assert [] == list(tmp_path.iterdir())


def test_what_told_something_of_another_one_is_played_first_as_long_as_it_aims_at_what_is_left():
    first, second, *_ = (each for each in corpus.enumerated("rate_limit") if each.clauses)
    aims = {*first.clauses, *second.clauses}
    before = [degenerates.greediest([first, second], aims, frozenset({each.id})) for each in (first, second)]
    assert [first, second] == before
    assert degenerates.greediest([first], set(), frozenset({first.id})) is None


def test_what_aims_at_nothing_that_is_left_is_played_last_but_is_played():
    first, second, *_ = (each for each in corpus.enumerated("rate_limit") if each.clauses)
    aims_at_nothing = msgspec.structs.replace(first, clauses=())
    assert second is degenerates.greediest([aims_at_nothing, second], set(second.clauses))
    assert aims_at_nothing is degenerates.greediest([aims_at_nothing], set(second.clauses))


def test_runs_begin_with_what_the_first_one_told(monkeypatch):
    heard = {}
    real = degenerates._refuted

    def watched(system, kind, seed, slots, stopped, before=frozenset()):
        heard[kind] = before
        return real(system, kind, seed, slots, stopped, before)

    monkeypatch.setattr(degenerates, "_refuted", watched)
    yes, no = degenerates.refute([(SYSTEM, "always-yes", 0), (SYSTEM, "always-no", 0)], 2)
    assert heard["always-no"] == frozenset() != heard["always-yes"]
    assert ("always-yes", (), "always-no", ()) == (yes.kind, yes.passed, no.kind, no.passed)


def test_clauses_that_no_scenario_of_theirs_refutes_are_refuted_by_another():
    """Every scenario that aims at LK-CB-09 lets a call through, as who says yes to everything does."""
    (found,) = degenerates.refute([(registry.get("circuit_breaker"), "always-yes", 0)], 2)
    assert () == found.passed
