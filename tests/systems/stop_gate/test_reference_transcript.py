"""The reference reads transcripts: three forms, and everything that can be wrong with a line (PS-TR)."""

import json

import pytest

from harness.systems.stop_gate.contract import LogCode
from harness.systems.stop_gate.reference import json_text
from harness.systems.stop_gate.reference.trace import Trace
from harness.systems.stop_gate.reference.transcript import (
    LINES_BETWEEN_LOOKS,
    LOGGED_MESSAGES,
    MalformedTranscriptError,
    Message,
    ReadingExpiredError,
    ToolUse,
    TranscriptReader,
)

ASKED = b'{"role": "user", "content": "Why?"}'


def read(*lines, expired=lambda: False, end=b"\n"):
    trace = Trace("s", "t")
    messages = TranscriptReader(trace, expired).read(b"\n".join(lines) + end)
    return messages, trace.entries


def codes(entries):
    return [entry.code for entry in entries]


def as_line(record):
    return json.dumps(record).encode()


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": "Why?"},
        {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
        {"role": "user", "content": ["Why?"]},
        {"type": "user", "message": {"role": "user", "content": "Why?"}, "uuid": "1"},
        {"type": "user", "role": "user", "message": {"content": [{"type": "text", "text": "Why?"}]}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Why?"}]},
        },
    ],
)
def test_the_three_forms_say_the_same(record):
    messages, entries = read(as_line(record))
    assert messages == [Message("user", "Why?")]
    assert entries == []


def test_tools_and_their_answers_are_kept_and_thoughts_are_not():
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "one"},
        {"type": "tool_use", "name": "Edit", "input": {"file_path": "/a"}},
        {"type": "tool_use", "name": 5, "input": 7},
        {"type": "tool_result", "content": [{"type": "text", "text": "done"}, "x"]},
        {"type": "tool_result", "content": "fine"},
        {"type": "tool_result", "content": 3},
        {"type": "text", "text": None},
        17,
    ]
    messages, _ = read(as_line({"role": "assistant", "content": blocks}))
    tools = (ToolUse("Edit", {"file_path": "/a"}), ToolUse("", {}))
    assert messages == [Message("assistant", "one\n", tools, ("done", "fine", ""))]


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (
            {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}'},
            Message("assistant", tools=(ToolUse("shell", {"command": ["ls"]}),)),
        ),
        (
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin"},
            Message("assistant", tools=(ToolUse("apply_patch", {"input": "*** Begin"}),)),
        ),
        (
            {"type": "local_shell_call", "action": {"command": ["ls"]}},
            Message("assistant", tools=(ToolUse("shell", {"command": ["ls"]}),)),
        ),
        ({"type": "function_call", "name": "x"}, Message("assistant", tools=(ToolUse("x", {}),))),
        (
            {"type": "function_call", "name": "x", "arguments": "[1]"},
            Message("assistant", tools=(ToolUse("x", {"input": "[1]"}),)),
        ),
        ({"type": "function_call_output", "output": "ok"}, Message("user", results=("ok",))),
    ],
)
def test_codex_tool_lines(payload, message):
    assert read(as_line({"type": "response_item", "payload": payload}))[0] == [message]


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b'"a role"',
        b"null",
        b"true",
        b"[1]",
        b"{}",
        b'{"role": "tool"}',
        b'{"role": ["user"]}',
        b'{"type": "summary"}',
        b'{"type": "response_item", "payload": {"type": "reasoning"}}',
        b'{"type": "event_msg", "payload": {"type": "agent_message", "message": "hi"}}',
    ],
)
def test_json_that_is_no_message_is_dropped_and_the_rest_is_read(line):
    messages, entries = read(line, ASKED)
    assert messages == [Message("user", "Why?")]
    assert codes(entries) == [LogCode.INVALID_MESSAGE]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"{'a': 1}",
        b'{"role": "user", "content": NaN}',
        b'{"a": "\\u0041", "b": NaN}',
        b'{"role": "user", "n": ' + b"1" * 5000 + b"}",
        b"[" * 100_000 + b"]" * 100_000,
        b'"\\u0041' + b"[" * 100_000,
        b'["\\ud800", ' + b"[" * 100_000 + b"]" * 100_000 + b"]",
        b'{"role": "user", "content": "\xff"}',
        b"\x00\x00",
        b"1e999",
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_line_that_is_no_json_is_skipped_with_its_physical_number(line):
    messages, entries = read(b"", b"  \r", line, ASKED)
    assert messages == [Message("user", "Why?")]
    assert [(entry.code, entry.line) for entry in entries] == [(LogCode.INVALID_JSON_LINE, 3)]


def test_ten_invalid_lines_are_tolerated_and_eleven_are_not():
    messages, entries = read(*[b"{"] * 10, ASKED)
    assert len(messages) == 1
    assert len(entries) == 10
    with pytest.raises(MalformedTranscriptError):
        read(*[b"{"] * 11, ASKED)


def test_any_number_of_blank_lines_is_no_error():
    assert read(*[b"", b" \t"] * 50, ASKED) == ([Message("user", "Why?")], [])


def test_a_byte_order_mark_and_a_missing_last_newline_do_no_harm():
    assert read(b"\xef\xbb\xbf" + ASKED, end=b"") == ([Message("user", "Why?")], [])


def test_half_a_surrogate_pair_is_json():
    messages, entries = read(b'{"role": "user", "content": "a\\ud800"}')
    assert messages == [Message("user", "a\ud800")]
    assert entries == []
    assert json_text.encodable(messages[0].text) == "a?"


def test_a_flood_of_dropped_lines_is_logged_briefly():
    _, entries = read(*[b"5"] * (LOGGED_MESSAGES + 5))
    assert len(entries) == LOGGED_MESSAGES + 1
    assert str(LOGGED_MESSAGES + 5) in entries[-1].message


def test_reading_stops_when_its_time_is_over():
    with pytest.raises(ReadingExpiredError):
        read(*[b"5"] * LINES_BETWEEN_LOOKS, expired=lambda: True)
    assert read(*[b"5"] * LINES_BETWEEN_LOOKS, expired=lambda: False)[0] == []
