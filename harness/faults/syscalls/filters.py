"""The seccomp program that hands chosen calls to a supervisor: built by libseccomp, call by call by name."""

import contextlib
import ctypes.util
import errno
import functools
import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Final

from harness.errors import MachineError
from harness.faults.syscalls.calls import SIGNATURES
from harness.faults.syscalls.time_calls import STEADY_CALLS, TIME_CALLS

_SETLK: Final = (6, 7, 37, 38)  # F_SETLK, F_SETLKW and the two for open file descriptions
_MAP_SHARED: Final = 1  # of MAP_SHARED_VALIDATE too
_TREE: Final = 2
_PROT_WRITE: Final = 2
_RING_CALLS: Final = ("io_uring_setup", "io_uring_enter", "io_uring_register")  # file calls that no filter would see
_NO_CALL: Final = -1


@functools.cache
def program(names: frozenset[str], *, timed: bool = False, steady: bool = False) -> bytes:
    """The filter, as the kernel takes it, under which every call of ``names`` is notified and io_uring is absent.

    ``timed``: those that tell the time of day too; ``steady``: those of the monotonic clocks as well. Names this
    architecture lacks are left out. MachineError when libseccomp is missing.
    """
    seccomp = _seccomp()
    built = seccomp.SyscallFilter(seccomp.ALLOW)
    # libseccomp would kill programs of another word size; their calls have other numbers, and are not looked at
    built.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.ALLOW)
    with contextlib.suppress(OSError):  # libseccomp 2.5: a tree of comparisons instead of a row of them
        built.set_attr(seccomp.Attr.CTL_OPTIMIZE, _TREE)
    for name in _RING_CALLS:
        built.add_rule(seccomp.ERRNO(errno.ENOSYS), name)
    known = numbers()
    for name in sorted((names | (TIME_CALLS.keys() if timed else set())) & known.keys()):
        for arguments in _arguments(seccomp, name, every=name in names, steady=steady):
            built.add_rule(seccomp.NOTIFY, known[name], *arguments)
    with tempfile.TemporaryFile() as file:
        built.export_bpf(file)
        file.seek(0)
        return file.read()


def _arguments(seccomp: Any, name: str, *, every: bool, steady: bool = False) -> Iterable[tuple[Any, ...]]:
    """Which uses of the call are of interest: all, but of fcntl only locks, and of mmap what changes files.

    Unless ``every`` use is of interest, those that have to do with the time of day.
    """
    if not every:
        return [
            tuple(seccomp.Arg(place, getattr(seccomp, how), *values) for place, how, *values in uses)
            for uses in (*TIME_CALLS[name], *(STEADY_CALLS.get(name, ()) if steady else ()))
        ]
    if name == "fcntl":
        return [(seccomp.Arg(1, seccomp.EQ, command),) for command in _SETLK]
    if name == "mmap":
        shared = seccomp.Arg(3, seccomp.MASKED_EQ, _MAP_SHARED, _MAP_SHARED)
        return [(seccomp.Arg(2, seccomp.MASKED_EQ, _PROT_WRITE, _PROT_WRITE), shared)]
    return [()]


@functools.cache
def numbers(machine: str = "") -> Mapping[str, int]:
    """The numbers of the calls in ``calls.SIGNATURES`` and ``time_calls.TIME_CALLS``, by name.

    ``machine`` as ``os.uname`` writes it, by default this one. MachineError when libseccomp is missing or knows it not.
    """
    seccomp = _seccomp()
    machine = machine or os.uname().machine
    arch = getattr(seccomp.Arch, machine.upper(), None)
    if arch is None:
        raise MachineError(f"the system calls of {machine} are not known to libseccomp's binding")
    found = {name: seccomp.resolve_syscall(arch, name) for name in {**SIGNATURES, **TIME_CALLS}}
    return {name: number for name, number in found.items() if number > _NO_CALL}


@functools.cache
def name_of(number: int) -> str:
    """The name of any call of this machine, not only of file calls; "" of a number that libseccomp does not know."""
    seccomp = _seccomp()
    try:
        name: bytes = seccomp.resolve_syscall(getattr(seccomp.Arch, os.uname().machine.upper()), number)
    except ValueError:
        return ""
    return name.decode()


@functools.cache
def _seccomp() -> Any:
    if ctypes.util.find_library("seccomp") is None:
        raise MachineError("libseccomp is not installed; on Debian: apt-get install libseccomp2")
    import pyseccomp  # noqa: PLC0415  # it loads libseccomp, which is looked for first

    return pyseccomp
