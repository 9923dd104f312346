"""The end of the thread that serves the calls: within a time limit, and if it hangs, it is we who are told to."""

import sys
import threading
from collections.abc import Callable
from typing import Final

from harness.errors import HarnessFault

END_S: Final = 60.0  # a turn of it takes less than a millisecond; this is for a machine that is very busy


def join(thread: threading.Thread, kill: Callable[[], object], limit_s: float = END_S) -> None:
    """Wait for the thread, which was asked to end; half-way what it serves is killed, as it may wait for that.

    HarnessFault when it does not end in ``limit_s``: whatever its runs did meanwhile says nothing about them.
    """
    thread.join(limit_s / 2)
    if thread.is_alive():
        kill()
        thread.join(limit_s / 2)
    if thread.is_alive():
        raise HarnessFault(f"the supervisor of file calls did not end in {limit_s:g} s: it hangs in {_place(thread)}")


def _place(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - public but for its name
    if frame is None:
        return "a place that is not known"
    return f"{frame.f_code.co_name}, line {frame.f_lineno} of {frame.f_globals.get('__name__', '')}"
