"""The metadata file: how far each task is, and where it goes on (ER-PRG-02, ER-RES-01, ER-DEL-03).

The file tells of the task that was worked on last; what it said of others is kept in its field ``others``. What could
not be written stays in memory and goes into the file with the next operation that can.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from harness.ports.files import Files
from harness.systems.error_log.contract import LogCode, Metadata, Progress
from harness.systems.error_log.reference.kept_file import KeptFile
from harness.systems.error_log.reference.texts import as_text, plain
from harness.systems.trace import Trace

IN_PROGRESS = "in_progress"
PARTIAL = "partial"
NO_STAGE = ""  # of results that belong to no phase

Entry = dict[str, Any]


class Book(NamedTuple):
    """What the file tells: an entry a task, the last one worked on, and of which task nobody said what it is."""

    entries: dict[int | None, Entry]
    last: int | None = None

    def entry(self, task: int) -> Entry:
        """The entry of a task; one of an unnamed task is anybody's who has none."""
        return self.entries.get(task) or self.entries.get(None) or {}

    def with_entry(self, task: int, entry: Entry) -> "Book":
        """The book after work on that task."""
        entries: dict[int | None, Entry] = {known: each for known, each in self.entries.items() if known is not None}
        return Book({**entries, task: entry}, task)


def book_of(data: bytes) -> Book:
    """What a metadata file says; ValueError or RecursionError when it is none."""
    fields: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
    others = fields.pop("others", {})
    found = msgspec.convert(fields, Metadata)
    entries: dict[int | None, Entry] = {}
    if isinstance(others, dict):
        for task, entry in others.items():
            if task.isdecimal() and isinstance(entry, dict):
                msgspec.convert({"status": PARTIAL, **entry}, Metadata)
                entries[int(task)] = entry
    fields.pop("task", None)
    entries[found.task] = fields
    return Book(entries, found.task)


def data_of(book: Book) -> bytes:
    """The file that says so."""
    others = {str(task): entry for task, entry in book.entries.items() if task != book.last}
    fields = {"status": IN_PROGRESS, "task": book.last, **book.entries[book.last]}
    return msgspec.json.format(msgspec.json.encode(fields | ({"others": others} if others else {})), indent=2) + b"\n"


class Progressing:
    """What becomes of an entry. Pure."""

    def begun(self, entry: Entry, fields: Mapping[str, Any]) -> Entry:
        """A delegation begins: what is completed, and where it goes on, stays."""
        return {**entry, "status": IN_PROGRESS, **fields}

    def preserved(self, entry: Entry, progress: Progress) -> Entry:
        """What is completed by now, the phase it goes on with, and what that had produced."""
        completed = self.completed(entry, progress)
        stage = self.stage(entry, progress, completed)
        found = {"status": IN_PROGRESS, **entry, "completed": completed}
        details = self.details(entry, progress, completed)
        if stage is None and details is None:
            return {**found, "partial_progress": None}
        return {**found, "partial_progress": {"stage": stage or NO_STAGE, "details": details}}

    def completed(self, entry: Entry, progress: Progress) -> list[str]:
        """All phases that were ever completed, in that order, but for the one that failed now."""
        known = [*entry.get("completed", ()), *map(as_text, progress.completed)]
        failed = None if progress.failed_at is None else as_text(progress.failed_at)
        return [phase for phase in dict.fromkeys(known) if phase != failed]

    def stage(self, entry: Entry, progress: Progress, completed: list[str]) -> str | None:
        """The phase that failed, or where the task was to go on before, or else the first that is not completed."""
        if progress.failed_at is not None:
            return as_text(progress.failed_at)
        before = self.resume_at(entry)
        if before is not None and before not in completed:
            return before
        return next((phase for phase in map(as_text, progress.phases) if phase not in completed), None)

    def details(self, entry: Entry, progress: Progress, completed: list[str]) -> Any:
        """The partial result; an earlier one where there is no new one, unless its phase is completed meanwhile."""
        before = entry.get("partial_progress") or {}
        if progress.partial is not None:
            return plain(progress.partial)
        return None if before.get("stage") in completed else self.result(entry)

    def result(self, entry: Entry) -> Any:
        """The partial result that an entry tells of; an agent may have told of it in words of its own."""
        before = entry.get("partial_progress") or {}
        if "details" in before:
            return before["details"]
        return before if before.keys() - {"stage"} else None

    def left(self, entry: Entry) -> Entry:
        """The work ends here, and is resumed by the next invocation."""
        left = entry.get("partial_progress") or {"stage": NO_STAGE, "details": None}
        return {**entry, "status": PARTIAL, "partial_progress": left}

    def resume_at(self, entry: Entry) -> str | None:
        """Where the next invocation goes on."""
        return (entry.get("partial_progress") or {}).get("stage") or None


