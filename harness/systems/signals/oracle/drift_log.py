"""The drift log from one step to the next (LK-SG-02, LK-DR-01 to 03, LK-DR-09). Pure."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.signals.contract import DRIFT_PATH, Severity
from harness.systems.signals.oracle.files import Lines, State, Step, lines_of
from harness.systems.signals.oracle.values import has, is_plain, read, same
from harness.systems.times import is_near

Record = Mapping[str, Any]
GIVEN: Final = ("task_id", "planned_action", "detected_drift", "severity", "agent", "drift_distance")
FIELDS: Final = ("timestamp", *GIVEN, "original_goal")
SAMPLE: Final = ("timestamp", "task_id", "severity", "detected_drift")
_EXACT: Final = 2**53 - 1  # larger whole numbers not every reader of JSON has as they are
_ATOMIC: Final = 4096  # characters: what is longer is written in pieces by many
_ESCAPED: Final = frozenset('"\\\n\r\u2028\u2029\x85\0')


def is_legal(args: Mapping[str, Any]) -> bool | None:
    """Are severity and distance legal? None where it depends on who reads them: 2.0 is 2, or no whole number.

    What is larger than every reader of JSON has as it is may be refused, too.
    """
    severity, distance = args.get("severity"), args.get("drift_distance")
    if not isinstance(severity, str) or severity not in tuple(Severity):
        return False
    if isinstance(distance, bool) or not isinstance(distance, int | float) or not distance >= 1:
        return False
    if isinstance(distance, float) and not distance.is_integer():
        return False
    return True if isinstance(distance, int) and distance <= _EXACT else None


def fields_of(call: Call) -> Mapping[str, Any]:
    """What was reported, by the names of the record."""
    return {name: getattr(call.args, name) for name in GIVEN}


def judge_log(step: Step, notes: Notes) -> None:
    """What stood in the log stays its beginning, whatever is done."""
    before, after = step.before, step.after
    if after is None:
        _judge_end(step, notes)
    if after is None or not before.knows("drift") or not after.knows("drift"):
        return
    held, now = before.data("drift") or b"", after.data("drift") or b""
    if not held:
        return
    kept = now.startswith(held)
    if not kept and step.loses_power:  # another run wrote what is there now
        records = lines_of(now).records
        kept = all(any(_is_alike(each, found) for found in records) for each in lines_of(held).records)
    notes.holds("LK-SG-02", kept, "what stands in the drift log stays its beginning",
                f"{_end(held)} became {_end(now)} after {step.first.said}")  # fmt: skip


def _judge_end(step: Step, notes: Notes) -> None:
    """Nothing follows: of the log it is seen whether it is the same, or shorter, or gone."""
    held, left = step.before.data("drift"), step.left()
    if not held or not left or step.minds("drift") or step.loses_power or not step.before.knows("drift"):
        return
    fact = left.get(DRIFT_PATH)
    reports = any(call.op == "report_drift" for call in step.calls)
    if fact is None or fact.size < len(held) or (fact.sha256 != sha256(held).hexdigest() and not reports):
        notes.breaks("LK-SG-02", "what stands in the drift log stays", f"{fact} after {step.first.said}"[:500])
    elif not reports:
        notes.agrees("LK-SG-02", "what stands in the drift log stays its beginning")


def judge_records(step: Step, notes: Notes, *, several: bool) -> None:
    """What was reported as stored is there, as one whole line, and nothing else is."""
    reports = [call for call in step.calls if call.op == "report_drift"]
    after = step.after
    if after is None or step.loses_power or not step.before.knows("drift") or not after.knows("drift"):
        return
    held, now = step.before.data("drift") or b"", after.data("drift") or b""
    if not now.startswith(held):
        return
    tail = now[len(held) :]
    unended = bool(held) and not held.endswith(b"\n")
    glued = unended and bool(tail) and not tail.startswith((b"\n", b"\r\n"))
    found = lines_of(tail)
    left = list(found.records)
    for call in reports:
        if call.args is not None:
            _take(step, call, left, notes, several=several)
    if left and all(call.args is not None for call in reports):
        notes.breaks("LK-DR-04", "one drift is one record", f"{left[0]} was not reported, {step.first.said}"[:400])
    if reports and step.is_calm:
        _judge_lines(step, reports, found, notes, glued=glued, several=several)


def _take(step: Step, call: Call, left: list[Record], notes: Notes, *, several: bool) -> None:
    """Looks for the record of that report, and judges it."""
    given, legal = fields_of(call), is_legal(fields_of(call))
    record = next((each for kin in _KINSHIPS for each in left if kin(each, given)), None)
    if record is not None:
        left.remove(record)
        judge_record(step, call, record, notes)
    if call.answer is None or not call.answer.stored or not is_plain(given):
        return
    if record is None:
        clauses = ["LK-DR-04"] if step.is_alone and not several else []
        for clause in [*clauses, "LK-DR-09"]:
            notes.breaks(clause, "what is told to be stored is a whole line of the log", call.said)
    elif legal is False and not any(entry.code == "drift_invalid" for entry in call.answer.log):
        notes.breaks("LK-DR-02", "what is mended is told", call.said)


def _judge_lines(
    step: Step, reports: Sequence[Call], found: Lines, notes: Notes, *, glued: bool, several: bool
) -> None:
    is_special = any(_is_special(fields_of(call)) for call in reports if call.answer.stored)
    ok = found.is_whole and not found.doubtful and not glued
    if not ok and not all(is_plain(fields_of(call)) for call in reports):
        return
    if not ok:
        notes.breaks("LK-DR-09", "every drift is a whole line of the log", f"the log is torn after {step.first.said}")
    elif (several or is_special) and any(call.answer.stored for call in reports):
        notes.agrees("LK-DR-09", "every stored drift is a whole line")


def judge_record(step: Step, call: Call, record: Record, notes: Notes) -> None:
    """The fields of a record that was made of that report (LK-DR-01 to 03)."""
    given = fields_of(call)
    legal = is_legal(given)
    if not is_plain(given):
        return
    now = is_legal(record)
    at_odds = [name for name in SAMPLE if name not in record]
    at_odds += [name for name in record if name in GIVEN and not same(record[name], given[name])
                and (legal is True or name not in ("severity", "drift_distance"))]  # fmt: skip
    if "timestamp" in record and not is_near(record["timestamp"], call.at):
        at_odds.append("timestamp")
    readings = ("all", "sample") if all(name in record for name in FIELDS) else ("sample",)
    notes.holds("LK-DR-01", not at_odds, "a drift record with all that was reported",
                f"{at_odds[:3]} of {str(dict(record))[:200]} after {call.said}", readings)  # fmt: skip
    is_sampled = "drift_distance" not in record and is_legal({**record, "drift_distance": 1}) is True
    if now is False and not is_sampled:
        notes.breaks("LK-DR-02", "a legal severity and distance in what is recorded", f"{str(dict(record))[:300]}")
    elif legal is False:
        notes.agrees("LK-DR-02", "what is illegal is recorded as something legal", ("mended",))
    else:
        notes.agrees("LK-DR-02", "severity and distance are legal")
    if "original_goal" in record:
        _judge_goal(step, call, record["original_goal"], notes)


def _judge_goal(step: Step, call: Call, told: Any, notes: Notes) -> None:
    before = step.before
    if not before.knows("current_task") or step.minds("current_task") or not step.is_alone:
        return
    data = before.data("current_task")
    found = read(data) if data is not None else None
    task = found.value if found is not None else None
    observed = f"{told!r} after {call.said}"
    if found is None or not found.is_clean or not isinstance(task, Mapping):
        # who reads what is left of a damaged file finds what stands there
        text = (data or b"").decode(errors="replace")
        ok = told is None or (isinstance(told, str) and bool(told) and told in text) or not is_plain(told)
        if not ok:
            notes.breaks("LK-DR-03", "no original_goal where current-task.json has none", observed)
        return
    if task.get("task_id") != call.args.task_id:
        return
    goal = task.get("goal")
    if isinstance(goal, str) and goal:
        notes.holds("LK-DR-03", same(goal, told), f"the original_goal is {goal!r}", observed)
    elif told is not None and not same(goal, told):
        notes.breaks("LK-DR-03", "no original_goal where current-task.json has none", observed)


def judge_listed(step: Step, call: Call, notes: Notes) -> None:
    """The audit sees every record of the log, in the order of its lines (LK-SG-02)."""
    if step.minds("drift") or not step.is_alone or not is_plain(call.args.task_id):
        return
    log = lines_of(step.before.data("drift") or b"")
    wanted = [each for each in log.records if call.args.task_id in (None, each["task_id"])]
    told = list(call.answer.records)
    rest = iter(told)
    in_order = all(any(same(each, one) for one in rest) for each in wanted)
    may = [*log.records, *log.doubtful] if call.args.task_id is None else [*wanted, *log.doubtful]
    extra = [one for one in told if not any(same(each, one) for each in may)] if not log.doubtful else []
    if not in_order or extra or (not log.doubtful and len(told) != len(wanted)):
        notes.breaks("LK-SG-02", f"the {len(wanted)} records of the log", call.said)


def count_of(state: State, task_id: str | None) -> tuple[int, int] | None:
    """How many whole records of that task, or of all, the log has, at least and at most; None when nobody knows."""
    if not state.knows("drift"):
        return None
    log = lines_of(state.data("drift") or b"")
    sure = sum(task_id in (None, each["task_id"]) for each in log.records)
    return sure, sure + len(log.doubtful)


def _says_no_other(record: Record, given: Mapping[str, Any]) -> bool:
    return has(given, {name: value for name, value in record.items() if name in GIVEN})


def _is_of_task(record: Record, given: Mapping[str, Any]) -> bool:
    return same(record.get("task_id"), given["task_id"]) or not is_plain(given["task_id"])


_KINSHIPS: Final = (has, _says_no_other, _is_of_task)  # whose record a line is: as good as it gets


def _is_alike(one: Record, other: Record) -> bool:
    return all(same(one.get(name), other.get(name)) for name in GIVEN)


def _is_special(given: Mapping[str, Any]) -> bool:
    return any(_ESCAPED & set(value) or len(value) > _ATOMIC for value in given.values() if isinstance(value, str))


def _end(data: bytes) -> str:
    return f"{len(data)} bytes that end with {data[-60:]!r}"
