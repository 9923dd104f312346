"""A start that is interrupted on its way is begun anew; one that is interrupted again and again is reported."""

import os
import socket

import msgspec
import pytest

from harness.sandbox import filtered, wire
from harness.sandbox.processes import Processes

BACK = "/"  # where the agent goes after a start, while the start itself went to the bytes of the request
REQUEST = wire.Spawn(7, (b"true",), {}, b"/", b"/usr/bin:/bin")


@pytest.fixture
def interrupted(monkeypatch):
    """Lets that many calls of os.chdir into that place be interrupted."""

    def arrange(times, place):
        real, left = os.chdir, [times]

        def chdir(path):
            if path == place and left[0]:
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
    interrupted(times, REQUEST.cwd)
    with open(os.devnull, "r+b") as nothing:
        processes.spawn(REQUEST, [nothing.fileno()] * 3)
    assert said == [each.start_error for each in told]
    for live in processes._live.values():
        assert (live.pid, 0) == os.waitpid(live.pid, 0)


@pytest.mark.parametrize(("name", "said"), [(b"true", []), (b"nowhere-at-all", ["ENOENT"])])
def test_an_interruption_on_the_way_back_neither_starts_it_twice_nor_hides_its_error(
    interrupted, monkeypatch, name, said
):
    told, begun, real = [], [], os.posix_spawn
    monkeypatch.setattr(os, "posix_spawn", lambda *words, **more: begun.append(real(*words, **more)) or begun[-1])
    processes = Processes(False, told.append, lambda _: None)
    monkeypatch.chdir("/")
    interrupted(1, BACK)
    with open(os.devnull, "r+b") as nothing:
        processes.spawn(msgspec.structs.replace(REQUEST, argv=(name,)), [nothing.fileno()] * 3)
    assert said == [each.start_error for each in told]
    assert begun == [live.pid for live in processes._live.values()]
    for pid in begun:
        assert (pid, 0) == os.waitpid(pid, 0)


def test_a_refused_filter_is_told_even_when_nobody_listens_any_more():
    line, gone = socket.socketpair()
    gone.close()
    with line, open(os.devnull, "r+b") as nothing, pytest.raises(OSError, match="Invalid argument"):
        # a program that ends before it has begun, which no kernel takes
        filtered.spawn(
            b"/bin/true", msgspec.structs.replace(REQUEST, filter=bytes(8)), [nothing.fileno()] * 3 + [line.fileno()]
        )
