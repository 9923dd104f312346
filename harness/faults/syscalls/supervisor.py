"""The supervisor: every chosen file call of the runs started under it is handed to ``decide`` before it is done.

Works for any program in any language, static ones too, without privilege. What it cannot see: writes through shared
mappings (the mapping itself is seen, and named in ``mapped``), and the calls of 32-bit programs. File calls through
io_uring are refused with ENOSYS, upon which programs make the usual ones.
"""

import array
import contextlib
import errno
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from harness.errors import MachineError
from harness.faults.syscalls import ending, filters, notification, tearing
from harness.faults.syscalls.answers import (
    Answer,
    Call,
    Decision,
    Delay,
    Fail,
    Give,
    Go,
    Hold,
    Kill,
    Rest,
    Struck,
    Torn,
)
from harness.faults.syscalls.calls import FILE_CALLS, Kind
from harness.faults.syscalls.reading import Reader
from harness.faults.syscalls.runs import Run, Waiting
from harness.faults.syscalls.time_calls import TimeCalls
from harness.faults.syscalls.tree import Tree
from harness.sandbox import Filter

_RIGHTS: Final = socket.CMSG_SPACE(4) + socket.CMSG_SPACE(12)  # a descriptor, and who sends it
_WORD: Final = struct.Struct("i")  # 0 with the listener, or the error number with which it could not be had
_CREDENTIALS: Final = struct.Struct("iII")
_REFUSED: Final = {
    errno.EBUSY: "another supervisor listens to what runs here already, and a second one cannot",
    errno.ENOSYS: "this kernel has no seccomp filters",
    errno.EINVAL: "this kernel has no user notification of system calls (Linux 5.0 has it)",
    errno.EACCES: "this machine refuses to put a filter on what we start",
    errno.EPERM: "this machine refuses to put a filter on what we start",
}


