"""The oracle on attempts: the types of failures, the one retry, what it is told, what is captured."""

import pytest
from handmade_phases import (
    CHAIN,
    CLAUSE_OF,
    FAIL,
    FAILURES,
    LATER,
    LINT_CASE,
    MISSING,
    ONE,
    PASS,
    Day,
    bad,
    both,
    check,
    failing,
    gate,
    guidance,
    ok,
    phase,
    plan,
    retry,
    summary,
    told,
)

from harness.systems.phase_runner.contract.words import GUIDANCE


@pytest.mark.parametrize("type_", list(CLAUSE_OF))
class TestEachTypeThatIsRetried:
    def test_it_is_retried_with_what_is_known_of_it(self, type_):
        day = failing(type_, launch=[told(type_)])
        assert day.broken() == set()
        assert {"AB-CLS-01", "AB-RTY-02", "AB-RTY-05", "AB-RTY-06", CLAUSE_OF[type_]} <= day.passed()

    def test_who_halts_at_once_breaks_the_list_of_types(self, type_):
        assert failing(type_, halted=True, summary=summary((), [("2a", 1, type_)])).verdict("AB-CLS-01") is FAIL

    def test_who_does_nothing_breaks_the_list_of_types(self, type_):
        assert failing(type_).broken() == {"AB-CLS-01"}

    def test_another_type_is_told_wrongly(self, type_):
        other = "lint_error" if type_ == "parse_error" else "parse_error"
        assert failing(type_, launch=[told(type_, previous_error_type=other)]).broken() == {CLAUSE_OF[type_]}


class TestWhatIsCaptured:
    @pytest.mark.parametrize(
        ("type_", "details"),
        [
            ("test_failure", "1 of src/a.test.ts: validateToken"),
            ("test_failure", "src/a.test.ts: validateToken, it is null"),
            ("test_failure", "1: validateToken, it is null"),
            ("test_failure", "11 of src/a.test.ts: validateToken, it is null"),
            ("lint_error", "1 of src/a.ts, no-var"),
            ("lint_error", "1 of src/a.ts in line 17"),
            ("lint_error", "1 of src/a.ts, no-var in line 170"),
            ("typecheck_error", "1 of src/a.ts in line 17: string"),
            ("typecheck_error", "1 of src/a.ts: string, number"),
            ("timeout", "600 s"),
            ("timeout", "running tests"),
            ("verification_mismatch", "it failed"),
        ],
    )
    def test_what_is_left_out_is_missed(self, type_, details):
        day = failing(type_, launch=[told(type_, message="it went wrong", previous_error_details=details)])
        assert day.broken() == {CLAUSE_OF[type_]}

    def test_of_many_cases_the_number_is_enough(self):
        cases = [{"file": f"src/{n}.ts", "name": f"case {n}", "message": "no"} for n in range(11)]
        day = Day().start(ONE, ["2a"])
        said = bad(gates={"test": gate(*cases)})
        good = retry("2a", previous_error_details="11 cases", tasks_completed=3, tasks_total=3,
                     retry_guidance=guidance("test_failure"))  # fmt: skip
        assert day.report("2a", said, launch=[good]).broken() == set()

    def test_a_type_error_without_types_has_a_message(self):
        said = bad(gates={"typecheck": gate({"file": "src/a.ts", "message": "no such name"})})
        good = retry("2a", "typecheck_error", previous_error_details="1 of src/a.ts: no such name", tasks_completed=3,
                     tasks_total=3)  # fmt: skip
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[good]).broken() == set()

    @pytest.mark.parametrize("failures", [{"exit_code": 5}, {"exit_code": 0}])
    def test_an_exit_code_or_a_case_is_a_failure(self, failures):
        cases = [{"file": "src/a.test.ts", "name": "validateToken", "message": "it is null"}]
        said = bad(gates={"test": gate(*(cases if failures["exit_code"] == 0 else ()), **failures)})
        day = Day().start(ONE, ["2a"]).report("2a", said, launch=[told("test_failure")])
        assert day.verdict("AB-ERR-01") is PASS
        assert day.readings("AB-ERR-01") == ("either",)

    def test_how_long_nobody_knows_needs_not_be_told(self):
        day = Day().start(ONE, ["2a"])
        args = {"phase_id": "2a", "attempt": 1}
        good = told("timeout", previous_error_details="")
        assert day.do("report", args, {"accepted": True, "launch": [good]}).verdict("AB-ERR-04") is PASS

    def test_what_is_long_may_be_shortened(self):
        said = bad("x" * 600, gates={"format": gate()})
        good = retry("2a", "format_error", message="xxx ...", tasks_completed=3, tasks_total=3)
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[good]).broken() == set()


