"""What the reference does about errors, and what it keeps of progress. Document 002, Error Response Pattern and on."""

import errno
import json

import pytest
from errors_reference_world import PHASES, PLAN, Failing, World, actions, codes, given, progress

from harness.systems.error_log.contract import Facts
from harness.systems.error_log.reference.course import Course
from harness.systems.trace import Trace

GENERAL = ["log", "preserve", "mark_partial", "enable_resume", "report"]


@pytest.fixture
def world():
    made = World(files=Failing())
    made.put("plan", PLAN)
    return made


@pytest.mark.parametrize(
    ("severity", "response", "goes_on", "expected"),
    [
        ("critical", "stop", False, [*GENERAL[:4], "alert", "report"]), ("high", "recover", True, GENERAL),
        ("medium", "workaround", True, GENERAL), ("low", "ignore", True, GENERAL), (None, "recover", True, GENERAL),
    ],
)  # fmt: skip
def test_the_severity_decides(world, severity, response, goes_on, expected):
    found = world.handle("a", given(severity=severity))
    assert (response, goes_on, expected) == (found.response, found.continues, actions(found))
    assert world.in_file() == ["a"]


@pytest.mark.parametrize("kind", ["git_commit_failure", "metric_failure", "logging_failure"])
@pytest.mark.parametrize("severity", ["critical", "high", None])
def test_a_non_blocking_error_never_stops_and_is_reported_at_the_end(world, kind, severity):
    found = world.handle("a", given(kind, "why", severity=severity))
    recovered = world.recover("b", given(kind, 5, severity=severity))
    world.log("c", given(kind))
    assert ("continue", True, None) == (found.response, found.continues, found.returned)
    assert ["log", "preserve", "continue"] == actions(found) == actions(recovered)
    assert ("recovered", None) == (recovered.outcome, recovered.returned)
    assert [("a", kind, "why"), ("b", kind, "5"), ("c", kind, "it took too long")] == [
        (each.name, each.type, each.message) for each in world.finish().reported
    ]
    assert world.finish().reported == ()
    assert world.text("plan") == PLAN


def test_the_returned_error_has_status_error_and_progress(world):
    found = world.handle("a", given(message="m"), progress(["phase1", "phase2"], "phase2"))
    assert found.returned == {
        "status": "partial",
        "error": {"type": "timeout", "message": "m", "recovery": "Run the command again to resume"},
        "progress": {"completed": ["phase1"], "failed_at": "phase2"},
    }


@pytest.mark.parametrize(
    ("made", "left", "status"),
    [
        (progress([], "phase1"), None, "failed"), (progress([], None), None, "failed"),
        (progress([], "phase1", {"a": 1}), None, "partial"), (progress(), None, "partial"),
        (progress([], "phase1"), {"stage": "phase1", "details": 3}, "partial"),
        (progress([], "phase1"), {"stage": "phase1"}, "failed"),
    ],
)  # fmt: skip
def test_it_is_partial_when_something_is_completed_or_kept(world, made, left, status):
    assert status == world.handle("a", given(partial_progress=left), made).returned["status"]


@pytest.mark.parametrize(
    ("kind", "facts", "expected", "outcome"),
    [
        ("delegation_hang", {}, GENERAL, "partial"), ("of my own", {}, GENERAL, "partial"),
        ("timeout", {}, [*GENERAL[:3], "commit", *GENERAL[3:]], "partial"),
        ("timeout", {"commit_succeeds": False}, [*GENERAL[:3], "commit", "log", *GENERAL[3:]], "partial"),
        ("build_error", {}, ["capture_output", *GENERAL], "failed"),
        ("jq_parse_failure", {}, ["capture_output", "log", "preserve", "retry", "log_resolution"], "recovered"),
        ("jq_parse_failure", {"retry_succeeds": False}, ["capture_output", "log", "preserve", "retry", *GENERAL[2:]], "failed"),
        ("mcp_abort_error", {}, ["log", "preserve", "wait", "retry"], "recovered"),
        ("mcp_abort_error", {"retry_succeeds": False, "alternative": "grep"},
         ["log", "preserve", "wait", "retry", "alternative", "continue"], "recovered"),
        ("mcp_abort_error", {"retry_succeeds": False, "alternative": "grep", "alternative_succeeds": False},
         ["log", "preserve", "wait", "retry", "alternative", "write_metadata", "mark_partial", "return_partial", "report"], "partial"),
        ("mcp_abort_error", {"retry_succeeds": False},
         ["log", "preserve", "wait", "retry", "write_metadata", "mark_partial", "return_partial", "report"], "partial"),
        ("delegation_interrupted", {},
         ["check_metadata", "extract_progress", *GENERAL[:4], "guidance", "report"], "partial"),
    ],
)  # fmt: skip
def test_each_type_has_its_procedure(world, kind, facts, expected, outcome):
    found = world.recover("a", given(kind), **facts)
    assert (expected, outcome) == (actions(found), found.outcome)
    assert ("report" in expected) == (found.returned is not None)


