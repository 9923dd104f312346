"""The reference's records: what becomes of what was given. Document 002, Log the Error."""

import math
import re

import pytest
from errors_reference_world import NOW, World, codes, given

from harness.ports.fake_files import FakeFiles
from harness.systems.error_log.contract import Configuration, ErrorGiven, LogArguments
from harness.systems.error_log.reference import create
from harness.systems.error_log.reference.texts import DEEPEST, as_text, plain

FIELDS = ["id", "timestamp", "type", "severity", "message", "context", "trajectory", "recovery", "fix_status", "name"]
CONTEXT = {"session_id": "sess_1_abcdef", "command": "/implement", "task": 259, "phase": 2, "checkpoint": "GATE_OUT"}
PATH = ["orchestrator", "implement", "agent"]


@pytest.fixture
def world():
    return World(files=FakeFiles())


def record(world, **fields):
    return world.log("a", **fields).record


def test_a_record_has_every_field_of_the_document_and_its_name(world):
    found = world.log("a", severity="high", context=CONTEXT, trajectory={"delegation_path": PATH, "failed_at_depth": 1},
                      recovery={"suggested_action": "Wait", "auto_recoverable": True})  # fmt: skip
    assert list(found.record) == FIELDS
    assert (True, ()) == (found.stored, found.log)
    assert found.record["context"] == CONTEXT
    assert found.record["trajectory"] == {"delegation_path": PATH, "failed_at_depth": 1}
    assert found.record["recovery"] == {"suggested_action": "Wait", "auto_recoverable": True}
    assert ("2026-03-01T12:00:00.500Z", "unfixed") == (found.record["timestamp"], found.record["fix_status"])
    assert world.written() == {"errors": [found.record]}


def test_ids_have_the_time_in_ms_and_differ_within_a_tick_and_from_those_in_the_file():
    files = FakeFiles()
    log = create(Configuration("/world"), files, entropy=bytes)
    made = [log.log(LogArguments(f"{number}", given()), NOW).record["id"] for number in range(40)]
    made += [create(Configuration("/world"), files, entropy=bytes).log(LogArguments("x", given()), NOW).record["id"]]
    assert len(set(made)) == 41
    assert {"err_1772366400500"} == {each.rpartition("_")[0] for each in made}
    assert made[:2] == ["err_1772366400500_000000", "err_1772366400500_000001"]
    assert all(re.fullmatch("[a-z0-9]{6}", each.rpartition("_")[2]) for each in made)


def test_ids_differ_from_those_that_could_not_be_written():
    files = FakeFiles()
    files.fail = OSError("full")
    log = create(Configuration("/world"), files, entropy=bytes)
    made = [log.log(LogArguments(f"{number}", given()), NOW).record["id"] for number in range(3)]
    assert len(set(made)) == 3


def test_entropy_is_the_systems_unless_it_is_given(world):
    assert len({record(world)["id"] for _ in range(20)}) == 20


@pytest.mark.parametrize("now_s", [-1e30, -5.0, 0.0, 2**31, 253402300799.0, 1e30])
def test_any_time_can_be_told(now_s):
    found = create(Configuration("/world"), FakeFiles()).log(LogArguments("a", given()), now_s).record
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["timestamp"])
    assert re.fullmatch(r"err_\d+_[a-z0-9]{6}", found["id"])


@pytest.mark.parametrize(
    ("severity", "expected", "told"),
    [
        ("critical", "critical", []), ("low", "low", []), (" HIGH ", "high", []),
        (None, "high", []), ("fatal", "high", ["error_invalid"]), (3, "high", ["error_invalid"]),
    ],
)  # fmt: skip
def test_severity_is_the_given_one_or_the_types(world, severity, expected, told):
    found = world.log("a", severity=severity)
    assert (expected, told) == (found.record["severity"], codes(found))


@pytest.mark.parametrize(
    ("kind", "severity"), [("git_commit_failure", "low"), ("parse_error", "medium"), ("of my own", "medium")]
)
def test_an_error_without_severity_is_graded_by_its_type(world, kind, severity):
    found = record(world, kind=kind)
    assert (kind, severity) == (found["type"], found["severity"])


