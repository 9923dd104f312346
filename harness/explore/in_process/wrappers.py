"""What stands in the places of the library's functions while a boundary stands."""

import builtins
import fcntl
import functools
import io
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from harness.explore.in_process.calls import Call
from harness.explore.in_process.originals import ORIGINAL, Place
from harness.explore.in_process.raw_file import opened
from harness.faults.syscalls.calls import Kind

if TYPE_CHECKING:
    from harness.explore.in_process.boundary import Boundary

Function = Callable[..., Any]

_BY_PATH: Final = {
    "stat": ("stat", Kind.STAT),
    "lstat": ("lstat", Kind.STAT),
    "access": ("access", Kind.STAT),
    "readlink": ("readlink", Kind.STAT),
    "listdir": ("getdents64", Kind.LIST),
    "scandir": ("getdents64", Kind.LIST),
    "unlink": ("unlink", Kind.UNLINK),
    "remove": ("unlink", Kind.UNLINK),
    "rmdir": ("rmdir", Kind.RMDIR),
    "mkdir": ("mkdir", Kind.MKDIR),
    "chmod": ("chmod", Kind.MODE),
    "chown": ("chown", Kind.MODE),
    "utime": ("utimensat", Kind.TIMES),
}
_FOLLOWS: Final = {"stat", "access", "listdir", "scandir", "chmod", "chown", "utime"}
_BY_TWO_PATHS: Final = {
    "rename": ("rename", Kind.RENAME),
    "replace": ("rename", Kind.RENAME),
    "link": ("link", Kind.LINK),
}
_BY_DESCRIPTOR: Final = {
    "read": ("read", Kind.READ),
    "pread": ("pread64", Kind.READ),
    "readv": ("readv", Kind.READ),
    "preadv": ("preadv", Kind.READ),
    "fsync": ("fsync", Kind.SYNC),
    "fdatasync": ("fdatasync", Kind.SYNC),
    "fstat": ("fstat", Kind.STAT),
    "fchmod": ("fchmod", Kind.MODE),
    "fchown": ("fchown", Kind.MODE),
}
_WRITES: Final = {
    "write": ("write", False),
    "pwrite": ("pwrite64", False),
    "writev": ("writev", True),
    "pwritev": ("pwritev", True),
}


def wrappers(boundary: "Boundary") -> dict[Place, Function]:
    """By owner and name, the functions that ask ``boundary`` first."""
    open_file = functools.wraps(ORIGINAL.open)(functools.partial(opened, boundary))
    found: dict[Place, Function] = {
        (builtins, "open"): open_file,
        (io, "open"): open_file,
        (os, "open"): _open(boundary),
        (os, "close"): _close(boundary),
        (os, "truncate"): _truncate(boundary, "truncate"),
        (os, "ftruncate"): _truncate(boundary, "ftruncate"),
        (os, "symlink"): _symlink(boundary),
        (os, "sync"): _sync(boundary),
        (os, "sendfile"): _copy(boundary, "sendfile", 0),
        (os, "copy_file_range"): _copy(boundary, "copy_file_range", 1),
        (os, "posix_fallocate"): _allocate(boundary),
        (fcntl, "flock"): _flock(boundary),
        (fcntl, "lockf"): _lockf(boundary),
        (time, "sleep"): _sleep(boundary),
    }
    for name, (call, kind) in _BY_PATH.items():
        found[os, name] = _by_path(boundary, name, call, kind)
    for name, (call, kind) in _BY_TWO_PATHS.items():
        found[os, name] = _by_two_paths(boundary, name, call, kind)
    for name, (call, kind) in _BY_DESCRIPTOR.items():
        found[os, name] = _by_descriptor(boundary, name, call, kind)
    for name, (call, several) in _WRITES.items():
        found[os, name] = _write(boundary, name, call, several)
    return found


def _by_path(boundary: "Boundary", name: str, call: str, kind: Kind) -> Function:
    original = getattr(ORIGINAL, name)
    follows = name in _FOLLOWS

    @functools.wraps(original)
    def function(*args: Any, **named: Any) -> Any:
        given = args[0] if args else named.get("path")
        path = boundary.path("." if given is None else given, named.get("dir_fd"))
        if path is None:
            return original(*args, **named)
        descriptor = given if isinstance(given, int) else None
        if follows and descriptor is None and named.get("follow_symlinks", True):
            path = boundary.followed(path, 0)
        return boundary.perform(Call(call, kind, (path,), descriptor=descriptor), lambda: original(*args, **named))

    return function


def _by_two_paths(boundary: "Boundary", name: str, call: str, kind: Kind) -> Function:
    original = getattr(ORIGINAL, name)

    @functools.wraps(original)
    def function(src: Any, dst: Any, **named: Any) -> Any:
        paths = (boundary.path(src, named.get("src_dir_fd")), boundary.path(dst, named.get("dst_dir_fd")))
        if paths == (None, None):
            return original(src, dst, **named)
        places = tuple(path or os.fsdecode(given) for path, given in zip(paths, (src, dst), strict=True))
        return boundary.perform(Call(call, kind, places), lambda: original(src, dst, **named))

    return function


def _by_descriptor(boundary: "Boundary", name: str, call: str, kind: Kind) -> Function:
    original = getattr(ORIGINAL, name)

    @functools.wraps(original)
    def function(fd: Any, *args: Any) -> Any:
        number = _number(fd)
        path = boundary.path(number)
        if path is None:
            return original(fd, *args)
        return boundary.perform(Call(call, kind, (path,), descriptor=number), lambda: original(fd, *args))

    return function


def _number(fd: Any) -> int:
    number: int = fd if isinstance(fd, int) else fd.fileno()
    return number


