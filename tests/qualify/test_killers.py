"""What killed a mutant last time is begun with, and decides nothing."""

import json

import msgspec
import pytest

from harness.certify import corpus, qualified
from harness.explore.enumerated import explored_steps
from harness.qualify import kept, killers, mutants, subjects
from harness.qualify.qualification import equivalents
from harness.systems import registry

GATE = registry.get("stop_gate")


@pytest.fixture
def begun_with(monkeypatch):
    """``begun_with(name, killer)``: the fate of that mutant of the gate; None takes what is shipped."""

    def fate(name, killer):
        (subject,) = (each for each in subjects.written(GATE) if each.name == name)
        (found,) = mutants.qualify([subject], 1, killers={subject.id: killer})
        return found

    return fate


def test_a_killer_is_found_by_its_id():
    scenarios = corpus.enumerated("rate_limit")
    assert scenarios[5] is killers.origin(scenarios, scenarios[5].id)
    assert killers.origin(scenarios, "no-such-scenario") is killers.origin(scenarios, "") is None


def test_of_a_variant_the_scenario_is_found_that_has_it():
    explored = next(each for each in corpus.enumerated("stop_gate") if explored_steps(each))
    plain = next(each for each in corpus.enumerated("stop_gate") if not explored_steps(each))
    assert explored is killers.origin((plain, explored), f"{explored.id}-killed-0123abcd")
    assert killers.origin((plain, explored), f"{plain.id}-killed-0123abcd") is None, "it has no variants"
    longer = msgspec.structs.replace(explored, id=f"{explored.id}-killed")
    assert longer is killers.origin((explored, longer), f"{longer.id}-0123abcd"), "not a shorter name that begins so"


@pytest.mark.parametrize(
    ("name", "killer", "most"),
    [
        ("past-clock-blocks", "gate-l2-moved-to-1970", 1),
        ("counters-cut-before-they-are-written", "gate-l3-counted-killed-3f1f454d", 2),
        ("count-renamed-before-it-is-synced", "gate-l3-held-on-power-4eca7078", 2),
    ],
)
def test_a_mutant_is_killed_at_once_by_what_killed_it_before(begun_with, name, killer, most):
    fate = begun_with(name, killer)
    assert (True, killer, True) == (fate.killed, fate.scenario, fate.known)
    assert fate.examples <= most


def test_what_does_not_kill_it_any_more_is_followed_by_all_else(begun_with):
    fate = begun_with("past-clock-blocks", "gate-answer-form")
    assert (True, False, 2) == (fate.killed, fate.known, fate.examples)


def test_what_nothing_killed_is_given_up_soon_and_never_called_killed_for_it(begun_with, monkeypatch):
    monkeypatch.setattr(killers, "MOST_OF_A_SURVIVOR", 1)
    scenarios = {each.id: each for each in corpus.enumerated("stop_gate")}
    chosen = (scenarios["gate-answer-form"], scenarios["gate-l2-moved-to-1970"])
    monkeypatch.setattr(mutants, "_ordered", lambda subject, found, *, thorough: list(chosen))
    fate = begun_with("past-clock-blocks", None)
    assert (False, 1) == (fate.killed, fate.examples)


def test_a_report_renews_what_it_tells_of_and_keeps_the_rest():
    told = {"s/a": {"scenario": "x", "error": ""}, "s/b": {"scenario": None, "error": ""}}
    told["s/c"] = {"scenario": None, "error": "it could not be started"}
    assert {"s/a": "x", "s/b": None, "s/c": "z", "s/d": "w"} == killers.renewed(
        {"s/a": "y", "s/c": "z", "s/d": "w"}, told
    )


@pytest.mark.parametrize(
    ("part", "unqualified", "suite", "systems"),
    [
        ("", [], "", {"rate_limit"}),
        ("up to L2", [], "", set()),
        ("", ["rate_limit/m survived"], "", set()),
        ("", [], "another", set()),
    ],
)
def test_what_a_report_shows_is_kept_in_the_checkout(tmp_path, monkeypatch, part, unqualified, suite, systems):
    place, other = tmp_path / killers.FILE, tmp_path / qualified.FILE
    place.write_text('{"rate_limit/a": "x"}')
    monkeypatch.setattr(killers, "place", lambda: place)
    monkeypatch.setattr(qualified, "place", lambda: other)
    monkeypatch.setattr(qualified, "known", dict)
    killers.known.cache_clear()
    report = {
        "suite_digest": suite or corpus.digest(("rate_limit",)), "part": part, "unqualified": unqualified, "systems": ["rate_limit"],
        "mutants": {"rate_limit/b": {"scenario": "y", "error": "", "system": "rate_limit", "killed": True}},
    }  # fmt: skip
    (tmp_path / "qualify.json").write_text(json.dumps(report))
    kept.main([str(tmp_path / "qualify.json")])
    killers.known.cache_clear()
    assert {"rate_limit/a": "x", "rate_limit/b": "y"} == json.loads(place.read_text())
    digest, judges = corpus.digest(("rate_limit",)), qualified.judging_digest("rate_limit")
    expected = {name: {"suite_digest": digest, "judging_digest": judges, "killed": 1, "mutants": 1} for name in systems}
    assert expected == json.loads(other.read_text())


def test_what_is_wrong_with_mutants_of_one_system_is_held_against_no_other():
    names = ["rate_limit", "fallback"]
    fates = {name: {"system": name, "killed": True} for name in names}
    report = {"suite_digest": corpus.digest(tuple(names)), "part": "", "systems": names, "mutants": fates}
    assert ["fallback"] == list(kept.of_systems({**report, "unqualified": ["rate_limit/m survived"]}))
    assert [] == list(kept.of_systems({**report, "unqualified": ["echo (seed 0) passes LK-RL-01 of rate_limit"]}))
    assert names == list(kept.of_systems({**report, "unqualified": []}))


def test_only_mutants_and_scenarios_that_exist_are_known():
    every = {s.id for system in registry.every() for kind in KINDS for s in getattr(subjects, kind)(system)}
    same = {f"{system}/{name}" for system, names in equivalents().items() for name in names}
    assert set() == killers.known().keys() - (every - same)
    scenarios = {system.name: corpus.enumerated(system.name) for system in registry.every()}
    for name, killer in killers.known().items():
        assert killer is None or killers.origin(scenarios[name.partition("/")[0]], killer) is not None, name


KINDS = ("written", "blind", "generated")