class KeptMetadata:
    """One metadata file. No method raises."""

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)
        self.book = Book({})
        self.unsaved: dict[int, Entry] = {}
        self.bad: bytes | None = None

    def entry(self, task: int, trace: Trace) -> Entry:
        """How far that task is, as the file and the memory have it."""
        self.read(trace)
        return self.known(task)

    def known(self, task: int) -> Entry:
        """The same, as it was last read."""
        return self.unsaved.get(task, self.book.entry(task))

    def change(self, task: int, action: Callable[[Entry], Entry], now_s: float, trace: Trace) -> bool:
        """Makes the entry of that task what ``action`` makes of it; False when that is only in memory."""
        with contextlib.ExitStack() as held:
            locked = self.locked(held, trace)
            readable = self.read(trace)
            before = self.known(task)
            after = action(before)
            settled = readable and self.bad is None and not self.unsaved and self.book.last == task
            if settled and after == before:
                return True
            self.unsaved.pop(task, None)
            self.unsaved[task] = after
            return self.save(now_s, trace, writable=locked and readable)

    def catch_up(self, now_s: float, trace: Trace) -> None:
        """Writes what was not written yet."""
        if self.unsaved:
            with contextlib.ExitStack() as held:
                locked = self.locked(held, trace)
                self.save(now_s, trace, writable=self.read(trace) and locked)

    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        """Takes the lock until ``held`` ends; False when it cannot be had."""
        try:
            self.file.lock(held)
        except OSError as error:
            trace.error(LogCode.LOCK_FAILED, "the metadata file cannot be locked", error)
            return False
        return True

    def read(self, trace: Trace) -> bool:
        """Reads the file; False when that failed, and then what was known stays. What is none is known no more."""
        self.bad = None
        try:
            data = self.file.read()
        except OSError as error:
            trace.error(LogCode.METADATA_INVALID, "the metadata file cannot be read", error)
            return False
        try:
            self.book = Book({}) if data is None else self.decoded(data)
        except (ValueError, RecursionError) as error:
            trace.error(LogCode.METADATA_INVALID, f"{self.file.path} is no metadata file", error)
            self.bad = data
        return True

    def decoded(self, data: bytes) -> Book:
        """See book_of."""
        return book_of(data)

    def save(self, now_s: float, trace: Trace, *, writable: bool) -> bool:
        """Writes what the file lacks; False when it stays in memory."""
        if not writable:
            trace.warning(LogCode.METADATA_WRITE_FAILED, "progress is only in memory")
            return False
        book = self.book
        for task, entry in self.unsaved.items():
            book = book.with_entry(task, entry)
        try:
            if self.bad is not None:
                self.file.keep(self.bad, "corrupt", now_s)
            self.file.put(data_of(book))
        except (OSError, ValueError, RecursionError) as error:
            trace.error(LogCode.METADATA_WRITE_FAILED, "progress is only in memory", error)
            return False
        self.book = book
        self.unsaved.clear()
        return True
