"""What the delays of exponential back-off are, in every permitted reading. Pure. Source: document 000, strategy."""

import math
from collections.abc import Mapping
from typing import Any

from harness.systems.rate_limit.contract import Tunables
from harness.systems.stateless import Call, number

TOLERANCE_S = 0.000501  # whole milliseconds are fine enough for anybody; a half one may be rounded either way
_RELATIVE = 1e-9  # what doubling in floating point may lose
NO_JITTER, JITTER_ADDED = "no_jitter", "jitter_added"


def nominal_s(retry: int, tuned: Tunables) -> float:
    """The delay before that retry (from 1) when nothing bounds it; infinite when no float can hold it."""
    try:
        return float(tuned.initial_delay_s) * float(tuned.multiplier) ** (retry - 1)
    except OverflowError:
        return math.inf


def is_alike(value_s: float, wanted_s: float) -> bool:
    """Are these the same delay?"""
    return math.isclose(value_s, wanted_s, rel_tol=_RELATIVE, abs_tol=TOLERANCE_S)


def exceeds(value_s: float, bound_s: float) -> bool:
    """Is the one longer than the other, beyond what floating point may lose?"""
    return value_s > bound_s and not math.isclose(value_s, bound_s, rel_tol=_RELATIVE)


def delay_s(result: Mapping[str, Any]) -> float | None:
    """The delay of an answer that makes the retry; None when it does not, or says no delay."""
    return number(result.get("delay_s")) if result.get("retry") is True else None


def jitter_s(result: Mapping[str, Any]) -> float:
    """The jitter an answer states; NaN for one that is none."""
    stated = number(result.get("jitter_s", 0.0))
    return math.nan if stated is None else stated


def readings_of(result: Mapping[str, Any], wanted_s: float) -> tuple[str, ...]:
    """The readings in which that answer's delay is the nominal one."""
    delay, jitter = delay_s(result), jitter_s(result)
    if delay is None or not (0 <= jitter <= wanted_s):
        return ()
    if not is_alike(delay - jitter, wanted_s):
        return ()
    return (JITTER_ADDED,) if jitter else (NO_JITTER, JITTER_ADDED)


def agrees(call: Call, retry: int, tuned: Tunables) -> bool:
    """May that be the answer when these tunables are in force, in some reading?"""
    if not call.answered or retry < 1:
        return False
    if call.result.get("retry") is not True:
        return retry >= tuned.max_retries and call.result.get("retry") is False
    delay, nominal = delay_s(call.result), nominal_s(retry, tuned)
    if retry > tuned.max_retries or delay is None or exceeds(delay, tuned.max_delay_s):
        return False
    if nominal >= tuned.max_delay_s:
        return is_alike(delay, tuned.max_delay_s)
    return bool(readings_of(call.result, nominal))
