"""The oracle on the records of phases: where they lie, and what stands in them before, after and without a retry."""

import pytest
from handmade_phases import FAILURES, RESOLVED, Day, bad, both, check, error, ok, phase, plan, record, retry, summary

from harness.systems.phase_runner.contract.words import FINAL, STATE_DIRECTORY, phase_path

ONE = plan("2A", "3<2A")
FAILED = FAILURES["test_failure"]
AGAIN = retry("2a", "test_failure", tasks_completed=3, tasks_total=3)
FLAT = {"type": "test_failure", "message": "it went wrong", "details": "", "attempt_1_error": "it went wrong"}


def retried(value=None):
    """2a is in its second attempt, and has that record."""
    day = Day().start(ONE, ["2a"], ids=("2a", "3"))
    return day.report("2a", FAILED, launch=[AGAIN], records={} if value is None else {"2a": value})


def failed(value):
    found = summary((), [("2a", 2, "test_failure")], [("3", ["2a"])])
    blocked = ("blocked", 0, {"blocked_by": ["2a"]})
    return retried().report("2a", FAILED, 2, halted=True, summary=found, records={"2a": value, "3": blocked}).look("2a")


def succeeded(value):
    day = retried().report("2a", ok(), 2, launch=[check("2a", 2)])
    return day.verified("2a", 2, launch=[phase("3")], records={"2a": value}).look("2a")


class TestBeforeTheRetry:
    @pytest.mark.parametrize(("error_", "shape"), [({"attempt_1": error()}, "nested"), (FLAT, "flat")])
    def test_it_runs_in_its_second_attempt_with_the_first_error(self, error_, shape):
        day = retried(("running", 2, error_)).look("2a")
        assert day.broken() == set()
        assert "AB-STA-01" in day.passed()
        assert day.readings("AB-RTY-05") == (shape,)

    @pytest.mark.parametrize(
        "value",
        [
            ("running", 1, {"attempt_1": error()}),
            ("running", 2, None),
            ("running", 2, {"attempt_1": {"type": "test_failure"}}),
            ("running", 2, {"attempt_1": {"type": "test_failure", "message": " "}}),
            ("running", 2, {"attempt_1": error("lint_error")}),
            ("running", 2, {"type": "test_failure", "message": "it went wrong"}),
        ],
    )
    def test_anything_else_breaks_it(self, value):
        assert retried(value).look("2a").broken() == {"AB-STA-01"}

    def test_it_is_written_when_it_is_launched(self):
        assert retried(("failed", 1, {"attempt_1": error()})).look("2a").broken() == {"AB-STA-04"}

    def test_a_first_attempt_is_the_first(self):
        day = Day().start(ONE, ["2a"], ids=("2a", "3"))
        day.entries.clear()
        day.do("start", {"plan": ONE}, {"accepted": True, "launch": [phase("2a")]}, p2a=("running", 2))
        assert day.look("2a").broken() & {"AB-STA-01", "AB-RES-01"}

    @pytest.mark.parametrize("value", [{"attempt": 3}, {"max_attempts": 3}])
    def test_two_attempts_are_the_most(self, value):
        day = retried({**record("2a", "running", 2, {"attempt_1": error()}), **value})
        assert day.look("2a").broken() == {"AB-RTY-01"}


class TestAfterTheRetry:
    @pytest.mark.parametrize("error_", [RESOLVED, {**FLAT, "resolved_on_retry": True}])
    def test_success_keeps_the_first_error_as_resolved(self, error_):
        day = succeeded(("complete", 2, error_))
        assert day.broken() == set()
        assert day.readings("AB-STA-02") == ("kept",)

    @pytest.mark.parametrize(
        "value",
        [("complete", 1, RESOLVED), ("complete", 2, None), ("complete", 2, {"attempt_1": error()}),
         ("complete", 2, {"resolved_on_retry": True})],
    )  # fmt: skip
    def test_anything_else_breaks_success(self, value):
        assert succeeded(value).broken() == {"AB-STA-02"}

    @pytest.mark.parametrize("value", ["running", "failed"])
    def test_success_is_complete(self, value):
        assert succeeded((value, 2, RESOLVED)).broken() == {"AB-PAR-02"}

    @pytest.mark.parametrize(
        ("error_", "reading"),
        [(both(), "nested"), ({**FLAT, "attempt_2_error": "still", "final": FINAL}, "flat")],
    )
    def test_failure_keeps_both_errors(self, error_, reading):
        day = failed(("failed", 2, error_))
        assert day.broken() == set()
        assert day.readings("AB-STA-03") == (reading,)

    @pytest.mark.parametrize(
        "value",
        [
            ("failed", 1, both()),
            ("failed", 2, None),
            ("failed", 2, {**both(), "final": "It is over"}),
            ("failed", 2, {"attempt_1": error(), "final": FINAL}),
            ("failed", 2, both("lint_error")),
            ("failed", 2, FLAT),
        ],
    )
    def test_anything_else_breaks_failure(self, value):
        assert failed(value).broken() == {"AB-STA-03"}

    def test_failure_is_failed(self):
        assert failed(("running", 2, both())).broken() == {"AB-RTY-03"}

    def test_a_failure_of_no_type_has_any(self):
        day = Day().start(plan("2A"), ["2a"], ids=("2a",))
        day.report("2a", bad(), launch=[retry("2a", "odd", tasks_completed=3, tasks_total=3)],
                   records={"2a": ("running", 2, {"attempt_1": error("odd")})})  # fmt: skip
        assert day.look("2a").broken() == set()

    def test_what_cannot_be_retried_the_second_time_has_both_or_what_it_likes(self):
        day = retried()
        found = summary((), [("2a", 2, "dependency_missing")], [("3", ["2a"])], missing_package="p", required_by="r",
                        install_step="i")  # fmt: skip
        said = bad(missing={"package": "p", "required_by": "r", "install": "i"})
        records = {"2a": ("failed", 7, None), "3": ("blocked", 0, {"blocked_by": ["2a"]})}
        day.report("2a", said, 2, halted=True, summary=found, records=records)
        assert day.look("2a").broken() == {"AB-RTY-01"}

    def test_it_has_been_attempted(self):
        day = retried()
        found = summary((), [("2a", 2, "dependency_missing")], [("3", ["2a"])], missing_package="p", required_by="r",
                        install_step="i")  # fmt: skip
        said = bad(missing={"package": "p", "required_by": "r", "install": "i"})
        records = {"2a": ("failed", 0, None), "3": ("blocked", 0, {"blocked_by": ["2a"]})}
        day.report("2a", said, 2, halted=True, summary=found, records=records)
        assert day.look("2a").broken() == {"AB-STA-03"}