@pytest.mark.parametrize("kind", [None, 3, "", " ", [], {"a": 1}])
def test_what_is_no_type_is_unknown_and_kept(world, kind):
    found = record(world, kind=kind)
    assert ("unknown", kind) == (found["type"], found["invalid"]["type"])


class Odd:
    def __str__(self):
        raise RuntimeError("no text")


CIRCLE = []
CIRCLE.append(CIRCLE)
SELF = {}
SELF["self"] = SELF


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("", ""), ("a\nb\0c", "a\nb\0c"), ("\ud800", "\\ud800"), (None, "null"), (3, "3"), (True, "true"),
        (math.nan, "nan"), (b"\xff\0", "\\xff\0"), ({"a": [1]}, '{"a":[1]}'), (10**5000, "<int>"),
        (CIRCLE, '["<contains itself>"]'), (SELF, '{"self":"<contains itself>"}'), (Odd(), "<Odd>"),
        ("ü" * 100, "ü" * 100), (2**64, str(2**64)), ({1}, "[1]"),
    ],
    ids=[f"m{number}" for number in range(16)],
)  # fmt: skip
def test_messages_of_any_type_become_texts(world, message, expected):
    assert expected == record(world, message=message)["message"]
    assert world.opened().records()[0]["message"] == expected


def test_a_message_of_ten_megabytes_is_kept_whole(world):
    message = "x" * (10 << 20)
    assert message == record(world, message=message)["message"]
    assert world.opened().records()[0]["message"] == message


class Hostile(dict):
    def items(self):
        raise RuntimeError("no items")


def test_whatever_is_given_is_cut_to_what_json_can_hold():
    deep = []
    for _ in range(DEEPEST + 1000):
        deep = [deep]
    assert isinstance(as_text(plain(deep)), str)
    assert plain({1: (1.5, None, False), "b": b"x", "c": frozenset({2})}) == {
        "1": [1.5, None, False],
        "b": "x",
        "c": [2],
    }
    assert plain([math.inf, -(2**63), 2**63]) == ["inf", -(2**63), str(2**63)]
    assert plain(Hostile(a=1)) == "{'a': 1}"
    assert (as_text(None), as_text(bytearray(b"x"))) == ("", "x")


@pytest.mark.parametrize(
    ("context", "expected", "invalid"),
    [
        (None, {}, None),
        ("text", {}, {"context": "text"}),
        ({"task": "259", "phase": True, "x": [1]}, {"x": [1]}, {"context.task": "259", "context.phase": True}),
        ({"session_id": 5, "command": ["a"]}, {}, {"context.session_id": 5, "context.command": ["a"]}),
        ({"task": 2**70}, {}, {"context.task": str(2**70)}),
    ],
)
def test_what_does_not_fit_the_context_is_null_there_and_kept_apart(world, context, expected, invalid):
    found = world.log("a", context=context)
    nothing = dict.fromkeys(("session_id", "command", "task", "phase", "checkpoint"))
    assert {**nothing, **expected} == found.record["context"]
    assert invalid == found.record.get("invalid")
    assert codes(found) == (["error_invalid"] if invalid else [])


@pytest.mark.parametrize(
    ("trajectory", "expected"),
    [
        (None, None), (7, None), ({}, None), ({"failed_at_depth": 0}, None),
        ({"delegation_path": [], "failed_at_depth": 0}, None), ({"delegation_path": "a>b"}, None),
        ({"delegation_path": ["a", 1]}, None), ({"delegation_path": PATH}, (PATH, 2)),
        ({"delegation_path": PATH, "failed_at_depth": 0}, (PATH, 0)),
        ({"delegation_path": PATH, "failed_at_depth": 2}, (PATH, 2)),
        ({"delegation_path": PATH, "failed_at_depth": 3}, (PATH, 2)),
        ({"delegation_path": PATH, "failed_at_depth": -1}, (PATH, 2)),
        ({"delegation_path": PATH, "failed_at_depth": True}, (PATH, 2)),
        ({"delegation_path": PATH, "failed_at_depth": "1"}, (PATH, 2)),
    ],
)  # fmt: skip
def test_a_trajectory_has_a_path_and_a_place_in_it_or_is_null(world, trajectory, expected):
    found = record(world, trajectory=trajectory)["trajectory"]
    assert expected == (found and (found["delegation_path"], found["failed_at_depth"]))


