"""Whatever anybody gives, as text and as JSON that a file in UTF-8 can hold. Pure, and nothing here raises."""

import math
from collections.abc import Mapping
from typing import Any

DEEPEST = 50  # levels of nesting that are kept as they are; what lies deeper is kept as text
LARGEST_INTEGER = 2**63  # readers of JSON in other languages have no larger ones
CONTAINERS = (dict, list, tuple, set, frozenset, Mapping)


def writable(text: str) -> str:
    """The text with what no file in UTF-8 can hold (lone surrogates) written out."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def as_text(value: Any) -> str:
    """The value as a text: a text as it is, bytes decoded, nothing empty, all else as it would be printed."""
    if isinstance(value, str):
        return writable(str.__str__(value))
    if value is None:
        return ""
    try:
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value).decode("utf-8", "backslashreplace")
        return writable(str(value))
    except Exception:  # noqa: BLE001 - an object may raise anything when it is asked for its text
        return f"<{type(value).__name__}>"


def plain(value: Any, depth: int = 0, above: tuple[int, ...] = ()) -> Any:
    """The value as JSON can hold it; what contains itself, or lies too deep, is cut off with a note."""
    if value is None or isinstance(value, bool | str):
        return as_text(value) if isinstance(value, str) else value
    if isinstance(value, int):
        return int(value) if -LARGEST_INTEGER <= value < LARGEST_INTEGER else as_text(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else as_text(value)
    if not isinstance(value, CONTAINERS):
        return as_text(value)
    if id(value) in above:
        return "<contains itself>"
    if depth == DEEPEST:
        return as_text(value)
    within = (*above, id(value))
    try:
        if isinstance(value, dict | Mapping):
            return {as_text(key): plain(item, depth + 1, within) for key, item in value.items()}
        return [plain(item, depth + 1, within) for item in value]
    except Exception:  # noqa: BLE001 - somebody's own mapping
        return as_text(value)
