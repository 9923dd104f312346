"""The state file: read whole, written whole, one writer at a time, and moved aside when it is no state file.

Killed at any call, a writer leaves the file before or after its change: it is replaced in one step, the lock is the
kernel's, and what a writer left beside it is nobody's.
"""

import contextlib
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from harness.ports.files import Files
from harness.systems.circuit_breaker.reference.records import (
    InvalidFileError,
    Records,
    Sources,
    Stored,
    decoded,
    encoded,
    source_of,
)

NOTHING = b"{}"
LIMIT_BYTES = 64 * 1024 * 1024  # thousands of breakers with names of 10,000 characters
LOCK_S = 0.5  # a change holds the lock for a few milliseconds; who holds it longer hangs
PATIENCE_SHARE = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S = 0.001  # below this nobody waits any more
ASIDE_NUMBERS = range(1, 17)  # as many bad files are kept


class Found(NamedTuple):
    """The file as it was read: its records, and how each is written; none where there is no file."""

    records: Records
    sources: Sources


class StateFile:
    """One state file. Every method may raise OSError."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files
        self.patience_s = LOCK_S
        self._data: bytes | None = None
        self._found = Found({}, {})

    def lock(self, held: contextlib.ExitStack) -> None:
        """Takes the lock until ``held`` ends; TimeoutError when somebody keeps it: then the next wait is shorter."""
        try:
            held.enter_context(self.files.lock(self.lock_path(), 0))
        except TimeoutError:
            if self.patience_s < LEAST_PATIENCE_S:  # each wait in vain leaves a thread behind until the lock is free
                raise
            patience_s, self.patience_s = self.patience_s, self.patience_s / PATIENCE_SHARE
            held.enter_context(self.files.lock(self.lock_path(), patience_s))
        self.patience_s = LOCK_S

    def lock_path(self) -> str:
        """The lock is beside the file, which is replaced again and again."""
        return f"{self.path}.lock"

    def read(self) -> Found:
        """The file as it is; InvalidFileError when it is no state file."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES + 1)
        except FileNotFoundError:
            data = NOTHING
        if data != self._data:
            if len(data) > LIMIT_BYTES:
                raise InvalidFileError(f"it has more than {LIMIT_BYTES} bytes")
            self._found = Found(*self.decoded(data))
            self._data = data
        return self._found

    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        """The records of a whole file; InvalidFileError when it is none (LK-CB-26)."""
        return decoded(data)

    def write(self, found: Found, changes: Mapping[str, Stored]) -> Found:
        """Puts the file as it was found, with these records, in its place: whole, and there after a loss of power."""
        records, sources = dict(found.records), dict(found.sources)
        for name, record in changes.items():
            records[name] = record
            sources[name] = self.source_of(record, sources.get(name))
        data = encoded(sources)
        self._data = None
        self.put(data)
        self._found, self._data = Found(records, sources), data
        return self._found

    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        """How the record is written."""
        return source_of(record, before)

    def put(self, data: bytes) -> None:
        """Replaces the file."""
        self.files.replace(self.path, data)

    def set_aside(self, now_s: float) -> str:
        """Keeps the bad file under another name and gives that; the file itself is replaced by the next write.

        OSError when it cannot be kept, and then it must stay where it is. The first bad file that is kept also tells
        every later process that breakers may have been OPEN of which no record is left (``is_suspect``).
        """
        data = self.files.read(self.path, LIMIT_BYTES + 1)
        for number in ASIDE_NUMBERS:
            if self.files.create(self.aside_path(number), data, now_s):
                return self.aside_path(number)
        return self.aside_path(ASIDE_NUMBERS[0])  # evidence enough is kept

    def aside_path(self, number: int) -> str:
        """Where a bad file is kept."""
        return f"{self.path}.corrupt-{number}"

    def is_suspect(self) -> bool:
        """Was there a bad file once? Then what has no record now may have had one."""
        return self.files.look(self.aside_path(ASIDE_NUMBERS[0])) is not None
