"""One file call of Python code in this process, and what is answered to it."""

import os
from collections.abc import Callable
from typing import Any, Final

import msgspec

from harness.faults.syscalls.calls import Kind, errnos_of
from harness.faults.syscalls.supervisor import Answer, Go

DELETED: Final = " (deleted)"  # what Linux adds to the last name of an open file that has no name any more


class Killed(BaseException):
    """The simulated process has died: nothing but ``except BaseException`` sees it, and no file call works after it."""


class Call(msgspec.Struct):
    """One call below the directory, before it is done; its name is that of the call of the kernel behind it.

    ``paths`` are relative to the directory, ``.`` is itself. ``offset`` and ``existed`` are for whoever records.
    """

    name: str
    kind: Kind
    paths: tuple[str, ...]
    flags: int = 0
    data: bytes = b""
    length: int = 0
    offset: int | None = None
    descriptor: int | None = None
    existed: bool = False


class Site(msgspec.Struct, frozen=True, order=True):
    """Where in an operation a call is made: the ``nth`` (from 1) of that name on these paths."""

    name: str
    paths: tuple[str, ...]
    nth: int

    def __str__(self) -> str:
        return f"{self.name} {self.nth} of {' and '.join(self.paths)}"


class Handler:
    """Sees each call before and after it is done. Overridden in part."""

    def about(self, call: Call) -> None:
        """The call is about to be made, whatever is answered to it."""

    def before(self, call: Call) -> Answer:
        """What becomes of the call; not asked when another handler has said."""
        return Go()

    def after(self, call: Call, result: Any) -> None:
        """The call was done, wholly or in part, and gave ``result``."""

    def waited(self, call: Call, attempt: Callable[[], bool]) -> bool:
        """A lock is not free: True once ``attempt`` got it, False when the real call is to wait for it."""
        return False


class Numbered(Handler):
    """Counts calls by name and paths, so that each has a site; ``name`` writes paths as they are in every run."""

    def __init__(self, name: Callable[[str], str] = str) -> None:
        self._name = name
        self._counts: dict[tuple[str, tuple[str, ...]], int] = {}

    def site(self, call: Call) -> Site:
        """The site of a call that is about to be done."""
        key = (call.name, tuple(map(self._name, call.paths)))
        self._counts[key] = nth = self._counts.get(key, 0) + 1
        return Site(*key, nth)


def errnos(call: Call) -> tuple[str, ...]:
    """The errors this call can meet in Python.

    Not EINTR, after which Python itself begins again (PEP 475), and not ENOENT: that a file which stands there is
    missing is no failure of the disk, and nobody can tell it from the truth.
    """
    return tuple(name for name in errnos_of(call.name, call.flags) if name not in ("EINTR", "ENOENT"))


def failure(code: int, path: str) -> OSError:
    """The error as the library raises it."""
    return OSError(code, os.strerror(code), path)
