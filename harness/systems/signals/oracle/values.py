"""JSON values: whether they say the same, the texts in them, and how they are read from files. Pure."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from harness.systems import queue_files

_PLACE: Final = re.compile(r"\{[a-z_]+\}")
_DEEPEST: Final = 200  # levels: what is nested deeper nobody reads


class Read(NamedTuple):
    """What stands in a file as JSON; ``is_clean``: every reader of JSON sees the same in it."""

    value: Any
    is_clean: bool


def read(data: bytes) -> Read | None:
    """The value that stands in these bytes; None when no reader, however lenient, finds one."""
    repeated: list[bool] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.append(len({name for name, _ in found}) < len(found))
        return dict(found)

    try:
        text = queue_files.text_of(data)
        value = queue_files.decode(text)
        json.loads(text, object_pairs_hook=pairs)
        if is_shallow(value):
            as_it_is = text.encode() == data  # no byte order mark, and no half of a surrogate pair
            return Read(value, as_it_is and not any(repeated))
    except (ValueError, RecursionError):
        pass
    return _leniently(data)


def _leniently(data: bytes) -> Read | None:
    text = data.decode(errors="replace").removeprefix("\ufeff").replace("\0", "").strip()
    try:
        value = json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
    return Read(value, False)


def is_shallow(value: Any) -> bool:
    """Is it nested no deeper than anybody reads?"""
    level = [value]
    for _ in range(_DEEPEST):
        level = [each for held in level for each in _held(held)]
        if not level:
            return True
    return False


def _held(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value


def same(one: Any, other: Any) -> bool:
    """Are these the same JSON value? True is not 1; numbers are what a float makes of them."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if _is_number(one) and _is_number(other):
        return one == other or _as_float(one) == _as_float(other)
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def has(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Has it every field of ``wanted``, with that value?"""
    return all(name in found and same(found[name], value) for name, value in wanted.items())


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, wherever it stands."""
    if isinstance(value, str):
        yield value
    for each in _held(value):
        yield from texts(each)


def is_plain(value: Any) -> bool:
    """Can it stand in a file as it stands in a history?

    What UTF-8 cannot hold nobody keeps as it is, and of places a history has the names.
    """
    try:
        json.dumps(value, ensure_ascii=False, default=repr).encode()
    except (UnicodeEncodeError, ValueError):
        return False
    return not any(_PLACE.search(each) for each in texts(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
