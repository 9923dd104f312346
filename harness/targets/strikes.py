"""Signals that strike an operation while it runs, and how long an operation takes when nothing strikes it."""

import signal
from collections import deque

import msgspec

from harness.core.fault import Fault, Injection
from harness.faults import process
from harness.sandbox import Interruption

FIRST_S = 0.03  # taken to be the duration of an operation until one was measured: a small interpreter's
# operations take some time more or less each time, and one that has ended cannot be struck: then it is tried again,
# earlier each time, in the end at once
EARLY = (0.9, 0.6, 0.3, 0.0, 0.0, 0.0)


class Strikes:
    """One session's signals. ``process.killed`` strikes one operation, ``process.paused`` each until a reset."""

    def __init__(self) -> None:
        self._measured: deque[float] = deque(maxlen=3)
        self._killed: Fault | None = None
        self._paused: Fault | None = None
        self._met: list[tuple[int, Injection]] = []
        self._early = EARLY[0]

    def hasten(self, attempt: int) -> None:
        """Strike as early as the run of that number (from 0) of one scenario has to."""
        self._early = EARLY[min(attempt, len(EARLY) - 1)]

    def clear(self) -> None:
        """Nothing strikes any more; what was measured is kept."""
        self._killed = self._paused = None
        self._met.clear()

    def add(self, fault: Fault) -> None:
        """``fault`` strikes from the next operation on."""
        if fault.name == "process.killed":
            self._killed = fault
        else:
            self._paused = fault

    def measured(self, duration_s: float) -> None:
        """An operation that nothing disturbed took so long."""
        self._measured.append(duration_s)

    @property
    def _calm_s(self) -> float:
        # the shortest of the latest: a first call is slow, and a strike that comes too late strikes nothing
        return min(self._measured, default=FIRST_S)

    def due(self, process_index: int) -> Interruption | None:
        """What strikes the operation that this process now begins; None when nothing does.

        Of operations begun together the first is killed.
        """
        if self._killed is not None:
            fault, self._killed = self._killed, None
            self._met.append((process_index, Injection(fault, armed=True)))
            after_s = process.share_of(fault) * self._early * self._calm_s
            return Interruption(signal=process.signal_of(fault), after_s=after_s)
        if self._paused is not None:
            for_s = process.pause_of(self._paused)
            return Interruption(signal=signal.SIGSTOP, after_s=self._calm_s / 2, resume_after_s=for_s)
        return None

    def struck(self, process_index: int, signals: tuple[int, ...]) -> None:
        """The operation of that process ended; ``signals`` are those that met it alive."""
        self._met = [
            (index, _proven(injection, signals)) if index == process_index else (index, injection)
            for index, injection in self._met
        ]

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """What struck the last operations only, by process, with its proof; told once."""
        told, self._met = tuple(self._met), []
        return told


def _proven(injection: Injection, signals: tuple[int, ...]) -> Injection:
    wanted = process.signal_of(injection.fault)
    return msgspec.structs.replace(injection, proof=wanted.name) if wanted in signals else injection
