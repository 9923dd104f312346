"""One run under a supervisor: its listener, and which of its processes and threads is which."""

import contextlib
import os
import signal
import socket
import threading

from harness.faults.syscalls import memory, notification
from harness.faults.syscalls.answers import Answer, Call
from harness.faults.syscalls.reading import Reader
from harness.faults.syscalls.time_calls import TimeCalls
from harness.faults.syscalls.tree import Tree


class Waiting:
    """A call that was read and is not answered yet; a signal may make its thread ask again, with another cookie."""

    def __init__(self, number: int, arguments: tuple[int, ...], call: Call) -> None:
        self.asked = (number, arguments)
        self.call = call
        self.cookie = call.cookie
        self.answer: Answer | None = None
        self.due = False  # its delay is over


class Run:
    """The ``number``-th run of a supervisor: ``end`` is our end of the line on which its listener comes."""

    def __init__(self, number: int, reader: Reader, times: TimeCalls | None = None) -> None:
        self.number = number
        self.reader = reader
        self.times = times
        self.end, self.child = socket.socketpair()
        self.end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.listener = -1
        self.tree: Tree | None = None
        self.over = threading.Event()
        self.processes: dict[int, int] = {}  # those alive that have made a call: id -> number
        self.waiting: dict[int, Waiting] = {}  # by thread
        self._count = 0
        self._threads: dict[int, int] = {}
        self._ends: dict[int, int] = {}  # descriptor that tells the end of a process -> its id

    def process_of(self, tid: int) -> tuple[int, int, int]:
        """(number, id, descriptor) of the process of a thread that waits.

        The descriptor becomes readable at the process's end, and is -1 unless this process is new.
        """
        pid = self._threads.get(tid)
        if pid is None or (pid != tid and not os.path.exists(f"/proc/{pid}/task/{tid}")):
            pid = self._threads[tid] = memory.process_of(tid)
        if pid in self.processes:
            return self.processes[pid], pid, -1
        number = self.processes[pid] = self._count
        self._count += 1
        end = -1
        with contextlib.suppress(OSError):  # killed meanwhile
            end = os.pidfd_open(pid)
            self._ends[end] = pid
        return number, pid, end

    def ended(self, end: int) -> None:
        """The process with that descriptor has ended: its id, and those of its threads, may soon be another's."""
        pid = self._ends.pop(end)
        os.close(end)
        self.processes.pop(pid, None)
        for tid in [tid for tid, owner in self._threads.items() if owner == pid]:
            del self._threads[tid]
            self.waiting.pop(tid, None)

    def handed_over(self) -> None:
        """The child's end of the line is not kept open here any more. May be called again."""
        self.child.close()

    def arrived(self, listener: int, tree: Tree) -> None:
        """The listener has come, and the line has served."""
        self.end.close()
        self.child.close()
        self.listener = listener
        self.tree = tree

    def strike(self, cookie: int, name: str) -> bool:
        """A signal before the call of that cookie; of one that is no death the handler comes first, then the call."""
        if self.tree is None or not notification.waits(self.listener, cookie):
            return False
        number = signal.Signals[name]
        if number == signal.SIGKILL:
            return self.tree.end()
        met = self.tree.send(number)
        notification.repeat(self.listener, cookie)
        return met

    def descriptors(self) -> list[int]:
        """What of it is open and watched."""
        return [fd for fd in (self.end.fileno(), self.listener, *self._ends) if fd >= 0]

    def close(self) -> None:
        """Give everything back, and forget every process. May be called again."""
        self.end.close()
        self.child.close()
        for fd in (self.listener, *self._ends):
            if fd >= 0:
                os.close(fd)
        self.listener = -1
        self._ends.clear()
        self.processes.clear()
        self.waiting.clear()
        self.over.set()
