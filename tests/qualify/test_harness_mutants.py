"""Mutants of the harness: each breaks one thing, and a canary notices. All of them are a part of ``qualify``."""

from pkgutil import resolve_name

import pytest

from harness.qualify import canaries, harness_mutants
from harness.qualify.harness_mutants import MUTANTS, NONE, Heard, heard

QUICK = "verdicts-take-the-worst"


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_changes_what_is_there_and_has_a_canary(name):
    mutant = MUTANTS[name]
    assert mutant.changes
    for path in mutant.changes:
        resolve_name(path)
    assert mutant.canary in canaries.CANARIES
    assert mutant.description


def only(monkeypatch, *names):
    kept = {name: canaries.CANARIES[name] for name in names}
    monkeypatch.setattr(harness_mutants, "CANARIES", kept)


@pytest.mark.parametrize("name", sorted(name for name, mutant in MUTANTS.items() if mutant.canary == QUICK))
def test_a_wrong_roll_up_is_noticed(name, monkeypatch):
    only(monkeypatch, QUICK)
    found = heard(name)
    assert (name, True, QUICK, "") == (found.name, found.caught, found.canary, found.broke)
    assert found.says


def test_a_sound_harness_lets_its_canaries_be_silent(monkeypatch):
    only(monkeypatch, QUICK)
    assert Heard(NONE, caught=False) == heard(NONE)


def test_a_canary_that_breaks_has_noticed_nothing(monkeypatch):
    def raises():
        raise ValueError("no")

    monkeypatch.setattr(harness_mutants, "CANARIES", {"breaks": raises})
    assert Heard(NONE, caught=False, broke="breaks: ValueError: no") == heard(NONE)


def test_a_process_that_says_nothing_has_noticed_nothing(monkeypatch):
    monkeypatch.setattr(harness_mutants.sys, "executable", "/bin/false")
    assert [Heard("nothing-binds", caught=False)] == list(harness_mutants.run(["nothing-binds"], 1))


def test_a_mutant_runs_in_a_process_of_its_own():
    (found,) = harness_mutants.run(["exit-code-is-0"], 1)
    assert ("exit-code-is-0", True, "mutant-deviates") == (found.name, found.caught, found.canary)
