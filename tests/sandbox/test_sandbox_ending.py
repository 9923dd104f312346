"""Nothing is left behind: no process, no mount, no directory, however the sandbox or the harness ends."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from shell import shell

import harness
from harness.errors import HarnessFault
from harness.sandbox import Sandbox, SandboxPlan, Write, base_environment

KINDS = pytest.mark.parametrize("plain", [False, True], ids=["namespaces", "plain"])

VICTIM = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started these tests may ignore it
from harness.sandbox import Sandbox, SandboxPlan, Write, base_environment
sandbox = Sandbox(SandboxPlan(force_fallback=sys.argv[1] == "True"))
sandbox.apply([Write("{home}/f", b"x"), Write("{tools}/t", b"x")])
sandbox.meddle(("@vanishing", "{home}/f", "{home}/.away"))
sandbox.meddle(("sh", "-c", "setsid sleep 1001 & exec sleep 1001"))
if sandbox.containment.namespaces:
    sandbox.full_device("{tools}/t")
running = sandbox.start(["sh", "-c", "(setsid sleep 1000 &); echo up; exec sleep 1000"],
                        env=base_environment(sandbox.roots), cwd="/")
os.read(running.stdout_fd, 3)
if sys.argv[2] == "fork" and os.fork() == 0:
    os.close(1)
    signal.pause()
print(sandbox.roots.home, flush=True)
if sys.argv[2] == "interrupt":
    sandbox.run(["sleep", "1000"], env={"PATH": "/bin:/usr/bin"}, cwd="/", timeout_s=1000)
sys.stdin.read()
"""


def start_victim(plain: bool, how: str = "") -> "tuple[subprocess.Popen[str], list[psutil.Process], str]":
    """A harness with something running in its sandbox, all processes below it, and the sandbox's home."""
    paths = os.pathsep.join((str(Path(harness.__file__).parent.parent), *filter(None, sys.path)))
    command = [sys.executable, "-c", VICTIM, str(plain), how]
    victim = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    assert victim.stdout is not None
    home = victim.stdout.readline().strip()
    below = psutil.Process(victim.pid).children(recursive=True)
    if len(below) < 5:
        victim.kill()
        pytest.fail("expected the agent, two processes it started and two that go on beside them")
    return victim, below, home


def children() -> set[int]:
    """The processes this one has started."""
    return {process.pid for process in psutil.Process().children()}


def started_since(before: set[int]) -> list[psutil.Process]:
    """What was started since then, with all below it; not what goes on below a process started earlier."""
    new = [process for process in psutil.Process().children() if process.pid not in before]
    return [*new, *(below for process in new for below in process.children(recursive=True))]


class Watch:
    """Waits for processes that are not our children by their pidfds: a zombie nobody has collected yet is gone too."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._fds = {os.pidfd_open(process.pid): process for process in processes}

    def alive_after(self, timeout_s: float) -> list[psutil.Process]:
        """Those that have not ended in time."""
        deadline = time.monotonic() + timeout_s
        while self._fds:
            ended, _, _ = select.select(list(self._fds), [], [], max(0.0, deadline - time.monotonic()))
            if not ended:
                break
            for fd in ended:
                os.close(fd)
                del self._fds[fd]
        return list(self._fds.values())


def finish(victim: "subprocess.Popen[str]") -> None:
    """Collect it and its pipes."""
    victim.wait(20)
    for pipe in (victim.stdin, victim.stdout):
        if pipe is not None:
            pipe.close()


@KINDS
def test_closing_leaves_no_process_no_mount_and_no_directory(plain: bool, request: pytest.FixtureRequest) -> None:
    if not plain:
        request.getfixturevalue("namespaces")
    mounts = Path("/proc/self/mounts").read_text()
    before = children()
    sandbox = Sandbox(SandboxPlan(force_fallback=plain))
    running = sandbox.start(["sleep", "1000"], env=base_environment(sandbox.roots), cwd="/")
    shell(sandbox, "true")
    below = started_since(before)
    assert "sleep" in {process.name() for process in below}
    sandbox.close()
    sandbox.close()
    running.close()
    assert not [process for process in below if process.is_running()]
    assert Path("/proc/self/mounts").read_text() == mounts
    if plain:
        assert not Path(sandbox.roots.home).parent.exists()
    with pytest.raises(HarnessFault, match="closed"):
        sandbox.fresh()


@KINDS
@pytest.mark.parametrize("how", ["", "fork"])
def test_a_killed_harness_leaves_nothing(plain: bool, how: str, request: pytest.FixtureRequest) -> None:
    if not plain:
        request.getfixturevalue("namespaces")
    victim, below, home = start_victim(plain, how)
    # The forked child still holds the harness's end of the socket, and is not the sandbox's to end.
    own = [process for process in below if process.cmdline() == victim.args]
    watch = Watch([process for process in below if process not in own])
    victim.kill()
    alive = watch.alive_after(20)
    for process in own:
        process.kill()
    finish(victim)
    assert alive == []
    if plain:
        assert not Path(home).exists()


@KINDS
def test_an_interrupted_harness_leaves_nothing(plain: bool, request: pytest.FixtureRequest) -> None:
    if not plain:
        request.getfixturevalue("namespaces")
    victim, below, home = start_victim(plain, "interrupt")
    watch = Watch(below)
    victim.send_signal(signal.SIGINT)
    alive = watch.alive_after(20)
    finish(victim)
    assert alive == []
    assert victim.returncode != 0
    if plain:
        assert not Path(home).exists()


@KINDS
def test_aborting_while_faults_stand_leaves_nothing(plain: bool, request: pytest.FixtureRequest) -> None:
    if not plain:
        request.getfixturevalue("namespaces")
    mounts = Path("/proc/self/mounts").read_text()
    before = children()
    with Sandbox(SandboxPlan(force_fallback=plain)) as sandbox:
        sandbox.apply([Write("{home}/f", b"x"), Write("{home}/d/g", b"x")])
        sandbox.meddle(("@vanishing", "{home}/d", "{home}/.away"))
        sandbox.meddle(("@growing", "{home}/f", "x"))
        sandbox.meddle(("sh", "-c", "setsid sleep 1000 & exec sleep 1000"))
        if not plain:
            sandbox.busy("{home}/f")
            sandbox.limit_space("{tmp}", 64 * 1024)
        below = started_since(before)
        watch = Watch(below)
        sandbox.abort()
    assert watch.alive_after(20) == []
    assert Path("/proc/self/mounts").read_text() == mounts
    if plain:
        assert not Path(sandbox.roots.home).parent.exists()
