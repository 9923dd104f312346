"""The queues as a session uses them: who claims which task, what is in progress, what is finished.

Whoever changes queues holds their lock (LK-SYS-03), and looks into all of them first (LK-GEN-02). Who only reads takes
the lock too, where it can be had: a task that is moved at this moment is then in exactly one of them.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from harness.ports.files import Files
from harness.systems.queue_document import Document, Entry, InvalidTaskError
from harness.systems.queue_files import COMPLETED, IN_PROGRESS, PENDING, task_id
from harness.systems.queue_store import (
    DAMAGED,
    DUPLICATE,
    NOT_ASIDE,
    NOT_REMOVED,
    UNREADABLE,
    Queues,
    QueuesLockedError,
    QueueStore,
    Report,
)
from harness.systems.session_recovery.contract import Claimed, Finished, LogCode
from harness.systems.session_recovery.reference.lines import Ledger
from harness.systems.session_recovery.reference.trace import Trace

CLAIMED_BY: Final = "claimed_by"
COMPLETED_BY: Final = "completed_by"
"""The fields that a task has from here on: the workers' names. What has the second is owed to the ledger."""

CODES: Final = {
    UNREADABLE: LogCode.QUEUE_UNREADABLE,
    DAMAGED: LogCode.QUEUE_INVALID,
    NOT_ASIDE: LogCode.QUEUE_INVALID,
    NOT_REMOVED: LogCode.QUEUE_WRITE_FAILED,
    DUPLICATE: "duplicate_removed",
}

Task = Mapping[str, Any]
Found = TypeVar("Found")


class SessionQueues(Queues):
    """Queues in which a task is moved when both files say so, and not when the old one cannot be written."""

    def _write_destination_first(self, entry: Entry, source: str, destination: str) -> None:
        before = self._document(destination)
        self._write(destination, before.with_task(entry))
        try:
            self._write(source, self._without(source, str(entry.id())))
        except OSError as error:
            self._undo(entry, source, destination, before, error)

    def _undo(self, entry: Entry, source: str, destination: str, before: Document, error: OSError) -> None:
        """Takes the task out of its new queue again; where that cannot be done either, it is moved after all."""
        try:
            self._write(destination, before)
        except OSError:
            self._take_out(source, str(entry.id()))
            return
        raise error


class SessionStore(QueueStore):
    """The queues on disk as a session uses them."""

    queues_class = SessionQueues


