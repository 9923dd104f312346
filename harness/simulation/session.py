"""Builds a Session whose files, processes and time are all in memory."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from harness.ports.clock import FakeClock, FakeWaiter
from harness.ports.fake_files import FakeFiles
from harness.ports.launcher import Ended, FakeLauncher
from harness.runtime.ports import Outside, Place
from harness.runtime.session import Session
from harness.simulation.systems import references

if TYPE_CHECKING:
    from harness.runtime.ports import Systems

HOME = "/home/agent"
PROJECT = "/project"
PROVIDERS: Mapping[str, str] = {"opus": "api/claude", "sonnet": "api/claude", "haiku": "api/openai"}


class Simulated:
    """A session and the fakes under it, so that a test can move time and break storage.

    ``systems`` makes those it asks, from the files; the references by default. ``kind`` is the class of the session.
    """

    def __init__(
        self,
        now_s: float,
        tools: Callable[[Sequence[str]], Ended],
        session_id: str = "session-1",
        systems: "Callable[[FakeFiles], Systems] | None" = None,
        kind: type[Session] = Session,
    ) -> None:
        self.clock = FakeClock(now_s)
        self.files = FakeFiles()
        made = references(HOME, self.files) if systems is None else systems(self.files)
        outside = Outside(self.clock, self.files, FakeLauncher(tools), FakeWaiter(self.clock))
        self.session = kind(session_id, Place(HOME, PROJECT, PROVIDERS), outside, made)