def test_a_commit_that_fails_is_logged_and_reported_at_the_end(world):
    found = world.recover("a", commit_succeeds=False)
    assert [step.ok for step in found.steps if step.action == "commit"] == [False]
    assert [each["type"] for each in world.records()] == ["timeout", "git_commit_failure"]
    assert [(each.name, each.type) for each in world.finish().reported] == [("a", "git_commit_failure")]
    assert world.fix("a").record["type"] == "timeout"


def test_records_of_procedures_say_what_was_run_and_what_it_said(world):
    world.recover("jq", given("jq_parse_failure"), command='select(.a != "b")', output="INVALID_CHARACTER")
    found = world.recover("mcp", given("mcp_abort_error"), command="lean_search")
    jq, mcp = world.records()
    assert ('select(.a != "b")', "INVALID_CHARACTER") == (jq["context"]["failed_command"], jq["context"]["output"])
    assert jq["resolution"] == {"what": "the retry worked", "at": "2026-03-01T12:00:00.500Z"}
    assert (mcp["context"]["tool"], "resolution" in mcp) == ("lean_search", False)
    assert [(step.wait_s, step.detail) for step in found.steps[2:]] == [(5.0, ""), (None, "lean_search")]


def test_a_build_failure_touches_no_source(world):
    world.put("source", b"x = ")
    found = world.recover("a", given("build_error"), output="line 1: \ud800")
    assert found.steps[0].detail == "line 1: \\ud800"
    assert world.text("source") == b"x = "


def test_a_begun_delegation_has_metadata_before_its_work(world):
    found = world.begin()
    assert [("write_metadata", True), ("work", True)] == [(str(step.action), step.ok) for step in found.steps]
    written = world.written("metadata")
    assert ("in_progress", 259, "implementing") == (written["status"], written["task"], written["task_status"])
    assert written["metadata"]["delegation_depth"] == 3


@pytest.mark.parametrize("status", ["researching", "implementing"])
def test_an_interrupted_task_keeps_its_status_and_goes_on_where_it_was(world, status):
    world.begin(status=status)
    found = world.recover(
        "a", given("delegation_interrupted", partial_progress={"stage": "phase2", "details": {"n": 3}})
    )
    assert [("check_metadata", True, ""), ("extract_progress", True, "phase2")] == [
        (str(step.action), step.ok, step.detail) for step in found.steps[:2]
    ]
    assert (status, "Run command again to resume") == (found.task_status, found.steps[-2].detail)
    assert world.opened().goes_on() == ("phase2", ("phase1",), {"n": 3})
    assert world.written("metadata")["task_status"] == status


def test_what_the_metadata_say_is_extracted_and_logged(world):
    foreign = {"status": "in_progress", "partial_progress": {"stage": "phase3", "lines": 9}, "artifacts": ["a.md"]}
    world.put("metadata", json.dumps(foreign).encode())
    found = world.recover("a", given("delegation_interrupted"), progress(failed_at=None))
    assert [step.detail for step in found.steps if step.action in ("extract_progress", "mark_partial")] == [
        "phase3"
    ] * 2
    assert world.records()[0]["context"]["partial_progress"] == {"stage": "phase3", "lines": 9}
    assert world.goes_on() == ("phase3", ("phase1",), {"stage": "phase3", "lines": 9})
    assert world.written("metadata")["artifacts"] == ["a.md"]
    assert b"### Phase 3: tests [PARTIAL]" in world.text("plan")


def test_a_stage_that_is_no_phase_is_resumed_and_not_marked(world):
    world.recover("a", given("delegation_interrupted", partial_progress={"stage": "reading"}), progress(failed_at=None))
    assert world.goes_on()[0] == "reading"
    assert world.text("plan") == PLAN


