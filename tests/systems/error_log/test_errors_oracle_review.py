"""What a hostile review found: defects that passed, and sound implementations that failed."""

import copy

import pytest
from handmade_errors import (
    CONTEXT,
    NOON_MS,
    OTHER,
    PHASES,
    PLAN,
    SAID,
    SESSION,
    Day,
    error,
    failing,
    found,
    progress,
    record,
    returned,
    step,
    steps,
    struck,
)

from harness.core.history import FileFact
from harness.systems.error_log.contract import METADATA_PATH, PLAN_PATH, SOURCE_PATH

HANG = error("delegation_hang")
LEFT = {"status": "partial", "task": 259, "completed": ["phase1"], "partial_progress": {"stage": "phase2"}}
FULL = (struck("filesystem.full"),)
ONE = PLAN.replace("[NOT STARTED]", "[PARTIAL]")
BOTH = ONE.replace("[IN PROGRESS]", "[PARTIAL]")


class TestAskedForWrongly:
    """A carrier that answers what the contract refuses is judged by what it answers, and crashes no oracle."""

    @pytest.mark.parametrize(("op", "args", "answer"), [
        ("log", {"name": None, "error": error()}, {"record": record(1, error()), "stored": True}),
        ("log", {"name": None, "error": error()}, {"record": None, "stored": False, "log": [SAID]}),
        ("read", {"session_id": 5}, {"records": []}),
        ("patterns", {"more": 1}, {"patterns": []}),
        ("set_fix_status", {"name": 5, "status": "fixed"}, {"record": None, "stored": False}),
        ("classify", {"incident": 5}, {"type": "timeout"}),
        ("handle", {"name": None}, {"steps": steps("log"), "response": "recover", "continues": True}),
        ("recover", {"name": None}, {"steps": steps("log"), "outcome": "recovered"}),
        ("begin", {"task": "x"}, {"steps": steps("work")}),
        ("resume", {"task": None}, {"resume_at": "phase3"}),
        ("finish", {"more": 1}, {"reported": []}),
    ], ids=["log", "log-kept", "read", "patterns", "status", "classify", "handle", "recover", "begin", "resume", "finish"])  # fmt: skip
    def test_it_is_no_defect(self, op, args, answer):
        day = Day().handle(HANG).mark()
        day.op(op, args, answer)
        if answer.get("stored"):
            day.write(record(1, error(), id=f"err_{NOON_MS}_zzzzzz"))
            day.entries[-1].value["record"]["id"] = f"err_{NOON_MS}_zzzzzz"
        assert {"ER-LOG-01"} & failing(day.read(...).resume(None, [], None)) == (
            {"ER-LOG-01"} if op == "log" and not answer["stored"] else set()
        )


