"""What a thread that sleeps in the kernel waits for, and whether time alone can end it."""

import ctypes
import os
from collections.abc import Collection
from typing import Final

from harness.explore.races.processes import Waiting
from harness.faults.syscalls import filters
from harness.faults.syscalls.calls import SIGNATURES, Kind

# where the time-out of a call stands: an address of one, or milliseconds of which a negative number means for ever
_ADDRESSES: Final = {
    "futex": 3,
    "ppoll": 2,
    "pselect6": 4,
    "select": 4,
    "epoll_pwait2": 3,
    "rt_sigtimedwait": 2,
    "semtimedop": 3,
    "mq_timedreceive": 4,
    "mq_timedsend": 4,
    "io_getevents": 4,
    "recvmmsg": 4,
}
_MILLISECONDS: Final = {"poll": 2, "epoll_wait": 3, "epoll_pwait": 3}
_ALWAYS: Final = frozenset({"nanosleep", "clock_nanosleep", "restart_syscall", "futex_waitv"})
_OUTPUT: Final = frozenset({"write", "writev", "sendfile", "splice"})
_INPUT: Final = frozenset({"read", "readv"})
_ON_DESCRIPTOR: Final = frozenset({*_INPUT, *_OUTPUT, "connect", "accept", "accept4", "recvfrom", "recvmsg", "sendto"})
_ALARM: Final = 1 << 13  # SIGALRM, as the kernel counts bits


def timed(waiting: Waiting) -> bool:
    """Whether the wait can end without anybody's doing: by its own time-out, or by an alarm that is caught."""
    name = filters.name_of(waiting.number)
    if name in _ALWAYS:
        return True
    if name in _ADDRESSES and waiting.arguments[_ADDRESSES[name]]:
        return True
    if name in _MILLISECONDS and ctypes.c_int(waiting.arguments[_MILLISECONDS[name]]).value >= 0:
        return True
    return _catches_alarm(waiting.pid)


def place(waiting: Waiting) -> str:
    """For people: the call it waits in, with its file where it has one; "outside of a call" when it has none."""
    name = filters.name_of(waiting.number) if waiting.number >= 0 else ""
    if not name:
        return "outside of a call"
    signature = SIGNATURES.get(name)
    number = signature.fd if signature is not None else 0 if name in _ON_DESCRIPTOR else None
    if number is None or (signature is not None and signature.kind is Kind.MAP):
        return name
    try:
        return f"{name}({os.readlink(f'/proc/{waiting.tid}/fd/{ctypes.c_int(waiting.arguments[number]).value}')})"
    except OSError:
        return name


def writes_to(waiting: Waiting, pipes: Collection[int]) -> bool:
    """Whether it waits until one of ``pipes``, given by their inodes, has room."""
    return filters.name_of(waiting.number) in _OUTPUT and _inode(waiting) in pipes


def reads_from(waiting: Waiting, pipes: Collection[int]) -> bool:
    """Whether it waits for what comes through one of ``pipes``."""
    return filters.name_of(waiting.number) in _INPUT and _inode(waiting) in pipes


def inside(waiting: Waiting, names: Collection[str]) -> bool:
    """Whether it sleeps in one of these calls."""
    return filters.name_of(waiting.number) in names


def _inode(waiting: Waiting) -> int:
    try:
        return os.stat(f"/proc/{waiting.tid}/fd/{ctypes.c_int(waiting.arguments[0]).value}").st_ino
    except OSError:
        return -1


def _catches_alarm(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            return any(line.startswith(b"SigCgt:") and int(line[7:], 16) & _ALARM for line in status)
    except OSError:
        return False
