"""The threads of some runs as the kernel sees them: which run on, which wait, and where.

Not by waiting a while: two looks at every thread, one after the other, that show each asleep at the same place and not
once on a processor in between, prove that there was a moment at which all of them slept.
"""

import ctypes
import itertools
import os
import resource
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from harness.errors import MachineError
from harness.faults.syscalls import filters

_TEXT_BYTES: Final = 512
_CHILDREN_BYTES: Final = 1 << 16
_GONE: Final = b"ZX"
_DISK: Final = b"D"
_RUNNING: Final = b"running"
_KCMP: Final = {"x86_64": 312, "aarch64": 272, "riscv64": 272}
_KCMP_VM: Final = 1
_libc: Final = ctypes.CDLL(None)
_NO_CALL: Final = -1
_TICKS: Final = 11  # where the processor time stands after the name: in the program, and in the kernel for it
_UNTOLD: Final = b"-1 0 0"
_LIMIT_TAG: Final = 12  # RLIMIT_MSGQUEUE, by which the sandbox tells whose a process is
_HIDDEN: Final = b"0 0 0"  # what a kernel without the statistics says


Chain = tuple[tuple[int, int], ...]  # (a number that grows from birth to birth, id)


class Waiting(NamedTuple):
    """A thread that is asleep: the call it is in by number, -1 outside of any, and how many ``times`` it ran so far."""

    run: int
    pid: int
    tid: int
    number: int
    arguments: tuple[int, ...]
    times: bytes


class _Files:
    """The open files under /proc of one thread; looking again costs one read each."""

    def __init__(self, pid: int, tid: int) -> None:
        base = f"/proc/{pid}/task/{tid}/"
        self._fds: list[int] = []
        try:
            for name in ("stat", "syscall", "children", "schedstat"):
                self._fds.append(os.open(base + name, os.O_RDONLY | os.O_CLOEXEC))
        except FileNotFoundError:
            self.close()
            if os.path.exists(base + "stat"):
                raise MachineError("this kernel does not tell what its processes wait for (/proc/PID/task)") from None
            raise
        except BaseException:
            self.close()
            raise

    def read(self) -> tuple[bytes, bytes, bytes]:
        """Its state, the call it waits in, and how often it ran; OSError when it is gone."""
        stat = os.pread(self._fds[0], _TEXT_BYTES, 0)
        ran = os.pread(self._fds[3], _TEXT_BYTES, 0)
        place = stat.rindex(b")") + 2
        try:
            call = os.pread(self._fds[1], _TEXT_BYTES, 0)
        except PermissionError:
            call = _UNTOLD
        return stat[place : place + 1], call, ran

    def children(self) -> list[int]:
        """The processes it has started and that live."""
        return [int(word) for word in os.pread(self._fds[2], _CHILDREN_BYTES, 0).split()]

    def close(self) -> None:
        """Close them; may be called again."""
        while self._fds:
            os.close(self._fds.pop())


