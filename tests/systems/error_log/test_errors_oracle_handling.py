"""What the oracle says of errors that are handled, of progress, of reports, and of types."""

import pytest
from handmade_errors import (
    CONTEXT,
    PASS,
    PLAN,
    SAID,
    Day,
    error,
    failing,
    found,
    progress,
    readings,
    returned,
    step,
    steps,
    struck,
)

from harness.core.history import InputFact

FOUR = ("log", "preserve", "mark_partial", "enable_resume", "report")
HANG = error("delegation_hang")
CRITICAL = error("validation_failed", severity="critical")
STOPPED = {"taken": steps("log", "alert", *FOUR[1:]), "response": "stop", "continues": False}
GIT = error("git_commit_failure", severity="critical")
METRIC, LOGGING = error("metric_failure", severity="high"), error("logging_failure")
GOES_ON = {"taken": steps("log"), "response": "continue", "told": None}
LEFT = {"status": "partial", "task": 259, "completed": ["phase1"], "partial_progress": {"stage": "phase2"}}


def handled(given=None, metadata=LEFT, mark="[PARTIAL]", plan=PLAN, **more):
    """An error that was handled, and what the files show then."""
    day = Day(plan=plan).handle(given, **more).mark(mark)
    day.files["metadata"] = metadata
    return day


def test_an_error_that_is_handled_rightly_passes_every_clause_of_it():
    findings = found(handled().read().resume())
    assert {PASS} == {finding.verdict for finding in findings.values()}
    assert {"ER-PRG-01", "ER-PRG-02", "ER-PRG-03", "ER-RES-01", "ER-RPT-01", "ER-RPT-02", "ER-SEV-02"} <= set(findings)


WRONG = [
    ("ER-PRG-01", None, {"taken": steps("preserve", "log", "mark_partial", "enable_resume", "report")}),
    ("ER-PRG-01", None, {"taken": steps("log", "mark_partial", "enable_resume", "report")}),
    ("ER-PRG-01", error(), {"taken": steps("report", "log", "mark_partial")}),
    ("ER-PRG-01", error(), {"taken": steps("preserve", "enable_resume", "mark_partial", "report")}),
    ("ER-PRG-03", None, {"taken": steps("log", "preserve", "enable_resume", "report")}),
    ("ER-PRG-03", None, {"mark": "[FAILED]"}),
    ("ER-PRG-03", None, {"mark": "[IN PROGRESS]"}),
    ("ER-PRG-03", None, {"mark": "[partial]"}),
    ("ER-RPT-01", None, {"told": None}),
    ("ER-RPT-01", None, {"told": returned(HANG, status="interrupted")}),
    ("ER-RPT-01", None, {"told": {**returned(HANG), "error": "it hangs"}}),
    ("ER-RPT-01", None, {"told": returned(HANG, recovery=5)}),
    ("ER-RPT-01", None, {"told": returned(HANG, type="timeout")}),
    ("ER-RPT-01", None, {"told": returned(HANG, message=5)}),
    ("ER-RPT-01", None, {"told": {**returned(HANG), "progress": {}}}),
    ("ER-RPT-01", None, {"told": {**returned(HANG), "progress": None}}),
    ("ER-RPT-01", None, {"told": returned(HANG, completed=())}),
    ("ER-RPT-01", None, {"told": returned(HANG, completed=("phase1", "phase3"))}),
    ("ER-RPT-01", None, {"told": returned(HANG, completed=("phase1", 5))}),
    ("ER-RPT-01", None, {"told": returned(HANG, failed_at="phase3")}),
    ("ER-SEV-01", CRITICAL, {**STOPPED, "continues": True}),
    ("ER-SEV-01", CRITICAL, {**STOPPED, "response": "recover"}),
    ("ER-SEV-01", CRITICAL, {**STOPPED, "taken": steps(*FOUR)}),
    ("ER-SEV-01", error("x", severity=None), {"severity": "critical"}),
    ("ER-SEV-02", None, {"response": "stop"}),
    ("ER-SEV-02", error("x", severity="medium"), {"response": "recover"}),
    ("ER-SEV-02", error("x", severity="low"), {"response": "ignore", "continues": False}),
    ("ER-SEV-02", error("x", severity=None), {"severity": "low"}),
    ("ER-NB-01", GIT, {**GOES_ON, "response": "stop", "continues": False, "told": ...}),
    ("ER-NB-01", GIT, {**GOES_ON, "response": "ignore"}),
    ("ER-NB-02", METRIC, {**GOES_ON, "continues": False, "told": ...}),
    ("ER-NB-02", LOGGING, {**GOES_ON, "response": "recover"}),
    ("ER-LOG-01", METRIC, {**GOES_ON, "keep": False}),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "given", "changes"), WRONG, ids=[f"{each[0]}-{n}" for n, each in enumerate(WRONG)])
