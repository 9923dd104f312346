"""Builds a Session whose files, processes and time are all in memory."""

from collections.abc import Callable, Sequence

from harness.ports.clock import FakeClock
from harness.ports.files import FakeFiles
from harness.ports.launcher import Ended, FakeLauncher
from harness.runtime.session import Session
from harness.systems.stop_gate.contract import Configuration
from harness.systems.stop_gate.reference import create

HOME = "/home/agent"
PROJECT = "/project"


class Simulated:
    """A session and the fakes under it, so that a test can move time and break storage."""

    def __init__(self, now_s: float, tools: Callable[[Sequence[str]], Ended], session_id: str = "session-1") -> None:
        self.clock = FakeClock(now_s)
        self.files = FakeFiles()
        gate = create(Configuration(HOME), self.files)
        self.session = Session(session_id, HOME, PROJECT, self.clock, self.files, FakeLauncher(tools), gate)
