"""Time limits that hold for any checker: one that blocks in C, swallows every exception, or runs off the main thread.

The checkers of an analysis run one after another on a daemon thread that the caller watches through queues. A checker
over its limit is not stopped, which Python cannot promise, but left behind: its thread is never waited for again,
and the next checker gets a new one. No signal, no alarm, so nothing of the process is changed (PS-CHK-03 to 06).
"""

import math
import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

Checker = Callable[[threading.Event], Any]
"""Answers whether a consideration is satisfied. The event is set when nobody waits for the answer any more."""


class Answer(NamedTuple):
    """How a checker ended: it returned ``value``, it raised ``error``, or it ``expired``."""

    value: Any = None
    error: BaseException | None = None
    expired: bool = False


class Watch:
    """The limits of one analysis, in seconds of ``monotonic``. It begins when it is made."""

    def __init__(self, checker_limit_s: float, whole_limit_s: float, monotonic: Callable[[], float]) -> None:
        self.checker_limit_s = checker_limit_s
        self.monotonic = monotonic
        self.deadline_s = monotonic() + whole_limit_s
        self._worker: _Worker | None = None

    def remaining_s(self) -> float:
        """What is left for the whole analysis; zero or less when it is over (PS-CHK-04)."""
        return self.deadline_s - self.monotonic()

    def over(self) -> bool:
        """Whether the whole analysis has used up its time."""
        return self.remaining_s() <= 0

    def limit_s(self) -> float:
        """How long the next checker may take: its own limit, or what is left of the whole."""
        return max(0.0, min(self.checker_limit_s, self.remaining_s()))

    def call(self, checker: Checker) -> Answer:
        """Runs one checker within its limit; it never raises what the checker raised."""
        if self._worker is None:
            self._worker = _Worker()
        answer = self._worker.ask(checker, self.limit_s())
        if answer.expired:
            self.abandon()
        return answer

    def abandon(self) -> None:
        """Leaves the thread to its checker."""
        self.close()

    def close(self) -> None:
        """Ends the analysis: a thread at rest ends, one that hangs is told that nobody waits."""
        if self._worker is not None:
            self._worker.dismiss()
            self._worker = None


class _Worker:
    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[Checker | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._gone = threading.Event()
        threading.Thread(target=self._work, name="stop-gate-checkers", daemon=True).start()

    def ask(self, checker: Checker, limit_s: float) -> Answer:
        self._asked.put(checker)
        try:
            return self._answers.get(timeout=None if limit_s == math.inf else limit_s)
        except queue.Empty:
            return Answer(expired=True)

    def dismiss(self) -> None:
        self._gone.set()
        self._asked.put(None)

    def _work(self) -> None:
        for checker in iter(self._asked.get, None):
            try:
                answer = Answer(checker(self._gone))
            except BaseException as error:  # exits and interrupts of a checker are its crash, not ours (PS-FO-02)  # noqa: BLE001
                answer = Answer(error=error)
            self._answers.put(answer)