class TestFields:
    def test_an_empty_text_may_be_null(self):
        for name in ("session_id", "command", "checkpoint"):
            for kept, clauses in (("", set()), (None, set()), ("another", {"ER-LOG-05"})):
                day = Day().log(error(context={**CONTEXT, name: ""}), context={**CONTEXT, name: kept})
                assert clauses == failing(day.read())

    def test_what_is_unknown_is_null_in_both_readings_and_absent_in_one(self):
        given = error(context=...)
        day = Day().log(given).log(given, context={}, trajectory=..., recovery=...)
        assert {"ER-LOG-02", "ER-LOG-05"} & failing(day.read()) == set()

    def test_ids_may_only_grow_when_the_clock_goes_back(self):
        later, now = "2026-03-01T13:00:00Z", "2026-03-01T12:00:00Z"
        at_one = {"id": f"err_{NOON_MS + 3600_000}", "timestamp": later}
        day = Day().log(now=later, **at_one).log(error(message="b"), now=now, id=f"err_{NOON_MS + 3600_001}")
        assert set() == failing(day.read())
        day = Day().log(now=later, **at_one).log(error(message="b"), now=now, id=f"err_{NOON_MS + 7200_000}")
        assert {"ER-LOG-03"} == failing(day.read())
        much = "2026-03-01T14:00:00Z"
        day = Day().log().log(error(message="b"), now=much, timestamp=much, id=f"err_{NOON_MS}_b")
        assert {"ER-LOG-03"} == failing(day.read())

    def test_of_a_time_before_1970_an_id_says_nothing(self):
        old = "1918-05-01T12:00:00Z"
        for key in ("err_0_a1b2c3", "err_-1630584000_a1b2c3", "err_1918-05-01"):
            assert set() == failing(Day().log(now=old, timestamp=old, id=key).read())
        assert {"ER-LOG-03"} == failing(Day().log(now=old, timestamp=old, id="0").read())

    def test_an_error_that_nobody_knows_takes_no_context(self):
        day = Day().log()
        made = record(2, error(), id=f"err_{NOON_MS}_zzzzzz")
        day.op("log", {"name": None, "error": error()}, {"record": made, "stored": True})
        day.write(made)
        assert set() == failing(day.read())

    def test_no_context_comes_from_another_error(self):
        bare = error(message="b", context=...)
        for context, clauses in (
            ({}, set()), ({"session_id": SESSION}, {"ER-LOG-05"}), ({"session_id": OTHER}, set()),
            ({"task": 259}, {"ER-LOG-05"}), ({"phase": 2}, {"ER-LOG-05"}), ({"phase": 3}, set()),
        ):  # fmt: skip
            day = Day().log().log(bare, context={**dict.fromkeys(CONTEXT), **context})
            assert clauses == failing(day.read())

    def test_what_else_was_told_of_the_task_may_be_in_the_context(self):
        bare, own = error(message="b", context=...), {**CONTEXT, "phase": 2}
        assert set() == failing(Day().begin().log().log(bare, context={**own, "phase": None}).read())
        assert set() == failing(Day().handle(HANG).mark().log(bare, context={**own, "session_id": None}).read())
        metadata = {"status": "partial", "task": 259, "session_id": SESSION}
        day = Day(metadata=metadata).log().log(bare, context={**own, "phase": None})
        assert set() == failing(day.read())

    def test_what_others_keep_in_their_records_stays(self):
        theirs = {**record(900, error(message="theirs")), "assignee": "x"}
        for after, clauses in ((theirs, set()), ({**theirs, "assignee": "y"}, {"ER-LOG-10"})):
            day = Day({"errors": [theirs]}).log()
            day.errors["errors"][0] = after
            assert clauses == failing(day.read())
        day = Day({"errors": [theirs]}).log()
        del day.errors["errors"][0]["assignee"]
        assert {"ER-LOG-10"} == failing(day.read())


class TestWaiting:
    def kept(self, *order):
        """The second and the third error wait, the fourth is written; then they stand in the file in that order."""
        day = (
            Day()
            .log(error("parse_error", message="first"))
            .log(error(message="a"), stored=False, keep=False, said=[SAID], faults=FULL)
        )
        day.log(error(message="b"), stored=False, keep=False, said=[SAID], faults=FULL)
        day.log(error(message="c"), faults=FULL)
        day.errors = {"errors": [record(n, error(message=" abc"[n - 1])) for n in order]}
        first = record(1, error("parse_error", message="first"))
        day.errors["errors"] = [first if each["id"] == first["id"] else each for each in day.errors["errors"]]
        return day

    def seen(self, day):
        return day.classify("git_commit_failure", "git")

    def test_what_waited_is_written_later_in_its_order(self):
        for order in ((1, 2, 3, 4), (1, 4, 2, 3), (4, 3, 2, 1)):
            assert set() == failing(self.seen(self.kept(*order)))
        for order in ((1, 3, 2, 4), (4, 2, 3, 1), (1, 4), (1, 4, 2)):
            assert {"ER-LOG-01"} == failing(self.seen(self.kept(*order)))

    def test_what_waited_is_written_once(self):
        day = self.kept(1, 2, 3, 4)
        day.write(record(2, error(message="a"), id=f"err_{NOON_MS}_again1"))
        assert {"ER-LOG-01"} == failing(self.seen(day))

    def test_who_is_out_of_order_is_named(self):
        finding = found(self.seen(self.kept(1, 3, 2, 4)))["ER-LOG-01"]
        assert "['e1', 'e3', 'e2', 'e4']" == finding.observed

    def test_a_file_that_goes_takes_nothing_of_what_waits(self):
        day = Day().log(stored=False, keep=False, said=[SAID], faults=FULL)
        gone = (*FULL, struck("filesystem.missing"))
        day.log(error(message="b"), faults=gone, keep=False)
        day.errors = {"errors": [record(2, error(message="b"))]}
        assert {"ER-LOG-01"} == failing(self.seen(day))


