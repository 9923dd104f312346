"""How another value gets into an argument, or an argument away, in each operation."""

import pytest

from harness.core.fault import ABSENT
from harness.systems.stop_gate.contract import with_field

CHECK = {"transcript_path": "{home}/t", "project_root": "{project}", "session_id": "a"}


@pytest.mark.parametrize(
    ("operation", "args", "value", "expected"),
    [
        ("check", CHECK, "b", {**CHECK, "session_id": "b"}),
        ("check", CHECK, None, {**CHECK, "session_id": None}),
        ("check", CHECK, ["x"], {**CHECK, "session_id": ["x"]}),
        ("check", CHECK, ABSENT, {"transcript_path": "{home}/t", "project_root": "{project}"}),
        ("metrics", {}, "b", {}),
        ("continuation_prompt", {"failed": ()}, ABSENT, {"failed": ()}),
        ("reset", {}, "b", {}),
        ("stop", {"session_id": "a"}, "b", {"session_id": "a", "drop": (), "replace": {"session_id": "b"}}),
        ("stop", {}, None, {"drop": (), "replace": {"session_id": None}}),
        (
            "stop",
            {"replace": {"session_id": 1, "cwd": "x"}},
            ABSENT,
            {"drop": ("session_id",), "replace": {"cwd": "x"}},
        ),
        ("stop", {"drop": ("cwd", "session_id")}, "b", {"drop": ("cwd",), "replace": {"session_id": "b"}}),
    ],
)
def test_a_field_is_set_or_left_out_as_the_operation_says_it(operation, args, value, expected):
    assert expected == with_field(operation, args, "session_id", value)


def test_another_field_can_be_named():
    assert with_field("check", CHECK, "transcript_path", "")["transcript_path"] == ""
    assert with_field("stop", {}, "transcript_path", "x")["replace"] == {"transcript_path": "x"}
