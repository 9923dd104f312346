"""Files as a port. Nothing here blocks on what is no regular file, and a write is seen whole or not at all.

Imports are few because a hook pays for them on every call: flock costs 1 us and no import, where the filelock
package costs 77 us a lock and 26 ms at the start (measured), and would truncate what a link at the lock's path names.
"""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple, Protocol

LOCK_POLL_S = 0.002  # how often a lock somebody else holds is tried again; flock has no time-out of its own


class NotRegularError(OSError):
    """Something else than a regular file stands at the path: a directory, a FIFO, a socket, a device."""


class Status(NamedTuple):
    """What stands at a path: its kind, size in bytes and modification time in seconds since the epoch."""

    kind: Literal["file", "directory", "other"]
    size: int
    mtime_s: float


class Files(Protocol):
    """What a file-backed system needs. Paths are absolute texts. Every method may raise OSError."""

    def status(self, path: str) -> Status | None:
        """What stands at ``path``, links followed; None when nothing does."""
        ...

    def read(self, path: str, limit_bytes: int) -> bytes:
        """The first ``limit_bytes`` of a regular file; NotRegularError for anything else, without ever waiting."""
        ...

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """Makes a file that must not exist yet, in one step; False when it, or any link, is there. Parents are made."""
        ...

    def replace(self, path: str, data: bytes) -> None:
        """Puts ``data`` in place of what stands at ``path``, a link too, seen whole or not at all. Parents are made."""
        ...

    def append(self, path: str, data: bytes) -> None:
        """Adds to the end of a regular file (no link), made when missing, in one write. Parents are made."""
        ...

    def remove(self, path: str) -> None:
        """Removes a file; nothing happens when there is none."""
        ...

    def set_time(self, path: str, mtime_s: float) -> None:
        """Sets the modification time, in seconds since the epoch."""
        ...

    def resolve(self, path: str) -> str:
        """The path with every link followed and no ``..``; parts that do not exist stay as they are."""
        ...

    def lock(self, path: str, timeout_s: float) -> contextlib.AbstractContextManager[None]:
        """Holds the lock that ``path`` (no link) stands for; TimeoutError after ``timeout_s``. Parents are made."""
        ...