@pytest.mark.parametrize("left", ["half", [1], {"no": "stage"}, {"stage": 5, "details": None, "x": 1}, {"stage": ""}])
def test_what_was_left_in_any_shape_is_kept(world, left):
    world.recover("a", given("delegation_interrupted", partial_progress=left))
    at, _, partial = world.goes_on()
    assert at == "phase2"
    assert partial == (None if left in ({"stage": ""}, {"stage": 5, "details": None, "x": 1}) else left)


@pytest.mark.parametrize(
    ("state", "todo", "expected"),
    [
        (b'{"tasks":{"259":"Researching"}}', None, "researching"), (b'{"tasks":{"1":"x"}}', b"- [ ] 259: a [PLANNED]", "planned"),
        (None, b"- [ ] 259: a [PLANNED]", "planned"), (b"{", None, None),
    ],
)  # fmt: skip
def test_a_status_that_the_metadata_lack_is_that_of_the_task_lists(world, state, todo, expected):
    for label, data in (("state", state), ("todo", todo)):
        if data is not None:
            world.put(label, data)
    found = world.recover("a", given("delegation_interrupted"))
    assert (expected, False) == (found.task_status, found.steps[0].ok)


def test_a_status_that_began_here_is_known_although_the_metadata_are_gone(world):
    world.begin()
    world.files.remove(world.path("metadata"))
    assert world.recover("a", given("delegation_interrupted")).task_status == "implementing"


# -- progress


def test_completed_phases_add_up_and_partial_results_stay(world):
    world.handle("a", made=progress([], "phase1", {"n": 1}))
    assert world.goes_on() == ("phase1", (), {"n": 1})
    world.begin()
    assert world.goes_on() == ("phase1", (), {"n": 1})
    world.handle("b", made=progress(["phase1"], "phase2"))
    assert world.goes_on() == ("phase2", ("phase1",), None)
    world.handle("c", made=progress([], "phase2", "half"))
    world.handle("d", made=progress(["phase1"], None))
    assert world.opened().goes_on() == ("phase2", ("phase1",), "half")
    world.handle("e", made=progress(PHASES, None))
    assert world.goes_on() == (None, PHASES, None)


def test_a_task_without_phases_is_partial_without_a_stage(world):
    world.handle("a", made=progress([], None, phases=()))
    assert world.written("metadata")["partial_progress"] == {"stage": "", "details": None}
    assert world.goes_on() == (None, (), None)


def test_the_first_phase_that_is_not_completed_is_resumed_where_none_failed(world):
    world.handle("a", made=progress(["phase1"], None))
    assert world.goes_on()[0] == "phase2"
    assert b"[PARTIAL]" not in world.text("plan")


def test_progress_of_other_tasks_stays(world):
    world.handle("a", made=progress(task=1))
    world.handle("b", made=progress([], "phase1", task=2))
    world.begin(3)
    assert [world.opened().goes_on(task)[0] for task in (1, 2, 3, 4)] == ["phase2", "phase1", None, None]


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"status":3}', b'{"status":"partial","completed":[1]}', b"[" * 10_000,
     b'{"status":"partial","others":{"7":{"completed":5}}}'],
    ids=[f"m{number}" for number in range(7)],
)  # fmt: skip
def test_metadata_that_are_none_are_kept_aside(world, data):
    world.put("metadata", data)
    assert (codes(world.resume()), world.goes_on()) == (["metadata_invalid"], (None, (), None))
    assert codes(world.handle("a")) == ["metadata_invalid"]
    assert world.files.read(world.path("metadata") + ".corrupt-1", 99_999) == data
    assert world.goes_on()[0] == "phase2"


@pytest.mark.parametrize("others", ['"x"', '{"a":{},"-1":{},"8":3}'])
def test_what_is_no_task_among_others_is_not_one(world, others):
    world.put("metadata", b'{"status":"partial","task":1,"others":' + others.encode() + b"}")
    assert world.resume(1).log == ()


def test_damaged_metadata_take_nothing_that_this_process_knows(world):
    world.handle("a")
    world.put("metadata", b"{")
    assert world.goes_on()[:2] == ("phase2", ("phase1",))


