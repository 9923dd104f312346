"""The queues on disk, for every reference that moves tasks between them.

Everything is done under one lock, ``.loki/queue/.lock``. A task is written to its new queue before it is taken out of
its old one, so that it is never in none; a copy that a crash left behind is taken out at the next opening.
"""

import contextlib
import copy
import errno
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, NamedTuple

from harness.ports.files import Files
from harness.systems import queue_files
from harness.systems.queue_document import (
    EMPTY,
    Document,
    Entry,
    InvalidTaskError,
    queue_document_of,
    stamped,
    task_entry,
)
from harness.systems.queue_files import QUEUES, QueueFile, path_of

__all__ = ["InvalidTaskError", "NoSuchTaskError", "QueueStore", "Queues", "QueuesLockedError", "Report"]

LOCK_PATH: Final = f"{queue_files.QUEUE_DIRECTORY}/.lock"
LIMIT_BYTES: Final = 1 << 28  # what is longer was not written by this, and is not read into memory
LOCK_S: Final = 0.5  # a change holds the lock for milliseconds; who holds it longer hangs
PATIENCE_SHARE: Final = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S: Final = 0.001  # below this nobody waits any more
ASIDE_NUMBERS: Final = range(1, 100)  # as many damaged files are kept beside one queue

UNREADABLE, DAMAGED, NOT_ASIDE, DUPLICATE, NOT_REMOVED, METADATA = (
    "unreadable", "damaged", "not_set_aside", "duplicate", "not_removed", "metadata_replaced",
)  # fmt: skip

Task = Mapping[str, Any]
Change = Callable[[dict[str, Any]], Task]


class QueuesLockedError(OSError):
    """The lock cannot be had, so nothing is read or written; or it is no longer held."""


class NoSuchTaskError(LookupError):
    """No task of that id is in that queue."""


class Report(NamedTuple):
    """What was found or could not be done, without that the operation failed.

    ``kind`` is ``unreadable`` (the queue cannot be read, and is not written), ``damaged`` (its file was set aside, to
    the path in ``detail``), ``not_set_aside`` (that failed: it is read as empty, and not written), ``duplicate`` (a
    copy of a task was taken out of it), ``not_removed`` (that is only so in memory, the file still has it) or
    ``metadata_replaced`` (its ``metadata`` was no object). ``task_id`` is the task it is about, if it is about one.
    """

    kind: str
    queue: str
    detail: str
    task_id: str | None = None


