"""A small file that several processes change, read and replaced whole; and the one lock under which they do."""

import contextlib
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from harness.ports.files import Files
from harness.systems.signals.contract import LogCode
from harness.systems.trace import Trace

LIMIT_BYTES: Final = 1 << 28  # what is longer was not written by this, and is not read into memory
LOCK_S: Final = 0.5  # a change holds the lock for milliseconds; who holds it longer hangs
PATIENCE_SHARE: Final = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S: Final = 0.001  # below this nobody waits any more
ASIDE_NUMBERS: Final = range(1, 100)  # as many different contents are kept beside one file


class KeptFile:
    """One file. Every method may raise OSError."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files

    def read(self) -> bytes | None:
        """All of it; None when there is none."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(data) > LIMIT_BYTES:
            raise OSError(errno.EFBIG, f"{self.path} has more than {LIMIT_BYTES} bytes")
        return data

    def put(self, data: bytes) -> None:
        """Replaces the file: whole, and there after a loss of power."""
        self.files.replace(self.path, data)

    def remove(self) -> None:
        """Removes the file, if there is one."""
        self.files.remove(self.path)

    def set_aside(self, data: bytes) -> str:
        """Moves the file, of which this is the content, to a name that is no signal's, and gives that."""
        kept = self.keep(data)
        self.remove()
        return kept

    def keep(self, data: bytes) -> str:
        """Keeps this content under another name, once, however often it is found again."""
        directory, _, name = self.path.rpartition("/")
        for number in ASIDE_NUMBERS:
            path = f"{directory}/.{name}.aside-{number}"
            if self.files.create(path, data, 0.0) or self._is(path, data):
                return path
        raise OSError(errno.EEXIST, f"{self.path}: too much is kept aside")

    def _is(self, path: str, data: bytes) -> bool:
        try:
            return self.files.read(path, len(data) + 1) == data
        except OSError:
            return False


class SignalsLock:
    """The one lock for all that the signals change; the queues have their own, which is taken after this one."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files
        self.patience_s = LOCK_S

    @contextmanager
    def held(self, trace: Trace) -> Iterator[bool]:
        """Holds it; gives False, and tells, when it cannot be had."""
        with contextlib.ExitStack() as stack:
            yield self.taken(stack, trace)

    def taken(self, stack: contextlib.ExitStack, trace: Trace) -> bool:
        """Takes it until ``stack`` ends."""
        try:
            self.take(stack)
        except OSError as error:
            trace.error(LogCode.LOCK_FAILED, "the signals cannot be locked", error)
            return False
        return True

    def take(self, stack: contextlib.ExitStack) -> None:
        """As ``taken``; TimeoutError when somebody keeps it, and then the next wait is shorter; or OSError."""
        try:
            stack.enter_context(self.files.lock(self.path, 0))
        except TimeoutError:
            if self.patience_s < LEAST_PATIENCE_S:  # each wait in vain leaves a thread behind until the lock is free
                raise
            patience_s, self.patience_s = self.patience_s, self.patience_s / PATIENCE_SHARE
            stack.enter_context(self.files.lock(self.path, patience_s))
        self.patience_s = LOCK_S
