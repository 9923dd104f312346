"""Ctrl-C at any moment, and machines that refuse namespaces. Source: issue 2, "Bad input" and sandbox."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from contextlib import contextmanager

import psutil
import pytest

from harness.report.files import read_events
from harness.sandbox import launch, sandbox

HOOK = "name: mine\ncarrier: hook\ncommand: [sh, hook.sh]\ntimeout_s: {timeout_s}\nmax_blocks: 2\n"
# what a machine without namespaces is, with the private folders where a test can look at them
REFUSING = (
    "import sys, tempfile; from harness.sandbox import launch; from harness.cli import main;"
    "launch.WAYS = (launch.PLAIN,); launch._make_base = lambda: tempfile.mkdtemp(prefix='windtunnel-');"
    "sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    (here / "target.yaml").write_text(HOOK.format(timeout_s=60))
    monkeypatch.chdir(here)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return here


@contextmanager
def started(program, *words):
    """A run of its own; killed after a while, so that a run that cannot be interrupted fails its test and is gone."""
    command = [sys.executable, *program, "certify", *words, "--report", "report"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        end = threading.Timer(30, process.kill)
        end.start()
        try:
            yield process
        finally:
            end.cancel()
            if process.poll() is None and sys.exc_info()[0] is not None:
                process.kill()


def with_marker(marker):
    """The processes of this machine, sandboxes included, that have the marker on their command line."""
    return [process for process in psutil.process_iter() if marker in " ".join(_command_line(process))]


def _command_line(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "program", [pytest.param(["-m", "harness.cli"], id="namespaces"), pytest.param(["-c", REFUSING], id="plain")]
)
def test_a_run_that_is_interrupted_while_a_hook_hangs_leaves_nothing(folder, tmp_path, program, number):
    marker = f"1000.{uuid.uuid4().int}"
    (folder / "hook.sh").write_text(f"setsid sleep {marker} &\nsleep {marker}\n")
    with started(program, "target.yaml", "--unsafe") as process:
        first = process.stdout.readline()
        deadline = time.monotonic() + 20
        while not (running := with_marker(marker)):
            assert time.monotonic() < deadline
        below = [*running, *psutil.Process(process.pid).children(recursive=True)]
        process.send_signal(number)
        rest = process.stdout.read()
    assert first
    assert 130 == process.returncode, rest
    result = json.loads((folder / "report" / "result.json").read_text())
    assert ("interrupted", 130) == (result["outcome"], result["exit_code"])
    assert 130 == read_events(folder / "report")[-1].exit_code
    assert [] == [child for child in below if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert [] == with_marker(marker)
    assert [] == os.listdir(tmp_path / "temporary")


def test_what_was_judged_before_ctrl_c_is_kept(folder):
    (folder / "target.yaml").write_text(HOOK.format(timeout_s=1))
    (folder / "hook.sh").write_text("exit 0\n")
    with started(["-m", "harness.cli"], "target.yaml", "--cases", "100000") as process:
        judged = b""
        while b"judged" not in judged:
            judged = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert 130 == process.returncode
    kept = read_events(folder / "report")
    assert 0 < kept[-1].counts["scenarios"]


@pytest.fixture
def refusing(monkeypatch):
    """A machine that refuses namespaces, in this process."""
    monkeypatch.setattr(launch, "WAYS", (launch.PLAIN,))
    monkeypatch.setattr(sandbox, "_refused", {})


def test_where_namespaces_are_refused_nothing_of_a_stranger_runs(folder, windtunnel, refusing):
    (folder / "hook.sh").write_text("touch ran\n")
    ran = windtunnel("certify", "target.yaml", "--cases", "0", "--report", "report")
    assert 4 == ran.code
    assert "this machine refuses namespaces" in " ".join(ran.out.split())
    assert "add --unsafe to go on all the same" in " ".join(ran.out.split())
    assert "untestable" == json.loads((folder / "report" / "result.json").read_text())["outcome"]
    assert not (folder / "ran").exists()


def test_unsafe_goes_on_and_says_what_is_not_contained(folder, windtunnel, refusing):
    (folder / "hook.sh").write_text("exit 0\n")
    words = ("--level", "L1", "--cases", "0", "--report", "report", "--clause", "SH-07")
    ran = windtunnel("certify", "target.yaml", "--unsafe", *words)
    assert ran.code in (1, 5)
    assert "not contained: " in ran.out
    result = json.loads((folder / "report" / "result.json").read_text())
    assert result["uncontained"]
    assert 0 < result["counts"]["operations"]


def test_an_example_of_ours_needs_no_unsafe(folder, windtunnel, refusing, request):
    target = request.config.rootpath / "examples" / "hooks" / "sound_bash" / "target.yaml"
    words = ("--level", "L1", "--cases", "0", "--report", "report", "--clause", "SH-07")
    ran = windtunnel("certify", target, *words)
    assert 0 == ran.code, ran.out
    assert "not contained: " in ran.out


def test_the_first_line_comes_before_the_hook_has_answered(folder):
    """Source: "First verdict on screen within a second" - what a run is about is told while the first call hangs."""
    marker = f"1000.{uuid.uuid4().int}"
    (folder / "hook.sh").write_text(f"exec sleep {marker}\n")
    with started(["-m", "harness.cli"], "target.yaml") as process:
        assert b"mine" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert 130 == process.returncode