@pytest.mark.parametrize(
    ("recovery", "action", "auto"),
    [
        (None, "Run the command again to resume", True), ([], "Run the command again to resume", True),
        ({"suggested_action": "Wait"}, "Wait", True), ({"auto_recoverable": False}, "Run the command again to resume", False),
        ({"suggested_action": 5, "auto_recoverable": "yes", "more": 1}, "Run the command again to resume", True),
    ],
)  # fmt: skip
def test_a_recovery_says_what_to_do_and_whether_anybody_must(world, recovery, action, auto):
    found = record(world, recovery=recovery)["recovery"]
    assert (action, auto) == (found["suggested_action"], found["auto_recoverable"])


def test_what_an_interrupted_delegation_left_is_in_the_context(world):
    found = record(world, partial_progress={"stage": "phase2"})
    assert found["context"]["partial_progress"] == {"stage": "phase2"}


def test_what_began_for_a_task_fills_the_records_of_that_task(world):
    world.begin()
    found = record(world, context={"task": 259})
    assert found["context"]["session_id"] == "sess_1736700000_abc123"
    assert found["trajectory"] == {"delegation_path": PATH, "failed_at_depth": 2}
    assert record(world, context={"task": 1})["trajectory"] is None
    assert record(world, context={"task": "259"})["trajectory"] is None


def test_a_record_of_a_phase_has_its_number(world):
    world.handle("a")
    assert world.records()[0]["context"]["phase"] == 2
    world.handle("b", given(context={"phase": 7, "task": 3}))
    assert [world.records()[1]["context"][each] for each in ("task", "phase")] == [3, 7]


@pytest.mark.parametrize(
    ("source", "fields", "expected"),
    [
        ("mcp_tool", {"code": -32001, "aborted": True}, "mcp_abort_error"),
        ("mcp_tool", {"code": -32001, "responded": False}, "mcp_abort_error"),
        ("mcp_tool", {"code": -32000}, "unknown"), ("mcp_tool", {"code": 32001, "aborted": True}, "unknown"),
        ("mcp_tool", {"responded": False}, "tool_unavailable"),
        ("mcp_tool", {"responded": False, "timed_out": True}, "tool_unavailable"),
        ("delegation", {"ended": True, "metadata_status": "in_progress"}, "delegation_interrupted"),
        ("delegation", {"ended": True, "metadata_status": "completed"}, "unknown"),
        ("delegation", {"metadata_status": "in_progress"}, "unknown"),
        ("delegation", {"responded": False}, "delegation_hang"),
        ("delegation", {"responded": False, "timed_out": True}, "timeout"),
        ("operation", {"timed_out": True}, "timeout"), ("operation", {}, "unknown"),
        ("validation", {}, "validation_failed"), ("file", {"missing": True}, "file_not_found"), ("file", {}, "unknown"),
        ("json", {}, "parse_error"), ("yaml", {}, "parse_error"), ("yaml", {"missing": True}, "file_not_found"),
        ("jq", {}, "jq_parse_failure"), ("git", {}, "git_commit_failure"), ("build", {}, "build_error"),
        ("status", {}, "status_sync_failure"), ("elsewhere", {}, "unknown"),
    ],
)  # fmt: skip
def test_incidents_have_types(world, source, fields, expected):
    assert expected == world.type_of(source, **fields)


def test_a_name_that_no_file_can_hold_is_written_out(world):
    world.log("\ud800", ErrorGiven("timeout", "x"))
    assert world.in_file() == ["\\ud800"]
    assert world.fix("\ud800").record["fix_status"] == "fixed"
