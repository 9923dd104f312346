"""A failure is recorded (LK-DQ-01, LK-DQ-05, LK-DQ-06, and what a dead letter looks like). Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.systems.calls import Call
from harness.systems.dead_letter import contract
from harness.systems.dead_letter.contract import (
    ATTEMPT_FIELDS,
    FAILURES_AT_MOST,
    WORK_QUEUES,
    AttemptGiven,
    ErrorType,
    RecordFailureResult,
)
from harness.systems.dead_letter.oracle.keeping import is_filled
from harness.systems.dead_letter.oracle.letters import judge_letter
from harness.systems.dead_letter.oracle.queues import Copy, State, Step, Task
from harness.systems.dead_letter.oracle.values import is_text, same
from harness.systems.notes import Notes
from harness.systems.queue_files import DEAD_LETTER, is_count
from harness.systems.times import is_near

_TYPES: Final = frozenset(ErrorType)
_TOLD: Final = ("approach", "error_message", "agent_id")


def judge_failure(step: Step, call: Call, notes: Notes) -> None:
    """Notes what the answer to one operation, and the files after it, say."""
    answer: RecordFailureResult = call.answer
    id_ = call.args.task_id
    at_work = [copy for copy in step.before.copies(id_) if copy[0] in WORK_QUEUES]
    if not answer.recorded:
        _judge_refused(step, call, at_work, notes)
        return
    if not at_work:
        if step.before.knows(*WORK_QUEUES):
            notes.breaks("LK-DQ-01", "no failure is recorded of a task that is at work nowhere", call.said)
        return
    counts = {contract.failure_count_of(task) + 1 for _, task in at_work}
    moved = answer.failure_count is not None and answer.failure_count > FAILURES_AT_MOST
    right = answer.failure_count in counts and is_count(answer.failure_count) and answer.moved is moved
    expected = f"failure_count {' or '.join(map(str, sorted(counts)))}, and moved from {FAILURES_AT_MOST + 1} on"
    if not right:
        notes.breaks("LK-DQ-01", expected, call.said)
        return
    if step.after is not None:
        _judge_recorded(step.after, call, at_work, notes)


def _judge_refused(step: Step, call: Call, at_work: Sequence[Copy], notes: Notes) -> None:
    answer: RecordFailureResult = call.answer
    copies = step.before.copies(call.args.task_id)
    if answer.failure_count is not None or answer.moved:
        notes.breaks("LK-DQ-01", "what is not recorded is not counted, and moves nothing", call.said)
    open_ = len(copies) > 1 or any(contract.failure_count_of(task) > FAILURES_AT_MOST for _, task in at_work)
    if not copies or step.shaken or open_:
        return
    if at_work and is_whole(call.args.attempt):
        notes.breaks("LK-DQ-01", "a failure of a task that is at work is recorded", call.said)
    elif step.after is not None and step.is_settled:
        found = [task for _, task in step.after.copies(call.args.task_id)]
        if not all(keeps_failures(copies[0][1], task) for task in found):
            expected = "a failure that is not recorded changes neither attempts nor failure_count"
            notes.breaks("LK-DQ-05", expected, f"{call.said}: {found}"[:400])


def keeps_failures(before: Task, after: Task) -> bool:
    """Has it as many attempts as before, and the same failure_count?"""
    tried = [len(contract.attempts_of(task)) for task in (before, after)]
    return tried[0] == tried[1] and contract.failure_count_of(before) == contract.failure_count_of(after)


def is_whole(given: AttemptGiven) -> bool:
    """Has it every field, as texts, and an error_type of the four? Then it has to be recorded."""
    return all(is_text(getattr(given, name)) for name in _TOLD) and is_type(given.error_type)


def is_type(value: object) -> bool:
    """Is it one of the four?"""
    return isinstance(value, str) and value in _TYPES


def _judge_recorded(after: State, call: Call, came: Sequence[Copy], notes: Notes) -> None:
    answer, id_ = call.answer, call.args.task_id
    queues = (DEAD_LETTER,) if answer.moved else WORK_QUEUES
    found = [copy for copy in after.copies(id_) if copy[0] in queues]
    if not found:
        if after.knows(*queues):
            places = [queue for queue, _ in after.copies(id_)]
            expected = f"the task {id_!r} is in {' or '.join(queues)}"
            notes.breaks("LK-DQ-01", expected, f"it is in {places} after {call.said}")
        return
    task = found[0][1]
    kept = is_count(task.get("failure_count")) and same(task.get("failure_count"), answer.failure_count)
    expected = f"failure_count {answer.failure_count} is stored"
    notes.holds("LK-DQ-01", kept, expected, f"{task.get('failure_count')!r} after {call.said}")
    _judge_attempt(task, came, call, notes)
    if answer.moved:
        judge_letter(task, came, notes)


def _judge_attempt(task: Task, came: Sequence[Copy], call: Call, notes: Notes) -> None:
    tried = contract.attempts_of(task)
    given: AttemptGiven = call.args.attempt
    befores = [contract.attempts_of(before) for _, before in came]
    added = any(len(tried) == len(before) + 1 for before in befores)
    filled = any(before and len(tried) == len(before) and is_filled(before[-1], tried[-1])
                 and same(given.approach, before[-1].get("approach")) for before in befores)  # fmt: skip
    if not added and not filled:
        expected = "the attempt that failed is added to attempts"
        notes.breaks("LK-DQ-05", expected, f"{len(tried)} attempts after {call.said}")
        return
    last = tried[-1]
    missing = [name for name in ATTEMPT_FIELDS if name not in last]
    wrong = [name for name in _TOLD if is_text(getattr(given, name)) and last.get(name) != getattr(given, name)]
    ok = not missing and not wrong and is_next(last.get("attempt_number"), tried[:-1])
    ok = ok and is_near(last.get("timestamp"), call.at)
    expected = f"an attempt has {', '.join(ATTEMPT_FIELDS)}: a number above those before, the time, and what was told"
    notes.holds("LK-DQ-05", ok, expected, f"{dict(last)}"[:300] + f" after {call.said}")
    _judge_type(last, given.error_type, notes)


def is_next(number: object, before: Sequence[Mapping[str, Any]]) -> bool:
    """Does that number follow those of the attempts before, the first of which is 1?"""
    numbers: list[Any] = [each.get("attempt_number") for each in before]
    known: list[Any] = [each for each in numbers if is_count(each)]
    if not is_count(number) or isinstance(number, bool):
        return False
    value: Any = number
    return bool(value > max(known, default=0)) and (bool(before) or value == 1)


def _judge_type(attempt: Mapping[str, Any], given: object, notes: Notes) -> None:
    found = attempt.get("error_type")
    if is_type(given):
        notes.holds("LK-DQ-06", same(found, given), f"error_type {given}", f"{found!r}")
        return
    if is_type(found):
        readings = {"closed"} if is_text(given) else {"closed", "open"}
    else:
        own = found == given if is_text(given) else is_text(found)
        readings = {"open"} if own else set()
    notes.holds(
        "LK-DQ-06", bool(readings), f"error_type is one of {sorted(_TYPES)}, or {given!r}", f"{found!r}", readings
    )


def judge_together(step: Step, notes: Notes) -> None:
    """Failures of one task that were recorded at once are all counted (LK-DQ-01)."""
    for id_ in step.before.ids():
        asked = [call for call in step.calls if call.op == "record_failure" and call.args is not None
                 and call.args.task_id == id_]  # fmt: skip
        recorded = [call for call in asked if call.answer is not None and call.answer.recorded]
        copies = step.before.copies(id_)
        found = step.after.copies(id_) if step.after is not None else []
        others = any(call.op not in ("record_failure", "list", "escalations") for call in step.calls)
        if not recorded or len(copies) != 1 or not found or others:
            continue
        # of what was moved, and could not be removed where it was, the letter counts
        moved = any(call.answer.moved for call in recorded)
        letters = [copy for copy in found if copy[0] == DEAD_LETTER] if moved else []
        count, task = contract.failure_count_of(copies[0][1]), (letters or found)[0][1]
        tried = contract.attempts_of(task)
        most = len(asked) if step.is_struck else len(recorded)
        ok = len(recorded) <= contract.failure_count_of(task) - count <= most
        ok = ok and len(tried) - len(contract.attempts_of(copies[0][1])) <= most
        messages = [each.get("error_message") for each in tried]
        ok = ok and all(call.args.attempt.error_message in messages for call in recorded
                        if is_text(call.args.attempt.error_message))  # fmt: skip
        answers = sorted(call.answer.failure_count or 0 for call in recorded)
        ok = ok and (step.is_struck or answers == list(range(count + 1, count + 1 + len(recorded))))
        expected = f"{len(recorded)} failures of {id_!r} at once are counted one by one, from {count}"
        notes.holds("LK-DQ-01", ok, expected, f"answered {answers}, stored {task.get('failure_count')!r}")
