"""The oracle on resumed runs: after a halt, after an interruption, after an operation that was cut off."""

import pytest
from handmade_phases import (
    AGAIN,
    CONFIG,
    FAILED,
    IDS,
    RECORDS,
    TREE,
    Day,
    both,
    check,
    error,
    halted,
    ok,
    phase,
    plan,
    resumed,
    retry,
    summary,
)

from harness.systems.phase_runner.contract.words import CONFIG_PATH

TOLD = {"level": "error", "code": "state_write_failed", "message": "the run does not start"}


class TestResume:
    def test_what_failed_is_executed_and_then_the_rest(self):
        day = resumed("2a").look("2a").succeed("2a", launch=[phase("3")]).succeed("3", launch=[phase("5")])
        day.succeed("5", completed=True).status(told=[(each, "complete") for each in IDS], completed=True)
        assert day.broken() == set()
        assert {"AB-RES-01", "AB-RES-02", "AB-RES-03"} <= day.passed()
        assert day.readings("AB-RES-01") == ("cleared",)
        assert day.readings("AB-RES-03") == ("runnable",)

    def test_old_errors_may_be_kept(self):
        day = resumed("2a").put("2a", ("running", 1, both())).look("2a")
        assert day.readings("AB-RES-01") == ("kept",)

    def test_the_default_is_to_resume(self):
        day = resumed("2a", modes=())
        assert day.broken() == set()
        assert "AB-RES-02" in day.passed()

    def test_a_second_attempt_is_none_of_a_resumed_phase(self):
        assert resumed(phase("2a", 2)).broken() == {"AB-RES-01"}

    def test_nor_is_it_written_so(self):
        day = halted().do("start", {"plan": TREE, "modes": ["resume"]}, {"accepted": True, "launch": [phase("2a")]},
                          p2a=("running", 2, {"attempt_1": error()})).look("2a")  # fmt: skip
        assert day.broken() == {"AB-RES-01"}

    def test_what_remains_comes_after_what_failed(self):
        assert resumed("5").broken() == {"AB-RES-01"}

    @pytest.mark.parametrize(
        "answer", [{}, {"accepted": False}, {"halted": True, "summary": summary(["0"], [("2a", 2, "test_failure")])}]
    )
    def test_who_does_not_go_on_breaks_it(self, answer):
        assert resumed(**answer).broken() & {"AB-RES-01", "AB-HLT-01"}

    def test_what_is_not_accepted_launches_nothing(self):
        assert resumed("2a", accepted=False).broken() == {"AB-RTY-01", "AB-RES-01"}

    def test_who_says_that_all_is_done_breaks_it(self):
        assert resumed(completed=True).broken() == {"AB-RES-01"}

    def test_what_is_complete_is_not_executed_again(self):
        assert resumed("2a", "0").broken() == {"AB-RES-02"}
        day = resumed("2a").report("2a", ok(), launch=[check("2a")])
        assert day.verified("2a", launch=[phase("0"), phase("3")]).broken() == {"AB-RES-02"}

    def test_what_was_blocked_runs(self):
        day = resumed("2a").succeed("2a", launch=[phase("5")]).succeed("5")
        assert day.broken() == {"AB-HLT-01", "AB-RES-03"}
        day = resumed("2a").succeed("2a", launch=[phase("5")]).succeed("5", completed=True)
        assert day.broken() == {"AB-HLT-01", "AB-RES-03"}

    def test_a_completed_run_has_nothing_to_do(self):
        day = Day().start(plan("0"), ["0"], ids=("0",)).succeed("0", completed=True)
        assert day.start(plan("0"), (), ("resume",), completed=True).broken() == set()

    def test_without_state_resume_may_be_refused_or_begin(self):
        assert Day().start(TREE, (), ("resume",), accepted=False).broken() == set()
        assert Day().start(TREE, ["0"], ("resume",)).broken() == set()

    def test_a_run_that_is_at_work_may_be_refused_or_taken_up(self):
        day = Day().start(TREE, ["0"], ids=IDS)
        assert day.start(TREE, (), accepted=False).broken() == set()
        day = Day().start(TREE, ["0"], ids=IDS)
        assert day.start(TREE, ["0"]).readings("AB-RES-04") == ("reset",)

    def test_status_in_between_shows_the_old_or_the_new(self):
        for status in ("failed", "pending"):
            day = Day(**{f"p{each}": "failed" for each in IDS[:2]}).put("3", "blocked").put("5", "pending")
            day.start(TREE, ["0"], ("resume",)).status("2a", told=[("2a", status)])
            assert day.broken() == set()

    def test_a_commit_of_before_is_told_later(self):
        day = resumed("2a").report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        found = summary([("0", "feat: y")], [("2a", 2, "test_failure")], [("3", ["2a"])], ["5"])
        day.report("2a", FAILED, 2, halted=True, summary=found, records=RECORDS)
        assert day.broken() == {"AB-HLT-03"}


