"""What a host makes of a hook's answer, and what the hook is given. Source: stop-hook-contract.md."""

import json

import pytest

from harness.core.process import ProcessEnd
from harness.systems.stop_gate import process

END = {
    "exit_code": 0,
    "signal": None,
    "stdout": b"",
    "stderr": b"",
    "timed_out": False,
    "flooded": False,
    "children_left": (),
    "start_error": "",
}
BLOCK = {"decision": "block", "reason": "go on"}


def answered(stdout, **changes):
    end = ProcessEnd(**{**END, "stdout": stdout, **changes})
    result = process.result(end, "claude-code", lambda text: text)
    return str(result.decision), result.means, result.output


def said(**fields):
    return answered(json.dumps({**BLOCK, **fields}).encode())


def given(**args):
    return process.call(args, lambda text: text.replace("{project}", "/project"))


def test_a_decision_to_block_with_a_reason_blocks():
    assert ("block", "json", "object") == said()


def test_continue_false_ends_the_session_whatever_is_said_beside_it():
    assert ("approve", "nothing", "object") == said(**{"continue": False})
    assert ("block", "json", "object") == said(**{"continue": True})


@pytest.mark.parametrize("value", ["false", 0, None, []])
def test_continue_of_another_type_is_no_answer_of_the_host_format(value):
    assert ("approve", "nothing", "text") == said(**{"continue": value})


@pytest.mark.parametrize(
    ("stdout", "decision"),
    [
        (b'{"decision": "approve", "decision": "block", "reason": "x"}', "block"),
        (b'{"decision": "block", "decision": "approve", "reason": "x"}', "approve"),
        (b'{"decision": "block", "reason": "x", "hookSpecificOutput": {"a": 1, "a": 2}}', "block"),
        (b'{"decision": "block", "reason": "x", "hookSpecificOutput": [{"a": 1, "a": 2}]}', "block"),
    ],
)
def test_a_key_named_twice_is_not_one_object_though_a_host_takes_the_last(stdout, decision):
    assert (decision, "text") == answered(stdout)[::2]


@pytest.mark.parametrize(("broken", "output"), [(255, "mixed"), (256, "text"), (500_000, "text")])
def test_after_many_broken_beginnings_the_rest_of_an_output_is_not_looked_through(broken, output):
    assert ("approve", "nothing", output) == answered(b"{" * broken + b" " + json.dumps(BLOCK).encode())


def test_equal_keys_of_different_objects_are_no_matter():
    nested = {"a": {"x": 1}, "b": [{"x": 1}, {"x": 2}]}
    assert ("block", "json", "object") == said(hookSpecificOutput=nested)


@pytest.mark.parametrize(("value", "expected"), [("", None), ("/elsewhere", "/elsewhere")])
def test_an_empty_project_directory_is_an_unset_one(value, expected):
    assert expected == given(environment={"CLAUDE_PROJECT_DIR": value}).environment.get("CLAUDE_PROJECT_DIR")


def test_a_host_says_where_the_project_is():
    assert "/project" == given().environment["CLAUDE_PROJECT_DIR"]


@pytest.mark.parametrize(
    ("stdin", "size", "begins"),
    [("huge_integer", 5_000, b'{"x": 999'), ("deep_nesting", 200_000, b'{"x": [[['), ("long", 8 << 20, b'{"x": "xxx')],
)
def test_hostile_standard_input_holds_the_object_and_one_value_beyond_a_parser(stdin, size, begins):
    data = given(stdin=stdin).stdin
    assert data.startswith(begins)
    assert size < len(data) < size + 1_000
    assert data.endswith(b'"last_assistant_message": ""}\n')


def test_a_long_text_in_standard_input_is_json_all_the_same():
    assert "session-1" == json.loads(given(stdin="long").stdin)["session_id"]
