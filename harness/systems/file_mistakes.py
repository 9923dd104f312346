"""Mistakes of who keeps files, which several systems' mutants make: they show when a call fails, dies or is overtaken.

What they write by themselves they write to the machine's own files only. Where those refuse it, and in files of any
other kind, it is done ``safely``, as the reference does it: so nothing shows under any other fault.
"""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator

from harness.core.log import LogEntry
from harness.ports.files import Files, RealFiles
from harness.systems.queue_document import Entry
from harness.systems.queue_store import Queues

PATIENCE_S = 0.3
"""How long a mutant waits for a lock that somebody else has."""
_TICK_S = 0.002


def write_in_place(files: Files, path: str, data: bytes, safely: Callable[[bytes], None]) -> None:
    """Cuts the file, then writes it anew."""

    def write() -> None:
        with open(path, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())

    _write(files, path, write, lambda: safely(data))


def rename_unsynced(files: Files, path: str, data: bytes, safely: Callable[[bytes], None]) -> None:
    """Writes a new file and puts it in the old one's place without asking for its bytes to be on disk."""

    def write() -> None:
        with open(f"{path}.new", "wb") as opened:
            opened.write(data)
        os.replace(f"{path}.new", path)

    _write(files, path, write, lambda: safely(data))


def _write(files: Files, path: str, write: Callable[[], None], safely: Callable[[], None]) -> None:
    if isinstance(files, RealFiles):
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write()
            return
    safely()


@contextlib.contextmanager
def raising(lock: contextlib.AbstractContextManager[None]) -> Iterator[None]:
    """Holds the lock; one that cannot be had ends the operation with a RuntimeError, which nobody answers for."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(lock)
        except OSError as error:
            raise RuntimeError("the state is locked") from error
        yield


def write_source_first(self: Queues, entry: Entry, source: str, destination: str) -> None:
    """Takes a task out of its queue before it is in the next one, and puts it back when that fails with an OSError.

    It stands in for the method of queues that writes the destination first.
    """
    before = self._document(source)
    self._write(source, self._without(source, str(entry.id())))
    try:
        self._write(destination, self._document(destination).with_task(entry))
    except OSError:
        self._write(source, before)
        raise


def hold_by_file(files: Files, path: str, held: contextlib.ExitStack) -> None:
    """Makes a file whose presence is the lock, to be removed with ``held``, if anybody is left to remove it.

    TimeoutError when it stays there for ``PATIENCE_S``.
    """
    if not isinstance(files, RealFiles):
        return
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.monotonic() > until:
                raise TimeoutError(path) from None
            time.sleep(_TICK_S)
    held.callback(os.unlink, path)


@contextlib.contextmanager
def escaping_io_errors() -> Iterator[None]:
    """Of the errors that storage can meet an I/O error was forgotten: it ends the operation with a RuntimeError."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EIO:
            raise RuntimeError("the disk is broken") from error
        raise


def tells_io_error(entries: Iterable[LogEntry]) -> bool:
    """Does one of these log entries tell of an I/O error?"""
    return any(f"[Errno {errno.EIO}]" in entry.message for entry in entries)
