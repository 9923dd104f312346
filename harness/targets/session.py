"""What a target offers to the player of scenarios: one worker's private world, and operations in it."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType, InputFact
from harness.core.scenario import Crash, FileSpec, Operation, Scenario
from harness.faults.syscalls import Call
from harness.sandbox.room import Seen
from harness.targets.messages import InitializeResult

if TYPE_CHECKING:
    from harness.targets.ordering import Ordering

INPUT_LIMIT_BYTES = 256 * 1024  # what a history keeps of a file an operation reads; larger ones by size only


class Reply(NamedTuple):
    """How an operation ended, and its result; see core.history.EntryType."""

    type: EntryType
    value: Mapping[str, Any]


def each_text(value: Any, change: Callable[[str], str]) -> Any:
    """``value`` (builtins, nested) with ``change`` applied to every text in it, keys left as they are."""
    if isinstance(value, str):
        return change(value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {key: each_text(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [each_text(item, change) for item in value]
    return value


class Session(Protocol):
    """One worker's way to an implementation. Used by one thread at a time; everything is undone at the end."""

    profile: str

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def reset(self, scenario: Scenario) -> None:
        """Puts the world, its clock and the implementation's state to the scenario's beginning; lifts all faults."""
        ...

    def uncontained(self) -> tuple[str, ...]:
        """What the sandbox of this machine does not contain, one sentence each."""
        ...

    def contained(self) -> bool:
        """Is what runs here kept from the person's files and network?"""
        ...

    def introduction(self) -> InitializeResult | None:
        """What the implementation said of itself when it was first met; None where a carrier has no such message."""
        ...

    def abort(self) -> None:
        """Kills everything at once, from any thread; whoever waits meets an error, and still has to leave."""
        ...

    def inject(self, fault: Fault, seed: int) -> Injection:
        """Puts a fault in place."""
        ...

    def hasten(self, attempt: int) -> None:
        """Signals strike as early as the run of that number (from 0) of one scenario has to."""
        ...

    def move_clock(self, by_s: float) -> None:
        """Moves the clock the implementation sees, by seconds; not before 1970, where no kernel sets one."""
        ...

    def now(self) -> str:
        """The time the implementation sees, RFC 3339, UTC; the same for all runs of one scenario."""
        ...

    def stated(self, operation: Operation) -> Mapping[str, Any]:
        """The arguments as they go into the history."""
        ...

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        """Begins each operation in its process, all at once, and waits for their ends, in the same order."""
        ...

    def perform_in_order(self, operations: Sequence[tuple[int, Operation]], ordering: "Ordering") -> list[Reply]:
        """The same, by processes of their own whose file calls are let go one after the other, as ``ordering`` says."""
        ...

    def standing(self) -> dict[str, FileSpec]:
        """Everything in the writable roots with its bytes, by absolute path; of a link not where it leads."""
        ...

    def crash(self, process: int, crash: Crash) -> Reply:
        """Leaves the files that a crash left, and gives the reply of an operation that died in it."""
        ...

    def ordered_below(self) -> tuple[str, ...]:
        """The paths, absolute, below which calls are ordered."""
        ...

    def hide(self, text: str) -> str:
        """``text`` with the paths of this worker's world as scenarios write them."""
        ...

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """What struck the operations performed last, and only those: by process, each with its proof. Told once."""
        ...

    def unexplorable(self) -> str:
        """Why the file calls of operations can be neither seen nor struck here, in a sentence; "" when they can."""
        ...

    def record_calls(self, watch: Callable[[Call], object]) -> None:
        """The file calls of the operations performed next are recorded; ``watch`` is given each while it waits."""
        ...

    def recorded_calls(self) -> tuple[Call, ...]:
        """The calls recorded, in order, their paths as scenarios write them; told once."""
        ...

    def repeats(self, at_most: int) -> int:
        """How often a repeat of a scenario may run for this implementation."""
        ...

    def look(self, paths: Sequence[str]) -> Seen:
        """At one moment: the files the implementation could have written, and what it would be given at ``paths``."""
        ...

    def input(self, path: str) -> InputFact:
        """What stands at a path the implementation is given to read."""
        ...

    def inputs(self, paths: Sequence[str]) -> dict[str, InputFact]:
        """The same of each path, at one moment; by path."""
        ...
