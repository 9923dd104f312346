"""Processes as a port, under supervision: whatever a command started is gone when its end is told.

Commands run in sessions of their own, so a terminal's Ctrl-C does not reach them, and a marker stands in their
environment: what left the process group is found by it, also what a run left behind that was killed itself.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.ports.interruption import InterruptedWorkError, Wakes
from harness.ports.launcher import Ended

TAIL_BYTES = 65_536  # of what a command prints are kept
GRACE_S = 5.0  # between SIGTERM and SIGKILL
SWEEPS = 20  # a process may fork while it is looked for
_READ_BYTES = 65_536
_PROC = "/proc"


class Marker(NamedTuple):
    """A variable of the environment that only the commands of one run have."""

    name: str
    value: str

    def is_in(self, environ: bytes) -> bool:
        """Does a process with that environment have it?"""
        return os.fsencode(f"{self.name}={self.value}") in environ.split(b"\0")


class SupervisedLauncher:
    """Runs real processes (see Launcher). Of what they print the last TAIL_BYTES are kept.

    When the time of a command is over, or somebody asks for an end, its process group is sent SIGTERM, and SIGKILL
    after GRACE_S. What a command that ended by itself leaves running is killed. ``run`` raises InterruptedWorkError
    when an end was asked for; ``monotonic_s`` is a clock that nobody sets.
    """

    def __init__(self, marker: Marker, wakes: Wakes, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._marker = marker
        self._wakes = wakes
        self._monotonic_s = monotonic_s

    def run(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        """See Launcher.run."""
        if self._wakes.is_set:
            raise InterruptedWorkError
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env={**env, self._marker.name: self._marker.value},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            about = error.filename if isinstance(error.filename, str) else " ".join(argv)
            return Ended("not_started", error.errno or 0, f"{about}: {error.strerror or error}")
        except (ValueError, IndexError) as error:  # a NUL byte, a name with "=", no word at all
            return Ended("not_started", 0, str(error))
        return self._supervised(process, timeout_s)

    def _supervised(self, process: "subprocess.Popen[bytes]", timeout_s: float) -> Ended:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        os.set_blocking(process.stdout.fileno(), False)
        tail = bytearray()
        watch = os.pidfd_open(process.pid)
        try:
            is_over = self._has_ended(process, watch, tail, timeout_s)
            if not is_over:
                _signal_group(process.pid, signal.SIGTERM)
                self._has_ended(process, watch, tail, GRACE_S, heed=False)
        finally:
            # it is not reaped yet, so the number of its group is nobody else's
            _signal_group(process.pid, signal.SIGKILL)
            sweep(self._marker)
            process.wait()
            os.close(watch)
            _drain(process.stdout.fileno(), tail)
            process.stdout.close()
        if not is_over and self._wakes.is_set:
            raise InterruptedWorkError
        text = tail.decode(errors="replace").strip()
        if not is_over:
            return Ended("timeout", 0, f"no end within {timeout_s:g} s\n{text}".strip())
        if process.returncode < 0:
            return Ended("signal", -process.returncode, text)
        return Ended("exit", process.returncode, text)

    def _has_ended(
        self, process: "subprocess.Popen[bytes]", watch: int, tail: bytearray, within_s: float, *, heed: bool = True
    ) -> bool:
        """Has the command ended by itself, within that time, and before anybody asked for an end?"""
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        output = process.stdout.fileno()
        awaited: list[int | Wakes] = [watch, output, self._wakes] if heed else [watch, output]
        until_s = self._monotonic_s() + within_s
        while True:
            left_s = until_s - self._monotonic_s()
            ready = select.select(awaited, [], [], max(left_s, 0.0))[0]
            if watch in ready:
                return True
            if left_s <= 0 or self._wakes in ready:
                return False
            if output in ready and not _read(output, tail):
                awaited.remove(output)  # nobody has the other end any more


def sweep(marker: Marker) -> int:
    """Kills every process that has the marker, but this one; how many there were.

    None is found where there is no ``/proc``, nor one that has taken the marker out of its environment.
    """
    killed: set[int] = set()
    for _ in range(SWEEPS):
        found = [pid for pid in _others() if marker.is_in(_environ(pid))]
        if not found:
            break
        for pid in found:
            if _kill(pid, marker):
                killed.add(pid)
    return len(killed)


def _others() -> Iterator[int]:
    with contextlib.suppress(OSError):
        for name in os.listdir(_PROC):
            if name.isdecimal() and int(name) != os.getpid():
                yield int(name)


def _environ(pid: int) -> bytes:
    """Empty of a process that is gone, is a zombie, or is somebody else's."""
    try:
        with open(f"{_PROC}/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _kill(pid: int, marker: Marker) -> bool:
    with contextlib.suppress(OSError):
        held = os.pidfd_open(pid)
        try:
            if marker.is_in(_environ(pid)):  # once more: the number may have become another one's
                signal.pidfd_send_signal(held, signal.SIGKILL)
                select.select([held], [], [], GRACE_S)
                return True
        finally:
            os.close(held)
    return False


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has changed its user
        os.killpg(pid, number)


def _read(descriptor: int, tail: bytearray) -> bool:
    """Takes in what is there; false at the end."""
    try:
        part = os.read(descriptor, _READ_BYTES)
    except BlockingIOError:
        return True
    tail += part
    del tail[:-TAIL_BYTES]
    return bool(part)


def _drain(descriptor: int, tail: bytearray) -> None:
    """What the command printed before its end; a process that escaped may hold the pipe, and is not waited for."""
    left = 2 * 1024 * 1024 // _READ_BYTES  # no pipe holds more, so whoever goes on writing is not listened to
    while left:
        left -= 1
        before = len(tail)
        if not _read(descriptor, tail) or (len(tail) == before and before < TAIL_BYTES):
            return
