"""Files that several phases of a batch changed."""

import itertools

import pytest
from phase_runner_reference_world import CHAIN, World, batch, done, kinds

from harness.systems.phase_runner.contract import Conflict, ConflictSide
from harness.systems.phase_runner.contract.words import CONFLICT_OPTIONS
from harness.systems.phase_runner.reference.conflicts import joined


def changed(path, *lines, kind="modified"):
    """That a file was changed there."""
    ranges = [{"first": first, "last": last} for first, last in lines]
    return {"created": [], kind: [{"path": path, "lines": ranges}]}


@pytest.mark.parametrize(
    ("first", "second", "file", "sides"),
    [
        (changed("src/a.ts", (10, 25)), changed("src/a.ts", (15, 30)), "src/a.ts", [[(10, 25)], [(15, 30)]]),
        (changed("src/a.ts", (1, 2)), changed("./src//x/../a.ts", (9, 9)), "src/a.ts", [[(1, 2)], [(9, 9)]]),
        (changed("n.py", kind="created"), changed("./n.py", kind="created"), "n.py", [[], []]),
        (changed("n.py", kind="deleted"), changed("n.py", (3, 4), (1, 1), (3, 4)), "n.py", [[], [(1, 1), (3, 4)]]),
    ],
    ids=["same lines", "other name and lines", "created", "deleted"],
)
def test_a_file_that_two_phases_of_a_batch_changed_halts(first, second, file, sides):
    world = batch()
    answer = world.succeed("2a", **first)
    assert not answer.halting
    world.succeed("2c")
    answer = world.succeed("2b", **second)
    assert (answer.halted, answer.launch, answer.commits) == (True, (), ())
    (conflict,) = answer.summary.conflicts
    assert (conflict.file, conflict.options) == (file, CONFLICT_OPTIONS)
    assert [each.phase_id for each in conflict.sides] == ["2a", "2b"]
    assert [[(each.first, each.last) for each in side.lines] for side in conflict.sides] == sides
    assert [(each.phase_id, each.error_type) for each in answer.summary.failed] == [("2b", "file_conflict")]
    assert answer.summary.reason == "Phase 2B failed: file_conflict"
    assert world.statuses()["2a"] == "complete"
    assert f"File: {file}\n" in answer.summary.text
    assert all(option in answer.summary.text for option in CONFLICT_OPTIONS)


def test_a_conflict_waits_for_siblings_and_is_remembered_by_another_process():
    world = batch()
    world.succeed("2a", **changed("a.ts"))
    world = world.opened()
    answer = world.succeed("2b", **changed("a.ts"))
    assert (answer.halting, answer.halted) == (True, False)
    answer = world.opened().succeed("2c")
    assert [each.file for each in answer.summary.conflicts] == ["a.ts"]


def test_different_files_and_files_without_a_name_are_no_conflict():
    world = batch()
    world.succeed("2a", **changed("a.ts", (1, 2)))
    world.succeed("2b", **changed("", (1, 2)))
    assert kinds(world.succeed("2c", **changed(""))) == [("phase", "3", 1)]


def test_phases_that_do_not_run_together_may_change_one_file():
    world = World(rows=CHAIN)
    answers = world.play(world.start(), {each: [done(each, **changed("a.ts"))] for each in "012"})
    assert answers[-1].completed


def test_after_a_conflict_the_phase_that_came_later_runs_alone():
    world = batch()
    world.succeed("2a", **changed("a.ts"))
    world.succeed("2b")
    assert world.succeed("2c", **changed("a.ts")).halted
    answer = world.resume()
    assert kinds(answer) == [("phase", "2c", 1)]
    assert world.record("2c")["commit"] is None
    assert kinds(world.succeed("2c", **changed("a.ts"))) == [("phase", "3", 1)]


# -- more than two


def sides(conflict):
    """The phases that changed the file, with their lines."""
    return {each.phase_id: [(it.first, it.last) for it in each.lines] for each in conflict.sides}


@pytest.mark.parametrize("order", [*itertools.permutations(("2a", "2b", "2c"))])
@pytest.mark.parametrize("restarts", [False, True])
def test_of_three_that_changed_one_file_all_sides_are_told_once(order, restarts):
    world = batch()
    where = {"2a": [(1, 20)], "2b": [(5, 6), (50, 60)], "2c": [(2, 55)]}
    for each in order:
        world.claim(each, **changed("a.ts", *where[each]))
    for each in order:
        world = world.opened() if restarts else world
        answer = world.verified(each)
    first, second, third = order
    assert world.statuses() == {
        "1": "complete", first: "complete", second: "failed", third: "failed",
        "3": "pending" if first == "2a" else "blocked", "4": "pending" if first == "2a" else "blocked", "5": "pending",
    }  # fmt: skip
    (conflict,) = answer.summary.conflicts
    assert (conflict.file, conflict.options, sides(conflict)) == ("a.ts", CONFLICT_OPTIONS, where)
    assert [each.phase_id for each in conflict.sides] == ["2a", "2b", "2c"]
    assert answer.summary.text.count("File: a.ts\n") == 1
    assert sum("conflict in a.ts" in each for each in answer.summary.resume_steps) == 1
    (found,) = world.record(third)["error"]["attempt_1"]["captured"]["conflicts"]
    assert {each["phase_id"] for each in found["sides"]} == set(where)


def test_a_file_that_a_phase_changed_which_failed_over_another_file_conflicts_too():
    world = batch()
    world.succeed("2a", **changed("a.ts", (1, 2)))
    files = [*changed("./a.ts", (2, 3))["modified"], *changed("b.ts", (7, 7))["modified"]]
    world.succeed("2b", created=[], modified=files)
    answer = world.succeed("2c", **changed("b.ts", (7, 8)))
    assert [(each.file, sides(each)) for each in answer.summary.conflicts] == [
        ("a.ts", {"2a": [(1, 2)], "2b": [(2, 3)]}),
        ("b.ts", {"2b": [(7, 7)], "2c": [(7, 8)]}),
    ]


def test_what_a_phase_changed_that_failed_otherwise_is_no_conflict():
    world = batch()
    world.miss("2a", **changed("a.ts"))
    world.succeed("2b")
    assert kinds(world.succeed("2c", **changed("a.ts"))) == [("phase", "2a", 2)]
    missing = {"package": "p", "required_by": "r", "install": "i"}
    world = batch()
    world.miss("2a", missing=missing, **changed("a.ts"))
    world.succeed("2b", **changed("a.ts"))
    answer = world.succeed("2c")
    assert answer.summary.conflicts == ()
    assert world.statuses()["2b"] == "complete"


def test_phases_that_nobody_knows_are_told_last():
    found = joined([Conflict("a", (ConflictSide("x"), ConflictSide("2"), ConflictSide("1")), ())], ["1", "2"])
    assert [each.phase_id for each in found[0].sides] == ["1", "2", "x"]
