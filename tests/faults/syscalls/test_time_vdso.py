"""What is written over a vDSO: the plain system call, in the place of each function that tells the time."""

import os
import platform
import struct

import pytest

from harness.errors import MachineError
from harness.faults.syscalls import filters, vdso
from harness.faults.syscalls.time_calls import TimeCalls
from harness.sandbox import WallClock

_NAMES = b"\0__kernel_clock_gettime\0__kernel_gettimeofday\0"


def image(names: bytes = _NAMES, *, size: int = 12, link: int = 1, order: bytes = b"\x01") -> bytes:
    """A library that exports the functions of an aarch64 vDSO, at 0x300 and 0x400."""
    symbols = struct.pack("<IBBHQQ", 1, 18, 0, 1, 0x300, size) + struct.pack("<IBBHQQ", 24, 18, 0, 1, 0x400, size)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02" + order, 3, 183, 1, 0, 0, 64, 0, 64, 0, 0, 64, 2, 0)
    table = struct.pack("<IIQQQQIIQQ", 0, 11, 0, 0, 192, len(symbols), link, 0, 0, 24)
    table += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 192 + len(symbols), len(names), 0, 0, 0, 0)
    return header + table + symbols + names


def test_on_aarch64_each_function_becomes_a_move_a_call_and_a_return():
    # movz x8, #113 and #169; svc #0; ret: untested on such a machine
    assert vdso.stubs_of(image(), "aarch64") == (
        (0x300, bytes.fromhex("280e80d2 010000d4 c0035fd6")), (0x400, bytes.fromhex("281580d2 010000d4 c0035fd6")),
    )  # fmt: skip


@pytest.mark.parametrize(("machine", "name", "number"), [
    ("aarch64", "clock_gettime", 113), ("aarch64", "gettimeofday", 169), ("x86_64", "clock_gettime", 228),
    ("x86_64", "gettimeofday", 96), ("x86_64", "time", 201),
])  # fmt: skip
def test_the_numbers_written_are_those_of_the_calls(machine, name, number):
    assert filters.numbers(machine)[name] == number


@pytest.mark.parametrize("damaged", [
    b"", b"text", image(order=b"\x02"), image()[:100], image(size=8), image(link=7), image(names=b"\0"),
    image(names=_NAMES[:-1]),
])  # fmt: skip
def test_a_vdso_without_those_functions_is_refused(damaged):
    with pytest.raises(MachineError, match="the vDSO of this machine has no __kernel_"):
        vdso.stubs_of(damaged, "aarch64")


def test_a_machine_that_is_not_known_is_refused(monkeypatch):
    with pytest.raises(MachineError, match="how a program on pdp11 asks for the time is not known here"):
        vdso.stubs_of(image(), "pdp11")
    facts = os.uname_result(("Linux", "host", "1", "1", "pdp11"))
    monkeypatch.setattr(os, "uname", lambda: facts)
    with pytest.raises(MachineError, match="how a program on pdp11 asks for the time is not known here"):
        TimeCalls(WallClock())


def test_the_vdso_of_this_machine_is_known():
    vdso.require_known()
    assert len(vdso._ours()[1]) == {"x86_64": 3, "aarch64": 2}[platform.machine()]


def test_a_process_that_is_gone_is_no_error():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert not vdso.take_out_of_use(child)


def test_a_process_without_memory_has_none():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # dead, not yet forgotten
    try:
        assert not vdso.take_out_of_use(child)
    finally:
        os.waitpid(child, 0)


def test_a_machine_that_refuses_the_write_says_so(monkeypatch):
    def refused(*_: object) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "pwrite", refused)
    with pytest.raises(MachineError, match="does not let us write into the vDSO of a program we start: Operation"):
        vdso.take_out_of_use(os.getpid())


def test_another_vdso_than_ours_is_refused(monkeypatch):
    monkeypatch.setattr(vdso, "_ours", lambda: (b"another", (vdso.Stub(0, b""),)))
    with pytest.raises(MachineError, match="another vDSO than ours"):
        vdso.take_out_of_use(os.getpid())


def test_where_there_is_no_vdso_nothing_has_to_be_written(monkeypatch):
    monkeypatch.setattr(vdso, "_SYSINFO_EHDR", 9999)
    assert vdso._ours.__wrapped__() == (b"", ())
    monkeypatch.setattr(vdso, "_ours", lambda: (b"", ()))
    assert not vdso.take_out_of_use(os.getpid())


def test_a_vdso_that_is_not_mapped_is_refused():
    with pytest.raises(MachineError, match="not among the mappings of our own process"):
        vdso._size(1)
