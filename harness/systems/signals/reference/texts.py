"""Whatever anybody gives, as text and as JSON that a file in UTF-8 can hold; and times. Pure; only parsing raises."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from harness.ports import clock
from harness.systems import queue_files

DEEPEST: Final = 150  # levels that are kept as they are, within what queue files hold; deeper ones are kept as text
INTEGER_BITS: Final = 900  # of a whole number that is kept as it is: it can be read again, see queue_files.decode
LATEST_S: Final = 253_402_300_799.0  # the last second of the year 9999: RFC 3339 has no later ones
SHOWN: Final = 80  # characters of what somebody gave that are quoted in a log


def writable(text: str) -> str:
    """The text with what no file in UTF-8 can hold (lone surrogates) written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON can hold it: what JSON does not know, or lies too deep, becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, int) and value.bit_length() <= INTEGER_BITS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if depth < DEEPEST and isinstance(value, Mapping):
        return {writable(str(name)): plain(each, depth + 1) for name, each in value.items()}
    if depth < DEEPEST and isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    return repr(value) if isinstance(value, float) else f"<{type(value).__name__}>"


def encoded(value: Any) -> bytes:
    """The value as one line of JSON."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False).encode()


def decoded(data: bytes) -> Any:
    """The value that stands in JSON, in UTF-8; ValueError when it is none."""
    return plain(queue_files.decode(queue_files.text_of(data)))


def timestamp(now_s: float) -> str:
    """The time in UTC, RFC 3339, to the microsecond; beyond the years 1970 to 9999 their first or last second."""
    return clock.to_text(min(max(now_s, 0.0), LATEST_S))


def seconds(stamp: object) -> float | None:
    """The time in s since the epoch; None for what is no RFC 3339 time."""
    try:
        return clock.to_seconds(stamp) if isinstance(stamp, str) else None
    except ValueError:
        return None


def shown(value: object) -> str:
    """What somebody gave, in a log."""
    return repr(plain(value))[:SHOWN]
