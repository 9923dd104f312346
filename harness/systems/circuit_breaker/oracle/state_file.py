"""The state file as an operation found it: its records, what is wrong with them, and what a model makes of them. Pure.

Source: document 000, JSON Schema and Example File.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

import msgspec

from harness.core.history import InputFact
from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.oracle.breaker import (
    FAILURES,
    PROBES,
    STEPPED,
    Breaker,
    Limits,
    unknown,
)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
REQUIRED: Final = ("state", "failure_count", "last_failure_time", "last_state_change")
COUNTS: Final = ("failure_count", "success_count")
TIMES: Final = ("last_failure_time", "last_state_change", "cooldown_until", "failure_window_start")
KNOWN: Final = frozenset((*REQUIRED, *COUNTS, *TIMES))

Raw = Mapping[str, Any]
Belief = Mapping[Breaker, int]


@lru_cache(maxsize=4096)
def _parsed(text: str) -> int | None:
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return (moment - _EPOCH) // _MICROSECOND
    return None


def instant(text: object) -> int | None:
    """The time in microseconds since the epoch; None for what is no RFC 3339 time with an offset."""
    return _parsed(text) if isinstance(text, str) and "T" in text.upper() else None


def whole(value: object) -> int | None:
    """The count; None for what is no integer of at least zero. (3.0 is one, as in JSON Schema, and true is none.)"""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if value >= 0 and value == int(value) else None


def read(fact: InputFact | None) -> Raw | None:
    """The records of the file by name; None when it is no JSON object, or there is none."""
    if fact is None or fact.kind != "file" or fact.data is None:
        return None
    with suppress(msgspec.DecodeError, RecursionError, ValueError):
        found = msgspec.json.decode(fact.data)
        if isinstance(found, dict):
            return found
    return None


def is_valid(raw: object) -> bool:
    """Is that a record as the schema has it, null or absent where there is no time?"""
    if not isinstance(raw, Mapping) or raw.get("state") not in tuple(State):
        return False
    if whole(raw.get("failure_count")) is None or whole(raw.get("success_count", 0)) is None:
        return False
    if instant(raw.get("last_state_change")) is None:
        return False
    times = (raw.get(name) for name in TIMES)
    return all(time is None or instant(time) is not None for time in times)


def breakers(raw: Raw, at: int, limit: Limits) -> tuple[Breaker, ...]:
    """What a breaker with that valid record may be, at that time."""
    since, failed = instant(raw["last_state_change"]), instant(raw.get("last_failure_time"))
    ahead = STEPPED if max(since or 0, failed or 0) > at else 0
    if raw["state"] == State.CLOSED:
        soft, until = whole(raw["failure_count"]) or 0, (failed if failed is not None else at) + limit.window
        counted = Breaker(
            since=since, soft=soft, total=soft, until=max(until, at if ahead else until), last_failure=failed,
            unsure=ahead | (FAILURES if failed is None and soft else 0),
        )  # fmt: skip
        return (counted,)
    if raw["state"] == State.HALF_OPEN:
        successes = whole(raw.get("success_count", 0)) or 0
        half = Breaker(
            State.HALF_OPEN, since, early=at, successes=successes, last_failure=failed, unsure=ahead | PROBES | FAILURES
        )
        return (half,)
    ends = instant(raw.get("cooldown_until"))
    if ends is None:
        return unknown(at, limit)
    longest = at + limit.cooldown
    ahead |= STEPPED if ends > longest else 0
    unsure = ahead | (FAILURES if failed is None else 0)
    return (Breaker(State.OPEN, since, early=min(ends, longest), until=ends, last_failure=failed, unsure=unsure),)