def plan(text, after, *, task=None, failed="phase2", kind="delegation_hang"):
    """An error was handled when the plan said that, and afterwards it says this."""
    day = Day(plan=text).handle(error(kind), at=progress(failed_at=failed) if task is None else task)
    day.files |= {"plan": after, "metadata": LEFT}
    return failing(day.read())


BELOW = (
    "# Plan\n## Phase 1\n**Status**: [COMPLETED]\n- [x] a\n## Phase 2\n**Status**: {}\n- [ ] b\n## Phase 3\n- [ ] c\n"
)
PROSE = b"# Plan\r\n### Phase 1: Research [COMPLETED]\r\n### Phase 2: Build %s\r\n- [x] parser \xff\r\n| a | b |\r\n"
ROWS = "### Phase 1: a [COMPLETED]\n### Phase 2: b [{}]\n### Phase 3: c [{}]\n"


class TestPlan:
    def test_the_mark_may_stand_below_the_heading(self):
        assert set() == plan(BELOW.format("[IN PROGRESS]"), BELOW.format("[PARTIAL]"))
        assert {"ER-PRG-03"} == plan(BELOW.format("[IN PROGRESS]"), BELOW.format("[FAILED]"))
        assert {"ER-PRG-03"} == plan(BELOW.format("[IN PROGRESS]"), BELOW.format("[PARTIAL] [FAILED]"))
        old = BELOW.replace("- [ ] b", "- [ ] b was [FAILED] once")
        assert set() == plan(old.format("[IN PROGRESS]"), old.format("[PARTIAL]"))

    def test_every_other_line_stays_byte_for_byte(self):
        before, after = PROSE % b"[IN PROGRESS]", PROSE % b"[PARTIAL]"
        assert set() == plan(before, after)
        assert set() == plan(before, after + b"\r\na note\r\n")
        for lost in (
            after.replace(b"\r\n", b"\n"), after.replace(b"\xff", "\ufffd".encode()), after.replace(b"| a | b |\r\n", b""),
            after.replace(b"- [x] parser \xff\r\n", b""),
        ):  # fmt: skip
            assert {"ER-PRG-02"} == plan(before, lost)

    def test_no_other_phase_is_marked(self):
        before = ROWS.format("IN PROGRESS", "NOT STARTED")
        assert set() == plan(before, ROWS.format("PARTIAL", "NOT STARTED"))
        assert {"ER-PRG-03"} == plan(before, ROWS.format("PARTIAL", "PARTIAL"))
        assert {"ER-PRG-02"} == plan(before, ROWS.format("PARTIAL", "BLOCKED"))

    def test_a_phase_that_was_completed_may_be_marked_so(self):
        before = ROWS.replace("[COMPLETED]", "[IN PROGRESS]").format("NOT STARTED", "NOT STARTED")
        assert set() == plan(before, ROWS.format("PARTIAL", "NOT STARTED"))

    def test_the_phase_that_the_error_or_the_metadata_tell_may_be_marked(self):
        given = error("delegation_interrupted", partial_progress={"stage": "phase3"})
        taken = steps("check_metadata", "log", step("guidance", detail="Run command again to resume"))
        context = {**CONTEXT, "partial_progress": {"stage": "phase3"}}
        day = Day(plan=PLAN).recover("delegation_interrupted", taken, "partial", given=given, context=context)
        day.files["plan"] = PLAN.replace("[NOT STARTED]", "[PARTIAL]")
        assert set() == failing(day.read())


SYNCED = steps("log", "read_todo", "read_state", "blame", step("sync", detail="state"), "log_resolution")