class TestWhereTheyLie:
    def test_one_file_a_phase(self):
        day = Day().start(ONE, ["2a"], ids=("2a", "3")).look("2a", "3")
        assert day.readings("AB-STA-05") == ("phases",)
        assert day.readings("AB-STA-04") is None

    def test_beside_is_one_reading(self):
        day = Day().do("start", {"plan": ONE}, {"accepted": True, "launch": [phase("2a")]})
        for id_ in ("2a", "3"):
            day.disk[f"{STATE_DIRECTORY}/phase-{id_}.json"] = day.disk.pop(phase_path(id_), b"{}")
        assert day.look("2a", "3").readings("AB-STA-05") == ("beside",)
        found = summary((), [("2a", 2, "test_failure")], [("3", ["2a"])])
        day.report("2a", FAILED, launch=[AGAIN]).put("2a", None)
        day.report("2a", FAILED, 2, halted=True, summary=found)
        assert day.broken() == set()
        assert "AB-HLT-06" in day.passed()

    def test_nowhere_breaks_it(self):
        day = Day().do("start", {"plan": ONE}, {"accepted": True, "launch": [phase("2a")]}, p2a=None)
        assert day.look("2a", "3").broken() == {"AB-STA-05"}

    def test_a_pending_phase_has_one_when_the_run_has_halted(self):
        day = Day().start(ONE, ["2a"], ids=("2a",)).look("3")
        assert day.broken() == set()

    @pytest.mark.parametrize(
        ("value", "clause"),
        [("{", "AB-STA-05"), ({"phase_id": "2a"}, "AB-STA-05"), ({**record("2a"), "status": "retry"}, "AB-STA-04")],
    )
    def test_it_is_valid(self, value, clause):
        assert retried(value).look("2a").broken() == {clause}

    def test_what_readers_take_differently_is_left_alone(self):
        assert retried({**record("2a", "running", 2), "attempt": "2"}).look("2a").broken() == set()

    def test_what_others_have_changed_is_left_alone(self):
        day = retried().under("filesystem.garbled", phase_path("2a")).put("2a", "{")
        assert day.look("2a").broken() == set()


class TestStatuses:
    def test_results_stay_as_they_are(self):
        day = Day().start(plan("2A", "3"), ["2a"], ids=("2a", "3"))
        first = record("2a", "complete", 1, commit={"message": "feat: x"})
        day.succeed("2a", launch=[phase("3")], records={"2a": first}).look("2a").look("2a")
        assert day.broken() == set()
        day.report("3", ok(), launch=[check("3")], records={"2a": record("2a", "complete", 1, commit={"message": "y"})})
        assert day.look("2a").broken() == {"AB-PAR-02"}

    def test_nor_does_a_retry_beside_change_them(self):
        day = Day().start(plan("2A//2B", "2B//2A"), ["2a", "2b"], ids=("2a", "2b")).succeed("2b").look("2b")
        day.report("2a", FAILED, launch=[AGAIN]).report("2a", ok(), 2, launch=[check("2a", 2)],
                   records={"2b": record("2b", "complete", 1, execution={"tasks_total": 9})})  # fmt: skip
        assert day.look("2b").broken() == {"AB-RTY-07"}

    def test_a_second_attempt_that_counts_has_no_first_error(self):
        day = Day().start(ONE, ["2a"], ids=("2a", "3")).restarted()
        day.start(ONE, [phase("2a", 2)], ("resume",)).look("2a")
        found = summary((), [("2a", 2, "test_failure")], [("3", ["2a"])])
        records = {"2a": ("failed", 2, {"attempt_2": error()}), "3": ("blocked", 0, {"blocked_by": ["2a"]})}
        day.report("2a", FAILED, 2, halted=True, summary=found, records=records)
        assert day.look("2a", "3").broken() == set()

    def test_claims_are_not_complete(self):
        day = Day().start(ONE, ["2a"], ids=("2a", "3"))
        assert day.report("2a", ok(), launch=[check("2a")], records={"2a": "complete"}).look("2a").broken() == {
            "AB-ERR-05"
        }

    def test_what_is_not_launched_is_pending(self):
        day = Day().start(ONE, ["2a"], ids=("2a", "3"))
        day.status("3", told=[("3", "pending")]).put("3", "running")
        assert day.look("3").broken() == {"AB-STA-04"}
