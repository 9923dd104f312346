"""What an operation changed on disk, as values: the same whether a supervisor saw a process or Python recorded itself.

Paths are POSIX paths relative to the directory under watch; ``.`` is that directory. A change names its file by the
path the file has *at that moment*: what is written through a descriptor after a rename carries the new name, and what
is written to a file that has no name any more is no change. A recording holds only what succeeded, and of a short
write only the bytes that went in.

Not expressed: modes, owners, times, extended attributes, holes, devices, and what is written through a mapping.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from harness.errors import HarnessFault


class Directory(Enum):
    """The type of DIRECTORY."""

    DIRECTORY = "directory"


DIRECTORY: Final = Directory.DIRECTORY


class SymbolicLink(msgspec.Struct, frozen=True):
    """A symbolic link and the text in it."""

    target: str


Contents = bytes | Directory | SymbolicLink
Files = Mapping[str, Contents]


class Create(msgspec.Struct, frozen=True, tag="create"):
    """A new, empty, regular file."""

    path: str


class Truncate(msgspec.Struct, frozen=True, tag="truncate"):
    """The file has ``size`` bytes now: cut, or filled up with zeros."""

    path: str
    size: int = 0


class Write(msgspec.Struct, frozen=True, tag="write"):
    """``data`` stands at ``offset`` bytes now, whatever call put it there."""

    path: str
    offset: int
    data: bytes


class Sync(msgspec.Struct, frozen=True, tag="sync"):
    """fsync or fdatasync of a file (its data) or of a directory (its entries)."""

    path: str


class SyncAll(msgspec.Struct, frozen=True, tag="sync_all"):
    """sync or syncfs: everything changed so far is durable."""


class Rename(msgspec.Struct, frozen=True, tag="rename"):
    """``old`` has the name ``new`` now; what had that name before has it no longer."""

    old: str
    new: str


class Exchange(msgspec.Struct, frozen=True, tag="exchange"):
    """renameat2 with RENAME_EXCHANGE: the two swapped names."""

    old: str
    new: str


class Link(msgspec.Struct, frozen=True, tag="link"):
    """``new`` is a second name of the file ``old``."""

    old: str
    new: str


class MakeSymbolicLink(msgspec.Struct, frozen=True, tag="symlink"):
    """A new symbolic link."""

    path: str
    target: str


class Unlink(msgspec.Struct, frozen=True, tag="unlink"):
    """The name is gone, and with its last name the file."""

    path: str


class MakeDirectory(msgspec.Struct, frozen=True, tag="mkdir"):
    """A new, empty directory."""

    path: str


class RemoveDirectory(msgspec.Struct, frozen=True, tag="rmdir"):
    """The empty directory is gone."""

    path: str


Change = (
    Create
    | Truncate
    | Write
    | Sync
    | SyncAll
    | Rename
    | Exchange
    | Link
    | MakeSymbolicLink
    | Unlink
    | MakeDirectory
    | RemoveDirectory
)


def told(change: Change) -> str:
    """The change as a person would say it: ``rename s.json.tmp to s.json``."""
    match change:
        case Write(path, offset, data):
            return f"write {len(data)} bytes at {offset} of {path}"
        case Truncate(path, size):
            return f"truncate {path} to {size} bytes"
        case Rename(old, new) | Link(old, new):
            return f"{type(change).__name__.lower()} {old} to {new}"
        case Exchange(old, new):
            return f"exchange {old} and {new}"
        case MakeSymbolicLink(path, target):
            return f"make the symbolic link {path} to {target}"
        case MakeDirectory(path) | RemoveDirectory(path):
            return f"{'make' if isinstance(change, MakeDirectory) else 'remove'} directory {path}"
        case SyncAll():
            return "sync everything"
        case Sync("."):
            return "sync the directory itself"
        case Create(path) | Sync(path) | Unlink(path):
            return f"{type(change).__name__.lower()} {path}"


class Entry(NamedTuple):
    """One name in one directory (an inode) and the inode it has from now on; None where the name is gone."""

    directory: int
    name: str
    inode: int | None


ROOT: Final = 0


class Tree:
    """Names over inodes, so that a rename takes the bytes along and two names may be one file."""

    __slots__ = ("_next", "data", "entries")

    def __init__(
        self, entries: dict[int, dict[str, int]], data: dict[int, bytes | SymbolicLink], following: int
    ) -> None:
        self.entries = entries  # by the inode of a directory
        self.data = data  # by the inode of anything else
        self._next = following

    @classmethod
    def of(cls, files: Files, links: Mapping[str, str] | None = None) -> "Tree":
        """The tree that holds ``files``; ``links`` names, for a path, the path of the same file; parents are made."""
        tree = cls({ROOT: {}}, {}, ROOT + 1)
        for path in sorted(files):
            if links and path in links:
                continue
            contents = files[path]
            directory, name = tree._made(path)
            if contents is DIRECTORY:
                tree.entries.setdefault(tree.entries[directory].setdefault(name, tree.new()), {})
            else:
                tree.entries[directory][name] = inode = tree.new()
                tree.data[inode] = contents
        for path, first in (links or {}).items():
            directory, name = tree._made(path)
            tree.entries[directory][name] = tree.inode(first)
        return tree

    def new(self) -> int:
        """An inode number that nothing has."""
        self._next += 1
        return self._next - 1

    def copy(self) -> "Tree":
        """The same tree; changing one leaves the other."""
        return Tree({inode: dict(names) for inode, names in self.entries.items()}, dict(self.data), self._next)

    def _made(self, path: str) -> tuple[int, str]:
        *parents, name = path.split("/")
        directory = ROOT
        for parent in parents:
            inode = self.entries[directory].setdefault(parent, self._next)
            if inode == self._next:
                self.entries[self.new()] = {}
            directory = inode
        return directory, name

    def place(self, path: str) -> tuple[int, str]:
        """The inode of the directory that holds ``path``, and the last name. Raises HarnessFault if there is none."""
        parent, _, name = path.rpartition("/")
        directory = self.inode(parent or ".")
        if directory not in self.entries:
            raise HarnessFault(f"the recording is not whole: {parent!r} is no directory when {path!r} changes")
        return directory, name

    def inode(self, path: str) -> int:
        """The inode ``path`` has. Raises HarnessFault if it has none: a recording missed what made it."""
        found = ROOT
        if path != ".":
            for name in path.split("/"):
                following = self.entries.get(found, {}).get(name)
                if following is None:
                    raise HarnessFault(f"the recording is not whole: {path!r} changes, but nothing made it")
                found = following
        return found

    def put(self, entries: tuple[Entry, ...]) -> None:
        """Names that are given and taken, all at once."""
        for directory, name, inode in entries:
            if inode is None:
                self.entries[directory].pop(name, None)
            else:
                self.entries[directory][name] = inode

    def names(self) -> Iterator[tuple[str, int]]:
        """Every path that can be reached, parents first, with its inode."""
        waiting = [("", ROOT)]
        while waiting:
            prefix, directory = waiting.pop()
            for name, inode in self.entries[directory].items():
                yield prefix + name, inode
                if inode in self.entries:
                    waiting.append((f"{prefix}{name}/", inode))

    def files(self) -> tuple[dict[str, Contents], dict[str, str]]:
        """What can be reached, as ``of`` takes it: contents by path, and for each further name of a file its first."""
        files: dict[str, Contents] = {}
        links: dict[str, str] = {}
        first: dict[int, str] = {}
        for path, inode in self.names():
            files[path] = DIRECTORY if inode in self.entries else self.data[inode]
            if first.setdefault(inode, path) != path:
                links[path] = first[inode]
        return files, links

    def entered(self, change: Change) -> tuple[tuple[Entry, ...], ...]:
        """The entries that ``change`` alters, in the groups that a file system alters at once; new inodes are made.

        A rename within one directory is one group. Across directories it is two, the new name first: rename(2) names
        the window in which both exist.
        """
        match change:
            case Create(path):
                inode = self.new()
                self.data[inode] = b""
                return ((Entry(*self.place(path), inode),),)
            case MakeDirectory(path):
                inode = self.new()
                self.entries[inode] = {}
                return ((Entry(*self.place(path), inode),),)
            case MakeSymbolicLink(path, target):
                inode = self.new()
                self.data[inode] = SymbolicLink(target)
                return ((Entry(*self.place(path), inode),),)
            case Unlink(path) | RemoveDirectory(path):
                self.inode(path)
                return ((Entry(*self.place(path), None),),)
            case Link(old, new):
                return ((Entry(*self.place(new), self.inode(old)),),)
            case Exchange(old, new):
                first = Entry(*self.place(old), self.inode(new))
                return ((first, Entry(*self.place(new), self.inode(old))),)
            case Rename(old, new):
                return self._renamed(old, new)
            case _:
                return ()

    def _renamed(self, old: str, new: str) -> tuple[tuple[Entry, ...], ...]:
        inode = self.inode(old)
        removed = Entry(*self.place(old), None)
        added = Entry(*self.place(new), inode)
        if self.entries[added.directory].get(added.name) == inode:  # two names of one file: rename(2) does nothing
            return ()
        return ((removed, added),) if removed.directory == added.directory else ((added,), (removed,))

    def apply(self, change: Change) -> None:
        """The change, done wholly. Raises HarnessFault when it cannot have happened here."""
        if isinstance(change, Write | Truncate):
            inode = self.inode(change.path)
            self.data[inode] = changed(self.file(inode, change.path), change)
        for group in self.entered(change):
            self.put(group)

    def file(self, inode: int, path: str) -> bytes:
        """The bytes of a regular file; ``path`` is for the message. Raises HarnessFault for anything else."""
        contents = self.data.get(inode)
        if not isinstance(contents, bytes):
            raise HarnessFault(f"the recording is not whole: {path!r} is no regular file when its bytes change")
        return contents


def changed(contents: bytes, change: Write | Truncate) -> bytes:
    """The bytes of the file after the change; a gap in front of a write is zeros."""
    if isinstance(change, Truncate):
        return contents[: change.size].ljust(change.size, b"\0")
    if len(contents) < change.offset:
        contents = contents.ljust(change.offset, b"\0")
    return contents[: change.offset] + change.data + contents[change.offset + len(change.data) :]
