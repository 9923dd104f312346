"""Damage to a file that holds one JSON document, such as a configuration."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from harness.core.fault import Scalar
from harness.faults.jsonl import HUGE_INTEGER_DIGITS, NESTING_DEPTH

OUT_OF_RANGE = -1  # below what any limit, size or count can be
FIELD = "timeout_seconds"  # what is damaged when neither the fault nor the document names a field


def damage(data: bytes, kind: str, params: Mapping[str, Scalar] | None = None) -> bytes:
    """The file's bytes after damage of that kind; a missing document counts as ``{}``. KeyError for another kind.

    ``wrong_types`` and ``out_of_range`` have the parameter ``field``: only that one is damaged, and added when it is
    not there. ValueError when it is no text.
    """
    if kind in FIELD_KINDS:
        return _fields_damaged(data, FIELD_KINDS[kind], (params or {}).get("field"))
    return KINDS[kind](data or b"{}")


def _fields_damaged(data: bytes, replace: Callable[[Any], Any], field: Scalar) -> bytes:
    if field is not None and not isinstance(field, str):
        raise ValueError(f"field has to be the name of a field, not {field!r}")
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        found = None
    document = found if isinstance(found, dict) else {}
    names = [field] if field is not None else list(document) or [FIELD]
    return json.dumps({**document, **{name: replace(document.get(name)) for name in names}}).encode()


def _of_wrong_type(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return f"it is {value}"
    return {"a": "text"} if isinstance(value, list) else ["a", "list"]


def _out_of_range(value: Any) -> int:
    return OUT_OF_RANGE


FIELD_KINDS: Mapping[str, Callable[[Any], Any]] = {
    "wrong_types": _of_wrong_type,
    "out_of_range": _out_of_range,
}
KINDS: Mapping[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[: max(1, len(data) // 2)],
    "empty": lambda data: b"",
    "not_json": lambda data: b"enabled = yes\n",
    "list": lambda data: b"[1, 2, 3]",
    "scalar": lambda data: b"42",
    "null": lambda data: b"null",
    "bad_utf8": lambda data: b'{"\xff\xfe": 1}',
    "bom": lambda data: b"\xef\xbb\xbf" + data,
    "huge_integer": lambda data: b'{"timeout_seconds": ' + b"9" * HUGE_INTEGER_DIGITS + b"}",
    "deep_nesting": lambda data: b'{"x": ' + b"[" * NESTING_DEPTH + b"]" * NESTING_DEPTH + b"}",
    "duplicate_keys": lambda data: b'{"enabled": true, "enabled": true}',
    "nul_bytes": lambda data: b'{"enabled": true\x00}\x00\x00',
    "nan": lambda data: b'{"timeout_seconds": NaN, "limits": [Infinity, -Infinity]}',
}
