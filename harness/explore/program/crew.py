"""Several places at work at once: cases are played in parallel, their outcomes come in order."""

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from harness.core import struct_types
from harness.explore.program.commands import Program
from harness.explore.program.place import Place

Task = TypeVar("Task")
Result = TypeVar("Result")
_AHEAD = 2  # tasks a place that wait in line, so that none is idle and few are held in memory


class Crew:
    """As many places as may work at once; a context manager that leaves nothing behind.

    ``deadline`` is a moment of time.monotonic after which nothing more is begun.
    """

    def __init__(
        self, program: Program, jobs: int, timeout_s: float, deadline: float | None, *, force_fallback: bool = False
    ) -> None:
        self._deadline = deadline
        self._jobs = jobs
        self._stopped = threading.Event()
        self.interrupted = False
        self._all: list[Place] = []
        self._free: queue.SimpleQueue[Place] = queue.SimpleQueue()
        struct_types.build()
        self._threads = ThreadPoolExecutor(jobs, "explore")
        try:
            for _ in range(jobs):
                self._all.append(Place(program, timeout_s, force_fallback=force_fallback))
                self._free.put(self._all[-1])
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.close()

    def close(self) -> None:
        """Take down every place."""
        for place in self._all:
            place.close()

    def interrupt(self) -> None:
        """Begin nothing more, and end what runs; from any thread or a signal handler."""
        self.interrupted = True
        self._stopped.set()
        for place in self._all:
            with contextlib.suppress(OSError):
                place.abort()

    @property
    def out_of_time(self) -> bool:
        """Is the budget used up?"""
        return self._deadline is not None and time.monotonic() >= self._deadline

    @property
    def uncontained(self) -> tuple[str, ...]:
        """What this machine does not keep the commands from, or keeps from them, a sentence each."""
        return self._all[0].uncontained

    @property
    def limited(self) -> bool:
        """Is there a budget?"""
        return self._deadline is not None

    @property
    def ended(self) -> bool:
        """Is nothing more to be begun?"""
        return self._stopped.is_set() or self.out_of_time

    def alone(self, do: Callable[[Place], Result]) -> Result:
        """Do something in one place, whatever the budget says."""
        place = self._free.get()
        try:
            return do(place)
        finally:
            self._free.put(place)

    def each(self, do: Callable[[Place, Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Do it for each task; the results in order of the tasks, up to where it was interrupted or out of time."""
        waiting: deque[tuple[Task, Future[Result]]] = deque()
        source = iter(tasks)
        more = True
        while more or waiting:
            while more and len(waiting) < self._jobs * _AHEAD:
                task = next(source, None) if not self.ended else None
                if task is None:
                    more = False
                else:
                    waiting.append((task, self._threads.submit(self._one, do, task)))
            if waiting:
                task, future = waiting.popleft()
                try:
                    result = future.result()
                except Exception:
                    if self.interrupted:
                        return
                    raise
                yield task, result

    def _one(self, do: Callable[[Place, Task], Result], task: Task) -> Result:
        return self.alone(lambda place: do(place, task))
