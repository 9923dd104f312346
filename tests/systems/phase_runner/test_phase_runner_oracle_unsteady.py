"""The oracle on files that change while they are read, on kills that were seen, and on operations that overlap."""

import json

import pytest
from handmade_phases import (
    AGAIN,
    CONFIG,
    FAILED,
    PAIR,
    PASS,
    Day,
    check,
    error,
    halted,
    ok,
    phase,
    plan,
    record,
    resumed,
    retry,
    summary,
)

from harness.core.history import EntryType
from harness.systems.phase_runner.contract.words import CONFIG_PATH, STATE_DIRECTORY, phase_path

CHAIN = plan("0", "1<0", "2<1")
GROWN = json.dumps(record("0", "complete", 1)) + "\nmore"


def half_done():
    """0 is complete, 1 runs, and 2 never ran."""
    return Day().start(CHAIN, ["0"], ids=("0", "1", "2")).succeed("0", launch=[phase("1")])


def growing(day=None):
    return (day or half_done()).put("0", GROWN).under("filesystem.growing", phase_path("0"))


def vanishing(path=STATE_DIRECTORY, day=None):
    return (day or half_done()).under("filesystem.vanishing", path)


def again(day, *launch, **answer):
    return day.start(CHAIN, launch, ("resume",), **answer)


class TestAFileThatGrows:
    def test_is_not_torn_whatever_is_made_of_it(self):
        assert again(growing(), "1").broken() == set()
        assert again(growing(), "0").broken() == set()
        assert again(growing(), accepted=False).broken() == set()
        assert again(growing(), halted=True, summary=summary(pending=("0", "1", "2"))).broken() == set()

    def test_excuses_no_other(self):
        day = half_done().under("filesystem.growing", phase_path("1")).put("1", "{}\nmore")
        assert again(day, "0").broken() == {"AB-RES-02"}
        assert again(growing().put("1", "{"), "1").broken() == {"AB-COR-01"}

    def test_does_not_complete_what_never_ran(self):
        assert again(growing(), completed=True).broken() >= {"AB-RES-04"}
        day = half_done().under("filesystem.growing", phase_path("2")).put("2", "{}\nmore")
        assert again(day, completed=True).broken() >= {"AB-RES-04", "AB-HLT-01"}
        day = half_done().succeed("1", launch=[phase("2")]).under("filesystem.growing", phase_path("2")).put("2", GROWN)
        assert again(day, completed=True).broken() == {"AB-HLT-01", "AB-RES-04"}

    def test_does_not_make_ready_what_waits_for_another(self):
        assert again(growing(), "2").broken() == {"AB-NRT-03"}

    @pytest.mark.parametrize("status", ["pending", "running", "failed", "blocked"])
    def test_of_others_says_what_stands_there_unless_it_is_complete(self, status):
        day = Day(p0=status, p1="pending", p2="pending").put_at(CONFIG_PATH, CONFIG)
        day.under("filesystem.growing", phase_path("0"))
        assert "AB-NRT-03" in again(day, "1").broken()

    @pytest.mark.parametrize("content", ["complete", GROWN, None, {**record("0", "complete"), "attempt": 7}])
    def test_of_others_may_be_complete_or_not(self, content):
        for launched in ("0", "1"):
            day = Day(p0=content, p1="pending", p2="pending").put_at(CONFIG_PATH, CONFIG)
            day.under("filesystem.growing", phase_path("0"))
            assert again(day, launched).broken() == set()

    def test_once_it_grows_no_more_counts_as_it_is(self):
        day = again(growing(), "1")
        day.faults = ()
        assert again(day, "1").broken() == {"AB-COR-01"}
        day = again(growing(), "1")
        day.faults = ()
        assert again(day, accepted=False).broken() == set()


class TestADirectoryThatVanishes:
    def test_may_be_missed(self):
        assert again(vanishing(), "0").broken() == set()
        assert again(vanishing(), "1").broken() == set()

    def test_and_nothing_is_complete_for_that(self):
        assert again(vanishing(), completed=True).broken() >= {"AB-RES-04"}
        assert again(vanishing(), "2").broken() == {"AB-NRT-03"}

    def test_one_that_holds_no_record_excuses_nothing(self):
        assert again(vanishing("{home}/src"), "0").broken() == {"AB-RES-02"}
        assert again(vanishing(phase_path("2")), "0").broken() == {"AB-RES-02"}

    def test_once_it_is_there_again_counts_as_it_is(self):
        for launched, broken in (("1", set()), ("0", {"AB-RES-02"})):
            day = again(vanishing(), "1")
            day.faults = ()
            assert again(day, launched).broken() == broken

    def test_what_was_gone_all_the_time_is_gone(self):
        day = vanishing().put("0", None).do("status", {"of": ["9"]}, {"phases": []})
        day.faults = ()
        assert again(day, "0").broken() == set()

    def test_without_a_run_there_is_nothing_to_miss(self):
        day = vanishing(day=Day()).do("status", {"of": ["0"]}, {"phases": []})
        day.faults = ()
        assert again(day, "0").broken() == set()