class TestTheFactsSayWhichTypeItIs:
    @pytest.mark.parametrize(
        ("said", "type_"),
        [
            (bad(completed=1, gates={"lint": gate()}), "task_incomplete"),
            (bad(gates={"test": gate(), "lint": gate(LINT_CASE)}), "lint_error"),
            (bad(gates={"lint": gate(exit_code=0), "test": gate()}), "test_failure"),
            (bad(gates={"typecheck": gate(), "format": gate()}), "format_error"),
        ],
    )
    def test_tasks_come_before_gates_and_gates_in_their_order(self, said, type_):
        tasks = {"tasks_completed": said["tasks_completed"], "tasks_total": 3}
        details = "1 of src/a.ts, no-var in line 17"
        filled = guidance("test_failure").replace("src/a.test.ts", "it")
        text = {"retry_guidance": filled} if type_ == "test_failure" else {}
        good = retry("2a", type_, previous_error_details=details, **tasks, **text)
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[good]).broken() == set()
        wrong = {**good, "context": {**good["context"], "previous_error_type": "parse_error"}}
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[wrong]).broken() == {CLAUSE_OF[type_]}

    def test_a_package_comes_before_all(self):
        said = bad(completed=1, missing=MISSING, gates={"lint": gate()})
        found = summary((), [("2a", 1, "dependency_missing")], missing_package="@types/jest",
                        required_by="Type checking", install_step="npm install -D @types/jest")  # fmt: skip
        day = Day().start(ONE, ["2a"]).report("2a", said, halted=True, summary=found, records={"2a": "failed"})
        assert day.broken() == set()
        assert {"AB-NRT-01", "AB-CLS-02", "AB-RTY-04"} <= day.passed()

    @pytest.mark.parametrize(
        "said",
        ["", "Done.", "[1, 2]", "{}", '{"success": true}', '{"success": true, "tasks_total": 3', "\udcff", "{" * 9],
    )
    def test_what_is_no_result_is_a_parse_error(self, said):
        day = Day().start(ONE, ["2a"]).report("2a", said, launch=[check("2a")])
        assert day.broken() == {"AB-ERR-07"}

    @pytest.mark.parametrize(
        "said",
        [
            'Here it is: {"success": true, "tasks_total": 1, "tasks_completed": 1}',
            '{"success": true, "success": false, "tasks_total": 1, "tasks_completed": 1}',
            '{"success": "yes", "tasks_total": 1.0, "tasks_completed": "1"}',
            "{ " * 30,
        ],
    )
    def test_what_a_lenient_reader_finds_may_be_taken_either_way(self, said):
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[check("2a")]).broken() == set()
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[told("parse_error")]).broken() == set()

    def test_numbers_that_are_none_make_no_result(self):
        said = 'It is {"success": true, "tasks_total": [], "tasks_completed": 1}'
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[check("2a")]).broken() == {"AB-ERR-07"}

    def test_a_claim_with_tasks_undone_is_no_success(self):
        said = {"success": True, "tasks_total": 3, "tasks_completed": 1}
        day = Day().start(LATER, ["2a"]).report("2a", said, launch=[check("2a")])
        assert day.broken() == set()
        assert day.verified("2a", launch=[phase("3")]).broken() == {"AB-CLS-01", "AB-NRT-03"}

    def test_a_claim_with_tasks_undone_may_fail_at_once_or_after_its_verification(self):
        said = {"success": True, "tasks_total": 3, "tasks_completed": 1}
        good = retry("2a", "task_incomplete", tasks_completed=1, tasks_total=3)
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[good]).broken() == set()
        day = Day().start(ONE, ["2a"]).report("2a", said, launch=[check("2a")]).verified("2a", launch=[good])
        assert day.broken() == set()

    @pytest.mark.parametrize(
        "more",
        [
            {"missing": MISSING},
            {"gates": {"lint": gate(exit_code=0)}},
            {"gates": {"test": gate()}},
            {"gates": {"test": gate(exit_code=None)}},
        ],
    )
    def test_a_claim_that_contradicts_itself_is_verified_or_has_failed(self, more):
        day = Day().start(ONE, ["2a"]).report("2a", ok(**more), launch=[check("2a")])
        assert day.broken() == set()


