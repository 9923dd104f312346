"""The kernel's words for a call that waits for an answer (seccomp_unotify(2)): one layout on every architecture."""

import contextlib
import errno
import fcntl
import os
import struct
from typing import Final, NamedTuple

_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_VALID: Final = 0x40082102
_PUT_DESCRIPTOR: Final = 0x40182103
_SET_FLAGS: Final = 0x40082104
_REQUEST: Final = struct.Struct("=QIIiIQ6Q")
_RESPONSE: Final = struct.Struct("=QqiI")
_PUT: Final = struct.Struct("=QIIII")
_CONTINUE: Final = 1
_AT_NUMBER: Final = 1  # SECCOMP_ADDFD_FLAG_SETFD
_ONE_PROCESSOR: Final = 1  # SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP: whoever asks and whoever answers take turns anyway
_RESTART: Final = 513  # ERESTARTNOINTR: the call is made again, after the handlers of pending signals
_ID: Final = struct.Struct("=Q")


class Notification(NamedTuple):
    """A call that a thread of ours made and that waits: its cookie, the thread, the call's number and arguments."""

    id: int
    tid: int
    number: int
    arguments: tuple[int, ...]


def prepare(listener: int) -> None:
    """Make the answers quick where the kernel can (Linux 6.6)."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(listener, _SET_FLAGS, _ONE_PROCESSOR)


def receive(listener: int) -> Notification | None:
    """The next one; None when the call was taken back meanwhile. OSError when the listener is of no use any more."""
    data = bytearray(_REQUEST.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, data)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINTR):
            return None
        raise
    cookie, tid, _, number, _, _, *arguments = _REQUEST.unpack(data)
    return Notification(cookie, tid, number, tuple(arguments))


def proceed(listener: int, cookie: int) -> bool:
    """Let the kernel do the call; False when the thread is not waiting any more."""
    return _send(listener, _RESPONSE.pack(cookie, 0, 0, _CONTINUE))


def give(listener: int, cookie: int, value: int) -> bool:
    """Let the call return ``value`` without being done; False when the thread is not waiting any more."""
    return _send(listener, _RESPONSE.pack(cookie, value, 0, 0))


def refuse(listener: int, cookie: int, number: int) -> bool:
    """Let the call fail with an error number without being done; False when the thread is not waiting any more."""
    return _send(listener, _RESPONSE.pack(cookie, 0, -number, 0))


def repeat(listener: int, cookie: int) -> bool:
    """Let the thread take its signals and then make the call again; False when it is not waiting any more."""
    return refuse(listener, cookie, _RESTART)


def release(listener: int, cookie: int, descriptor: int) -> bool:
    """Make the descriptor of the thread that waits let go of its file, as a close that fails does (Linux 5.9).

    It keeps its number, on /dev/null, until the program ends or closes it once more. False when that cannot be done.
    """
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(listener, _PUT_DESCRIPTOR, _PUT.pack(cookie, _AT_NUMBER, nothing, descriptor, os.O_CLOEXEC))
    except OSError:
        return False
    finally:
        os.close(nothing)
    return True


def waits(listener: int, cookie: int) -> bool:
    """Whether that thread still waits: what was read of it before belongs to it."""
    try:
        fcntl.ioctl(listener, _VALID, _ID.pack(cookie))
    except OSError:
        return False
    return True


def _send(listener: int, response: bytes) -> bool:
    try:
        fcntl.ioctl(listener, _SEND, response)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINPROGRESS):
            return False
        raise
    return True
