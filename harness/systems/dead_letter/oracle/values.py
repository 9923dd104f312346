"""JSON values: whether they say the same, and the texts in them. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


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


def lacking(found: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
    """Those of ``wanted`` that are not among ``found``, each as often as it is wanted; mappings may have grown."""
    left = list(found)
    gone = []
    for each in wanted:
        place = next((n for n, other in enumerate(left) if is_kept(each, other)), None)
        if place is None:
            gone.append(each)
        else:
            del left[place]
    return gone


def is_kept(before: Any, after: Any) -> bool:
    """Is it the same, or an object that got further fields?"""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return has(after, before)
    return same(before, after)


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, wherever it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)


def is_text(value: object) -> bool:
    """Is it a text that is not blank, and that UTF-8 can hold?"""
    if not isinstance(value, str) or not value.strip():
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def bare(text: object) -> str:
    """A text's letters and digits alone, in lower case, however it is quoted; "" for what is none."""
    return "".join(each for each in text.casefold() if each.isalnum()) if isinstance(text, str) else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
