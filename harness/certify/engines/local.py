"""Runs shards on worker processes of this machine.

Threads of one process start at once, and wait side by side for what is under test, which runs in processes of its own.
But a process judges one thing at a time, so where there is much to judge each job has a process.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import resources
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path

import msgspec

from harness.certify.engines import DEATHS_OF_WORKERS
from harness.certify.engines.running import ShardRun
from harness.certify.engines.shard import Shard, ShardResult
from harness.errors import MachineError
from harness.sandbox.pool import SandboxPool
from harness.targets.slots import Slots

ALONE = 4  # jobs of threads that are enough where little is to be judged; docs/engines.md
MUCH = 240  # scenarios, from which on worker processes are faster although they take a second to start
AT_ONCE = 2  # shards of one worker: while of one all that is left waits for a time-out, the next is played
IDLE = 6  # sandboxes that a worker keeps between shards: more are in use only while many cases wait for time-outs
POLL_S = 0.2  # how often the end of the run is looked for
BEAT_S = 1.0  # how often a worker says that it lives
SILENT_S = 60.0  # a worker not heard for so long is stopped, or wedged in the kernel
END_S = 5.0  # for workers to close their sandboxes; then they are killed
# -P and this: a file of the folder in which the person works is no module of ours
_BOOT = "import sys; sys.path.insert(0, {parent!r}); from harness.certify.engines.local import serve; serve({fd})"


def for_jobs(jobs: int) -> "WorkerProcesses | None":
    """The engine for so many jobs; None where this process plays whatever is to be played."""
    return WorkerProcesses(jobs, least=MUCH if jobs <= ALONE else 0) if jobs > 1 else None


class WorkerProcesses:
    """An engine of ``jobs`` worker processes, for plans of at least so many scenarios."""

    def __init__(self, jobs: int, least: int = 0) -> None:
        self.least = least
        self._jobs = jobs
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()  # of workers, by the number of a shard they had

    def run(self, shards: Sequence[Shard], over: Callable[[], bool]) -> Iterator[ShardResult]:
        """See ShardEngine.run."""
        todo = deque(shards)
        self._deaths.clear()
        try:
            while (todo or any(worker.shards for worker in self._workers)) and not over():
                self._hand_out(todo)
                wait([worker.link for worker in self._workers], POLL_S)
                for worker in list(self._workers):
                    yield from worker.heard()
                    if worker.fate:
                        self._workers.remove(worker)
                        todo.extendleft(reversed(self._again(worker)))
        finally:
            self._close()

    def _hand_out(self, todo: deque[Shard]) -> None:
        """Each idle worker has a shard before any has two; one that was lost with its worker is played alone."""
        while len(self._workers) < min(self._jobs, len(todo) + len(self._workers)):
            self._workers.append(_Worker())
        for most in range(1, AT_ONCE + 1):
            for worker in self._workers:
                if todo and len(worker.shards) < most and self._go_together(worker, todo[0]):
                    worker.take(todo.popleft())

    def _go_together(self, worker: "_Worker", shard: Shard) -> bool:
        return not worker.shards or not any(self._deaths[number] for number in (*worker.shards, shard.number))

    def _again(self, worker: "_Worker") -> tuple[Shard, ...]:
        """The shards of a worker that is gone, in order; MachineError when one of them had too many."""
        for shard in worker.shards.values():
            self._deaths[shard.number] += 1
            if self._deaths[shard.number] > DEATHS_OF_WORKERS:
                raise MachineError(
                    f"{shard} ended the worker that ran it {self._deaths[shard.number]} times, last process "
                    f"{worker.pid}, which {worker.fate}; look at this machine's memory and its log"
                )
        return tuple(worker.shards.values())

    def _close(self) -> None:
        for worker in self._workers:
            worker.link.close()  # which it takes for its end
        deadline = time.monotonic() + END_S
        for worker in self._workers:
            worker.end(max(deadline - time.monotonic(), 0.0))
        self._workers = []


class _Worker:
    """One worker process: its shards by number, and ``fate``, how it ended, "" while it lives."""

    def __init__(self) -> None:
        self.link, theirs = Pipe()
        self.shards: dict[int, Shard] = {}
        self.fate = ""
        self._heard_s = time.monotonic()
        parent = str(Path(str(resources.files("harness"))).parent)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT.format(parent=parent, fd=theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C goes to the run only, which then ends its workers in order
        )
        theirs.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def take(self, shard: Shard) -> None:
        """Gives it a shard."""
        self.shards[shard.number] = shard
        with suppress(OSError):  # it is gone, which heard() tells
            self.link.send_bytes(msgspec.msgpack.encode(shard))

    def heard(self) -> Iterator[ShardResult]:
        """The results that have come; sets its fate when it is gone, or silent for too long."""
        try:
            while self.link.poll():
                data = self.link.recv_bytes()
                self._heard_s = time.monotonic()
                if data:
                    result = msgspec.msgpack.decode(data, type=ShardResult)
                    del self.shards[result.number]
                    yield result
        except (EOFError, OSError):
            self.end(END_S)
            return
        if time.monotonic() - self._heard_s > SILENT_S:
            self.end(0.0)
            self.fate = f"had not been heard for {SILENT_S:.0f} s"

    def end(self, within_s: float) -> None:
        """It is gone when this returns, killed if it takes longer."""
        self.link.close()
        try:
            code = self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self.fate = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"


def serve(descriptor: int) -> None:
    """A worker process: runs the shards that come in at ``descriptor``, until its other end is closed."""
    link = Connection(descriptor)
    guard = threading.Lock()
    running: set[ShardRun] = set()

    def say(data: bytes) -> None:
        with guard, suppress(OSError):
            link.send_bytes(data)

    def work(shard_run: ShardRun) -> None:
        result = shard_run.run()
        running.discard(shard_run)
        say(msgspec.msgpack.encode(result))

    def beat() -> None:
        while not ended.wait(BEAT_S):
            say(b"")

    ended = threading.Event()
    threading.Thread(target=beat, daemon=True).start()
    with SandboxPool(IDLE) as sandboxes:  # for all shards, as one takes longer to build than many a shard to play
        slots = Slots(1, sandboxes)
        with suppress(EOFError, OSError):
            while True:
                run = ShardRun(msgspec.msgpack.decode(link.recv_bytes(), type=Shard), slots)
                running.add(run)
                # beside this thread, which learns of the end; no daemon, as it has sandboxes to close
                threading.Thread(target=work, args=[run]).start()
        ended.set()
        for run in tuple(running):
            run.abort()
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    os._exit(0)  # whoever would be told of anything more is gone
