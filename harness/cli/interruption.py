"""Ctrl-C and its kin, for commands that end in order."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupting(interrupted: threading.Event) -> Iterator[None]:
    """A first signal sets ``interrupted``, so that what was seen is kept; who asks twice does not wait."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
