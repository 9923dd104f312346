"""The oracle on halts: when a run halts, what its summary says, what is blocked, what the log and ``status`` show."""

import pytest
from handmade_phases import (
    FAIL,
    FAILURES,
    MISSING,
    PASS,
    Day,
    bad,
    both,
    check,
    ok,
    phase,
    plan,
    retry,
    summary,
)

from harness.systems.phase_runner.contract.words import EXECUTION_LOG_PATH

TREE = plan("0", "2A<0", "3<2A", "4<3", "5<0")
FAILED = FAILURES["test_failure"]
AGAIN = {"tasks_completed": 3, "tasks_total": 3}
BLOCKED = [("3", ["2a"]), ("4", ["2a"])]
RECORDS = {"2a": ("failed", 2, both()), "3": ("blocked", 0, {"blocked_by": ["2a"]}),
           "4": ("blocked", 0, {"blocked_by": ["2a"]})}  # fmt: skip


def halted(found=None, records=None, commits=None, **fields):
    """A tree of which 0 is complete, and 2a failed twice."""
    day = Day().start(TREE, ["0"], ids=("0", "2a", "3", "4", "5"))
    day.succeed("0", launch=[phase("2a")], **({} if commits is None else {"commits": commits}))
    day.report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
    shown = found or summary(["0"], [("2a", 2, "test_failure")], BLOCKED, ["5"])
    return day.report(
        "2a", FAILED, 2, halted=True, summary={**shown, **fields}, records=RECORDS if records is None else records
    )


