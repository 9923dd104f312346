"""Which phases run together, and after which others."""

import pytest
from phase_runner_reference_world import CHAIN, DIAMOND, TRIPLE, World, launched, plan

from harness.systems.phase_runner.reference.graph import GraphChecks
from harness.systems.phase_runner.reference.plan import PlanReader
from harness.systems.phase_runner.reference.schedule import Schedule


def batches(rows, complete=(), begun=()):
    schedule = Schedule(GraphChecks().check(PlanReader().phases(plan(rows))), complete, begun)
    found = []
    while batch := schedule.next_batch():
        found.append(list(batch))
        for each in batch:
            schedule.completed(each)
    return found


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (CHAIN, [["0"], ["1"], ["2"]]),
        (DIAMOND, [["0"], ["2a", "2b"], ["3"]]),
        ([("10",), ("2",), ("1",)], [["10"], ["2"], ["1"]]),
        ([("2", "10"), ("10",)], [["10"], ["2"]]),
        ([("a", "", "b"), ("b",)], [["a"], ["b"]]),
        ([("a", "", "a")], [["a"]]),
        ([("a", "c", "b"), ("b", "", "a"), ("c",), ("d",)], [["c"], ["a", "b"], ["d"]]),
        ([("b", "", "a"), ("a", "b", "b")], [["b"], ["a"]]),
        ([("a", "", "b"), ("b", "", "a,c"), ("c", "", "b")], [["a", "b"], ["c"]]),
        ([("a", "", "c"), ("b",), ("c", "", "a")], [["a", "c"], ["b"]]),
        ([("a", "", "b,c,d"), ("b", "", "a,c,d"), ("c", "", "a,b"), ("d", "", "a,b")], [["a", "b", "c"], ["d"]]),
    ],
    ids=[
        "chain", "diamond", "order of the plan", "dependency below", "one-sided", "itself", "partner not ready waits",
        "partner that depends", "not all name each other", "apart in the plan", "largest from the first on",
    ],
)  # fmt: skip
def test_phases_that_name_each_other_run_together_once_all_are_ready_and_else_one_at_a_time(rows, expected):
    assert batches(rows) == expected


def test_partners_become_ready_in_any_order():
    rows = [("x",), ("y",), ("a", "x", "b"), ("b", "y", "a"), ("c", "a, b")]
    assert batches(rows) == [["x"], ["y"], ["a", "b"], ["c"]]
    rows = [("y",), ("x",), ("a", "x", "b"), ("b", "y", "a"), ("c", "a, b")]
    assert batches(rows) == [["y"], ["x"], ["a", "b"], ["c"]]


def test_what_is_complete_or_begun_does_not_run_again():
    assert batches(TRIPLE, complete=("1", "2b")) == [["2a", "2c"], ["3"], ["4"], ["5"]]
    assert batches(TRIPLE, complete=("1", "2b", "5"), begun=("2a",)) == [["2c"]]
    assert batches([("a",), ("b", "a"), ("c", "b")], complete=("b",)) == [["a"], ["c"]]
    assert batches([("x",), ("a", "x", "b"), ("b", "x", "a")], complete=("a",)) == [["x"], ["b"]]


def test_a_partner_that_becomes_ready_while_the_other_was_launched_alone_runs_alone():
    rows = [("b", "", "a"), ("a", "b", "b"), ("c", "a")]
    assert batches(rows) == [["b"], ["a"], ["c"]]


def test_hundreds_run_together():
    ids = [f"p{n}" for n in range(200)]
    rows = [(each, "", ", ".join(other for other in ids if other != each)) for each in ids]
    assert batches(rows) == [ids]


def test_every_phase_of_a_large_plan_runs_once_and_after_what_it_needs():
    rows = [(f"{n}", ", ".join(str(n - back) for back in (1, 7) if n >= back)) for n in range(2000)]
    assert batches(rows) == [[str(n)] for n in range(2000)]


def test_batches_are_launched_as_they_are_planned():
    world = World(rows=TRIPLE)
    answers = world.play(world.start())
    assert launched(answers) == [["1"], ["2a", "2b", "2c"], ["3"], ["4"], ["5"]]
    assert [each.completed for each in answers] == [False] * (len(answers) - 1) + [True]
    assert set(world.statuses().values()) == {"complete"}


def test_nothing_of_the_next_batch_starts_before_all_siblings_have_returned():
    world = World(rows=DIAMOND)
    world.start()
    world.succeed("0")
    assert world.succeed("2b").launch == ()
    assert world.claim("2a").launch[0].phase_id == "2a"
    assert launched([world.verified("2a")]) == [["3"]]
