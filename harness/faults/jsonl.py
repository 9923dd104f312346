"""Damage to a file of JSON lines. Each kind marks the lines it damaged, so that they can be deleted again."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from harness.core.fault import Scalar

HUGE_INTEGER_DIGITS = 5_000  # Python refuses to parse more than 4,300 digits by default
NESTING_DEPTH = 100_000  # deeper than any parser's stack
COUNT_LIMIT = 100_000  # lines are made in memory; no limit of a specification is anywhere near
LEAP_SECONDS = ("2016-12-31T23:59:60Z", "2017-01-01T00:59:60.500+01:00")  # the last one there was
INVALID_TIMES: tuple[Scalar, ...] = (
    "yesterday", "", "2026-02-30T12:00:00Z", "2026-13-45T99:99:99Z", "9999999999999", -1, 1e300, True, None,
)  # fmt: skip
LONG_LINE_BYTES = 10 * 1024 * 1024


class Line(NamedTuple):
    """One line without its newline; ``damaged`` when it is not what the writer meant."""

    data: bytes
    damaged: bool = False


Damage = Callable[[list[Line], Random, Mapping[str, Scalar]], list[Line]]


def damage(data: bytes, kind: str, params: Mapping[str, Scalar], rng: Random) -> bytes:
    """The file's bytes after damage of that kind; with the parameter ``deleted`` true, without the damaged lines.

    A file with too little in it to be damaged so comes back as it is. KeyError when there is no such kind.
    """
    text, ending = (data[:-1], b"\n") if data.endswith(b"\n") else (data, b"")
    lines = [Line(line) for line in text.split(b"\n")] if text else []
    result = KINDS[kind](lines, rng, params)
    if result == lines:
        return data
    if params.get("deleted"):
        result = [line for line in result if not line.damaged]
        return b"\n".join(line.data for line in result) + (b"\n" if result else b"")
    return b"\n".join(line.data for line in result) + (b"" if kind == "torn_tail" else ending or b"\n")


def _inserted(lines: list[Line], new: list[bytes], rng: Random) -> list[Line]:
    # never at the very end: the last line of a session is the one that rules read
    result = list(lines)
    for data in new:
        result.insert(rng.randrange(max(1, len(result))), Line(data, damaged=True))
    return result


def _torn_tail(lines: list[Line], rng: Random, params: Mapping[str, Scalar]) -> list[Line]:
    if not lines or len(lines[-1].data) < 2:
        return list(lines)
    last = lines[-1].data
    keep = rng.randrange(1, max(2, len(last) - 1))
    return [*lines[:-1], Line(last[:keep], damaged=True)]


def _interleaved(lines: list[Line], rng: Random, params: Mapping[str, Scalar]) -> list[Line]:
    if len(lines) < 2:
        return list(lines)
    at = rng.randrange(len(lines) - 1)
    first, second = lines[at].data, lines[at + 1].data
    cut, other = len(first) // 2, len(second) // 2
    mixed = [
        Line(first[:cut] + second[:other], damaged=True),
        Line(first[cut:] + second[other:], damaged=True),
    ]
    return [*lines[:at], *mixed, *lines[at + 2 :]]


def _adding(*new: bytes) -> Damage:
    def add(lines: list[Line], rng: Random, params: Mapping[str, Scalar]) -> list[Line]:
        return _inserted(lines, list(new), rng)

    return add


def _counted(make: Callable[[Random, int], bytes], default: int) -> Damage:
    def add(lines: list[Line], rng: Random, params: Mapping[str, Scalar]) -> list[Line]:
        return _inserted(lines, [make(rng, number) for number in range(_count_in(params, default))], rng)

    return add


def _count_in(params: Mapping[str, Scalar], default: int) -> int:
    count = params.get("count", default)
    if not isinstance(count, int) or isinstance(count, bool):
        raise ValueError(f"count has to be a whole number, not {count!r}")
    if not 0 <= count <= COUNT_LIMIT:
        raise ValueError(f"count has to be between 0 and {COUNT_LIMIT:,}, not {count:,}")
    return count


def _bom(lines: list[Line], rng: Random, params: Mapping[str, Scalar]) -> list[Line]:
    if params.get("deleted") or not lines:
        return list(lines)
    return [Line(b"\xef\xbb\xbf" + lines[0].data, damaged=True), *lines[1:]]


def _grown(lines: list[Line], rng: Random, params: Mapping[str, Scalar]) -> list[Line]:
    turns = [_turn(len(lines) + 2 * number, rng) for number in range(_count_in(params, 1))]
    return [*lines, *(line for turn in turns for line in turn)]


def _turn(number: int, rng: Random) -> tuple[Line, Line]:
    call = f"toolu_{rng.randrange(16**8):08x}"
    use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"src/part_{number}.py"}}
    result = {"type": "tool_result", "tool_use_id": call, "content": "1 line"}
    said = {"role": "assistant", "content": [{"type": "text", "text": "I go on."}, use]}
    answered = {"role": "user", "content": [result]}
    asked = {"type": "assistant", "message": said}
    return Line(json.dumps(asked).encode()), Line(json.dumps({"type": "user", "message": answered}).encode())


def _stamped(value: Scalar) -> bytes:
    return json.dumps({"role": "system", "content": "a moment", "timestamp": value}).encode()


def _garbage(rng: Random, number: int) -> bytes:
    return b'{"type": "assistant", "message": ' + bytes(rng.choices(b"abcxyz {[,:", k=12))


KINDS: Mapping[str, Damage] = {
    "torn_tail": _torn_tail,
    "interleaved": _interleaved,
    "bom": _bom,
    "nul_bytes": _adding(b"\x00\x00\x00\x00", b'{"type": "user"\x00}'),
    "bad_utf8": _adding(b'{"role": "user", "content": "caf\xe9 \xff\xfe"}'),
    "garbage_lines": _counted(_garbage, 3),
    "non_object_lines": _adding(b"5", b'["role", "user"]', b'"a role"', b"null", b"true"),
    "wrong_roles": _adding(
        b'{"role": "wizard", "content": "x"}', b'{"content": "x"}', b'{"role": 7, "content": "x"}', b'{"role": null}'
    ),
    "duplicate_keys": _adding(b'{"role": "system", "role": "system", "content": "a", "content": "b"}'),
    "nan": _adding(b'{"role": "system", "content": NaN}', b'{"role": "system", "content": [Infinity, -Infinity]}'),
    "huge_integer": _adding(b'{"role": "system", "content": ' + b"9" * HUGE_INTEGER_DIGITS + b"}"),
    "deep_nesting": _adding(b'{"role": "system", "content": ' + b"[" * NESTING_DEPTH + b"]" * NESTING_DEPTH + b"}"),
    "long_line": _adding(b'{"role": "system", "content": "' + b"x" * LONG_LINE_BYTES + b'"}'),
    "blank_lines": _counted(lambda rng, number: rng.choice([b"", b"  ", b"\t"]), 12),
    "grown": _grown,
    "leap_second": _adding(*(_stamped(text) for text in LEAP_SECONDS)),
    "invalid_timestamps": _adding(*(_stamped(value) for value in INVALID_TIMES)),
}
