"""The oracle on batches: siblings of what failed, retries together, files that two phases changed."""

import pytest
from handmade_phases import (
    FAIL,
    FAILURES,
    MISSING,
    PAIR,
    PASS,
    TRIO,
    Day,
    bad,
    both,
    check,
    conflict,
    error,
    lines,
    ok,
    phase,
    retry,
    summary,
)

FAILED = FAILURES["test_failure"]
AGAIN = {"tasks_completed": 3, "tasks_total": 3}
PACKAGE = {
    "missing_package": "@types/jest",
    "required_by": "Type checking",
    "install_step": "npm install -D @types/jest",
}
ONCE = ("failed", 1, {"attempt_1": error()})


def pair():
    return Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3"))


def trio():
    return Day().start(TRIO, ["2a", "2b", "2c"], ids=("2a", "2b", "2c", "3", "4"))


def again(id_):
    return retry(id_, "test_failure", **AGAIN)


class TestSiblingsFinishBeforeARetry:
    def test_a_retry_waits(self):
        day = pair().report("2a", FAILED, records={"2a": ONCE}).succeed("2b", launch=[again("2a")])
        day.succeed("2a", 2, launch=[phase("3")]).succeed("3", completed=True).look("2a", "2b", "3")
        assert day.broken() == set()
        assert {"AB-PAR-01", "AB-PAR-02", "AB-RTY-07", "AB-STA-01", "AB-STA-02"} <= day.passed()
        assert day.readings("AB-PAR-01") == ("waits",)

    def test_a_retry_beside_a_sibling_breaks_it(self):
        assert pair().report("2a", FAILED, launch=[again("2a")]).broken() == {"AB-PAR-01"}

    def test_another_phase_beside_a_sibling_breaks_it(self):
        day = trio().succeed("2a").report("2b", FAILED, launch=[phase("3")])
        assert day.broken() == {"AB-PAR-01"}

    def test_while_a_claim_is_verified_a_retry_may_begin_or_not(self):
        for launch in ([again("2a")], []):
            day = pair().report("2a", FAILED).report("2b", ok(), launch=[check("2b"), *launch])
            day.verified("2b", launch=[] if launch else [again("2a")])
            assert day.broken() == set()

    def test_a_retry_runs_alone(self):
        day = trio().succeed("2a").succeed("2b").report("2c", FAILED, launch=[again("2c"), phase("3")])
        assert day.broken() == {"AB-RTY-07"}

    def test_a_complete_sibling_is_not_run_again(self):
        day = pair().report("2a", FAILED).report("2b", ok(), launch=[check("2b")])
        assert day.verified("2b", launch=[again("2a"), phase("2b")]).broken() == {"AB-PAR-02"}

    @pytest.mark.parametrize(("op", "clause"), [("retry", "AB-RTY-07"), ("after", "AB-PAR-02")])
    def test_a_sibling_is_committed_once(self, op, clause):
        commits = [{"phases": ["2a"], "subject": "feat: x"}]
        day = pair().succeed("2a")
        if op == "retry":
            day.report("2b", FAILED, launch=[again("2b")], commits=commits)
            day.report("2b", ok(), 2, launch=[check("2b", 2)], commits=commits)
            assert day.verdict(clause) is FAIL
        else:
            assert day.report("2b", ok(), launch=[check("2b")], commits=commits).broken() == {clause}

    def test_only_what_is_complete_is_committed(self):
        commits = [{"phases": ["2a"], "subject": "feat: x"}, {"phases": ["9"], "subject": "feat: y"}]
        assert pair().report("2a", ok(), launch=[check("2a")], commits=commits).broken() == {"AB-ERR-05"}


