"""The workload of phase runners: plans, who runs next, what sub-agents say, and the stories of document 003.

Source: issue 8, 2 (random plans, scripted results, crashes and resumes, hand-edited state, any order), and its bad
input; document 003, Recovery Scenarios.
"""

import itertools
import json
from random import Random

import msgspec
import pytest
from machine_checks import Recording
from scenario_checks import asked_in, faults_of, operations

from harness.core.scenario import dump
from harness.systems.phase_runner.contract import (
    GateResult,
    SubagentResult,
    ids_in,
    inputs_of,
)
from harness.systems.phase_runner.contract.records import ConfigRecord, PhaseRecord
from harness.systems.phase_runner.contract.words import (
    CONFIG_PATH,
    PHASES_DIRECTORY,
    RETRYABLE,
    STATE_DIRECTORY,
    CommitMode,
    FailureType,
    Gate,
    Mode,
    Status,
    normalised,
    phase_path,
)
from harness.systems.phase_runner.workload import boundaries, machine
from harness.systems.phase_runner.workload.course import Course
from harness.systems.phase_runner.workload.fresh_boundaries import CORRUPT
from harness.systems.phase_runner.workload.phase_steps import Story
from harness.systems.phase_runner.workload.plan_boundaries import CYCLES
from harness.systems.phase_runner.workload.plans import (
    CHAIN,
    DIAMONDS,
    EXAMPLE,
    FORK,
    ONE,
    PAIR,
    Phase,
    Plan,
    batch,
    chain,
    layered,
    table,
    tangled,
)
from harness.systems.phase_runner.workload.results import BROKEN, SAID_FAILURES, claimed, failed, gates
from harness.systems.phase_runner.workload.retry_boundaries import NO_RESULTS
from harness.systems.phase_runner.workload.run_boundaries import MANY_PHASES
from harness.systems.phase_runner.workload.state_files import left_behind

SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
BY_ID = {each.id: each for each in SCENARIOS}
LONGEST_FILE = 300_000
LONG_FILE = 120_000
PLANS = [ONE, CHAIN, PAIR, EXAMPLE, FORK, DIAMONDS, chain(12), batch(8)]
BY_CHANCE = [
    *(layered(Random(seed), 20, 5) for seed in range(30)),
    *(tangled(Random(seed), 20) for seed in range(30)),
]


# -- plans and who runs next


@pytest.mark.parametrize("plan", [*PLANS, *BY_CHANCE])
def test_a_run_launches_every_phase_once_after_what_it_waits_for_and_beside_its_batch(plan):
    course = Course(plan)
    done = set()
    for members in course.batches():
        assert set() == done & set(members)
        assert all(done >= set(plan.depends_on(each)) for each in members)
        assert all(members == plan.batch_of(each) for each in members)
        done |= set(members)
    assert set(plan.ids) == done


@pytest.mark.parametrize("plan", [*PLANS, *BY_CHANCE])
def test_neighbours_name_each_other_and_the_text_has_every_id_in_order(plan):
    for phase in plan.phases:
        for other in phase.parallel_with:
            assert phase.phase_id in map(normalised, plan.phase(normalised(other)).parallel_with)
    assert list(plan.ids) == [each for each in ids_in(plan.text) if each in plan.ids]


def test_plans_by_chance_have_batches_singles_and_several_ready_at_once():
    widths = {len(members) for plan in BY_CHANCE for members in Course(plan).batches()}
    assert {1, 2, 3, 4, 5} <= widths
    assert any(sum(not plan.depends_on(each) for each in plan.ids) > 2 for plan in BY_CHANCE)
    assert tangled(Random(3), 30).text == tangled(Random(3), 30).text


def test_of_several_that_are_ready_the_first_runs_and_a_batch_waits_for_its_last_member():
    assert [("0",), ("1",), ("2",), ("3",)] == list(Course(FORK).batches())
    late = Plan(Phase("1", "A", (), ("2",)), Phase("2", "B", ("0",), ("1",)), Phase("0", "C"))
    assert [("0",), ("1", "2")] == list(Course(late).batches())


def test_what_is_done_is_not_launched_again_and_the_rest_of_its_batch_is():
    assert [("2a", "2c"), ("3",)] == list(Course(EXAMPLE, {"0", "1", "2b"}).batches())


