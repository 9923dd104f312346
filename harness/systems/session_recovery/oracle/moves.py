"""What operations may have done to the queues, and whether the files show just that when they are found next. Pure.

A task is in one queue. A claim moves it from pending to in-progress, its end takes it away; nothing else is touched,
and whatever was cut off left one copy of each task at least. Source: the contract, on document 000 L8, L34 and L359.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from harness.core.history import FileFact
from harness.systems import queue_files
from harness.systems.notes import Notes
from harness.systems.session_recovery.oracle.documents import Queues, has_content, may_be_queue, same

_AT_WORK: Final = (queue_files.PENDING, queue_files.IN_PROGRESS)
_TRACES: Final = (*_AT_WORK, queue_files.COMPLETED)


class Changes:
    """Fields of tasks that changed, and those that the implementation adds of its own, which it may change."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._changed: list[tuple[str, tuple[str, ...], str, str]] = []

    def compare(self, before: Mapping[str, Any], after: Mapping[str, Any], clauses: Iterable[str], where: str) -> None:
        """Notes which fields of a task are others by now."""
        self._own |= after.keys() - before.keys()
        for name, value in before.items():
            if name not in after or not same(value, after[name]):
                shown = f"{after.get(name)!r}"[:160]
                self._changed.append(
                    (name if name in after else "", tuple(clauses), f"{name[:80]!r} stays {where}", shown)
                )

    def judge(self, notes: Notes) -> None:
        """At the end it is known which fields are its own: the others had to stay."""
        for name, clauses, expected, observed in self._changed:
            if name not in self._own:
                for clause in clauses:
                    notes.breaks(clause, expected, observed)


class Moves(msgspec.Struct):
    """What a group of operations did: tasks that were ``claimed`` and ``finished``, and others that may have been.

    ``open_claims``: any pending task may have been moved, or half of it; ``started`` ones may have been, too.
    ``loose``: tasks may be in any queue, but none that was in progress is pending again.
    ``left_behind`` are tasks of which a copy stays in a queue that could not be rewritten, with that queue. ``clauses``
    are to blame for what is lost.
    """

    clauses: tuple[str, ...]
    claimed: dict[str, Mapping[str, Any]] = {}
    finished: set[str] = set()
    open_finishes: set[str] = set()
    open_claims: bool = False
    started: set[str] = set()
    left_behind: set[tuple[str, str]] = set()
    loose: bool = False
    unknown: bool = False  # anything may have been done
    breakers_struck: bool = False  # a fault damaged the breakers since
    waited: dict[str, float] = {}  # how long the end of a cooldown was waited for, in seconds, by breaker


class CutOff(msgspec.Struct):
    """What operations that were never answered may do yet: who keeps a journal goes on by it the next time.

    ``claims`` counts those that may move a pending task, ``finishes`` are the tasks that may still be finished.
    """

    claims: int = 0
    finishes: set[str] = set()


