"""Making a process ask the kernel for the time, so that a supervisor is asked: its vDSO is taken out of use.

The kernel maps a small library, the vDSO, into every process; its functions tell the time without a system call, which
no filter sees (vdso(7)). Here the first bytes of those functions are overwritten, in that process alone, by the plain
system call. A process that is forked inherits what was written; one that executes a program has a new vDSO, so it is
done again at the first call that every start-up makes and that nothing makes before it asks for the time.

Against changing the auxiliary vector at exec, as a tracer can, this needs no ptrace: nobody has to wait for stops,
signals reach the program as they would, and the program itself may be traced.
"""

import ctypes
import errno
import functools
import os
import struct
from collections.abc import Mapping
from typing import Final, NamedTuple

from harness.errors import MachineError

_SYSINFO_EHDR: Final = 33  # AT_SYSINFO_EHDR of getauxval(3): where the vDSO lies
_ENTRY: Final = struct.Struct("QQ")
_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS: Final = 11
_SET_FS: Final = 0x1002


class Stub(NamedTuple):
    """Code that takes a function's place: at so many bytes from the vDSO's beginning."""

    offset: int
    code: bytes


def _x86(number: int) -> bytes:
    return b"\xb8" + struct.pack("<I", number) + b"\x0f\x05\xc3"  # mov eax, number; syscall; ret


def _arm(number: int) -> bytes:
    return struct.pack("<III", 0xD2800008 | number << 5, 0xD4000001, 0xD65F03C0)  # mov x8, number; svc 0; ret


_STUBS: Final[Mapping[str, Mapping[str, bytes]]] = {
    "x86_64": {
        "__vdso_clock_gettime": _x86(228),
        "__vdso_gettimeofday": _x86(96),
        "__vdso_time": _x86(201),
    },
    "aarch64": {"__kernel_clock_gettime": _arm(113), "__kernel_gettimeofday": _arm(169)},
}
# The call by which a program's start-up is known, and the one argument it then has. On x86-64 whatever has variables of
# a thread sets its thread pointer: glibc, musl, Go. Elsewhere that is no call: libc asks for its thread's id, Go for
# the processors it may use.
START_CALLS: Final[Mapping[str, Mapping[str, int | None]]] = {
    "x86_64": {"arch_prctl": _SET_FS},
    "aarch64": {"set_tid_address": None, "sched_getaffinity": None},
}


def take_out_of_use(tid: int) -> bool:
    """Make that process ask the kernel for the time from now on; False when it is gone or has no vDSO.

    It must be waiting at a call of its start-up. MachineError when this machine refuses it, or the vDSO is not ours.
    """
    beginning, stubs = _ours()
    try:
        base = _base(tid)
        if not base or not stubs:
            return False
        memory = os.open(f"/proc/{tid}/mem", os.O_RDWR)
        try:
            if os.pread(memory, len(beginning), base) != beginning:
                raise MachineError("a program here has another vDSO than ours, perhaps that of a 32-bit machine")
            for offset, code in stubs:
                os.pwrite(memory, code, base + offset)
        finally:
            os.close(memory)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ESRCH):
            return False
        raise MachineError(
            f"this machine does not let us write into the vDSO of a program we start: {error.strerror}"
        ) from error
    return True


def require_known() -> None:
    """MachineError when it is not known how programs of this machine ask for the time, or no filter can see it."""
    if os.uname().machine not in START_CALLS:
        raise MachineError(f"how a program on {os.uname().machine} asks for the time is not known here")
    _ours()


def stubs_of(image: bytes, machine: str) -> tuple[Stub, ...]:
    """What is to be written over a vDSO, given as its bytes; MachineError for a machine that is not known."""
    wanted = _STUBS.get(machine)
    if wanted is None:
        raise MachineError(f"how a program on {machine} asks for the time is not known here")
    found = {}
    for name, offset, size in _functions(image):
        if name in wanted and size >= len(wanted[name]):
            found[name] = Stub(offset, wanted[name])
    missing = sorted(wanted.keys() - found.keys())
    if missing:
        raise MachineError(f"the vDSO of this machine has no {' and no '.join(missing)}")
    return tuple(found.values())


@functools.cache
def _ours() -> tuple[bytes, tuple[Stub, ...]]:
    """The beginning of this process's own vDSO, which every program here has too, and what to write over it."""
    libc = ctypes.CDLL(None)
    libc.getauxval.restype = ctypes.c_ulong
    libc.getauxval.argtypes = [ctypes.c_ulong]
    base = libc.getauxval(_SYSINFO_EHDR)
    if not base:
        return b"", ()  # a kernel without one: every question reaches it anyway
    image = ctypes.string_at(base, _size(base))
    return image[: _HEADER.size], stubs_of(image, os.uname().machine)


def _size(base: int) -> int:
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        for line in maps:
            first, _, last = line.split(" ", 1)[0].partition("-")
            if int(first, 16) == base:
                return int(last, 16) - base
    raise MachineError("the vDSO is not among the mappings of our own process")


def _base(tid: int) -> int:
    with open(f"/proc/{tid}/auxv", "rb") as file:
        data = file.read()
    pairs = _ENTRY.iter_unpack(data[: len(data) // _ENTRY.size * _ENTRY.size])
    return next((value for kind, value in pairs if kind == _SYSINFO_EHDR), 0)


def _functions(image: bytes) -> list[tuple[str, int, int]]:
    """(name, offset, size) of what the vDSO exports; none of what is no 64-bit little-endian ELF image."""
    if image[:6] != b"\x7fELF\x02\x01" or len(image) < _HEADER.size:
        return []
    header = _HEADER.unpack_from(image)
    start, count = header[6], header[12]
    found = []
    try:
        sections = [_SECTION.unpack_from(image, start + number * _SECTION.size) for number in range(count)]
        for _, kind, _, _, place, size, link, _, _, _ in sections:
            if kind == _DYNAMIC_SYMBOLS:
                names = sections[link][4]
                for name, _, _, _, value, length in _SYMBOL.iter_unpack(image[place : place + size]):
                    text = image[names + name : image.index(b"\0", names + name)]
                    found.append((text.decode("ascii", "replace"), value, length))
    except (struct.error, ValueError, IndexError):
        return []
    return found
