"""Launchers: a command runs to its end or to its time, whatever it is, and nothing is raised."""

import os
import select
import sys

import pytest

from harness.ports.launcher import Ended, FakeLauncher, RealLauncher

ENV = {"PATH": os.environ["PATH"]}


def run(*argv: str, cwd: str = "/", env=ENV, timeout_s: float = 30.0) -> Ended:
    return RealLauncher().run(argv, cwd=cwd, env=env, timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo out; echo err >&2", Ended("exit", 0, "out\nerr")),
        ("echo no; exit 7", Ended("exit", 7, "no")),
        ("kill -9 $$", Ended("signal", 9, "")),
        ("pwd; cat", Ended("exit", 0, "/")),
        ("printf '\\377'", Ended("exit", 0, "\ufffd")),
    ],
)
def test_an_end_is_told_as_it_was(script, expected):
    assert expected == run("sh", "-c", script)


def test_only_the_given_environment_is_seen():
    code = "import os; print(sorted(name for name in os.environ if name != 'LC_CTYPE'))"
    assert run(sys.executable, "-c", code, env={"A": "1"}) == Ended("exit", 0, "['A']")


@pytest.mark.parametrize(
    ("argv", "cwd", "env", "says"),
    [
        (("/no/such/command",), "/", {}, "No such file or directory"),
        (("sh",), "/no/such/folder", ENV, "No such file or directory"),
        (("/",), "/", {}, "Permission denied"),
        ((), "/", {}, "index out of range"),
        (("sh", "a\0b"), "/", ENV, "embedded null byte"),
        (("sh",), "/", {"a=b": "c"}, "illegal environment variable name"),
    ],
)
def test_what_cannot_be_started_is_an_end_too(argv, cwd, env, says):
    ended = RealLauncher().run(argv, cwd=cwd, env=env, timeout_s=5.0)
    assert ended.kind == "not_started"
    assert says in ended.output


def assert_ended(reader: int) -> None:
    """Nobody holds the other end of that FIFO any more."""
    assert select.select([reader], [], [], 20.0)[0], "a process still holds it"
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_a_command_waits_for_nobody_at_its_standard_input():
    read_end, write_end = os.pipe()
    ours = os.dup(0)
    os.dup2(read_end, 0)
    try:
        assert run("cat", timeout_s=20.0) == Ended("exit", 0, "")
    finally:
        os.dup2(ours, 0)
        for descriptor in (ours, read_end, write_end):
            os.close(descriptor)


def test_a_command_and_its_children_are_killed_when_its_time_is_over(tmp_path):
    # both processes hold the other end of this FIFO: its end is read when, and only when, both are gone
    marker = tmp_path / "held"
    os.mkfifo(marker)
    script = f"exec 9>{marker}; sleep 1000 & sleep 1000"
    reader = os.open(marker, os.O_RDONLY | os.O_NONBLOCK)
    ended = run("sh", "-c", script, timeout_s=0.3)
    assert ended == Ended("timeout", 0, "no end within 0.3 s")
    assert_ended(reader)


def test_a_child_left_behind_in_the_group_is_killed(tmp_path):
    marker = tmp_path / "held"
    os.mkfifo(marker)
    reader = os.open(marker, os.O_RDONLY | os.O_NONBLOCK)
    ended = run("sh", "-c", f"exec 9>{marker}; sleep 1000 >/dev/null 2>&1 & exit 3")
    assert ended == Ended("exit", 3, "")
    assert_ended(reader)


def test_a_fake_answers_from_its_script():
    said: list[list[str]] = []

    def script(argv):
        said.append(list(argv))
        return Ended("exit", len(said), "")

    fake = FakeLauncher(script)
    ends = [fake.run([word], cwd="/", env={}, timeout_s=1.0).code for word in ("a", "b")]
    assert (said, ends) == ([["a"], ["b"]], [1, 2])
