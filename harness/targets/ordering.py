"""What an order of file calls is to a session: where its processes get their filters from, and when they may begin."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from harness.core.scenario import Schedule
from harness.faults.syscalls import TimeCalls
from harness.sandbox import Filter
from harness.targets.session import Session


class Ordering(Protocol):
    """One execution of operations whose file calls are let go in a chosen order; see explore.races."""

    @property
    def given_up(self) -> str:
        """Why this execution shows nothing: its order could not be made. "" when it could, so far."""
        ...

    def filter(self, *, served: bool = False, times: TimeCalls | None = None) -> Filter:
        """What to start the next of its processes with; ``served``: it lives on and is asked at its standard input.

        ``times`` tells it the time.
        """
        ...

    def feeding(self) -> AbstractContextManager[None]:
        """While inside nothing is let go: until the last of the served processes has its work."""
        ...


Orderer = Callable[[Session, Schedule], AbstractContextManager[Ordering]]
