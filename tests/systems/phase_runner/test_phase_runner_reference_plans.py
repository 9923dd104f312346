"""Plans as people write them, and those of which no phase runs."""

import os
import shutil

import pytest
from phase_runner_reference_world import CHAIN, DIAMOND, HEAD, World, codes, kinds, plan

from harness.ports.files import RealFiles
from harness.systems.phase_runner.contract.words import (
    CONFIG_PATH,
    STATE_DIRECTORY,
    FailureType,
    Problem,
    normalised,
    phase_path,
)
from harness.systems.phase_runner.reference.graph import GraphChecks
from harness.systems.phase_runner.reference.plan import InvalidPlanError, PlannedPhase, PlanReader


def read(text):
    return PlanReader().phases(text)


def refused(text):
    with pytest.raises(InvalidPlanError) as caught:
        GraphChecks().check(read(text))
    return caught.value.error


def test_a_table_is_read_in_its_order_with_normalised_ids():
    assert read(plan([("Phase 0",), ("Phase 2-A", "Phase 0", "2B, 2-c"), ("PHASE 2b", "0,0", "2a"), ("2c", "-", "")])) == (
        PlannedPhase("0", "Name of Phase 0"),
        PlannedPhase("2a", "Name of Phase 2-A", ("0",), ("2b", "2c")),
        PlannedPhase("2b", "Name of PHASE 2b", ("0",), ("2a",)),
        PlannedPhase("2c", "Name of 2c"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff| STATUS | depends on | Owner | Name | parallel WITH | Phase | Estimate |\n|:-|-:|:-:|-|-|-|-|\n| x | 0 | me | N | - | 1 | 2h |\n",
        "# Plan\r\n\r\nPhase | Name | Depends On | Parallel With | Estimate | Status\r\n--- | --- | --- | --- | --- | ---\r\n1 | N | 0 | - | 1h | -\r\n\r\nEnd | of it\r\n",
        "Words\rPhase|Name|Depends On|Parallel With|Estimate|Status\r-|-|-|-|-|-\r1|N|0\r",
        "| Phase | Name | Depends On | Parallel With | Estimate | Status | Phase |\n|-|-|-|-|-|-|-|\n| 1 | N | 0 | - | - | - | 9 | 10 |\nno table any more\n",
    ],
    ids=["other order", "crlf and no outer bars", "cr and missing cells", "twice named and surplus cells"],
)
def test_a_table_is_read_however_it_is_written(text):
    assert read(text) == (PlannedPhase("1", "N", ("0",)),)


def test_a_bar_after_a_backslash_is_part_of_a_cell():
    assert read(HEAD + r"| 1 | a \| b | - | - | - | - |") == (PlannedPhase("1", "a | b"),)


@pytest.mark.parametrize(
    "code",
    [
        f"```\n{plan(CHAIN)}```\n",
        f"~~~ markdown\n{plan(CHAIN)}```\n~~~~\n",
        "".join(f"    {line}\n" for line in plan(CHAIN).splitlines()),
        "| Tool | Version |\n|---|---|\n| a | 1 |\n\n",
        "``` a ``` | b\n",
        "no bar\n|---|\n\n| a |\n\n",
        "| a | b |\n|---|\n\n| a |\n| b |\n\n",
    ],
    ids=["fence", "tildes", "indented", "other table", "code in a line", "no heading", "no delimiters"],
)
def test_what_is_no_plan_beside_one_changes_nothing(code):
    assert [each.phase_id for each in read(code + plan(DIAMOND))] == ["0", "2a", "2b", "3"]


@pytest.mark.parametrize(
    ("text", "problem", "phases"),
    [
        ("", Problem.NO_TABLE, ()),
        ("Some words\n\n| Tool | Version |\n|---|---|\n| a | 1 |\n", Problem.NO_TABLE, ()),
        (f"```\n{plan(CHAIN)}", Problem.NO_TABLE, ()),
        (f"{plan(CHAIN)}\n\n{plan(DIAMOND)}", Problem.SEVERAL_TABLES, ()),
        (HEAD, Problem.NO_PHASES, ()),
        ("| Phase | Name |\n|---|---|\n| 1 | a |\n", Problem.MISSING_COLUMN, ()),
        ("| Name | Estimate | Status |\n|---|---|---|\n| 1 | a | b |\n", Problem.MISSING_COLUMN, ()),
        (plan([("Phase",)]), Problem.BAD_ID, ()),
        (plan([("é",)]), Problem.BAD_ID, ()),
        (HEAD + "|  | no id | - | - | - | - |", Problem.BAD_ID, ()),
        (plan([("1", "?")]), Problem.BAD_ID, ()),
        (plan([("2A",), ("1",), ("Phase 2-a",)]), Problem.DUPLICATE_ID, ("2a",)),
        (plan([("1", "7, 8"), ("2", "7")]), Problem.UNKNOWN_ID, ("7", "8")),
        (plan([("1", "", "9")]), Problem.UNKNOWN_ID, ("9",)),
        (plan([("1",), ("2", "1, 2")]), Problem.SELF_DEPENDENCY, ("2",)),
    ],
)
def test_each_defect_of_a_plan_is_an_error_of_its_own(text, problem, phases):
    error = refused(text)
    assert (error.type, error.problem, error.phases, error.edges) == (FailureType.PLAN_INVALID, problem, phases, ())
    assert error.message


@pytest.mark.parametrize("rows", [[("1", "2"), ("2", "1")], [("0",), ("1", "0, 2"), ("2", "1"), ("3", "2")]])
def test_a_cycle_is_told_with_its_edges(rows):
    error = refused(plan(rows))
    assert (error.type, error.problem) == (FailureType.CIRCULAR_DEPENDENCY, Problem.CYCLE)
    assert set(error.phases) == {"1", "2"}
    assert set(error.edges) == {("1", "2"), ("2", "1")}
    assert "Phase 1 depends on Phase 2" in error.message


