"""The oracle on plans: what every reader of Markdown sees in them, what is wrong with them, and what is told of it."""

import pytest
from handmade_phases import CHAIN, FAIL, HEADER, PASS, Day, phase, plan

from harness.systems.phase_runner.contract.words import Problem
from harness.systems.phase_runner.oracle.graph import cyclic, graph_of, is_cycle, problems_of
from harness.systems.phase_runner.oracle.plans import read_plan

CYCLE = plan("0", "2A<3", "3<2A")
SELF = plan("0", "2A<2A")
UNKNOWN = plan("0", "2A<9")
TWICE = plan("2-A", "2A")
ROW = "| 0 | Name 0 | - | - | 1h | pending |\n"
ERRORS = {
    "no_table": "# Nothing\n", "several_tables": HEADER + ROW + "\n" + HEADER + ROW, "no_phases": HEADER,
    "missing_column": "| Phase | Name |\n|---|---|\n| 0 | a |\n", "bad_id": HEADER + ROW.replace("| 0 |", "| ? |", 1),
}  # fmt: skip


def told(problem, type_="plan_invalid", phases=(), edges=(), message="It is wrong."):
    return {
        "type": type_,
        "problem": problem,
        "message": message,
        "phases": list(phases),
        "edges": [list(e) for e in edges],
    }


def started(text, error=None, launch=()):
    return Day().start(text, launch, accepted=False, **({} if error is None else {"error": error}))


class TestReading:
    def ids(self, text):
        found = read_plan(text)
        assert not found.is_doubtful
        return [row.phase_id for row in found.rows], found.problems

    def test_ids_lists_and_names(self):
        text = HEADER + "| Phase 2-A | A \\| b | 0 , Phase 1 | 2B,2b | 2h | pending |\n"
        (row,) = read_plan(text).rows
        assert (row.phase_id, row.name, row.depends_on, row.parallel_with) == ("2a", "A | b", ("0", "1"), ("2b",))

    def test_columns_stand_in_any_order_and_case_and_others_beside(self):
        header = (
            "| Status | NAME | Owner | parallel with | phase | Depends On | estimate |\n|:-|-:|:-:|---|---|---|---|\n"
        )
        assert self.ids(header + "| - | a | me | - | 1 | - | |\n") == (["1"], frozenset())

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_line_ends_of_either_kind(self, end):
        assert self.ids(CHAIN.replace("\n", end))[0] == ["0", "1", "2a"]

    def test_the_last_line_needs_no_end(self):
        assert self.ids(CHAIN.rstrip())[0] == ["0", "1", "2a"]

    def test_a_table_of_something_else_is_left_alone(self):
        other = "\n| Owner | Mail |\n|---|---|\n| me | a@b |\n"
        assert self.ids(CHAIN + other) == (["0", "1", "2a"], frozenset())

    def test_unicode_ids_keep_what_is_ascii(self):
        assert self.ids(HEADER + ROW.replace("| 0 |", "| Phase 2-Ä |", 1))[0] == ["2"]

    @pytest.mark.parametrize("name", ["*bold*", "`a`", "&amp;", "[a](b)", "<b>", "a\\b"])
    def test_of_marks_in_a_name_nobody_knows_whether_they_are_kept(self, name):
        assert read_plan(HEADER + ROW.replace("Name 0", name)).rows[0].name is None

    @pytest.mark.parametrize(
        "text",
        [
            "```\n" + HEADER + ROW + "```\n", "<!-- x -->\n" + CHAIN, "words <!-- \n" + CHAIN, "> " + HEADER + ROW,
            "words\n" + HEADER + ROW, HEADER + ROW + "words\n", HEADER + ROW.replace("| 0", "0", 1), HEADER + "| 0 | a |\n",
            HEADER + ROW.replace("| 0 |", "| **0** |", 1), HEADER + ROW.replace("| - |", "| `1` |", 1),
            HEADER + ROW.replace("| - |", "| 1,,2 |", 1), HEADER + ROW.replace("pending", "complete"),
            HEADER.replace("---", "xxx") + ROW, "a | b\n", " " + ROW, HEADER + " " + ROW, HEADER + ROW.replace("-", "—", 1),
            HEADER + ROW.replace("Name", "a\x0bb"), HEADER.replace("\n", "\r", 1) + ROW, HEADER + ROW.replace("|", "\\\\|", 2),
            HEADER.replace("Estimate", "Phase") + ROW, CHAIN + "\n| Phase | Owner |\n|---|---|\n| 0 | me |\n",
            HEADER + "|\n", "|\n",
        ],
    )  # fmt: skip
    def test_what_readers_take_differently_is_judged_by_nobody(self, text):
        assert read_plan(text).is_doubtful
        assert started(text, told("no_table")).findings() == {}
        assert Day().start(text, ["0"]).findings() == {}

    @pytest.mark.parametrize(("problem", "text"), ERRORS.items())
    def test_a_table_that_is_no_plan(self, problem, text):
        assert Problem(problem) in read_plan(text).problems