def _write(boundary: "Boundary", name: str, call: str, several: bool) -> Function:
    original = getattr(ORIGINAL, name)

    @functools.wraps(original)
    def function(fd: int, data: Any, *place: Any) -> Any:
        path = boundary.path(fd)
        if path is None:
            return original(fd, data, *place)
        content = b"".join(map(bytes, data)) if several else bytes(data)
        offset = place[0] if place else None
        made = Call(call, Kind.WRITE, (path,), data=content, length=len(content), offset=offset, descriptor=fd)

        def part(size: int) -> Any:
            return original(fd, [content[:size]] if several else content[:size], *place)

        return boundary.perform(made, lambda: original(fd, data, *place), part)

    return function


def _open(boundary: "Boundary") -> Function:
    original = ORIGINAL.os_open

    @functools.wraps(original)
    def function(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> Any:
        place = boundary.path(path, dir_fd)
        if place is None:
            return original(path, flags, mode, dir_fd=dir_fd)
        call = Call("open", Kind.OPEN, (boundary.followed(place, flags),), flags=flags)
        found = boundary.perform(call, lambda: original(path, flags, mode, dir_fd=dir_fd))
        if boundary.life is not None:
            boundary.life.descriptors.add(found)
        return found

    return function


def _close(boundary: "Boundary") -> Function:
    original = ORIGINAL.close

    @functools.wraps(original)
    def function(fd: int) -> Any:
        path = boundary.path(fd)
        if path is None:
            return original(fd)

        def give_back() -> None:
            try:
                original(fd)
            finally:
                boundary.closed(fd)

        return boundary.perform(Call("close", Kind.CLOSE, (path,), descriptor=fd), give_back)

    return function


def _truncate(boundary: "Boundary", name: str) -> Function:
    original = getattr(ORIGINAL, name)

    @functools.wraps(original)
    def function(place: Any, length: int) -> Any:
        path = boundary.path(place)
        if path is None:
            return original(place, length)
        descriptor = place if isinstance(place, int) else None
        path = path if descriptor is not None else boundary.followed(path, 0)
        call = Call(name, Kind.TRUNCATE, (path,), length=length, descriptor=descriptor)
        return boundary.perform(call, lambda: original(place, length))

    return function


def _symlink(boundary: "Boundary") -> Function:
    original = ORIGINAL.symlink

    @functools.wraps(original)
    def function(src: Any, dst: Any, *args: Any, **named: Any) -> Any:
        path = boundary.path(dst, named.get("dir_fd"))
        if path is None:
            return original(src, dst, *args, **named)
        call = Call("symlink", Kind.SYMLINK, (path,), data=os.fsencode(src))
        return boundary.perform(call, lambda: original(src, dst, *args, **named))

    return function


def _sync(boundary: "Boundary") -> Function:
    @functools.wraps(ORIGINAL.sync)
    def function() -> Any:
        return boundary.perform(Call("sync", Kind.SYNC, (".",)), ORIGINAL.sync)

    return function


def _copy(boundary: "Boundary", name: str, target: int) -> Function:
    original = getattr(ORIGINAL, name)

    @functools.wraps(original)
    def function(*args: Any, **named: Any) -> Any:
        path = boundary.path(args[target])
        if path is None:
            return original(*args, **named)
        offset = args[4] if name == "copy_file_range" and len(args) > 4 else None
        call = Call(name, Kind.COPY, (path,), descriptor=args[target], offset=offset)
        return boundary.perform(call, lambda: original(*args, **named))

    return function


def _allocate(boundary: "Boundary") -> Function:
    original = ORIGINAL.posix_fallocate

    @functools.wraps(original)
    def function(fd: int, offset: int, length: int) -> Any:
        path = boundary.path(fd)
        if path is None:
            return original(fd, offset, length)
        call = Call("fallocate", Kind.TRUNCATE, (path,), length=offset + length, descriptor=fd)
        return boundary.perform(call, lambda: original(fd, offset, length))

    return function


def _flock(boundary: "Boundary") -> Function:
    original = ORIGINAL.flock

    @functools.wraps(original)
    def function(fd: Any, operation: int) -> Any:
        number = _number(fd)
        path = boundary.path(number)
        if path is None:
            return original(fd, operation)
        call = Call("flock", Kind.LOCK, (path,), flags=operation, descriptor=number)

        refused: list[OSError] = []

        def attempt() -> bool:
            try:
                original(number, operation | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            except OSError as error:
                refused.append(error)
            return True

        def lock() -> Any:
            waits = not operation & (fcntl.LOCK_NB | fcntl.LOCK_UN)
            if not (waits and boundary.waited(call, attempt)):
                original(number, operation)
            if refused:
                raise refused[0]
            if operation & fcntl.LOCK_UN:
                boundary.locked.discard(number)
            else:
                boundary.locked.add(number)

        return boundary.perform(call, lock)

    return function


def _lockf(boundary: "Boundary") -> Function:
    original = ORIGINAL.lockf

    @functools.wraps(original)
    def function(fd: Any, cmd: int, *args: Any) -> Any:
        number = _number(fd)
        path = boundary.path(number)
        if path is None:
            return original(fd, cmd, *args)
        call = Call("fcntl", Kind.LOCK, (path,), flags=cmd, descriptor=number)
        return boundary.perform(call, lambda: original(fd, cmd, *args))

    return function


def _sleep(boundary: "Boundary") -> Function:
    @functools.wraps(ORIGINAL.sleep)
    def function(seconds: float, /) -> None:
        if boundary.life is not None and boundary.sleepless:
            boundary.perform(Call("nanosleep", Kind.SLEEP, ()), lambda: None)
        else:
            ORIGINAL.sleep(seconds)

    return function
