"""Who certifies the certifier: mutants through the path of any implementation. Source: CERTIFICATION.md.

The whole run, over a hundred mutants, is the nox session ``qualify``.
"""

import json

import pytest

from harness.certify import corpus
from harness.core.clause import Level
from harness.qualify import layers, mutants, subjects
from harness.qualify.plays import Played, Plays
from harness.systems import registry
from harness.targets.slots import Slots

SYSTEM = registry.get("stop_gate")
TABLE = SYSTEM.mutants.MUTANTS
GATE = [
    name for name, mutant in TABLE.items() if mutant.profile == "gate" and mutant.clause in ("PS-TR-07", "PS-TR-02")
][:2]
HOOK = next(
    name
    for name, mutant in TABLE.items()
    if ("stop_hook", "SH-08", "L1") == (mutant.profile, mutant.clause, mutant.level)
)


def test_three_mutants_die_under_the_clause_they_break(windtunnel, tmp_path):
    chosen = [*GATE, HOOK]
    ran = windtunnel(
        "qualify",
        "--system",
        "stop_gate",
        *(word for name in chosen for word in ("--mutant", name)),
        "--report",
        tmp_path / "report",
    )
    assert 0 == ran.code, ran.out
    assert "3 of 3 mutants killed under the clause they break" in ran.out
    found = json.loads((tmp_path / "report" / "qualify.json").read_text())
    assert (2, ["stop_gate"], corpus.digest(("stop_gate",)), {}) == (
        found["format"], found["systems"], found["suite_digest"], found["clauses_without_mutant"],
    )  # fmt: skip
    assert sorted(f"stop_gate/{name}" for name in chosen) == sorted(found["mutants"])
    known = {scenario.id: scenario for scenario in corpus.scenarios("stop_gate")}
    for fate in found["mutants"].values():
        mutant = TABLE[fate["name"]]
        assert (True, mutant.clause, mutant.clause, mutant.profile) == (
            fate["killed"], fate["killed_by"], fate["clause"], fate["profile"],
        )  # fmt: skip
        assert known[fate["scenario"]].profile == mutant.profile
        assert fate["examples"] >= 1
        assert fate["seconds"] > 0
        assert "" == fate["error"]


def test_a_mutant_of_l2_dies_at_l2_where_it_is_looked_for_first(windtunnel, tmp_path):
    ran = windtunnel("qualify", "--system", "stop_gate", "--mutant", "past-clock-blocks", "--report", tmp_path)
    assert 0 == ran.code, ran.out
    fate = json.loads((tmp_path / "qualify.json").read_text())["mutants"]["stop_gate/past-clock-blocks"]
    assert ("L2", "L2", "gate-l2-moved-to-1970", 1) == (
        fate["level"], fate["killed_at"], fate["scenario"], fate["examples"],
    )  # fmt: skip


def test_a_mutant_of_l2_that_a_scenario_of_l1_kills_is_reported_as_misplaced(windtunnel, monkeypatch):
    wrong = TABLE["error-blocks"]._replace(level="L2")
    monkeypatch.setattr(SYSTEM.mutants, "MUTANTS", {wrong.name: wrong})
    only(monkeypatch, "gate-checker-raises", "gate-whole-check-no-project")
    (fate,) = mutants.qualify(named(wrong.name), 1)
    assert (True, True, "L1") == (fate.killed, fate.misplaced, fate.killed_at)
    ran = windtunnel("qualify", "--system", "stop_gate", "--mutant", wrong.name)
    assert 3 == ran.code
    assert f"misplaced {wrong.name} is said to need L2, and {fate.scenario} of L1 kills it" in ran.out


def test_a_thorough_qualification_plays_what_lies_below_a_mutants_level_first(monkeypatch):
    name = "past-clock-blocks"
    only(monkeypatch, "gate-answer-form", "gate-l2-moved-to-1970")
    (quick,) = mutants.qualify(named(name), 1)
    (thorough,) = mutants.qualify(named(name), 1, thorough=True)
    assert [(1, "L2"), (2, "L2")] == [(fate.examples, fate.killed_at) for fate in (quick, thorough)]


