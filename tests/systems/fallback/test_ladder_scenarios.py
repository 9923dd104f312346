"""The scenarios of fallbacks: every clause, every boundary, and what each of them is worth.

Source: issue 5, 2 and 7; CERTIFICATION.md, "Who certifies the certifier".
"""

import msgspec
import pytest
from scenario_checks import is_allowed
from stateless_sessions import Refusing, failing, judged, opened, passing

from harness.core.finding import CheckVerdict
from harness.explore.stateful import search
from harness.faults import catalogue
from harness.systems import registry
from harness.systems.fallback.contract import Trigger
from harness.systems.fallback.mutants import weather
from harness.systems.fallback.workload.levels import STRUCK
from harness.systems.fallback.workload.steps import MUSTS, WHOLE

SYSTEM = registry.get("fallback")
SCENARIOS = SYSTEM.workload.boundaries()
FIRST = [scenario for scenario in SCENARIOS if scenario.level == "L1"]
MUTANTS = SYSTEM.mutants.MUTANTS
BOUNDARIES = (
    "ladder-model-down", "ladder-workflow-down", "ladder-model-after-escalate", "ladder-workflow-after-escalate",
    "ladder-model-strangers", "ladder-of-the-other-ladder", "ladder-confidence-general-below-the-limit",
    "ladder-confidence-critical-at-the-limit", "ladder-confidence-recovery-strategy-above-the-limit",
    "ladder-confidence-between-the-limits", "ladder-confidence-that-is-none", "ladder-failures-2", "ladder-failures-3",
    "ladder-failures-4", "ladder-security-critical", "ladder-irreversible-rollback-none",
    "ladder-irreversible-rollback-unknown", "ladder-irreversible-rollback-clear", "ladder-triggers-all",
)  # fmt: skip
# faults of content have nothing to strike where nothing is kept, and what a hook is told is not this system's
ELSEWHERE = ("jsonl", "json_document", "syscall")


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_has_a_scenario(boundary):
    assert boundary in {scenario.id for scenario in FIRST}


def test_every_scenario_of_the_second_level_begins_in_calm_weather_and_ends_in_the_same():
    for scenario in SCENARIOS:
        if scenario.level == "L2":
            assert WHOLE == scenario.steps[: len(WHOLE)], scenario.id
            assert WHOLE in (scenario.steps[-len(WHOLE) :], scenario.steps[-len(WHOLE) - 1 : -1]), scenario.id


def test_every_fault_that_can_stand_strikes_in_some_scenario():
    struck = {step.fault.name for scenario in SCENARIOS for step in scenario.steps if step.fault is not None}
    left = {kind.name for kind in catalogue.EVERY} - struck
    streams = {f"environment.{name}" for name in ("stdin_closed", "stdout_closed", "stdout_full", "stdout_slow")}
    kept = {
        f"filesystem.{kind}"
        for kind in (
            "empty",
            "directory",
            "fifo",
            "aged",
            "garbled",
            "busy",
            "full_device",
            "parent_missing",
            "growing",
        )
    }  # what stands where a file is expected: nobody expects one
    others = {"identifier.other_session"}
    assert streams | kept | others == {name for name in left if not name.startswith(ELSEWHERE)}


def test_every_operation_is_explored():
    assert {"next", "escalation"} == {operation.name for operation in STRUCK.values()}
    assert 8 == sum(step.explore is not None for scenario in SCENARIOS for step in scenario.steps)


def test_the_reference_gives_what_is_allowed_and_shows_what_each_scenario_of_l1_is_meant_for():
    with opened(SYSTEM) as session:
        for scenario in FIRST:
            history, findings = judged(SYSTEM, scenario, session)
            assert set(scenario.clauses) <= passing(findings), scenario.id
            assert [] == [each for each in findings if each.verdict is not CheckVerdict.PASS], scenario.id
            assert is_allowed(scenario, history.entries[-1].value), scenario.id


def test_the_reference_breaks_nothing_under_faults_that_this_process_can_meet():
    with opened(SYSTEM) as session:
        for scenario in SCENARIOS:
            if scenario.level == "L2":
                _, findings = judged(SYSTEM, scenario, session)
                assert set() == failing(findings), scenario.id


