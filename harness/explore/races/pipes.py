"""The standard streams of runs whose other ends are ours: what they read has to come, and what they write to go."""

import fcntl
import os
import sys
import termios
from contextlib import suppress
from typing import Final

_FULL: Final = 60 * 1024  # of the 64 KiB that a pipe holds; a chunk may not fit exactly


class Pipes:
    """The pipes of each run, by their inodes."""

    def __init__(self) -> None:
        self._inputs: dict[int, int] = {}
        self._open: dict[int, int] = {}  # of those, the ones that we may still write to
        self.outputs: set[int] = set()
        self.errors: frozenset[int] = frozenset()

    def add(self, run: int, main: int, *, served: bool) -> None:
        """A run whose first process, ``main``, is there and has not closed its streams yet.

        One that is ``served`` is written to as long as it lives; others get all of their input at once.
        """
        self._inputs[run] = _inode(f"/proc/{main}/fd/0")
        if not served:
            self._open[run] = main
        output, errors = (_inode(f"/proc/{main}/fd/{stream}") for stream in (1, 2))
        self.outputs |= {output, errors} - {-1}
        if errors != output:
            self.errors |= {errors}

    def knows(self, run: int) -> bool:
        """Whether that run was added."""
        return run in self._inputs

    def inputs(self, run: int) -> tuple[int, ...]:
        """What the run reads its input from."""
        return (self._inputs[run],) if run in self._inputs else ()

    def fed(self, run: int) -> bool:
        """Whether the run can read all there will be, or as much of it as a pipe holds; True when it is served."""
        return run not in self._still_open() or _waits_in(self._open[run]) >= _FULL

    def awaited(self) -> frozenset[int]:
        """The inputs into which more will come, unasked."""
        return frozenset(self._inputs[run] for run in self._still_open())

    def _still_open(self) -> dict[int, int]:
        if self._open:
            ours = _ours()
            self._open = {run: main for run, main in self._open.items() if self._inputs[run] in ours}
        return self._open


def _waits_in(main: int) -> int:
    """How many bytes are in the input of that process."""
    try:
        fd = os.open(f"/proc/{main}/fd/0", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return _FULL  # it has closed it, or ended
    try:
        return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return _FULL
    finally:
        os.close(fd)


def _ours() -> set[int]:
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.add(os.stat(f"/proc/self/fd/{name}").st_ino)
    return found


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return -1