class TestInterrupted:
    def at_work(self):
        day = Day().put_at(CONFIG_PATH, CONFIG).start(TREE, ["0"], ids=IDS).succeed("0", launch=[phase("2a")])
        return day.restarted()

    @pytest.mark.parametrize(("attempt", "reading"), [(1, "reset"), (2, "counted")])
    def test_what_was_running_is_executed_again(self, attempt, reading):
        day = resumed(phase("2a", attempt), day=self.at_work())
        assert day.broken() == set()
        assert day.readings("AB-RES-04") == (reading,)

    def test_it_is_not_left_out(self):
        assert resumed(day=self.at_work()).broken() == {"AB-HLT-01", "AB-RES-04"}
        day = resumed("5", day=self.at_work()).succeed("5", completed=True)
        assert day.broken() == {"AB-HLT-01", "AB-RES-04"}

    def second(self):
        day = Day().start(plan("2A"), ["2a"], ids=("2a",))
        return day.report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)]).restarted()

    def test_a_second_attempt_may_count_so_that_it_halts(self):
        found = summary((), [("2a", 2, "test_failure")])
        day = self.second().start(plan("2A"), (), ("resume",), halted=True, summary=found)
        assert day.readings("AB-RES-04") == ("counted",)
        assert day.broken() == set()

    def test_after_a_report_that_was_cut_off_too(self):
        day = Day().start(plan("2A"), ["2a"], ids=("2a",))
        day.cut_off(
            "report", {"phase_id": "2a", "attempt": 1, "said": "{}"}, p2a=("running", 2, {"attempt_1": error()})
        )
        found = summary((), [("2a", 2, "parse_error")])
        assert day.start(plan("2A"), (), ("resume",), halted=True, summary=found).broken() == set()

    def test_or_be_set_back(self):
        day = self.second().start(plan("2A"), ["2a"], ("resume",))
        assert day.readings("AB-RES-04") == ("reset",)

    def test_what_it_reports_may_be_refused_or_accepted(self):
        args = {"phase_id": "2a", "attempt": 1, "said": "{}"}
        assert self.at_work().do("report", args, {"accepted": False}).broken() == set()
        day = self.at_work().report("2a", ok(), launch=[check("2a")]).verified("2a", launch=[phase("3")])
        assert day.broken() == set()
        assert self.at_work().report("2a", ok(), launch=[check("2a"), phase("0")]).broken() == {"AB-PAR-02"}

    def test_a_report_that_was_cut_off_was_done_or_not(self):
        for launch in (["2a"], [phase("2a", 2)]):
            day = Day().start(TREE, ["0"], ids=IDS).succeed("0", launch=[phase("2a")])
            day.cut_off("report", {"phase_id": "2a", "attempt": 1, "said": "{}"})
            assert resumed(*launch, day=day).broken() == set()
            assert "AB-STA-06" in day.passed()

    def verified(self, **records):
        day = Day().start(TREE, ["0"], ids=IDS).report("0", ok(), launch=[check("0")])
        gates = {"test": {"exit_code": 0}}
        return day.cut_off("verified", {"phase_id": "0", "attempt": 1, "gates": gates}, **records)

    def test_a_verification_that_was_cut_off_may_have_completed_the_phase(self):
        assert resumed("0", day=self.verified()).broken() == set()
        assert resumed("2a", day=self.verified()).broken() == set()
        assert resumed("2a", day=self.verified(p0="complete")).broken() == set()
        assert resumed("0", day=self.verified(p0="complete")).broken() == {"AB-RES-02"}

    def test_what_may_be_complete_is_when_all_is(self):
        day = Day().start(plan("0"), ["0"], ids=("0",)).report("0", ok(), launch=[check("0")])
        day.cut_off("verified", {"phase_id": "0", "attempt": 1, "gates": {"test": {"exit_code": 0}}})
        args = {"plan": plan("0"), "modes": ["resume"]}
        day.do("start", args, {"accepted": True, "completed": True}, p0="complete")
        assert day.status("0", told=[("0", "complete")], completed=True).broken() == set()

    def test_it_may_be_asked_again_without_a_start(self):
        day = self.verified()
        day.verified("0", launch=[phase("2a")])
        assert day.broken() == set()
        assert (
            self.verified().do("verified", {"phase_id": "0", "attempt": 1, "gates": {}}, {"accepted": False}).broken()
            == set()
        )

    def test_a_verification_that_failed_completes_nothing(self):
        day = Day().start(TREE, ["0"], ids=IDS).report("0", ok(), launch=[check("0")])
        day.cut_off("verified", {"phase_id": "0", "attempt": 1, "gates": {"test": {"exit_code": 1}}})
        assert resumed("2a", day=day).broken() == {"AB-NRT-03"}

    def test_what_was_torn_breaks_the_promise_of_state(self):
        day = self.verified(p0='{"phase_id": "0"')
        assert resumed(day=day, accepted=False).broken() == {"AB-STA-06"}
        day = self.verified(p0='{"phase_id": "0"')
        assert resumed("0", day=day).broken() == {"AB-STA-06"}

    def test_who_cannot_go_on_breaks_the_promise_of_state(self):
        assert resumed(day=self.verified(), accepted=False).broken() == {"AB-STA-06"}

    def test_a_first_start_that_was_cut_off_begins_anew(self):
        for record_ in (None, "pending", ("running", 1)):
            day = Day().cut_off("start", {"plan": TREE}, p0=record_)
            assert day.start(TREE, ["0"]).broken() == set()
            assert "AB-PRT-01" not in day.passed()

    def test_a_fresh_start_that_was_cut_off_may_have_taken_everything_away(self):
        day = halted().cut_off("start", {"plan": TREE, "modes": ["fresh"]}, p0=None, p2a="pending")
        assert day.start(TREE, ["0"]).broken() == set()

    def test_a_fresh_start_that_failed_may_be_ended_by_the_next(self):
        """It may have taken nothing away, some of it, or all: whether what was complete is so still, nobody knows."""
        for launched in ("2a", "0"):
            day = halted().under("syscall.errno", CONFIG_PATH, errno="EIO")
            day.do("start", {"plan": TREE, "modes": ["fresh"]}, {"accepted": False, "log": [TOLD]})
            day.faults = ()
            assert day.start(TREE, [launched]).broken() == set()
        day = halted().under("syscall.errno", CONFIG_PATH, errno="EIO")
        day.do("start", {"plan": TREE, "modes": ["resume"]}, {"accepted": False, "log": [TOLD]})
        day.faults = ()
        assert resumed("0", day=day).broken() == {"AB-RES-01", "AB-RES-02"}

    def test_a_resume_that_was_cut_off_leaves_what_is_complete(self):
        day = halted().cut_off("start", {"plan": TREE, "modes": ["resume"]}, p2a=("running", 1))
        assert resumed("2a", day=day).broken() == set()
        day = halted().cut_off("start", {"plan": TREE, "modes": ["resume"]})
        assert resumed("0", day=day).broken() == {"AB-RES-02"}

    def test_an_operation_that_no_fault_kept_from_an_answer_has_one(self):
        cases = {"start": ({"plan": TREE}, "AB-NRT-05"), "status": ({}, "AB-STA-04"),
                 "verified": ({"phase_id": "0", "attempt": 1, "gates": {}}, "AB-ERR-05"),
                 "report": ({"phase_id": "0", "attempt": 1}, "AB-ERR-04")}  # fmt: skip
        for op, (args, clause) in cases.items():
            assert Day().do(op, args, {"what": "is this"}).broken() == {clause}
        assert Day().do("start", {"plan": TREE, "modes": ["fresh", "resume"]}, {}).broken() == {"AB-FRS-03"}
        for said, clause in {
            "no": "AB-ERR-07",
            '{"success": true, "tasks_total": 1, "tasks_completed": 1}': "AB-HLT-01",
        }.items():
            assert Day().do("report", {"phase_id": "0", "attempt": 1, "said": said}, {}).broken() == {clause}
        assert Day().do("start", {"plan": 7}, {}).findings() == {}
