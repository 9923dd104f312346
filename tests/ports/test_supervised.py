"""Commands under supervision: whatever they started is gone when their end is told. Source: issue 10."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from harness.ports import supervised
from harness.ports.interruption import InterruptedWorkError, InterruptibleWaiter, Interruption
from harness.ports.launcher import Ended
from harness.ports.supervised import TAIL_BYTES, Marker, SupervisedLauncher, sweep

LONG_S = 3600.0
NAME = "WINDTUNNEL_TEST_MARKER"


@pytest.fixture
def interruption():
    made = Interruption()
    yield made
    made.close()


@pytest.fixture
def marker(tmp_path):
    return Marker(NAME, str(tmp_path))


@pytest.fixture
def run(tmp_path, interruption, marker):
    asked = []

    def monotonic_s():
        """Runs as ever, but the time of a command is over as soon as it has said so.

        The first answer is when the command began, which a quick one must not be ahead of.
        """
        is_over = bool(asked) and (tmp_path / "over").exists()
        asked.append(is_over)
        return time.monotonic() + 2 * LONG_S * is_over

    launcher = SupervisedLauncher(marker, interruption, monotonic_s)

    def run(script, timeout_s=LONG_S):
        return launcher.run(("sh", "-c", script), cwd=str(tmp_path), env=dict(os.environ), timeout_s=timeout_s)

    return run


def marked(marker):
    """Processes that have the marker, zombies not among them."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(marker.name) == marker.value:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def is_alive(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def pids(folder):
    return [int(path.read_text()) for path in folder.glob("*.pid")]


def test_how_a_command_ended_is_told(run, tmp_path):
    assert Ended("exit", 0, f"{tmp_path}\nerr") == run("pwd; echo err >&2")
    assert Ended("exit", 3, "") == run("exit 3")
    assert Ended("signal", 9, "a") == run("echo a; kill -9 $$")


def test_what_cannot_be_started_is_told_with_its_name(tmp_path, interruption, marker):
    launcher = SupervisedLauncher(marker, interruption)
    how = {"cwd": str(tmp_path), "env": {}, "timeout_s": LONG_S}
    assert Ended("not_started", 2, "no-such-program: No such file or directory") == launcher.run(
        ["no-such-program"], **how
    )
    assert "not_started" == launcher.run(["a\0b"], **how).kind
    assert "not_started" == launcher.run([], **how).kind


def test_only_the_end_of_the_output_is_kept(run):
    ended = run(f"head -c {3 * TAIL_BYTES} /dev/zero | tr '\\0' x; echo; echo end")
    assert ("exit", 0) == ended[:2]
    assert ended.output.endswith("x\nend")
    assert TAIL_BYTES >= len(ended.output) >= TAIL_BYTES - 1


@pytest.mark.parametrize("ignoring", ["", "trap '' TERM; "])
def test_a_command_that_is_stuck_is_ended_with_its_children(run, tmp_path, marker, monkeypatch, ignoring):
    monkeypatch.setattr(supervised, "GRACE_S", 0.2)
    ended = run(f"{ignoring}for n in 1 2; do sleep 3600 & done; touch over; echo half; sleep 3600")
    assert Ended("timeout", 0, "no end within 3600 s\nhalf") == ended
    assert [] == marked(marker)


def test_children_are_ended_with_their_group_where_no_process_can_be_looked_at(run, marker, monkeypatch):
    monkeypatch.setattr(supervised, "sweep", lambda marker: 0)
    assert Ended("exit", 0, "done") == run("sleep 3600 & echo done")
    psutil.wait_procs([psutil.Process(pid) for pid in marked(marker)])
    assert [] == marked(marker)


def test_what_left_the_process_group_is_ended_too(run, marker):
    ended = run("setsid sh -c 'touch over; echo far; trap \"\" TERM; sleep 3600' & sleep 3600")
    assert ("timeout", "no end within 3600 s\nfar") == (ended.kind, ended.output)
    assert [] == marked(marker)


def test_what_a_command_leaves_running_does_not_keep_it_from_ending(run, tmp_path, marker):
    assert Ended("exit", 0, "done") == run("sleep 3600 & echo $! > left.pid; echo done")
    assert [] == marked(marker)
    assert [False] == [is_alive(pid) for pid in pids(tmp_path)]


def test_no_zombie_is_left(run):
    before = psutil.Process().children()
    for _ in range(3):
        run("true")
    assert [] == [child for child in psutil.Process().children() if child not in before]


def test_whoever_asks_for_an_end_has_it_with_all_that_runs(run, tmp_path, interruption, marker):
    os.mkfifo(tmp_path / "begun")

    def ask():
        (tmp_path / "begun").read_bytes()
        interruption.set()

    asking = threading.Thread(target=ask)
    asking.start()
    with pytest.raises(InterruptedWorkError):
        run("sleep 3600 & echo > begun; sleep 3600")
    asking.join()
    assert [] == marked(marker)
    with pytest.raises(InterruptedWorkError):
        run("touch never")
    assert not (tmp_path / "never").exists()


def test_waiting_ends_when_somebody_asks_for_it(interruption):
    waiter = InterruptibleWaiter(interruption)
    waiter.wait(0.0)
    interruption.set()
    interruption.set()
    with pytest.raises(InterruptedWorkError):
        waiter.wait(LONG_S)


def test_a_sweep_ends_what_has_the_marker_and_nothing_else(marker):
    program = [sys.executable, "-c", "print(flush=True); import time; time.sleep(3600)"]
    with (
        subprocess.Popen(program, env={NAME: marker.value}, stdout=subprocess.PIPE) as ours,
        subprocess.Popen(program, env={NAME: marker.value + "x"}, stdout=subprocess.PIPE) as others,
    ):
        ours.stdout.readline(), others.stdout.readline()
        assert 1 == sweep(marker)
        assert -signal.SIGKILL == ours.wait()
        assert others.poll() is None
        others.kill()
    assert 0 == sweep(marker)
