"""All the processes that one run has started, wherever they have gone: to find them, and to end them.

Each run of a sandbox has its own soft limit on message queues, which every descendant inherits (see
sandbox/processes.py), and all of them descend from the sandbox's agent, which adopts orphans.
"""

import contextlib
import os
import resource
import signal
from typing import Final

_LIMIT: Final = resource.RLIMIT_MSGQUEUE if hasattr(resource, "RLIMIT_MSGQUEUE") else 12
_PASSES: Final = 100  # a program that forks all the time gets ahead of one pass, hardly of so many
_GONE: Final = "ZX"
_NOBODY: Final = -2


class Tree:
    """What the run whose first process is ``main`` has started. Made while that process is sure to live.

    Of one that was not started by an agent, these are its descendants only, without orphans.
    """

    def __init__(self, main: int) -> None:
        self.main = main
        self._tag = _tag(main)
        marked = self._tag != _tag(os.getpid())
        self._root = _parent(main)[1] if marked else main

    def members(self) -> set[int]:
        """The ids of its living processes."""
        if self._root <= 1 or self._tag == _NOBODY:
            return set()  # it was gone before it was known: to kill by what is left of it could meet anybody
        return {
            pid
            for entry in os.listdir("/proc")
            if entry.isdigit() and _tag(pid := int(entry)) == self._tag and self._ours(pid)
        }

    def send(self, number: int) -> bool:
        """Send a signal to all of it; False when nothing was there to meet it."""
        met = [_send(pid, number) for pid in self.members()]
        return any(met)

    def end(self) -> bool:
        """Kill all of it, and let none see another die: first all are stopped. False when nothing was there."""
        stopped: set[int] = set()
        for _ in range(_PASSES):
            new = {pid for pid in self.members() - stopped if _send(pid, signal.SIGSTOP)}
            if not new:
                break
            stopped |= new
        met = [_send(pid, signal.SIGKILL) for pid in stopped]
        return any(met)

    def _ours(self, pid: int) -> bool:
        state, parent = _parent(pid)
        if state in _GONE or not state:
            return False
        if pid == self._root != self.main:
            return False  # the agent has the mark of the run for as long as it starts it
        while pid not in (self.main, self._root) and parent > 1:
            pid, parent = parent, _parent(parent)[1]
        return pid in (self.main, self._root)


def _tag(pid: int) -> int:
    try:
        return resource.prlimit(pid, _LIMIT)[0]
    except (OSError, ValueError):
        return _NOBODY  # gone, or nobody of ours


def _parent(pid: int) -> tuple[str, int]:
    """Its state and its parent; ("", 0) of one that is gone."""
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/stat", "rb") as stat:
        state, parent, _ = stat.read().rpartition(b")")[2].split(None, 2)
        return state.decode(), int(parent)
    return "", 0


def _send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