class TestSeveralFail:
    def failed(self, *retries):
        day = trio().report("2a", FAILED).report("2b", FAILED)
        return day.succeed("2c", launch=list(retries))

    def test_all_are_retried_together(self):
        day = self.failed(again("2a"), again("2b"))
        found = summary(["2a", "2c"], [("2b", 2, "test_failure")], (), ["3", "4"])
        day.succeed("2a", 2).report("2b", FAILED, 2, halted=True, summary=found)
        assert day.broken() == set()
        assert {"AB-PAR-03", "AB-PAR-04"} <= day.passed()

    def test_one_after_the_other_breaks_it(self):
        assert self.failed(again("2a")).broken() == {"AB-PAR-03"}

    def test_none_breaks_the_list_of_types(self):
        assert self.failed().broken() == {"AB-CLS-01"}

    def test_a_retry_that_succeeded_stays_complete(self):
        day = self.failed(again("2a"), again("2b"))
        found = summary(["2c"], [("2b", 2, "test_failure")], (), ["2a", "3", "4"])
        assert day.succeed("2a", 2).report("2b", FAILED, 2, halted=True, summary=found).broken() == {"AB-PAR-04"}

    def test_the_other_retry_is_waited_for(self):
        day = self.failed(again("2a"), again("2b")).report(
            "2b", FAILED, 2, halting=True, records={"2b": ("failed", 2, both())}
        )
        found = summary(["2a", "2c"], [("2b", 2, "test_failure")], (), ["3", "4"])
        day.report("2a", ok(), 2, [check("2a", 2)], halting=True)
        assert day.verified("2a", 2, halted=True, summary=found).broken() == set()
        assert day.verdict("AB-HLT-01") is PASS

    def test_who_halts_beside_a_retry_breaks_it(self):
        day = self.failed(again("2a"), again("2b"))
        found = summary(["2c"], [("2b", 2, "test_failure")], (), ["2a", "3", "4"])
        assert day.report("2b", FAILED, 2, halted=True, summary=found).broken() == {"AB-HLT-01"}

    def test_of_two_that_failed_each_is_told(self):
        day = self.failed(again("2a"), again("2b")).report("2b", FAILED, 2, halting=True)
        failed = [("2a", 2, "test_failure"), ("2b", 2, "test_failure")]
        day.report("2a", FAILED, 2, halted=True, summary=summary(["2c"], failed, [("3", ["2a"]), ("4", ["2a"])]))
        assert day.broken() == set()


class TestWhatCannotBeRetriedInABatch:
    def begun(self, **how):
        return pair().report("2a", bad(missing=MISSING), **how)

    def halted(self, *completed, failed=(), **how):
        return {"halted": True, "summary": summary(completed, [("2a", 1, "dependency_missing"), *failed],
                                                   [("3", ["2a"])], **PACKAGE), **how}  # fmt: skip

    def test_siblings_finish_then_it_halts(self):
        day = self.begun(halting=True).report("2b", ok(), launch=[check("2b")], halting=True)
        day.verified("2b", **self.halted("2b"))
        assert day.broken() == set()
        assert {"AB-PAR-05", "AB-HLT-01", "AB-RTY-04", "AB-NRT-01"} <= day.passed()

    def test_it_may_leave_a_claim_unverified(self):
        found = summary((), [("2a", 1, "dependency_missing")], [("3", ["2a"])], ["2b"], **PACKAGE)
        day = self.begun(halting=True).report("2b", ok(), halted=True, summary=found)
        assert day.status(told=[("2a", "failed"), ("2b", "running"), ("3", "blocked")], halted=True).broken() == {
            "AB-NRT-01"
        }

    def test_what_was_never_verified_is_not_complete(self):
        day = self.begun(halting=True).report("2b", ok(), **self.halted("2b"))
        assert day.broken() == {"AB-ERR-05"}

    def test_who_halts_beside_a_sibling_breaks_it(self):
        day = self.begun(**self.halted())
        assert day.verdict("AB-HLT-01") is FAIL
        assert day.verdict("AB-PAR-05") is FAIL

    def test_a_sibling_that_failed_is_not_retried(self):
        day = self.begun(halting=True).report("2b", FAILED, **self.halted(failed=[("2b", 1, "test_failure")]))
        assert day.readings("AB-PAR-05") == ("no_retry",)
        assert day.broken() == set()

    def test_or_it_is_before_it_halts(self):
        day = self.begun().report("2b", FAILED, launch=[again("2b")])
        day.report("2b", FAILED, 2, **self.halted(failed=[("2b", 2, "test_failure")]))
        assert day.readings("AB-PAR-05") == ("retried",)
        assert day.broken() == set()

    def test_nothing_is_launched_once_it_halts(self):
        day = self.begun(halting=True).report("2b", FAILED, launch=[again("2b")], halting=True)
        assert day.verdict("AB-HLT-02") is FAIL

    def test_a_halt_that_never_comes_breaks_it(self):
        assert self.begun().succeed("2b").broken() == {"AB-RTY-04"}
        assert self.begun().succeed("2b", launch=[phase("3")]).verdict("AB-RTY-04") is FAIL

    def test_a_halt_is_not_taken_back(self):
        assert self.begun(halting=True).report("2b", ok(), launch=[check("2b")]).broken() == {"AB-HLT-01"}

    def test_it_halts_when_nothing_runs_any_more(self):
        day = self.begun(halting=True).report("2b", ok(), launch=[check("2b")], halting=True)
        assert day.verified("2b", halting=True).broken() == {"AB-HLT-01"}


def changed(*paths, sort="modified", at=None):
    return ok(**{sort: [{"path": path, "lines": [lines(*at)] if at else []} for path in paths]})