class TestAKillThatWasSeen:
    def killed(self, name="syscall.killed", proof="killed", day=None, kind=EntryType.INFO, answer=None):
        day = (day or half_done()).under(name, CONFIG_PATH, proof)
        day.do("report", {"phase_id": "1", "attempt": 1, "said": None}, answer or {}, kind=kind)
        day.faults = ()
        return day.restarted()

    @pytest.mark.parametrize("name", ["syscall.killed", "syscall.torn", "syscall.power", "process.killed"])
    def test_and_a_resume_that_goes_on(self, name):
        day = again(self.killed(name), "1")
        assert day.verdict("AB-STA-06") is PASS
        assert day.readings("AB-STA-06") == ("resumed",)
        assert day.broken() == set()

    def test_one_that_nobody_met_is_none(self):
        assert again(self.killed(proof=""), "1").verdict("AB-STA-06") is None

    def test_one_that_was_refused_after_it(self):
        assert again(self.killed(), accepted=False).broken() == {"AB-STA-06"}

    def test_a_fresh_start_shows_nothing_of_it(self):
        assert self.killed().start(CHAIN, ["0"], ("fresh",)).verdict("AB-STA-06") is None

    def test_it_counts_for_one_resume(self):
        day = again(again(self.killed(), "1"), "1")
        assert day.findings()["AB-STA-06"].witnesses == 1

    def test_who_has_no_state_has_nothing_to_go_on_with(self):
        assert again(self.killed(day=Day()), "0").verdict("AB-STA-06") is None

    @pytest.mark.parametrize("text", ["| Phase | Name |\n|---|---|\n| 0 | a | b |\n", "no plan"])
    def test_a_plan_is_no_kill(self, text):
        day = half_done().start(text, accepted=False, error=None)
        assert again(day, "1").verdict("AB-STA-06") is None

    def test_without_one_a_refusal_breaks_the_promise_of_resume(self):
        day = halted()
        assert resumed(day=day, accepted=False).broken() == {"AB-RES-01"}


class TestOverlapping:
    """What the other's call could have written is not this call's."""

    def both(self, second, *, first=None, launched=True):
        day = Day().start(plan("0", "1<0"), ["0"], ids=("0", "1"))
        args = {"phase_id": "0", "attempt": 1, "said": json.dumps(FAILED)}
        answer = {"accepted": True, "launch": [retry("0", "test_failure", **AGAIN)]} if first is None else first
        day.begin("report", args, 0).begin("report", args, 1)
        if launched:
            day.put("0", ("running", 2, {"attempt_1": error()}))
        return day.end("report", answer, 0).end("report", second, 1)

    def test_a_twin_that_is_refused_is_not_blamed_for_what_the_other_wrote(self):
        assert self.both({"accepted": False}).broken() == set()

    def test_when_both_are_refused_nobody_may_write(self):
        assert "AB-RTY-01" in self.both({"accepted": False}, first={"accepted": False}).broken()

    def test_of_one_that_has_no_answer_nobody_knows_what_it_wrote(self):
        day = Day().start(plan("0", "1<0"), ["0"], ids=("0", "1")).under("process.killed", None)
        args = {"phase_id": "1", "attempt": 1, "said": "{}"}
        day.begin("report", {**args, "phase_id": "0"}, 0).begin("report", args, 1).put("1", "failed")
        day.add(0, EntryType.INFO, "report", {}, files=day.seen())
        day.end("report", {"accepted": False}, 1)
        assert "AB-RTY-01" not in day.broken()

    def test_beside_a_status_nobody_knows_who_wrote(self):
        day = Day().start(plan("0", "1<0"), ["0"], ids=("0", "1"))
        day.begin("status", {"of": ["0"]}, 0).begin("report", {"phase_id": "1", "attempt": 1, "said": "{}"}, 1)
        day.put("1", "failed")
        day.end("status", {"phases": [{"phase_id": "0", "status": "running", "attempt": 1}]}, 0)
        assert day.end("report", {"accepted": False}, 1).broken() == set()

    def test_one_that_ended_before_wrote_nothing_of_it(self):
        """The first and the third overlap the second, and not each other."""
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3"))
        said = json.dumps(ok())
        wrong = {"phase_id": "3", "attempt": 1, "said": said}
        day.begin("report", wrong, 0).begin("report", {"phase_id": "2a", "attempt": 1, "said": said}, 1)
        day.end("report", {"accepted": True, "launch": [check("2a")]}, 1).begin("report", {**wrong, "attempt": 2}, 2)
        day.end("report", {"accepted": False}, 0).put("3", "failed").end("report", {"accepted": False}, 2)
        assert "AB-RTY-01" in day.broken()
