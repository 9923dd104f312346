"""What a fault needs of the place it is put into: a sandbox, or a plain directory of this process."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from harness.core.history import FileFact, InputFact
from harness.sandbox.plan import Ended
from harness.sandbox.roots import Roots
from harness.sandbox.wire import Action


class Room(Protocol):
    """See Sandbox, which is one, for the meaning of each."""

    roots: Roots

    def apply(self, actions: Sequence[Action]) -> None:
        """Do the file actions, in order."""
        ...

    def read(self, path: str, limit: int) -> InputFact:
        """What a program would find at ``path``."""
        ...

    def snapshot(self) -> dict[str, FileFact]:
        """All files, by placeholder path."""
        ...

    def limit_space(self, path: str, size_bytes: int, free_bytes: int = 0) -> str:
        """A full disk at ``path``; the errno met, or MachineError."""
        ...

    def read_only(self, path: str) -> str:
        """A read-only ``path``; the errno met, or MachineError."""
        ...

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str, stdin: bytes | None = b"", timeout_s: float
    ) -> Ended:
        """Run a command to its end, or MachineError."""
        ...
