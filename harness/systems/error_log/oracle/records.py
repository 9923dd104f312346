"""The fields of one record: ER-LOG-02 to ER-LOG-09, each against what was given. Pure.

Source: document 002, Log the Error.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from harness.systems.error_log.contract import ErrorGiven, Response, Severity
from harness.systems.error_log.oracle.documents import same
from harness.systems.error_log.oracle.trajectories import judge_trajectory
from harness.systems.notes import Notes
from harness.systems.times import instant

CLAUSES: Final = {
    "id": "ER-LOG-03", "timestamp": "ER-LOG-02", "type": "ER-LOG-02", "severity": "ER-LOG-04",
    "message": "ER-LOG-02", "context": "ER-LOG-05", "trajectory": "ER-LOG-07", "recovery": "ER-LOG-08",
    "fix_status": "ER-LOG-09",
}  # fmt: skip
OPTIONAL: Final = ("trajectory", "recovery")
LONGEST: Final = 65_536  # characters of a text that has to be kept as it is
SEVERITIES: Final = frozenset(each.value for each in Severity)
RESPONSES: Final = {
    Severity.CRITICAL.value: Response.STOP,
    Severity.HIGH.value: Response.RECOVER,
    Severity.MEDIUM.value: Response.WORKAROUND,
    Severity.LOW.value: Response.IGNORE,
}
CONTEXT: Final[Mapping[str, type]] = {
    "session_id": str, "command": str, "task": int, "phase": int, "checkpoint": str,
}  # fmt: skip
RECOVERY: Final[Mapping[str, type]] = {"suggested_action": str, "auto_recoverable": bool}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NEAR: Final = timedelta(seconds=60)
_A_ZONE: Final = timedelta(hours=15)  # a time without an offset may be that of any zone
_SCALES: Final = (1, 1_000, 1_000_000, 1_000_000_000)  # ticks a second
_DIGITS: Final = re.compile(r"(\d+)(.*)", re.DOTALL)
_CALENDAR: Final = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[T _-]?(\d\d)[:_-]?(\d\d)(?:[:_-]?(\d\d))?)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(.*)",
    re.DOTALL,
)
_SESSION: Final = re.compile(r"sess_\d{9,11}_[0-9A-Za-z]{6}")


def is_a(value: object, kind: type) -> bool:
    """Is the JSON value of that kind? (true is no number.)"""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def session_of(record: Mapping[str, Any]) -> str | None:
    """The session of a record; None when it has none."""
    context = record.get("context")
    session = context.get("session_id") if isinstance(context, Mapping) else None
    return session if isinstance(session, str) else None


def is_kept(text: object) -> bool:
    """Is that a text that a record has to show as it was given?"""
    return isinstance(text, str) and text.strip() != "" and len(text) <= LONGEST


def context_of(given: ErrorGiven | None) -> Mapping[str, Any]:
    """The context that was given, as far as its fields have their form."""
    context = given.context if given is not None and isinstance(given.context, Mapping) else {}
    return {name: context[name] for name, kind in CONTEXT.items() if is_a(context.get(name), kind)}


def could_be(given: ErrorGiven | None, record: Mapping[str, Any]) -> bool:
    """May that record be the one of that error?"""
    if given is None:
        return True
    for value, found in ((given.type, record.get("type")), (given.message, record.get("message"))):
        if is_kept(value) and value != found:
            return False
    context = given.context if isinstance(given.context, Mapping) else {}
    return not is_kept(context.get("session_id")) or session_of(record) == context["session_id"]


def judge_record(
    record: Mapping[str, Any], given: ErrorGiven | None, at: datetime | None, notes: Notes,
    later: Iterable[datetime] = (),
) -> None:  # fmt: skip
    """Notes what a new record says of each clause; ``at`` is when it was made, None when nobody knows.

    ``later`` are times that were told before though they are later: the clock went back, and who lets his ids only grow
    goes on from there.
    """
    given = given or ErrorGiven(None, None)
    _judge_whole(record, given, at, notes)
    _judge_id(record.get("id"), at, notes, later)
    _judge_severity(record.get("severity"), given, notes)
    _judge_context(record.get("context"), given, notes)
    if "trajectory" in record or not given.trajectory:
        judge_trajectory(record.get("trajectory"), given.trajectory, notes)
    if "recovery" in record or not given.recovery:
        _judge_recovery(record.get("recovery"), given.recovery, notes)
    expected = "the fix_status of a new record is unfixed"
    notes.holds("ER-LOG-09", record.get("fix_status") == "unfixed", expected, f"{record.get('fix_status')!r}")


def judge_both(answered: Mapping[str, Any], found: Mapping[str, Any], notes: Notes) -> None:
    """Notes where the record that was answered and the one that was found differ."""
    for name, clause in CLAUSES.items():
        if name != "fix_status" and not same(answered.get(name), found.get(name)):
            expected = f"{name} in errors.json as it was answered: {answered.get(name)!r}"
            notes.breaks(clause, expected, f"{found.get(name)!r}")


def _judge_whole(record: Mapping[str, Any], given: ErrorGiven, at: datetime | None, notes: Notes) -> None:
    missing = [name for name in CLAUSES if name not in record and (name not in OPTIONAL or getattr(given, name))]
    if missing:
        notes.breaks("ER-LOG-02", f"a record has {', '.join(CLAUSES)}", f"{', '.join(missing)} missing")
        return
    for name in ("type", "message"):
        value, found = getattr(given, name), record[name]
        if not isinstance(found, str) or (is_kept(value) and found != value):
            notes.breaks("ER-LOG-02", f"{name} {value!r} as it was given", f"{found!r}")
            return
    made = instant(record["timestamp"])
    if made is None or (at is not None and not _is_near(made, at, whole="T" in record["timestamp"])):
        notes.breaks("ER-LOG-02", f"timestamp is an ISO date, {at}", f"{record['timestamp']!r}")
        return
    absent = any(name not in record for name in OPTIONAL)
    expected = "a record has its nine fields, those that were given as they were given"
    notes.agrees("ER-LOG-02", expected, ("optional",) if absent else None)


def _is_near(one: datetime, other: datetime, *, whole: bool) -> bool:
    return abs(one - other) <= (_NEAR if whole else timedelta(days=1) + _A_ZONE)


def _judge_id(found: object, at: datetime | None, notes: Notes, later: Iterable[datetime]) -> None:
    expected = f"id is err_ and a timestamp, that of {at}"
    rest = None
    if isinstance(found, str) and found.startswith("err_"):
        rests = (_after_timestamp(found[4:], moment) for moment in (at, *later))
        rest = next((each for each in rests if each is not None), None)
    if rest is None:
        notes.breaks("ER-LOG-03", expected, f"{found!r}")
    else:
        notes.agrees("ER-LOG-03", expected, ("suffix",) if rest else ("bare",))


def _after_timestamp(text: str, at: datetime | None) -> str | None:
    """What follows the timestamp; None when there is none, or that of another time."""
    ticks, calendar = _DIGITS.match(text), _CALENDAR.match(text)
    if at is None:
        return None if ticks is None else ticks[2]
    if at < _EPOCH:  # nobody says how ids tell such times
        return text.lstrip("-0123456789")
    if ticks is not None:
        seconds = at.timestamp()
        number = float(ticks[1][:40])
        if any(abs(number / scale - seconds) <= _NEAR.total_seconds() for scale in _SCALES):
            return ticks[2]
    if calendar is not None:
        try:
            parts = [int(part or 0) for part in calendar.groups()[:6]]
            made = datetime(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], tzinfo=UTC)
        except ValueError:
            return None
        if abs(made - at) <= (_A_ZONE if calendar[4] else timedelta(days=1) + _A_ZONE):
            return calendar[7]
    return None


def _judge_severity(found: object, given: ErrorGiven, notes: Notes) -> None:
    expected = f"severity is one of {', '.join(each.value for each in Severity)}"
    if given.severity in tuple(SEVERITIES):
        notes.holds("ER-LOG-04", found == given.severity, f"severity {given.severity!r} as it was given", f"{found!r}")
    else:
        notes.holds("ER-LOG-04", found in tuple(SEVERITIES), expected, f"{found!r}")


def _judge_context(found: object, error: ErrorGiven, notes: Notes) -> None:
    given = error.context if isinstance(error.context, Mapping) else {}
    expected = "context has session_id, command, task, phase, checkpoint as they were given"
    if not isinstance(found, Mapping):
        notes.breaks("ER-LOG-05", expected, f"context is {found!r}")
        return
    absent = False
    for name, kind in CONTEXT.items():
        value, there = found.get(name), name in found
        if is_a(given.get(name), kind):
            ok = same(value, given[name]) or (kind is str and not is_kept(given[name]) and not value)
            ok = ok or (kind is str and len(given[name]) > LONGEST)
        else:
            ok = value is None or is_a(value, kind)
        if not ok:
            notes.breaks("ER-LOG-05", expected, f"{name} is {value!r}, given {given.get(name)!r}")
            return
        absent = absent or (name not in given and not there)
    notes.agrees("ER-LOG-05", expected, ("absent",) if absent else None)
    _judge_session(found.get("session_id"), given.get("session_id"), notes)


def _judge_session(found: object, given: object, notes: Notes) -> None:
    if not isinstance(found, str):
        return
    well_formed = _SESSION.fullmatch(found) is not None
    if given is None or well_formed:
        readings = None if well_formed else ("any",)
        notes.agrees("ER-LOG-06", "session_id looks like sess_1736700000_abc123", readings)


def _judge_recovery(found: object, given: object, notes: Notes) -> None:
    wanted = given if isinstance(given, Mapping) else {}
    wanted = {name: wanted[name] for name, kind in RECOVERY.items() if is_a(wanted.get(name), kind)}
    expected = "recovery has suggested_action, a text, and auto_recoverable, a boolean, as they were given"
    if found is None and len(wanted) < len(RECOVERY):
        return
    right = isinstance(found, Mapping) and all(is_a(found.get(name), kind) for name, kind in RECOVERY.items())
    if right and isinstance(found, Mapping):
        right = all(same(found[name], value) or not _is_short(value) for name, value in wanted.items())
    notes.holds("ER-LOG-08", right, expected, f"{found!r}, given {given!r}")


def _is_short(value: object) -> bool:
    return not isinstance(value, str) or is_kept(value)
