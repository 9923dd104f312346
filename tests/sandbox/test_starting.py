"""A start that is interrupted on its way is begun anew; one that is interrupted again and again is reported."""

import os

import pytest

from harness.sandbox import wire
from harness.sandbox.processes import Processes

REQUEST = wire.Spawn(7, (b"true",), {}, b"/", b"/usr/bin:/bin")


@pytest.fixture
def interrupted(monkeypatch):
    """Lets that many calls of os.chdir into / be interrupted; those that come back from a start are not counted."""

    def arrange(times):
        real, left = os.chdir, [times]

        def chdir(path):
            if path == b"/" and left[0]:
                left[0] -= 1
                raise InterruptedError(4, "Interrupted system call")
            real(path)

        monkeypatch.setattr(os, "chdir", chdir)

    return arrange


@pytest.mark.parametrize(("times", "said"), [(0, []), (1, []), (20, []), (21, ["EINTR"])])
def test_a_start_that_is_interrupted_is_begun_anew(interrupted, monkeypatch, times, said):
    told = []
    processes = Processes(False, told.append, lambda _: None)
    monkeypatch.chdir("/")
    interrupted(times)
    with open(os.devnull, "r+b") as nothing:
        processes.spawn(REQUEST, [nothing.fileno()] * 3)
    assert said == [each.start_error for each in told]
    for live in processes._live.values():
        assert (live.pid, 0) == os.waitpid(live.pid, 0)
