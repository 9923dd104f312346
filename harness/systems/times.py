"""Times as they are written. Pure."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

CLOSE: Final = timedelta(seconds=1)
"""Who writes whole seconds, cut off or rounded, is as near as this."""
_RFC3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_LEAP: Final = re.compile(r"(:\d\d):60", re.ASCII)
_FRACTION: Final = re.compile(r"(\.\d{6})\d+")


def instant(text: object) -> datetime | None:
    """The time; None for what is no text of an ISO 8601 time. One without an offset is taken for UTC, as is a date."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(_FRACTION.sub(r"\1", text.strip().upper()))
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def stamp(value: object) -> datetime | None:
    """The time, when it is written as RFC 3339 has it, with an offset; None otherwise."""
    return instant(value) if isinstance(value, str) and _RFC3339.fullmatch(value) else None


def looks_like_time(value: object) -> bool:
    """Is it a text that a reader of times may take for one, or not: without an offset, a leap second?"""
    return isinstance(value, str) and instant(_LEAP.sub(r"\1:59", value)) is not None


def is_near(value: object, at: datetime | None) -> bool:
    """Is it that time, as RFC 3339 has it, to the second? Any is, when nobody knows the time."""
    found = stamp(value)
    return found is not None and (at is None or abs(found - at) <= CLOSE)
