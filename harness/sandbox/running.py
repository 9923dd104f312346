"""Runs in a sandbox: pipes, deadlines and floods, for one command or several at once."""

import math
import os
import select
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from io import FileIO
from typing import Final

from harness.errors import HarnessFault
from harness.sandbox import wire
from harness.sandbox.channel import Channel
from harness.sandbox.plan import Ended, Run
from harness.sandbox.roots import Roots

_CHUNK: Final = 1 << 16  # what a pipe holds
_NOTICE_WAIT_S: Final = 15.0  # after a kill; the agent itself gives up after 5 s
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

    def hand_over(self, channel: Channel, request: wire.Spawn) -> None:
        """Send the child's ends to the agent; ours are closed too if that fails."""
        try:
            channel.tell(request, self.child)
        except BaseException:
            for fd in (self.stdin, self.stdout, self.stderr):
                os.close(fd)
            raise
        finally:
            for fd in self.child:
                os.close(fd)


def spawn_request(number: int, run: Run, roots: Roots) -> wire.Spawn:
    """``run`` with its placeholders resolved, as bytes: arguments need not be text."""
    env = {os.fsencode(name): os.fsencode(roots.resolve(value)) for name, value in run.env.items()}
    argv = tuple(os.fsencode(roots.resolve(word)) for word in run.argv)
    return wire.Spawn(number, argv, env, os.fsencode(roots.resolve(run.cwd)), run.close_stdout, run.close_stderr)


class _Watched:
    """One run while it goes on."""

    def __init__(self, number: int, run: Run, pipes: Pipes) -> None:
        self.number = number
        self.run = run
        self.deadline = time.monotonic() + run.timeout_s
        self.killed_at = 0.0
        self.timed_out = self.flooded = False
        self.notice: wire.Exited | None = None
        self.output = {pipes.stdout: bytearray(), pipes.stderr: bytearray()}
        self.streams = (pipes.stdout, pipes.stderr)
        self.stdin = pipes.stdin
        self.open = {pipes.stdin, pipes.stdout, pipes.stderr}
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
        )


class Collector:
    """Starts several runs, all before waiting for any, and follows them to their ends."""

    def __init__(self, channel: Channel, roots: Roots) -> None:
        self._channel = channel
        self._roots = roots
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
        request = spawn_request(number, run, self._roots)
        pipes = Pipes()
        pipes.hand_over(self._channel, request)
        watched = _Watched(number, run, pipes)
        self._watched.append(watched)
        for fd in watched.streams:
            self._register(fd, _POLLED, watched)
        if watched.wants_to_write():
            self._register(watched.stdin, select.POLLOUT | select.POLLERR, watched)
        elif run.stdin is not None and not run.keep_stdin_open:
            watched.close(watched.stdin)

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

    def _patience_ms(self, until: float) -> int:
        now = time.monotonic()
        waiting = [watched for watched in self._watched if watched.notice is None]
        ends = [w.killed_at + _NOTICE_WAIT_S if w.killed_at else w.deadline for w in waiting]
        return max(0, int((min(*ends, until) - now) * 1000) + 1)


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
        while self._ended is None:
            left = deadline - time.monotonic()
            self._channel.pump(max(0, int(left * 1000 + 0.999)))
            notice = self._channel.exited(self._number)
            if notice is not None:
                self._ended = Ended(
                    exit_code=notice.exit_code,
                    signal=notice.signal,
                    children_left=notice.children_left,
                    duration_s=notice.duration_s,
                    start_error=notice.start_error,
                )
            elif left <= 0:
                break
        return self._ended

    def kill(self) -> None:
        """Kill it and everything it started; ``wait`` then tells the end."""
        if self._ended is None:
            self._channel.tell(wire.Kill(self._number))

    def close(self) -> None:
        """Close the three pipes; may be called again. The process is not killed by this."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()
