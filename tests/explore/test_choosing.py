"""Generated scenarios each add coverage, the same for the same arguments. Source: issue 3, 5."""

from random import Random

import jsonschema
import msgspec
import pytest
from in_process import STOP_GATE, BlocksAll, InProcess, opened

from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Scenario, dump, load
from harness.explore import generate as module
from harness.explore.coverage import features
from harness.explore.generate import Wish, generate
from harness.faults import catalogue
from harness.systems import registry
from harness.systems.stop_gate.workload import candidates as room
from harness.targets.player import play

SCHEMA = jsonschema.Draft202012Validator(msgspec.json.schema(Scenario))
JSONL = tuple(kind.name for kind in catalogue.EVERY if kind.name.startswith("jsonl.") and "long" not in kind.name)
PROFILES = ("gate", "stop_hook")


def made(seed=1, count=8, faults=JSONL, create=InProcess, **more):
    with opened(create) as session:
        return generate(STOP_GATE, session, Wish("gate", faults, count, seed, **more))


@pytest.fixture(scope="module")
def eight():
    return made()


def drawn(profile, number, seed=3, faults=None, *, calm=True):
    names = tuple(kind.name for kind in catalogue.EVERY) if faults is None else faults
    stream = room.candidates(profile, Random(seed), names, calm=calm)
    return [next(stream) for _ in range(number)]


def test_the_same_arguments_give_the_same_bytes(eight):
    assert [dump(scenario) for scenario in made().chosen] == [dump(scenario) for scenario in eight.chosen]


def test_another_seed_gives_others(eight):
    assert {scenario.id for scenario in eight.chosen}.isdisjoint(scenario.id for scenario in made(seed=2).chosen)


def test_as_many_are_chosen_as_were_asked_for_and_none_twice(eight):
    assert 8 == len(eight.chosen) == len({scenario.id for scenario in eight.chosen})
    assert () == eight.red


def test_each_covers_what_none_before_it_did(eight):
    covered = set()
    for scenario in eight.chosen:
        with opened() as session:
            history = play(scenario, session, STOP_GATE.inputs_of)
        found = features(history, STOP_GATE.judge(scenario, history, STOP_GATE.catalogue), room.unsteady)
        assert found - covered
        covered |= found


def test_each_names_its_clauses_which_are_must_and_witnessed(eight):
    for scenario in eight.chosen:
        with opened() as session:
            history = play(scenario, session, STOP_GATE.inputs_of)
        passed = {f.clause for f in STOP_GATE.judge(scenario, history, STOP_GATE.catalogue) if f.verdict == "PASS"}
        assert scenario.clauses
        assert passed >= set(scenario.clauses)
        assert {"MUST"} == {STOP_GATE.catalogue[name].level.value for name in scenario.clauses}


def test_each_says_what_is_allowed_and_the_reference_does_that(eight):
    for scenario in eight.chosen:
        with opened() as session:
            last = play(scenario, session, STOP_GATE.inputs_of).operations()[-1].end.value
        assert any(all(last[key] == value for key, value in one.items()) for one in scenario.allowed)


def test_each_is_a_scenario_of_the_schema_that_reads_back_equal(eight):
    for scenario in eight.chosen:
        SCHEMA.validate(msgspec.json.decode(msgspec.json.encode(scenario)))
        assert scenario == load(dump(scenario), where=scenario.id)


def test_with_a_fault_the_level_and_the_id_say_so(eight):
    for scenario in eight.chosen:
        struck = any(step.fault for step in scenario.steps)
        assert ("L2", True) == (scenario.level, struck) or ("L1", False) == (scenario.level, struck)
        assert struck == scenario.id.startswith("gate-l2-found-jsonl-")
        assert scenario.title.startswith("Found: ")


def test_only_the_faults_asked_for_strike():
    found = made(faults=("jsonl.nan",), calm=False, count=3)
    assert {"jsonl.nan"} == {step.fault.name for s in found.chosen for step in s.steps if step.fault}
    assert all(any(step.fault for step in s.steps) for s in found.chosen)


def test_a_fault_that_nothing_proves_is_in_none_of_them_and_said():
    found = made(faults=("filesystem.read_only",), calm=False, count=2)
    assert ((), ["filesystem.read_only"]) == (found.chosen, list(found.refused))
    assert "needs a sandbox" in found.refused["filesystem.read_only"]


