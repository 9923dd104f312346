"""Somebody wants the program to end: told at a safe point, where nothing is half written, and never in between."""

import os
import select
from typing import Protocol


class InterruptedWorkError(Exception):
    """What was waited for, or run, was given up, because somebody asked for it."""


class Wakes(Protocol):
    """What ends waiting. ``fileno`` can be read from as soon as somebody has asked for it."""

    @property
    def is_set(self) -> bool:
        """Has somebody?"""
        ...

    def fileno(self) -> int:
        """A file descriptor for select."""
        ...


class Interruption:
    """Asked for by ``set``, which a signal handler may call, and once asked for never taken back."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._is_set = False

    @property
    def is_set(self) -> bool:
        """See Wakes.is_set."""
        return self._is_set

    def set(self) -> None:
        """Whoever runs or waits is told."""
        if not self._is_set:
            self._is_set = True
            os.write(self._writer, b"\0")

    def fileno(self) -> int:
        """See Wakes.fileno."""
        return self._reader

    def close(self) -> None:
        """Nobody waits any more."""
        os.close(self._reader)
        os.close(self._writer)


class InterruptibleWaiter:
    """Sleeps (see Waiter), until somebody asks for an end: then InterruptedWorkError."""

    def __init__(self, wakes: Wakes) -> None:
        self._wakes = wakes

    def wait(self, for_s: float) -> None:
        """See Waiter.wait."""
        if select.select([self._wakes], [], [], for_s)[0]:
            raise InterruptedWorkError
