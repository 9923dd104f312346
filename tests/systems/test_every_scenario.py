"""What holds for the scenarios of every system that keeps files, and that its reference agrees with each of them."""

import functools
import itertools
from importlib import import_module
from random import Random
from typing import NamedTuple

import pytest
from campaigns import sliced
from played import served
from scenario_checks import (
    after_last_reset,
    assert_breaks_nothing,
    assert_witnessed,
    explored_steps,
    faults_of,
    is_allowed,
    is_refused,
    operations,
    widths,
)

from harness.core.clause import Level
from harness.faults import catalogue
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.player import play


class Own(NamedTuple):
    """What the scenarios of one system have that those of others have not."""

    steps_room: str
    refused_arguments: tuple[str, ...]
    ends_candidates: str
    explored: frozenset[str]
    ordered: frozenset[int]
    at_once: frozenset[int] = frozenset({2, 3, 8})


OWN = {
    "circuit_breaker": Own(
        "breaker_steps", ("breaker-l2-name", "breaker-l2-call"), "acquire",
        frozenset({"acquire", "record", "capacity"}), frozenset({2}),
    ),
    "diagnosis": Own(
        "diagnosis_steps", ("diagnosis-l2-call",), "observe", frozenset({"observe", "outcome"}), frozenset({2}),
        frozenset({2, 3}),
    ),
    "error_log": Own(
        "error_log_steps", ("log-l2-name",), "handle",
        frozenset({"log", "handle", "recover", "begin", "set_fix_status", "read", "resume"}), frozenset({2, 3}),
    ),
    "dead_letter": Own(
        "dead_letter_steps", ("dlq-l2-task",), "list",
        frozenset(registry.get("dead_letter").contract.OPERATIONS), frozenset({2}), frozenset({2, 8}),
    ),
    "signals": Own(
        "signal_steps", ("signals-l2-task",), "assess",
        frozenset(registry.get("signals").contract.OPERATIONS) - {"drifts", "assess", "decide", "remove_friction"},
        frozenset({2, 3}),
    ),
    "session_recovery": Own(
        "session_steps", ("session-l2-worker",), "begin_operation",
        frozenset(registry.get("session_recovery").contract.OPERATIONS), frozenset({2}),
    ),
    "rationalization": Own(
        "watch_steps", ("watch-l2-text", "watch-l2-agent", "watch-l2-action"), "enforce",
        frozenset({"enforce", "attempts", "scan", "assess"}), frozenset({2, 3}),
    ),
    "review_gate": Own(
        "gate_steps", ("review-l2-reviewer",), "begin_task",
        frozenset(registry.get("review_gate").contract.OPERATIONS), frozenset({2}),
    ),
    "phase_runner": Own(
        "phase_steps", ("phases-l2-phase",), "report",
        frozenset(registry.get("phase_runner").contract.OPERATIONS), frozenset({2}),
    ),
}  # fmt: skip
SHARDS = 8
NO_OPERATION_SHOWS = {"DR-MET-01"}  # a share of many recoveries
# what none of them has, or what the protocol needs itself; collaborators are scripted by arguments
ELSEWHERE = ("network.", "collaborator.", "syscall.", "environment.std")
NOT_KEPT = {
    "diagnosis": ("json_document.", "filesystem.parent_missing", "filesystem.file_for_directory"),
    "signals": (),
    "rationalization": ("json_document.",),
}
NO_LINES_ARE_KEPT = ("jsonl.",)
CONTROL_SHOWS_L1 = {"circuit_breaker", "diagnosis"}
MEANT_BEYOND_MUST = {"dead_letter", "signals"}


@functools.cache
def of_levels(name, *levels):
    return [each for each in registry.get(name).workload.boundaries() if each.level in levels]


def control(name):
    room = import_module(f"harness.systems.{name}.workload.{OWN[name].steps_room}")
    return room.Story().control().steps


