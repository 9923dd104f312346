"""Which steps of one run depend on each other by other things than files: its processes share memory and pipes.

Threads of one process always do, and a process and whoever it descends from. Others do when they can write to one pipe,
or read from one: what each puts in or takes out comes before or after the other's. One that only writes and one that
only reads do not: the data waits. The run's standard error does not count: in which order its processes complain is not
explored.
"""

import os
import stat
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from harness.explore.accesses import Access
from harness.explore.races.processes import Chain
from harness.faults.syscalls import Call

_PASSING: Final = (stat.S_IFIFO, stat.S_IFSOCK)
_READS: Final = 0o400
_WRITES: Final = 0o200


class Ties:
    """The ties of one execution. Names are the same in every execution: they come from who is first seen with what."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._open: dict[int, frozenset[str]] = {}  # by process, until its next step

    def of(
        self,
        calls: Mapping[int, Call],
        chain: Callable[[int], Chain],
        process: Callable[[int], int],
        ignored: frozenset[int],
    ) -> dict[int, tuple[frozenset[str], frozenset[str]]]:
        """What the steps of held calls, by number, read and change besides files; ``ignored`` are inodes of pipes."""
        found = {}
        for number, call in sorted(calls.items()):
            own = f"\0{call.run}.{process(call.pid)}"
            above = frozenset(f"\0{call.run}.{process(pid)}" for _, pid in chain(call.pid) if pid != call.pid)
            found[number] = (above, self._passing(call, ignored) | {own})
        return found

    def stepped(self, call: Call) -> None:
        """The process goes on, and may open and close."""
        self._open.pop(call.pid, None)

    def _passing(self, call: Call, ignored: frozenset[int]) -> frozenset[str]:
        known = self._open.get(call.pid)
        if known is None:
            known = self._open[call.pid] = frozenset(self._look(call, ignored))
        return known

    def _look(self, call: Call, ignored: frozenset[int]) -> set[str]:
        found = set()
        base = f"/proc/{call.pid}/fd"
        for descriptor in sorted(map(int, _listed(base))):
            try:
                status = os.stat(f"{base}/{descriptor}")
                mode = os.lstat(f"{base}/{descriptor}").st_mode
            except OSError:
                continue
            if stat.S_IFMT(status.st_mode) not in _PASSING or status.st_ino in ignored:
                continue
            name = self._names.setdefault(status.st_ino, f"\0{call.run} pipe {len(self._names)}")
            found |= {f"{name} {way}" for way, bit in (("in", _WRITES), ("out", _READS)) if mode & bit}
        return found


def tied(access: Access, ties: tuple[frozenset[str], frozenset[str]]) -> Access:
    """The access with what the step reads and changes besides files."""
    return msgspec.structs.replace(access, reads=access.reads | ties[0], writes=access.writes | ties[1])


def _listed(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []
