"""The oracle on answers whose records are not on disk: what is accepted is written down, or somebody says that it is not."""

import json

import pytest
from handmade_phases import (
    AGAIN,
    FAIL,
    FAILED,
    LINT_CASE,
    MISSING,
    PAIR,
    RESOLVED,
    TREE,
    Day,
    bad,
    check,
    gate,
    halted,
    ok,
    phase,
    plan,
    retry,
    summary,
)

from harness.core.history import FileFact
from harness.systems.phase_runner.contract.words import CONFIG_PATH, STATE_DIRECTORY, phase_path

CHAIN = plan("0", "1<0")
NOT_WRITTEN = [{"level": "error", "code": "state_write_failed", "message": "The disk is full."}]
PASSED = {"test": {"exit_code": 0}}


def begun():
    return Day().start(CHAIN, ["0"], ids=("0", "1"))


def full(day, name="filesystem.full", path=STATE_DIRECTORY):
    return day.under(name, path)


def only(day, op, args, **answer):
    """An operation that leaves the disk as it was."""
    return day.begin(op, args).end(op, {"accepted": True, **answer})


def report(day, said, attempt=1, id_="0", **answer):
    return only(day, "report", {"phase_id": id_, "attempt": attempt, "said": json.dumps(said)}, **answer)


def verified(day, attempt=1, id_="0", **answer):
    return only(day, "verified", {"phase_id": id_, "attempt": attempt, "gates": PASSED}, **answer)


def claimed(day, attempt=1):
    return day.report("0", ok(), attempt, [check("0", attempt)])


def retried():
    return begun().report("0", FAILED, launch=[retry("0", "test_failure", **AGAIN)])


class TestWhatIsLaunched:
    def test_a_first_attempt_without_a_record_is_no_state(self):
        assert full(Day()).start(CHAIN, ["0"]).broken() == set()
        day = only(full(Day()), "start", {"plan": CHAIN}, launch=[phase("0")])
        assert day.broken() == {"AB-STA-05"}
        assert "phase-0.json" in day.findings()["AB-STA-05"].observed

    def test_a_phase_of_a_run_that_was_begun_afresh(self):
        day = Day(p0="complete", p1="pending").start(CHAIN, ["0"], ("fresh",), ids=("0", "1"))
        day = full(claimed(day)).begin("verified", {"phase_id": "0", "attempt": 1, "gates": PASSED})
        day.put("0", "complete").end("verified", {"accepted": True, "launch": [phase("1")]})
        assert day.broken() == {"AB-STA-05"}

    def test_a_record_may_lie_beside(self):
        day = full(Day()).begin("start", {"plan": CHAIN}).put_at(f"{STATE_DIRECTORY}/phase-0.json", "{}")
        assert day.end("start", {"accepted": True, "launch": [phase("0")]}).broken() == set()

    def test_a_later_phase_whose_record_is_the_old_one(self):
        day = full(claimed(begun())).begin("verified", {"phase_id": "0", "attempt": 1, "gates": PASSED})
        day.put("0", "complete").end("verified", {"accepted": True, "launch": [phase("1")]})
        assert day.broken() == {"AB-STA-05"}
        assert "phase-1.json is as it was" in day.findings()["AB-STA-05"].observed
        assert full(claimed(begun())).verified("0", launch=[phase("1")], records={"0": "complete"}).broken() == set()

    def test_a_retry_whose_record_is_the_old_one(self):
        day = report(full(begun()), FAILED, launch=[retry("0", "test_failure", **AGAIN)])
        assert day.broken() == {"AB-STA-01"}
        assert full(begun()).report("0", FAILED, launch=[retry("0", "test_failure", **AGAIN)]).broken() == set()

    def test_a_resumed_phase_may_stand_there_as_it_did(self):
        day = Day(p0=("running", 1), p1="pending")
        assert only(full(day), "start", {"plan": CHAIN}, launch=[phase("0")]).broken() == set()

    def test_a_retry_of_a_resumed_phase_is_told_of(self):
        day = Day(p0=("failed", 1), p1="blocked").start(CHAIN, ["0"], ("resume",))
        assert report(full(day), FAILED, launch=[retry("0", "test_failure", **AGAIN)]).broken() == {"AB-STA-01"}

    def test_a_resumed_phase_has_a_record(self):
        day = only(full(Day(p0="complete")), "start", {"plan": CHAIN, "modes": ["resume"]}, launch=[phase("1")])
        assert day.broken() == {"AB-STA-05"}