def is_served(name, scenario):
    """In this process nothing stands between a caller and the reference that could refuse arguments."""
    refused = [f"{each}-{kind}" for each in OWN[name].refused_arguments for kind in ("absent", "null", "wrong-type")]
    return scenario.id not in refused


@pytest.fixture(params=OWN)
def name(request):
    return request.param


def test_every_clause_that_an_operation_shows_is_named(name):
    named = {clause for scenario in of_levels(name, "L1", "L2", "L3") for clause in scenario.clauses}
    assert {clause.id for clause in registry.get(name).catalogue} - NO_OPERATION_SHOWS == named


def test_every_scenario_has_the_control_before_everything_else(name):
    steps = control(name)
    levels = ("L2", "L3") if name == "circuit_breaker" else ("L1", "L2", "L3")  # a breaker of L1 may have it at the end
    for scenario in of_levels(name, *levels):
        assert steps == scenario.steps[: len(steps)], scenario.id


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_every_operation_is_asked_for_on_every_level(name, level):
    assert set(registry.get(name).contract.OPERATIONS) == {each.name for each in operations(of_levels(name, level))}


def test_two_and_more_processes_ask_at_once(name):
    assert OWN[name].at_once <= widths(of_levels(name, "L1"))


@pytest.mark.parametrize("own", [each for each in OWN if each != "diagnosis"])
def test_every_scenario_of_the_second_level_meets_a_fault_or_a_move_of_the_clock_after_its_control(own):
    for scenario in of_levels(own, "L2"):
        assert faults_of(scenario) or "moved" in scenario.id, scenario.id


def test_what_reads_or_writes_is_struck_and_writers_are_ordered(name):
    after = explored_steps(of_levels(name, "L3"))
    assert OWN[name].explored == {step.op.name for step in after if step.op is not None}
    assert OWN[name].ordered == {len(step.schedule.together) for step in after if step.schedule is not None}


def test_every_fault_that_can_be_met_strikes_in_some_scenario(name):
    struck = set().union(*map(faults_of, of_levels(name, "L2")))
    left = {kind.name for kind in catalogue.EVERY} - struck
    elsewhere = (*ELSEWHERE, *NOT_KEPT.get(name, NO_LINES_ARE_KEPT))
    assert set() == {each for each in left if not each.startswith(elsewhere)}


@pytest.mark.parametrize("shard", sliced(range(SHARDS)))
def test_the_reference_gives_what_is_allowed_and_breaks_nothing_in_process(name, shard):
    """What this process cannot meet comes back not armed; it is judged by `certify reference`."""
    system = registry.get(name)
    with DirectSession(system.contract.PROFILES[0], served(system)) as session:
        for scenario in of_levels(name, "L1", "L2")[shard::SHARDS]:
            if not is_served(name, scenario):
                continue
            history = play(scenario, session, system.inputs_of)
            assert is_allowed(scenario, history.entries[-1].value), (scenario.id, history.entries[-1].value)
            assert_breaks_nothing(system, scenario, history)
            if not is_refused(history):
                whole = name in CONTROL_SHOWS_L1 and scenario.level == "L1"
                assert_witnessed(system, scenario, history if whole else after_last_reset(history))


def test_a_candidate_has_the_control_an_end_and_at_most_one_fault(name):
    system = registry.get(name)
    candidates = import_module(f"harness.systems.{name}.workload.candidates")
    profile = system.contract.PROFILES[0]
    judged = system.catalogue.judged_in(profile)
    known = {clause.id for clause in judged if clause.level is Level.MUST or name in MEANT_BEYOND_MUST}
    names, steps = [kind.name for kind in catalogue.EVERY], control(name)
    for candidate in itertools.islice(candidates.candidates(profile, Random(7), names, calm=True), 60):
        assert steps == candidate.steps[: len(steps)]
        assert OWN[name].ends_candidates == candidate.steps[-1].op.name
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set(candidates.meant(candidate)) <= known