def test_what_is_done_wrong_fails_its_clause_and_no_other(clause, given, changes):
    day = handled(given, **changes)
    assert {clause} == failing(day.read() if changes.get("keep", True) else day.patterns())


RIGHT = [
    (CRITICAL, STOPPED, "ER-SEV-01"),
    (error("x", severity="medium"), {"response": "workaround"}, "ER-SEV-02"),
    (error("x", severity="low"), {"response": "ignore", "taken": steps("log"), "told": None}, "ER-SEV-02"),
    (error("x", severity=None), {"response": "workaround"}, "ER-SEV-02"),
    (error("x", severity=5), {"response": "workaround"}, "ER-SEV-02"),
    (GIT, GOES_ON, "ER-NB-01"),
    (METRIC, GOES_ON, "ER-NB-02"),
]


@pytest.mark.parametrize(("given", "changes", "clause"), RIGHT, ids=range(len(RIGHT)))
def test_each_severity_has_its_response(given, changes, clause):
    findings = found(
        handled(given, **changes, **({"severity": "medium"} if given["severity"] in (None, 5) else {})).read()
    )
    assert (PASS, {PASS}) == (findings[clause].verdict, {finding.verdict for finding in findings.values()})


READINGS = [
    ("ER-PRG-01", {"general", "procedure"}, handled()),
    ("ER-PRG-01", {"general", "procedure"}, handled(error())),
    ("ER-PRG-01", {"procedure"}, handled(error(), taken=steps("preserve", "mark_partial", "log", "report"))),
    ("ER-PRG-03", {"partial", "either"}, handled()),
    ("ER-PRG-03", {"either"}, handled(told=returned(HANG, status="failed"))),
    ("ER-RES-01", {"metadata", "elsewhere"}, handled()),
    ("ER-RES-01", {"elsewhere"}, handled(metadata=None)),
    ("ER-RPT-01", {"by_progress", "by_rule"}, handled()),
    ("ER-RPT-01", {"by_rule"}, handled(told=returned(HANG, status="failed"))),
    ("ER-RPT-01", {"by_progress", "by_rule"},
     handled(told=returned(HANG, status="failed", completed=()), at=progress(completed=[], partial=...))),
    ("ER-RPT-01", {"by_rule"}, handled(told=returned(HANG, completed=()), at=progress(completed=[], partial=...), plan=None)),
    ("ER-NB-02", {"recorded", "told"}, handled(LOGGING, **GOES_ON)),
    ("ER-NB-02", {"told"}, handled(LOGGING, **{**GOES_ON, "taken": [], "keep": False})),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "left", "day"), READINGS, ids=[f"{each[0]}-{n}" for n, each in enumerate(READINGS)])
def test_each_reading_is_told_by_what_is_done(clause, left, day):
    assert left == readings(clause, day.read())


def test_an_answer_has_to_come():
    for given, clause in ((HANG, "ER-SEV-02"), (CRITICAL, "ER-SEV-01"), (GIT, "ER-NB-01"), (METRIC, "ER-NB-02")):
        day = Day().handle(given, instead=None, keep=False)
        assert {"ER-PRG-01", "ER-RPT-01", clause} == failing(day.read(None, []))
    assert set() == failing(Day().op("handle", {"name": "x"}, None))


def test_an_error_whose_record_is_missing_was_not_logged_as_its_severity_wants():
    assert {"ER-LOG-01", "ER-SEV-02"} == failing(handled(keep=False).patterns())


