"""A small file that several processes change: read whole, replaced whole under a lock, kept aside when damaged."""

import contextlib
import errno

from harness.ports.files import Files

LIMIT_BYTES = 1 << 28  # what is longer was not written by this, and is not read into memory
LOCK_S = 0.5  # a change holds the lock for milliseconds; who holds it longer hangs
PATIENCE_SHARE = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S = 0.001  # below this nobody waits any more
ASIDE_NUMBERS = range(1, 17)  # as many bad files are kept


class KeptFile:
    """One file. Every method may raise OSError."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files
        self.patience_s = LOCK_S

    def lock(self, held: contextlib.ExitStack) -> None:
        """Takes the lock until ``held`` ends; TimeoutError when somebody keeps it: then the next wait is shorter."""
        try:
            held.enter_context(self.files.lock(self.lock_path(), 0))
        except TimeoutError:
            if self.patience_s < LEAST_PATIENCE_S:  # each wait in vain leaves a thread behind until the lock is free
                raise
            patience_s, self.patience_s = self.patience_s, self.patience_s / PATIENCE_SHARE
            held.enter_context(self.files.lock(self.lock_path(), patience_s))
        self.patience_s = LOCK_S

    def lock_path(self) -> str:
        """The lock is beside the file, which is replaced again and again."""
        return f"{self.path}.lock"

    def read(self) -> bytes | None:
        """All of it; None when there is none."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(data) > LIMIT_BYTES:
            raise OSError(errno.EFBIG, f"{self.path} has more than {LIMIT_BYTES} bytes")
        return data

    def put(self, data: bytes) -> None:
        """Replaces the file: whole, and there after a loss of power."""
        self.files.replace(self.path, data)

    def keep(self, data: bytes, kind: str, now_s: float) -> str:
        """Keeps this content beside the file, under another name, and gives that."""
        for number in ASIDE_NUMBERS:
            path = f"{self.path}.{kind}-{number}"
            if self.files.create(path, data, max(0.0, now_s)):
                return path
        return path  # evidence enough is kept
