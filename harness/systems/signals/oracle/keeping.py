"""Tasks, and whatever else stands in the queue files, are conserved by every step. Pure."""

import hashlib
from collections.abc import Collection, Mapping
from typing import Any, Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.queue_files import ABANDONED, BLOCKED, DEAD_LETTER, PENDING, task_id
from harness.systems.signals.oracle.drifts import may_be_grave
from harness.systems.signals.oracle.files import Copy, State, Step, Task, is_blocked
from harness.systems.signals.oracle.values import has, read, same

# who loses a task breaks what the operation is about
_CLAUSES: Final = {
    "report_drift": "LK-DR-08", "request_review": "LK-HR-05", "clarify": "LK-HR-06", "cancel": "LK-HR-06",
    "check_reviews": "LK-HR-06", "emit": "LK-SG-04", "consume": "LK-SG-04",
}  # fmt: skip
_OWN: Final = frozenset(("status", "moves"))  # fields that an implementation may set; "moves" is the store's own


class Keeper:
    """What has to stay. ``moving``: a move of these was begun, and may be ended by any operation."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._moving: set[str] = set()
        self._given: dict[str, frozenset[str]] = {}  # the fields that somebody else gave a task

    def judge(self, step: Step, subjects: Collection[str], waiting: Collection[str]) -> None:
        """Notes what the step has lost, doubled, moved or changed without a reason.

        Who looks after the reviews may block the tasks that are ``waiting``, which somebody did not live to block.
        """
        after, before = step.after, step.before
        if after is None:
            return
        for id_ in before.ids():
            self._given.setdefault(id_, frozenset(before.copies(id_)[0][1]))
        moved = {*subjects, *(id_ for call in step.calls for id_ in _subjects(call))}
        moved |= {
            id_ for id_ in waiting if all(queue == BLOCKED or is_blocked(task) for queue, task in after.copies(id_))
        }
        late = {id_ for call in step.calls if call.op == "check_reviews" and call.answer is not None
                for id_ in call.answer.timed_out}  # fmt: skip
        cancelled = {call.args.task_id for call in step.calls if call.op == "cancel" and call.args is not None}
        cancelled |= {each.task_id for call in step.calls if call.op == "check_reviews" and call.answer is not None
                      for each in call.answer.resolved}  # fmt: skip
        for id_ in before.ids():
            clause = "LK-HR-07" if id_ in late else _CLAUSES.get(step.first.op, "LK-HR-05")
            wrong = self._wrong(step, after, id_, moved, may_go=id_ in cancelled or id_ in self._moving)
            if wrong:
                self._notes.breaks(clause, f"the task {id_!r} is kept", f"{wrong} after {step.first.said}"[:500])
        if not before.unknown & set(before.inputs) and not step.loses_power:
            for id_ in set(after.ids()) - set(before.ids()) - self._moving:
                self._notes.breaks(_CLAUSES.get(step.first.op, "LK-HR-05"), "no task that nobody gave",
                                   f"{id_!r} after {step.first.said}"[:500])  # fmt: skip
        for queue in after.queues:
            self._keeps_others(step, after, queue)
        self._keeps_requests(step, after)
        if not step.is_calm:
            self._moving |= moved

    def _wrong(self, step: Step, after: State, id_: str, moved: Collection[str], *, may_go: bool) -> str:
        copies, found = step.before.copies(id_), after.copies(id_)
        if not found:
            return "" if after.unknown & set(after.inputs) or may_go else "it is in no queue"
        is_subject = id_ in moved or id_ in self._moving
        places = [queue for queue, _ in found]
        if len(found) > max(1, len(copies)) and not (is_subject and not step.is_calm) and not step.before.unknown:
            return f"it is in {places}"
        was = {queue for queue, _ in copies}
        if not is_subject and not set(places) <= was and not step.before.unknown:
            return f"it is in {places}"
        lost = [_lost(each, found, self._given[id_], is_subject=is_subject) for _, each in copies]
        return "" if "" in lost else lost[0]

    def _keeps_others(self, step: Step, after: State, queue: str) -> None:
        before, now = step.before, after.queues[queue]
        clause = _CLAUSES.get(step.first.op, "LK-HR-05")
        if queue in before.damaged:
            self._is_aside(step, after, queue, clause)
        elif queue in before.queues:
            held = before.queues[queue]
            rest: list[Any] = [*held.odd, *(task for task in held.tasks if task_id(task) is None)]
            found: list[Any] = [*now.odd, *now.tasks]
            gone = [each for each in rest if not any(same(each, one) for one in found)]
            names = {name for name in held.metadata or {} if queue != DEAD_LETTER or name != "metadata"}
            lost = [name for name in names if not same((held.metadata or {})[name], (now.metadata or {}).get(name))]
            if gone or (lost and now.metadata is not None) or (names and now.metadata is None):
                observed = f"{str((gone or sorted(names))[0])[:100]} is gone after {step.first.said}"[:500]
                self._notes.breaks(clause, f"{queue} keeps what else stands there", observed)

    def _keeps_requests(self, step: Step, after: State) -> None:
        data = step.before.data("review")
        if data is None or not step.before.knows("review") or read(data) is not None:
            return
        self._is_aside(step, after, "review", "LK-HR-08")

    def _is_aside(self, step: Step, after: State, label: str, clause: str) -> None:
        """What stood in a damaged file is in some file still."""
        data = step.before.data(label) or b""
        if not data.strip(b"\0 \t\r\n") or not after.knows(label) or after.data(label) == data or not after.files:
            return
        digest = hashlib.sha256(data).hexdigest()
        if not any(fact.sha256 == digest for fact in after.files.values()):
            self._notes.breaks(clause, f"what stood in {label}, and is damaged, is kept aside",
                               f"its bytes are in no file after {step.first.said}"[:500])  # fmt: skip


def _subjects(call: Call) -> tuple[str, ...]:
    """The tasks that the operation may move."""
    args = call.args
    if args is None or call.op not in ("report_drift", "request_review", "clarify", "cancel"):
        return ()
    is_paused = call.op != "report_drift" or may_be_grave(args)
    return (args.task_id,) if is_paused and isinstance(args.task_id, str) else ()


def _lost(before: Task, found: list[Copy], given: frozenset[str], *, is_subject: bool) -> str:
    """What is not there any more of a task; "" when it is all there."""
    wrong = ""
    for queue, task in found:
        data = task.get("task_data")
        inner: Task = data if isinstance(data, Mapping) else {}
        whole = {**inner, **task}
        names = [name for name, value in before.items() if not (is_subject and (name in _OWN or name not in given))
                 and not any(_is_kept(value, each, name, is_subject=is_subject, queue=queue)
                             for each in (whole, inner))]  # fmt: skip
        if not names:
            return ""
        wrong = f"its {names[0]} is {whole.get(names[0])!r}"
    return wrong


def _is_kept(value: Any, whole: Task, name: str, *, is_subject: bool, queue: str) -> bool:
    if has(whole, {name: value}):
        return True
    now = whole.get(name)
    if is_subject and isinstance(value, str) and isinstance(now, str):
        return value in now or (queue in (DEAD_LETTER, ABANDONED) and name == "original_queue")
    is_listed = isinstance(value, list)
    if (
        is_subject
        and is_listed
        and isinstance(now, list)
        and all(any(same(each, one) for one in now) for each in value)
    ):
        return True
    is_anew = queue == PENDING or (queue == DEAD_LETTER and not is_listed)  # what failed before is told of the dead
    return is_subject and is_anew and name in ("attempts", "failure_count", "last_failure")