def test_who_never_stops_or_always_does_shows_nothing():
    on = {**STOPPED, "continues": True}
    assert {"ER-SEV-01", "ER-NB-01", "ER-NB-02"} == failing(
        Day().handle(GIT, **GOES_ON).handle(METRIC, **GOES_ON).handle(CRITICAL, **on).mark().read()
    )
    day = Day().handle(CRITICAL, **STOPPED).mark().handle(HANG, response="stop").read()
    assert {"ER-SEV-01", "ER-SEV-02"} == failing(day)


def test_an_error_at_no_phase_has_nothing_to_go_on_from():
    day = Day().handle(taken=steps("log", "report"), told=returned(HANG, failed_at=None), at=progress(failed_at=None))
    assert set() == failing(day.read().resume("anywhere", ["phase1"]))


def test_failed_at_is_not_among_the_completed_phases():
    told = returned(HANG, completed=("phase1", "phase2"))
    assert {"ER-RPT-02"} == failing(handled(told=told, at=progress(completed=["phase1", "phase2"])).read())


class TestWeather:
    FULL = (struck("filesystem.full", "{home}/specs"),)

    def test_what_cannot_be_stored_is_said_and_then_need_not_be_there(self):
        taken = steps(step("log", ok=False), "report")
        day = Day().handle(taken=taken, keep=False, said=[SAID], faults=self.FULL).read(None, [], faults=self.FULL)
        day.handle(error("x", severity=None), taken, response="x", keep=False, said=[SAID], faults=self.FULL)
        assert set() == failing(
            day.resume(None, [], None, said=[SAID], faults=self.FULL).begin(
                steps(step("write_metadata", ok=False), "work"), wrote=False, said=[SAID], faults=self.FULL
            )
        )
        silent = Day().handle(taken=taken, keep=False, faults=self.FULL)
        assert {"ER-PRG-01", "ER-LOG-01"} <= failing(silent.patterns(faults=self.FULL))

    def test_work_does_not_begin_before_its_metadata_were_tried(self):
        day = Day().begin(steps("work", "write_metadata"), wrote=False, said=[SAID], faults=self.FULL)
        assert {"ER-DEL-03"} == failing(day)

    def test_what_was_taken_before_it_was_seen_is_not_asked_for(self):
        damage = (struck("filesystem.missing", "{home}/specs"),)
        day = Day().handle().mark().handle(error("x", severity=None), response="workaround")
        day.errors = None
        assert set() == failing(day.read(None, [], faults=damage).resume(None, [], None, faults=damage))

    def test_a_plan_that_was_damaged_leaves_the_metadata(self):
        damage = (struck("filesystem.garbled", "{home}/specs/plan.md"),)
        day = handled()
        day.files["plan"] = "{ garbage"
        assert set() == failing(day.read(faults=damage).resume(faults=damage))
        assert "ER-RES-01" in found(day)
        day = handled(metadata=None)
        day.files["plan"] = "{ garbage"
        assert set() == failing(day.read(faults=damage).resume(None, [], None, faults=damage))

    def test_files_that_are_not_shown_show_nothing(self):
        day = handled(metadata=InputFact("file", 999_999))
        day.files["plan"] = InputFact("unreadable")
        assert set() == failing(day.read())


