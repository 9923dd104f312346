"""Files of JSON lines that are only added to, by any number of processes. Source: 001, Memory Extensions, ContextLog.

A line that a writer died in the middle of is ended first, under a lock beside the file; nothing is ever rewritten, so
lines of others stay as they are. A line that cannot be written is kept and written before the next one: a full disk
loses no diagnosis while the process lives. Nothing is synced: a loss of power may take the latest lines.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from harness.core.log import LogEntry, LogLevel
from harness.ports.files import Files
from harness.systems.diagnosis.contract import LogCode

LOCK_S: Final = 0.25  # a line is written in microseconds; who holds the lock longer hangs
PATIENCE_SHARE: Final = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S: Final = 0.001
MOST_UNWRITTEN: Final = 256
CHUNK: Final = 1 << 20
LONGEST_LINE: Final = 8 * CHUNK  # a longer one is none of ours
MOST_READ: Final = 256 * CHUNK  # of a memory found at the start, its end; at least 500,000 records

_ENCODER = msgspec.json.Encoder()


class Trace:
    """What one operation has to say; the same is said once."""

    def __init__(self, entries: list[LogEntry] | None = None) -> None:
        self.entries: list[LogEntry] = [] if entries is None else entries

    def warning(self, code: LogCode, message: str) -> None:
        """Something that was dealt with."""
        self._say(LogEntry(LogLevel.WARNING, code.value, message[:500]))

    def error(self, code: LogCode, message: str, error: BaseException) -> None:
        """Something that failed."""
        self._say(LogEntry(LogLevel.ERROR, code.value, f"{message}: {type(error).__name__}: {error}"[:500]))

    def _say(self, entry: LogEntry) -> None:
        if entry not in self.entries:
            self.entries.append(entry)

    def log(self) -> tuple[LogEntry, ...]:
        """All that was said."""
        return tuple(self.entries)


class Lines:
    """One file of JSON lines to write to. No method raises OSError."""

    def __init__(self, path: str, files: Files, failed: LogCode) -> None:
        self.path = path
        self.files = files
        self.failed = failed
        self.unwritten: list[bytes] = []
        self.patience_s = LOCK_S
        self._doubtful = False

    def add(self, record: Mapping[str, Any], trace: Trace) -> None:
        """Appends the record as a line, after those that could not be written before."""
        self.unwritten.append(self.line(record))
        if len(self.unwritten) > MOST_UNWRITTEN:
            del self.unwritten[0]
            trace.warning(self.failed, f"{self.path} has lacked {MOST_UNWRITTEN} lines, and the oldest is lost")
        self.write(trace)

    def line(self, record: Mapping[str, Any]) -> bytes:
        """The record as one line."""
        return _ENCODER.encode(record) + b"\n"

    def write(self, trace: Trace) -> None:
        """Writes what was not written yet."""
        if not self.unwritten:
            return
        try:
            with self.locked():
                if self._doubtful:
                    self.forget_written()
                while self.unwritten:
                    self.append(self.unwritten[0])
                    del self.unwritten[0]
        except OSError as error:
            self._doubtful = True  # for all we know the line is there
            trace.error(self.failed, f"{len(self.unwritten)} lines are kept for the next write", error)

    def append(self, data: bytes) -> None:
        """Adds a whole line."""
        self.files.append_lines(self.path, data)

    def forget_written(self) -> None:
        """A write that was refused may have been done: what stands at the file's end is not written again."""
        found = self.files.status(self.path)
        if found is not None and found.kind == "file":
            tail = self.files.read_from(self.path, max(0, found.size - CHUNK), CHUNK)
            there = set(tail.splitlines(keepends=True))
            self.unwritten = [line for line in self.unwritten if line not in there]
        self._doubtful = False

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock; TimeoutError when somebody keeps it. Where there can be no lock, none is held."""
        with contextlib.ExitStack() as held:
            try:
                self.lock(held)
            except TimeoutError:
                raise
            except OSError:
                pass  # an append is one write: without a lock only a line that is torn just now is not seen
            yield

    def lock(self, held: contextlib.ExitStack) -> None:
        """Takes the lock until ``held`` ends; who is kept waiting waits less the next time."""
        path = f"{self.path}.lock"
        try:
            held.enter_context(self.files.lock(path, 0))
        except TimeoutError:
            if self.patience_s < LEAST_PATIENCE_S:
                raise
            patience_s, self.patience_s = self.patience_s, self.patience_s / PATIENCE_SHARE
            held.enter_context(self.files.lock(path, patience_s))
        self.patience_s = LOCK_S


class NewLines:
    """The lines of a file that were not read before, whoever wrote them: its size does not count, only what is new."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files
        self.offset = 0
        self._begun = False
        self._skipping = False

    def read(self) -> tuple[list[bytes], bool]:
        """The new whole lines, and whether the file was begun anew since; OSError when it cannot be read.

        A line that has no end yet is read once it has one. One that is longer than LONGEST_LINE is left out.
        """
        found = self.files.status(self.path)
        size = 0 if found is None else found.size
        anew = size < self.offset
        if anew:
            self.offset, self._skipping = 0, False
        if not self._begun:
            self._begun = True
            self.offset = max(0, size - MOST_READ)
            self._skipping = self.offset > 0
        lines: list[bytes] = []
        if size > self.offset:
            while self._more(lines):
                pass
        return lines, anew

    def _more(self, lines: list[bytes]) -> bool:
        """Reads on; False at the end of what is there."""
        limit = CHUNK
        data = self.files.read_from(self.path, self.offset, limit)
        while b"\n" not in data and len(data) == limit and limit < LONGEST_LINE:
            limit *= 2
            data = self.files.read_from(self.path, self.offset, limit)
        whole, end, _ = data.rpartition(b"\n")
        if not end:
            if len(data) < limit:
                return False
            self.offset, self._skipping = self.offset + len(data), True
            return True
        self.offset += len(whole) + 1
        found = whole.split(b"\n")
        lines += found[1:] if self._skipping else found
        self._skipping = False
        return len(data) == limit
