"""Looking into a process that waits at a call: its memory, its descriptors, its threads. Needs the right to trace it.

Process and thread ids are those of the caller's own namespace, as the kernel gives them with a notification.
"""

import contextlib
import ctypes
import errno
import os
import struct
from typing import Final

_libc = ctypes.CDLL(None, use_errno=True)
_PIDFD_GETFD: Final = 438  # one number on every architecture
_PAGE: Final = 4096
_FIRST_BYTES: Final = 256  # most paths are shorter
_PATH_BYTES: Final = 4096
_PART: Final = struct.Struct("QQ")
_PARTS_LIMIT: Final = 1024  # IOV_MAX
_AT_FDCWD: Final = -100
_DELETED: Final = " (deleted)"


class _Span(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def read(tid: int, address: int, size: int) -> bytes:
    """``size`` bytes of the process, fewer where its memory ends; OSError when nothing can be read."""
    buffer = ctypes.create_string_buffer(size)
    here = _Span(ctypes.addressof(buffer), size)
    there = _Span(address, size)
    got: int = _libc.process_vm_readv(tid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    if got < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return buffer.raw[:got]


def write(tid: int, address: int, data: bytes) -> None:
    """Put ``data`` into the process's memory, where it may write itself; OSError when it may not, or is gone."""
    buffer = ctypes.create_string_buffer(data, len(data))
    here = _Span(ctypes.addressof(buffer), len(data))
    there = _Span(address, len(data))
    done: int = _libc.process_vm_writev(tid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    if done != len(data):
        number = ctypes.get_errno() if done < 0 else errno.EFAULT
        raise OSError(number, os.strerror(number))


class Texts:
    """Reads zero-terminated strings of other processes; for one thread."""

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(_FIRST_BYTES)
        self._here = _Span(ctypes.addressof(self._buffer), _FIRST_BYTES)
        self._there = _Span(0, _FIRST_BYTES)
        self._where = (ctypes.byref(self._here), 1, ctypes.byref(self._there), 1, 0)

    def at(self, tid: int, address: int) -> bytes:
        """The string at ``address``, cut at 4,096 bytes, which no path is longer than; OSError as of ``read``."""
        found = b""
        while len(found) < _PATH_BYTES:
            size = min(_FIRST_BYTES, _PAGE - address % _PAGE)  # the next page may not be there
            self._there.base = address
            self._there.length = self._here.length = size
            got: int = _libc.process_vm_readv(tid, *self._where)
            if got < 0:
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number))
            chunk = self._buffer.value  # up to the first zero, if there is one
            if len(chunk) < got:
                return found + chunk if found else chunk
            found += self._buffer.raw[:got]
            address += got
        return found


def vector(tid: int, address: int, count: int, limit: int) -> bytes:
    """The bytes that an array of ``count`` parts names, one after the other, ``limit`` of them at most."""
    found = b""
    raw = read(tid, address, _PART.size * min(count, _PARTS_LIMIT)) if count else b""
    for base, length in _PART.iter_unpack(raw[: len(raw) // _PART.size * _PART.size]):
        if length and len(found) < limit:
            found += read(tid, base, min(length, limit - len(found)))
    return found


def vector_length(tid: int, address: int, count: int) -> int:
    """How many bytes an array of ``count`` parts names."""
    raw = read(tid, address, _PART.size * min(count, _PARTS_LIMIT)) if count else b""
    return sum(length for _, length in _PART.iter_unpack(raw[: len(raw) // _PART.size * _PART.size]))


def signed(argument: int) -> int:
    """An argument of a call as the int it is in C."""
    return ctypes.c_int(argument).value


def path_of_descriptor(tid: int, descriptor: int) -> str:
    """The path behind a descriptor, as the process would write it; "" when it is no file, closed, or all is gone.

    PermissionError when this machine or the program does not let us look.
    """
    try:
        found = os.readlink(f"/proc/{tid}/fd/{descriptor}")
    except PermissionError:
        raise
    except OSError:
        return ""
    return found.removesuffix(_DELETED) if found.startswith("/") else ""


def folder_of(tid: int, directory: int | None) -> str:
    """What a relative path of that thread begins at: its current directory, or the one behind a descriptor.

    "" when it cannot be told. PermissionError as of ``path_of_descriptor``.
    """
    if directory is not None and directory != _AT_FDCWD:
        return path_of_descriptor(tid, directory)
    try:
        return os.readlink(f"/proc/{tid}/cwd").removesuffix(_DELETED)
    except PermissionError:
        raise
    except OSError:
        return ""


def real_folder(tid: int, path: bytes) -> str:
    """The directory at an absolute path of the process, symbolic links followed; "" when none is there."""
    try:
        found = os.open(b"/proc/%d/root%b" % (tid, path), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.readlink(f"/proc/self/fd/{found}")
    finally:
        os.close(found)


def process_of(tid: int) -> int:
    """The process that a thread belongs to; the thread's own id when it is gone."""
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{tid}/status", "rb") as status:
        for line in status:
            if line.startswith(b"Tgid:"):
                return int(line[5:])
    return tid


def descriptor_of(pid: int, descriptor: int) -> int:
    """A descriptor of our own for an open file of the process: offset and flags are shared. OSError when refused."""
    process = os.pidfd_open(pid)
    try:
        found: int = _libc.syscall(_PIDFD_GETFD, process, descriptor, 0)
    finally:
        os.close(process)
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return found
