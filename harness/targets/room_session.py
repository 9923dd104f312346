"""What sessions share: looking at their room, and, where the clock is an argument, telling and moving it."""

from collections.abc import Mapping
from typing import Any

from harness.core.fault import Fault, Injection
from harness.core.history import FileFact, InputFact
from harness.core.scenario import Operation
from harness.faults import clock
from harness.ports.clock import to_text
from harness.sandbox.room import Room
from harness.targets.messages import InitializeResult
from harness.targets.session import INPUT_LIMIT_BYTES

_EARLIEST_S = -62_135_596_800.0  # the first second of the year 1, before which no date can be written


class RoomSession:
    """The part of a Session that looks into its room."""

    def __init__(self, room: Room) -> None:
        self._looked_into = room

    def introduction(self) -> InitializeResult | None:
        """See Session.introduction."""
        return None

    def stated(self, operation: Operation) -> Mapping[str, Any]:
        """See Session.stated."""
        return operation.args

    def repeats(self, at_most: int) -> int:
        """See Session.repeats."""
        return at_most

    def snapshot(self) -> dict[str, FileFact]:
        """See Session.snapshot; what libfaketime left of a killed process is no file of the implementation."""
        found = self._looked_into.snapshot()
        return {path: fact for path, fact in found.items() if not path.startswith(clock.STRAYS)}

    def input(self, path: str) -> InputFact:
        """See Session.input."""
        return self._looked_into.read(path, INPUT_LIMIT_BYTES)

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """See Session.met."""
        return ()

    def hasten(self, attempt: int) -> None:
        """See Session.hasten; nothing strikes in here."""


class ToldTime:
    """The part of a Session that tells the time, in the scenario's own."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now(self) -> str:
        """See Session.now."""
        return to_text(min(max(self._now_s, _EARLIEST_S), clock.LATEST_S))

    def _follow(self, injection: Injection) -> None:
        """Moves the time as a fault of the family clock does, if it stands."""
        fault: Fault = injection.fault
        if injection.armed and fault.family == "clock":
            self._now_s += clock.shift_s(fault.name.partition(".")[2], fault.params, self._now_s)
