"""Faults made of mounts: disks that are full or read-only, files that cannot be replaced; real for every program."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from harness.sandbox import files, mounts

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_PROBE_CHUNK: Final = 1 << 20
_PROBED_FILES: Final = 256  # each is held open, and a process may have no more than 1024
_FULL_DEVICE: Final = "/dev/full"
_FILL: Final = os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC


class Limits:
    """The fault mounts of one sandbox, undone last first."""

    def __init__(self, relaxed_bytes: int) -> None:
        self._relaxed_bytes = relaxed_bytes
        self._armed: list[Callable[[], None]] = []
        self._mounted: list[str] = []
        self._covered: list[str] = []

    def space(self, path: str, size_bytes: int, free_bytes: int, inodes: int | None) -> str:
        """A full tmpfs over the directory ``path``; the errno name met by a write that is too large, or ""."""
        os.makedirs(path, exist_ok=True)
        path = os.path.realpath(path)
        mode = stat.S_IMODE(os.stat(path).st_mode)
        before = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            mounts.tmpfs(path, size_bytes, mode)
            self._mounted.append(path)
            files.copy_tree(f"/proc/self/fd/{before}", path)
        except OSError:
            if path in self._mounted:
                mounts.unmount(path)
                self._mounted.remove(path)
            raise  # ENOSPC: what is there already does not fit
        finally:
            os.close(before)
        filler = os.open(path, _FILL, 0o600)  # has no name: programs neither see it nor can remove it
        self._armed.append(lambda: self._relax(path, filler))
        state = os.statvfs(path)
        surplus = state.f_bavail * state.f_frsize - free_bytes
        if surplus > 0:
            os.posix_fallocate(filler, 0, -(-surplus // _PAGE) * _PAGE)
        if inodes is not None:
            mounts.resize_tmpfs(path, size_bytes, state.f_files - state.f_ffree + inodes)
            met = _probe_inodes(path, inodes)
            if met or free_bytes >= size_bytes:
                return met
        return _probe_space(path, free_bytes)

    def few_files(self, point: str, inodes: int) -> str:
        """Let the whole tmpfs at ``point`` hold so many files more, and no other; the errno name then met, or ""."""
        state = os.statvfs(point)
        self._armed.append(lambda: mounts.resize_tmpfs(point, self._relaxed_bytes, state.f_files))
        mounts.resize_tmpfs(point, self._relaxed_bytes, state.f_files - state.f_ffree + inodes)
        return _probe_inodes(point, inodes)

    def fill(self, point: str, free_bytes: int) -> str:
        """Shrink the whole tmpfs at ``point`` to what it holds and ``free_bytes``; the errno name then met, or ""."""
        state = os.statvfs(point)
        used = (state.f_blocks - state.f_bfree) * state.f_frsize
        self._armed.append(lambda: mounts.resize_tmpfs(point, self._relaxed_bytes))
        # a size of 0 would mean no limit at all
        mounts.resize_tmpfs(point, max(used + free_bytes // _PAGE * _PAGE, _PAGE))
        if used == 0 and free_bytes < _PAGE:
            filler = os.open(point, _FILL, 0o600)
            self._armed.append(lambda: os.close(filler))
            os.posix_fallocate(filler, 0, _PAGE)
        return _probe_space(point, free_bytes)

    def _relax(self, path: str, filler: int) -> None:
        os.close(filler)
        mounts.resize_tmpfs(path, self._relaxed_bytes, 0)

    def read_only(self, path: str) -> str:
        """Make ``path`` (a file or directory) a read-only mount; the errno name met by an attempt to write."""
        path = os.path.realpath(path)
        # Never all that is mounted below: lifting must not make writable what shows the person's own files.
        ours = [path, *(other for other in self._mounted if other.startswith(path + "/"))]
        mounts.bind(path, path)
        self._mounted.append(path)
        for point in ours:
            mounts.set_read_only(point, below=False)
        self._armed.append(lambda: _make_writable(ours))
        try:
            flags = _FILL if os.path.isdir(path) else os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK
            os.close(os.open(path, flags, 0o600))
        except OSError as error:
            return errno.errorcode.get(error.errno or 0, str(error))
        return ""

    def busy(self, path: str) -> str:
        """Make the file at ``path`` a mount point of its own; the errno name met by a rename over it."""
        self._cover(path, path)
        beside = f"{path}.windtunnel"
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        try:
            os.rename(beside, path)
        except OSError as error:
            os.unlink(beside)
            return errno.errorcode.get(error.errno or 0, str(error))
        return ""

    def full_device(self, path: str) -> str:
        """Show /dev/full at the file ``path``; the errno name met by a write to it."""
        self._cover(_FULL_DEVICE, path)
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.write(fd, b"x")
            finally:
                os.close(fd)
        except OSError as error:
            return errno.errorcode.get(error.errno or 0, str(error))
        return ""

    def _cover(self, source: str, path: str) -> None:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise OSError(errno.EINVAL, "only a regular file can be covered", path)
        mounts.bind(source, path)
        self._mounted.append(path)
        self._covered.append(path)
        self._armed.append(lambda: self._uncover(path))

    def _uncover(self, path: str) -> None:
        try:
            mounts.unmount(path)
        except OSError:
            return  # a later mount hides it: it goes with ``clear``, after that one
        self._mounted.remove(path)

    def lift(self) -> None:
        """End every fault, last first. What was written meanwhile stays; the mounts themselves go with ``clear``."""
        while self._armed:
            self._armed.pop()()

    def clear(self) -> None:
        """End every fault and unmount it, last first; what was written on it is gone."""
        self.lift()
        while self._mounted:
            mounts.unmount(self._mounted.pop())
        while self._covered:
            # a directory above it that was made read-only later had a second one of it, and that was the one uncovered
            with suppress(OSError):
                mounts.unmount(self._covered.pop())


def _make_writable(points: list[str]) -> None:
    for point in points:
        mounts.set_read_only(point, read_only=False, below=False)


def _probe_space(path: str, free_bytes: int) -> str:
    probe = os.open(path, _FILL, 0o600)
    chunk = bytes(min(_PROBE_CHUNK, free_bytes + _PAGE))
    try:
        for _ in range(free_bytes // len(chunk) + 2):
            files.write_all(probe, chunk)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    finally:
        os.close(probe)
    return ""


def _probe_inodes(path: str, inodes: int) -> str:
    held: list[int] = []
    try:
        for _ in range(min(inodes, _PROBED_FILES) + 1):
            held.append(os.open(path, _FILL, 0o600))
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    finally:
        for fd in held:
            os.close(fd)
    return ""