class TestProgress:
    def test_another_task_begins_at_its_beginning(self):
        day = Day(plan=None).handle().read()
        assert set() == failing(_copy(day).resume(None, [], None, task=260))
        assert {"ER-RES-01"} == failing(_copy(day).resume("phase2", [], None, task=260))

    def test_what_is_lost_or_made_up_is_wrong(self):
        day = handled().read()
        assert {"ER-PRG-02"} == failing(_copy(day).resume(completed=[]))
        assert {"ER-PRG-02"} == failing(_copy(day).resume(partial=None))
        assert {"ER-RES-01"} == failing(_copy(day).resume(None))
        bare = handled().read().handle(at=progress(partial=...)).read()
        assert {"ER-PRG-02"} == failing(_copy(bare).resume(partial=None))
        assert set() == failing(_copy(bare).resume())
        assert {"ER-RES-01"} == failing(_copy(day).resume(completed=["phase1", "phase3"]))
        assert {"ER-RES-01"} == failing(_copy(day).resume(completed=["phase1", "phase2"]))
        assert {"ER-RES-01", "ER-PRG-02"} == failing(_copy(day).resume(instead=None))

    def test_a_plan_keeps_its_completed_phases(self):
        day = handled()
        day.files["plan"] = PLAN.replace("[COMPLETED]", "[IN PROGRESS]").replace(
            "Build [IN PROGRESS]", "Build [PARTIAL]"
        )
        assert {"ER-PRG-02"} == failing(day.read())
        again = handled(
            at=progress(failed_at="phase1", completed=[]), told=returned(HANG, completed=(), failed_at="phase1")
        )
        again.files["plan"] = PLAN.replace("[COMPLETED]", "[PARTIAL]")
        assert set() == failing(again.read())

    def test_a_phase_is_found_in_the_plan_by_its_name_or_its_number(self):
        at = progress(failed_at="Build", phases=["Research", "Build"], completed=["Research"])
        told = returned(HANG, completed=("Research",), failed_at="Build")
        assert set() == failing(handled(at=at, told=told).read())
        at = progress(failed_at="two", phases=["one", "two"], completed=["one"])
        told = returned(HANG, completed=("one",), failed_at="two")
        assert {"ER-PRG-03"} == failing(handled(at=at, told=told, mark="[FAILED]").read())
        at = progress(failed_at="unknown", completed=[])
        told = returned(HANG, completed=(), failed_at="unknown")
        assert set() == failing(handled(at=at, told=told, mark="[IN PROGRESS]").read())
        assert {"ER-PRG-02"} == failing(handled(at=at, told=told, mark="[X]").read())

    def test_what_was_left_off_stays_so_when_a_delegation_begins(self):
        day = handled().begin().read().resume()
        assert {PASS} == {finding.verdict for finding in found(day).values()}
        assert {"ER-RES-01"} == failing(handled().begin().read().resume(None))
        assert set() == failing(Day(plan=None).begin().read().resume("anywhere", [], None))

    def test_metadata_are_written_before_the_work(self):
        assert {"ER-DEL-03"} == failing(Day().begin(steps("work", "write_metadata")))
        assert {"ER-DEL-03"} == failing(Day().begin(wrote=False).read())
        assert {"ER-DEL-03"} == failing(Day().begin(instead=None))
        assert set() == failing(Day().op("begin", {}, None).op("resume", {}, None))

    def test_of_two_that_begin_at_once_either_may_have_written_last(self):
        assert set() == failing(Day().begin().begin(wrote=False).together(2).read())

    def test_a_lenient_error_may_move_the_point_or_not(self):
        low = error("x", severity="low")
        at = progress(failed_at="phase3", completed=["phase1", "phase2"], partial=...)
        for point in ("phase2", "phase3"):
            day = handled().handle(low, steps("log"), response="ignore", told=None, at=at)
            assert set() == failing(day.read().resume(point))
        day = Day(metadata={"status": "completed"}).handle(low, steps("log"), response="ignore", told=None)
        assert set() == failing(day.read().resume("anywhere", [], None))

    @pytest.mark.parametrize(("metadata", "point", "clauses"), [
        (LEFT, "phase2", set()), (LEFT, None, {"ER-RES-01"}), ({**LEFT, "task": True}, None, set()),
        ({**LEFT, "completed": "phase1"}, "phase2", set()), ({"status": "in_progress", "task": 259}, "x", set()),
        ({**LEFT, "partial_progress": 5, "task_status": "implementing"}, "x", set()), ("{ torn", "x", set()),
    ], ids=range(7))  # fmt: skip
    def test_a_world_begins_with_the_metadata_it_has(self, metadata, point, clauses):
        assert clauses == failing(Day(metadata=metadata).resume(point))

    def test_a_plan_that_cannot_be_read_may_hold_anything(self):
        assert set() == failing(Day(plan=InputFact("directory")).resume("anywhere", [], None))

    def test_several_at_once_leave_the_point_of_either(self):
        other = progress(failed_at="phase3", completed=["phase1", "phase2"])
        told = returned(HANG, completed=("phase1", "phase2"), failed_at="phase3")
        day = handled().handle(at=other, told=told).handle().together(2)
        assert set() == failing(day.read().resume("phase3", ["phase1", "phase2"], 5))

    def test_at_once_with_others_a_task_keeps_how_far_it_is(self):
        beside = handled().begin(task=260, wrote=False).together(2).read()
        assert set() == failing(_copy(beside).resume())
        assert {"ER-RES-01", "ER-PRG-02"} == failing(_copy(beside).resume(None, [], None))
        logged = handled().log(error("timeout")).together(2).read()
        assert {"ER-RES-01", "ER-PRG-02"} == failing(_copy(logged).resume(None, [], None))