def test_a_long_cycle_behind_other_phases_is_told_whole_and_its_message_stays_short():
    size = 3000
    rows = [("a",), *((f"{n}", f"{(n + 1) % size}") for n in range(size)), ("z", "5")]
    error = refused(plan(rows))
    assert sorted(error.edges) == sorted((str(n), str((n + 1) % size)) for n in range(size))
    assert len(error.message) < 2000


def test_many_unknown_ids_are_all_told_and_the_message_stays_short():
    error = refused(plan([("1", ", ".join(f"x{n}" for n in range(500)))]))
    assert len(error.phases) == 500
    assert error.message.endswith(" ...")
    assert len(error.message) < 500


@pytest.mark.parametrize("row", ["1 | 2", "1 | - | 2"])
def test_no_phase_of_a_bad_plan_runs_and_only_the_log_tells_of_it(row):
    world = World()
    rows = [("1", *[each.strip() for each in row.split("|")][1:])]
    answer = world.start(rows)
    assert (answer.accepted, answer.halted, answer.launch, answer.commits) == (False, True, (), ())
    assert answer.error.problem is Problem.UNKNOWN_ID
    assert answer.summary.reason == answer.error.message
    assert (answer.summary.completed, answer.summary.failed, answer.summary.state_files) == ((), (), 0)
    assert list(world.files.contents) == [world.path("{home}/.autobuild/logs/execution.log")]
    assert world.events() == ["HALT"]
    assert world.status().phases == ()
    assert kinds(world.start(CHAIN)) == [("phase", "0", 1)]


def test_a_bad_plan_leaves_the_run_that_is_there_as_it_is():
    world = World(rows=CHAIN)
    world.play(world.start(), {"1": ["bad"]})
    before = {path: data for path, data in world.files.contents.items() if path.endswith(".json")}
    answer = world.opened().start(text="nothing")
    assert answer.error.problem is Problem.NO_TABLE
    assert {path: data for path, data in world.files.contents.items() if path.endswith(".json")} == before
    summary = answer.summary
    listed = [*summary.completed, *summary.failed, *summary.blocked, *summary.pending]
    assert len(listed) == summary.state_files == 3


def test_what_can_be_read_of_a_run_is_told_beside_a_bad_plan():
    world = World(rows=CHAIN)
    world.play(world.start())
    world.put(phase_path("1"), b"torn")
    del world.files.contents[world.path(phase_path("2"))]
    summary = world.start(text="").summary
    assert ([each.phase_id for each in summary.completed], summary.state_files) == (["0"], 1)


def test_a_bad_plan_is_told_of_before_modes_that_exclude_each_other():
    world = World()
    answer = world.start([("1", "2"), ("2", "1")], "fresh", "resume")
    assert (answer.halted, answer.error.problem, codes(answer)) == (True, Problem.CYCLE, [])
    answer = world.start(CHAIN, "fresh", "resume")
    assert (answer.halted, answer.error, codes(answer)) == (False, None, ["modes_conflict"])


@pytest.mark.parametrize("modes", [(), ("resume",), ("fresh",), ("resume", "fresh")])
@pytest.mark.parametrize("path", [CONFIG_PATH, f"{STATE_DIRECTORY}/run.json", phase_path("1")])
@pytest.mark.parametrize("content", [b"{", b'{"version": "99.0"}'])
def test_a_bad_plan_is_told_of_whatever_state_is_there_and_leaves_it_as_it_is(modes, path, content):
    world = World(rows=CHAIN)
    world.play(world.start())
    world.put(path, content)
    before = {path: data for path, data in world.files.contents.items() if not path.endswith(".log")}
    answer = world.opened().start([("1", "7")], *modes)
    assert (answer.accepted, answer.halted, answer.launch, codes(answer)) == (False, True, (), [])
    assert (answer.error.problem, answer.summary.reason) == (Problem.UNKNOWN_ID, answer.error.message)
    assert {path: data for path, data in world.files.contents.items() if not path.endswith(".log")} == before


@pytest.mark.parametrize("place", ["", "/phases", "/logs"])
@pytest.mark.parametrize("modes", [(), ("fresh",)])
def test_a_bad_plan_is_told_of_though_the_state_leads_elsewhere_of_which_nothing_is_told(home, tmp_path, place, modes):
    world = World(RealFiles(), home, CHAIN)
    world.play(world.start())
    shutil.move(f"{home}/.autobuild{place}", tmp_path / "outside")
    os.symlink(tmp_path / "outside", f"{home}/.autobuild{place}")
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    answer = world.start(None, *modes, text="")
    assert (answer.halted, answer.error.problem, codes(answer)) == (True, Problem.NO_TABLE, [])
    assert (answer.summary.completed, answer.summary.state_files) == ((), 0)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before
    assert os.path.islink(f"{home}/.autobuild{place}")


def test_ids_that_lead_out_of_the_directory_are_normalised_away():
    assert normalised("../../etc") == "etc"
    assert read(plan([("../../x",)])) == (PlannedPhase("x", "Name of ../../x"),)


def test_ten_thousand_phases_are_planned_and_checked():
    size = 10_000
    rows = [(f"{n}", ", ".join(str(n - back) for back in (1, 2, 3) if n >= back)) for n in range(size)]
    graph = GraphChecks().check(read(plan(rows)))
    assert list(graph.phases) == [str(n) for n in range(size)]
    assert len(graph.downstream(["0"])) == size - 1
    assert graph.downstream([str(size - 1)]) == []
