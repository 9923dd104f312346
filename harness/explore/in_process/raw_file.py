"""File objects whose buffers are the library's and whose calls to the kernel are asked about."""

import io
import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from harness.explore.in_process.calls import Call
from harness.explore.in_process.originals import ORIGINAL
from harness.faults.syscalls.calls import Kind

if TYPE_CHECKING:
    from harness.explore.in_process.boundary import Boundary, Life

T = TypeVar("T")
_BUFFER = io.DEFAULT_BUFFER_SIZE


class Raw(io.FileIO):
    """The unbuffered file below every file object."""

    def __init__(self, boundary: "Boundary", file: Any, mode: str, closefd: bool, opener: Any) -> None:
        self._boundary = boundary
        self._owner: Life | None = None
        super().__init__(file, mode, closefd, opener)
        self._owner = boundary.life
        if self._owner is not None and closefd:
            self._owner.descriptors.discard(self.fileno())
            self._owner.files.add(self)

    def abandon(self) -> None:
        """Closes it for the kernel; what buffers above hold is never written."""
        super().close()

    def _call(self, name: str, kind: Kind, **more: Any) -> Call | None:
        if self.closed or not self._boundary.standing:
            return None
        path = self._boundary.path(self.fileno())
        return None if path is None else Call(name, kind, (path,), descriptor=self.fileno(), **more)

    def write(self, data: Any, /) -> int:
        """Asked about as a whole: what the buffer above hands down at once."""
        content = bytes(data)
        call = self._call("write", Kind.WRITE, data=content, length=len(content))
        if call is None:
            return super().write(content)
        written = super().write
        return self._boundary.perform(call, lambda: written(content), lambda size: written(content[:size]))

    def read(self, size: int | None = -1, /) -> bytes:
        """Asked about once."""
        return self._asked("read", Kind.READ, lambda: super(Raw, self).read(-1 if size is None else size))

    def readall(self) -> bytes:
        """Asked about once, however many calls the kernel needs."""
        return self._asked("read", Kind.READ, super().readall)

    def readinto(self, buffer: Any, /) -> int:
        """Asked about once."""
        return self._asked("read", Kind.READ, lambda: super(Raw, self).readinto(buffer))

    def truncate(self, size: int | None = None, /) -> int:
        """Asked about with the size the file will have."""
        length = self.tell() if size is None else size
        return self._asked("ftruncate", Kind.TRUNCATE, lambda: super(Raw, self).truncate(length), length=length)

    def close(self) -> None:
        """Asked about while the process lives; a dead one's files are closed by the kernel, and nobody is asked."""
        if self.closed or not self.closefd or (self._owner is not None and self._owner.dead):
            super().close()
        else:
            self._asked("close", Kind.CLOSE, self._given_back)

    def _given_back(self) -> None:
        descriptor = self.fileno()
        try:
            super().close()
        finally:
            self._boundary.closed(descriptor)

    def _asked(self, name: str, kind: Kind, do: Callable[[], T], **more: Any) -> T:
        call = self._call(name, kind, **more)
        return do() if call is None else self._boundary.perform(call, do)


def opened(
    boundary: "Boundary",
    file: Any,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    closefd: bool = True,
    opener: Any = None,
) -> Any:
    """What ``io.open`` gives, with Raw at the bottom; files elsewhere are left to it."""
    text = "b" not in mode
    wrong = (text and buffering == 0) or (not text and (encoding, errors, newline) != (None, None, None))
    if wrong or not set(mode) <= set("rwaxbt+") or boundary.path(file) is None:
        return ORIGINAL.open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    if buffering == 1 and not text:
        warnings.warn("line buffering (buffering=1) isn't supported in binary mode", RuntimeWarning, stacklevel=3)
    raw = _raw(boundary, file, mode.replace("t", "").replace("b", ""), closefd, opener)
    try:
        if buffering == 0:
            return raw
        size = buffering if buffering > 1 else max(_BUFFER, ORIGINAL.fstat(raw.fileno()).st_blksize)
        if "+" in mode:
            buffer: Any = io.BufferedRandom(raw, size)
        else:
            buffer = io.BufferedReader(raw, size) if "r" in mode else io.BufferedWriter(raw, size)
        if not text:
            return buffer
        wrapped = io.TextIOWrapper(buffer, encoding, errors, newline, line_buffering=buffering == 1)
        wrapped.mode = mode  # type: ignore[misc]  # io.open sets it as well
    except BaseException:
        raw.close()
        raise
    return wrapped


def _raw(boundary: "Boundary", file: Any, mode: str, closefd: bool, opener: Any) -> Raw:
    made: list[int] = []

    def remembering(path: Any, flags: int) -> int:
        made.append(os.open(path, flags, 0o666) if opener is None else opener(path, flags))
        return made[0]

    try:
        return Raw(boundary, file, mode, closefd, None if isinstance(file, int) else remembering)
    except BaseException:
        for descriptor in made:  # FileIO closed it, as it does for a directory
            boundary.closed(descriptor)
        raise
