"""The oracle on what a run shows of a clause beside its main case: second attempts, conflicts, results on disk, names."""

import json

import pytest
from handmade_phases import (
    AGAIN,
    CONFIG,
    FAIL,
    FAILED,
    LINT_CASE,
    MISSING,
    ONE,
    PAIR,
    PASS,
    RESOLVED,
    TRIO,
    Day,
    bad,
    both,
    check,
    conflict,
    error,
    gate,
    lines,
    ok,
    phase,
    plan,
    record,
    retry,
    summary,
)

from harness.core.history import InputFact
from harness.systems.phase_runner.contract.words import CONFIG_PATH

DOUBTFUL = json.dumps({"success": "yes", "tasks_total": 1, "tasks_completed": 1})
PACKAGE = {"missing_package": "@types/jest", "required_by": "Type checking",
           "install_step": "npm install -D @types/jest"}  # fmt: skip
MISMATCH = retry("2a", "verification_mismatch", tasks_completed=1, tasks_total=1)


def once(**answer):
    """The only phase failed once, and is retried."""
    return Day().start(ONE, ["2a"]).report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)], **answer)


def failed_halt(type_, *others, **fields):
    return {"halted": True, "summary": summary((), [("2a", 2, type_), *others], **fields)}


def named_details(answer, details):
    answer["summary"]["failed"][0]["details"] = details
    return answer


class TestADoubtfulSecondAttempt:
    @pytest.mark.parametrize("said", [DOUBTFUL, "I did it.", "{", '{"success": true', "x {} y"])
    def test_halts_as_what_cannot_be_parsed(self, said):
        assert once().report("2a", said, 2, **failed_halt("parse_error")).broken() == set()

    def test_is_not_shown_to_be_one_thing_or_another(self):
        day = once().report("2a", DOUBTFUL, 2, **failed_halt("parse_error"))
        assert not {"AB-ERR-07", "AB-NRT-01", "AB-CLS-03"} & day.passed()

    def test_may_be_a_claim_that_is_verified(self):
        day = once().report("2a", DOUBTFUL, 2, [check("2a", 2)])
        assert day.verified("2a", 2, records={"2a": ("complete", 2, RESOLVED)}, completed=True).broken() == set()

    def test_of_which_the_summary_says_that_it_failed(self):
        assert (
            once().report("2a", DOUBTFUL, 2, halted=True, summary=summary(pending=["2a"])).verdict("AB-HLT-01") is FAIL
        )

    def test_halts_while_a_sibling_is_retried(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).report("2a", FAILED)
        again = [retry(each, "test_failure", **AGAIN) for each in ("2a", "2b")]
        day.report("2b", FAILED, launch=again).report("2a", DOUBTFUL, 2, halting=True)
        found = summary((), [("2a", 2, "parse_error"), ("2b", 2, "test_failure")], [("3", ["2a"])])
        assert day.report("2b", FAILED, 2, halted=True, summary=found).broken() == set()

    def test_of_a_run_that_halts_for_another_may_be_a_claim(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).report("2a", bad(missing=MISSING), halting=True)
        for failed, pending in (([("2b", 1, "parse_error")], ()), ((), ["2b"])):
            found = summary((), [("2a", 1, "dependency_missing"), *failed], [("3", ["2a"])], pending, **PACKAGE)
            other = Day()
            other.entries, other.disk = list(day.entries), dict(day.disk)
            other.report("2b", DOUBTFUL, halted=True, summary=found)
            assert other.broken() == set()
        assert day.report("2b", DOUBTFUL, halting=True).broken() == {"AB-HLT-01"}

    def test_beside_a_conflict_may_be_a_claim(self):
        day = Day().start(TRIO, ["2a", "2b", "2c"], ids=("2a", "2b", "2c", "3", "4"))
        same = ok(modified=[{"path": "a", "lines": [lines(1, 2)]}])
        day.report("2a", same, launch=[check("2a")]).report("2b", same, launch=[check("2b")])
        day.report("2c", DOUBTFUL, halting=True)
        day.put("2c", "running").look("2c")
        assert day.broken() == set()

    def test_beside_a_conflict_that_was_told_it_may_be_a_claim(self):
        day = Day().start(TRIO, ["2a", "2b", "2c"], ids=("2a", "2b", "2c", "3", "4"))
        same = ok(modified=[{"path": "a", "lines": [lines(1, 2)]}])
        day.report("2a", same, launch=[check("2a")]).report("2b", same, launch=[check("2b")], halting=True)
        assert day.report("2c", DOUBTFUL, halting=True).put("2c", "pending").look("2c").broken() == set()


