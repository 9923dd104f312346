"""mount(2) and its relatives; every failure is an OSError that names the path."""

import ctypes
import os
import platform
from typing import Final

READ_ONLY: Final = 0x1
NO_SUID: Final = 0x2
NO_DEVICES: Final = 0x4
NO_EXEC: Final = 0x8
_REMOUNT: Final = 0x20
_BIND: Final = 0x1000
_RECURSIVE: Final = 0x4000
_DETACH: Final = 2  # MNT_DETACH
_AT_FDCWD: Final = -100
_AT_RECURSIVE: Final = 0x8000
_MOUNT_SETATTR: Final = 442  # the same number on every architecture; Linux 5.12
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41, "riscv64": 41}
# statvfs flags and mount flags share these bits, except for the two access-time ones.
_KEPT: Final = {0x2: 0x2, 0x4: 0x4, 0x8: 0x8, 0x400: 0x400, 0x800: 0x800, 0x1000: 0x200000}

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)
_libc.umount2.argtypes = (ctypes.c_char_p, ctypes.c_int)


class _Attributes(ctypes.Structure):
    """struct mount_attr."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd"))


def _check(result: int, path: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)


def mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    """mount(2) of the file system ``kind``."""
    result = _libc.mount(os.fsencode(source), os.fsencode(target), kind.encode(), flags, os.fsencode(data))
    _check(result, target)


def tmpfs(target: str, size_bytes: int, mode: int) -> None:
    """A private tmpfs of ``size_bytes`` over ``target``, whose top has ``mode``."""
    mount("tmpfs", target, "tmpfs", NO_SUID | NO_DEVICES, f"size={size_bytes},mode={mode:o}")


def resize_tmpfs(target: str, size_bytes: int, inodes: int | None = None) -> None:
    """Change the limits of the tmpfs at ``target``, that on ``inodes`` only if one is given.

    Without a limit on them (0) one can never be had again: the kernel stops counting.
    """
    flags = _REMOUNT | NO_SUID | NO_DEVICES
    mount("tmpfs", target, "tmpfs", flags, f"size={size_bytes}" + ("" if inodes is None else f",nr_inodes={inodes}"))


def bind(source: str, target: str) -> None:
    """Show the tree at ``source`` at ``target`` too.

    Recursive always: in a user namespace the kernel refuses to uncover what lies under a mount it did not make.
    """
    _check(_libc.mount(os.fsencode(source), os.fsencode(target), None, _BIND | _RECURSIVE, None), target)


def set_read_only(target: str, read_only: bool = True, *, below: bool = True) -> None:
    """Make the mount at ``target`` read-only, or writable again; with ``below`` all mounts under it too."""
    bits = ctypes.c_uint64(READ_ONLY).value
    attributes = _Attributes(bits, 0, 0, 0) if read_only else _Attributes(0, bits, 0, 0)
    flags = _AT_RECURSIVE if below else 0
    arguments = (_AT_FDCWD, os.fsencode(target), flags, ctypes.byref(attributes), ctypes.sizeof(attributes))
    try:
        _check(_libc.syscall(_MOUNT_SETATTR, *arguments), target)
    except OSError:
        # Older kernels, and seccomp filters that do not know the call: one remount for each mount.
        for point in _mounts_below(target) if below else [target]:
            _remount(point, read_only)


def _mounts_below(target: str) -> list[str]:
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        escaped = [line.split(" ")[4] for line in table]
    raw = [text.encode("utf-8", "surrogateescape").decode("unicode_escape").encode("latin-1") for text in escaped]
    points = [os.fsdecode(point) for point in raw]
    return [point for point in dict.fromkeys(points) if point == target or point.startswith(target.rstrip("/") + "/")]


def _remount(target: str, read_only: bool) -> None:
    seen = os.statvfs(target).f_flag
    # Flags a more privileged namespace has set are locked: leaving one out is refused with EPERM.
    flags = sum(flag for bit, flag in _KEPT.items() if seen & bit) | (READ_ONLY if read_only else 0)
    _check(_libc.mount(None, os.fsencode(target), None, _REMOUNT | _BIND | flags, None), target)


def unmount(target: str) -> None:
    """Detach what is mounted last at ``target``, even while something still uses it."""
    _check(_libc.umount2(os.fsencode(target), _DETACH), target)


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root and show the former one at ``old``, a directory below it."""
    try:
        call = _libc.pivot_root
        result = call(os.fsencode(new), os.fsencode(old))
    except AttributeError:
        result = _libc.syscall(_PIVOT_ROOT[platform.machine()], os.fsencode(new), os.fsencode(old))
    _check(result, new)


def set_root_read_only() -> None:
    """Make the mount at / read-only, but none of those below it."""
    _remount("/", read_only=True)