def test_nothing_is_launched_where_nothing_can_be():
    for word, _, bad, good in CYCLES:
        assert len(bad.ids) > sum(map(len, Course(bad).batches())), word
        assert set(good.ids) == {each for members in Course(good).batches() for each in members}, word


def test_bars_in_names_are_escaped_and_columns_are_in_the_order_that_is_wanted():
    assert r"| 1 | a \| b |" in table([Phase("1", "a | b")])
    assert table([Phase("1", "a", ("0",))], ("Depends On", "Phase", "Owner")).endswith("| 0 | 1 | Owner of 1 |\n")


# -- results


@pytest.mark.parametrize("kind", [*SAID_FAILURES, FailureType.DEPENDENCY_MISSING])
def test_what_a_sub_agent_says_has_the_form_of_the_contract_but_for_nonsense(kind):
    if kind is FailureType.PARSE_ERROR:
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(failed(kind), type=SubagentResult)
        return
    result = msgspec.json.decode(failed(kind), type=SubagentResult)
    assert not result.success
    broken = [gate for gate, found in result.gates.items() if found.exit_code != 0]
    assert [gate for gate in Gate if kind == f"{gate}_error" or (gate, kind) == (Gate.TEST, "test_failure")] == broken
    assert (kind is FailureType.DEPENDENCY_MISSING) == (result.missing is not None)
    assert (kind is FailureType.TASK_INCOMPLETE) == (result.tasks_completed < result.tasks_total)


def test_a_claim_has_files_and_a_commit_of_its_phase():
    result = msgspec.json.decode(claimed("2a"), type=SubagentResult)
    assert (True, "src/2a/index.ts", "feat(2a): add it") == (
        result.success,
        result.created[0].path,
        result.commit_subject,
    )


@pytest.mark.parametrize("gate", Gate)
def test_what_gates_find_has_the_form_of_the_contract(gate):
    found = msgspec.convert(gates(gate), dict[Gate, GateResult])
    assert {gate} == {each for each, result in found.items() if result.exit_code != 0 or result.failures}
    assert found[gate].failures == tuple(msgspec.convert(BROKEN[gate]["failures"], list[type(found[gate].failures[0])]))


@pytest.mark.parametrize(("word", "text"), [(word, text) for word, _, text in NO_RESULTS])
def test_what_is_to_be_no_result_is_none(word, text):
    with pytest.raises((msgspec.DecodeError, RecursionError)):
        msgspec.json.decode(text, type=SubagentResult)


# -- state that an earlier run left


def test_records_that_are_left_are_those_of_the_contract():
    statuses = dict(zip(EXAMPLE.ids, [*Status, Status.PENDING], strict=True))
    files = left_behind(EXAMPLE, statuses)
    for phase_id, status in statuses.items():
        record = msgspec.json.decode(files[phase_path(phase_id)].text, type=PhaseRecord)
        assert (phase_id, status) == (record.phase_id, record.status)
        assert EXAMPLE.depends_on(phase_id) == record.dependencies.depends_on
        assert set(EXAMPLE.blocks(phase_id)) == set(record.dependencies.blocks)
    config = msgspec.json.decode(files[CONFIG_PATH].text, type=ConfigRecord)
    assert (6, 1, 1, 4) == (config.phases.total, config.phases.completed, config.phases.failed, config.phases.pending)


@pytest.mark.parametrize(("word", "text"), [(word, text) for word, _, text in CORRUPT])
def test_a_corrupt_record_lacks_what_a_valid_one_has(word, text):
    required = {"phase_id", "phase_name", "status", "attempt", "max_attempts"}
    try:
        found = json.loads(text)
    except ValueError:
        return
    valid = isinstance(found, dict) and required <= found.keys() and found["status"] in list(Status)
    assert not valid


# -- scenarios


@pytest.mark.parametrize(
    "name",
    [
        "resume-after-fix", "halt-document", "waits-document", "by-hand-document", "conflict-document",
        "missing-document", "cycle-document", "corrupt-truncated", "fresh-commits-auto", "retries-second-fails",
    ],
)  # fmt: skip
def test_every_story_of_the_document_is_told(name):
    assert f"phases-{name}" in BY_ID