class TestARunThatGoesOnThoughARetryFailed:
    def retried(self):
        day = Day().start(TRIO, ["2a", "2b", "2c"], ids=("2a", "2b", "2c", "3", "4")).succeed("2c")
        again = [retry(each, "test_failure", **AGAIN) for each in ("2a", "2b")]
        return day.report("2a", FAILED).report("2b", FAILED, launch=again)

    def test_after_it_was_halting(self):
        day = self.retried().report("2b", FAILED, 2, halting=True).succeed("2a", 2, launch=[phase("3")])
        assert {"AB-PAR-04", "AB-HLT-01"} <= day.broken()

    def test_without_a_halt(self):
        day = self.retried().succeed("2a", 2).report("2b", FAILED, 2)
        assert day.broken() == {"AB-PAR-04", "AB-RTY-03"}

    def test_with_another_phase(self):
        day = self.retried().succeed("2a", 2, launch=[]).report("2b", FAILED, 2, launch=[phase("3")])
        assert day.broken() == {"AB-PAR-04", "AB-RTY-03"}

    def test_one_retry_alone_is_no_case_of_it(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).succeed("2b")
        day.report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)]).report("2a", FAILED, 2)
        assert day.broken() == {"AB-RTY-03"}

    def test_nor_are_retries_that_changed_one_file(self):
        day, same = self.retried(), ok(created=[{"path": "a"}])
        assert day.succeed("2a", 2, same).succeed("2b", 2, same, [phase("3")]).broken() == {"AB-NRT-04"}

    def test_what_halts_for_another_reason_is_none_either(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).report("2a", bad(missing=MISSING), halting=True)
        assert day.report("2b", ok(), launch=[check("2b")]).broken() == {"AB-HLT-01"}


def conflicted(**answer):
    day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3"))
    same = ok(created=[{"path": "a"}])
    day.report("2a", same, launch=[check("2a")]).report("2b", same, launch=[check("2b")]).verified("2a")
    found = summary(["2a", "2b"], (), (), ["3"], conflicts=[conflict("a", p2a=[], p2b=[])])
    return day.verified("2b", **(answer or {"halted": True, "summary": found}))


class TestWhatCannotBeRetried:
    def test_a_conflict_that_halts_shows_it(self):
        assert {"AB-RTY-04", "AB-CLS-02", "AB-NRT-04"} <= conflicted().passed()

    def test_a_conflict_that_does_not_shows_nothing(self):
        assert conflicted(launch=[phase("3")]).verdict("AB-RTY-04") is None

    def test_a_second_attempt_shows_the_list_of_types(self):
        day = once().report("2a", bad(missing=MISSING), 2, **failed_halt("dependency_missing", **PACKAGE))
        assert day.broken() == set()
        assert "AB-CLS-02" in day.passed()

    def test_a_second_attempt_that_may_be_retried_does_not(self):
        day = once().report("2a", FAILED, 2, **failed_halt("test_failure"))
        assert day.verdict("AB-CLS-02") is None


class TestAMismatchInTheSecondAttempt:
    def day(self, details="it went wrong", **disk):
        day = once().report("2a", ok(), 2, [check("2a", 2)])
        answer = named_details(failed_halt("verification_mismatch"), details)
        day.verified("2a", 2, {"lint": gate(LINT_CASE)}, **answer, records={"2a": ("failed", 2, disk)} if disk else {})
        return day.look("2a")

    def record(self, message):
        return {**both("test_failure", "verification_mismatch"), "attempt_2": error("verification_mismatch", message)}

    def test_what_was_found_is_in_the_summary(self):
        day = self.day("It claimed success, but lint failed.", **self.record("it went wrong"))
        assert day.broken() == set()
        assert "AB-ERR-05" in day.passed()

    def test_or_in_the_record(self):
        assert "AB-ERR-05" in self.day(**self.record("It claimed success, but lint failed.")).passed()

    def test_where_it_is_in_neither_nothing_is_shown(self):
        day = self.day(**self.record("it went wrong"))
        assert day.broken() == set()
        assert day.verdict("AB-ERR-05") is None


class TestResultsOnDisk:
    def day(self, later, *, launch=True):
        result = {"execution": {"tasks_total": 1}}
        complete = record("2a", "complete", 1, **result)
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).succeed("2a", records={"2a": complete}).look("2a")
        day.report("2b", FAILED, launch=[retry("2b", "test_failure", **AGAIN)] if launch else [])
        return day.put("2a", record("2a", "complete", 1, execution=later)).look("2a")

    def observed(self, day):
        return day.findings()["AB-PAR-02"].witnesses

    def test_beside_a_retry_they_are_compared(self):
        same, other = self.day({"tasks_total": 1}), self.day({"tasks_total": 9})
        assert same.broken() == set()
        before = Day()
        before.entries = same.entries[:-2]
        assert self.observed(same) > self.observed(before)
        assert other.broken() == {"AB-RTY-07"}

    def resumed(self, later, *, touched=False):
        text = plan("0", "1<0")
        day = Day().start(text, ["0"], ids=("0", "1")).succeed("0", launch=[phase("1")]).look("0")
        if touched:
            day.under("json_document.null", "{home}/.autobuild/phases/phase-0.json")
            day.put("0", record("0", "complete", 1, execution=later))
            day.start(text, ["1"], ("resume",))
        else:
            day.start(text, ["1"], ("resume",)).put("0", record("0", "complete", 1, execution=later))
        return day.look("0").look("0")

    def test_over_a_resume_too(self):
        assert "AB-PAR-02" in self.resumed(None).passed()
        assert self.resumed({"tasks_total": 9}).broken() == {"AB-PAR-02"}

    def test_what_is_looked_at_once_is_compared_with_nothing(self):
        day = Day(p0="complete", p1="pending").start(plan("0", "1<0"), ["1"], ("resume",)).look("0")
        assert day.verdict("AB-PAR-02") is None
        assert day.look("0").verdict("AB-PAR-02") is PASS

    def test_what_somebody_else_changed_is_what_counts(self):
        assert self.resumed({"tasks_total": 9}, touched=True).broken() == set()