class Aftermath:
    """Looks at the queues before and after a group of operations."""

    def __init__(self, before: Queues, after: Queues, moves: Moves, notes: Notes, changes: Changes) -> None:
        self._before = before
        self._after = after
        self._moves = moves
        self._notes = notes
        self._changes = changes

    def _breaks(self, expected: str, observed: str) -> None:
        for clause in self._moves.clauses:
            self._notes.breaks(clause, expected, observed[:400])

    def judge(self, files: Mapping[str, FileFact], original: Mapping[str, Mapping[str, Any]]) -> None:
        """Notes what was lost, moved or made up; ``files`` is what lies on the disk.

        ``original`` is what stood beside the tasks of each queue when the world began: it stays.
        """
        spoiled = [name for name in self._after.damaged if not self._before.shelves[name].damaged
                   and self._before.shelves[name].is_known]  # fmt: skip
        if spoiled:
            self._breaks(f"{spoiled[0]}.json is a queue", f"{self._after.shelves[spoiled[0]].data[:160]!r}")
            return
        self._judge_kept_aside(files)
        if not all(
            each.is_known or each.damaged for each in (*self._before.shelves.values(), *self._after.shelves.values())
        ):
            return
        for task_id in self._before.ids():
            self._judge_task(task_id)
        self._judge_strangers()
        for queue in _AT_WORK:
            self._judge_others(queue, original.get(queue, {}))

    def _judge_kept_aside(self, files: Mapping[str, FileFact]) -> None:
        """What was no queue is in its place still, or aside."""
        for name in self._before.damaged:
            data, now = self._before.shelves[name].data, self._after.shelves[name]
            if now.data == data or not has_content(data) or may_be_queue(data) or not files:
                continue
            digest = hashlib.sha256(data).hexdigest()
            if not any(fact.sha256 == digest for fact in files.values()):
                self._breaks(f"what stood in {name}.json, and is no queue, is kept", "it is in no file")

    def _judge_task(self, task_id: str) -> None:
        found, now = self._before.copies(task_id), self._after.copies(task_id)
        moves, shown = self._moves, f"{task_id[:80]!r}"
        if moves.unknown:
            return
        gone = task_id in moves.finished or task_id in moves.open_finishes
        if not now:
            if not gone and not self._after.damaged:
                self._breaks(f"the task {shown} is in a queue", f"it was in {self._places(self._before, task_id)}")
            return
        left = self._after.in_progress.count(task_id)
        if task_id in moves.finished:
            if left and (task_id, queue_files.IN_PROGRESS) not in moves.left_behind:
                self._breaks(f"the finished task {shown} left in-progress.json", "it is there")
            return
        if task_id in moves.claimed:
            self._judge_claimed(task_id, left)
        elif len(found) == 1 and not gone:
            self._judge_single(task_id)
        if not gone:
            where = f"in the task {shown}"
            if not any(has(each, old) for old in found for each in now):
                self._changes.compare(found[0], now[0], moves.clauses, where)

    def _judge_claimed(self, task_id: str, left: int) -> None:
        pending = self._after.pending.count(task_id)
        waits = task_id in self._moves.open_finishes  # it may have been finished at once
        if left != 1 and not waits:
            self._breaks(f"the claimed task {task_id[:80]!r} is in in-progress.json, once", f"{left} times")
        stays = (task_id, queue_files.PENDING) in self._moves.left_behind
        if pending >= max(self._before.pending.count(task_id), 1) + stays:
            self._breaks(f"the claimed task {task_id[:80]!r} left pending.json", f"it is there, {pending} times")

    def _judge_single(self, task_id: str) -> None:
        """A task that had one copy has one, where it was, unless an operation was cut off."""
        old, now = self._places(self._before, task_id), self._places(self._after, task_id)
        if old[0] not in _AT_WORK or self._after.damaged:
            return
        if self._moves.loose and not (old[0] == queue_files.IN_PROGRESS and queue_files.PENDING in now):
            return
        may_be_claimed = self._moves.open_claims or task_id in self._moves.started
        if may_be_claimed and old[0] == queue_files.PENDING:
            if set(now) <= set(_AT_WORK) and len(now) == len(set(now)):
                return
        elif now == old:
            return
        self._breaks(f"the task {task_id[:80]!r} stays in {old[0]}.json, once", f"it is in {now}")

    def _judge_strangers(self) -> None:
        if self._before.damaged or self._moves.unknown:
            return
        known = self._before.ids()
        for task_id in self._after.ids():
            if task_id not in known and any(self._after.shelves[name].count(task_id) for name in _AT_WORK):
                self._breaks(
                    "no task comes from nowhere", f"{task_id[:80]!r} is in {self._places(self._after, task_id)}"
                )

    def _judge_others(self, queue: str, original: Mapping[str, Any]) -> None:
        """Entries that are no tasks stay, and what stands beside the tasks."""
        old, new = self._before.shelves[queue], self._after.shelves[queue]
        if not old.is_known or not new.is_known or self._moves.unknown:
            return
        left = new.nameless()
        for entry in old.nameless():
            same_one = next((place for place, each in enumerate(left) if has(each, entry)), None)
            if same_one is None:
                self._breaks(f"what is no task stays in {queue}.json", f"{entry!r} is gone")
                return
            left.pop(same_one)
        beside = (new.file.metadata if new.file is not None else None) or {}
        lost = [name for name, value in original.items() if name not in beside or not same(value, beside[name])]
        if lost:
            self._breaks(f"{lost[0][:80]!r} stays beside the tasks of {queue}.json", f"{beside.get(lost[0])!r}")

    def halves(self) -> Iterator[str]:
        """The tasks that an operation which was cut off left in two places."""
        for task_id in self._after.ids():
            told = any(task_id == left for left, _ in self._moves.left_behind)
            if traces(self._before, task_id) == 1 and traces(self._after, task_id) > 1 and not told:
                yield task_id

    @staticmethod
    def _places(queues: Queues, task_id: str) -> list[str]:
        found = {name: each.file for name, each in queues.shelves.items()}
        return list(queue_files.places(found, task_id))


def traces(queues: Queues, task_id: str) -> int:
    """How many copies of a task there are where a claim or its end puts one."""
    return sum(queues.shelves[name].count(task_id) for name in _TRACES)


def has(after: Any, before: Any) -> bool:
    """Is it the same entry, with fields of its own at most?"""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return all(name in after and same(value, after[name]) for name, value in before.items())
    return same(before, after)
