"""From the file calls of processes, seen before they are done, to what they changed: pure.

Only what succeeds is a change, and a supervisor does not see how a call ends: so each call is tried on the tree as it
must be by then. What that cannot know (a refused permission, a write through a mapping, a file moved in from outside)
shows when the recording is laid beside the files as they really are afterwards, which whoever records has to do.
"""

import errno
import os
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from harness.errors import HarnessFault
from harness.explore.writes import (
    DIRECTORY,
    Change,
    Contents,
    Create,
    Exchange,
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
from harness.faults.syscalls import Kind

_NO_REPLACE: Final = 1  # renameat2(2)
_EXCHANGE: Final = 2
_KEEP_SIZE: Final = 1  # fallocate(2)
_TEMPORARY: Final = os.O_TMPFILE & ~os.O_DIRECTORY
_WHOLE_DISK: Final = ("sync", "syncfs")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One file call, with what had to be looked up while it waited.

    ``paths`` are relative to the directory under watch (``.`` is it), None for one elsewhere; links on the way are
    followed. ``offset`` is where a write goes, None for the end of the file. ``durable``: the file was opened to be
    written through to the disk. ``nameless``: the file has no name any more. ``target`` is the text of a symbolic link,
    None when it is not known.
    """

    name: str
    kind: Kind
    paths: tuple[str | None, ...] = ()
    flags: int = 0
    length: int = 0
    offset: int | None = None
    data: bytes = b""
    durable: bool = False
    nameless: bool = False
    target: str | None = None


class Recording(msgspec.Struct, frozen=True):
    """What an operation changed. ``done`` counts, for each call, the changes made before it; ``after`` are all files.

    ``doubts`` has a sentence for each thing that was met and cannot be told as changes.
    """

    changes: tuple[Change, ...]
    done: tuple[int, ...]
    after: Mapping[str, Contents]
    doubts: tuple[str, ...] = ()


def touched(seen: Sequence[Seen]) -> frozenset[str]:
    """The paths that calls named, and every directory on the way: what has to be known of the beginning."""
    found = {path for call in seen for path in call.paths if path is not None}
    for path in tuple(found):
        parts = path.split("/")
        found.update("/".join(parts[:count]) for count in range(1, len(parts)))
    return frozenset(found)


def recorded(seen: Sequence[Seen], before: Files) -> Recording:
    """The changes that ``seen`` makes to ``before``, which knows all of ``touched`` and what is below its directories.

    Links between files of ``before`` are not known: a write to one name leaves the other.
    """
    model = _Model(before)
    done = []
    for call in seen:
        done.append(len(model.changes))
        model.take(call)
    return Recording(tuple(model.changes), tuple(done), model.tree.files()[0], tuple(dict.fromkeys(model.doubts)))


class _Refused(Exception):  # noqa: N818 - the call fails, which is no error of ours
    """The call cannot succeed on the tree as it is."""


class _Model:
    def __init__(self, before: Files) -> None:
        self.tree = Tree.of(before)
        self.changes: list[Change] = []
        self.doubts: list[str] = []

    def take(self, call: Seen) -> None:
        try:
            for change in self._changes(call):
                self.tree.apply(change)
                self.changes.append(change)
        except (_Refused, HarnessFault):
            return  # it fails, or the comparison at the end tells

    def _changes(self, call: Seen) -> list[Change]:
        match call.kind:
            case Kind.OPEN:
                return self._opened(call)
            case Kind.WRITE:
                return self._written(call)
            case Kind.TRUNCATE:
                return self._truncated(call)
            case Kind.SYNC:
                return self._synced(call)
            case Kind.RENAME:
                return self._renamed(call)
            case Kind.LINK:
                return self._linked(call)
            case Kind.SYMLINK | Kind.MKDIR:
                return self._made(call)
            case Kind.UNLINK | Kind.RMDIR:
                return self._removed(call)
            case Kind.COPY:
                self._doubt(f"{call.name} writes what it copies unseen")
            case Kind.MAP:
                self._doubt(f"{call.paths[0]} is mapped, and writes through a mapping are not seen")
        return []

    def _doubt(self, text: str) -> None:
        self.doubts.append(text)

    def _contents(self, path: str) -> Contents | None:
        """What is at ``path``, links not followed; None when nothing is."""
        try:
            inode = self.tree.inode(path)
        except HarnessFault:
            return None
        return DIRECTORY if inode in self.tree.entries else self.tree.data[inode]

    def _absent(self, path: str) -> str:
        parent = path.rpartition("/")[0] or "."
        if self._contents(path) is not None or self._contents(parent) is not DIRECTORY:
            raise _Refused(errno.EEXIST)
        return path

    @staticmethod
    def _inside(path: str | None) -> str:
        if path is None:
            raise _Refused(errno.ENOENT)
        return path

    def _opened(self, call: Seen) -> list[Change]:
        path = self._inside(call.paths[0])
        if call.name in ("mknod", "mknodat"):
            self._doubt(f"{call.name} made {path}, and of what kind is not known")
            return [Create(self._absent(path))]
        if call.flags & _TEMPORARY:
            return []
        contents = self._contents(path)
        if contents is None:
            return [Create(self._absent(path))] if call.flags & os.O_CREAT else []
        if call.flags & os.O_CREAT and call.flags & os.O_EXCL:
            return []
        cuts = call.flags & os.O_TRUNC and call.flags & os.O_ACCMODE != os.O_RDONLY
        return [Truncate(path)] if cuts and isinstance(contents, bytes) and contents else []

    def _written(self, call: Seen) -> list[Change]:
        path = self._inside(call.paths[0])
        contents = self._contents(path)
        if call.nameless or not call.length or not isinstance(contents, bytes):
            return []
        if len(call.data) < call.length:
            self._doubt(f"only {len(call.data)} of {call.length} bytes written to {path} were read")
        offset = len(contents) if call.offset is None else call.offset
        return [Write(path, offset, call.data), *([Sync(path)] if call.durable else [])]

    def _truncated(self, call: Seen) -> list[Change]:
        path = self._inside(call.paths[0])
        contents = self._contents(path)
        if call.nameless or not isinstance(contents, bytes):
            return []
        size = call.length
        if call.name == "fallocate":
            if call.flags & ~_KEEP_SIZE:
                self._doubt(f"fallocate changed {path} in a way that is not modelled")
            size = len(contents) if call.flags & _KEEP_SIZE else max(len(contents), (call.offset or 0) + call.length)
        return [Truncate(path, size)] if size != len(contents) else []

    def _synced(self, call: Seen) -> list[Change]:
        if call.name in _WHOLE_DISK:
            return [SyncAll()]
        if call.name == "sync_file_range" or call.nameless:  # it promises nothing: sync_file_range(2), Warning
            return []
        path = self._inside(call.paths[0])
        contents = self._contents(path)
        return [Sync(path)] if contents is DIRECTORY or isinstance(contents, bytes) else []

    def _renamed(self, call: Seen) -> list[Change]:
        old, new = call.paths
        if old is None and new is not None:
            self._doubt(f"{new} was moved in from outside the directory")
        if old is None or (there := self._contents(old)) is None:
            return []
        if new is None:
            if there is DIRECTORY:
                self._doubt(f"the directory {old} was moved out of the directory under watch")
            return [Unlink(old)]
        target = self._contents(new)
        if call.flags & _EXCHANGE:
            return [Exchange(old, new)] if target is not None else []
        if target is not None and (call.flags & _NO_REPLACE or (target is DIRECTORY) != (there is DIRECTORY)):
            return []
        if target is DIRECTORY and self.tree.entries[self.tree.inode(new)]:
            return []
        self.tree.place(new)
        return [Rename(old, new)] if old != new else []

    def _linked(self, call: Seen) -> list[Change]:
        old, new = call.paths
        if new is None:
            return []
        if old is None or self._contents(old) is None:
            self._doubt(f"{new} became a name of a file that has none in the directory")
            return []
        return [Link(old, self._absent(new))] if self._contents(old) is not DIRECTORY else []

    def _made(self, call: Seen) -> list[Change]:
        path = self._absent(self._inside(call.paths[0]))
        if call.kind is Kind.MKDIR:
            return [MakeDirectory(path)]
        if call.target is None:
            self._doubt(f"where the symbolic link {path} leads is not known")
        return [MakeSymbolicLink(path, call.target or "")]

    def _removed(self, call: Seen) -> list[Change]:
        path = self._inside(call.paths[0])
        contents = self._contents(path)
        if call.kind is Kind.UNLINK:
            return [Unlink(path)] if contents is not None and contents is not DIRECTORY else []
        empty = contents is DIRECTORY and not self.tree.entries[self.tree.inode(path)]
        return [RemoveDirectory(path)] if empty else []
