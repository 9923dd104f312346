"""What circuit-breakers.json says of a breaker, and what that allows. Pure.

Source: document 000, Circuit Breaker System; the file is that of the contract of circuit_breaker.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from harness.systems.session_recovery.contract import COOLDOWN_S, Action, Reason
from harness.systems.session_recovery.oracle import steps
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.documents import NoJsonError, content, is_shown, parsed
from harness.systems.times import stamp

LABEL: Final = "breakers"
NEAR_S: Final = 0.001  # seconds that are as near as this are the same


class Stand(StrEnum):
    """How a breaker stands. ``over``: OPEN, and its time has come; ``untimed``: HALF_OPEN, or OPEN, who knows until."""

    FREE = "free"
    OPEN = "open"
    OVER = "over"
    UNTIMED = "untimed"
    UNKNOWN = "unknown"


class Guard(msgspec.Struct, frozen=True):
    """A breaker. ``left_s`` is what may be left of its cooldown in seconds, infinite when nobody can know."""

    stand: Stand
    left_s: float = 0.0
    words: frozenset[str] = frozenset()  # what it may be called by who has read it; empty for any

    @property
    def refuses(self) -> bool:
        """Does it forbid what it guards?"""
        return self.stand is Stand.OPEN

    @property
    def allows(self) -> bool:
        """Does it let begin what it guards?"""
        return self.stand is Stand.FREE


UNSEEN: Final = Guard(Stand.UNKNOWN, math.inf)
"""One of which nobody can know more than that there may be one."""
_UNKNOWN: Final = Guard(Stand.UNKNOWN)
_UNUSED: Final = Guard(Stand.FREE, words=frozenset(("CLOSED", "")))


def every(call: Call) -> Mapping[str, Any] | None:
    """The breakers of the file, by name; None when not every reader finds the same, or it is not known."""
    fact = call.inputs.get(LABEL)
    if not is_shown(fact) or LABEL in call.hidden or LABEL in call.unsteady:
        return None
    data = content(fact)
    if data is None:
        return {}
    try:
        found = parsed(data)
    except NoJsonError:
        return None
    return found if isinstance(found, dict) else None


def guard(call: Call, name: str, at: datetime | None) -> Guard:
    """How the breaker of that name stands; ``at`` is the time, None when it is not known."""
    found = every(call)
    if found is None:
        return UNSEEN if LABEL in call.shaken or not is_shown(call.inputs.get(LABEL)) else _UNKNOWN
    stand = _stand(found, name, at)
    if LABEL not in call.shaken:
        return stand
    # who may be kept from reading it need not know; who lets begin what an OPEN one guards has not consulted it
    return msgspec.structs.replace(stand, words=stand.words | {""}) if stand.refuses else UNSEEN


def _stand(found: Mapping[str, Any], name: str, at: datetime | None) -> Guard:
    if name not in found:
        return _UNUSED
    record = found[name]
    state = record.get("state") if isinstance(record, dict) else None
    if state == "CLOSED":
        return _UNUSED
    if state == "HALF_OPEN":
        return Guard(Stand.UNTIMED)
    if state != "OPEN":
        return _UNKNOWN
    until = stamp(record.get("cooldown_until"))
    if at is None:
        return UNSEEN
    if until is None:
        return Guard(Stand.UNTIMED)
    left_s = (until - at).total_seconds()
    return Guard(Stand.OPEN, left_s, frozenset(("OPEN",))) if left_s > 0 else Guard(Stand.OVER)


def waited(group: Sequence[Call]) -> dict[str, float]:
    """How long these operations waited for the cooldown of each breaker, in seconds."""
    found: dict[str, float] = {}
    for call in group:
        if call.op == "resume" and call.answer is not None and call.args.reason is Reason.RATE_LIMIT:
            waits = (step.wait_s or 0.0 for step in steps.of(call.answer.steps, Action.WAIT))
            name = call.args.facts.breaker
            found[name] = found.get(name, 0.0) + sum(waits)
    return found


def closed_early(before: Call, after: Call, waits: Mapping[str, float]) -> str | None:
    """A breaker that is OPEN no longer, though its time had not come; None when there is none, or nobody knows.

    ``waits`` is how long was waited in between, in seconds by breaker.
    """
    old, new = every(before), every(after)
    if before.at is None or old is None or new is None:
        return None
    for name in old:
        stand = guard(before, name, before.at)
        later = guard(before, name, after.at or before.at)  # a timer of its own may have moved it meanwhile
        enough_s = min(stand.left_s, COOLDOWN_S) - NEAR_S  # what is longer was written by another clock
        over = not later.refuses or waits.get(name, 0.0) >= enough_s
        legal = ("OPEN", "HALF_OPEN") if over else ("OPEN",)
        record = new.get(name)
        if stand.refuses and not (isinstance(record, dict) and record.get("state") in legal):
            return name
    return None
