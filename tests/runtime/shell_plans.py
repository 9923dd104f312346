"""Runs of a plan whose commands are a script of the test, on real files, with a clock that only the test moves."""

import os
from typing import NamedTuple

from harness.ports.clock import FakeClock
from harness.ports.files import RealFiles
from harness.ports.launcher import Ended
from harness.runtime.shell_plan import parse
from harness.runtime.shell_run import Machine, ShellRun
from harness.runtime.watched import Watched

DONE = Ended("exit", 0, "")


def failed(output="", code=1):
    return Ended("exit", code, output)


class Waits:
    """A waiter that moves the clock, and remembers for how long."""

    def __init__(self, clock):
        self.clock = clock
        self.waited = []

    def wait(self, for_s):
        self.waited.append(for_s)
        self.clock.move(for_s)


class Commands:
    """A launcher: ``ends`` gives the end of a command by its text; anything else is done. A function may raise."""

    def __init__(self, ends):
        self.ends = ends
        self.ran = []
        self.found = []

    def run(self, argv, *, cwd, env, timeout_s):
        text = argv[-1]
        self.ran.append(text)
        self.found.append(dict(env))
        end = self.ends.get(text, DONE)
        return end() if callable(end) else end


class Run(NamedTuple):
    ended: object
    ran: list
    waited: list
    broken: dict
    events: list
    told: list
    found: list


class Project:
    """Runs ``plan`` again and again, each time as a new process finds it."""

    def __init__(self, folder, plan, files=None):
        self.plan = parse(plan.encode(), "plan")
        self.state = str(folder / "state")
        self.folder = folder
        self.clock = FakeClock(1_772_000_000.0)
        self.files = files or RealFiles()

    def run(self, ends=None, *, resumes=False, is_fresh=False):
        commands, waits = Commands(ends or {}), Waits(self.clock)
        machine = Machine(self.clock, self.files, commands, waits, {"PATH": "/bin"})
        events, told = [], []
        watched = Watched(lambda line: None, events.append)
        run = ShellRun(self.plan, self.state, str(self.folder), machine, watched.take, told.append)
        ended = run.run(resumes=resumes, is_fresh=is_fresh, goes_on=os.path.isdir(self.state))
        watched.end(run.session_id)
        self.clock.move(60.0)
        return Run(ended, commands.ran, waits.waited, watched.broken, events, told, commands.found)