@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if mutant.level == "L1"])
def test_a_mutant_dies_under_exactly_its_own_clause(name):
    """Somewhere it breaks that clause and no other: what a wrong tunable leads to may break others elsewhere."""
    broken = []
    with opened(SYSTEM, name) as session:
        for scenario in FIRST:
            broken.append(failing(judged(SYSTEM, scenario, session)[1]))
            if broken[-1] == {MUTANTS[name].clause}:
                return
    assert {MUTANTS[name].clause} in broken


@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if mutant.level != "L1"])
def test_a_mutant_of_a_higher_level_is_sound_in_calm_weather(name, monkeypatch, tmp_path):
    monkeypatch.setattr(weather, "PLACE", str(tmp_path))
    with opened(SYSTEM, name) as session:
        for scenario in FIRST:
            assert set() == failing(judged(SYSTEM, scenario, session)[1]), scenario.id


def test_every_must_clause_has_mutants_on_the_first_two_levels():
    for level in ("L1", "L2"):
        assert set(MUSTS) == {mutant.clause for mutant in MUTANTS.values() if mutant.level == level}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_overrides_exactly_one_attribute(name):
    own = [attribute for attribute in vars(MUTANTS[name].changed) if not attribute.startswith("__")]
    assert 1 == len(own)


def test_there_is_no_mutant_of_another_name():
    with pytest.raises(Exception, match="no fallback mutant"):
        SYSTEM.mutants.create_mutant("none", SYSTEM.contract.Configuration("/home"))


# -- implementations that do not do their job


class Degenerate:
    """It says the same, whatever is asked."""

    def __init__(self, following, escalation):
        self._answers = {"next": following, "escalation": escalation}

    def __getattr__(self, operation):
        answer = self._answers[operation]
        return lambda args, now_s: answer(args)


def always(following, *triggers, escalate=None):
    result = {"escalate": bool(triggers) if escalate is None else escalate, "triggers": list(triggers)}
    return Degenerate(lambda args: {"next": following}, lambda args: result)


def echo():
    return Degenerate(lambda args: {"next": args["current"], **args}, lambda args: {"escalate": bool(args), **args})


def raising():
    def no(args):
        raise RuntimeError("no")

    return Degenerate(no, no)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: always("escalate", *Trigger), id="always a human, for every reason"),
        pytest.param(lambda: always("escalate", escalate=True), id="always a human, for none"),
        pytest.param(lambda: always("sonnet"), id="always sonnet, never a human"),
        pytest.param(lambda: Degenerate(lambda args: {}, lambda args: {}), id="empty answers"),
        pytest.param(echo, id="echo"),
        pytest.param(raising, id="raises"),
    ],
)
def test_who_does_not_do_the_job_passes_no_must_clause(make):
    broken = set()
    with Refusing("ladder", lambda config: make()) as session:
        for scenario in FIRST:
            broken |= failing(judged(SYSTEM, scenario, session)[1])
    assert set(MUSTS) <= broken


# -- search

CASES = 40


@pytest.mark.parametrize("name", ["opus-again", "third-failure-only"])
def test_search_finds_a_mutant_and_makes_its_failure_small(name):
    with opened(SYSTEM, name) as session:
        found, _ = search(SYSTEM, session, "ladder", (), 1, CASES, lambda: False, shrinks=CASES)
    assert [(MUTANTS[name].clause,)] == [scenario.clauses for scenario in found]
    assert 4 >= len(found[0].steps)


def test_search_finds_nothing_wrong_with_the_reference():
    with opened(SYSTEM) as session:
        found, cases = search(SYSTEM, session, "ladder", (), 3, CASES, lambda: False)
    assert [] == found
    assert cases >= CASES


def test_the_same_seed_draws_the_same_cases():
    def drawn():
        seen = []
        with opened(SYSTEM) as session:
            search(SYSTEM, session, "ladder", (), 5, 10, lambda: False, lambda scenario, history: seen.append(scenario))
        return [msgspec.json.encode(scenario) for scenario in seen]

    assert drawn() == drawn()