class RealFiles:
    """The machine's file system."""

    def status(self, path: str) -> Status | None:
        """See Files.status."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Status(_kind(found.st_mode), found.st_size, found.st_mtime)

    def read(self, path: str, limit_bytes: int) -> bytes:
        """See Files.read."""
        # O_NONBLOCK: opening a FIFO without a writer would wait before any time limit is armed
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:  # no file object: open() refuses a directory's descriptor, and leaves it open
            _require_regular(descriptor, path)
            expected = os.fstat(descriptor).st_size + 1  # one more, so that the end of the file is seen
            parts: list[bytes] = []
            left = limit_bytes
            # a raw read takes memory for all it is asked for, so it is asked for little more than there is
            while left > 0 and (part := os.read(descriptor, min(left, max(expected, 65536)))):
                parts.append(part)
                left -= len(part)
        finally:
            os.close(descriptor)
        return b"".join(parts)

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """See Files.create."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            return False
        try:
            with open(descriptor, "wb", buffering=0) as file:
                _write_all(file.fileno(), data)
                os.utime(descriptor, (mtime_s, mtime_s))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)  # a file that is only begun would keep everybody from making a whole one
            raise
        return True

    def replace(self, path: str, data: bytes) -> None:
        """See Files.replace."""
        directory = os.path.dirname(path)
        os.makedirs(directory, exist_ok=True)
        # 64 random bits: two writers never meet, and O_EXCL refuses what somebody put there beforehand
        temporary = os.path.join(directory, f".tmp-{os.urandom(8).hex()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o644)
        try:
            with open(descriptor, "wb", buffering=0) as file:
                _write_all(file.fileno(), data)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def append(self, path: str, data: bytes) -> None:
        """See Files.append."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o644)
        with open(descriptor, "wb", buffering=0) as file:
            _require_regular(descriptor, path)
            _write_all(file.fileno(), data)

    def remove(self, path: str) -> None:
        """See Files.remove."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(path)

    def set_time(self, path: str, mtime_s: float) -> None:
        """See Files.set_time."""
        os.utime(path, (mtime_s, mtime_s))

    def resolve(self, path: str) -> str:
        """See Files.resolve."""
        return os.path.realpath(path)

    @contextmanager
    def lock(self, path: str, timeout_s: float) -> Iterator[None]:
        """See Files.lock."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o644)
        try:
            _take(descriptor, path, timeout_s)
            yield
        finally:
            os.close(descriptor)  # gives the lock back too


class FakeFiles:
    """A file system in memory with the same manners; ``fail`` makes every change raise until it is taken away."""

    def __init__(self) -> None:
        self.contents: dict[str, tuple[bytes, float]] = {}
        self.fail: OSError | None = None

    def status(self, path: str) -> Status | None:
        """See Files.status."""
        if path in self.contents:
            data, mtime_s = self.contents[path]
            return Status("file", len(data), mtime_s)
        if any(other.startswith(path.rstrip("/") + "/") for other in self.contents):
            return Status("directory", 0, 0.0)
        return None

    def read(self, path: str, limit_bytes: int) -> bytes:
        """See Files.read."""
        found = self.status(path)
        if found is None:
            raise FileNotFoundError(path)
        if found.kind != "file":
            raise NotRegularError(f"{path} is a {found.kind}")
        return self.contents[path][0][:limit_bytes]

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """See Files.create."""
        self._make(path)
        if self.status(path) is not None:
            return False
        self.contents[path] = (data, mtime_s)
        return True

    def replace(self, path: str, data: bytes) -> None:
        """See Files.replace."""
        self._make(path)
        self._refuse_directory(path)
        self.contents[path] = (data, 0.0)

    def append(self, path: str, data: bytes) -> None:
        """See Files.append."""
        self._make(path)
        self._refuse_directory(path)
        before, mtime_s = self.contents.get(path, (b"", 0.0))
        self.contents[path] = (before + data, mtime_s)

    def remove(self, path: str) -> None:
        """See Files.remove."""
        self._change()
        self._refuse_directory(path)
        self.contents.pop(path, None)

    def set_time(self, path: str, mtime_s: float) -> None:
        """See Files.set_time."""
        self._change()
        if path not in self.contents:
            raise FileNotFoundError(path)
        self.contents[path] = (self.contents[path][0], mtime_s)

    def resolve(self, path: str) -> str:
        """See Files.resolve; there are no links here."""
        return os.path.normpath(path)

    @contextmanager
    def lock(self, path: str, timeout_s: float) -> Iterator[None]:
        """See Files.lock; one thread at a time lives here, so the lock is always free."""
        self._make(path)
        self._refuse_directory(path)
        del timeout_s
        yield

    def _change(self) -> None:
        if self.fail is not None:
            raise self.fail

    def _make(self, path: str) -> None:
        self._change()
        parent = os.path.dirname(path)
        while parent not in ("", "/"):
            if parent in self.contents:
                raise NotADirectoryError(f"{parent} is a file")
            parent = os.path.dirname(parent)

    def _refuse_directory(self, path: str) -> None:
        found = self.status(path)
        if found is not None and found.kind != "file":
            raise IsADirectoryError(f"{path} is a directory")


def _kind(mode: int) -> Literal["file", "directory", "other"]:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "other"


def _take(descriptor: int, path: str, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise TimeoutError(f"{path} stays locked") from error
            time.sleep(LOCK_POLL_S)
        else:
            return


def _require_regular(descriptor: int, path: str) -> None:
    kind = _kind(os.fstat(descriptor).st_mode)
    if kind != "file":
        raise NotRegularError(f"{path} is no regular file ({kind})")


def _write_all(descriptor: int, data: bytes) -> None:
    # a short write is legal and real on a disk that is nearly full: go on until it is written or refused
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
