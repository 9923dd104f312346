"""The tasks of reviews in their queues: blocked, given back, cancelled, dead. No method raises.

A task is written to its new queue before it is taken out of its old one, see queue_store. What becomes of it beside is
one method each; fields that nobody asked to change stay.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar

from harness.ports.files import Files
from harness.systems.queue_document import InvalidTaskError
from harness.systems.queue_files import (
    ABANDONED,
    BLOCKED,
    DEAD_LETTER,
    IN_PROGRESS,
    PENDING,
    is_count,
    task_id,
)
from harness.systems.queue_store import (
    DAMAGED,
    DUPLICATE,
    METADATA,
    NOT_ASIDE,
    NOT_REMOVED,
    UNREADABLE,
    Queues,
    QueuesLockedError,
    QueueStore,
    Report,
)
from harness.systems.signals.contract import LogCode
from harness.systems.signals.reference.texts import timestamp
from harness.systems.trace import Trace

CODES: Final[Mapping[str, str]] = {
    UNREADABLE: LogCode.STORAGE_FAILED,
    DAMAGED: LogCode.QUEUE_DAMAGED,
    NOT_ASIDE: LogCode.QUEUE_DAMAGED,
    NOT_REMOVED: LogCode.QUEUE_WRITE_FAILED,
    DUPLICATE: "duplicate_removed",
    METADATA: LogCode.QUEUE_DAMAGED,
}
BLOCKED_FROM: Final = "blocked_from"
"""The field of a blocked task that has the queue it came from."""
CLARIFICATIONS: Final = "clarifications"
CANCELLED: Final = "cancelled"
DATA_FIELDS: Final = ("title", "description", "dependencies", "priority")  # of task_data, document 000 L409-412
AT_WORK: Final = (PENDING, IN_PROGRESS)

Task = Mapping[str, Any]
Found = TypeVar("Found")


class Fate(StrEnum):
    """Where a task is that should be dead."""

    DEAD = "dead"
    NOWHERE = "nowhere"
    ENDED = "ended"  # completed or abandoned: nobody waits for it any more


class TaskChanges:
    """What becomes of a task on its way from queue to queue. Pure."""

    def blocked(self, task: dict[str, Any], source: str) -> Task:
        """It waits for a human, and says where it came from."""
        return {**task, BLOCKED_FROM: source}

    def freed(self, task: dict[str, Any]) -> Task:
        """It waits no more."""
        kept = {name: value for name, value in task.items() if name != BLOCKED_FROM}
        if kept.get("status") == BLOCKED:
            del kept["status"]
        return kept

    def clarified(self, task: dict[str, Any], clarification: str) -> Task:
        """It says what a human made clear."""
        before = task.get(CLARIFICATIONS)
        return {
            **self.freed(task),
            CLARIFICATIONS: [*(before if isinstance(before, list) else []), clarification],
        }

    def cancelled(self, task: dict[str, Any], reason: str) -> Task:
        """It is given up, and says why."""
        return {**self.freed(task), "status": CANCELLED, "abandon_reason": reason}

    def dead(self, task: dict[str, Any], source: str, agent: str, now_s: float) -> Task:
        """A dead letter, as the document has it (L391-414), with one more attempt: the review timed out."""
        freed = dict(self.freed(task))
        data = freed.pop("task_data", None)
        data = dict(data) if isinstance(data, dict) else {}
        data = {**{name: freed.pop(name) for name in DATA_FIELDS if name in freed}, **data}
        attempts = freed.get("attempts")
        attempts = list(attempts) if isinstance(attempts, list) else []
        now = timestamp(now_s)
        count = freed.get("failure_count")
        return {
            **freed,
            "original_queue": self.original_queue(task, source),
            "failure_count": int(count) + 1 if is_count(count) and count is not None else len(attempts) + 1,
            "first_failure": freed.get("first_failure", now),
            "last_failure": now,
            "error_summary": "No human decided within 24 hours",
            "attempts": [*attempts, self.attempt(len(attempts) + 1, agent, now)],
            "recovery_strategy": "requires_human_review",
            "task_data": {"title": str(task["task_id"]), **data},
        }

    def original_queue(self, task: Task, source: str) -> str:
        """Pending or in-progress: no other word fits the document (LK-HR-07, reading ``pending``)."""
        if source in AT_WORK:
            return source
        before = task.get(BLOCKED_FROM)
        return before if isinstance(before, str) and before in AT_WORK else PENDING

    def attempt(self, number: int, agent: str, now: str) -> Task:
        """The attempt that a human was asked."""
        return {
            "attempt_number": number,
            "timestamp": now,
            "approach": "human review",
            "error_type": self.error_type(),
            "error_message": "The review was pending for more than 24 hours",
            "agent_id": agent,
        }

    def error_type(self) -> str:
        """What a time-out is called."""
        return "timeout"


class ReviewedTasks:
    """The queues, as reviews change them. ``now_s`` is in s since the epoch."""

    store_class = QueueStore
    changes_class = TaskChanges

    def __init__(self, home: str, files: Files) -> None:
        self.store = self.store_class(files, home)
        self.changes = self.changes_class()

    def block(self, ids: Collection[str], trace: Trace) -> bool:
        """Blocks the tasks that are pending or in progress; are they all blocked now (LK-HR-05)?"""
        found = self.edit(lambda queues: [self.blocked(queues, each) for each in ids], trace)
        return found is not None and all(found)

    def blocked(self, queues: Queues, wanted: str) -> bool:
        """Moves one to blocked.json, unless it is somewhere where nobody claims it; is it blocked now?"""
        place = self.place(queues, wanted)
        if place in AT_WORK:
            queues.move(wanted, place, BLOCKED, lambda task: self.changes.blocked(task, place))
            return True
        return place == BLOCKED

    def give_back(self, wanted: str, trace: Trace) -> bool:
        """The task may go on; False when it could not be moved."""
        return self.edit(lambda queues: self.freed(queues, wanted, self.changes.freed), trace) is not None

    def clarify(self, wanted: str, clarification: str, trace: Trace) -> bool:
        """As give_back, and the task says what was made clear."""
        return (
            self.edit(
                lambda queues: self.freed(
                    queues, wanted, lambda task: self.changes.clarified(task, clarification)
                ),
                trace,
            )
            is not None
        )  # fmt: skip

    def freed(self, queues: Queues, wanted: str, change: Callable[[dict[str, Any]], Task]) -> bool:
        """Moves a blocked task to pending, where it is claimed again; one that is at work is changed there."""
        place = self.place(queues, wanted)
        if place == BLOCKED:
            queues.move(wanted, BLOCKED, PENDING, change)
        elif place in AT_WORK:
            queues.move(wanted, place, place, change)
        return place is not None

    def cancel(self, wanted: str, reason: str, trace: Trace) -> bool:
        """Nobody is to work on it any more; False when it could not be moved."""
        return self.edit(lambda queues: self.abandoned(queues, wanted, reason), trace) is not None

    def abandoned(self, queues: Queues, wanted: str, reason: str) -> bool:
        """Moves a task that is blocked or at work to abandoned.json."""
        place = self.place(queues, wanted)
        if place in (*AT_WORK, BLOCKED):
            queues.move(wanted, place, ABANDONED, lambda task: self.changes.cancelled(task, reason))
        return place is not None

    def bury(self, wanted: str, agent: str, now_s: float, trace: Trace) -> Fate | None:
        """Moves the task to the dead letters (LK-HR-07); None when that failed."""
        return self.edit(lambda queues: self.buried(queues, wanted, agent, now_s), trace)

    def buried(self, queues: Queues, wanted: str, agent: str, now_s: float) -> Fate:
        """See bury."""
        place = self.place(queues, wanted)
        if place is None:
            return Fate.NOWHERE
        if place in (*AT_WORK, BLOCKED):
            queues.move(wanted, place, DEAD_LETTER, lambda task: self.changes.dead(task, place, agent, now_s))
            return Fate.DEAD
        return Fate.DEAD if place == DEAD_LETTER else Fate.ENDED

    def next(self, without: Collection[str]) -> str | None:
        """The first pending task that is not blocked, and none of these; None when there is none."""
        queues = self.store.seen()
        found = () if PENDING in queues.unreadable else queues.tasks(PENDING)
        free = (task_id(each) for each in found if each.get("status") != BLOCKED)
        return next((each for each in free if each is not None and each not in without), None)

    def place(self, queues: Queues, wanted: str) -> str | None:
        """The queue that has the task; OSError when it may be in one that cannot be read."""
        found = queues.place(wanted)
        if found is None:
            for error in queues.unreadable.values():
                raise error
        return found

    def edit(self, action: Callable[[Queues], Found], trace: Trace) -> Found | None:
        """Changes queues under their lock; None when that failed, or left a copy of a task where it was."""
        reports: list[Report] = []
        found = None
        moved = 0
        try:
            with self.store.held() as queues:
                reports = queues.reports
                moved = len(reports)
                found = action(queues)
        except QueuesLockedError as error:
            trace.error(LogCode.LOCK_FAILED, "the queues cannot be locked", error)
        except (OSError, InvalidTaskError) as error:
            trace.error(LogCode.QUEUE_WRITE_FAILED, "a task cannot be moved", error)
        self.tell(reports, trace)
        return found if self.settled(reports[moved:]) else None

    def settled(self, reports: Iterable[Report]) -> bool:
        """Takes out at once what a move could not take out of the old queue, or else the next opening will."""
        if all(report.kind != NOT_REMOVED for report in reports):
            return True
        with contextlib.suppress(OSError), self.store.held() as queues:
            return all(report.kind != NOT_REMOVED for report in queues.reports)
        return False

    def tell(self, reports: Iterable[Report], trace: Trace) -> None:
        """What was found, or could not be done, without that the operation failed."""
        for report in reports:
            trace.warning(CODES[report.kind], f"{report.queue}: {report.detail}")
