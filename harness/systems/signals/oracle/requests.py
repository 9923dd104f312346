"""Requests for a review: what is stored, and what becomes of their tasks (LK-HR-01, LK-HR-05). Pure."""

from collections.abc import Mapping
from typing import Any, Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.queue_files import BLOCKED, IN_PROGRESS, PENDING, task_id
from harness.systems.signals.contract import Action, is_ordinary
from harness.systems.signals.oracle.drifts import known_steps
from harness.systems.signals.oracle.files import State, Step, is_blocked
from harness.systems.signals.oracle.ledger import WORK, Asked, Ledger
from harness.systems.signals.oracle.values import has, is_plain, same
from harness.systems.times import is_near

REQUIRED: Final = ("reason", "task_id", "context", "severity", "blocking")
OPTIONAL: Final = ("agent", "alternatives_considered")
_STEPS: Final = (Action.STOP, Action.LOG, Action.BLOCK)
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], ())


def is_valid(args: Any) -> bool:
    """Has the request a task and a reason?"""
    return all(isinstance(each, str) and each != "" for each in (args.task_id, args.reason))


def judge_request(step: Step, call: Call, ledger: Ledger, notes: Notes) -> None:
    """One request: is it kept as it was made, and is its task blocked?"""
    args, answer = call.args, call.answer
    if not is_valid(args):
        if answer is not None and answer.stored:
            notes.breaks("LK-HR-01", "a request without a task or a reason is refused", call.said)
        return
    if answer is None:
        _struck(step, call, ledger, notes)
        ledger.add(args.task_id, _given(call), is_certain=False)
        return
    if not answer.stored:
        if is_ordinary(args.task_id) and is_plain(_given(call)) and not step.minds("review", "signals"):
            notes.breaks("LK-HR-01", "the request is stored", call.said)
        _struck(step, call, ledger, notes)
        if step.shaken:
            ledger.add(args.task_id, _given(call), is_certain=False)
        return
    _record(call, answer.record, notes)
    ledger.add(args.task_id, answer.record or _given(call), is_certain=is_plain(_given(call)))
    _stored(step, call, notes)
    if step.is_alone:
        _steps(step, call, notes)
    if args.blocking is True:
        _blocked(step, call, notes)


def _is_only(step: Step, call: Call) -> bool:
    """Is no other operation of the step about that task, or about all?"""
    others = [each for each in step.calls if each is not call]
    return all(
        each.op != "check_reviews" and getattr(each.args, "task_id", None) != call.args.task_id for each in others
    )


def _given(call: Call) -> Mapping[str, Any]:
    args = call.args
    return {name: getattr(args, name) for name in REQUIRED}


def _record(call: Call, record: Mapping[str, Any] | None, notes: Notes) -> None:
    if not is_plain(_given(call)):
        return
    if record is None:
        notes.breaks("LK-HR-01", "the record that is stored", call.said)
        return
    given = {name: getattr(call.args, name) for name in OPTIONAL}
    wanted = {**_given(call), **{name: value for name, value in given.items() if value is not None}}
    absent = [name for name, value in given.items() if value is None]
    ok = has(record, wanted) and is_near(record.get("timestamp"), call.at)
    ok = ok and all(record.get(name) in _EMPTY for name in absent)
    readings = None
    if absent:
        readings = ("empty",) if any(name in record for name in absent) else ("left_out",)
    expected = f"a request with {wanted} and the time"[:300]
    notes.holds("LK-HR-01", ok, expected, f"{str(dict(record))[:300]} after {call.said}", readings)


def _stored(step: Step, call: Call, notes: Notes) -> None:
    """The request stands in the files, with what was given."""
    after, id_ = step.after, call.args.task_id
    if after is None or not after.knows("review") or not is_plain(_given(call)) or not _is_only(step, call):
        return
    if after.is_pending(id_) is False:
        notes.breaks("LK-HR-01", f"the request of {id_!r} stands in the signal files", f"it does not after {call.said}")
        return
    found = [each.record for each in after.requests() if each.record["task_id"] == id_]
    if id_ in after.listed() and not any(has(each, _given(call)) for each in found) and not after.has_file(id_):
        notes.breaks("LK-HR-01", "the request as it was made", f"{found} after {call.said}"[:500])


