"""Files that tell when something could not be written: what follows from that is no defect of whoever wrote it."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.ports.files import Files, Status


class ToldFiles:
    """``files`` (see Files); ``failed`` is called before the error of a change is raised."""

    def __init__(self, files: Files, failed: Callable[[], object]) -> None:
        self._files = files
        self._failed = failed

    def status(self, path: str) -> Status | None:
        """See Files.status."""
        return self._files.status(path)

    def look(self, path: str) -> Status | None:
        """See Files.look."""
        return self._files.look(path)

    def read(self, path: str, limit_bytes: int) -> bytes:
        """See Files.read."""
        return self._files.read(path, limit_bytes)

    def read_from(self, path: str, offset: int, limit_bytes: int) -> bytes:
        """See Files.read_from."""
        return self._files.read_from(path, offset, limit_bytes)

    def create(self, path: str, data: bytes, mtime_s: float) -> bool:
        """See Files.create."""
        with self._telling():
            return self._files.create(path, data, mtime_s)

    def replace(self, path: str, data: bytes) -> None:
        """See Files.replace."""
        with self._telling():
            self._files.replace(path, data)

    def append(self, path: str, data: bytes) -> None:
        """See Files.append."""
        with self._telling():
            self._files.append(path, data)

    def append_lines(self, path: str, data: bytes) -> None:
        """See Files.append_lines."""
        with self._telling():
            self._files.append_lines(path, data)

    def remove(self, path: str) -> None:
        """See Files.remove."""
        with self._telling():
            self._files.remove(path)

    def set_time(self, path: str, mtime_s: float) -> None:
        """See Files.set_time."""
        with self._telling():
            self._files.set_time(path, mtime_s)

    def resolve(self, path: str) -> str:
        """See Files.resolve."""
        return self._files.resolve(path)

    def lock(self, path: str, timeout_s: float) -> contextlib.AbstractContextManager[None]:
        """See Files.lock."""
        return self._files.lock(path, timeout_s)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._failed()
            raise