@pytest.mark.parametrize("method", ["replace", "read", "lock"])
def test_progress_that_cannot_be_written_stays_in_memory_and_goes_in_later(world, method):
    world.files.broken[method, "metadata"] = OSError(errno.EIO, "broken")
    found = world.handle("a", made=progress(partial=5))
    assert [str(step.action) for step in found.steps if not step.ok] == ["preserve", "enable_resume"]
    assert "metadata_write_failed" in codes(found)
    assert world.goes_on() == ("phase2", ("phase1",), 5)
    assert [step.ok for step in world.begin(1).steps] == [False, True]
    world.files.broken.clear()
    world.log("b")
    assert [world.opened().goes_on(task)[0] for task in (259, 1)] == ["phase2", None]
    assert world.written("metadata")["task"] == 1


def test_metadata_that_say_so_already_are_not_written_again(world):
    world.handle("a")
    world.files.broken["replace", "metadata"] = OSError(errno.EIO, "broken")
    trace = Trace()
    assert world.log_.metadata.change(259, lambda entry: entry, 0.0, trace)
    assert trace.entries == []


# -- the plan


@pytest.mark.parametrize(
    ("plan", "phase", "expected"),
    [
        (b"### Phase 2: x [IN PROGRESS]\nrest", "phase2", b"### Phase 2: x [PARTIAL]\nrest"),
        (b"### Phase 2: x\r\nrest", "Phase 2", b"### Phase 2: x [PARTIAL]\r\nrest"),
        (b"# PHASE 02 - x [A] \n", "phase2", b"# PHASE 02 - x [PARTIAL] \n"),
        (b"### x [PARTIAL]\n", "x", b"### x [PARTIAL]\n"), (b"### deploy [prod]\n", "deploy [prod]", b"### deploy [prod] [PARTIAL]\n"),
        (b"### deploy [prod] [DONE]\n", "deploy [prod]", b"### deploy [prod] [PARTIAL]\n"),
        (b"\xff\n#### Phase 2: y\n", "z", b"\xff\n#### Phase 2: y [PARTIAL]\n"), (b"", "z", b"### Phase 2: z [PARTIAL]\n"),
        (b"text", "z", b"text\n### Phase 2: z [PARTIAL]\n"), (b"#x\n", "z", b"#x\n### Phase 2: z [PARTIAL]\n"),
        (b"### [a]b[1]\n", "z", b"### [a]b[1]\n### Phase 2: z [PARTIAL]\n"),
        (b"### Phase 1: z\n### Phase 2: y\n", "z", b"### Phase 1: z [PARTIAL]\n### Phase 2: y\n"),
    ],
    ids=[f"p{number}" for number in range(12)],
)  # fmt: skip
def test_the_heading_of_the_interrupted_phase_is_marked(world, plan, phase, expected):
    world.put("plan", plan)
    world.handle("a", made=progress([], phase, phases=("first", phase)))
    assert world.text("plan") == expected
    world.handle("b", made=progress([], phase, phases=("first", phase)))
    assert world.text("plan") == expected


def test_a_phase_of_an_unknown_place_is_added_without_a_number(world):
    world.handle("a", made=progress([], "else\nwhere \ud800"))
    assert world.text("plan") == PLAN + b"### Phase: else where \\ud800 [PARTIAL]\n"
    world.handle("b", made=progress([], ""))
    assert world.text("plan").endswith(b"### Phase:  [PARTIAL]\n")


def test_a_plan_that_there_is_not_is_begun_with_the_mark(world):
    world.files.remove(world.path("plan"))
    world.handle("a")
    assert world.text("plan") == b"### Phase 2: phase2 [PARTIAL]\n"


def test_a_mark_that_cannot_be_made_is_made_later(world):
    world.files.broken["replace", "plan"] = OSError(errno.EROFS, "read-only")
    for name in ("a", "b"):
        found = world.handle(name)
        assert (["mark_partial"], ["plan_write_failed"]) == (
            [str(s.action) for s in found.steps if not s.ok],
            codes(found),
        )
    world.files.broken.clear()
    world.finish()
    assert world.text("plan") == PLAN.replace(b"[IN PROGRESS]", b"[PARTIAL]")


def test_marking_without_a_phase_fails(world):
    course = Course("a", given(), progress(failed_at=None), Facts(), 0.0)
    assert not world.log_.stepper.mark_partial(course).ok
