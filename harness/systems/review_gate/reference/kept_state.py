"""The state file, under one lock. What stands there and is no state stays, and nothing passes by it."""

import contextlib
from collections.abc import Iterator
from typing import Final

import msgspec

from harness.ports.files import Files
from harness.systems.review_gate.contract import GATE_PATH
from harness.systems.review_gate.reference.state import Memory

LIMIT_BYTES: Final = 16 * 2**20
LOCK_S: Final = 0.5  # a change holds the lock for milliseconds; who holds it longer hangs


class DamagedStateError(Exception):
    """What stands there is no state: nobody knows what was reviewed."""


class KeptState:
    """The file. Every method may raise OSError."""

    def __init__(self, home: str, files: Files) -> None:
        self.path = f"{home}/{GATE_PATH.removeprefix('{home}/')}"
        self.files = files

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time."""
        with self.files.lock(f"{self.path}.lock", LOCK_S):
            yield

    def read(self) -> Memory:
        """What is remembered; nothing when there is no file. DamagedStateError when it is none."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES)
        except FileNotFoundError:
            return Memory()
        return self.parsed(data)

    def parsed(self, data: bytes) -> Memory:
        """The state in these bytes; DamagedStateError when there is none."""
        try:
            memory = msgspec.json.decode(data, type=Memory)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise DamagedStateError(f"{self.path} is no state of a review gate: {error}") from error
        if memory.version != Memory().version:
            raise DamagedStateError(f"{self.path} is of version {memory.version}, which is not known")
        return memory

    def write(self, memory: Memory) -> None:
        """Remembers; seen whole or not at all."""
        self.files.replace(self.path, msgspec.json.encode(memory))
