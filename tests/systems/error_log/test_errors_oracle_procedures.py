"""What the oracle says of the six recovery procedures, and of jq filters."""

import copy

import pytest
from handmade_errors import (
    CONTEXT,
    PASS,
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
from harness.systems.error_log.contract import METADATA_PATH

TIMEOUT = ("log", "preserve", "mark_partial", "commit")
TODO, STATE = "- [ ] 259: Write it [IMPLEMENTING]\n", '{"tasks": {"259": "completed"}}\n'
SAME = '{"tasks": {"259": "implementing"}}\n'
NINE, TEN = "2026-02-28T09:00:00Z", "2026-02-28T10:00:00Z"
TOOL = {"command": "search", "output": "AbortError"}
LEFT = {"status": "in_progress", "task": 259, "task_status": "researching", "partial_progress": {"stage": "phase2"}}


def timed_out(*actions, outcome="partial", ok=True, mark="[PARTIAL]", **more):
    taken = steps(*(actions or TIMEOUT))
    taken = [{**each, "ok": False} if each["action"] == "commit" and not ok else each for each in taken]
    facts = {"commit_succeeds": more.pop("commits", ok)}
    return Day().recover("timeout", taken, outcome, facts=facts, **more).mark(mark)


class TestTimeout:
    def test_the_steps_come_in_order_and_the_task_is_resumed(self):
        findings = found(timed_out().read().resume())
        assert {"ER-TMO-01", "ER-PRG-02", "ER-PRG-03", "ER-RES-01"} <= set(findings)
        assert {PASS} == {finding.verdict for finding in findings.values()}
        no_phase = timed_out("log", "preserve", "commit", at=progress(failed_at=None), mark="[IN PROGRESS]")
        assert set() == failing(no_phase.read())

    @pytest.mark.parametrize(("clause", "day"), [
        ("ER-TMO-01", timed_out("log", "mark_partial", "preserve", "commit")),
        ("ER-TMO-01", timed_out("log", "preserve", "commit")),
        ("ER-TMO-01", timed_out("log", "mark_partial", "preserve", "commit", ok=False)),
        ("ER-TMO-01", timed_out("log", "preserve", "mark_partial")),
        ("ER-TMO-01", timed_out(outcome="failed")),
        ("ER-TMO-01", timed_out(ok=False, commits=True)),
        ("ER-TMO-01", timed_out(outcome="done")),
        ("ER-NB-01", timed_out(ok=False, outcome="failed")),
        ("ER-PRG-03", timed_out(mark="[FAILED]")),
        ("ER-RPT-01", timed_out(*TIMEOUT, "report")),
        ("ER-LOG-01", timed_out(keep=False)),
    ], ids=range(11))  # fmt: skip
    def test_what_is_done_wrong_fails_its_clause(self, clause, day):
        assert {clause} == failing(day.read() if day.errors else day.patterns())

    def test_a_commit_that_fails_stops_nothing(self):
        assert PASS is found(timed_out(ok=False).read())["ER-NB-01"].verdict
        assert {"ER-TMO-01", "ER-NB-01"} == failing(timed_out("log", "preserve", "mark_partial", commits=False).read())

    def test_an_answer_has_to_come(self):
        assert {"ER-TMO-01"} == failing(Day().recover("timeout", [], "x", instead=None, keep=False))
        assert {"ER-LOG-01"} == failing(Day().recover("x", [], "x", instead=None, keep=False, given=error(type=5)))
        assert set() == failing(Day().op("recover", {}, None))

    def test_an_error_without_a_procedure_is_logged(self):
        assert set() == failing(Day().recover("file_not_found", steps("log"), "failed").read())

    def test_a_procedure_may_leave_records_of_its_own(self):
        day = timed_out(ok=False)
        day.log(error("git_commit_failure"), name="own")
        del day.entries[-2:]
        assert set() == failing(day.read())

    def test_what_is_non_blocking_may_be_recovered_from(self):
        for names in ((), ("e1",)):
            day = Day().recover("git_commit_failure", steps("log"), "recovered").read()
            assert set() == failing(day.finish(*names))
        for taken, clauses in (
            (("log",), set()),
            (("log", "continue"), set()),
            (("log", "return_partial"), {"ER-NB-01"}),
        ):
            assert clauses == failing(Day().recover("git_commit_failure", steps(*taken), "partial").read())

    def test_under_a_fault_a_step_may_be_missing_when_that_is_said(self):
        full = (struck("filesystem.full", "{home}/specs"),)
        day = Day().recover("timeout", steps("log", "commit"), "partial", keep=False, said=[SAID], faults=full)
        assert set() == failing(day.read(None, [], faults=full))


def synced(taken, todo=NINE, state=TEN, *, actions=None, outcome="recovered", after=None, files=(TODO, STATE), **more):
    taken = [step("sync", detail=taken)] if isinstance(taken, str) else taken
    actions = ("log", "read_todo", "read_state", "blame") if actions is None else actions
    facts = {name: date for name, date in (("todo_changed", todo), ("state_changed", state)) if date}
    day = Day(todo=files[0], state=files[1])
    day.recover("status_sync_failure", [*steps(*actions), *taken, step("log_resolution")], outcome, facts=facts, **more)
    for label, content in (after or {}).items():
        day.files[label] = content
    return day.read()


MORE = TODO + "- [ ] 258: Tidy [PLANNED]\n"
BOTH_DONE = {"todo": TODO.replace("IMPLEMENTING", "COMPLETED")}
BOTH_BUSY = {"state": SAME}


class TestSync:
    @pytest.mark.parametrize(("left", "day"), [
        ({"uncommitted", "committed", "state", "todo", "asks"}, synced("state", after=BOTH_DONE)),
        ({"uncommitted", "committed", "state", "todo", "asks"}, synced("todo", TEN, NINE, after=BOTH_BUSY)),
        ({"uncommitted", "todo"}, synced("todo", None, NINE, after=BOTH_BUSY)),
        ({"committed", "state"}, synced("state", None, NINE, after=BOTH_DONE)),
        ({"uncommitted", "state"}, synced("state", NINE, None, after=BOTH_DONE)),
        ({"committed", "todo"}, synced("todo", NINE, None, after=BOTH_BUSY)),
        ({"uncommitted", "committed", "state"}, synced("state", None, None, after=BOTH_DONE)),
        ({"todo"}, synced("todo", NINE, NINE, after=BOTH_BUSY)),
        ({"uncommitted", "committed", "state", "todo", "asks"}, synced("todo", "yesterday", after=BOTH_BUSY)),
        ({"asks"}, synced([], None, None, outcome="failed")),
        ({"uncommitted", "committed", "state", "todo", "asks"}, synced([], files=(TODO, None), outcome="failed")),
        ({"uncommitted", "committed", "state", "todo", "asks"},
         synced("todo", files=(TODO, "{ torn"), actions=("read_todo", "read_state"))),
    ], ids=range(12))  # fmt: skip
    def test_each_reading_is_told_by_what_is_taken(self, left, day):
        assert left == readings("ER-SYN-01", day)

    @pytest.mark.parametrize("day", [
        synced("todo", after=BOTH_BUSY), synced("state"), synced("state", after=BOTH_BUSY),
        synced("todo", TEN, NINE, files=(MORE, STATE)), synced("neither"), synced([step("sync", detail="todo"), step("sync", detail="state")]),
        synced([]), synced([step("sync", detail="state", ok=False)]), synced([], None, None),
        synced("state", actions=("read_todo", "blame"), after=BOTH_DONE),
        synced("state", actions=("blame", "read_todo", "read_state"), after=BOTH_DONE),
        synced([step("log_resolution"), step("sync", detail="state")], after=BOTH_DONE),
    ], ids=range(12))  # fmt: skip
    def test_what_is_done_wrong_fails(self, day):
        assert {"ER-SYN-01"} == failing(day)

    def test_the_other_file_may_speak_of_more_tasks(self):
        after = {"todo": MORE.replace("IMPLEMENTING", "COMPLETED")}
        assert set() == failing(synced("state", files=(MORE, STATE), after=after))
        assert set() == failing(synced("state", files=("no words\n", STATE), after={}))


def build(*actions, told=..., output="line 2: error", detail="line 2: error", **more):
    actions = actions or (step("capture_output", detail=detail), "log", "report")
    told = returned(error("build_error")) if told is ... else told
    more.setdefault("context", {**CONTEXT, "output": output})
    return Day().recover("build_error", steps(*actions), "failed", facts={"output": output}, told=told, **more)


class TestBuild:
    def test_the_output_is_captured_and_the_source_stays(self):
        assert {PASS} == {finding.verdict for finding in found(build().read().read()).values()}

    def test_the_output_is_in_the_record_or_in_the_report(self):
        kept = returned(error("build_error"), recovery="See: line 2: error")
        assert {"ER-BLD-01"} == failing(build(context=CONTEXT).read())
        assert set() == failing(build(context=CONTEXT, told=kept).read())
        for output, context in (("a: 1\n  b: 2", {"output": ["a: 1", "b: 2"]}), ("x" * 2000, {}), ("", {})):
            assert set() == failing(build(output=output, detail=output, context={**CONTEXT, **context}).read())

    def test_what_is_done_wrong_fails(self):
        assert {"ER-BLD-01"} == failing(build("log", step("capture_output", detail="line 2: error"), "report").read())
        assert {"ER-BLD-01"} == failing(build(detail="error").read())
        assert {"ER-BLD-01", "ER-RPT-01"} == failing(build(told=None).read())
        day = build()
        day.files["source"] = "def other(): ...\n"
        assert {"ER-BLD-01"} == failing(day.read())
        unseen = build()
        unseen.entries[0].inputs.pop("source")
        assert set() == failing(unseen.read())


def mcp(
    *actions, facts=None, outcome="recovered", wait=5.0, ok=True, after=None, command="search", context=..., **more
):
    again = more.pop("again", command)
    first = ("log", step("wait", wait_s=wait), step("retry", ok=ok, detail=again))
    told = {**TOOL, "command": command, "retry_succeeds": ok, **(facts or {})}
    where = {**CONTEXT, "tool": "search"} if context is ... else context
    day = Day().recover("mcp_abort_error", steps(*first, *actions), outcome, facts=told, context=where, **more)
    day.files["metadata"] = after
    return day.read()


OTHER = {"alternative": "grep"}
USED = step("alternative", detail="grep")
FAILED = step("alternative", detail="grep", ok=False)
PARTIAL = {"status": "partial", "task": 259, "partial_progress": {"stage": "phase2"}}
ENDED = ("write_metadata", "return_partial")


class TestMcp:
    @pytest.mark.parametrize(("left", "day"), [
        ({"always", "without"}, mcp()),
        ({"always", "without"}, mcp(*ENDED, ok=False, outcome="partial", after=PARTIAL)),
        ({"always", "without"}, mcp("write_metadata", "continue", ok=False, after=PARTIAL)),
        ({"without"}, mcp(USED, facts=OTHER, ok=False)),
        ({"always"}, mcp(USED, "write_metadata", "continue", facts=OTHER, ok=False, after=PARTIAL)),
        ({"always", "without"}, mcp(FAILED, *ENDED, facts={**OTHER, "alternative_succeeds": False}, ok=False,
                                    outcome="partial", after=PARTIAL)),
        ({"always", "without"}, mcp(*ENDED, ok=False, outcome="partial", at=progress(failed_at=None),
                                    after={**PARTIAL, "partial_progress": None})),
    ], ids=range(7))  # fmt: skip
    def test_each_reading_is_told_by_what_is_written(self, left, day):
        assert left == readings("ER-MCP-02", day)
        assert set() == failing(day)

    @pytest.mark.parametrize(("clause", "day"), [
        ("ER-MCP-01", mcp(wait=4.999)),
        ("ER-MCP-01", mcp(wait=6.0)),
        ("ER-MCP-01", mcp(step("retry"))),
        ("ER-MCP-01", mcp(ok=False, facts={"retry_succeeds": True})),
        ("ER-MCP-01", mcp(outcome="partial")),
        ("ER-MCP-01", mcp(context=CONTEXT)),
        ("ER-MCP-01", mcp(again="another tool")),
        ("ER-MCP-02", mcp(USED, facts=OTHER, ok=False, outcome="partial")),
        ("ER-MCP-02", mcp(USED, "return_partial", facts=OTHER, ok=False)),
        ("ER-MCP-02", mcp(USED, facts=OTHER)),
        ("ER-MCP-02", mcp(*ENDED, facts=OTHER, ok=False, outcome="partial", after=PARTIAL)),
        ("ER-MCP-02", mcp(USED, *ENDED, ok=False, outcome="partial", after=PARTIAL)),
        ("ER-MCP-02", mcp(FAILED, facts=OTHER, ok=False)),
        ("ER-MCP-02", mcp("return_partial", ok=False, outcome="partial")),
        ("ER-MCP-02", mcp("write_metadata", ok=False, outcome="partial", after=PARTIAL)),
        ("ER-MCP-02", mcp(*ENDED, ok=False, outcome="failed", after=PARTIAL)),
        ("ER-MCP-02", mcp(*ENDED, ok=False, outcome="partial")),
        ("ER-MCP-02", mcp(*ENDED, ok=False, outcome="partial", after={**PARTIAL, "partial_progress": None})),
    ], ids=range(18))  # fmt: skip
    def test_what_is_done_wrong_fails_its_clause(self, clause, day):
        assert {clause} == failing(day)

    def test_without_a_retry_nothing_is_right(self):
        day = Day().recover("mcp_abort_error", steps("log"), "partial", facts=TOOL | {"retry_succeeds": False})
        assert {"ER-MCP-01", "ER-MCP-02"} == failing(day.read())


GUIDED = step("guidance", detail="Run command again to resume.")
EXTRACTED = step("extract_progress", detail="phase2")
ALL = ("check_metadata", EXTRACTED, "log", GUIDED)


def interrupted(*actions, metadata=LEFT, status="researching", context=..., given=None, state=None, **more):
    where = {**CONTEXT, "partial_progress": {"stage": "phase2"}} if context is ... else context
    day = Day(metadata=metadata, state=state, todo=state)
    day.recover(
        "delegation_interrupted", steps(*(actions or ALL)), "partial", status=status, context=where, given=given, **more
    )
    return day.read()


class TestDelegation:
    @pytest.mark.parametrize(("left", "day"), [
        ({"context"}, interrupted()),
        ({"record"}, interrupted(context=CONTEXT, partial_progress={"stage": "phase2"})),
        ({"record"}, interrupted(context=CONTEXT, more=[[5], {"partial_progress": {"stage": "phase2"}}])),
        ({"context", "record"}, interrupted("check_metadata", "log", GUIDED, metadata=None, context=CONTEXT)),
        ({"context", "record"}, interrupted("check_metadata", "log", GUIDED, metadata="{ torn", context=CONTEXT)),
        ({"context", "record"}, interrupted("check_metadata", "log", metadata={"status": "completed"})),
        ({"context", "record"}, interrupted("check_metadata", "log", metadata={**LEFT, "task": 260})),
        ({"context"}, interrupted("check_metadata", "log", GUIDED, metadata=None,
                                  given=error("delegation_interrupted", partial_progress={"stage": "phase2"}))),
        ({"context"}, interrupted("check_metadata", "log", GUIDED, metadata=None,
                                  given=error("delegation_interrupted", partial_progress=[True]))),
    ], ids=range(9))  # fmt: skip
    def test_each_reading_is_told_by_the_record(self, left, day):
        assert left == readings("ER-DEL-01", day)
        assert set() == failing(day)

    @pytest.mark.parametrize(("clause", "day"), [
        ("ER-DEL-01", interrupted("log", "check_metadata", EXTRACTED, GUIDED)),
        ("ER-DEL-01", interrupted("check_metadata", "log", GUIDED)),
        ("ER-DEL-01", interrupted("check_metadata", step("extract_progress", detail="phase1"), "log", GUIDED)),
        ("ER-DEL-01", interrupted("check_metadata", EXTRACTED, "log", step("guidance", detail="Give up"))),
        ("ER-DEL-01", interrupted("check_metadata", EXTRACTED, GUIDED, "log")),
        ("ER-DEL-01", interrupted("log", metadata={"status": "completed"})),
        ("ER-DEL-01", interrupted(context=CONTEXT)),
        ("ER-DEL-01", interrupted(context={**CONTEXT, "partial_progress": {"stage": "nonsense"}})),
        ("ER-DEL-01", interrupted("check_metadata", "log", GUIDED, metadata=None,
                                  given=error("delegation_interrupted", partial_progress={"stage": "x"}))),
        ("ER-DEL-02", interrupted(status="completed")),
        ("ER-DEL-02", interrupted(status=None)),
    ], ids=range(11))  # fmt: skip
    def test_what_is_done_wrong_fails_its_clause(self, clause, day):
        assert {clause} == failing(day)

    def test_the_status_stays_in_the_files_too(self):
        for after, clauses in ((STATE, {"ER-DEL-02"}), (SAME, set())):
            day = interrupted(state=SAME)
            del day.entries[-2:]
            day.files["state"] = after
            assert clauses == failing(day.read())

    def test_the_next_invocation_goes_on_where_the_metadata_say(self):
        for point, clauses in (("phase2", set()), ("phase1", {"ER-RES-01"})):
            assert clauses == failing(interrupted().resume(point, []))
        begun = Day().begin(status="implementing")
        begun.files["metadata"] = {**begun.files["metadata"], "partial_progress": {"stage": "phase2"}}
        where = {**CONTEXT, "partial_progress": {"stage": "phase2"}}
        begun.recover("delegation_interrupted", steps(*ALL), "partial", status="implementing", context=where)
        assert set() == failing(begun.read().resume())

    def test_a_status_that_only_the_metadata_tell_stays_too(self):
        for status, clauses in (("researching", set()), ("completed", {"ER-DEL-02"})):
            day = Day().read()
            day.files["metadata"] = LEFT
            where = {**CONTEXT, "partial_progress": {"stage": "phase2"}}
            day.recover("delegation_interrupted", steps(*ALL), "partial", status=status, context=where)
            assert clauses == failing(day.read())

    def test_under_a_fault_the_status_may_be_unknown_but_the_guidance_is_shown(self):
        hidden = (struck("filesystem.unreadable", METADATA_PATH),)
        said = [{"level": "warning", "code": "metadata_invalid"}]
        unread = {"faults": hidden, "said": said, "context": CONTEXT, "metadata": InputFact("unreadable")}
        assert set() == failing(interrupted(status=None, **unread))
        assert {"ER-DEL-01"} == failing(interrupted("check_metadata", "log", status=None, **unread))
        begun = Day().begin(wrote=False, faults=hidden, said=said)
        for status, clauses in ((None, set()), ("implementing", set()), ("completed", {"ER-DEL-02"})):
            day = copy.deepcopy(begun)
            day.recover("delegation_interrupted", steps("check_metadata", "log", GUIDED), "partial", status=status)
            assert clauses == failing(day.read())

    def test_a_history_without_metadata_says_nothing_of_them(self):
        assert set() == failing(interrupted("log", metadata=...))
