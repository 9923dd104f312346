"""Runs in a sandbox: pipes, deadlines and floods, for one command or several at once."""

import math
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from io import FileIO
from typing import Final

from harness.errors import HarnessFault
from harness.sandbox import wire
from harness.sandbox.channel import Channel
from harness.sandbox.plan import Ended, Interruption, Run
from harness.sandbox.roots import Roots
from harness.sandbox.spawning import listener_way, spawn_request

_CHUNK: Final = 1 << 16  # what a pipe holds
_NOTICE_WAIT_S: Final = 15.0  # after a kill; the agent itself gives up after 5 s
_FILLING: Final = bytes(_CHUNK)
SLOW_S: Final = 0.3  # before a slow stream is served: longer than a stop takes, shorter than any limit
_POLLED: Final = select.POLLIN | select.POLLHUP | select.POLLERR


class Pipes:
    """The three pipes of a child: our ends, and for as long as the child is not started, its ends."""

    def __init__(self) -> None:
        made: list[int] = []
        try:
            for _ in range(3):
                made.extend(os.pipe2(os.O_CLOEXEC))
        except OSError:
            for fd in made:
                os.close(fd)
            raise
        self.stdin, self.stdout, self.stderr = made[1], made[2], made[4]
        self.child = (made[0], made[3], made[5])

    def fill(self, stream: int) -> int:
        """Fill the pipe of an output, 1 or 2, before the child has it; so many bytes are in it that are not its own."""
        fd = self.child[stream]
        os.set_blocking(fd, False)
        filled = 0
        with suppress(BlockingIOError):
            while True:
                filled += os.write(fd, _FILLING)
        os.set_blocking(fd, True)  # the mode is the pipe's, not the descriptor's: the child would have it too
        return filled

    def hand_over(self, channel: Channel, request: wire.Spawn, more: tuple[int, ...] = ()) -> None:
        """Send the child's ends to the agent, and ``more`` descriptors; ours are closed too if that fails."""
        try:
            channel.tell(request, (*self.child, *more))
        except BaseException:
            for fd in (self.stdin, self.stdout, self.stderr):
                os.close(fd)
            raise
        finally:
            for fd in self.child:
                os.close(fd)


