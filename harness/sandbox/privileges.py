"""What the agent may do and its children may not: capabilities, securebits and prctl(2)."""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SET_PARENT_DEATH_SIGNAL: Final = 1
_SET_DUMPABLE: Final = 4
_CAPBSET_DROP: Final = 24
_SET_SECUREBITS: Final = 28
_SET_CHILD_SUBREAPER: Final = 36
_SET_NO_NEW_PRIVS: Final = 38
_CAP_AMBIENT: Final = 47
_CAP_AMBIENT_CLEAR_ALL: Final = 4
# NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock: exec by uid 0 gives nothing.
_SECUREBITS: Final = 0b11 | 0b1100 | 0b11000000
_CAPABILITY_VERSION: Final = 0x20080522
_LAST_POSSIBLE: Final = 63

_libc = ctypes.CDLL(None, use_errno=True)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Set(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


_Sets = _Set * 2


def _prctl(option: int, *arguments: int) -> None:
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    if _libc.prctl(option, *padded) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"prctl {option}")


def become_reaper() -> None:
    """Adopt every descendant whose parent dies, as PID 1 does in its namespace."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def forbid_new() -> None:
    """No program started from here may gain privileges by setuid or file capabilities."""
    _prctl(_SET_NO_NEW_PRIVS, 1)


def keep_to_agent() -> None:
    """Children lose every capability at exec, for good; the agent keeps its own. OSError when refused."""
    _prctl(_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL)
    _prctl(_SET_SECUREBITS, _SECUREBITS)
    for capability in range(_LAST_POSSIBLE + 1):
        try:
            _prctl(_CAPBSET_DROP, capability)
        except OSError:
            break  # EINVAL: one more than this kernel knows
    header = _Header(_CAPABILITY_VERSION, 0)
    held = _Sets()
    if _libc.capget(ctypes.byref(header), ctypes.byref(held)) == 0:
        own = _Sets(*(_Set(half.effective, half.permitted, 0) for half in held))
        _libc.capset(ctypes.byref(header), ctypes.byref(own))
    forbid_new()
    _prctl(_SET_DUMPABLE, 0)  # what runs inside must not look into the agent through /proc/1


def leave() -> None:
    """Lose every capability for good: for a process that goes on as a program of its own."""
    _drop_all()
    _prctl(_SET_DUMPABLE, 1)


def give_up() -> None:
    """Lose every capability for good, and end when the parent does: for a process the agent forks from itself."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    _drop_all()


def _drop_all() -> None:
    none = _Sets(*(_Set(0, 0, 0) for _ in range(2)))
    _libc.capset(ctypes.byref(_Header(_CAPABILITY_VERSION, 0)), ctypes.byref(none))


@contextmanager
def set_aside() -> Iterator[None]:
    """Within the block the agent has no capability in effect, so the kernel judges it as it would a child."""
    header = _Header(_CAPABILITY_VERSION, 0)
    kept = _Sets()
    if _libc.capget(ctypes.byref(header), ctypes.byref(kept)) != 0:
        yield
        return
    none = _Sets(*(_Set(0, half.permitted, half.inheritable) for half in kept))
    _libc.capset(ctypes.byref(header), ctypes.byref(none))
    try:
        yield
    finally:
        _libc.capset(ctypes.byref(header), ctypes.byref(kept))
