"""Watching an operation through the supervisor: each call as ``recording`` takes it, looked up while the call waits."""

import contextlib
import os
from collections.abc import Callable
from typing import Final

from harness.explore.recording import Seen
from harness.faults.syscalls import Answer, Call, Decision, Fail, Go, Kind

_HOPS: Final = 40  # as many links as the kernel follows
_FOLLOWED: Final = (Kind.OPEN, Kind.TRUNCATE, Kind.MODE, Kind.STAT)  # a link in the last part leads these on
_DELETED: Final = " (deleted)"
# No data of theirs can be seen, and every program that copies so falls back to reading and writing when it is refused.
_COPIES: Final = {"copy_file_range": "EXDEV", "sendfile": "EINVAL", "splice": "EINVAL"}
COPIES: Final = frozenset(_COPIES)


def without_copies(decide: Decision) -> Decision:
    """``decide``, but calls that copy inside the kernel are refused, in every run alike."""

    def answer(call: Call) -> Answer:
        return Fail(_COPIES[call.name]) if call.kind is Kind.COPY else decide(call)

    return answer


class Observer:
    """A decision that remembers every call, and otherwise decides as ``decide`` does.

    ``below`` is the directory under watch, as the program sees it.
    """

    def __init__(self, below: str, decide: Decision = lambda call: Go()) -> None:
        self._below = below
        self._decide = decide
        self._untold: list[int] = []  # symbolic links whose text could not be read yet: they were not made yet
        self.seen: list[Seen] = []

    def __call__(self, call: Call) -> Answer:
        """See Supervisor."""
        self.settle(lambda path: _target(f"/proc/{call.tid}/root{self._below}/{path}"))
        answer = self._decide(call)
        if isinstance(answer, Go):
            self.seen.append(self._looked_up(call))
            if call.kind is Kind.SYMLINK:
                self._untold.append(len(self.seen) - 1)
        return answer

    def settle(self, target: Callable[[str], str | None]) -> None:
        """Read with ``target`` the text of the symbolic links that were made, by their path below the directory."""
        for position in tuple(self._untold):
            path = self.seen[position].paths[0]
            text = None if path is None else target(path)
            if text is not None:
                self.seen[position] = _with_target(self.seen[position], text)
                self._untold.remove(position)

    def _looked_up(self, call: Call) -> Seen:
        follow = call.kind in _FOLLOWED
        paths = tuple(self._place(call.tid, path, follow, call.descriptor is not None) for path in call.paths)
        position, flags, nameless = None, 0, False
        if call.descriptor is not None and call.kind in (Kind.WRITE, Kind.TRUNCATE, Kind.SYNC):
            position, flags = _standing(call.tid, call.descriptor)
            nameless = _nameless(call.tid, call.descriptor)
        offset = call.offset
        if call.kind is Kind.WRITE:
            offset = None if flags & os.O_APPEND else position if call.offset is None else call.offset
        return Seen(
            name=call.name,
            kind=call.kind,
            paths=paths,
            flags=call.flags,
            length=call.length,
            offset=offset,
            data=call.data,
            durable=bool(flags & (os.O_DSYNC | os.O_SYNC)),
            nameless=nameless,
        )

    def _place(self, tid: int, path: str, follow: bool, canonical: bool) -> str | None:
        if not canonical:
            path = _resolved(f"/proc/{tid}/root", path, self._below, follow)
        if path == self._below:
            return "."
        return path[len(self._below) + 1 :] if path.startswith(self._below + "/") else None


def _with_target(call: Seen, text: str) -> Seen:
    return Seen(name=call.name, kind=call.kind, paths=call.paths, target=text)


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def _resolved(root: str, path: str, below: str, follow: bool) -> str:
    """``path`` without symbolic links below ``below``; what is above it has none, or was resolved by the caller."""
    for _ in range(_HOPS):
        changed = _one_link_less(root, path, below, follow)
        if changed is None:
            break
        path = changed
    return path


def _one_link_less(root: str, path: str, below: str, follow: bool) -> str | None:
    if not path.startswith(below + "/"):
        return None
    parts = path[len(below) + 1 :].split("/")
    for count in range(1, len(parts) + (1 if follow else 0)):
        here = "/".join((below, *parts[:count]))
        text = _target(root + here)
        if text is not None:
            return os.path.normpath(os.path.join(os.path.dirname(here), text, *parts[count:]))
    return None


def _standing(tid: int, descriptor: int) -> tuple[int | None, int]:
    """Where in the file the descriptor stands, and with which flags it is open; None and 0 when it is gone."""
    position, flags = None, 0
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{tid}/fdinfo/{descriptor}", encoding="ascii") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name == "pos":
                position = int(value)
            elif name == "flags":
                flags = int(value, 8)
    return position, flags


def _nameless(tid: int, descriptor: int) -> bool:
    return (_target(f"/proc/{tid}/fd/{descriptor}") or "").endswith(_DELETED)
