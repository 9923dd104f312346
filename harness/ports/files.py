"""Files as a port. Nothing here blocks on what is no regular file, and a write is seen whole or not at all.

Imports are few because a hook pays for them on every call: flock costs 1 us, a thread that waits for it 60, and no
import beyond what a hook has, where the filelock package costs 77 us a lock and 26 ms at the start (measured), and
would truncate what a link at the lock's path names.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Protocol

from harness.ports import locks

_TEMPORARY_NAMES = 16  # as many writers may have died beside one file before names are drawn by lot
_NAME_CHARACTERS = 100  # of a file's own name, so that the whole fits in 255 bytes


class NotRegularError(OSError):
    """Something else than a regular file stands at the path: a directory, a FIFO, a socket, a device."""


class Status(NamedTuple):
    """What stands at a path: its kind, size in bytes and modification time in seconds since the epoch.

    A ``link`` is only told of where links are not followed.
    """

    kind: Literal["file", "directory", "link", "other"]
    size: int
    mtime_s: float


class Files(Protocol):
    """What a file-backed system needs. Paths are absolute texts. Every method may raise OSError."""

    def status(self, path: str) -> Status | None:
        """What stands at ``path``, links followed; None when nothing does."""
        ...

    def look(self, path: str) -> Status | None:
        """What stands at ``path`` itself, a link not followed in the last place; None when nothing does."""
        ...

    def read(self, path: str, limit_bytes: int) -> bytes:
        """The first ``limit_bytes`` of a regular file; NotRegularError for anything else, without ever waiting."""
        ...

    def read_from(self, path: str, offset: int, limit_bytes: int) -> bytes:
        """As ``read``, from ``offset`` bytes after its beginning on; nothing beyond its end."""
        ...

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """Makes a file that must not exist yet, in one step; False when it, or any link, is there. Parents are made."""
        ...

    def replace(self, path: str, data: bytes) -> None:
        """Puts ``data`` in place of what stands at ``path``, a link too, seen whole or not at all. Parents are made.

        That holds for a process that is killed on the way and for a loss of power, after which it is there as well.
        """
        ...

    def append(self, path: str, data: bytes) -> None:
        """Adds to the end of a regular file (no link), made when missing, in one write. Parents are made."""
        ...

    def append_lines(self, path: str, data: bytes) -> None:
        """As ``append``, of whole lines: a line that a writer died in the middle of is ended first."""
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
            return _status(os.stat(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def look(self, path: str) -> Status | None:
        """See Files.look."""
        try:
            return _status(os.lstat(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str, limit_bytes: int) -> bytes:
        """See Files.read."""
        return self.read_from(path, 0, limit_bytes)

    def read_from(self, path: str, offset: int, limit_bytes: int) -> bytes:
        """See Files.read_from."""
        # O_NONBLOCK: opening a FIFO without a writer would wait before any time limit is armed
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:  # no file object: open() refuses a directory's descriptor, and leaves it open
            # one more than is left of it, so that the end of the file is seen
            expected = max(_size_of_regular(descriptor, path) - offset, 0) + 1
            if offset:
                os.lseek(descriptor, offset, os.SEEK_SET)
            parts: list[bytes] = []
            left = limit_bytes
            # a raw read takes memory for all it is asked for, so it is asked for little more than there is
            while left > 0 and (part := os.read(descriptor, min(left, max(expected, 65536)))):
                parts.append(part)
                left -= len(part)
        finally:
            _close(descriptor)
        return b"".join(parts)

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """See Files.create."""
        try:
            descriptor = _open_for_writing(path, os.O_WRONLY | os.O_EXCL)
        except FileExistsError:
            return False
        try:
            try:
                _write_all(descriptor, data)
                os.utime(descriptor, (mtime_s, mtime_s))
                os.fsync(descriptor)
            finally:
                _close(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)  # a file that is only begun would keep everybody from making a whole one
            raise
        _sync_directory(os.path.dirname(path))
        return True

    def replace(self, path: str, data: bytes) -> None:
        """See Files.replace."""
        directory = os.path.dirname(path)
        temporary, descriptor = _open_beside(path)
        try:
            try:
                _write_all(descriptor, data)
                os.fsync(descriptor)  # or a loss of power leaves the new name on a file without its bytes
            finally:
                _close(descriptor)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_directory(directory)

    def append(self, path: str, data: bytes) -> None:
        """See Files.append."""
        self._append(path, data, whole_lines=False)

    def append_lines(self, path: str, data: bytes) -> None:
        """See Files.append_lines."""
        self._append(path, data, whole_lines=True)

    def _append(self, path: str, data: bytes, *, whole_lines: bool) -> None:
        access = os.O_RDWR if whole_lines else os.O_WRONLY
        descriptor = _open_for_writing(path, access | os.O_APPEND | os.O_NONBLOCK)
        try:
            size = _size_of_regular(descriptor, path)
            if whole_lines and size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            _write_all(descriptor, data)
        except BaseException:
            _close(descriptor)
            raise
        os.close(descriptor)  # where nothing is synced it is here that some file systems say what became of the bytes

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
        descriptor = _open_for_writing(path, os.O_RDWR | os.O_NONBLOCK)
        try:
            locks.take(descriptor, path, timeout_s)
            yield
        finally:
            _close(descriptor)  # gives the lock back too


def _status(found: os.stat_result) -> Status:
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
    kind: Any = kinds.get(stat.S_IFMT(found.st_mode), "other")
    return Status(kind, found.st_size, found.st_mtime)


def _open_for_writing(path: str, flags: int) -> int:
    """A file that is made when it is missing, no link; so are its parents, and only then are they asked for."""
    flags |= os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o644)
    except FileNotFoundError:
        _make_directory(os.path.dirname(path))
        return os.open(path, flags, 0o644)


def _open_beside(path: str) -> tuple[str, int]:
    """A new file in the same directory: two writers never share one, nor does one what a writer that died left there.

    The name hangs on nothing but what stands there already, so that a run can be repeated call by call.
    """
    directory, name = os.path.split(path)
    number = 0
    while True:
        is_drawn = number >= _TEMPORARY_NAMES
        own = f".tmp-{os.urandom(8).hex()}" if is_drawn else f".{name[:_NAME_CHARACTERS]}.tmp-{number}"
        temporary = os.path.join(directory, own)
        with contextlib.suppress(FileExistsError):
            return temporary, _open_for_writing(temporary, os.O_WRONLY | os.O_EXCL)
        number += 1


def _make_directory(path: str) -> None:
    try:
        os.mkdir(path)
    except FileNotFoundError:
        _make_directory(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):  # another process was as quick
            os.mkdir(path)
    except FileExistsError:
        return
    _sync_directory(os.path.dirname(path))


def _sync_directory(path: str) -> None:
    """Makes the names in a directory outlast a loss of power, where the file system can promise that.

    What is named there is done already and seen by everybody, so a refusal changes nothing.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            _close(descriptor)


def _close(descriptor: int) -> None:
    # the descriptor is gone whatever the answer, and what it was for is done or has failed for a better reason
    with contextlib.suppress(OSError):
        os.close(descriptor)


def _size_of_regular(descriptor: int, path: str) -> int:
    found = _status(os.fstat(descriptor))
    if found.kind != "file":
        raise NotRegularError(f"{path} is no regular file ({found.kind})")
    return found.size


def _write_all(descriptor: int, data: bytes) -> None:
    # a short write is legal and real on a disk that is nearly full: go on until it is written or refused
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
