"""What the tests of everything that keeps files share: crashes, errors of file calls, orders, and processes at once."""

import contextlib
import fcntl
import os
import subprocess
import sys

from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.crashes import crashes
from harness.explore.in_process.sweep import sweep
from harness.explore.in_process.threads import race
from harness.explore.schedules import Schedules
from harness.ports.files import RealFiles

WAIT_S = 120.0


class WaitingHere(RealFiles):
    """Waits for a lock in the thread that wants it, where the exploration can see it, and without end.

    It is also quicker than waiting elsewhere: some recoveries take two locks, and there are thousands of them.
    """

    @contextlib.contextmanager
    def lock(self, path, timeout_s):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if timeout_s else fcntl.LOCK_NB))
            yield
        except BlockingIOError as error:
            raise TimeoutError(path) from error
        finally:
            os.close(descriptor)


def assert_survives(subject, model, *, deep=False):
    """Every crash (or loss of power) of the operation was tried, and the subject survives each."""
    with Boundary(subject.directory) as boundary:
        found = crashes(boundary, subject, model, deep=deep)
    assert () == found.failures
    assert found.coverage.exhausted


def assert_sound_at_every_error(subject, at_least):
    """Each error of each file call was tried, more than so many, and nothing is wrong after any."""
    with Boundary(subject.directory) as boundary:
        found = sweep(boundary, subject)
    assert () == found.failures
    assert found.strikes > at_least


def assert_sound_in_every_order(home, before, bodies, judge, *, bound=40, beyond=10):
    """Nothing is wrong after any order of the file calls of these bodies, so many of them at most."""
    with Boundary(home) as boundary:
        found = race(boundary, before, bodies, judge, Schedules(bound=bound, beyond=beyond))
    assert () == found.races


def outputs_of_processes(source, home, numbers):
    """What processes wrote that ran this Python source at once, each with ``home`` and its number; all succeeded.

    Each has to read a line before it begins: it is given when all have been started.
    """
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", source, home, each], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for each in numbers
    ]
    try:
        for each in crowd:
            each.stdin.write("\n")
            each.stdin.flush()
        written = [each.communicate(timeout=WAIT_S)[0] for each in crowd]
    finally:
        for each in crowd:
            each.kill()
            each.wait()
    assert [0] * len(crowd) == [each.returncode for each in crowd]
    return written