@pytest.mark.parametrize(
    "name",
    [
        "no-plan-empty", "no-plan-no-rows", "cycle-two", "plan-escaped-bars", "no-plan-two-tables",
        "plan-reversed-columns", "plan-crlf", "id-unicode", "large-ten-thousand", "report-unknown", "report-complete",
        "report-not-launched", "twice-claim", "twice-failure", "backwards", "crossed", "config-newer", "link-outside",
    ],
)  # fmt: skip
def test_every_bad_input_of_the_issue_is_given(name):
    assert f"phases-{name}" in BY_ID


def test_every_scenario_ends_in_an_operation():
    assert [] == [each.id for each in SCENARIOS if not asked_in(each.steps[-1])]


def test_the_same_chance_builds_the_same_scenarios():
    assert SCENARIOS == boundaries()


def test_every_type_of_failure_comes_once_and_twice():
    for kind in RETRYABLE:
        word = kind.replace("_", "-")
        assert {f"phases-{name}-{word}" for name in ("retry", "twice", "waits")} <= BY_ID.keys()


def test_plans_are_started_in_every_mode_with_every_way_to_commit_with_and_without_commands():
    starts = [each.args for each in operations(OF_LEVEL["L1"], "start")]
    modes = {frozenset(each.get("modes", ())) for each in starts}
    assert {frozenset(some) for some in [(), ["resume"], ["fresh"], ["resume", "fresh"], ["default", "fresh"]]} <= modes
    assert set(CommitMode) <= {each.get("commit_mode") for each in starts}
    assert {True, False} == {bool(each["commands"]) for each in starts}


def test_only_the_plan_of_ten_thousand_makes_a_long_file_and_it_has_them_all():
    sizes = {each.id: len(msgspec.json.encode(each)) for each in SCENARIOS}
    assert ["phases-large-ten-thousand"] == [name for name, size in sizes.items() if size > LONG_FILE]
    assert len(dump(BY_ID["phases-large-ten-thousand"])) < LONGEST_FILE
    (plan,) = {
        each.args["plan"]
        for each in operations([BY_ID["phases-large-ten-thousand"]], "start")
        if "9999" in each.args["plan"]
    }
    assert [str(number) for number in range(MANY_PHASES)] == [each for each in ids_in(plan) if each.isdecimal()]


def test_there_are_plans_of_hundreds_of_phases():
    phases = [len(ids_in(each.args["plan"])) for each in operations(OF_LEVEL["L1"], "start")]
    assert len({count for count in phases if 120 <= count <= 400}) >= 2


def test_a_run_is_cut_off_after_each_of_its_operations():
    cut = [each for name, each in BY_ID.items() if name.startswith("phases-cut-after-")]
    lengths = [[step.fault is not None for step in each.steps].index(True) for each in cut]
    assert lengths == list(range(min(lengths), min(lengths) + len(cut)))
    assert {"process.restarted"} == set().union(*map(faults_of, cut))


def test_reports_of_a_batch_come_in_either_order_and_at_once():
    told = [
        [
            step.op.args["phase_id"]
            for step in BY_ID[f"phases-order-{name}-whole"].steps
            if step.op and step.op.name == "report"
        ]
        for name in ("a-then-b", "b-then-a")
    ]
    first, second = ([each for each in ids if each in ("1a", "1b")] for ids in told)
    assert first == second[::-1]


def test_state_is_damaged_removed_newer_and_led_out_of_the_tree():
    worlds = [each.world.files for each in OF_LEVEL["L1"]]
    links = [
        file for files in worlds for path, file in files.items() if path == STATE_DIRECTORY and file.kind == "symlink"
    ]
    assert {"{outside}/precious", "{outside}/nothing"} <= {link.target for link in links}
    versions = {json.loads(files[CONFIG_PATH].text).get("version") for files in worlds if _has_object(files)}
    assert {"1.0", "99.0"} <= versions
    struck = {(step.fault.name, step.fault.path) for each in OF_LEVEL["L1"] for step in each.steps if step.fault}
    assert {("filesystem.missing", phase_path("1")), ("json_document.truncated", phase_path("1"))} <= struck
    assert {status.value for status in Status} <= {
        json.loads(file.text).get("status")
        for files in worlds
        for path, file in files.items()
        if path.startswith(PHASES_DIRECTORY) and _is_object(file.text)
    }


def _has_object(files):
    return CONFIG_PATH in files and _is_object(files[CONFIG_PATH].text)


def _is_object(text):
    try:
        return isinstance(json.loads(text or ""), dict)
    except ValueError:
        return False