class _Watched:
    """One run while it goes on."""

    def __init__(self, number: int, run: Run, pipes: Pipes, filled: dict[int, int]) -> None:
        self.number = number
        self.run = run
        self.started = time.monotonic()
        self.deadline = self.started + run.timeout_s
        self.killed_at = 0.0
        self.timed_out = self.flooded = False
        self.notice: wire.Exited | None = None
        self.output = {pipes.stdout: bytearray(), pipes.stderr: bytearray()}
        self.streams = (pipes.stdout, pipes.stderr)
        self.stdin = pipes.stdin
        self.open = {pipes.stdin, pipes.stdout, pipes.stderr}
        self.asleep = {*filled, *((pipes.stdin,) if run.surroundings.stdin == "slow" else ())}
        self.due = _due(run.interruption, self.started)
        self._filled = filled
        self._unwritten = memoryview(run.stdin or b"")
        for fd in self.open:
            os.set_blocking(fd, False)

    def wants_to_write(self) -> bool:
        """Whether stdin is open and has something left to say."""
        return self.stdin in self.open and len(self._unwritten) > 0

    def close(self, fd: int) -> None:
        """Close one of our ends, once."""
        if fd in self.open:
            self.open.discard(fd)
            os.close(fd)

    def write(self) -> None:
        """Write what the pipe takes; a reader that is gone ends it."""
        try:
            self._unwritten = self._unwritten[os.write(self.stdin, self._unwritten[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self.close(self.stdin)
            return
        if not self._unwritten and not self.run.keep_stdin_open:
            self.close(self.stdin)

    def read(self, fd: int) -> bool:
        """Take in one chunk; False when there is none, for now or for ever."""
        try:
            chunk = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.close(fd)
            return False
        if not_its_own := min(self._filled.get(fd, 0), len(chunk)):
            self._filled[fd] -= not_its_own
            chunk = chunk[not_its_own:]
        held = self.output[fd]
        room = self.run.output_limit - len(held)
        held += chunk[:room]
        self.flooded = self.flooded or len(chunk) > room
        return not self.flooded

    def ended(self) -> Ended:
        """The result, after draining what the pipes still hold."""
        notice = self.notice
        if notice is None:
            raise HarnessFault("a run was asked for its end before it came")
        for fd in self.streams:
            while fd in self.open and self.read(fd):
                pass
        return Ended(
            exit_code=notice.exit_code,
            signal=notice.signal,
            stdout=bytes(self.output[self.streams[0]]),
            stderr=bytes(self.output[self.streams[1]]),
            timed_out=self.timed_out,
            flooded=self.flooded,
            children_left=notice.children_left,
            duration_s=notice.duration_s,
            start_error=notice.start_error,
            signals=notice.signals,
        )

    def next_s(self) -> float:
        """When something is to be done for it, whatever its pipes say."""
        if self.killed_at:
            return self.killed_at + _NOTICE_WAIT_S
        moments = [self.deadline, *(at for at, _ in self.due[:1])]
        return min(*moments, self.started + SLOW_S) if self.asleep else min(moments)


def _due(interruption: Interruption | None, started: float) -> list[tuple[float, int]]:
    if interruption is None:
        return []
    first = started + interruption.after_s
    resumed = interruption.resume_after_s
    return [(first, interruption.signal), *([] if resumed is None else [(first + resumed, signal.SIGCONT)])]


class Collector:
    """Starts several runs, all before waiting for any, and follows them to their ends."""

    def __init__(self, channel: Channel, roots: Roots, warm: str = "") -> None:
        self._channel = channel
        self._roots = roots
        self._warm = warm
        self._poll = select.poll()
        self._poll.register(channel.fileno(), _POLLED)
        self._watched: list[_Watched] = []
        self._by_fd: dict[int, _Watched] = {}

    WAITING_AFTER_S: Final = 0.5  # a run that has not ended by then is taken to be waiting, not working

    def collect(
        self, runs: list[tuple[int, Run]], waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> list[Ended]:
        """The ends of ``runs``, in their order. Whatever happens, no pipe stays open and nothing runs on."""
        try:
            for number, run in runs:
                self._start(number, run)
            self._wait(time.monotonic() + self.WAITING_AFTER_S)
            if self._unended():
                with waiting():
                    self._wait(math.inf)
            return [watched.ended() for watched in self._watched]
        finally:
            for watched in self._watched:
                for fd in tuple(watched.open):
                    watched.close(fd)
                if watched.notice is None:
                    self._channel.forget(watched.number)
                    with suppress(Exception):  # the exception under way says more than this one would
                        self._channel.tell(wire.Kill(watched.number))

    def _unended(self) -> bool:
        return any(watched.notice is None for watched in self._watched)

    def _wait(self, until: float) -> None:
        while self._unended() and time.monotonic() < until:
            self._step(until)

    def _start(self, number: int, run: Run) -> None:
        request = spawn_request(number, run, self._roots, self._warm)
        pipes = Pipes()
        around = run.surroundings
        slow = [n for n, stream in ((1, around.stdout), (2, around.stderr)) if stream == "slow"]
        filled = {(pipes.stdout, pipes.stderr)[n - 1]: pipes.fill(n) for n in slow}
        pipes.hand_over(self._channel, request, listener_way(run))
        watched = _Watched(number, run, pipes, filled)
        self._watched.append(watched)
        for fd in (*watched.streams, watched.stdin):
            if fd not in watched.asleep:
                self._listen(fd, watched)

    def _listen(self, fd: int, watched: _Watched) -> None:
        if fd != watched.stdin:
            self._register(fd, _POLLED, watched)
        elif watched.wants_to_write():
            self._register(fd, select.POLLOUT | select.POLLERR, watched)
        elif watched.run.stdin is not None and not watched.run.keep_stdin_open:
            watched.close(fd)

    def _register(self, fd: int, events: int, watched: _Watched) -> None:
        self._poll.register(fd, events)
        self._by_fd[fd] = watched

    def _step(self, until: float) -> None:
        for fd, _ in self._poll.poll(self._patience_ms(until)):
            if fd == self._channel.fileno():
                self._channel.pump()
                continue
            watched = self._by_fd[fd]
            if fd not in watched.open:
                continue
            if fd == watched.stdin:
                watched.write()
                if not watched.wants_to_write():
                    self._poll.unregister(fd)
                    del self._by_fd[fd]
                    continue
            else:
                watched.read(fd)
            if fd not in watched.open:
                self._poll.unregister(fd)
                del self._by_fd[fd]
        now = time.monotonic()
        for watched in self._watched:
            if watched.notice is None:
                watched.notice = self._channel.exited(watched.number)
                if watched.notice is None:
                    self._bound(watched, now)
                    self._attend(watched, now)

    def _bound(self, watched: _Watched, now: float) -> None:
        if watched.killed_at:
            if now - watched.killed_at > _NOTICE_WAIT_S:
                raise HarnessFault("the sandbox's agent did not report the end of a run it was told to kill")
            return
        late = now >= watched.deadline
        if late or watched.flooded:
            watched.timed_out = late and not watched.flooded
            watched.killed_at = now
            for fd in watched.streams:  # a flood goes on until the kill arrives: stop listening
                if fd in watched.open and watched.flooded:
                    self._poll.unregister(fd)
                    del self._by_fd[fd]
                    watched.close(fd)
            self._channel.tell(wire.Kill(watched.number))

    def _attend(self, watched: _Watched, now: float) -> None:
        if watched.killed_at:
            return
        while watched.due and watched.due[0][0] <= now:
            self._channel.tell(wire.Signal(watched.number, watched.due.pop(0)[1]))
        if watched.asleep and now >= watched.started + SLOW_S:
            for fd in tuple(watched.asleep):
                self._listen(fd, watched)
            watched.asleep.clear()

    def _patience_ms(self, until: float) -> int:
        waiting = [watched for watched in self._watched if watched.notice is None]
        left_s = min(*(watched.next_s() for watched in waiting), until) - time.monotonic()
        # the last part of a millisecond before a signal is waited for awake, so that it is sent when it should be
        early = any(watched.due for watched in waiting)
        return max(0, int(left_s * 1000) + (0 if early else 1))


class Running:
    """A process that runs on. Its three pipes are unbuffered files that belong to the caller until ``close``."""

    def __init__(self, channel: Channel, number: int, pipes: Pipes) -> None:
        self._channel = channel
        self._number = number
        self._ended: Ended | None = None
        self.stdin = FileIO(pipes.stdin, "wb")
        self.stdout = FileIO(pipes.stdout, "rb")
        self.stderr = FileIO(pipes.stderr, "rb")

    @property
    def stdin_fd(self) -> int:
        """Descriptor of the pipe to its stdin; ValueError when closed."""
        return self.stdin.fileno()

    @property
    def stdout_fd(self) -> int:
        """Descriptor of the pipe from its stdout; ValueError when closed."""
        return self.stdout.fileno()

    @property
    def stderr_fd(self) -> int:
        """Descriptor of the pipe from its stderr; ValueError when closed."""
        return self.stderr.fileno()

    def poll(self) -> Ended | None:
        """How it ended (without output), or None while it runs. A start that failed has ended, by ``start_error``."""
        return self.wait(0)

    def wait(self, timeout_s: float) -> Ended | None:
        """The same, waiting as long as ``timeout_s``; output it fills a pipe with must be read meanwhile."""
        deadline = time.monotonic() + timeout_s
        left = timeout_s
        while self._ended is None:
            # it may have come while something else was asked: whoever then waited would wait for nothing
            notice = self._channel.exited(self._number)
            if notice is None:
                self._channel.pump(max(0, int(left * 1000 + 0.999)))
                notice = self._channel.exited(self._number)
                left = deadline - time.monotonic()
            if notice is not None:
                self._ended = Ended(
                    exit_code=notice.exit_code,
                    signal=notice.signal,
                    children_left=notice.children_left,
                    duration_s=notice.duration_s,
                    start_error=notice.start_error,
                    signals=notice.signals,
                )
            elif left <= 0:
                break
        return self._ended

    def signal(self, number: int, *, group: bool = False) -> None:
        """Send a signal to it alone, or with ``group`` to its process group as a terminal does for Ctrl-C.

        Its end then tells whether that met it alive.
        """
        if self._ended is None:
            self._channel.tell(wire.Signal(self._number, number, group))

    def kill(self) -> None:
        """Kill it and everything it started; ``wait`` then tells the end."""
        if self._ended is None:
            self._channel.tell(wire.Kill(self._number))

    def close(self) -> None:
        """Close the three pipes; may be called again. The process is not killed by this."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()
