"""What is an answer and what is none, and results by the types of a contract."""

from typing import Any

import jsonschema
import msgspec
import pytest

from harness.errors import AdapterError
from harness.systems import registry
from harness.targets.answers import DEEPEST, RefusedError, Results, deeper_than, quoted, result_of, unasked
from harness.targets.defects import DEFECTS, Blame, no_reply
from harness.targets.messages import schema


def code_of(line: bytes, call_id: int = 3) -> str:
    """What that line is instead of an answer to the call."""
    with pytest.raises(AdapterError) as caught:
        result_of(line, call_id)
    assert caught.value.code in DEFECTS
    return caught.value.code


def test_a_result_is_given_as_it_was_written():
    assert b'{"a":  1}' == result_of(b'{"jsonrpc":"2.0","id":3,"result":{"a":  1}}', 3)
    assert b"null" == result_of(b'{"result":null,"id":3,"jsonrpc":"2.0"}\n', 3)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ('{"code": -32602, "message": "Invalid params", "data": "Expected `str`"}', "Invalid params: Expected `str`"),
        ('{"code": -32602, "message": "no", "data": {"at": 1}}', "no"),
        ('{"code": -32602, "message": "no"}', "no"),
    ],
)
def test_a_refusal_tells_its_reason(error, message):
    with pytest.raises(RefusedError) as caught:
        result_of(f'{{"jsonrpc": "2.0", "id": 3, "error": {error}}}'.encode(), 3)
    assert (-32602, message) == (caught.value.code, caught.value.message)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"jsonrpc": "2.0", "id": true, "result": 1}', "not_protocol"),
        (b'{"jsonrpc": "2.0", "id": [3], "result": 1}', "not_protocol"),
        (b'{"jsonrpc": "2.0", "id": 3, "error": {"code": 1.5, "message": "no"}}', "not_protocol"),
        (b'{"jsonrpc": "2.0", "id": 3, "error": null}', "not_protocol"),
        (b'{"jsonrpc": "2.0", "id": 2, "result": 1}', "extra_reply"),
        (b'{"jsonrpc": "2.0", "id": 0, "result": 1}', "wrong_id"),
        (b'{"jsonrpc": "2.0", "id": 4, "result": 1}', "wrong_id"),
        (b'{"jsonrpc": "2.0", "id": "3", "result": 1}', "wrong_id"),
        (b"true", "noise"),
        (b'"an answer"', "noise"),
        (b"\x00\x00", "noise"),
        (b"[", "bad_json"),
        (b"  {broken", "bad_json"),
        (b'{"jsonrpc": "2.0", "id": 3, "result": "\xc3\x28"}x', "bad_utf8"),
    ],
)
def test_what_is_no_answer_is_told_by_its_kind(line, code):
    assert code == code_of(line)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"jsonrpc": "2.0", "id": 3, "result": 1}\n', "extra_reply"),
        (b'\n{"jsonrpc": "2.0", "id": null, "result": 1}\n', "extra_reply"),
        (b'{"jsonrpc": "2.0", "id": 9, "result": 1}', "wrong_id"),
        (b'{"jsonrpc": "2.', "extra_reply"),
        (b"Done.\n", "noise"),
        (b"\xff\n", "bad_utf8"),
    ],
)
def test_what_nobody_asked_for_is_told_by_its_kind(data, code):
    assert code == unasked(data, 3).code


class Sample(msgspec.Struct, forbid_unknown_fields=True):
    """A result."""

    count: int
    names: tuple[str, ...] = ()


RESULTS = Results({"toy/sample": Sample})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"null", "Expected `object`, got `null`"),
        (b"[]", "Expected `object`, got `array`"),
        (b"{}", "missing required field `count`"),
        (b'{"count": "1"}', "Expected `int`, got `str` - at `$.count`"),
        (b'{"count": 1.0}', "Expected `int`, got `float` - at `$.count`"),
        (b'{"count": 1e3}', "Expected `int`, got `float` - at `$.count`"),
        (b'{"count": true}', "Expected `int`, got `bool` - at `$.count`"),
        (b'{"count": null}', "Expected `int`, got `null` - at `$.count`"),
        (b'{"count": 1, "names": [1]}', "Expected `str`, got `int` - at `$.names[0]`"),
        (b'{"count": 1, "names": "x"}', "Expected `array`, got `str` - at `$.names`"),
        (b'{"count": 1, "mood": 1}', "unknown field `mood`"),
    ],
)
def test_a_result_of_another_type_is_the_adapters_defect_and_names_the_field(data, says):
    with pytest.raises(AdapterError) as caught:
        RESULTS.read("toy/sample", data)
    assert "schema_violation" == caught.value.code
    assert says in str(caught.value)
    assert "toy/sample" in str(caught.value)


