"""Each damage to a JSON document is what its name says."""

import json

import pytest

from harness.faults.catalogue import EVERY
from harness.faults.json_document import FIELD_KINDS, KINDS, damage
from harness.faults.jsonl import HUGE_INTEGER_DIGITS

DOCUMENT = b'{"enabled": true, "timeout_seconds": 30}'
NO_JSON = ("truncated", "empty", "not_json", "bad_utf8", "bom", "huge_integer", "deep_nesting", "nul_bytes")


def test_the_catalogue_names_every_kind():
    named = {fault.name for fault in EVERY if fault.name.startswith("json_document.")}
    assert {f"json_document.{kind}" for kind in (*KINDS, *FIELD_KINDS)} == named


@pytest.mark.parametrize("kind", NO_JSON)
def test_these_documents_cannot_be_read(kind):
    with pytest.raises((ValueError, RecursionError)):
        json.loads(damage(DOCUMENT, kind).decode())


@pytest.mark.parametrize(("kind", "value"), [("list", [1, 2, 3]), ("scalar", 42), ("null", None)])
def test_these_documents_are_no_objects(kind, value):
    assert json.loads(damage(DOCUMENT, kind)) == value


def test_a_truncated_document_is_its_first_half():
    assert DOCUMENT[:20] == damage(DOCUMENT, "truncated")
    assert damage(b"5", "truncated") == b"5"


def test_a_key_is_named_twice():
    pairs = json.loads(damage(DOCUMENT, "duplicate_keys"), object_pairs_hook=list)
    assert [key for key, _ in pairs] == ["enabled", "enabled"]


def test_a_byte_order_mark_changes_nothing_else():
    assert damage(DOCUMENT, "bom") == b"\xef\xbb\xbf" + DOCUMENT


def test_an_integer_is_as_long_as_it_says():
    assert damage(DOCUMENT, "huge_integer").count(b"9") == HUGE_INTEGER_DIGITS


@pytest.mark.parametrize(("kind", "expected"), [("truncated", b"{"), ("bom", b"\xef\xbb\xbf{}"), ("empty", b"")])
def test_a_missing_document_counts_as_an_empty_object(kind, expected):
    assert expected == damage(b"", kind)


def test_numbers_that_json_does_not_have():
    constants = []
    json.loads(damage(DOCUMENT, "nan"), parse_constant=constants.append)
    assert constants == ["NaN", "Infinity", "-Infinity"]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("enabled", {"enabled": "it is True", "timeout_seconds": 30}),
        ("timeout_seconds", {"enabled": True, "timeout_seconds": "it is 30"}),
        ("other", {"enabled": True, "timeout_seconds": 30, "other": ["a", "list"]}),
        (None, {"enabled": "it is True", "timeout_seconds": "it is 30"}),
    ],
)
def test_a_field_has_a_value_of_another_type(field, expected):
    params = {} if field is None else {"field": field}
    assert expected == json.loads(damage(DOCUMENT, "wrong_types", params))


@pytest.mark.parametrize("value", [True, 1, 1.5, "text", None, [1], {"a": 1}])
def test_another_type_is_another(value):
    damaged = json.loads(damage(json.dumps({"f": value}).encode(), "wrong_types"))["f"]
    assert type(damaged) is not type(value)


@pytest.mark.parametrize(
    ("data", "params", "expected"),
    [
        (DOCUMENT, {"field": "timeout_seconds"}, {"enabled": True, "timeout_seconds": -1}),
        (DOCUMENT, {}, {"enabled": -1, "timeout_seconds": -1}),
        (b"", {}, {"timeout_seconds": -1}),
        (b"no json", {"field": "a"}, {"a": -1}),
        (b"[1]", {"field": "a"}, {"a": -1}),
    ],
)
def test_a_field_is_out_of_any_range(data, params, expected):
    assert expected == json.loads(damage(data, "out_of_range", params))


@pytest.mark.parametrize("field", [1, True, 1.5])
def test_a_field_is_named_by_text(field):
    with pytest.raises(ValueError, match="field has to be the name"):
        damage(DOCUMENT, "wrong_types", {"field": field})
