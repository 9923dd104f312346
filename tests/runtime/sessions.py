"""The same session twice: on the machine's files and processes, and simulated. Only the clock is a fake in both."""

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.ports.clock import FakeClock, FakeWaiter
from harness.ports.files import RealFiles
from harness.ports.launcher import Ended, RealLauncher
from harness.runtime.calls import Task
from harness.runtime.ports import Outside, Place
from harness.runtime.session import TRANSCRIPT, Session
from harness.runtime.uses import Use
from harness.simulation.session import HOME, PROVIDERS, Simulated
from harness.simulation.systems import references
from harness.systems.error_log.contract import ERRORS_PATH

NOW_S = 1772366400.0
ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
OK = ("sh", "-c", "echo done")
FAILS = ("sh", "-c", "echo no such test; exit 3")
KILLED = ("sh", "-c", "kill -9 $$")
HANGS = ("sleep", "1000")
ABSENT = ("/no/such/tool",)
LIMITED = "Rate limit: try again later"
ASKED = ("sh", "-c", f"case $0 in opus) echo '{LIMITED}'; exit 1;; sonnet) echo 'HTTP 503'; exit 1;; esac", "{model}")


RECOVERS = ("sh", "-c", 'test -n "$0" && echo recovered', "{strategy}")


def tools(argv: Sequence[str]) -> Ended:
    """What those commands really do, as RealLauncher tells it."""
    if tuple(argv[:3]) == ASKED[:3]:
        said = {"opus": LIMITED, "sonnet": "HTTP 503", "haiku": ""}[argv[3]]
        return Ended("exit", 1 if said else 0, said)
    if tuple(argv[:3]) == RECOVERS[:3]:
        return Ended("exit", 0, "recovered") if argv[3] else Ended("exit", 1, "")
    return {
        OK: Ended("exit", 0, "done"),
        FAILS: Ended("exit", 3, "no such test"),
        KILLED: Ended("signal", 9, ""),
        HANGS: Ended("timeout", 0, "no end within 0.2 s"),
        ABSENT: Ended("not_started", errno.ENOENT, "No such file or directory"),
    }[tuple(argv)]


class Real:
    """A session on real files and processes below a folder; made like Simulated."""

    def __init__(self, folder: Path, session_id: str = "session-1") -> None:
        self.home = str(folder / "home")
        project = folder / "project"
        project.mkdir()
        self.clock = FakeClock(NOW_S)
        self.files = RealFiles()
        outside = Outside(self.clock, self.files, RealLauncher(), FakeWaiter(self.clock))
        place = Place(self.home, str(project), PROVIDERS)
        self.session = Session(session_id, place, outside, references(self.home, self.files))


class Fake(Simulated):
    """A simulated session with those tools."""

    home = HOME

    def __init__(self) -> None:
        super().__init__(NOW_S, tools)


def stored(world: Real | Fake, template: str) -> bytes:
    """A file of the session's."""
    path = template.replace("{home}", world.home).replace("{session_id}", "session-1")
    return world.files.read(path, 1_000_000)


def transcript(world: Real | Fake) -> list[dict[str, Any]]:
    """The conversation."""
    return [json.loads(line) for line in stored(world, TRANSCRIPT).splitlines()]


def records(world: Real | Fake) -> list[dict[str, Any]]:
    """What the error log keeps."""
    return json.loads(stored(world, ERRORS_PATH))["errors"]


def using(world: Real | Fake, argv: Sequence[str], task: str = "t", timeout_s: float = 30.0) -> str:
    """A local tool is used."""
    use = Use(task=task, tool="run_bash", command=tuple(argv), args={"command": argv[0]}, env=ENV, timeout_s=timeout_s)
    return world.session.use_tool(use)


def live(world: Real | Fake) -> None:
    """A session that is held, meets every kind of failure, recovers or does not, goes on, and may end."""
    session = world.session
    session.say("user", "Make the tests pass.")
    session.request_stop()
    for number, argv in enumerate((FAILS, KILLED, HANGS, ABSENT, OK, RECOVERS)):
        world.clock.move(1.5)
        using(world, argv, f"use-{number}", 0.2 if argv is HANGS else 30.0)
    for name, urgent in (("first", True), ("second", False)):
        session.perform(Task(id=name, tool="model", command=ASKED, env=ENV, urgent=urgent))
        session.do_beside("git_commit_failure", FAILS, env=ENV, timeout_s=30.0)
    session.say("assistant", "All tests pass now.")
    world.clock.move(60.0)
    session.request_stop()
    session.finish()