def test_a_result_is_read_as_it_came_and_what_has_no_type_is_read_anyhow():
    assert {"count": 10**30} == RESULTS.read("toy/sample", b'{"count": 1000000000000000000000000000000}')
    assert [1.0, None] == RESULTS.read("toy/other", b"[1.0, null]")


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1])
def test_a_hundred_levels_are_enough(levels):
    data = b"[" * levels + b"]" * levels
    if levels > DEEPEST:
        with pytest.raises(AdapterError, match="deeper than 100 levels"):
            RESULTS.read("toy/other", data)
    else:
        assert isinstance(RESULTS.read("toy/other", data), list)
    assert [] == RESULTS.read("toy/other", b"[" + b"[]," * 200 + b"[]]")[0], "many are not deep"


def test_depth_is_counted_without_recursion():
    value: Any = []
    for _ in range(50_000):
        value = {"a": value}
    assert deeper_than(value, 49_999)
    assert [False, True] == [deeper_than([[1]], 2), deeper_than([[1]], 1)]
    while value:  # taken apart from outside, or the interpreter would recurse
        value = value.pop("a")


def test_a_quote_is_short_and_readable():
    assert "'x'" == quoted(b"x\r\n")
    assert 202 == len(quoted(b"y" * 10_000))
    assert "'\ufffd'" == quoted(b"\xff")


def test_what_we_struck_ourselves_is_nobodys_defect():
    assert Blame.HARNESS.value == no_reply("died", "", "operation", struck=True).value["blame"]
    assert Blame.ADAPTER.value == no_reply("noise", "", "operation", struck=True).value["blame"]
    assert {Blame.ADAPTER, Blame.IMPLEMENTATION} == {defect.blame for defect in DEFECTS.values()}


PUBLISHED = jsonschema.Draft202012Validator(schema())


def sound(message: Any) -> bool:
    """Does the published schema take that line?"""
    return bool(PUBLISHED.is_valid(message))


CALL = {"jsonrpc": "2.0", "method": "shutdown", "params": {}, "id": 1}
HELLO = {"protocolVersion": 1, "implementation": {"name": "a", "version": "1"}, "systems": {}}
NOW = "2026-03-01T12:00:00Z"


def test_the_published_schema_is_one_and_takes_every_kind_of_line():
    jsonschema.Draft202012Validator.check_schema(schema())
    initialize = {"protocolVersions": [1], "harness": "windtunnel 0"}
    placed = {"workdir": "/home/agent", "config": {"home": "/home/agent"}, "now": NOW}
    for message in (
        CALL,
        {**CALL, "method": "initialize", "params": initialize},
        {**CALL, "method": "reset", "params": placed},
        {**CALL, "method": "open", "params": placed},
        {**CALL, "method": "stop_gate/metrics", "params": {"now": NOW}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "result": HELLO},
        {"jsonrpc": "2.0", "id": 1, "result": {"prompt": "go on", "log": []}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no such method"}},
    ):
        assert sound(message), message


@pytest.mark.parametrize(
    "message",
    [
        {**CALL, "jsonrpc": "1.0"},
        {**CALL, "params": {"more": 1}},
        {**CALL, "method": "sing"},
        {**CALL, "more": 1},
        {**CALL, "id": 0},
        {**CALL, "method": "stop_gate/metrics", "params": {}},
        {**CALL, "method": "stop_gate/metrics", "params": {"now": NOW, "more": 1}},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}},
        {"jsonrpc": "2.0", "id": 1, "result": 5},
        {"jsonrpc": "2.0", "id": 1, "result": {**HELLO, "clock": "own"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": ""}},
        [CALL],
        5,
    ],
)
def test_the_published_schema_refuses_what_the_client_refuses(message):
    assert not sound(message)


def test_every_operation_of_every_system_has_its_line():
    titles = {each["title"] for each in schema()["$defs"]["call"]["oneOf"]}
    operations = {f"{system.name}/{name}" for system in registry.every() for name in system.contract.OPERATIONS}
    assert {"initialize", "reset", "open", "shutdown"} | operations == titles
