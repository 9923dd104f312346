"""The records: in errors.json, and until they can be written there, in memory."""

import contextlib
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from harness.ports.files import Files
from harness.systems.error_log.contract import LogCode
from harness.systems.error_log.reference.errors_file import (
    Contents,
    ErrorsFile,
    Head,
    InvalidFileError,
    changed,
    encoded,
    record_of,
    sources_of,
)
from harness.systems.error_log.reference.records import Record
from harness.systems.trace import Trace

Make = Callable[[Collection[str]], Record]


class Found(NamedTuple):
    """The file as it was read; not ``readable`` when that failed, not ``valid`` when it is no log of errors.

    Of either, ``contents`` is what this process last knew.
    """

    contents: Contents
    readable: bool = True
    valid: bool = True


class KeptRecords:
    """The records of one errors.json. Not for use by two threads at once; by any number of processes."""

    file_class = ErrorsFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)
        self.pending: list[Record] = []
        self.changes: dict[str, dict[str, Any]] = {}

    def add(self, make: Make, now_s: float, trace: Trace) -> tuple[Record, bool]:
        """Makes a record, whose id is that of none there is, and writes it; False when it is only in memory."""
        with contextlib.ExitStack() as held:
            locked = self.locked(held, trace)
            found = self.read(trace)
            record = make(self.taken(found))
            self.pending.append(record)
            return record, self.save(found, now_s, trace, locked=locked)

    def change(self, name: str, fields: Mapping[str, Any], now_s: float, trace: Trace) -> tuple[Record | None, bool]:
        """Sets fields of the last record of that name; None when there is none."""
        with contextlib.ExitStack() as held:
            locked = self.locked(held, trace)
            found = self.read(trace)
            id_ = self.id_of(name, found)
            if id_ is None:
                return None, self.save(found, now_s, trace, locked=locked)
            self.changes.setdefault(id_, {}).update(fields)
            for record in self.pending:
                if record["id"] == id_:
                    record.update(fields)
            stored = self.save(found, now_s, trace, locked=locked)
        return next((each for each in self.known() if each["id"] == id_), None), stored

    def all(self, trace: Trace) -> list[Record]:
        """Every record, in the order in which they were logged."""
        self.read(trace)
        return self.known()

    def known(self) -> list[Record]:
        """The records as they were last read, and what was not written yet."""
        records = [record_of(source) for source in sources_of(self.file.known)]
        found = [record for record in records if record is not None]
        for record in found:
            record.update(self.changes.get(record["id"], {}))
        return found + self.pending

    def catch_up(self, now_s: float, trace: Trace) -> None:
        """Writes what was not written yet."""
        if self.pending or self.changes:
            with contextlib.ExitStack() as held:
                locked = self.locked(held, trace)
                self.save(self.read(trace), now_s, trace, locked=locked)

    # -- parts

    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        """Takes the lock until ``held`` ends; False when it cannot be had, and then nothing is written."""
        try:
            self.file.lock(held)
        except OSError as error:
            trace.error(LogCode.LOCK_FAILED, "errors.json cannot be locked", error)
            return False
        return True

    def read(self, trace: Trace) -> Found:
        """The file, or what this process knows of it."""
        try:
            return Found(self.file.load())
        except InvalidFileError as error:
            trace.error(LogCode.ERRORS_INVALID, f"{self.file.path} is no log of errors", error)
            return Found(self.file.known, valid=False)
        except OSError as error:
            trace.error(LogCode.ERRORS_UNREADABLE, "errors.json cannot be read", error)
            return Found(self.file.known, readable=False)

    def taken(self, found: Found) -> Collection[str]:
        """The ids that records have."""
        ids = found.contents.ids
        return ids | {record["id"] for record in self.pending} if self.pending else ids

    def id_of(self, name: str, found: Found) -> str | None:
        """The id of the last record of that name."""
        heads = [Head(each["id"], each["type"], each["name"]) for each in self.pending]
        for head in (*reversed(heads), *reversed(found.contents.heads)):
            if head.name == name and head.is_record():
                return str(head.id)
        return None

    def save(self, found: Found, now_s: float, trace: Trace, *, locked: bool) -> bool:
        """Writes what the file lacks, in place of what was found under the lock; False when it stays in memory.

        What could not be read is not overwritten: it may have records that nobody here knows.
        """
        if not self.pending and not self.changes and found.valid:
            return True
        if not locked or not found.readable:
            trace.warning(LogCode.ERRORS_WRITE_FAILED, f"{len(self.pending)} records are only in memory")
            return False
        try:
            if not found.valid:
                self.file.set_aside(now_s)
            self.write(found.contents)
        except (OSError, ValueError) as error:
            trace.error(LogCode.ERRORS_WRITE_FAILED, f"{len(self.pending)} records are only in memory", error)
            return False
        self.written()
        return True

    def write(self, contents: Contents) -> None:
        """Puts the file, with what it lacks, in its place."""
        if self.changes:
            contents = changed(contents, self.changes)
        records = [(Head(each["id"], each["type"], each["name"]), encoded(each)) for each in self.pending]
        if records:
            self.file.append(contents, records)
        else:
            self.file.rewrite(contents)

    def written(self) -> None:
        """The file lacks nothing any more."""
        self.pending.clear()
        self.changes.clear()
