"""Damage to a file that holds one JSON document, such as a configuration."""

from collections.abc import Callable, Mapping

from harness.faults.jsonl import HUGE_INTEGER_DIGITS, NESTING_DEPTH


def damage(data: bytes, kind: str) -> bytes:
    """The file's bytes after damage of that kind; a missing document counts as ``{}``. KeyError for another kind."""
    return KINDS[kind](data or b"{}")


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
}