def test_the_record_of_a_launch_of_a_retry_and_of_what_comes_of_it_cannot_be_written():
    struck = [(step.fault.path, each.id) for each in OF_LEVEL["L2"] for step in each.steps if step.fault is not None]
    busy = {(path, name.rpartition("-")[2]) for path, name in struck if "-busy" in name}
    assert {(phase_path("2"), "busy"), (phase_path("10"), "before"), (phase_path("10"), "meanwhile")} <= busy


def test_nothing_is_asked_of_records_that_the_harness_does_not_show():
    for each in operations(SCENARIOS, "status"):
        assert len(set(each.args.get("of", ()))) <= len(inputs_of("status", each.args)) - 3


def test_every_write_of_the_state_is_struck_at_every_call_and_loses_power():
    struck = {
        (each.steps[number + 1].op.name, kind)
        for each in OF_LEVEL["L3"]
        for number, step in enumerate(each.steps)
        if step.explore is not None and each.steps[number + 1].op is not None
        for kind in step.explore.kinds
    }
    kinds = ("errno", "killed", "torn", "power")
    assert set(itertools.product(("start", "report", "verified"), kinds)) <= struck


# -- what is told, and what the machine does


def told(story):
    return [(step.op.name, step.op.args.get("phase_id"), step.op.args.get("attempt")) for step in story.steps]


def test_a_run_is_told_batch_by_batch_claims_before_their_verifications():
    ran = [name for name, *_ in told(Story().run(PAIR))]
    assert ["report", "report", "verified", "verified", "report", "verified"] == ran


def test_a_run_in_any_order_tells_everything_once_and_no_verification_before_its_claim():
    for seed in range(20):
        steps = told(Story().run_in_any_order(EXAMPLE, Random(seed)))
        assert sorted((name, each, 1) for each in EXAMPLE.ids for name in ("report", "verified")) == sorted(steps)
        assert all(steps.index(("report", each, 1)) < steps.index(("verified", each, 1)) for each in EXAMPLE.ids)


def test_what_is_finished_is_told_until_the_run_is_complete_in_either_attempt():
    (step,) = Story().finish(CHAIN).steps
    assert {"completed": True} == step.repeat.until
    inner = {(each.op.name, each.op.args["phase_id"], each.op.args["attempt"]) for each in step.repeat.steps}
    assert set(itertools.product(("report", "verified"), CHAIN.ids, (1, 2))) == inner


def test_both_attempts_of_every_type_are_told_as_the_protocol_has_them():
    steps = told(Story().fail_twice("0", FailureType.VERIFICATION_MISMATCH))
    assert [("report", "0", 1), ("verified", "0", 1), ("report", "0", 2), ("verified", "0", 2)] == steps
    (step,) = Story().fail("0", FailureType.TIMEOUT).steps
    assert ("said" in step.op.args, step.op.args["elapsed_s"]) == (False, 600.0)


LAUNCHED = {"accepted": True, "launch": [{"kind": "phase", "phase_id": "7", "attempt": 2}]}


def test_the_machine_reports_what_was_launched():
    driven = machine("runner", ())(Recording(LAUNCHED))
    driven.start((Mode.RESUME,), CommitMode.AUTO, 0)
    driven.fail_all(FailureType.TIMEOUT)
    start, report = driven._driver.steps
    assert (["resume"], "start") == (start.op.args["modes"], start.op.name)
    assert ("report", "7", 2) == (report.op.name, report.op.args["phase_id"], report.op.args["attempt"])


@pytest.mark.parametrize(
    "launch", [None, 3, [None], [{"kind": "phase"}], [{"kind": 1, "phase_id": [], "attempt": "x"}]]
)
def test_the_machine_takes_no_nonsense_for_a_launch(launch):
    driven = machine("runner", ())(Recording({"accepted": True, "launch": launch}))
    driven.look(True, 0)
    driven.end_all_well()
    assert ["status"] == [step.op.name for step in driven._driver.steps]


def test_the_machine_verifies_what_was_claimed_and_asks_of_many_at_once():
    driven = machine("runner", ())(Recording({"launch": [{"kind": "verification", "phase_id": "0"}]}))
    driven.look(False, 1)
    driven.together(8)
    driven.end_all_well()
    together, *others = driven._driver.steps[1:]
    assert 8 == len(together.schedule.together)
    assert {("verified", "0", 1)} == {
        (step.op.name, step.op.args["phase_id"], step.op.args["attempt"]) for step in others
    }
