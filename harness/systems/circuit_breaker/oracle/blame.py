"""Whose expectation an answer breaks that no reading explains, by the situation the breaker was in. Pure."""

from typing import NamedTuple

from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.oracle.breaker import SECOND, STEPPED, Asked, Breaker, Limits
from harness.systems.circuit_breaker.oracle.moves import within
from harness.systems.circuit_breaker.oracle.probes import due
from harness.systems.circuit_breaker.oracle.readings import INCLUSIVE, SLIDING, START

_BY_COUNT = frozenset(("threshold", "window_s"))


class Circumstances(NamedTuple):
    """What happened around an operation.

    ``elsewhere``: another process, or one started anew, had the breaker before. ``beside``: other operations
    overlapped with this one; ``after_others``: they did with the one before it. ``damaged``: the state file was
    damaged since. ``others_moved``: another breaker is not CLOSED, or has failures. ``after_death``: a process was
    killed in the middle of an operation before. ``lost``: the record of a breaker was not in the file where it had
    to be; ``strange``: the file had fields that nobody knows.
    """

    elsewhere: bool = False
    beside: bool = False
    after_others: bool = False
    damaged: bool = False
    others_moved: bool = False
    after_death: bool = False
    lost: bool = False
    strange: bool = False


class Blamed(NamedTuple):
    """The clause that is broken, and what it wanted."""

    clause: str
    expected: str


def blame(breaker: Breaker, asked: Asked, around: Circumstances) -> Blamed:
    """The clause that ``asked`` broke, answered as it was by a breaker that stood so."""
    limit = asked.limits[0]
    found = _in_situation(breaker, asked, limit, around)
    if asked.answer is None:
        if around.damaged:
            return Blamed("LK-CB-26", f"{found.expected}, whatever became of the state file")
        return Blamed("LK-CB-01", f"{found.expected}, whoever died before") if around.after_death else found
    instead = _by_circumstances(breaker, asked, around)
    return Blamed(instead[0], f"{found.expected}{instead[1]}") if instead is not None else found


def _by_circumstances(breaker: Breaker, asked: Asked, around: Circumstances) -> tuple[str, str] | None:
    """The clause that what happened before speaks for, rather than the situation of the breaker, and why."""
    for applies, clause, why in (
        (around.damaged, "LK-CB-26", ", whatever became of the state file"),
        (bool(breaker.unsure & STEPPED), "LK-CB-28", ", whatever the clock does"),
        (around.lost, "LK-CB-01", ": a record was not in the file"),
        (around.strange, "LK-CB-08", ", whatever other fields a record has"),
    ):
        if applies:
            return clause, why
    closing = breaker.mode is State.HALF_OPEN and asked.op == "record" and not asked.failure
    shown: State = asked.answer.state
    if shown is State.CLOSED and not closing and _has_to_remember(breaker):
        if around.beside or around.after_others:
            return "LK-CB-27", ": an update was lost among others made at the same time"
        if around.elsewhere:
            return "LK-CB-01", ": another process recorded it"
    untouched = breaker.mode is State.CLOSED and not breaker.total and breaker.since is None and not breaker.soft
    if untouched and around.others_moved and (shown is not State.CLOSED or _refused(asked)):
        return "LK-CB-01", ": only another breaker failed"
    return None


def _refused(asked: Asked) -> bool:
    return asked.op == "acquire" and not asked.answer.permitted


def _permitted(asked: Asked) -> bool:
    return asked.op == "acquire" and asked.answer is not None and asked.answer.permitted is True


def _has_to_remember(breaker: Breaker) -> bool:
    return breaker.mode is not State.CLOSED or bool(breaker.failures)


def _in_situation(breaker: Breaker, asked: Asked, limit: Limits, around: Circumstances) -> Blamed:
    if breaker.mode is State.CLOSED:
        return _closed(breaker, asked, limit)
    if breaker.mode is State.OPEN:
        return _open(breaker, asked, limit)
    return _half_open(breaker, asked, limit, around)


def _tuned(limit: Limits, clause: str, expected: str, *names: str) -> Blamed:
    """The clause, or that of the tunables when one of those it hangs on is not the default."""
    named = sorted(limit.tuned & set(names))
    return Blamed("LK-CB-25", f"{expected}, with {', '.join(named)} as set") if named else Blamed(clause, expected)