class Supervisor:
    """Serves any number of runs in one thread of its own. Use as a context manager, around the runs.

    ``decide`` is called in that thread, one call at a time. ``below`` are absolute paths: calls on files elsewhere
    are done at once. ``names`` are the calls to be notified, of ``calls.SIGNATURES``; fewer are faster. With
    ``contents`` the data of writes is read. ``times`` tells the programs what time of day it is.
    ``rest`` is called in that thread too, whenever no call waits to be received: with whether the wait for one was in
    vain; it gives the seconds after which it is called again at the latest.
    ``struck`` are the calls that did not go as asked, in order. ``failure`` is what ended the service too early;
    leaving the context raises it: MachineError where this machine refuses.
    """

    def __init__(
        self,
        decide: Decision,
        *,
        below: tuple[str, ...],
        names: frozenset[str] = FILE_CALLS,
        contents: bool = False,
        times: TimeCalls | None = None,
        rest: Rest | None = None,
    ) -> None:
        self._decide = decide
        self._rest = rest
        self._rest_s: float | None = None
        self._below = tuple(path.rstrip("/") for path in below)
        self._contents = contents
        self._times = times
        self._chosen = names
        filters.program(names, timed=times is not None)  # where it cannot be built, nothing begins
        self._names = {number: name for name, number in filters.numbers().items()}
        self._poll = select.epoll()
        self._by_fd: dict[int, Run] = {}
        self._changes = 0  # of what is watched
        self._all: list[Run] = []
        self._wake_in, self._wake_out = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll.register(self._wake_in, select.EPOLLIN)
        self._closing = self._closed = False
        self._lock = threading.RLock()  # an answer and what is known of the call that waits for it change together
        self._late: list[tuple[float, Run, Waiting]] = []
        self.struck: list[Struck] = []
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="syscall supervisor", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()  # before any child: it and we would otherwise wait for each other
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if self.failure is not None and kind is None:
            raise self.failure

    def close(self) -> None:
        """End the service, and kill what still runs under it. May be called again. HarnessFault when it hangs."""
        if self._closed:
            return
        self._closed = self._closing = True
        self._rouse()
        if self._thread.ident is not None:
            ending.join(self._thread, self._kill_all)
        self._hear_out()
        self._end_all()
        self._poll.close()
        os.close(self._wake_in)
        os.close(self._wake_out)

    def _hear_out(self) -> None:
        """What came too late to be served: a run that was refused a filter must not look like one that was calm."""
        for run in self._all:
            with contextlib.suppress(OSError):  # nothing came, or it came and was heard
                run.end.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
                try:
                    self._accept(run)
                except MachineError as error:
                    self.failure = self.failure or error

    def filter(self, names: frozenset[str] | None = None, times: TimeCalls | None = None) -> Filter:
        """What to start the next run with; each is for one run, which counts from 0. Raises ``failure`` if set.

        Of this run other ``names`` are notified, or another time is told, where they are given.
        """
        if self.failure is not None:
            raise self.failure
        run = Run(len(self._all), Reader(self._below, self._contents), times or self._times)
        steady = run.times is not None and run.times.steady
        chosen = self._chosen if names is None else names
        program = filters.program(chosen, timed=run.times is not None, steady=steady)
        self._all.append(run)
        self._watch(run.end.fileno(), run)
        return Filter(program=program, listener_to=run.child.fileno())

    def started(self, run: int) -> None:
        """The run has been handed over. Only a start that fails needs this said, to be known as over."""
        self._all[run].handed_over()

    def answer(self, call: Call, answer: Answer) -> bool:
        """Answer a held call, from any thread; False when it does not wait any more."""
        run = self._all[call.run]
        waiting = run.waiting.get(call.tid)
        if waiting is None or waiting.call.cookie != call.cookie:
            return False
        return self._carry_out(run, waiting, answer)

    def kill(self, run: int) -> None:
        """Kill everything that the run started."""
        if (tree := self._all[run].tree) is not None:
            tree.end()

    def _kill_all(self) -> None:
        for run in self._all:
            self.kill(run.number)

    def main(self, run: int) -> int:
        """The id of the first process of a run; 0 until its listener has come."""
        return 0 if (tree := self._all[run].tree) is None else tree.main

    def over(self, run: int) -> bool:
        """Whether nothing is left of a run, or it could not be started."""
        return self._all[run].over.is_set()

    def quiet(self) -> bool:
        """Whether no call waits to be received; for ``rest``."""
        return not self._poll.poll(0)

    def processes(self, run: int) -> tuple[int, ...]:
        """The ids of the processes of a run that have made a call and have not ended, by the order of their first."""
        return tuple(self._all[run].processes)

    def mapped(self) -> tuple[str, ...]:
        """The files that were mapped to be written: what is written to them so is seen by nobody."""
        return tuple(sorted(set().union(*(run.reader.mapped for run in self._all))))

    def _rouse(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake_out, b"!")

    def _serve(self) -> None:
        try:
            while not self._closing:
                watched = self._changes
                ready = self._poll.poll(self._patience_s())
                for fd, event in ready:
                    if watched != self._changes:
                        break  # a number that was closed meanwhile may be another's; what is left is told again
                    if fd == self._wake_in:
                        os.read(fd, 4096)
                    else:
                        self._attend(self._by_fd[fd], fd, event)
                self._do_late()
                if self._rest is not None and self.quiet():
                    self._rest_s = self._rest(not ready)
        except BaseException as error:  # noqa: BLE001  # told to whoever uses the supervisor, in its own thread
            self.failure = error
            self._hear_out()  # a listener under way: whoever sent it would wait for ever
            self._end_all()

    def _end_all(self) -> None:
        """Kill whatever could not make its calls without us, and give everything back."""
        for run in self._all:
            if run.listener >= 0 and run.tree is not None:
                run.tree.end()
            self._drop(run)

    def _patience_s(self) -> float | None:
        if not self._late:
            return self._rest_s
        due_s = max(0.0, min(due for due, _, _ in self._late) - time.monotonic())
        return due_s if self._rest_s is None else min(due_s, self._rest_s)

    def _do_late(self) -> None:
        now = time.monotonic()
        for entry in [entry for entry in self._late if entry[0] <= now]:
            self._late.remove(entry)
            _, run, waiting = entry
            with self._lock:
                waiting.due = True
                if run.waiting.get(waiting.call.tid) is waiting:
                    self._let_go(run, waiting)

    def _let_go(self, run: Run, waiting: Waiting) -> None:
        """The delay of that call is over."""
        self._done(run, waiting, "delayed", lambda: notification.proceed(run.listener, waiting.cookie))

    def _done(self, run: Run, waiting: Waiting, proof: str, do: Callable[[], bool]) -> bool:
        """Answer by ``do``, which says whether the thread still waited; the ``proof`` stands before it can run on."""
        struck = Struck(waiting.call, waiting.answer or Go(), proof)
        if proof:
            self.struck.append(struck)
        if do():
            run.waiting.pop(waiting.call.tid, None)
            return True
        if proof:
            self.struck.remove(struck)
        return False  # taken back by a signal, then it comes again; or gone

    def _attend(self, run: Run, fd: int, event: int) -> None:
        if fd == run.listener:
            if event & select.EPOLLIN:
                self._notified(run)
            else:
                self._drop(run)  # nobody is left who could ask
        elif fd == run.end.fileno():
            self._accept(run)
        else:
            self._forget(fd)
            run.ended(fd)

    def _accept(self, run: Run) -> None:
        """The listener arrives from the child, or why there is none; the line's end means that the start failed."""
        word, found, _, _ = run.end.recvmsg(_WORD.size, _RIGHTS, socket.MSG_CMSG_CLOEXEC)
        descriptors = array.array("i")
        pid = 0
        for _, kind, data in found:
            if kind == socket.SCM_RIGHTS:
                descriptors.frombytes(data)
            elif kind == socket.SCM_CREDENTIALS:
                pid = _CREDENTIALS.unpack(data)[0]
        if not descriptors:
            self._drop(run)
            if len(word) == _WORD.size:
                number = _WORD.unpack(word)[0]
                reason = _REFUSED.get(number, f"this machine refuses a supervisor: {os.strerror(number)}")
                raise MachineError(reason)
            return
        self._forget(run.end.fileno())
        run.arrived(descriptors[0], Tree(pid))
        notification.prepare(run.listener)
        self._watch(run.listener, run)

    def _drop(self, run: Run) -> None:
        with self._lock:
            for fd in run.descriptors():
                self._forget(fd)  # before its number can be another's
            run.close()

    def _watch(self, fd: int, run: Run) -> None:
        self._changes += 1
        self._by_fd[fd] = run
        self._poll.register(fd, select.EPOLLIN)

    def _forget(self, fd: int) -> None:
        if self._by_fd.pop(fd, None) is not None:
            self._changes += 1
            self._poll.unregister(fd)

    def _notified(self, run: Run) -> None:
        asked = notification.receive(run.listener)
        if asked is None:
            return
        name = self._names[asked.number]
        if run.times is not None and run.times.answer(run.number, run.listener, name, asked):
            return
        with self._lock:
            again = run.waiting.get(asked.tid)
            if again is not None and again.asked == (asked.number, asked.arguments):
                again.cookie = asked.id
                self._carry_on(run, again)
                return
        call = self._read(run, name, asked)
        if call is None:
            run.waiting.pop(asked.tid, None)
            notification.proceed(run.listener, asked.id)
            return
        waiting = run.waiting[asked.tid] = Waiting(asked.number, asked.arguments, call)
        self._carry_out(run, waiting, self._decide(call))

    def _carry_on(self, run: Run, waiting: Waiting) -> None:
        """A signal came before the answer did, and the thread asks again what it has asked already."""
        if waiting.due:
            self._let_go(run, waiting)
        elif waiting.answer is not None and not isinstance(waiting.answer, Hold | Delay):
            self._carry_out(run, waiting, waiting.answer)

    def _read(self, run: Run, name: str, asked: notification.Notification) -> Call | None:
        try:
            paths = run.reader.paths(name, asked)
            if paths is None:
                return None
            number, pid, end = run.process_of(asked.tid)
            if end >= 0:
                self._watch(end, run)
            return run.reader.call(run.number, (number, pid), name, asked, paths)
        except OSError as error:
            if error.errno in (errno.EPERM, errno.EACCES) and notification.waits(run.listener, asked.id):
                raise MachineError("this machine does not let us look into the programs we start") from error
            return None  # the kernel says what is wrong with an address; a thread that is gone is told nothing

    def _carry_out(self, run: Run, waiting: Waiting, answer: Answer) -> bool:
        with self._lock:
            if run.listener < 0:
                return False
            waiting.answer = answer
            call, listener, cookie = waiting.call, run.listener, waiting.cookie
            match answer:
                case Hold():
                    return True
                case Delay(seconds=seconds):
                    self._late.append((time.monotonic() + seconds, run, waiting))
                    self._rouse()
                    return True
                case Go():
                    return self._done(run, waiting, "", lambda: notification.proceed(listener, cookie))
                case Fail(errno=name):
                    return self._done(run, waiting, name, lambda: _fail(listener, cookie, call, name))
                case Give(value=value):
                    return self._done(run, waiting, "given", lambda: notification.give(listener, cookie, value))
                case Kill(signal=name):
                    return self._done(run, waiting, name, lambda: run.strike(cookie, name))
                case Torn(size=size, kill=kill):
                    return self._tear(run, waiting, size, kill=kill)

    def _tear(self, run: Run, waiting: Waiting, size: int, *, kill: bool) -> bool:
        call, listener, cookie = waiting.call, run.listener, waiting.cookie
        if not notification.waits(listener, cookie):
            return False
        if not tearing.tearable(call, size):
            return self._done(run, waiting, "", lambda: notification.proceed(listener, cookie))
        try:
            done = tearing.tear(call, size)
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "EIO")
            return self._done(run, waiting, name, lambda: _fail(listener, cookie, call, name))
        if kill:
            return self._done(run, waiting, f"{done} bytes", lambda: run.strike(cookie, "SIGKILL"))
        return self._done(run, waiting, f"{done} bytes", lambda: notification.give(listener, cookie, done))


def _fail(listener: int, cookie: int, call: Call, name: str) -> bool:
    if call.kind is Kind.CLOSE and call.descriptor is not None:
        notification.release(listener, cookie, call.descriptor)
    return notification.refuse(listener, cookie, getattr(errno, name))


__all__ = [
    "Answer", "Call", "Decision", "Delay", "Fail", "Give", "Go", "Hold", "Kill", "Struck", "Supervisor", "Torn",
]  # fmt: skip