class TestSummaries:
    def test_a_sound_one(self):
        day = halted().look("0", "2a", "3", "4", "5")
        day.status(told=[("0", "complete"), ("2a", "failed", 2, "test_failure"), ("3", "blocked"), ("4", "blocked"),
                         ("5", "pending")], halted=True)  # fmt: skip
        assert day.broken() == set()
        assert {f"AB-HLT-0{n}" for n in (2, 3, 4, 5, 6)} <= day.passed()
        assert day.readings("AB-HLT-04") == ("transitive",)
        assert "AB-STA-03" in day.passed()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"reason": " "}, {"text": ""}, {"resume_steps": []}, {"resume_steps": ["Fix", ""]}, {"state_directory": "/tmp"},
            {"log_directory": ".autobuild/"},
        ],
    )  # fmt: skip
    def test_what_lacks_a_fact_breaks_it(self, wrong):
        assert halted(**wrong).broken() - {"AB-STA-05"} == {"AB-HLT-03"}

    def test_a_halt_without_one_breaks_it(self):
        day = Day().start(plan("2A"), ["2a"]).report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        assert day.report("2a", FAILED, 2, halted=True).broken() == {"AB-HLT-03"}

    @pytest.mark.parametrize(
        "wrong",
        [
            {"completed": [{"phase_id": "0", "name": "Another", "commit": "feat: x"}]},
            {"completed": [{"phase_id": "0", "name": "Name 0", "commit": "feat: y"}]},
            {"completed": [{"phase_id": "0", "name": "Name 0"}]},
            {"failed": [{"phase_id": "2a", "name": "Another", "attempts": 2, "error_type": "test_failure", "details": "d"}]},
            {"failed": [{"phase_id": "2a", "name": "Name 2A", "attempts": 1, "error_type": "test_failure", "details": "d"}]},
            {"failed": [{"phase_id": "2a", "name": "Name 2A", "attempts": 2, "error_type": "test_failure", "details": " "}]},
            {"failed": [{"phase_id": "2a", "name": "Name 2A", "attempts": 2, "max_attempts": 3, "details": "d",
                         "error_type": "test_failure"}]},
        ],
    )  # fmt: skip
    def test_a_wrong_fact_of_a_phase_breaks_it(self, wrong):
        day = halted(**wrong)
        assert day.broken() - {"AB-ERR-06"} == {"AB-HLT-03"}

    def test_what_is_complete_is_listed(self):
        found = summary((), [("2a", 2, "test_failure")], BLOCKED, ["0", "5"])
        assert halted(found).verdict("AB-PAR-02") is FAIL

    def test_what_is_complete_is_listed_where_nothing_was_retried(self):
        day = Day().start(TREE, ["0"], ids=("0", "2a", "3", "4", "5")).succeed("0", launch=[phase("2a")])
        found = summary((), [("2a", 1, "dependency_missing")], BLOCKED, ["0", "5"], missing_package="@types/jest",
                        required_by="Type checking", install_step="npm install -D @types/jest")  # fmt: skip
        assert day.report("2a", bad(missing=MISSING), halted=True, summary=found).broken() == {"AB-HLT-03"}

    def test_what_did_not_run_has_not_failed(self):
        found = summary(["0"], [("2a", 2, "test_failure"), ("5", 1, "timeout")], BLOCKED)
        assert halted(found).broken() == {"AB-HLT-03"}

    def test_what_failed_is_listed(self):
        found = summary(["0"], (), (), ["2a", "3", "4", "5"])
        assert halted(found).verdict("AB-HLT-03") is FAIL

    def test_what_did_not_run_is_not_complete(self):
        found = summary(["0", "5"], [("2a", 2, "test_failure")], BLOCKED)
        assert halted(found).broken() == {"AB-ERR-05"}

    def test_another_type_is_told_wrongly(self):
        found = summary(["0"], [("2a", 2, "lint_error")], BLOCKED, ["5"])
        assert halted(found).broken() == {"AB-ERR-01", "AB-ERR-06"}

    def test_user_actions_are_those_of_the_type(self):
        failed = {"phase_id": "2a", "name": "Name 2A", "attempts": 2, "error_type": "test_failure", "details": "d"}
        assert halted(failed=[failed]).broken() == {"AB-ERR-06"}

    def test_ids_are_shown_in_upper_case(self):
        assert halted(reason="Phase 2a failed").broken() == {"AB-STA-05"}

    @pytest.mark.parametrize(
        "wrong",
        [
            {"resume_command": "/autobuild docs/feature-plan.md --commit=auto"},
            {"resume_command": "/autobuild docs/feature-plan.md --commit=auto --resume --fresh"},
            {"resume_command": "/autobuild docs/plan.md --commit=auto --resume"},
            {"resume_command": "/autobuild docs/feature-plan.md --commit=single --resume"},
            {"resume_command": "/autobuild docs/feature-plan.md --resume"},
            {"fresh_command": "/autobuild docs/feature-plan.md --commit=auto --resume"},
            {"fresh_command": ""},
        ],
    )
    def test_commands_repeat_how_it_was_started(self, wrong):
        assert halted(**wrong).broken() == {"AB-HLT-05"}

    def test_a_command_may_be_quoted_and_its_mode_apart(self):
        day = Day()
        day.args = {"plan_path": "my plan.md", "commit_mode": "single"}
        day.start(plan("2A"), ["2a"], ids=("2a",)).report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        found = summary((), [("2a", 2, "test_failure")])
        found |= {"resume_command": "/autobuild 'my plan.md' --commit single --resume",
                  "fresh_command": "/autobuild 'my plan.md' --commit=single --fresh"}  # fmt: skip
        assert day.report("2a", FAILED, 2, halted=True, summary=found).broken() == set()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"state_files": 4},
            {"pending": []},
            {"pending": ["5", "5"]},
            {"pending": ["6"]},
            {"failed": [*summary((), [("2a", 2, "test_failure"), ("9", 1, "timeout")])["failed"]]},
        ],
    )
    def test_counts_agree(self, wrong):
        assert halted(**wrong).broken() == {"AB-HLT-06"}

    def test_without_snapshots_nobody_counts(self):
        day = Day()
        day.seen = dict
        day.start(plan("2A"), ["2a"]).report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        day.report("2a", FAILED, 2, halted=True, summary=summary((), [("2a", 2, "test_failure")]))
        assert "AB-HLT-06" not in day.findings()

    def test_a_record_that_is_not_there_breaks_the_count(self):
        assert halted(records={**RECORDS, "5": None}).broken() == {"AB-HLT-06"}

    def test_no_commit_is_due_where_one_is_made_for_all(self):
        day = Day()
        day.args = {"commit_mode": "single"}
        day.start(plan("0", "2A<0"), ["0"], ids=("0", "2a")).succeed("0", launch=[phase("2a")], commits=[])
        day.report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        found = summary([("0", None)], [("2a", 2, "test_failure")])
        for name in ("resume_command", "fresh_command"):
            found[name] = found[name].replace("auto ", "single ")
        assert day.report("2a", FAILED, 2, halted=True, summary=found).broken() == set()