class TestGraphs:
    def graph(self, text):
        return graph_of(read_plan(text).rows)

    def test_a_cycle_is_found_with_what_hangs_on_it(self):
        assert cyclic(self.graph(plan("0", "2A<3", "3<2A", "4<3", "5<0"))) == {"2a", "3", "4"}
        assert cyclic(self.graph(CHAIN)) == set()

    def test_downstream_is_everything_below(self):
        assert self.graph(plan("0", "1<0", "2<1,0", "3<2", "9")).downstream(["0"]) == {"1", "2", "3"}

    def test_edges_make_a_cycle(self):
        found = read_plan(CYCLE)
        assert is_cycle([("2a", "3"), ("3", "2a")], found)
        assert not is_cycle([("2a", "3")], found)
        assert not is_cycle([], found)
        assert not is_cycle([("0", "3"), ("3", "0")], found)

    @pytest.mark.parametrize(
        ("text", "problems"),
        [
            (CYCLE, {Problem.CYCLE}), (SELF, {Problem.SELF_DEPENDENCY}), (UNKNOWN, {Problem.UNKNOWN_ID}),
            (TWICE, {Problem.DUPLICATE_ID}), (CHAIN, set()),
        ],
    )  # fmt: skip
    def test_each_problem_has_its_name(self, text, problems):
        assert problems_of(read_plan(text)).told == problems

    def test_who_runs_beside_nobody_knows_leaves_it_open(self):
        for odd in ("2A//9", "2A//2A"):
            assert problems_of(read_plan(plan("0", odd))).is_doubtful
            assert Day().start(plan("0", odd), ["0"]).findings() == {}
        assert problems_of(read_plan(plan("0", "2A<0//0"))).is_doubtful
        assert Problem.UNKNOWN_ID in problems_of(read_plan(plan("0", "0", "2A//9"))).told