class TestConflicts:
    def batch(self, one, other, **how):
        day = pair().report("2a", one, launch=[check("2a")]).report("2b", other, launch=[check("2b")])
        return day.verified("2a").verified("2b", **how)

    def halted(self, file="src/a.ts", of=None, completed=("2a", "2b"), failed=(), **fields):
        found = conflict(file, **(of or {"p2a": [lines(10, 25)], "p2b": [lines(15, 30)]}))
        blocked, pending = ([("3", [failed[0][0]])], ()) if failed else ((), ["3"])
        return {"halted": True, "summary": summary([(each, None) for each in completed], failed, blocked, pending,
                                                   conflicts=[{**found, **fields}])}  # fmt: skip

    def twice(self, **how):
        return self.batch(changed("src/a.ts", at=(10, 25)), changed("./src//x/../a.ts", at=(15, 30)), **how)

    def test_one_file_under_two_names_halts(self):
        day = self.twice(**{**self.halted(), "summary": {**self.halted()["summary"], "completed": []}})
        assert day.verdict("AB-NRT-04") is PASS
        assert {"AB-CLS-02", "AB-HLT-02"} <= day.passed()

    def test_as_failed_or_as_complete(self):
        failed = [("2a", 1, "file_conflict"), ("2b", 1, "file_conflict")]
        for how in (self.halted(completed=(), failed=failed), self.halted()):
            assert self.twice(**how).broken() == set()

    def test_as_failed_they_stay_so(self):
        failed = [("2a", 1, "file_conflict"), ("2b", 1, "file_conflict")]
        day = self.twice(**self.halted(completed=(), failed=failed), records={"2a": "failed", "2b": "failed"})
        day.look("2a", "2b").status("2a", told=[("2a", "failed", 1, "file_conflict")], halted=True)
        assert day.broken() == set()
        assert day.status("2a", told=[("2a", "failed", 1, "lint_error")], halted=True).broken() == {"AB-NRT-04"}

    def test_another_type_is_told_wrongly(self):
        failed = [("2a", 1, "lint_error"), ("2b", 1, "file_conflict")]
        assert self.twice(**self.halted(completed=(), failed=failed)).broken() == {"AB-NRT-04"}

    def test_who_goes_on_breaks_it(self):
        assert self.twice(launch=[phase("3")]).broken() == {"AB-NRT-04"}

    def test_who_stops_breaks_it(self):
        assert self.twice().broken() == {"AB-NRT-04"}

    @pytest.mark.parametrize(
        "wrong",
        [
            {"options": ["Manually merge the changes"]},
            {"sides": [{"phase_id": "2a", "lines": [lines(10, 25)]}]},
            {"sides": [{"phase_id": "2a", "lines": []}, {"phase_id": "2b", "lines": []}]},
            {"file": "src/b.ts"},
        ],
    )
    def test_what_is_told_of_it_is_right(self, wrong):
        how = self.halted(**wrong) if "file" not in wrong else self.halted("src/b.ts")
        for each in how["summary"]["completed"]:
            each["commit"] = "feat: x"
        assert self.twice(**how).broken() == {"AB-NRT-04"}

    def test_a_report_of_no_file_breaks_it(self):
        found = summary(["2a", "2b"], (), (), ["3"])
        assert self.twice(halted=True, summary=found).broken() == {"AB-NRT-04"}

    def test_other_lines_of_one_file_are_a_conflict_or_not(self):
        one, other = changed("src/a.ts", at=(1, 5)), changed("src/a.ts", at=(6, 9))
        assert self.batch(one, other, launch=[phase("3")]).readings("AB-NRT-04") == ("range",)
        how = self.halted(of={"p2a": [lines(1, 5)], "p2b": [lines(6, 9)]})
        assert self.batch(one, other, **how).readings("AB-NRT-04") == ("file",)

    def test_files_whose_lines_nobody_knows_are_one_or_not(self):
        one, other = changed("src/a.ts"), changed("src/a.ts", sort="deleted")
        assert self.batch(one, other, launch=[phase("3")]).readings("AB-NRT-04") == ("range",)
        how = self.halted(of={"p2a": [], "p2b": []})
        assert self.batch(one, other, **how).readings("AB-NRT-04") == ("file", "range")

    def test_what_both_created_is_one(self):
        one = changed("src/a.ts", sort="created", at=(1, 5))
        assert self.batch(one, one, launch=[phase("3")]).broken() == {"AB-NRT-04"}
        how = self.halted(of={"p2a": [], "p2b": [lines(1, 5)]})
        assert self.batch(one, one, **how).verdict("AB-NRT-04") is PASS

    def test_other_files_are_none(self):
        one, other = changed("src/a.ts", at=(10, 25)), changed("src/b.ts", at=(10, 25))
        assert self.batch(one, other, launch=[phase("3")]).broken() == set()
        assert self.batch(one, other, **self.halted()).broken() == {"AB-NRT-04"}

    @pytest.mark.parametrize("odd", ["/src/a.ts", "..", "src\\a.ts", " src/a.ts", "", "x/..", "a\0"])
    def test_of_odd_names_nobody_knows(self, odd):
        one, other = changed("src/a.ts", at=(10, 25)), changed(odd, at=(10, 25))
        assert self.batch(one, other, launch=[phase("3")]).broken() == set()
        found = {"halted": True, "summary": summary(["2a", "2b"], (), (), ["3"], conflicts=[conflict(odd, p2a=[])])}
        assert self.batch(one, other, **found).broken() == set()

    @pytest.mark.parametrize(("one", "other"), [("src/A.ts", "SRC/a.ts"), ("\u00e9.ts", "e\u0301.ts")])
    def test_names_that_some_systems_take_for_one_are_one_or_not(self, one, other):
        claims = changed(one, at=(10, 25)), changed(other, at=(10, 25))
        assert self.batch(*claims, launch=[phase("3")]).broken() == set()
        failed = [("2a", 1, "file_conflict"), ("2b", 1, "file_conflict")]
        for how in (self.halted(one), self.halted(one.lower(), completed=(), failed=failed)):
            assert self.batch(*claims, **how).broken() == set()

    def test_a_phase_that_names_a_file_in_two_ways_is_in_no_conflict(self):
        day = self.batch(changed("a.ts", "A.ts"), changed("b.ts"), **self.halted("a.ts"))
        assert day.broken() == {"AB-NRT-04"}

    def test_one_file_may_be_told_under_a_name_that_some_systems_take_for_its_own(self):
        claims = changed("A.ts", sort="created"), changed("A.ts", "a.ts", sort="created")
        assert self.batch(*claims, **self.halted("a.ts", {"p2a": [], "p2b": []})).broken() == set()

    def test_every_file_is_told(self):
        both = changed("a", "b", sort="created")
        found = [conflict(each, p2a=[], p2b=[]) for each in ("a", "b")]
        for count, broken in ((2, set()), (1, {"AB-NRT-04"})):
            told = summary([(each, None) for each in ("2a", "2b")], (), (), ["3"], conflicts=found[:count])
            assert self.batch(both, both, halted=True, summary=told).broken() == broken

    def test_a_file_of_which_only_some_say_so_may_be_left_out(self):
        both = ok(created=[{"path": "a", "lines": []}], modified=[{"path": "b", "lines": []}])
        how = self.halted("a", {"p2a": [], "p2b": []})
        assert self.batch(both, both, **how).broken() == set()

    @pytest.mark.parametrize(("struck", "broken"), [("{home}/.autobuild.lock", set()), ("{home}.lock", {"AB-ERR-05"})])
    def test_who_cannot_open_what_lies_beside_the_state_may_refuse(self, struck, broken):
        day = pair().report("2a", ok(), launch=[check("2a")]).under("syscall.errno", struck)
        assert day.verified("2a", accepted=False).broken() == broken

    def test_it_may_be_told_as_soon_as_the_second_claims(self):
        day = pair().report("2a", changed("a"), launch=[check("2a")])
        day.report("2b", changed("a"), launch=[check("2b")], halting=True)
        how = self.halted("a", {"p2a": [], "p2b": []})
        for each in how["summary"]["completed"]:
            each["commit"] = "feat: x"
        assert day.verified("2a", halting=True).verified("2b", **how).broken() == set()

    def test_a_sibling_that_failed_may_be_retried_before_it_halts(self):
        made = changed("a", sort="created")
        day = trio().report("2a", made, launch=[check("2a")]).report("2b", made, launch=[check("2b")])
        day.report("2c", FAILED).verified("2a").verified("2b", launch=[again("2c")])
        assert day.broken() == set()
        assert day.readings("AB-PAR-05") == ("retried",)
        assert day.succeed("2c", 2, launch=[phase("3")]).broken() == {"AB-NRT-04"}

    def test_what_a_failed_attempt_changed_may_be_a_conflict(self):
        day = (
            pair()
            .report("2a", {**FAILED, "modified": [{"path": "a"}]})
            .report("2b", changed("a"), launch=[check("2b")])
        )
        assert day.verified("2b", launch=[again("2a")]).broken() == set()

    def test_a_file_that_three_changed_at_different_places(self):
        day = trio()
        spans = {"2a": (1, 2), "2b": (5, 9), "2c": (9, 9)}
        for id_, at in spans.items():
            day.report(id_, changed("a", at=at), launch=[check(id_)])
        day.verified("2a").verified("2b").verified("2c", launch=[phase("3")])
        assert day.broken() == {"AB-NRT-04"}

    def test_a_phase_is_in_no_conflict_with_itself(self):
        one = ok(modified=[{"path": "a", "lines": [lines(1, 5), lines(2, 9)]}], created=[{"path": "./a"}])
        assert self.batch(one, changed("b"), launch=[phase("3")]).broken() == set()