class Tasks:
    """The tasks of the project at ``home``. No method raises."""

    store_class = SessionStore

    def __init__(self, home: str, files: Files, ledger: Ledger) -> None:
        self.store = self.store_class(files, home)
        self.ledger = ledger

    # -- what a session does

    def claim(self, worker: str, trace: Trace) -> tuple[Claimed, Task | None]:
        """Moves one task from pending to in-progress, for that worker (LK-GEN-02)."""
        return self.edit(lambda queues: self.claimed(queues, worker, trace), trace) or (Claimed.FAILED, None)

    def complete(self, worker: str, wanted: str, trace: Trace) -> tuple[Finished, bool]:
        """Moves a task out of in-progress and records it (LK-GEN-05); was it, and is it recorded?"""
        return self.edit(lambda queues: self.finished(queues, worker, wanted, trace), trace) or (Finished.FAILED, False)

    def in_progress(self, trace: Trace) -> tuple[str, ...]:
        """The ids of the tasks that are in progress."""
        return self.look(lambda queues: self.ids(queues, trace), trace)

    def find(self, wanted: str, trace: Trace) -> Task | None:
        """The task of that id, wherever it is."""
        return self.look(lambda queues: self.found(queues, wanted), trace)

    def catch_up(self, trace: Trace) -> None:
        """Records what was finished by somebody who did not live to record it."""
        self.look(lambda queues: self.record(queues, trace), trace)

    # -- parts, under the lock

    def claimed(self, queues: Queues, worker: str, trace: Trace) -> tuple[Claimed, Task | None]:
        """See claim; OSError when nothing could be moved."""
        for queue in (PENDING, IN_PROGRESS, COMPLETED):  # what cannot be seen may have a task already
            queues.read(queue)
        for task in self.candidates(queues):
            try:
                return Claimed.CLAIMED, queues.move(task, PENDING, IN_PROGRESS, self.change(CLAIMED_BY, worker))
            except InvalidTaskError as error:
                trace.error(LogCode.QUEUE_INVALID, "a task cannot be written, and stays where it is", error)
        return Claimed.NONE, None

    def candidates(self, queues: Queues) -> Iterable[str]:
        """The tasks that may be claimed: not one that was in progress or finished when the queues were opened."""
        taken = self.copies(queues, IN_PROGRESS) | self.copies(queues, COMPLETED)
        return [found for found in queues.read(PENDING).ids() if found not in taken]

    def copies(self, queues: Queues, queue: str) -> set[str]:
        """The tasks of which a copy was taken out of that queue just now, because another queue has them too."""
        return {report.detail for report in queues.reports if report[:2] == (DUPLICATE, queue)}

    def change(self, field: str, worker: str) -> Callable[[dict[str, Any]], Task]:
        """What a move makes of a task: it says who moved it."""
        return lambda task: {**task, field: worker}

    def finished(self, queues: Queues, worker: str, wanted: str, trace: Trace) -> tuple[Finished, bool]:
        """See complete; OSError when it could not be moved."""
        source = self.source(queues, wanted)
        if source is None:
            trace.warning(LogCode.TASK_UNKNOWN, f"{wanted[:80]!r} is not in progress")
            return Finished.UNKNOWN, False
        queues.move(wanted, source, COMPLETED, self.change(COMPLETED_BY, worker))
        return Finished.COMPLETED, self.record(queues, trace)

    def source(self, queues: Queues, wanted: str) -> str | None:
        """Where the task is that was in progress when the queues were opened; None when it was not."""
        if queues.read(IN_PROGRESS).find(wanted) is not None:
            return IN_PROGRESS
        return queues.place(wanted) if wanted in self.copies(queues, IN_PROGRESS) else None

    def record(self, queues: Queues, trace: Trace) -> bool:
        """Records every task that was finished here, as far as the ledger lacks it."""
        if COMPLETED in queues.unreadable:
            return False
        finished = {str(task_id(task)): task[COMPLETED_BY] for task in queues.tasks(COMPLETED) if self.is_ours(task)}
        return not finished or self.ledger.record(finished, trace)

    def is_ours(self, task: Task) -> bool:
        """Was the task finished by a session, and not by somebody who keeps no ledger?"""
        return isinstance(task.get(COMPLETED_BY), str) and task_id(task) is not None

    def ids(self, queues: Queues, trace: Trace) -> tuple[str, ...]:
        """The ids of what is in progress; what cannot be read is told of."""
        if IN_PROGRESS in queues.unreadable:
            trace.unread = True
            return ()
        return queues.read(IN_PROGRESS).ids()

    def found(self, queues: Queues, wanted: str) -> Task | None:
        """The task as the queue has it that it is in."""
        place = queues.place(wanted)
        return None if place is None else queues.read(place).find(wanted)

    # -- the lock

    def edit(self, action: Callable[[Queues], Found], trace: Trace) -> Found | None:
        """Changes queues under their lock; None when that failed."""
        reports: list[Report] = []
        try:
            with self.store.held() as queues:
                reports = queues.reports
                return action(queues)
        except QueuesLockedError as error:
            trace.error(LogCode.LOCK_FAILED, "the queues cannot be locked", error)
        except OSError as error:
            trace.error(LogCode.QUEUE_WRITE_FAILED, "the queues cannot be changed", error)
        finally:
            self.tell(reports, trace)
            self.settle(reports)
        return None

    def settle(self, reports: Iterable[Report]) -> None:
        """Takes out at once what a move could not take out of the old queue; the next opening would."""
        if any(report.kind == NOT_REMOVED for report in reports):
            with contextlib.suppress(OSError), self.store.held():
                return

    def look(self, action: Callable[[Queues], Found], trace: Trace) -> Found:
        """Reads queues under their lock, or without it where it cannot be had."""
        try:
            with self.store.held() as queues:
                self.tell(queues.reports, trace)
                return action(queues)
        except QueuesLockedError as error:
            trace.error(LogCode.LOCK_FAILED, "the queues cannot be locked", error)
        queues = self.store.seen()
        self.tell(queues.reports, trace)
        return action(queues)

    def tell(self, reports: Iterable[Report], trace: Trace) -> None:
        """What was found, or could not be done, without that the operation failed."""
        for report in reports:
            trace.warning(CODES[report.kind], f"{report.queue}: {report.detail}")