def changed(*paths):
    return ok(modified=[{"path": each, "lines": [lines(1, 9)]} for each in paths])


class TestNoConflict:
    def day(self, one, other, **answer):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3"))
        day.report("2a", one, launch=[check("2a")]).report("2b", other, launch=[check("2b")]).verified("2a")
        return day.verified("2b", **(answer or {"launch": [phase("3")]}))

    def test_different_files_let_the_run_go_on(self):
        day = self.day(changed("a"), changed("b", "c"))
        assert day.verdict("AB-NRT-04") is PASS
        assert day.broken() == set()

    @pytest.mark.parametrize("other", [ok(), changed("/b")])
    def test_where_no_files_are_named_or_odd_ones_nothing_is_shown(self, other):
        assert self.day(changed("a"), other).verdict("AB-NRT-04") is None

    def test_a_file_of_an_attempt_that_failed_may_be_one(self):
        day = Day().start(TRIO, ["2a", "2b", "2c"], ids=("2a", "2b", "2c", "3", "4"))
        day.report("2c", {**FAILED, "modified": [{"path": "a"}]}).report("2a", changed("a"), launch=[check("2a")])
        day.report("2b", changed("b"), launch=[check("2b")]).verified("2a")
        day.verified("2b", launch=[retry("2c", "test_failure", **AGAIN)])
        assert day.verdict("AB-NRT-04") is None

    def test_a_halt_for_them_breaks_it(self):
        found = summary(["2a", "2b"], (), (), ["3"], conflicts=[conflict("a", p2a=[], p2b=[])])
        assert self.day(changed("a"), changed("b"), halted=True, summary=found).broken() == {"AB-NRT-04"}


class TestTheStateOfAnotherPlan:
    """Whose name of a phase counts is open where plan and record have different ones."""

    TEXT = plan("0", "1<0")

    def day(self, *told, unseen=False, modes=("resume",), status="complete"):
        day = Day(p0={**record("0", status, 1), "phase_name": "Old"}, p1="pending").put_at(CONFIG_PATH, CONFIG)
        if unseen:
            facts = day.facts
            day.facts = lambda op, args: {**facts(op, args), "record 0": InputFact("file", 300_000)}
        again = retry("1", "test_failure", **AGAIN)
        day.start(self.TEXT, ["1"], modes).report("1", FAILED, launch=[again])
        found = summary([("0", None)], [("1", 2, "test_failure")])
        for each, name in zip(found["completed"] + found["failed"], told, strict=False):
            each["name"] = name
        return day.report("1", FAILED, 2, halted=True, summary=found)

    @pytest.mark.parametrize("name", ["Old", "Name 0"])
    def test_either_is_right_and_decides_nothing(self, name):
        assert self.day(name).verdict("AB-HLT-03") is None

    def test_a_third_one_is_wrong(self):
        assert self.day("Another").broken() == {"AB-HLT-03"}

    def test_the_others_have_one_name(self):
        assert self.day("Old", "Another").broken() == {"AB-HLT-03"}

    def test_one_that_nobody_sees_may_be_any(self):
        assert self.day("Another", unseen=True).verdict("AB-HLT-03") is None

    def test_of_a_fresh_start_the_plan_counts(self):
        day = Day(p0={**record("0", "failed", 1), "phase_name": "Old"}).put_at(CONFIG_PATH, CONFIG)
        day.start(plan("0"), ["0"], ("fresh",))
        day.report("0", FAILED, launch=[retry("0", "test_failure", **AGAIN)])
        found = summary((), [("0", 2, "test_failure")])
        found["failed"][0]["name"] = "Old"
        assert day.report("0", FAILED, 2, halted=True, summary=found).broken() == {"AB-HLT-03"}

    def test_of_one_plan_it_is_shown(self):
        day = once().report("2a", FAILED, 2, **failed_halt("test_failure"))
        assert day.verdict("AB-HLT-03") is PASS


def test_a_mismatch_of_the_first_attempt_is_told_in_the_context():
    day = Day().start(ONE, ["2a"]).report("2a", ok(), launch=[check("2a")])
    assert "AB-ERR-05" in day.verified("2a", gates={"lint": gate(LINT_CASE)}, launch=[MISMATCH]).passed()