class Processes:
    """All processes of the runs that were added, found anew at each look."""

    def __init__(self) -> None:
        self._mains: dict[int, int] = {}
        self._tags: dict[int, int] = {}
        self._agents: dict[int, _Files] = {}
        self._files: dict[int, _Files] = {}
        self._runs: dict[int, int] = {}
        self._chains: dict[int, Chain] = {}
        self._births = itertools.count()

    def add(self, run: int, main: int) -> None:
        """A run whose first process is ``main``; one that is gone already has nothing to look at."""
        with suppress(OSError, ValueError):
            with open(f"/proc/{main}/stat", "rb") as stat:
                agent = int(stat.read().rpartition(b")")[2].split(None, 2)[1])
            if agent not in self._agents:
                self._agents[agent] = _Files(agent, agent)
            tag = _tag_of(main)
            self._mains[main] = run
            self._runs[main] = run
            self._chains[main] = ((next(self._births), main),)
            if tag is not None:
                self._tags[tag] = run

    def settled(self) -> dict[int, Waiting] | None:
        """Every living thread by its id, when all were asleep at one moment; None when something runs."""
        first = self._asleep()
        if first is None:
            return None
        second = self._asleep()
        return second if first == second else None

    def members(self, run: int) -> list[int]:
        """The processes of a run that were there at the last look, the first of them first."""
        return sorted(pid for pid, each in self._runs.items() if each == run)

    def computed_s(self, run: int) -> float:
        """The processor time that the processes of a run have taken which were there at the last look."""
        return sum(map(_computed_s, self.members(run)))

    def chain(self, pid: int) -> Chain:
        """The process and those it descends from within its run, the first one first."""
        return self._chains.get(pid, ((0, pid),))

    def close(self) -> None:
        """Close every file; nothing can be looked at any more."""
        for files in (*self._files.values(), *self._agents.values()):
            files.close()
        self._files.clear()
        self._agents.clear()

    def _asleep(self) -> dict[int, Waiting] | None:
        found: dict[int, Waiting] = {}
        waiting = list(self._roots())
        seen: set[int] = set()
        while waiting:
            pid, run = waiting.pop()
            seen.add(pid)
            for tid in _threads(pid):
                try:
                    files = self._of(pid, tid)
                    state, call, ran = files.read()
                    if state in _GONE and not call.startswith(_RUNNING):
                        continue  # while it runs it still has to tell its parent
                    children = files.children()
                    asleep = self._placed(run, pid, tid, (state, call, ran))
                    if asleep is None or (state == _DISK and not _waits_for_exec(asleep, children)):
                        return None
                    found[tid] = asleep
                    for child in children:  # in the order of their birth
                        if child not in self._chains:
                            self._chains[child] = (*self.chain(pid), (next(self._births), child))
                        waiting.append((child, run))
                except (OSError, ValueError):
                    continue  # gone meanwhile: the other look will not find it
        self._forget(seen, found)
        return found

    def _roots(self) -> Iterator[tuple[int, int]]:
        """The first process of each run, and orphans, which the sandbox's agent adopts."""
        for agent in self._agents.values():
            with suppress(OSError):
                for pid in agent.children():
                    run = self._mains.get(pid, self._runs.get(pid))
                    if run is None:
                        run = self._tags.get(_tag_of(pid) or -1)
                    if run is not None:
                        self._chains.setdefault(pid, ((next(self._births), pid),))
                        yield pid, run

    def _of(self, pid: int, tid: int) -> _Files:
        files = self._files.get(tid)
        if files is None:
            files = self._files[tid] = _Files(pid, tid)
        return files

    def _placed(self, run: int, pid: int, tid: int, told: tuple[bytes, bytes, bytes]) -> Waiting | None:
        state, call, ran = told
        self._runs[pid] = run
        if state == b"R" or call.startswith(_RUNNING):
            return None
        words = call.split()
        number = int(words[0])
        times = ran.rpartition(b" ")[2] if not ran.startswith(_HIDDEN) else _switches(pid, tid)
        arguments = tuple(int(word, 16) for word in words[1:7]) if number != _NO_CALL else ()
        return Waiting(run, pid, tid, number, arguments, times)

    def _forget(self, seen: set[int], found: Mapping[int, Waiting]) -> None:
        for tid in [tid for tid in self._files if tid not in found]:
            self._files.pop(tid).close()
        for pid in [pid for pid in self._runs if pid not in seen]:
            del self._runs[pid]
            self._chains.pop(pid, None)


def _waits_for_exec(waiting: Waiting, children: list[int]) -> bool:
    """Whether who cannot be disturbed waits for a child that it lent its memory to (vfork), not for a disk or the like.

    Those answer by themselves.
    """
    name = filters.name_of(waiting.number)
    number = _KCMP.get(os.uname().machine)
    if name not in ("vfork", "clone", "clone3") or number is None:
        return False
    return any(_libc.syscall(number, waiting.pid, child, _KCMP_VM, 0, 0) == 0 for child in children)


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def _computed_s(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            words = stat.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(words[_TICKS]) + int(words[_TICKS + 1])) / os.sysconf("SC_CLK_TCK")


def _switches(pid: int, tid: int) -> bytes:
    with open(f"/proc/{pid}/task/{tid}/status", "rb") as status:
        return b" ".join(line for line in status if b"ctxt_switches" in line)


def _tag_of(pid: int) -> int | None:
    try:
        return resource.prlimit(pid, _LIMIT_TAG)[0]
    except OSError:
        return None
