"""From what the kernel says of a call to a ``Call``: paths and contents are read out of the thread that waits."""

import os
from typing import Final

from harness.faults.syscalls import memory
from harness.faults.syscalls.answers import Call
from harness.faults.syscalls.calls import SIGNATURES, Kind, Signature, kind_of
from harness.faults.syscalls.notification import Notification

DATA_LIMIT: Final = 16 * 1024 * 1024  # of one write; beyond it a recording says that it is incomplete
_UNSIGNED: Final = 0xFFFFFFFF
_MOVES_FOLDERS: Final = frozenset({Kind.RENAME, Kind.SYMLINK, Kind.UNLINK, Kind.RMDIR})
_HERE: Final = -1 & 0xFFFFFFFFFFFFFFFF  # pwritev2: where the file stands


class Reader:
    """Reads the calls of one run; only those on paths ``below`` are worth more than a look. For one thread."""

    def __init__(self, below: tuple[str, ...], contents: bool) -> None:
        self._below = below
        self._moved: tuple[tuple[str, str], ...] | None = None  # of those below which are links: where to, and from
        self._know(below)
        self._contents = contents
        self._texts = memory.Texts()
        self._folders: dict[bytes, str] = {}
        self.mapped: set[str] = set()  # files that were mapped so that writes to them are seen by nobody

    def _know(self, below: tuple[str, ...]) -> None:
        self._exact = frozenset(below)
        self._inside = tuple(path + "/" for path in below)

    def _look_up(self, tid: int) -> tuple[tuple[str, str], ...]:
        """What lies behind a link is known by where it lies, and told by the path that was asked for."""
        found = []
        for path in self._below:
            above, _, last = path.rpartition("/")
            real = memory.real_folder(tid, os.fsencode(path))
            if not real and (folder := memory.real_folder(tid, os.fsencode(above or "/"))):
                real = f"{folder.rstrip('/')}/{last}"  # no directory, or none yet
            if real and real != path:
                found.append((real, path))
        self._know((*self._below, *(real for real, _ in found)))
        return tuple(found)

    def _told(self, path: str) -> str:
        for real, asked in self._moved or ():
            if path == real or path.startswith(real + "/"):
                return asked + path[len(real) :]
        return path

    def concerns(self, path: str) -> bool:
        """Whether that path is one of those below which calls are of interest."""
        return path.startswith(self._inside) or path in self._exact

    def paths(self, name: str, asked: Notification) -> tuple[str, ...] | None:
        """The paths of the call; None when it concerns no file of interest.

        OSError when the thread is gone or gave an address it does not have, PermissionError when we may not look.
        """
        signature = SIGNATURES[name]
        if self._moved is None:
            self._moved = self._look_up(asked.tid)
        if signature.fd is not None:
            path = memory.path_of_descriptor(asked.tid, memory.signed(asked.arguments[signature.fd]))
            if not self.concerns(path):
                return None
            path = self._told(path) if self._moved else path
            if signature.kind is Kind.MAP:
                self.mapped.add(path)
            return (path,)
        if not signature.paths:
            return ()
        paths = tuple([self._path(asked, directory, place) for directory, place in signature.paths])
        if signature.kind in _MOVES_FOLDERS:
            self._folders.clear()
        if not any(map(self.concerns, paths)):
            return None
        return tuple(map(self._told, paths)) if self._moved else paths

    def _path(self, asked: Notification, directory: int | None, place: int) -> str:
        """The path in that argument, absolute, links before its last name followed; "" when it cannot be told."""
        address = asked.arguments[place]
        text = self._texts.at(asked.tid, address) if address else b""  # without an address the descriptor is meant
        if text[:1] != b"/":
            at = None if directory is None else memory.signed(asked.arguments[directory])
            base = memory.folder_of(asked.tid, at)
            if not base or not text:
                return base
            if text not in (b".", b"..") and b"/" not in text:
                return f"{base}/{os.fsdecode(text)}" if base != "/" else f"/{os.fsdecode(text)}"
            text = os.fsencode(base) + b"/" + text
        folder, _, last = text.rstrip(b"/").rpartition(b"/")
        if last in (b".", b".."):
            return self._folder(asked.tid, text)
        real = self._folder(asked.tid, folder) if folder else ""
        return f"{'' if real == '/' else real}/{os.fsdecode(last)}"

    def _folder(self, tid: int, folder: bytes) -> str:
        known = self._folders.get(folder)
        if known is None:
            known = memory.real_folder(tid, folder)
            if not known:
                return os.path.normpath(os.fsdecode(folder))
            self._folders[folder] = known
        return known

    def call(self, run: int, process: tuple[int, int], name: str, asked: Notification, paths: tuple[str, ...]) -> Call:
        """The whole call; ``process`` is its number and its id. OSError as of ``paths``."""
        signature = SIGNATURES[name]
        flags = self._flags(name, asked)
        length, data = self._written(asked, signature)
        offset = None if signature.offset is None else asked.arguments[signature.offset]
        source = signature.kind is Kind.COPY
        return Call(
            run=run,
            process=process[0],
            name=name,
            kind=kind_of(name, flags),
            paths=paths,
            flags=flags,
            length=length,
            offset=None if offset == _HERE else offset,
            data=data,
            descriptor=None if signature.fd is None else memory.signed(asked.arguments[signature.fd]),
            source=memory.path_of_descriptor(asked.tid, source_of(name, asked.arguments)) if source else "",
            pid=process[1],
            tid=asked.tid,
            cookie=asked.id,
            arguments=asked.arguments,
        )

    def _flags(self, name: str, asked: Notification) -> int:
        if name == "openat2":
            return int.from_bytes(memory.read(asked.tid, asked.arguments[2], 8), "little") & _UNSIGNED
        if name == "creat":
            return os.O_CREAT | os.O_WRONLY | os.O_TRUNC
        if name in ("mknod", "mknodat"):
            return os.O_CREAT | os.O_EXCL
        place = SIGNATURES[name].flags
        return 0 if place is None else asked.arguments[place] & _UNSIGNED

    def _written(self, asked: Notification, signature: Signature) -> tuple[int, bytes]:
        if signature.length is None:
            return 0, b""
        length = asked.arguments[signature.length]
        if signature.buffer is None:
            return length, b""
        if signature.vector:
            length = memory.vector_length(asked.tid, asked.arguments[signature.buffer], length)
        return length, written(asked.tid, signature, asked.arguments, DATA_LIMIT) if self._contents else b""


def written(tid: int, signature: Signature, arguments: tuple[int, ...], limit: int) -> bytes:
    """What a write would write, its first ``limit`` bytes; OSError as of ``memory.read``."""
    if signature.buffer is None or signature.length is None:
        return b""
    address, length = arguments[signature.buffer], arguments[signature.length]
    if signature.vector:
        return memory.vector(tid, address, length, limit)
    size = min(length, limit)
    return memory.read(tid, address, size) if size else b""


def source_of(name: str, arguments: tuple[int, ...]) -> int:
    """The descriptor that a copy reads from."""
    return memory.signed(arguments[1 if name == "sendfile" else 0])
