"""Files in memory, for tests and simulations: the same manners, faults on demand, and every change told."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.ports.files import NotRegularError, Status

_GROWING_BYTES = 65536  # larger files are appended to in place, so that n appends do not cost n * n


class FakeFiles:
    """A file system in memory with the same manners; ``fail`` makes every change raise until it is taken away.

    ``before_change`` is called before each change with its path; what it raises keeps the change from being made.
    ``watch`` is called with the path after each change of what a file holds, also in the middle of an operation.
    """

    def __init__(self) -> None:
        self.contents: dict[str, tuple[bytes | bytearray, float]] = {}
        self.fail: OSError | None = None
        self.before_change: Callable[[str], None] | None = None
        self.watch: Callable[[str], None] | None = None

    def status(self, path: str) -> Status | None:
        """See Files.status."""
        if path in self.contents:
            data, mtime_s = self.contents[path]
            return Status("file", len(data), mtime_s)
        below = path.rstrip("/") + "/"
        if any(other.startswith(below) for other in self.contents):
            return Status("directory", 0, 0.0)
        return None

    def look(self, path: str) -> Status | None:
        """See Files.look; there are no links here."""
        return self.status(path)

    def read(self, path: str, limit_bytes: int) -> bytes:
        """See Files.read."""
        found = self.status(path)
        if found is None:
            raise FileNotFoundError(path)
        if found.kind != "file":
            raise NotRegularError(f"{path} is a {found.kind}")
        return bytes(self.contents[path][0][:limit_bytes])

    def read_from(self, path: str, offset: int, limit_bytes: int) -> bytes:
        """See Files.read_from."""
        self.read(path, 0)
        return bytes(self.contents[path][0][offset : offset + limit_bytes])

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """See Files.create."""
        self._make(path)
        if self.status(path) is not None:
            return False
        self.contents[path] = (data, mtime_s)
        self._changed(path)
        return True

    def replace(self, path: str, data: bytes) -> None:
        """See Files.replace."""
        self._make(path)
        self._refuse_directory(path)
        self.contents[path] = (data, 0.0)
        self._changed(path)

    def append(self, path: str, data: bytes) -> None:
        """See Files.append."""
        self._make(path)
        self._refuse_directory(path)
        before, mtime_s = self.contents.get(path, (b"", 0.0))
        if len(before) < _GROWING_BYTES:
            self.contents[path] = (before + data, mtime_s)
        else:
            grown = before if isinstance(before, bytearray) else bytearray(before)
            grown += data
            self.contents[path] = (grown, mtime_s)
        self._changed(path)

    def append_lines(self, path: str, data: bytes) -> None:
        """See Files.append_lines."""
        before, _ = self.contents.get(path, (b"", 0.0))
        torn = before and not before.endswith(b"\n")
        self.append(path, b"\n" + data if torn else data)

    def remove(self, path: str) -> None:
        """See Files.remove."""
        self._change(path)
        self._refuse_directory(path)
        if self.contents.pop(path, None) is not None:
            self._changed(path)

    def put(self, path: str, data: bytes | None) -> None:
        """What somebody else left there, None for nothing: no fault keeps it from being there."""
        before = self.contents.pop(path, None)
        if data is not None:
            self.contents[path] = (data, 0.0)
        if (None if before is None else before[0]) != data:
            self._changed(path)

    def set_time(self, path: str, mtime_s: float) -> None:
        """See Files.set_time."""
        self._change(path)
        if path not in self.contents:
            raise FileNotFoundError(path)
        self.contents[path] = (self.contents[path][0], mtime_s)

    def resolve(self, path: str) -> str:
        """See Files.resolve; there are no links here."""
        return os.path.normpath(path)

    @contextmanager
    def lock(self, path: str, timeout_s: float) -> Iterator[None]:
        """See Files.lock; one thread at a time lives here, so the lock is always free."""
        self._make(path)
        self._refuse_directory(path)
        del timeout_s
        yield

    def _change(self, path: str) -> None:
        if self.before_change is not None:
            self.before_change(path)
        if self.fail is not None:
            raise self.fail

    def _changed(self, path: str) -> None:
        if self.watch is not None:
            self.watch(path)

    def _make(self, path: str) -> None:
        self._change(path)
        parent = path.rpartition("/")[0]
        while parent:
            if parent in self.contents:
                raise NotADirectoryError(f"{parent} is a file")
            parent = parent.rpartition("/")[0]

    def _refuse_directory(self, path: str) -> None:
        found = self.status(path)
        if found is not None and found.kind != "file":
            raise IsADirectoryError(f"{path} is a directory")