def _struck(step: Step, call: Call, ledger: Ledger, notes: Notes) -> None:
    """No task is blocked that nobody is asked about (LK-HR-05)."""
    after, id_ = step.after, call.args.task_id
    if after is None or not after.knows_queues() or not step.before.knows_queues():
        return
    if after.is_pending(id_) is not False:
        return
    asked = ledger.asked.get(id_, Asked([], is_certain=False))
    if not asked.records and is_stopped(after, id_) and not is_stopped(step.before, id_):
        notes.breaks("LK-HR-05", "no task is blocked that nobody is asked about", f"{id_!r} is after {call.said}")


def is_stopped(state: State, id_: str) -> bool:
    """Is it blocked, by its queue or by its status?"""
    return any(queue == BLOCKED or is_blocked(task) for queue, task in state.copies(id_))


def _steps(step: Step, call: Call, notes: Notes) -> None:
    steps, args = known_steps(call.answer.steps), call.args
    wanted = _STEPS if args.blocking is True and call.answer.blocked else _STEPS[:2]
    if args.blocking is not True:
        return
    places = [steps.index(each) if each in steps else -1 for each in wanted]
    if -1 in places or places != sorted(places):
        notes.breaks("LK-HR-05", "stop, log and block, in that order", call.said)
    goes_on = [each.detail for each in call.answer.steps if each.action == Action.CONTINUE]
    told = call.answer.goes_on_with
    if goes_on and (goes_on[-1] != (told or "") or steps.index(Action.CONTINUE) < max(places)):
        notes.breaks("LK-HR-05", "to go on with another task comes last, and is told", call.said)
    elif told is not None and not goes_on:
        notes.breaks("LK-HR-05", f"the last step is to go on with {told!r}"[:300], call.said)
    if step.minds(PENDING, IN_PROGRESS) or not step.before.knows(PENDING, IN_PROGRESS):
        return
    free = {queue: [task_id(task) for task in step.before.queues[queue].tasks if not is_blocked(task)]
            for queue in (PENDING, IN_PROGRESS)}  # fmt: skip
    waiting = [each for each in free[PENDING] if each not in (None, args.task_id)]
    others = [each for each in free[IN_PROGRESS] if each not in (None, args.task_id)]
    if (told is None and waiting) or (told is not None and told not in (*waiting, *others)):
        notes.breaks("LK-HR-05", f"other tasks go on: {waiting or others}"[:300], call.said)


def _blocked(step: Step, call: Call, notes: Notes) -> None:
    """The task of a blocking request is one that nobody claims any more (LK-HR-05)."""
    after, id_, before = step.after, call.args.task_id, step.before
    if after is None or not after.knows_queues() or not before.knows_queues() or not _is_only(step, call):
        return
    was, found = before.copies(id_), after.copies(id_)
    if not any(queue in WORK for queue, _ in was):
        return
    observed = f"{id_!r} is in {[(queue, task.get('status')) for queue, task in found]} after {call.said}"
    in_queue = bool(found) and all(queue == BLOCKED for queue, _ in found)
    in_status = bool(found) and all(is_blocked(task) and any(queue == each for each, _ in was) for queue, task in found)
    if not in_queue and not in_status:
        if call.answer.blocked or not step.shaken:
            notes.breaks("LK-HR-05", "the task is in blocked.json, or has the status blocked", observed)
        return
    if not call.answer.blocked and not step.shaken:
        notes.breaks("LK-HR-05", "a blocked task is told to be", observed)
        return
    notes.agrees("LK-HR-05", "the task of a review is blocked",
                 [name for name, ok in (("queue", in_queue), ("status", in_status)) if ok])  # fmt: skip


def judge_pending(step: Step, call: Call, ledger: Ledger, notes: Notes) -> None:
    """Who asks for the pending requests is told all of them, with all their fields, and no other (LK-HR-01, 08)."""
    if step.minds("review", "signals") or not step.is_alone:
        return
    told: dict[object, list[Mapping[str, Any]]] = {}
    for record in call.answer.pending:
        id_ = record.get("task_id")
        told.setdefault(id_ if isinstance(id_, str) else None, []).append(record)
    certain = ledger.certain()
    clause = "LK-HR-08" if len(certain) > 1 else "LK-HR-01"
    for id_ in certain:
        if call.args.task_id not in (None, id_):
            continue
        records = ledger.asked[id_].records
        if not any(has(found, each) for found in told.get(id_, ()) for each in records):
            notes.breaks(clause, f"the pending request of {id_!r}", call.said)
    for found_id in told:
        odd = call.args.task_id is not None and not same(found_id, call.args.task_id)
        unknown = found_id is not None and found_id not in ledger.asked and not ledger.is_open
        if odd or (unknown and not step.before.has_file(str(found_id))):
            notes.breaks(clause, f"no pending request of {found_id!r}", call.said)
