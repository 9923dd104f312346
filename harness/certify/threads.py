"""The threads of a run in this process: each takes work while it holds a slot, and plays it in a session of its own.

What is under test is a process of its own, and so is its sandbox: threads wait for them side by side.
"""

import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence

from harness.certify.closing import Interrupted
from harness.certify.events import Event, HarnessBroke, Notice, Waiting
from harness.certify.plan import Work, name_of
from harness.certify.sessions import Sessions
from harness.errors import WindtunnelError
from harness.targets.session import Session
from harness.targets.slots import Slots

WAITERS = 12  # threads beyond the slots, for cases that only wait for a time-out
QUIET_S = 1.0  # after so long without news, what is waited for is told
BUDGET = "the budget ran out; `--cases N` and no --budget replays what was run"

Said = Event | WindtunnelError | Interrupted


class Threads:
    """Carries out work on ``jobs`` slots, or on ``slots``, which others may hold, too.

    ``deadline`` is a time of ``monotonic``, in seconds, after which none begins.

    What the work says comes out of ``phase``, and so does every error, as a value: WindtunnelError for what it says,
    HarnessBroke for everything else.
    """

    def __init__(
        self,
        jobs: int,
        carry_out: Callable[[Work, Session], None],
        monotonic: Callable[[], float] = time.monotonic,
        deadline: float | None = None,
        slots: Slots | None = None,
    ) -> None:
        self._jobs = jobs
        self._carry_out = carry_out
        self._monotonic = monotonic
        self._deadline = deadline
        self._stopping = threading.Event()
        # a SimpleQueue's put is re-entrant, so that a signal handler may put into it
        self._out: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._guard = threading.Lock()
        self._running: dict[int, tuple[float, str]] = {}  # by thread: since when, and what
        self.slots = Slots(jobs) if slots is None else slots
        self.sessions = Sessions(self.slots)

    def put(self, said: Said) -> None:
        """Says something, from any thread or a signal handler; it comes out of ``phase``."""
        self._out.put(said)

    def stop(self) -> None:
        """No further work is begun."""
        self._stopping.set()

    @property
    def stopping(self) -> bool:
        """Was it told to stop?"""
        return self._stopping.is_set()

    def is_over(self) -> bool:
        """Was it told to stop, or has its time run out?"""
        return self._stopping.is_set() or (self._deadline is not None and self._monotonic() > self._deadline)

    def give_up(self, text: str) -> None:
        """Stops, and says why; what is said first counts."""
        with self._guard:
            if not self._stopping.is_set():
                self._stopping.set()
                self._out.put(Notice(text=text))

    def phase(
        self, work: Sequence[Work], workers: int | None = None, beside: Callable[[], None] | None = None
    ) -> Iterator[Said]:
        """Everything that is said while ``work`` is carried out, and ``beside`` in a thread without a slot."""
        for item in work:
            self._work.put(item)
        left = min(len(work), workers or self._jobs + WAITERS)
        tasks: list[Callable[[], None]] = [self._worker] * left + ([] if beside is None else [self._beside(beside)])
        self._threads = [threading.Thread(target=task, name=f"worker-{n}", daemon=True) for n, task in enumerate(tasks)]
        for thread in self._threads:
            thread.start()
        left = len(tasks)
        while left:
            try:
                said = self._out.get(timeout=QUIET_S)
            except queue.Empty:
                yield from self._waiting()
                continue
            if said is None:
                left -= 1
            else:
                yield said

    def doing(self, what: str) -> None:
        """Tells what this thread works on from now on, for whoever waits; "" for nothing."""
        with self._guard:
            self._running.pop(threading.get_ident(), None)
            if what:
                self._running[threading.get_ident()] = time.monotonic(), what

    def close(self) -> None:
        """Waits for the threads, and closes every session."""
        for thread in self._threads:
            thread.join()
        self.sessions.close()

    def _waiting(self) -> Iterator[Waiting]:
        with self._guard:
            running = sorted(self._running.values())
        if running:
            since, what = running[0]
            yield Waiting(what=what, seconds=max(time.monotonic() - since, 0.0), others=len(running) - 1)

    def _worker(self) -> None:
        try:
            while not self._stopping.is_set():
                with self.slots.held():
                    if self._stopping.is_set():
                        return
                    if self.is_over():
                        self.give_up(BUDGET)
                        return
                    try:
                        item = self._work.get_nowait()
                    except queue.Empty:
                        return
                    self._do(item)
        finally:
            self._out.put(None)

    def _do(self, item: Work) -> None:
        session: Session | None = None
        self.doing(name_of(item))
        try:
            session = self.sessions.take(item.reach)
            if self._stopping.is_set():
                return  # opened while the others were killed: it must not begin to wait
            self._carry_out(item, session)
            self.sessions.give_back(item.reach, session)
        except Exception as error:  # noqa: BLE001 - whatever breaks here is our own fault, and must be shown as that
            self.sessions.discard(session)
            self._broke(name_of(item), error)
        finally:
            self.doing("")

    def _beside(self, task: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                task()
            except Exception as error:  # noqa: BLE001 - as in _do
                self._broke("the shards of the plan", error)
            finally:
                self.doing("")
                self._out.put(None)

        return run

    def _broke(self, what: str, error: Exception) -> None:
        if self._stopping.is_set():
            return
        if isinstance(error, WindtunnelError):
            self._out.put(error)
        else:
            self._out.put(HarnessBroke(scenario=what, error="".join(traceback.format_exception(error))))
