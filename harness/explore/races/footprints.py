"""What a step of a real process reads and changes, more exactly than its call alone tells: at rest, one can look.

While every process is held or asleep the files stand still. So it is known whether a call would make a name that is
there already, or remove one that is not: such a call fails, and only reads.
"""

import os
from collections.abc import Callable
from typing import Final

import msgspec

from harness.explore.accesses import Access, accessed
from harness.faults.syscalls import Call, memory
from harness.faults.syscalls.calls import Kind

LOCKED: Final = "\0lock"
_FOLLOWS: Final = frozenset({Kind.OPEN, Kind.STAT, Kind.TRUNCATE, Kind.MODE, Kind.TIMES})
_LINKS: Final = 40  # the kernel follows no more
_UNKNOWN_HOLDER: Final = -1  # a lock of an open file, not of a process


class Footprints:
    """The accesses of one execution's steps; ``hide`` writes paths for people."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self._hide = hide
        self._locks: dict[int, dict[tuple[int, int], str]] = {}  # by run, those asked for: file -> path
        self._members: dict[int, set[int]] = {}

    def of(self, call: Call, identity: tuple[str, ...]) -> Access:
        """The access of the step that begins with this call, as far as other runs can see it.

        ``identity`` are its paths as they are the same in every execution. With the step the run may let go of the
        locks that it holds, by a close or by its end.
        """
        self._members.setdefault(call.run, set()).add(call.pid)
        paths = tuple(path.rstrip("/") for path in (*_named_now(call), call.source) if path)
        links: frozenset[str] = frozenset()
        if call.kind in _FOLLOWS and call.descriptor is None:
            paths, links = _followed(call.pid, paths)
        if _is_in_vain(call):
            access = Access(call.name, reads=frozenset(paths))
        else:
            access = accessed(call.name, call.kind, paths, call.flags)
        access = msgspec.structs.replace(
            access,
            paths=tuple(self._hide(path) for path in call.paths),
            reads=access.reads | links | {f"\0{call.run}"},
            identity=identity,
        )
        return self._marked(access, call.run)

    def of_kill(self, run: int) -> Access:
        """The access of a run's violent end, on which every step of that run depends."""
        return self._marked(Access("kill", writes=frozenset({f"\0{run}"})), run)

    def stepped(self, call: Call) -> None:
        """The call was let go."""
        if call.kind is Kind.LOCK and call.paths:
            try:
                status = os.stat(f"/proc/{call.pid}/fd/{call.descriptor}")
            except OSError:
                return
            self._locks.setdefault(call.run, {})[status.st_dev, status.st_ino] = call.paths[0]

    def _marked(self, access: Access, run: int) -> Access:
        locks = frozenset(f"{path}{LOCKED}" for path in self._held(run))
        return msgspec.structs.replace(access, writes=access.writes | locks)

    def _held(self, run: int) -> set[str]:
        """The files on which the run has a lock."""
        asked = self._locks.get(run)
        if not asked:
            return set()
        members = self._members[run]
        held = set()
        with open("/proc/locks", "rb") as locks:
            for line in locks:
                words = line.split()
                if words[1] == b"->" or (int(words[4]) != _UNKNOWN_HOLDER and int(words[4]) not in members):
                    continue
                major, minor, inode = words[5].split(b":")
                file = (os.makedev(int(major, 16), int(minor, 16)), int(inode))
                if file in asked:
                    held.add(asked[file])
        return held


def seen(access: Access) -> Access:
    """The access without what is told apart by who makes it: what a look of any process of a run looks at."""
    return msgspec.structs.replace(
        access,
        reads=frozenset(name for name in access.reads if not name.startswith("\0")),
        writes=frozenset(name for name in access.writes if not name.startswith("\0")),
    )


def changes(call: Call, access: Access) -> bool:
    """Whether the step may have changed what others look at; a lock it asks for does not, one it may let go of does."""
    return call.kind is not Kind.LOCK and any(not name.startswith("\0") for name in access.writes)


def _named_now(call: Call) -> tuple[str, ...]:
    """The paths of the call; of one on a descriptor the name its file has now, which a rename may have changed."""
    if call.descriptor is None:
        return call.paths
    path = memory.path_of_descriptor(call.tid, call.descriptor)
    return (path,) if path else call.paths


def _followed(pid: int, paths: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    """What the paths lead to, and the symbolic links on the way."""
    ends = []
    links: set[str] = set()
    for path in paths:
        for _ in range(_LINKS):
            try:
                target = os.readlink(f"/proc/{pid}/root{path}")
            except OSError:
                break
            links.add(path)
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))  # noqa: PLW2901
        ends.append(path)
    return tuple(ends), frozenset(links)


def _is_in_vain(call: Call) -> bool:
    """Whether the call will find that there is nothing to do for it."""
    there = [exists(call, path) for path in call.paths]
    match call.kind:
        case Kind.OPEN:
            return bool(call.flags & os.O_CREAT and there[0]) and not (
                call.flags & os.O_TRUNC and not call.flags & os.O_EXCL
            )
        case Kind.MKDIR | Kind.SYMLINK:
            return there[-1]
        case Kind.LINK:
            return there[1] or not there[0]
        case Kind.UNLINK | Kind.RMDIR | Kind.RENAME:
            return not there[0]
        case _:
            return False


def exists(call: Call, path: str) -> bool:
    """Whether something is there at that path, as the process sees it."""
    try:
        os.lstat(f"/proc/{call.pid}/root{path}")
    except OSError:
        return False
    return True
