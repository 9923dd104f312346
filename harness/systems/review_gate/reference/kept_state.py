"""The state file, under one lock. What stands there and is no state stays, and nothing passes by it."""

import contextlib
import errno
from collections.abc import Iterator
from typing import Final

import msgspec

from harness.ports.files import Files
from harness.systems.review_gate.contract import GATE_PATH
from harness.systems.review_gate.reference.state import NOTHING, VERSION, Memory

LIMIT_BYTES: Final = 16 * 2**20
LOCK_S: Final = 2.0  # a change holds the lock for milliseconds; who holds it longer hangs
PATIENCE_SHARE: Final = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S: Final = 0.001  # below this nobody waits any more


class DamagedStateError(Exception):
    """What stands there is no state: nobody knows what was reviewed."""


class KeptState:
    """The file. Every method may raise OSError."""

    def __init__(self, home: str, files: Files) -> None:
        self.path = f"{home}/{GATE_PATH.removeprefix('{home}/')}"
        self.files = files
        self.patience_s = LOCK_S

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time; TimeoutError when somebody keeps the lock: then the next wait is shorter."""
        with contextlib.ExitStack() as held:
            try:
                self._lock(held, f"{self.path}.lock")
            except TimeoutError:
                self.patience_s /= PATIENCE_SHARE
                raise
            self.patience_s = LOCK_S
            yield

    def _lock(self, held: contextlib.ExitStack, path: str) -> None:
        """Waits for the lock, and asks once more where that was in vain.

        Not the other way round: every call for a lock multiplies the orders of a race.
        """
        if self.patience_s >= LEAST_PATIENCE_S:  # each wait in vain leaves a thread behind until the lock is free
            with contextlib.suppress(TimeoutError, BlockingIOError):  # no thread to wait in, or it was not let run
                held.enter_context(self.files.lock(path, self.patience_s))
                return
        held.enter_context(self.files.lock(path, 0))

    def read(self) -> Memory:
        """What is remembered; nothing when there is no file. DamagedStateError when it is no state."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES + 1)
        except FileNotFoundError:
            return NOTHING
        if len(data) > LIMIT_BYTES:
            raise DamagedStateError(f"{self.path} is longer than {LIMIT_BYTES} bytes")
        return self.parsed(data)

    def parsed(self, data: bytes) -> Memory:
        """The state in these bytes; DamagedStateError when there is none."""
        try:
            memory = msgspec.json.decode(data, type=Memory)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise DamagedStateError(f"{self.path} is no state of a review gate: {error}") from error
        if memory.version != VERSION:
            raise DamagedStateError(f"{self.path} is of version {memory.version}, which is not known")
        return memory

    def write(self, memory: Memory) -> None:
        """Remembers; seen whole or not at all."""
        data = msgspec.json.encode(memory)
        if len(data) > LIMIT_BYTES:
            raise OSError(errno.EFBIG, "the state would be too long to be read again", self.path)
        self.files.replace(self.path, data)