class TestBlocking:
    def test_direct_dependants_alone_may_be_blocked(self):
        found = summary(["0"], [("2a", 2, "test_failure")], [("3", ["2a"])], ["4", "5"])
        day = halted(found, records={**RECORDS, "4": "pending"}).look("3", "4")
        assert day.readings("AB-HLT-04") == ("direct",)
        assert day.broken() == set()

    @pytest.mark.parametrize(
        ("blocked", "pending"),
        [
            ((), ["3", "4", "5"]),
            ([("4", ["2a"])], ["3", "5"]),
            ([*BLOCKED, ("5", ["2a"])], []),
            ([("3", []), ("4", ["2a"])], ["5"]),
            ([("3", ["0"]), ("4", ["2a"])], ["5"]),
            ([("3", ["2a", "9"]), ("4", ["2a"])], ["5"]),
        ],
    )
    def test_what_is_downstream_is_blocked_and_names_it(self, blocked, pending):
        found = summary(["0"], [("2a", 2, "test_failure")], blocked, pending)
        assert halted(found).broken() == {"AB-HLT-04"}

    @pytest.mark.parametrize(
        "wrong",
        [
            "pending",
            ("blocked", 0, None),
            ("blocked", 0, {"blocked_by": ["0"]}),
            ("blocked", 0, {"blocked_by": []}),
            ("blocked", 0, {"blocked_by": [7]}),
            ("blocked", 0, {"blocked_by": ["9"]}),
        ],
    )
    def test_it_is_stored_so(self, wrong):
        assert halted(records={**RECORDS, "3": wrong}).look("3").broken() == {"AB-HLT-04"}

    def test_nothing_may_be_blocked(self):
        day = (
            Day()
            .start(plan("2A"), ["2a"], ids=("2a",))
            .report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        )
        day.report("2a", FAILED, 2, halted=True, summary=summary((), [("2a", 2, "test_failure")]))
        assert day.broken() == set()
        assert "AB-HLT-04" not in day.passed()

    def test_of_very_many_that_failed_any_may_be_named(self):
        ids = [f"p{n}" for n in range(40)]
        beside = "//" + ",".join(ids)
        rows = [each.upper() + beside.replace(f",{each},", ",").replace(f"//{each},", "//") for each in ids]
        rows[-1] = "P39//" + ",".join(ids[:-1])
        day = Day().start(plan(*rows, "LAST<p0"), ids, ids=(*ids, "last"))
        for each in ids[:-1]:
            day.report(each, bad(missing=MISSING), halting=True)
        found = summary(
            (),
            [(each, 1, "dependency_missing") for each in ids],
            [("last", ["p7"])],
            missing_package="@types/jest",
            required_by="Type checking",
            install_step="npm install -D @types/jest",
        )
        day.report(ids[-1], bad(missing=MISSING), halted=True, summary=found)
        assert day.broken() == set()


class TestHalting:
    def test_the_log_says_so(self):
        day = halted()
        assert day.look("0").broken() == set()
        day = halted()
        day.disk[EXECUTION_LOG_PATH] = b"START\n"
        day.entries[-1] = type(day.entries[-1])(**{name: getattr(day.entries[-1], name) for name in
                          day.entries[-1].__struct_fields__} | {"files": day.seen()})  # fmt: skip
        assert day.look("0").look("0").broken() == {"AB-HLT-01"}

    def test_a_log_that_is_too_long_is_not_read(self):
        day = halted()
        day.disk[EXECUTION_LOG_PATH] = b"x"
        day.begin("status", {"of": []})
        entry = day.entries[-1]
        inputs = {**entry.inputs, "execution_log": type(entry.inputs["config"])("file", 300_000)}
        day.entries[-1] = type(entry)(
            **{name: getattr(entry, name) for name in entry.__struct_fields__} | {"inputs": inputs}
        )
        assert day.end("status", {"phases": [], "halted": True}).verdict("AB-HLT-01") is None

    @pytest.mark.parametrize(
        "told",
        [{"halted": True}, {"halted": True, "summary": summary(["0"], (), (), ["2a", "3", "4", "5"])}],
    )
    def test_without_a_reason_it_goes_on(self, told):
        day = Day().start(TREE, ["0"], ids=("0", "2a", "3", "4", "5")).report("0", ok(), launch=[check("0")])
        assert "AB-HLT-01" in day.verified("0", **told).broken()

    def test_nothing_is_launched_with_it(self):
        day = Day().start(TREE, ["0"]).succeed("0", launch=[phase("2a")])
        found = summary(["0"], [("2a", 1, "dependency_missing")], BLOCKED, ["5"], missing_package="@types/jest",
                        required_by="Type checking", install_step="npm install -D @types/jest")  # fmt: skip
        day.report("2a", bad(missing=MISSING), halted=True, summary=found, launch=[phase("5")])
        assert day.broken() - {"AB-HLT-06"} == {"AB-HLT-02"}

    def test_nothing_is_accepted_after_it(self):
        day = halted().report("2a", FAILED, 2, launch=[phase("5")])
        assert day.broken() == {"AB-HLT-02"}

    def test_a_run_that_stands_still_breaks_it(self):
        day = Day().start(TREE, ["0"]).report("0", ok(), launch=[check("0")])
        assert day.verified("0").broken() == {"AB-HLT-01"}

    def test_an_end_that_is_not_told_breaks_it(self):
        day = Day().start(plan("0"), ["0"]).report("0", ok(), launch=[check("0")])
        assert day.verified("0").broken() == {"AB-HLT-01"}

    def test_an_end_that_is_none_breaks_it(self):
        day = Day().start(TREE, ["0"]).report("0", ok(), launch=[check("0")])
        assert day.verified("0", completed=True).broken() == {"AB-HLT-01"}

    def test_an_end_while_something_runs_breaks_it(self):
        day = Day().start(plan("0"), ["0"]).report("0", ok(), launch=[check("0")], completed=True)
        assert day.broken() == {"AB-ERR-05"}

    def test_what_is_awaited_is_accepted(self):
        args = {"phase_id": "0", "attempt": 1, "said": "{}"}
        assert Day().start(TREE, ["0"]).do("report", args, {"accepted": False}).broken() == {"AB-HLT-01"}
        day = Day().start(TREE, ["0"]).report("0", ok(), launch=[check("0")])
        args = {"phase_id": "0", "attempt": 1, "gates": {}}
        assert day.do("verified", args, {"accepted": False}).broken() == {"AB-ERR-05"}


