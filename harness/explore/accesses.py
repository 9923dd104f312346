"""What a file call reads and changes, so that it can be told which calls do not care about each other's order."""

import os
from typing import Final

import msgspec

from harness.faults.syscalls.calls import Kind

_NONE: Final[frozenset[str]] = frozenset()
_CHANGES_NAMES: Final = frozenset({Kind.RENAME, Kind.LINK, Kind.SYMLINK, Kind.UNLINK, Kind.MKDIR, Kind.RMDIR})
_CHANGES_FILE: Final = frozenset({Kind.WRITE, Kind.TRUNCATE, Kind.MODE, Kind.TIMES, Kind.MAP})


class Access(msgspec.Struct, frozen=True):
    """One call of one process. ``name`` and ``paths`` identify it to people.

    ``identity`` are the paths as they are the same in every execution, where names are made up; None: they need not be.
    ``lists`` are the directories whose names it reads, ``named`` those in which it may give or take a name: two new
    names in one directory do not care about each other, a listing cares about both.
    """

    name: str
    paths: tuple[str, ...] = ()
    reads: frozenset[str] = _NONE
    writes: frozenset[str] = _NONE
    lists: frozenset[str] = _NONE
    named: frozenset[str] = _NONE
    waits: bool = False  # it lets time pass and does nothing else
    identity: tuple[str, ...] | None = None

    def repeats(self, before: "Access") -> bool:
        """Whether it is the call that its process made in an execution before, after the same steps."""
        return (self.name, self.identity) == (before.name, before.identity)

    def depends(self, other: "Access") -> bool:
        """Whether the order of the two may matter; when in doubt it does."""
        if self.writes & (other.reads | other.writes) or other.writes & self.reads:
            return True
        if self.lists & other.named or other.lists & self.named:
            return True
        return _above(self, other) or _above(other, self)


def accessed(name: str, kind: Kind, paths: tuple[str, ...], flags: int = 0) -> Access:
    """What a call does as far as its kind, its paths and the flags of an open tell.

    A path must be the one name of its file: resolve symbolic links before, and give a descriptor the name its file has
    now. O_CREAT says that the open makes the file: leave it out of ``flags`` when the file is there, as then nothing
    is made and two of them do not care about each other. A close that gives up a lock, and the exit of a process that
    holds one, is of kind LOCK: they set others free.
    """
    given = frozenset(paths)
    if kind is Kind.OPEN:
        if flags & os.O_CREAT:
            return Access(name, paths, writes=given, named=_parents(given))
        return Access(name, paths, writes=given) if flags & os.O_TRUNC else Access(name, paths, reads=given)
    if kind in (Kind.READ, Kind.STAT):
        return Access(name, paths, reads=given)
    if kind is Kind.LIST:
        return Access(name, paths, reads=given, lists=given)
    if kind in _CHANGES_NAMES:
        return Access(name, paths, writes=given, named=_parents(given))
    if kind in _CHANGES_FILE:
        return Access(name, paths, writes=given)
    if kind is Kind.COPY:
        return Access(name, paths, reads=frozenset(paths[1:]), writes=frozenset(paths[:1]))
    if kind is Kind.LOCK:
        return Access(name, paths, writes=frozenset(f"{path}\0lock" for path in paths))
    return Access(name, paths, waits=kind is Kind.SLEEP)  # a sync or a close shows nobody anything


def _parents(paths: frozenset[str]) -> frozenset[str]:
    return frozenset(os.path.dirname(path) or "." for path in paths)


def _above(first: Access, second: Access) -> bool:
    # a directory that comes, goes or moves does so with everything below it
    if not first.named:
        return False
    below = tuple(f"{path}/" for path in first.writes)
    return any(path.startswith(below) for path in second.reads | second.writes | second.lists)