@pytest.mark.parametrize(
    ("profile", "scenarios"),
    [
        ("gate", ("gate-answer-form", "gate-storage-unreadable-runtime", "gate-semaphore-8-writers")),
        ("stop_hook", ("hook-environment-odd", "hook-together")),
    ],
)
def test_all_mutants_of_l2_in_one_are_sound_at_l1(profile, scenarios):
    every = subjects.Subject(SYSTEM, "written", SYSTEM.mutants.EVERY_L2, "", profile, "all of them", "L2")
    reach = every.reach()
    slots = Slots(1)
    known = {scenario.id: scenario for scenario in corpus.scenarios("stop_gate")}
    with slots.held(), reach.open(slots) as session:
        plays = Plays(SYSTEM, "")
        assert [()] * len(scenarios) == [
            played.failed for name in scenarios for played in plays.of(known[name], session)
        ]  # fmt: skip


@pytest.mark.parametrize("name", [name for name, mutant in TABLE.items() if mutant.under])
def test_every_hint_names_a_scenario_of_the_mutants_profile(name):
    mutant = TABLE[name]
    mine = [scenario for scenario in corpus.scenarios("stop_gate") if scenario.profile == mutant.profile]
    assert any(mutant.under in scenario.id or mutant.under in layers.struck(scenario) for scenario in mine)


def named(*names):
    return [each for each in subjects.written(SYSTEM) if each.name in names]


def only(monkeypatch, *wanted):
    kept = tuple(scenario for scenario in corpus.scenarios("stop_gate") if scenario.id in wanted)
    assert len(wanted) == len(kept)
    monkeypatch.setattr(mutants.corpus, "enumerated", lambda system: kept)


def test_a_mutant_that_no_scenario_kills_survives_and_the_exit_code_says_so(windtunnel, monkeypatch, tmp_path):
    only(monkeypatch, "gate-answer-form")
    ran = windtunnel("qualify", "--system", "stop_gate", "--mutant", GATE[0], "--report", tmp_path)
    assert 3 == ran.code
    assert f"survived stop_gate/{GATE[0]} ({TABLE[GATE[0]].clause}): nothing failed" in ran.out
    assert "0 of 1 mutants killed" in ran.out
    fate = json.loads((tmp_path / "qualify.json").read_text())["mutants"][f"stop_gate/{GATE[0]}"]
    assert (False, "", None, 1) == (fate["killed"], fate["killed_by"], fate["scenario"], fate["examples"])


def test_only_mutants_that_need_no_higher_level_are_run(windtunnel, monkeypatch, tmp_path):
    only(monkeypatch, "gate-answer-form")
    third = next(name for name, mutant in TABLE.items() if mutant.level == "L3" and mutant.profile == "gate")
    windtunnel(
        "qualify",
        "--system",
        "stop_gate",
        "--mutant",
        GATE[0],
        "--mutant",
        third,
        "--level",
        "L2",
        "--report",
        tmp_path,
    )
    assert {f"stop_gate/{GATE[0]}"} == json.loads((tmp_path / "qualify.json").read_text())["mutants"].keys()
    ran = windtunnel("qualify", "--system", "stop_gate", "--mutant", third, "--level", "L2")
    assert (2, True) == (ran.code, "every mutant named needs more than L2; leave out --level" in ran.err)


def test_slices_of_the_mutants_make_a_whole(windtunnel, monkeypatch, tmp_path):
    only(monkeypatch, "gate-answer-form")
    chosen = ["--system", "stop_gate", *(word for name in [*GATE, HOOK] for word in ("--mutant", name))]
    found = []
    for seed in "01":
        ran = windtunnel("qualify", *chosen, "--one-in", "2", "--seed", seed, "--report", tmp_path)
        assert f"slice {seed} of 2" in ran.out
        stored = json.loads((tmp_path / "qualify.json").read_text())
        assert stored["part"].endswith(f"; slice {seed} of 2")
        found.append(stored["mutants"].keys())
    order = [each.id for each in subjects.written(SYSTEM) if each.name in (*GATE, HOOK)]
    assert [{order[0], order[2]}, {order[1]}] == found
    ran = windtunnel("qualify", *chosen, "--one-in", "4", "--seed", "3")
    assert (2, True) == (ran.code, "3 mutants have no slice 3 of 4; make --one-in smaller" in ran.err)


