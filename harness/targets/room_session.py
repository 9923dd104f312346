"""What sessions share: looking at their room, and, where the clock is an argument, telling and moving it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.core.fault import Fault, Injection
from harness.core.history import InputFact
from harness.core.scenario import Crash, FileSpec, Operation
from harness.errors import MachineError
from harness.faults import clock
from harness.faults.syscalls import Call
from harness.ports.clock import to_text
from harness.sandbox.room import Room, Seen
from harness.targets.messages import InitializeResult
from harness.targets.ordering import Ordering
from harness.targets.session import INPUT_LIMIT_BYTES, Reply

_WHOLE_BYTES = 64 * 1024 * 1024  # of a file that a crash may leave otherwise
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

    def look(self, paths: Sequence[str]) -> Seen:
        """See Session.look; what libfaketime left of a killed process is no file of the implementation."""
        seen = self._looked_into.look(paths, INPUT_LIMIT_BYTES)
        found = seen.files
        strays = [path for path in found if path.startswith("/dev/shm/") and clock.STRAYS.fullmatch(path)]  # noqa: S108
        for path in strays:
            del found[path]
        return seen

    def input(self, path: str) -> InputFact:
        """See Session.input."""
        return self._looked_into.read(path, INPUT_LIMIT_BYTES)

    def inputs(self, paths: Sequence[str]) -> dict[str, InputFact]:
        """See Session.inputs."""
        return self._looked_into.read_each(paths, INPUT_LIMIT_BYTES)

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """See Session.met."""
        return ()

    def hasten(self, attempt: int) -> None:
        """See Session.hasten; nothing strikes in here."""

    def unexplorable(self) -> str:
        """See Session.unexplorable."""
        return "no process is started here whose file calls could be supervised"

    def perform_in_order(self, operations: Sequence[tuple[int, Operation]], ordering: Ordering) -> list[Reply]:
        """See Session.perform_in_order."""
        raise MachineError(self.unexplorable())

    def standing(self) -> dict[str, FileSpec]:
        """See Session.standing."""
        room, resolve = self._looked_into, self._looked_into.roots.resolve
        found: dict[str, FileSpec] = {}
        for path, fact in room.snapshot().items():
            if fact.kind in ("directory", "symlink"):
                found[resolve(path)] = FileSpec(kind="directory" if fact.kind == "directory" else "symlink")
            elif fact.kind == "file":
                found[resolve(path)] = FileSpec(base64=room.read(path, _WHOLE_BYTES).data or b"")
        return found

    def crash(self, process: int, crash: Crash) -> Reply:
        """See Session.crash."""
        raise MachineError(self.unexplorable())

    def ordered_below(self) -> tuple[str, ...]:
        """See Session.ordered_below."""
        return ()

    def hide(self, text: str) -> str:
        """See Session.hide."""
        return self._looked_into.roots.hide(text)

    def record_calls(self, watch: Callable[[Call], object]) -> None:
        """See Session.record_calls; there are none to record."""

    def recorded_calls(self) -> tuple[Call, ...]:
        """See Session.recorded_calls."""
        return ()


class ToldTime:
    """The part of a Session that tells the time, in the scenario's own."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._told = (0.0, to_text(0.0))

    def now(self) -> str:
        """See Session.now."""
        if self._told[0] != self._now_s:
            self._told = (self._now_s, to_text(min(max(self._now_s, _EARLIEST_S), clock.LATEST_S)))
        return self._told[1]

    def _move(self, by_s: float) -> None:
        """Moves the time, kept to the microsecond as it is told; backwards it stops at the beginning of 1970."""
        self._now_s = round(self._now_s + clock.not_before_1970(by_s, self._now_s), 6)

    def _follow(self, injection: Injection) -> None:
        """Moves the time as a fault of the family clock does, if it stands."""
        fault: Fault = injection.fault
        if injection.armed and fault.family == "clock":
            self._move(clock.shift_s(fault.name.partition(".")[2], fault.params, self._now_s))