def _closed(breaker: Breaker, asked: Asked, limit: Limits) -> Blamed:
    shown = None if asked.answer is None else asked.answer.state
    failures = len(within(breaker.failures, asked.at, limit, SLIDING, INCLUSIVE)) + asked.failure
    if shown is State.HALF_OPEN:
        return Blamed("LK-CB-22", "CLOSED: no transition leads from there to HALF_OPEN")
    if asked.failure and failures >= limit.threshold:
        said = f"OPEN, by {failures} failures within {limit.window / 1e6:g} s"
        return _tuned(limit, "LK-CB-10", said, *_BY_COUNT)
    if shown is State.OPEN and (breaker.total or asked.op == "record"):
        said = f"CLOSED, with {failures} of {limit.threshold} failures in its window"
        if breaker.closings and breaker.total + asked.failure < limit.threshold:
            return Blamed("LK-CB-20", f"{said}, counted from zero since it closed")
        return _tuned(limit, "LK-CB-11", said, *_BY_COUNT)
    if asked.op == "record":
        return Blamed("LK-CB-22", "CLOSED, and nothing else")
    return Blamed("LK-CB-09", "CLOSED, so that every call is permitted")


def _open(breaker: Breaker, asked: Asked, limit: Limits) -> Blamed:
    shown = None if asked.answer is None else asked.answer.state
    left = (breaker.until - asked.at) / 1e6
    if shown is State.CLOSED and not (_permitted(asked) and asked.at < breaker.early):
        return Blamed("LK-CB-22", "OPEN, or HALF_OPEN after its cooldown: no transition leads from there to CLOSED")
    if asked.at < breaker.early:
        if shown is State.HALF_OPEN and not (_permitted(asked) and breaker.early - asked.at > SECOND):
            return _tuned(limit, "LK-CB-14", f"OPEN for another {left:g} s", "cooldown_s")
        return Blamed("LK-CB-13", f"OPEN for another {left:g} s, so that no call is permitted")
    if shown is State.HALF_OPEN or (shown is None and asked.op == "acquire"):
        return Blamed("LK-CB-16", f"one probe permitted, {-left:g} s after the cooldown")
    return _tuned(limit, "LK-CB-14", f"HALF_OPEN, {-left:g} s after the cooldown", "cooldown_s")


def _half_open(breaker: Breaker, asked: Asked, limit: Limits, around: Circumstances) -> Blamed:
    shown = None if asked.answer is None else asked.answer.state
    if asked.failure:
        return Blamed("LK-CB-21", "OPEN again, by the failure of a probe")
    if asked.op == "record":
        return _success(breaker, shown, limit)
    if shown is State.HALF_OPEN or (shown is None and asked.op == "acquire"):
        return _surplus(breaker, asked, limit, around) if _permitted(asked) else _due(breaker, limit)
    return Blamed("LK-CB-22", "HALF_OPEN, until a probe's result is told")


def _success(breaker: Breaker, shown: State | None, limit: Limits) -> Blamed:
    successes = breaker.successes + 1
    if shown is State.OPEN:
        return Blamed("LK-CB-22", "HALF_OPEN or CLOSED: no success leads from HALF_OPEN to OPEN")
    if successes < limit.recovery and breaker.carried and successes + breaker.carried >= limit.recovery:
        return Blamed("LK-CB-15", f"HALF_OPEN: {successes} successes since it was entered, counted from zero")
    state = "CLOSED" if successes >= limit.recovery else "HALF_OPEN"
    return _tuned(limit, "LK-CB-19", f"{state} after {successes} successes in a row", "recovery_threshold")


def _surplus(breaker: Breaker, asked: Asked, limit: Limits, around: Circumstances) -> Blamed:
    at_once = breaker.probes == 1 and (around.beside or breaker.probe == asked.at)
    if breaker.ended is None and breaker.probe is not None:
        if at_once:
            return Blamed("LK-CB-16", "exactly one probe, and every other call held")
        return Blamed("LK-CB-18", "no further call while a probe is in flight")
    ready = due(breaker, START, limit)[0]
    said = f"no further call for another {(ready - asked.at) / 1e6:g} s"
    return _tuned(limit, "LK-CB-17", said, "half_open_interval_s")


def _due(breaker: Breaker, limit: Limits) -> Blamed:
    if breaker.probe is None:
        return Blamed("LK-CB-16", "one probe permitted, since there was none yet")
    if breaker.ended is None:
        return Blamed("LK-CB-18", "another probe permitted, since the last one is lost")
    return _tuned(limit, "LK-CB-17", "another probe permitted, since the interval is over", "half_open_interval_s")
