"""The fields of a record, in the state file or as an inspection gives them, against what the model knows. Pure.

Times are compared to the millisecond: clocks of many languages tell no finer.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from harness.systems.circuit_breaker.contract import InspectResult, State
from harness.systems.circuit_breaker.oracle.breaker import COUNT, FAILURES, STEPPED, SUCCESSES, Breaker, Limits
from harness.systems.circuit_breaker.oracle.moves import within
from harness.systems.circuit_breaker.oracle.notes import Notes
from harness.systems.circuit_breaker.oracle.readings import windows
from harness.systems.circuit_breaker.oracle.state_file import Belief, Raw, instant, whole

TOLERANCE: Final = 1000  # microseconds

# True and False as usual; None where a breaker says nothing of it
Predicate = Callable[[Breaker], bool | None]


class Seen(NamedTuple):
    """The values of a record. ``complete``: None is no value; otherwise it is one that is not told."""

    state: str
    failure_count: int | None
    success_count: int | None
    failed: int | None
    changed: int | None
    until: int | None
    window: int | None
    complete: bool
    where: str


def in_file(name: str, raw: Raw) -> Seen:
    """A valid record of the state file."""
    return Seen(
        str(raw["state"]),
        whole(raw["failure_count"]),
        whole(raw.get("success_count")),
        instant(raw.get("last_failure_time")),
        instant(raw["last_state_change"]),
        instant(raw.get("cooldown_until")),
        instant(raw.get("failure_window_start")),
        complete=True,
        where=f"the record of {name[:80]!r}",
    )


def in_answer(name: str, result: InspectResult) -> Seen:
    """What an inspection gave."""
    return Seen(
        result.state.value,
        result.failure_count,
        result.success_count,
        instant(result.last_failure_time),
        instant(result.last_state_change),
        instant(result.cooldown_until),
        None,
        complete=False,
        where=f"the inspection of {name[:80]!r}",
    )


def near(one: int | None, other: int | None) -> bool:
    """Is that the same time?"""
    return one is not None and other is not None and abs(one - other) < TOLERANCE


def compare(seen: Seen, belief: Belief, at: int, limit: Limits, notes: Notes) -> Belief:
    """Notes what the values say of each clause; gives the breakers that they leave possible."""
    possible: Belief = {each: cases for each, cases in belief.items() if _in_state(each, seen, at)}
    if not possible:
        modes = " or ".join(sorted({each.mode.value for each in belief}))
        notes.breaks("LK-CB-01", f"{seen.where} is {modes}", f"it is {seen.state}")
        return belief
    if seen.complete:
        notes.agrees("LK-CB-01", "what is known of a breaker is in its record")
    one = next(iter(possible))
    possible = _kept(possible, lambda each: _changed(each, seen, at), notes, "LK-CB-07", seen, "its last transition")
    possible = _cooldown(possible, one, seen, limit, notes)
    possible = _kept(possible, lambda each: _entered(each, seen), notes, "LK-CB-15", seen, "counts of zero")
    if not any(_has_count(each, seen, at, limit) is not False for each in possible):
        _miscounted(one, seen, limit, notes)
        return possible
    possible = _kept(possible, lambda each: _has_count(each, seen, at, limit), notes, "LK-CB-04", seen, "its counts")
    possible = _kept(possible, lambda each: _successes(each, seen), notes, "LK-CB-04", seen, "its counts")
    possible = _kept(possible, lambda each: _cleared(each, seen), notes, "LK-CB-20", seen, "everything reset")
    possible = _kept(possible, lambda each: _failed(each, seen), notes, "LK-CB-05", seen, "its last failure")
    if seen.complete and all(each.mode is State.CLOSED and _just_closed(each) for each in possible):
        late = seen.failed is not None and near(seen.failed, one.also_failed)
        had_none = any(each.last_failure is None or each.unsure & FAILURES for each in possible)
        readings = None if late or (had_none and seen.failed is None) else ("null" if seen.failed is None else "kept",)
        notes.agrees("LK-CB-20", "last_failure_time is cleared, or kept", readings)
    _reopened(one, seen, limit, notes)
    return possible


def _in_state(breaker: Breaker, seen: Seen, at: int) -> bool:
    return breaker.mode == seen.state or (breaker.at_rest(at) and seen.state == State.HALF_OPEN)


def _kept(belief: Belief, agrees: Predicate, notes: Notes, clause: str, seen: Seen, what: str) -> Belief:
    """The breakers that the values agree with, all of them when there is none: that breaks the clause."""
    said = {each: agrees(each) for each in belief}
    if all(each is None for each in said.values()):
        return belief
    agreeing: Mapping[Breaker, int] = {each: cases for each, cases in belief.items() if said[each] is not False}
    if agreeing:
        notes.agrees(clause, f"the values of a breaker are {what}")
        return agreeing
    wrong = next(each for each in belief if said[each] is False)
    notes.breaks(clause, f"{what} in {seen.where}: {_expected(wrong)}", f"{seen._replace(where='')}")
    return belief


def _expected(breaker: Breaker) -> str:
    known = {name: value for name, value in breaker._asdict().items() if value != Breaker._field_defaults[name]}
    return ", ".join(f"{name} {value}" for name, value in known.items() if not isinstance(value, frozenset))


def _changed(breaker: Breaker, seen: Seen, at: int) -> bool | None:
    if breaker.since is None or seen.changed is None:
        return None
    if breaker.mode != seen.state:  # at rest: it may have moved by a timer, or only look so
        return breaker.early - TOLERANCE < seen.changed < at + TOLERANCE
    return near(seen.changed, breaker.since)


def _cooldown(belief: Belief, one: Breaker, seen: Seen, limit: Limits, notes: Notes) -> Belief:
    if one.mode is not State.OPEN or seen.state != State.OPEN or (seen.until is None and not seen.complete):
        return belief
    clause = "LK-CB-21" if one.reopened else "LK-CB-12"
    if one.unsure & STEPPED:
        clause = "LK-CB-28"
    elif "cooldown_s" in limit.tuned:
        clause = "LK-CB-25"
    until = seen.until

    def agrees(breaker: Breaker) -> bool | None:
        if until is None:
            return None if breaker.early < breaker.until else False
        return breaker.early - TOLERANCE < until < breaker.until + TOLERANCE

    kept = _kept(belief, agrees, notes, clause, seen, "the end of its cooldown")
    if clause == "LK-CB-25" and any(agrees(each) for each in belief):
        notes.agrees("LK-CB-12", "the cooldown ends a whole one after the transition")
    if until is None:
        return kept
    return _ending(kept, until)


def _ending(belief: Belief, until: int) -> Belief:
    """The breakers, OPEN until the time that is written: one that was wrong is blamed once."""
    found: dict[Breaker, int] = {}
    for each, cases in belief.items():
        wrong = not each.early - TOLERANCE < until < each.until + TOLERANCE
        fixed = each._replace(early=until, until=until) if wrong else each
        found[fixed] = found.get(fixed, 0) | cases
    return found


def _entered(breaker: Breaker, seen: Seen) -> bool | None:
    """HALF_OPEN begins with counts of zero, and no failure is ever counted in it."""
    if seen.state != State.HALF_OPEN or (seen.failure_count is None and seen.success_count is None):
        return None
    if breaker.unsure & COUNT:
        return None
    fresh = breaker.mode is State.OPEN or (not breaker.successes and not breaker.unsure & SUCCESSES)
    return not seen.failure_count and not (fresh and seen.success_count)


def _successes(breaker: Breaker, seen: Seen) -> bool | None:
    if breaker.mode is not State.HALF_OPEN or not breaker.successes or breaker.unsure & SUCCESSES:
        return None
    return None if seen.success_count is None else seen.success_count == breaker.successes


def _miscounted(breaker: Breaker, seen: Seen, limit: Limits, notes: Notes) -> None:
    """Failures that were not counted would open the breaker too late, others too early."""
    fewer = (seen.failure_count or 0) < len(breaker.failures)
    clause = "LK-CB-10" if fewer else "LK-CB-20" if breaker.closings else "LK-CB-11"
    if limit.tuned & {"threshold", "window_s"}:
        clause = "LK-CB-25"
    notes.breaks(clause, f"{len(breaker.failures)} failures in the window of {seen.where}", f"{seen.failure_count}")


def _has_count(breaker: Breaker, seen: Seen, at: int, limit: Limits) -> bool | None:
    if breaker.mode is not State.CLOSED or seen.failure_count is None or _just_closed(breaker):
        return None
    if breaker.unsure & COUNT:
        return None
    fewest = min(len(within(breaker.failures, at, limit, kind, edge)) for kind, edge, _ in windows())
    return fewest <= seen.failure_count <= len(breaker.failures) + breaker.soft


def _just_closed(breaker: Breaker) -> bool:
    return bool(breaker.closings) and breaker.since == breaker.closings[-1] and not breaker.total


def _cleared(breaker: Breaker, seen: Seen) -> bool | None:
    if breaker.mode is not State.CLOSED or not _just_closed(breaker):
        return None
    failed = seen.failed is None or bool(breaker.unsure & FAILURES) or _is_failure(breaker, seen)
    return failed and not seen.failure_count and not seen.success_count and seen.until is None and seen.window is None


def _is_failure(breaker: Breaker, seen: Seen) -> bool:
    return near(seen.failed, breaker.last_failure) or near(seen.failed, breaker.also_failed)


def _failed(breaker: Breaker, seen: Seen) -> bool | None:
    if breaker.unsure & (FAILURES | STEPPED) or _just_closed(breaker) or (seen.failed is None and not seen.complete):
        return None
    if seen.failed is None:
        return breaker.last_failure is None
    return _is_failure(breaker, seen)


def _reopened(breaker: Breaker, seen: Seen, limit: Limits, notes: Notes) -> None:
    if (
        not breaker.reopened
        or seen.state != State.OPEN
        or seen.failure_count is None
        or breaker.also_failed is not None
    ):
        return
    expected = "failure_count is 0, 1 or the threshold after re-opening"
    counts = (("zero", 0), ("one", 1), ("threshold", limit.threshold))
    readings = [reading for reading, count in counts if count == seen.failure_count]
    if readings:
        notes.agrees("LK-CB-21", expected, readings)
    else:
        notes.breaks("LK-CB-21", expected, f"{seen.failure_count}")