def _copy(day):
    other = Day()
    other.errors, other.files, other.entries = day.errors, day.files, list(day.entries)
    return other


TYPES = [
    ("ER-CAT-01", "delegation_hang", "delegation", {"responded": False}),
    ("ER-CAT-01", "timeout", "operation", {"timed_out": True}),
    ("ER-CAT-01", "validation_failed", "validation", {}),
    ("ER-CAT-02", "status_sync_failure", "status", {}),
    ("ER-CAT-02", "file_not_found", "file", {"missing": True}),
    ("ER-CAT-02", "parse_error", "json", {}),
    ("ER-CAT-02", "parse_error", "yaml", {"missing": True}),
    ("ER-CAT-03", "git_commit_failure", "git", {}),
    ("ER-CAT-03", "build_error", "build", {}),
    ("ER-CAT-03", "jq_parse_failure", "jq", {}),
    ("ER-CAT-04", "mcp_abort_error", "mcp_tool", {"code": -32001, "responded": False, "timed_out": True}),
    ("ER-CAT-04", "tool_unavailable", "mcp_tool", {"responded": False}),
    ("ER-CAT-05", "delegation_interrupted", "delegation", {"ended": True, "metadata_status": "in_progress"}),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "kind", "source", "more"), TYPES, ids=range(len(TYPES)))
def test_an_incident_has_its_type(clause, kind, source, more):
    assert PASS is found(Day().classify(kind, source, **more))[clause].verdict
    assert (
        {clause} == failing(Day().classify("another", source, **more)) == failing(Day().classify(None, source, **more))
    )


@pytest.mark.parametrize(("source", "more", "kind", "clause"), [
    ("mcp_tool", {"code": -32000}, "mcp_abort_error", "ER-CAT-04"),
    ("delegation", {"ended": True, "metadata_status": "completed"}, "delegation_interrupted", "ER-CAT-05"),
    ("delegation", {"metadata_status": "in_progress"}, "delegation_interrupted", "ER-CAT-05"),
    ("mcp_tool", {"aborted": True}, None, "ER-CAT-04"),
    ("elsewhere", {}, None, "ER-CAT-03"),
], ids=range(5))  # fmt: skip
def test_an_incident_has_not_the_type_of_another(source, more, kind, clause):
    assert {clause} == failing(Day().classify(kind, source, **more))
    assert set() == failing(Day().classify("tool_unavailable", source, **more))


@pytest.mark.parametrize(("clause", "left", "kind", "source", "more"), [
    ("ER-CAT-01", {"timeout"}, "timeout", "delegation", {"responded": False, "timed_out": True}),
    ("ER-CAT-01", {"hang"}, "delegation_hang", "delegation", {"responded": False, "timed_out": True}),
    ("ER-CAT-03", {"open"}, "disk_full", "elsewhere", {}),
    ("ER-CAT-03", {"open", "closed"}, "build_error", "build", {}),
    ("ER-CAT-03", {"open"}, "agent_gone", "delegation", {"ended": True}),
    ("ER-CAT-04", {"code"}, "tool_unavailable", "mcp_tool", {"responded": False, "timed_out": True}),
    ("ER-CAT-04", {"timed_out"}, "mcp_abort_error", "mcp_tool", {"responded": False, "aborted": True}),
    ("ER-CAT-04", {"code", "timed_out"}, "mcp_abort_error", "mcp_tool", {"aborted": True}),
    ("ER-CAT-04", {"code"}, "aborted", "mcp_tool", {"aborted": True}),
], ids=range(9))  # fmt: skip
def test_each_reading_is_told_by_a_type(clause, left, kind, source, more):
    assert left == readings(clause, Day().classify(kind, source, **more))


def test_what_is_no_incident_has_no_type():
    assert set() == failing(Day().op("classify", {"incident": 5}, None).op("unknown", {}, {}))
    assert CONTEXT["task"] == 259
