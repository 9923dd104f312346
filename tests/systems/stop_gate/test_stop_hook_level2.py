"""The L2 scenarios of the profile stop_hook: complete, calm first, and each stop made twice. Source: CERTIFICATION.md."""

from collections import Counter

import pytest

from harness.core.clause import Level
from harness.core.scenario import dump, load
from harness.faults import catalogue as faults
from harness.systems import registry
from harness.systems.stop_gate.contract import STOP_HOOK
from harness.systems.stop_gate.workload import boundaries
from harness.systems.stop_gate.workload.stop_tours import Cast

HOOKS = [scenario for scenario in boundaries() if scenario.profile == STOP_HOOK]
LEVEL2 = [scenario for scenario in HOOKS if scenario.level == "L2"]
CATALOGUE = registry.get("stop_gate").catalogue
BUDGET = 160  # files: a certified hook is started some nine times for each
ONCE = ("collaborator.hangs", "collaborator.slow", "jsonl.grown")  # each stop may cost a hook its whole time
# a hook is started anew at every stop
NO_PROCESS = {"process.restarted"}
AS_WELL = {
    "filesystem.aged",  # an hour passes in the clock's scenarios
    "json_document.empty",  # filesystem.empty, where a hook may have no configuration that could lose its bytes
}


def flat(steps):
    for step in steps:
        if step.repeat is not None:
            yield from flat(step.repeat.steps)
        else:
            yield step


def stops(scenario):
    for step in flat(scenario.steps):
        operations = step.schedule.together if step.schedule else (step.op,) if step.op else ()
        yield from (operation for operation in operations if operation.name == "stop")


def faults_in(scenario):
    return {step.fault.name for step in flat(scenario.steps) if step.fault}


def test_every_fault_that_a_process_can_meet_stands_in_a_scenario():
    struck = set().union(*map(faults_in, LEVEL2))
    enumerated = {kind.name for kind in faults.EVERY if kind.name.startswith("syscall.")}  # at L3, and in no file
    assert {kind.name for kind in faults.EVERY} - NO_PROCESS - AS_WELL - enumerated == struck


@pytest.mark.parametrize("clause", [c.id for c in CATALOGUE.judged_in(STOP_HOOK) if c.level is Level.MUST])
def test_every_must_of_the_profile_is_named_at_level_two(clause):
    assert [scenario.id for scenario in LEVEL2 if clause in scenario.clauses]


def test_the_level_stands_in_the_name_and_the_number_of_files_is_bounded():
    assert {True} == {scenario.id.startswith("hook-l2-") for scenario in LEVEL2}
    assert not [scenario.id for scenario in HOOKS if scenario.level == "L1" and "-l2-" in scenario.id]
    assert len(LEVEL2) <= BUDGET


@pytest.mark.parametrize("scenario", HOOKS, ids=lambda scenario: scenario.id)
def test_every_scenario_says_what_its_last_stop_may_answer(scenario):
    last = list(flat(scenario.steps))[-1]
    assert last.schedule or (last.op and last.op.name == "stop")
    assert scenario.allowed
    assert all(set(result) == {"decision"} for result in scenario.allowed)
    deserves = list(stops(scenario))[-1].args.get("deserves")
    if deserves == "approve" and "torn-tail" not in scenario.id and "interleaved" not in scenario.id:
        assert ({"decision": "approve"},) == scenario.allowed
    assert scenario == load(dump(scenario), where=scenario.id)


@pytest.mark.parametrize("scenario", LEVEL2, ids=lambda scenario: scenario.id)
def test_both_sessions_come_first_in_calm_weather(scenario):
    before = []
    for step in scenario.steps:
        if step.op is None:
            continue
        if step.op.name == "reset":
            break
        before.append(step.op.args)
    assert {"control"} == {args["role"] for args in before}
    assert {"approve", "block"} == {args["deserves"] for args in before}


@pytest.mark.parametrize("scenario", LEVEL2, ids=lambda scenario: scenario.id)
def test_a_stop_under_a_fault_is_followed_by_another(scenario):
    struck = faults_in(scenario)
    later = [op for op in stops(scenario) if op.args.get("role") != "control"]
    if struck and not struck & set(ONCE) and scenario.group is None:
        assert len(later) > 1


def test_sessions_of_a_scenario_are_its_own_and_the_same_in_every_process():
    first, second = Cast.of("one"), Cast.of("two")
    assert Cast.of("one") == first
    ids = Counter(
        session for cast in (first, second) for session in (cast.finished.session_id, cast.unfinished.session_id)
    )
    assert {1} == set(ids.values())
    for path in first.files:
        assert path.startswith("{home}/.claude/projects/")
    own = [scenario for scenario in LEVEL2 if "{semaphore}" not in str(scenario.steps)]
    paths = [path for scenario in own for path, spec in scenario.world.files.items() if spec.sample == "approve"]
    assert len(paths) == len(set(paths)) >= len(own) - 1
