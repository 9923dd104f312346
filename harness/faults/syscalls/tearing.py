"""Writes and copies that are cut short: the first part is done in the program's place, through its own open file."""

import contextlib
import errno
import os
import stat
import struct
from typing import Final

from harness.faults.syscalls import memory
from harness.faults.syscalls.answers import Call
from harness.faults.syscalls.calls import SIGNATURES, Kind
from harness.faults.syscalls.reading import source_of, written

_OFFSET: Final = struct.Struct("=q")
_OFFSETS: Final = {"sendfile": (2, None), "copy_file_range": (1, 3), "splice": (1, 3)}  # where from, where to


def tearable(call: Call, size: int) -> bool:
    """Whether there is less to do than the whole: a write or a copy of more than ``size`` bytes to a regular file."""
    if call.kind not in (Kind.WRITE, Kind.COPY) or not 0 <= size < call.length or call.descriptor is None:
        return False
    files = [call.descriptor, *([source_of(call.name, call.arguments)] if call.kind is Kind.COPY else [])]
    try:
        return all(stat.S_ISREG(os.stat(f"/proc/{call.pid}/fd/{file}").st_mode) for file in files)
    except OSError:
        return False


def tear(call: Call, size: int) -> int:
    """Do the first ``size`` bytes of a call that waits; how many were done. OSError as the call itself would fail."""
    if size == 0:
        return 0
    with contextlib.ExitStack() as opened:
        into = _borrowed(opened, call.pid, call.descriptor if call.descriptor is not None else -1)
        if call.kind is Kind.COPY:
            source = _borrowed(opened, call.pid, source_of(call.name, call.arguments))
            return _copy(call, source, into, size)
        data = written(call.tid, SIGNATURES[call.name], call.arguments, size)
        if call.offset is None:
            return os.write(into, data)
        if call.offset > 2**63:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return os.pwrite(into, data, call.offset)


def _borrowed(opened: contextlib.ExitStack, pid: int, descriptor: int) -> int:
    fd = memory.descriptor_of(pid, descriptor)
    opened.callback(os.close, fd)
    return fd


def _copy(call: Call, source: int, into: int, size: int) -> int:
    """By read and write: they take and move offsets as the call would."""
    places = [None if place is None else call.arguments[place] for place in _OFFSETS[call.name]]
    start, end = (_OFFSET.unpack(memory.read(call.tid, place, 8))[0] if place else None for place in places)
    data = os.read(source, size) if start is None else os.pread(source, size, start)
    done = os.write(into, data) if end is None else os.pwrite(into, data, end)
    if start is None and done < len(data):
        os.lseek(source, done - len(data), os.SEEK_CUR)
    for place, before in zip(places, (start, end), strict=True):
        if place and before is not None:
            memory.write(call.tid, place, _OFFSET.pack(before + done))
    return done
