"""Whether the writable roots of a sandbox are still as empty as they were, known without asking its agent.

Most implementations keep nothing, and asking costs more than all else of an operation. The kernel tells of whatever is
made in a directory, or moved into it, before the call that does so ends (inotify(7)): of directories that were empty,
and of which nothing was told, nothing is below either.
"""

import ctypes
import os
import select
from collections.abc import Sequence
from typing import Final

_MADE: Final = 0x100 | 0x80  # IN_CREATE and IN_MOVED_TO
_CHUNK: Final = 1 << 16


def watch(paths: Sequence[str]) -> int:
    """A descriptor that can be read once something was made in one of these directories; OSError when refused."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = int(libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
    if fd < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    for path in paths:
        if libc.inotify_add_watch(fd, os.fsencode(path), _MADE) < 0:
            number = ctypes.get_errno()
            os.close(fd)
            raise OSError(number, "inotify_add_watch", path)
    return fd


class Emptiness:
    """What such a descriptor tells; without one it never holds."""

    def __init__(self, descriptors: Sequence[int]) -> None:
        self._descriptors = tuple(descriptors)
        self._poll = select.poll()
        for fd in self._descriptors:
            self._poll.register(fd, select.POLLIN)
        self._empty = False

    def holds(self) -> bool:
        """Are they as empty as they were found?"""
        return self._empty and not self._poll.poll(0)

    def begin(self) -> None:
        """A snapshot will be taken: what was told before is known with it."""
        for fd, _ in self._poll.poll(0):
            os.read(fd, _CHUNK)

    def found(self, *, empty: bool) -> None:
        """There was nothing in that snapshot, or something."""
        self._empty = empty and self._descriptors != ()

    def forget(self) -> None:
        """It is not looked at any more, until a snapshot finds it empty again."""
        self._empty = False

    def close(self) -> None:
        """May be called again."""
        for fd in self._descriptors:
            os.close(fd)
        self._descriptors = ()
        self._empty = False