class TestPlanErrors:
    @pytest.mark.parametrize(
        ("text", "error", "clauses"),
        [
            (
                CYCLE,
                told("cycle", "circular_dependency", ["2a"], [("2a", "3"), ("3", "2a")]),
                {"AB-NRT-02", "AB-NRT-03"},
            ),
            (SELF, told("self_dependency", phases=["2a"]), {"AB-NRT-03", "AB-NRT-05"}),
            (UNKNOWN, told("unknown_id", phases=["9"]), {"AB-NRT-03", "AB-NRT-05"}),
            (TWICE, told("duplicate_id", phases=["2a"]), {"AB-NRT-05", "AB-STA-05"}),
            *((text, told(problem), {"AB-NRT-05"}) for problem, text in ERRORS.items()),
        ],
    )
    def test_what_is_wrong_is_told_and_no_phase_runs(self, text, error, clauses):
        day = started(text, error)
        assert day.broken() == set()
        assert day.passed() == clauses | {"AB-CLS-02"}
        assert started(text, error, launch=["0"]).broken() == clauses
        assert started(text).broken() == clauses

    @pytest.mark.parametrize(
        "error",
        [
            told("cycle", "plan_invalid", (), [("2a", "3"), ("3", "2a")]),
            told("self_dependency"),
            told("cycle", "circular_dependency", (), [("2a", "3"), ("3", "2a")], message=" "),
        ],
    )
    def test_another_problem_is_told_wrongly(self, error):
        assert started(CYCLE, error).broken() == {"AB-NRT-02", "AB-NRT-03"}

    @pytest.mark.parametrize("edges", [(), [("2a", "3")], [("0", "3"), ("3", "0")]])
    def test_edges_that_are_no_cycle_break_it(self, edges):
        assert started(CYCLE, told("cycle", "circular_dependency", (), edges)).broken() == {"AB-NRT-02"}

    def test_a_type_that_is_retried_is_none_of_a_plan(self):
        assert started(TWICE, told("duplicate_id", "test_failure")).broken() == {"AB-CLS-02"}

    def test_the_phases_it_is_about_are_named(self):
        assert started(TWICE, told("duplicate_id", phases=["9"])).broken() == {"AB-NRT-05"}

    def test_of_several_problems_any_is_told(self):
        text = plan("2A<2A", "2A<9")
        for error in (told("self_dependency"), told("duplicate_id"), told("unknown_id")):
            assert started(text, error).broken() == set()
        cyclic_too = plan("0", "0", "2A<3", "3<2A")
        assert started(cyclic_too, told("duplicate_id")).passed() == {"AB-CLS-02", "AB-NRT-05"}
        error = told("cycle", "circular_dependency", (), [("2a", "3"), ("3", "2a")])
        assert started(cyclic_too, error).passed() == {"AB-CLS-02", "AB-NRT-05"}

    @pytest.mark.parametrize(
        ("problem", "clause"),
        [("cycle", "AB-NRT-02"), ("self_dependency", "AB-NRT-03"), ("unknown_id", "AB-NRT-03"),
         ("duplicate_id", "AB-STA-05"), ("no_table", "AB-NRT-05")],
    )  # fmt: skip
    def test_a_sound_plan_starts(self, problem, clause):
        assert started(CHAIN, told(problem)).broken() == {clause}

    def test_a_sound_plan_that_is_refused_breaks_it(self):
        assert started(CHAIN).broken() == {"AB-NRT-05"}

    def test_the_plan_without_one_edge_of_the_cycle_runs(self):
        day = started(CYCLE, told("cycle", "circular_dependency", (), [("2a", "3"), ("3", "2a")]))
        assert day.start(plan("0", "2A<3", "3"), ["0"]).broken() == set()
        assert day.verdict("AB-NRT-02") is PASS

    def test_nothing_is_written_of_it(self):
        for modes, clauses in (((), {"AB-NRT-05"}), (("fresh",), set())):
            answer = {"accepted": False, "error": told("duplicate_id")}
            day = Day(p1="complete").do("start", {"plan": TWICE, "modes": list(modes)}, answer, p1=None, p2="pending")
            assert day.broken() == clauses

    def test_a_run_that_goes_on_is_not_judged_by_what_came_between(self):
        day = Day().start(CHAIN, ["0"]).start(SELF, accepted=False, error=told("self_dependency"))
        args = {"phase_id": "0", "attempt": 1, "said": "{}"}
        assert day.do("report", args, {"accepted": False}).broken() == set()


class TestDependencies:
    def test_what_a_phase_depends_on_comes_first(self):
        assert Day().start(CHAIN, ["1"]).broken() == {"AB-NRT-03"}

    def test_a_phase_that_nobody_knows_breaks_it(self):
        assert Day().start(CHAIN, ["0", "7"]).broken() == {"AB-NRT-03"}

    def test_nothing_but_the_plan_is_launched_without_a_run(self):
        args = {"phase_id": "0", "attempt": 1, "said": "{}"}
        day = Day().do("report", args, {"accepted": True, "launch": [phase("0")]})
        assert day.verdict("AB-RTY-01") is FAIL