def test_a_fault_without_a_place_is_said_and_nothing_is_played():
    found = made(faults=("environment.stdin_closed",), calm=False)
    assert ((), 0) == (found.chosen, found.tried)
    assert "nothing for it to strike" in found.refused["environment.stdin_closed"]


def test_what_the_reference_fails_is_never_chosen_and_kept_apart():
    found = made(count=2, create=BlocksAll)
    assert () == found.chosen
    assert found.red
    assert all(scenario.clauses for scenario in found.red)


def test_what_does_not_end_twice_the_same_is_not_chosen(monkeypatch):
    numbers = iter(range(10**6))
    real = module.features

    def shifting(*arguments):
        return frozenset(each._replace(state=str(next(numbers))) for each in real(*arguments))

    monkeypatch.setattr(module, "features", shifting)
    found = made(count=2)
    assert ((), True) == (found.chosen, found.unsteady > 0)


def test_a_failure_that_does_not_come_again_is_unsteady(monkeypatch):
    real, asked = STOP_GATE.judge, iter(range(10**6))

    class Once(registry.System):
        @property
        def judge(self):
            def judged(*arguments):
                failed = (Finding("PS-FO-01", CheckVerdict.FAIL),) if next(asked) == 0 else ()
                return (*failed, *real(*arguments))

            return judged

    with opened() as session:
        found = generate(Once("stop_gate"), session, Wish("gate", JSONL, 2, 1))
    assert (2, (), 1) == (len(found.chosen), found.red, found.unsteady)


def test_a_stop_ends_it():
    with opened() as session:
        found = generate(STOP_GATE, session, Wish("gate", JSONL, 2, 1), lambda: True)
    assert ((), 0) == (found.chosen, found.tried)


def test_for_readers_the_first_two_are_the_two_sides_in_calm_weather():
    found = made(count=4, plain=True)
    assert [{"decision": "block"}, {"decision": "approve"}] == [scenario.allowed[0] for scenario in found.chosen[:2]]
    assert all("decision" in scenario.allowed[0] for scenario in found.chosen)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_chance_composes_the_same_candidates(profile):
    assert drawn(profile, 40) == drawn(profile, 40) != drawn(profile, 40, seed=4)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_candidate_fits_the_schema_and_has_one_fault_at_most(profile):
    for scenario in drawn(profile, 200):
        SCHEMA.validate(msgspec.json.decode(msgspec.json.encode(scenario)))
        assert len({step.fault.name for step in scenario.steps if step.fault}) <= 1
        assert isinstance(scenario, Scenario)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_fault_with_a_place_comes_in_turn(profile):
    names = [kind.name for kind in catalogue.EVERY]
    usable = set(names) - set(room.without_place(profile, names))
    struck = {
        s.steps[n].fault.name
        for s in drawn(profile, len(usable), calm=False)
        for n in range(len(s.steps))
        if s.steps[n].fault
    }
    assert usable == struck


def test_every_fault_of_the_list_strikes_in_some_profile():
    # faults at file calls have no place of their own: they strike the calls that an implementation makes
    names = [kind.name for kind in catalogue.EVERY if not kind.name.startswith("syscall.")]
    nowhere = set.intersection(*(set(room.without_place(profile, names)) for profile in PROFILES))
    assert set() == nowhere


@pytest.mark.parametrize("profile", PROFILES)
def test_without_a_fault_to_use_there_are_calm_candidates_or_none(profile):
    assert all(not any(step.fault for step in s.steps) for s in drawn(profile, 20, faults=()))
    assert [] == list(room.candidates(profile, Random(1), (), calm=False))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_title_says_what_happens_after_the_controls(profile):
    titles = {room.title(scenario) for scenario in drawn(profile, 20, faults=("jsonl.torn_tail",))}
    assert all(title.startswith("Found: ") for title in titles)
    assert any("jsonl.torn_tail at a transcript" in title for title in titles)


def test_a_fault_that_loses_lines_is_shown_without_the_damaged_lines_first():
    (scenario,) = drawn("stop_hook", 1, faults=("jsonl.torn_tail",), calm=False)
    assert [True, True, None, None] == [step.fault.params.get("deleted") for step in scenario.steps if step.fault]