def test_a_mutant_that_dies_under_another_clause_only_is_not_killed(monkeypatch):
    name = HOOK
    real = registry.System.judge
    monkeypatch.setattr(
        registry.System,
        "judge",
        lambda self, *asked: tuple(found for found in real(self, *asked) if found.clause != TABLE[name].clause),
    )
    only(monkeypatch, "hook-calm")
    (fate,) = mutants.qualify(named(name), 1)
    assert not fate.killed
    assert fate.killed_by
    assert TABLE[name].clause not in fate.killed_by


def test_a_mutant_that_cannot_be_run_is_not_killed_but_told(monkeypatch):
    monkeypatch.setattr(subjects, "served_python", lambda *words, **settings: _broken_reach())
    (fate,) = mutants.qualify(named(GATE[0]), 1)
    assert (False, None, "it never starts") == (fate.killed, fate.scenario, fate.error)


def _broken_reach():
    from harness.certify.reach import Reach
    from harness.errors import UntestableError

    def refuse(slots):
        raise UntestableError("it never starts")

    return Reach(SYSTEM, "gate", "stdio", (), {}, (), "digest", refuse)


def test_a_mutant_that_only_crashes_is_given_up_after_some_scenarios(monkeypatch):
    subject = next(each for each in subjects.written(SYSTEM) if each.profile == "gate" and each.level == "L1")

    class Crashing(Plays):
        def of(self, scenario, session):
            yield Played(scenario, [subject.clause], None)

    monkeypatch.setattr(mutants, "Plays", Crashing)
    monkeypatch.setattr(mutants._Hunt, "_has_crashed", lambda hunt, history: True)
    monkeypatch.setattr(mutants, "CRASHES_SHOW", 3)
    (fate,) = mutants.qualify([subject], 1)
    assert (False, True, 3) == (fate.killed, fate.crashed, fate.examples)


def test_qualification_that_is_stopped_plays_nothing_more():
    (fate,) = mutants.qualify(named(GATE[0]), 1, stopped=lambda: True)
    assert (0, False) == (fate.examples, fate.killed)


def test_a_reader_that_stops_listening_leaves_no_mutant_running():
    fates = mutants.qualify(named(*GATE), 1)
    assert next(fates).killed
    fates.close()


def test_every_must_clause_has_a_mutant():
    assert {} == mutants.without_mutant(SYSTEM)


def test_a_must_clause_without_a_mutant_is_listed_and_the_exit_code_says_so(windtunnel, monkeypatch):
    monkeypatch.setattr(SYSTEM.mutants, "MUTANTS", {GATE[0]: TABLE[GATE[0]]})
    missing = mutants.without_mutant(SYSTEM)
    musts = {clause.id for clause in SYSTEM.catalogue if clause.level is Level.MUST}
    assert musts - {TABLE[GATE[0]].clause} == set(missing)
    ran = windtunnel("qualify", "--system", "stop_gate", "--only", "written")
    assert 3 == ran.code
    assert "SH-01 untested: no mutant breaks it" in ran.out
    assert "1 of 1 mutants killed" in ran.out


def test_a_report_that_cannot_be_written_is_a_usage_error(windtunnel, tmp_path, monkeypatch):
    only(monkeypatch, "gate-answer-form")
    (tmp_path / "file").write_text("")
    ran = windtunnel("qualify", "--system", "stop_gate", "--mutant", GATE[0], "--report", tmp_path / "file" / "below")
    assert 2 == ran.code
    assert "cannot write" in ran.err


@pytest.mark.parametrize("name", list(TABLE))
def test_every_mutant_names_a_clause_of_its_profile(name):
    mutant = TABLE[name]
    assert mutant.profile in SYSTEM.catalogue[mutant.clause].profiles
    assert mutant.description
