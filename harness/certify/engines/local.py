"""Runs shards on worker processes of this machine.

Up to ``ALONE`` jobs the threads of one process are as fast, and start at once: what is under test runs in processes of
its own, and threads wait for them side by side. But a process judges one thing at a time, so more jobs need more.
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

ALONE = 4  # jobs of one process: the harness itself takes a sixth to two fifths of the processor time; docs/engines.md
POLL_S = 0.2  # how often the end of the run is looked for
BEAT_S = 1.0  # how often a worker says that it lives
SILENT_S = 60.0  # a worker not heard for so long is stopped, or wedged in the kernel
END_S = 5.0  # for workers to close their sandboxes; then they are killed
# -P and this: a file of the folder in which the person works is no module of ours
_BOOT = "import sys; sys.path.insert(0, {parent!r}); from harness.certify.engines.local import serve; serve({fd})"


def for_jobs(jobs: int) -> "WorkerProcesses | None":
    """The engine for so many jobs; None where the threads of one process do."""
    return WorkerProcesses(jobs) if jobs > ALONE else None


class WorkerProcesses:
    """An engine of ``jobs`` slots on worker processes, ``ALONE`` slots each."""

    def __init__(self, jobs: int) -> None:
        self._count = -(-jobs // ALONE)
        self._slots = -(-jobs // self._count)
        self._workers: list[_Worker] = []

    def run(self, shards: Sequence[Shard], over: Callable[[], bool]) -> Iterator[ShardResult]:
        """See ShardEngine.run."""
        todo = deque(shards)
        deaths: Counter[int] = Counter()
        try:
            while (todo or any(worker.shard for worker in self._workers)) and not over():
                while len(self._workers) < min(self._count, len(todo) + len(self._workers)):
                    self._workers.append(_Worker(self._slots))
                for worker in self._workers:
                    if worker.shard is None and todo:
                        worker.take(todo.popleft())
                wait([worker.link for worker in self._workers], POLL_S)
                for worker in list(self._workers):
                    result = worker.heard()
                    if result is not None:
                        yield result
                    if worker.fate:
                        self._workers.remove(worker)
                        todo.extendleft(_again(worker, deaths))
        finally:
            self._close()

    def _close(self) -> None:
        for worker in self._workers:
            worker.link.close()  # which it takes for its end
        deadline = time.monotonic() + END_S
        for worker in self._workers:
            worker.end(max(deadline - time.monotonic(), 0.0))
        self._workers = []


def _again(worker: "_Worker", deaths: Counter[int]) -> tuple[Shard, ...]:
    """The shard of a worker that is gone; MachineError when it had too many."""
    shard = worker.shard
    if shard is None:
        return ()
    deaths[shard.number] += 1
    if deaths[shard.number] > DEATHS_OF_WORKERS:
        raise MachineError(
            f"{shard} ended the worker that ran it {deaths[shard.number]} times, last process {worker.pid}, which "
            f"{worker.fate}; look at this machine's memory and its log"
        )
    return (shard,)


class _Worker:
    """One worker process: its shard, and ``fate``, how it ended, "" while it lives."""

    def __init__(self, slots: int) -> None:
        self.link, theirs = Pipe()
        self.shard: Shard | None = None
        self.fate = ""
        self._slots = slots
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
        self.shard = shard
        with suppress(OSError):  # it is gone, which heard() tells
            self.link.send_bytes(msgspec.msgpack.encode((self._slots, shard)))

    def heard(self) -> ShardResult | None:
        """The result of its shard, if that has come; sets its fate when it is gone, or silent for too long."""
        try:
            while self.link.poll():
                data = self.link.recv_bytes()
                self._heard_s = time.monotonic()
                if data:
                    self.shard = None
                    return msgspec.msgpack.decode(data, type=ShardResult)
        except (EOFError, OSError):
            self.end(END_S)
            return None
        if time.monotonic() - self._heard_s > SILENT_S:
            self.end(0.0)
            self.fate = f"had not been heard for {SILENT_S:.0f} s"
        return None

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
    run: ShardRun | None = None

    def say(data: bytes) -> None:
        with guard, suppress(OSError):
            link.send_bytes(data)

    def work(shard_run: ShardRun) -> None:
        say(msgspec.msgpack.encode(shard_run.run()))

    def beat() -> None:
        while not ended.wait(BEAT_S):
            say(b"")

    ended = threading.Event()
    threading.Thread(target=beat, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            slots, shard = msgspec.msgpack.decode(link.recv_bytes(), type=tuple[int, Shard])
            run = ShardRun(shard, slots)
            # beside this thread, which learns of the end; no daemon, as it has sandboxes to close
            threading.Thread(target=work, args=[run]).start()
    ended.set()
    if run is not None:
        run.abort()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    os._exit(0)  # whoever would be told of anything more is gone