class TestWhatIsComplete:
    def test_a_first_attempt(self):
        day = full(Day().start(plan("0"), ["0"]))
        assert verified(claimed(day), completed=True).broken() == {"AB-STA-05"}
        day = full(Day().start(plan("0"), ["0"]))
        assert claimed(day).verified("0", records={"0": "complete"}, completed=True).broken() == set()

    def test_a_second_attempt(self):
        assert verified(full(claimed(retried(), 2)), 2).verdict("AB-STA-02") is FAIL
        day = full(claimed(retried(), 2))
        day.verified("0", 2, launch=[phase("1")], records={"0": ("complete", 2, RESOLVED)})
        assert day.broken() == set()

    def test_what_its_record_says_already_needs_no_other(self):
        day = claimed(full(Day().start(plan("0"), ["0"])))
        day.put("0", "complete")
        assert verified(day, completed=True).broken() == set()

    def test_what_never_was_there(self):
        day = claimed(full(Day().start(plan("0"), ["0"])))
        day.put("0", None)
        assert verified(day, completed=True).broken() == {"AB-STA-05"}


class TestWhoSaysSo:
    def test_a_warning_excuses(self):
        assert only(full(Day()), "start", {"plan": CHAIN}, launch=[phase("0")], log=NOT_WRITTEN).broken() == set()
        assert verified(full(claimed(begun())), launch=[phase("1")], log=NOT_WRITTEN).broken() == set()

    def test_a_halt_excuses(self):
        found = summary((), [("0", 1, "test_failure")], [("1", ["0"])])
        day = report(full(begun()), FAILED, halted=True, summary=found)
        assert not {"AB-STA-01", "AB-STA-05"} & day.broken()
        day = full(Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")))
        day = report(day, FAILED, id_="2a", halting=True, launch=[phase("3")])
        assert not {"AB-STA-01", "AB-STA-05"} & day.broken()

    def test_a_halt_that_was_waited_for_excuses_what_was_complete_by_then(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).report("2a", bad(missing=MISSING), halting=True)
        day = full(day.report("2b", ok(), launch=[check("2b")], halting=True))
        found = summary(["2b"], [("2a", 1, "dependency_missing")], [("3", ["2a"])])
        day = verified(day, id_="2b", halted=True, summary=found)
        assert "AB-STA-05" not in day.broken()

    def test_what_is_refused_has_nothing_to_write(self):
        day = full(begun()).begin("report", {"phase_id": "1", "attempt": 1, "said": "{}"})
        assert day.end("report", {"accepted": False, "launch": [phase("1", 2)]}).broken() == {"AB-RTY-01"}
        assert (
            full(begun()).do("report", {"phase_id": "1", "attempt": 1, "said": "{}"}, {"accepted": False}).broken()
            == set()
        )

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("filesystem.unreadable", STATE_DIRECTORY), ("filesystem.growing", phase_path("0")),
            ("filesystem.fifo", phase_path("0")), ("syscall.power", CONFIG_PATH), ("filesystem.aged", phase_path("0")),
        ],
    )  # fmt: skip
    def test_where_nobody_sees_what_is_written_or_nothing_is_in_the_way_nothing_is_said_here(self, name, path):
        day = full(begun(), name, path)
        day = report(day, FAILED, launch=[retry("0", "test_failure", **AGAIN)])
        assert "AB-STA-01" not in day.broken()

    @pytest.mark.parametrize("name", ["filesystem.empty", "syscall.power"])
    def test_beside_what_is_damaged_or_lost_nobody_knows(self, name):
        day = full(full(begun()), name, phase_path("0"))
        day = report(day, FAILED, launch=[retry("0", "test_failure", **AGAIN)])
        assert "AB-STA-01" not in day.broken()

    def test_without_snapshots_nobody_knows(self):
        day = Day()
        day.seen = dict
        assert only(full(day), "start", {"plan": CHAIN}, launch=[phase("0")]).broken() == set()

    def test_a_record_that_nobody_can_read_may_be_another_one(self):
        day = full(begun(), "environment.odd_umask", None)
        day.kinds[phase_path("0")] = FileFact("file", 9)
        assert "AB-STA-01" not in report(day, FAILED, launch=[retry("0", "test_failure", **AGAIN)]).broken()


def test_phases_that_are_none_have_no_record_to_lose():
    day = only(full(halted()), "start", {"plan": TREE, "modes": ["resume"]}, launch=[phase("9"), phase("2a", 3)])
    assert not {"AB-STA-01", "AB-STA-05"} & day.broken()
    args = {"phase_id": "9", "attempt": 1, "gates": PASSED}
    assert only(full(begun()), "verified", args).broken() == {"AB-ERR-05"}


def test_a_claim_that_failed_is_no_completion_to_be_written_down():
    day = full(begun().report("0", ok(), launch=[check("0")]))
    again = retry("0", "verification_mismatch", tasks_completed=1, tasks_total=1)
    args = {"phase_id": "0", "attempt": 1, "gates": {"lint": gate(LINT_CASE)}}
    assert only(day, "verified", args, launch=[again]).broken() == {"AB-STA-01"}