class Queues:
    """The queues while the lock is held. Nothing is written once it is given back: QueuesLockedError.

    Each move makes the task's own count ``moves`` one higher, in the copy that is written first, in the destination.
    Of two copies of a task the one with more moves is therefore the later one, whichever way it went (from pending to
    the dead letters, back, to pending again), and was made from the other: to take the other out loses nothing that
    this store wrote. With equal counts (somebody else moved the task) the later queue in the order of QUEUES wins, then
    the first copy in the file, which is what readers find; what a task went through is in the later queue, and the task
    itself is in either, so that it is at most reviewed once more, and never lost.

    Every method may raise OSError, and then the files say what they said before.
    """

    def __init__(self, files: Files, home: str, *, can_write: bool) -> None:
        self.files = files
        self.home = home
        self.can_write = can_write
        self.reports: list[Report] = []
        self.unreadable: dict[str, OSError] = {}
        self._documents: dict[str, Document] = {}
        self._refused: dict[str, OSError] = {}  # damaged files that could not be set aside
        self._left: dict[str, frozenset[str]] = {}  # the ids whose copies a file still has, and memory does not
        for queue in QUEUES:
            self._load(queue)
        self._remove_duplicates()

    def read(self, queue: str) -> QueueFile:
        """What is in a queue: nothing when it has no file, or had a damaged one."""
        return self._document(queue).queue

    def tasks(self, queue: str) -> tuple[Task, ...]:
        """The tasks of a queue, in their order."""
        return self.read(queue).tasks

    def place(self, task_id: str) -> str | None:
        """The queue that has the task; None when no queue has it that can be read (see ``unreadable``)."""
        found = (queue for queue, document in self._documents.items() if document.find(task_id) is not None)
        return next(found, None)

    def find(self, task_id: str) -> Task | None:
        """The task, in whatever queue it is; None when it is in none that can be read."""
        place = self.place(task_id)
        entry = None if place is None else self._document(place).find(task_id)
        return None if entry is None else entry.value

    def put(self, queue: str, task: Task) -> Task:
        """Adds the task to the queue, or replaces that of its id; in whatever other queue it is, it is moved from.

        InvalidTaskError when it is none. A new task is refused (OSError) while a queue cannot be read: it may be there.
        """
        id_ = str(task_entry(task).id())
        place = self.place(id_)
        if place is not None:
            return self.move(id_, place, queue, lambda _: task)
        for error in self.unreadable.values():
            raise error
        entry = task_entry(task)
        self._write(queue, self._document(queue).with_task(entry))
        return self._told(entry)

    def move(self, task_id: str, source: str, destination: str, change: Change = lambda task: task) -> Task:
        """Moves a task, as ``change`` makes it of a copy of it, to the end of the destination; gives it as written.

        It keeps its id whatever ``change`` does; with one queue as both it is changed in its place. NoSuchTaskError
        when the source has none of that id, InvalidTaskError when it is none afterwards. Once it is in the destination
        it is moved: if the source then cannot be written that is reported, and the next opening makes good for it.
        """
        found = self._required(source, task_id)
        moves = found.moves() + (source != destination)
        changed = {**change(copy.deepcopy(found.value)), "task_id": task_id}
        entry = task_entry(self._stamped(changed, moves), found)
        if source == destination:
            self._write(source, self._document(source).with_task(entry))
        else:
            self._write_destination_first(entry, source, destination)
        return self._told(entry)

    def drop(self, queue: str, task_id: str) -> None:
        """Takes the task out; NoSuchTaskError when the queue has none of that id."""
        self._required(queue, task_id)
        for other, ids in tuple(self._left.items()):
            if task_id in ids and other != queue:  # first, or that copy would come back
                self._write(other, self._documents[other])
        self._write(queue, self._without(queue, task_id))

    def set_metadata(self, queue: str, **fields: Any) -> None:
        """Sets fields of the object ``metadata`` beside the tasks; a file that is a bare array becomes an object."""
        document = self._document(queue)
        before = (document.queue.metadata or {}).get("metadata", {})
        changed = document.with_metadata(fields)
        if queue_files.read(replace(changed, entries=()).data()) is None:  # the tasks were read before
            raise InvalidTaskError("metadata nested too deep")
        self._write(queue, changed)
        if not isinstance(before, dict):
            self._report(METADATA, queue, document.written("metadata"))

    # -- parts

    def _write_destination_first(self, entry: Entry, source: str, destination: str) -> None:
        self._write(destination, self._document(destination).with_task(entry))
        self._take_out(source, str(entry.id()))

    def _take_out(self, queue: str, task_id: str) -> None:
        self._forget(queue, self._without(queue, task_id), {task_id})

    def _without(self, queue: str, task_id: str) -> Document:
        document = self._document(queue)
        return document.less([entry for entry in document.entries if entry.id() == task_id])

    def _forget(self, queue: str, document: Document, ids: Iterable[str]) -> None:
        """Writes the file without these copies; when that fails, they are only gone here."""
        try:
            self._write(queue, document)
        except OSError as error:
            for task_id in ids:
                self._report(NOT_REMOVED, queue, str(error), task_id)
            self._documents[queue] = document
            self._left[queue] = self._left.get(queue, frozenset()) | frozenset(ids)

    def _stamped(self, task: Task, moves: int) -> Task:
        return stamped(task, moves)

    def _required(self, queue: str, task_id: str) -> Entry:
        found = self._document(queue).find(task_id)
        if found is None:
            raise NoSuchTaskError(f"{queue} has no task {task_id!r}")
        return found

    def _document(self, queue: str) -> Document:
        if queue in self.unreadable:
            raise self.unreadable[queue]
        return self._documents[queue]

    def _told(self, entry: Entry) -> Task:
        found: Task = copy.deepcopy(entry.value)  # what a caller does with it is not in the file
        return found

    def _report(self, kind: str, queue: str, detail: str, task_id: str | None = None) -> None:
        self.reports.append(Report(kind, queue, detail, task_id))

    # -- the files

    def _path(self, queue: str) -> str:
        return f"{self.home}/{path_of(queue)}"

    def _load(self, queue: str) -> None:
        try:
            data = self._data(queue)
        except OSError as error:
            self.unreadable[queue] = error
            self._report(UNREADABLE, queue, str(error))
            return
        self._documents[queue] = EMPTY
        if data is not None:
            document = queue_document_of(queue, data)
            if document is None:
                self._set_aside(queue, data)
            else:
                self._documents[queue] = document

    def _data(self, queue: str) -> bytes | None:
        try:
            data = self.files.read(self._path(queue), LIMIT_BYTES + 1)
        except FileNotFoundError:
            return None
        return self._limited(queue, data)

    def _limited(self, queue: str, data: bytes) -> bytes:
        if len(data) > LIMIT_BYTES:
            raise OSError(errno.EFBIG, f"{path_of(queue)} has more than {LIMIT_BYTES} bytes")
        return data

    def _set_aside(self, queue: str, data: bytes) -> None:
        try:
            self._require_lock()
            kept = self._keep(self._path(queue), data)
            self.files.remove(self._path(queue))
        except OSError as error:
            self._refused[queue] = error
            self._report(NOT_ASIDE, queue, str(error))
        else:
            self._report(DAMAGED, queue, kept)

    def _keep(self, path: str, data: bytes) -> str:
        """Keeps a damaged file under another name, and gives that: once, however often the file cannot be removed."""
        found = self.files.status(path)
        for number in ASIDE_NUMBERS:
            kept = f"{path}.corrupt-{number}"
            if self.files.create(kept, data, found.mtime_s if found else 0.0) or self._is(kept, data):
                return kept
        raise OSError(errno.EEXIST, f"{path}: too many damaged files are kept")

    def _is(self, path: str, data: bytes) -> bool:
        try:
            return self.files.read(path, len(data) + 1) == data
        except OSError:
            return False

    def _write(self, queue: str, document: Document) -> None:
        self._require_lock()
        if queue in self._refused:
            raise self._refused[queue]
        self._replace(self._path(queue), self._limited(queue, document.data()))
        self._documents[queue] = document
        self._left.pop(queue, None)

    def _replace(self, path: str, data: bytes) -> None:
        self.files.replace(path, data)

    def _require_lock(self) -> None:
        if not self.can_write:
            raise QueuesLockedError(errno.EROFS, f"{LOCK_PATH} is not held")

    # -- copies

    def _remove_duplicates(self) -> None:
        ids = [id_ for document in self._documents.values() for id_ in document.ids]
        if len(ids) == len(set(ids)):
            return
        out: dict[str, list[Entry]] = {}
        for copies in self._copies().values():
            winner = self._furthest(copies)
            for queue, entry in copies:
                if entry is not winner:
                    out.setdefault(queue, []).append(entry)
                    self._report(DUPLICATE, queue, str(entry.id()), entry.id())
        for queue, entries in out.items():
            named = dict.fromkeys(str(entry.id()) for entry in entries)
            self._forget(queue, self._documents[queue].less(entries), named)

    def _copies(self) -> dict[str, list[tuple[str, Entry]]]:
        """The copies of each task, in the order of QUEUES and of the files."""
        found: dict[str, list[tuple[str, Entry]]] = {}
        for queue, document in self._documents.items():
            for entry in document.entries:
                id_ = entry.id()
                if id_ is not None:
                    found.setdefault(id_, []).append((queue, entry))
        return found

    def _furthest(self, copies: list[tuple[str, Entry]]) -> Entry:
        """The copy that is further along; see the class."""
        return max(copies, key=lambda each: (each[1].moves(), QUEUES.index(each[0])))[1]


