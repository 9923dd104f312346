"""What an operation in this process changes below a directory, as the changes that crash states are made of."""

import fcntl
import os
import stat
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from harness.errors import HarnessFault
from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.calls import DELETED, Call, Handler
from harness.explore.in_process.originals import ORIGINAL
from harness.explore.state_folder import contents
from harness.explore.writes import (
    Change,
    Create,
    Files,
    Link,
    MakeDirectory,
    MakeSymbolicLink,
    RemoveDirectory,
    Rename,
    Sync,
    SyncAll,
    Tree,
    Truncate,
    Unlink,
    Write,
)
from harness.faults.syscalls.calls import Kind


class Recording(msgspec.Struct, frozen=True):
    """The changes of one operation.

    ``missed`` says what stands on disk that they do not explain, if anything does: then the crash states made of them
    are not all there are.
    """

    changes: tuple[Change, ...]
    missed: str = ""


class Recorder(Handler):
    """Collects what calls change, as they succeed."""

    def __init__(self, directory: str) -> None:
        self.changes: list[Change] = []
        self._directory = directory
        self._making: dict[Kind, Callable[[Call, Any], None]] = {
            Kind.OPEN: self._opened,
            Kind.WRITE: self._written,
            Kind.COPY: self._copied,
            Kind.TRUNCATE: self._cut,
            Kind.SYNC: self._synced,
            Kind.RENAME: lambda call, _: self.changes.append(Rename(*call.paths)),
            Kind.LINK: lambda call, _: self.changes.append(Link(*call.paths)),
            Kind.SYMLINK: lambda call, _: self.changes.append(MakeSymbolicLink(call.paths[0], os.fsdecode(call.data))),
            Kind.UNLINK: lambda call, _: self.changes.append(Unlink(call.paths[0])),
            Kind.MKDIR: lambda call, _: self.changes.append(MakeDirectory(call.paths[0])),
            Kind.RMDIR: lambda call, _: self.changes.append(RemoveDirectory(call.paths[0])),
        }

    def about(self, call: Call) -> None:
        """Learns what only can be seen before: whether an open makes the file, where a write begins."""
        if call.kind is Kind.OPEN:
            call.existed = self._exists(call.paths[0])
        elif call.kind in (Kind.WRITE, Kind.COPY) and call.offset is None and call.descriptor is not None:
            appends = fcntl.fcntl(call.descriptor, fcntl.F_GETFL) & os.O_APPEND
            size = ORIGINAL.fstat(call.descriptor).st_size
            call.offset = size if appends else ORIGINAL.lseek(call.descriptor, 0, os.SEEK_CUR)

    def _exists(self, path: str) -> bool:
        try:
            ORIGINAL.lstat(os.path.join(self._directory, path))
        except OSError:
            return False
        return True

    def after(self, call: Call, result: Any) -> None:
        """Notes what was changed; what has no name any more changes nothing that a crash could leave."""
        make = self._making.get(call.kind)
        if make is not None and not call.paths[0].endswith(DELETED):
            make(call, result)

    def _opened(self, call: Call, descriptor: int) -> None:
        if call.flags & os.O_CREAT and not call.existed:
            self.changes.append(Create(call.paths[0]))
        elif call.flags & os.O_TRUNC and ORIGINAL.fstat(descriptor).st_size == 0:
            self.changes.append(Truncate(call.paths[0]))

    def _written(self, call: Call, written: int) -> None:
        if written:
            self._put(call, call.data[:written])

    def _copied(self, call: Call, copied: int) -> None:
        reader = ORIGINAL.os_open(f"/proc/self/fd/{call.descriptor}", os.O_RDONLY)
        try:
            data = ORIGINAL.pread(reader, copied, call.offset)
        finally:
            ORIGINAL.close(reader)
        if data:
            self._put(call, data)

    def _put(self, call: Call, data: bytes) -> None:
        assert call.descriptor is not None and call.offset is not None  # noqa: S101, PT018 - set before every write
        if stat.S_ISREG(ORIGINAL.fstat(call.descriptor).st_mode):
            self.changes.append(Write(call.paths[0], call.offset, data))
            if fcntl.fcntl(call.descriptor, fcntl.F_GETFL) & os.O_DSYNC:
                self.changes.append(Sync(call.paths[0]))

    def _cut(self, call: Call, _result: Any) -> None:
        size = ORIGINAL.stat(os.path.join(self._directory, call.paths[0])).st_size
        self.changes.append(Truncate(call.paths[0], size))

    def _synced(self, call: Call, _result: Any) -> None:
        self.changes.append(SyncAll() if call.name == "sync" else Sync(call.paths[0]))


def record(
    boundary: Boundary, before: Files, operate: Callable[[], object], links: Mapping[str, str] | None = None
) -> Recording:
    """What ``operate`` changes below the boundary's directory, which holds ``before``; what it raises is let through.

    Compared with what stands there afterwards, so that changes by calls that are not seen do not go unnoticed.
    """
    recorder = Recorder(boundary.directory)
    with boundary.under(recorder):
        operate()
    return Recording(
        tuple(recorder.changes), _unexplained(Tree.of(before, links), recorder.changes, boundary.directory)
    )


def _unexplained(tree: Tree, changes: list[Change], directory: str) -> str:
    found, _links = contents(directory)
    try:
        for change in changes:
            tree.apply(change)
    except HarnessFault as error:
        return str(error)
    expected, _links = tree.files()
    other = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
    return f"changed by calls that were not seen: {', '.join(other)}" if other else ""