class TestMissingPackages:
    def halted(self, **fields):
        found = {**summary((), [("2a", 1, "dependency_missing")], (), ["3"]), "missing_package": "@types/jest",
                 "required_by": "Type checking", "install_step": "Run npm install -D @types/jest", **fields}  # fmt: skip
        return (
            Day()
            .start(plan("2A", "3"), ["2a"], ids=("2a", "3"))
            .report("2a", bad(missing=MISSING), halted=True, summary=found)
        )

    def test_it_is_told_with_its_step(self):
        day = self.halted()
        assert day.broken() == set()
        assert day.readings("AB-NRT-01") == ("halts",)

    @pytest.mark.parametrize("wrong", ["missing_package", "required_by", "install_step"])
    def test_what_is_left_out_is_missed(self, wrong):
        assert self.halted(**{wrong: None}).broken() == {"AB-NRT-01"}

    def test_another_type_is_told_wrongly(self):
        found = self.halted().entries[-1].value["summary"]
        failed = [{**found["failed"][0], "error_type": "test_failure"}]
        assert self.halted(failed=failed).broken() == {"AB-NRT-01"}


class TestStatus:
    @pytest.mark.parametrize(
        ("told", "clause"),
        [
            ([("0", "running")], "AB-PAR-02"),
            ([("2a", "complete")], "AB-ERR-05"),
            ([("2a", "running")], "AB-RTY-03"),
            ([("3", "pending")], "AB-HLT-04"),
            ([("2a", "failed", 2, "lint_error")], "AB-ERR-01"),
        ],
    )
    def test_a_status_that_it_does_not_have_breaks_its_clause(self, told, clause):
        assert halted().status(told[0][0], told=told, halted=True).broken() == {clause}

    def test_what_cannot_be_retried_has_failed(self):
        day = TestMissingPackages().halted().status("2a", told=[("2a", "running")], halted=True)
        assert day.broken() == {"AB-RTY-04"}

    def test_what_runs_is_running(self):
        assert Day().start(TREE, ["0"]).status("0", told=[("0", "pending")]).broken() == {"AB-STA-04"}

    @pytest.mark.parametrize("told", [[("0", "complete")], [("5", "pending"), ("0", "complete")], []])
    def test_what_was_asked_for_is_told_in_order(self, told):
        assert halted().status("0", "5", told=told, halted=True).broken() == {"AB-STA-04"}

    def test_a_phase_that_nobody_knows_is_none(self):
        assert halted().status("0", "x", told=[("0", "complete"), ("x", "pending")], halted=True).broken() == {
            "AB-STA-04"
        }

    def test_of_what_is_no_phase_nothing_is_told(self):
        assert halted().status("x", told=[], halted=True).broken() == set()

    def test_how_the_run_stands_is_told(self):
        assert halted().status("0", told=[("0", "complete")]).broken() == {"AB-HLT-01"}
        assert halted().status("0", told=[("0", "complete")], halted=True, completed=True).verdict("AB-HLT-01") is FAIL

    def test_a_word_that_is_none_is_no_answer(self):
        assert halted().status("0", told=[("0", "retry")], halted=True).broken() == {"AB-STA-04"}

    def test_in_between_a_phase_shows_what_it_likes(self):
        day = Day().start(plan("2A//2B", "2B//2A", "3<2A"), ["2a", "2b"], ids=("2a", "2b", "3"))
        day.report("2a", bad(missing=MISSING), halting=True)
        for status in ("pending", "blocked"):
            day.status("3", told=[("3", status)])
        day.look("3")
        assert day.verdict("AB-STA-04") is PASS
        day = Day().start(plan("2A//2B", "2B//2A"), ["2a", "2b"]).report("2a", FAILED)
        for status in ("running", "failed"):
            day.status("2a", told=[("2a", status)])
        assert day.broken() == set()
