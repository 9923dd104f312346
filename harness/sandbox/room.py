"""What a fault needs of the place it is put into: a sandbox, or a plain directory of this process."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from harness.core.history import FileFact, InputFact
from harness.sandbox.plan import Ended, Surroundings
from harness.sandbox.roots import Roots
from harness.sandbox.wire import Action


class Seen(NamedTuple):
    """What was seen at one moment: all files by placeholder path, and what a program would find at some paths."""

    files: dict[str, FileFact]
    inputs: dict[str, InputFact]


class Room(Protocol):
    """See Sandbox, which is one, for the meaning of each."""

    roots: Roots
    surroundings: Surroundings

    def surround(self, change: Surroundings) -> None:
        """Lay ``change`` over ``surroundings``."""
        ...

    def meddle(self, argv: Sequence[str]) -> str:
        """Start something that goes on beside operations, or MachineError; what it said when it had begun."""
        ...

    def watch(self, path: str) -> tuple[str, ...]:
        """The first two states of ``path`` that come by: its size each, or "missing"."""
        ...

    def apply(self, actions: Sequence[Action]) -> None:
        """Do the file actions, in order."""
        ...

    def read(self, path: str, limit: int) -> InputFact:
        """What a program would find at ``path``."""
        ...

    def snapshot(self) -> dict[str, FileFact]:
        """All files, by placeholder path."""
        ...

    def read_each(self, paths: Sequence[str], limit: int) -> dict[str, InputFact]:
        """As ``read`` of each path, at once; by path."""
        ...

    def look(self, paths: Sequence[str], limit: int) -> Seen:
        """As ``snapshot`` and ``read`` of these paths, at once."""
        ...

    def limit_space(self, path: str, size_bytes: int, free_bytes: int = 0, inodes: int | None = None) -> str:
        """A full disk at ``path``; the errno met, or MachineError."""
        ...

    def read_only(self, path: str) -> str:
        """A read-only ``path``; the errno met, or MachineError."""
        ...

    def busy(self, path: str) -> str:
        """A file that cannot be replaced; the errno met, or MachineError."""
        ...

    def full_device(self, path: str) -> str:
        """A device that takes nothing in place of a file; the errno met, or MachineError."""
        ...

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes | None = b"",
        timeout_s: float,
        surrounded: bool = False,
    ) -> Ended:
        """Run a command to its end, in the surroundings that stand if ``surrounded``; or MachineError."""
        ...