class TestMended:
    def test_what_its_procedure_mended_does_not_leave_off(self):
        given = error("status_sync_failure")
        day = Day(metadata=LEFT).handle(given, SYNCED, told=None).read().resume(partial=None)
        assert set() == failing(day)
        day = Day(metadata=LEFT).handle(given, SYNCED[:-1], told=None).read().resume(partial=None)
        assert "ER-PRG-03" in failing(day)
        day = Day(metadata=LEFT).handle(error(5), SYNCED, told=None).read().resume(partial=None)
        assert "ER-PRG-01" in failing(day)


class TestReports:
    def test_what_is_to_be_done_is_said(self):
        for recovery in ("", "  "):
            day = Day().handle(HANG, told=returned(HANG, recovery=recovery)).mark()
            assert {"ER-RPT-01"} == failing(day.read())

    def test_a_point_is_named_once(self):
        low = error("x", severity="low")
        day = Day().handle(HANG).mark()
        for _ in range(2):
            day.handle(low, steps("log"), response="ignore", told=None, at=progress(partial=...))
        finding = found(day.read().resume("phase3"))["ER-RES-01"]
        assert "task 259 goes on at phase2" == finding.expected

    def test_what_decides_is_shown_first(self):
        finding = found(Day().log(stored=False, keep=False, message="m" * 500))["ER-LOG-01"]
        assert "stored False, log [], record" in finding.observed


class TestSources:
    def test_no_file_comes_to_them(self):
        files = {SOURCE_PATH: FileFact("file"), "{home}/specs/plan.md": FileFact("file")}
        more = {**files, "{home}/src/other.py": FileFact("file")}
        given = error("build_error")
        taken = steps(step("capture_output", detail="e"), "log", "report")
        for after, faults, clauses in (
            (files, (), set()), (more, (), {"ER-BLD-01"}), ({}, (), set()), (more, FULL, set()),
        ):  # fmt: skip
            day = Day().recover(
                "build_error", taken, "failed", facts={"output": "e"}, told=returned(given), snapshot=files
            )
            assert clauses == failing(day.read(snapshot=after, faults=faults))


class TestKeptInMemory:
    """What a fault kept from being stored, and was said to be, comes with what the same process stores next."""

    HIDDEN = (struck("filesystem.full", METADATA_PATH), struck("filesystem.full", PLAN_PATH))
    UNSAVED = (
        {"level": "warning", "code": "metadata_write_failed"},
        {"level": "warning", "code": "plan_write_failed"},
    )

    def day(self, *, completed=(), phases=PHASES, process=0):
        day = Day().handle(HANG, said=self.UNSAVED, faults=self.HIDDEN)
        told = progress(task=260, completed=list(completed), failed_at="phase3", phases=list(phases))
        answer = returned(HANG, completed=completed, failed_at="phase3")
        return day.handle(HANG, at=told, told=answer, faults=self.HIDDEN, process=process)

    def test_progress_of_another_task_is_not_lost(self):
        day = self.day()
        day.files["plan"] = BOTH
        assert set() == failing(copy.deepcopy(day).resume())
        assert {"ER-PRG-02", "ER-RES-01"} == failing(copy.deepcopy(day).resume(None, [], None))
        assert set() == failing(self.day(process=1).resume(None, [], None))

    def test_marks_are_made_late(self):
        for plan_found, clauses in (
            (BOTH, set()),
            (ONE, {"ER-PRG-03"}),
            (BOTH.replace("Phase 2: Build", "More"), set()),
        ):
            day = self.day()
            day.files["plan"] = plan_found
            assert clauses == failing(day.classify("build_error", "build")) - {"ER-PRG-02"}
        day = self.day(completed=["phase2"])
        day.files["plan"] = ONE
        assert set() == failing(day.classify("build_error", "build"))

    def test_a_number_of_the_metadata_is_a_progress_too(self):
        given = error("delegation_interrupted", partial_progress={"stage": "phase2"})
        taken = steps("check_metadata", "log", step("guidance", detail="Run command again to resume"))
        metadata = {"status": "in_progress", "task": 259, "partial_progress": {"stage": "", "details": [7, True]}}
        for kept, clauses in (({"details": [7]}, set()), ({"details": [8]}, {"ER-DEL-01"})):
            day = Day(metadata=metadata).recover(
                "delegation_interrupted", taken, "partial", given=given, context={**CONTEXT, "partial_progress": kept}
            )
            assert clauses == failing(day.read())