class TestAttempts:
    def second(self, **how):
        day = failing("test_failure", text=LATER, launch=[told("test_failure")])
        return day.report("2a", FAILURES["test_failure"], 2, **how)

    def test_a_second_failure_halts(self):
        found = summary((), [("2a", 2, "test_failure")], [("3", ["2a"])])
        records = {"2a": ("failed", 2, both()), "3": ("blocked", 0, {"blocked_by": ["2a"]})}
        day = self.second(halted=True, summary=found, records=records)
        assert day.broken() == set()
        assert {"AB-RTY-01", "AB-RTY-03", "AB-ERR-06"} <= day.passed()

    def test_a_third_attempt_breaks_the_limit(self):
        day = self.second(launch=[phase("2a", 3)])
        assert day.broken() == {"AB-RTY-01", "AB-RTY-03"}

    def test_who_goes_on_breaks_the_halt(self):
        assert self.second().broken() == {"AB-RTY-03"}

    @pytest.mark.parametrize("attempt", [1, 3])
    def test_a_retry_is_the_second_attempt(self, attempt):
        day = failing("test_failure", launch=[{**told("test_failure"), "attempt": attempt}])
        assert day.broken() == {"AB-RTY-01"}

    def test_what_runs_is_not_launched_again(self):
        day = Day().start(plan("2A//2B", "2B//2A"), ["2a", "2b"]).report("2a", ok(), launch=[check("2a"), phase("2b")])
        assert day.broken() == {"AB-RTY-01"}

    def test_a_successful_retry_does_not_halt(self):
        day = failing("test_failure", text=LATER, launch=[told("test_failure")])
        day.report("2a", ok(), 2, launch=[check("2a", 2)])
        found = summary(["2a"], (), (), ["3"])
        assert day.verified("2a", 2, halted=True, summary=found).broken() == {"AB-RTY-03"}

    def test_a_success_at_first_does_not_halt(self):
        day = Day().start(LATER, ["2a"]).report("2a", ok(), launch=[check("2a")])
        found = summary(["2a"], (), (), ["3"])
        assert day.verified("2a", halted=True, summary=found).broken() == {"AB-HLT-01"}

    def test_what_succeeded_is_not_launched_again(self):
        day = Day().start(LATER, ["2a"]).report("2a", ok(), launch=[check("2a")])
        assert day.verified("2a", launch=[phase("2a"), phase("3")]).broken() == {"AB-PAR-02"}

    def test_what_cannot_be_retried_is_not(self):
        said = bad(missing=MISSING)
        day = Day().start(LATER, ["2a"]).report("2a", said, launch=[phase("2a", 2)])
        assert day.broken() == {"AB-CLS-02", "AB-RTY-04"}

    def test_what_cannot_be_retried_halts_at_once(self):
        assert Day().start(LATER, ["2a"]).report("2a", bad(missing=MISSING)).broken() == {"AB-RTY-04"}

    @pytest.mark.parametrize(("shown", "reading"), [(1, "first_counts"), (2, "second_attempt")])
    def test_a_second_attempt_that_cannot_be_retried_may_be_counted_either_way(self, shown, reading):
        day = failing("test_failure", launch=[told("test_failure")])
        found = summary((), [("2a", shown, "dependency_missing")], missing_package="@types/jest",
                        required_by="Type checking", install_step="npm install -D @types/jest")  # fmt: skip
        day.report("2a", bad(missing=MISSING), 2, halted=True, summary=found, records={"2a": ("failed", shown)}).look(
            "2a"
        )
        assert day.broken() == set()
        assert day.readings("AB-RTY-04") == (reading,)

    def test_an_error_of_no_type_is_retried_once_or_halts(self):
        said = bad(gates={"test": gate(exit_code=0)})
        day = (
            Day().start(ONE, ["2a"]).report("2a", said, launch=[told("format_error", tasks_completed=3, tasks_total=3)])
        )
        assert day.readings("AB-CLS-03") == ("retried",)
        found = summary((), [("2a", 1, "odd")])
        day = Day().start(ONE, ["2a"]).report("2a", said, halted=True, summary=found)
        assert day.readings("AB-CLS-03") == ("halts",)
        assert day.broken() == set()

    def test_an_error_of_no_type_is_not_retried_for_ever(self):
        again = retry("2a", "odd", tasks_completed=3, tasks_total=3)
        day = (
            Day().start(ONE, ["2a"]).report("2a", bad(), launch=[again]).report("2a", bad(), 2, launch=[phase("2a", 3)])
        )
        assert day.broken() == {"AB-CLS-03", "AB-RTY-01", "AB-RTY-03"}

    def test_an_error_of_no_type_that_leads_nowhere_is_a_stop(self):
        assert Day().start(ONE, ["2a"]).report("2a", bad()).broken() == {"AB-CLS-03", "AB-HLT-01"}