class QueueStore:
    """The queues of the project at ``home``. Not for use by two threads at once; by any number of processes."""

    queues_class = Queues

    def __init__(self, files: Files, home: str) -> None:
        self.files = files
        self.home = home
        self.patience_s = LOCK_S

    @contextmanager
    def held(self) -> Iterator[Queues]:
        """The queues, under their lock; QueuesLockedError when that cannot be had, and then nothing was touched."""
        with contextlib.ExitStack() as stack:
            try:
                self._lock(stack)
            except OSError as error:
                raise QueuesLockedError(error.errno or errno.ETIMEDOUT, f"{LOCK_PATH}: {error}") from error
            queues = self.queues_class(self.files, self.home, can_write=True)
            try:
                yield queues
            finally:
                queues.can_write = False

    def seen(self) -> Queues:
        """The queues as they are, without the lock, to be read only: where that cannot be had, as on a full disk.

        A task that is moved at this moment may be missing; a copy to be taken out, or a damaged file, stays.
        """
        return self.queues_class(self.files, self.home, can_write=False)

    def _lock(self, stack: contextlib.ExitStack) -> None:
        """Takes the lock until ``stack`` ends; TimeoutError when somebody keeps it: then the next wait is shorter."""
        path = f"{self.home}/{LOCK_PATH}"
        try:
            self._ask(stack, path, self.patience_s)
        except TimeoutError:
            self.patience_s /= PATIENCE_SHARE
            raise
        self.patience_s = LOCK_S

    def _ask(self, stack: contextlib.ExitStack, path: str, patience_s: float) -> None:
        """Waits for the lock, and asks once more where that was in vain.

        Not the other way round: every call for a lock multiplies the orders of a race.
        """
        if patience_s >= LEAST_PATIENCE_S:  # each wait in vain leaves a thread behind until the lock is free
            with contextlib.suppress(TimeoutError, BlockingIOError):  # no thread to wait in, or it was not let run
                stack.enter_context(self.files.lock(path, patience_s))
                return
        stack.enter_context(self.files.lock(path, 0))