class TestContexts:
    def broken(self, type_="test_failure", text=ONE, **fields):
        return failing(type_, text=text, launch=[told(type_, **fields)]).broken()

    def test_a_retry_without_context_breaks_it(self):
        assert failing("test_failure", launch=[phase("2a", 2)]).broken() == {"AB-RTY-02"}

    def test_a_context_of_another_failure_breaks_it(self):
        assert self.broken("format_error", message="all is well") == {"AB-RTY-02"}

    def test_a_context_that_says_nothing_breaks_it(self):
        assert self.broken("parse_error", message="", previous_error_message="") == {"AB-RTY-02"}

    def test_of_a_failure_without_a_word_there_is_nothing_to_tell(self):
        day = Day().start(LATER, ["2a"], ids=("2a", "3"))
        said = bad("", gates={"format": gate()})
        again = retry("2a", "format_error", message="", tasks_completed=3, tasks_total=3)
        wordless = {"type": "format_error", "message": "", "details": ""}
        day.report("2a", said, launch=[again], records={"2a": ("running", 2, {"attempt_1": wordless})}).look("2a")
        found = summary((), [("2a", 2, "format_error")], [("3", ["2a"])])
        found["failed"][0]["details"] = ""
        assert day.report("2a", said, 2, halted=True, summary=found).broken() == set()

    def test_details_that_are_absent_are_not_the_message_again(self):
        for details, broken in (("", set()), ("of its own", set()), ("3 of 4", {"AB-RTY-05"})):
            day = Day().start(LATER, ["2a"], ids=("2a", "3"))
            said = bad("3 of 4", tasks_completed=3, tasks_total=4)
            again = retry("2a", "task_incomplete", message="3 of 4", tasks_completed=3, tasks_total=4,
                          previous_error_message="3 of 4", previous_error_details=details)  # fmt: skip
            assert broken == day.report("2a", said, launch=[again]).broken()

    @pytest.mark.parametrize("counts", [{"tasks_completed": 2}, {"tasks_total": 2}])
    def test_other_numbers_of_tasks_break_it(self, counts):
        assert self.broken(**counts) == {"AB-RTY-05"}

    def test_guidance_of_another_type_breaks_it(self):
        assert self.broken(retry_guidance=guidance("timeout")) == {"AB-RTY-06"}

    def test_placeholders_have_to_be_filled(self):
        assert self.broken(retry_guidance=GUIDANCE["test_failure"]) == {"AB-RTY-06"}

    def test_files_have_to_be_named(self):
        text = guidance("test_failure").replace("src/a.test.ts", "other files")
        assert self.broken(retry_guidance=text) == {"AB-RTY-06"}

    @pytest.mark.parametrize(("text", "reading"), [("Format it.", "own_words"), ("", "empty")])
    def test_a_type_without_guidance_has_its_own_or_none(self, text, reading):
        day = failing("format_error", launch=[told("format_error", retry_guidance=text)])
        assert day.readings("AB-RTY-06") == (reading,)

    def lint(self, text, **commands):
        day = Day()
        day.args = {"commands": commands}
        day.start(ONE, ["2a"]).report("2a", FAILURES["lint_error"], launch=[told("lint_error", retry_guidance=text)])
        return day.broken()

    def test_commands_are_filled_in(self):
        text = GUIDANCE["lint_error"].replace("{LINT_COMMAND}", "make lint").replace("{LINT_FIX_COMMAND}", "make fix")
        assert self.lint(text, lint="make lint", lint_fix="make fix") == set()
        assert self.lint(text, lint="make lint", lint_fix="make it") == {"AB-RTY-06"}
        assert self.lint(GUIDANCE["lint_error"], lint="make lint", lint_fix="make it") == {"AB-RTY-06"}

    def test_commands_that_are_not_there_are_left_out(self):
        assert self.lint("Fix linting errors. Run the linter.") == set()
        assert self.lint("Do something.") == {"AB-RTY-06"}
        assert self.lint("Fix linting errors. Run the linter.", lint="make lint") == {"AB-RTY-06"}
        assert self.lint("Fix linting errors. Run make lint.", lint="make lint") == set()
        assert self.lint(GUIDANCE["lint_error"]) == {"AB-RTY-06"}

    def test_a_command_that_looks_like_a_placeholder_stays(self):
        text = GUIDANCE["lint_error"].replace("{LINT_COMMAND}", "run {FILES}").replace("{LINT_FIX_COMMAND}", "fix")
        assert self.lint(text, lint="run {FILES}", lint_fix="fix") == set()


def test_a_chain_runs_to_its_end():
    day = Day().start(CHAIN, ["0"], ids=("0", "1", "2a"))
    day.succeed("0", launch=[phase("1")]).succeed("1", launch=[phase("2a")]).succeed("2a", completed=True)
    day.status(told=[("0", "complete"), ("1", "complete"), ("2a", "complete")], completed=True).look("0", "1", "2a")
    assert day.broken() == set()
    assert "AB-STA-04" in day.passed()
