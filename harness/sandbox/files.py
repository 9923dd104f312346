"""The agent's file work in the roots: actions, reads, snapshots, emptying, copying. Nothing blocks on a FIFO."""

import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator, Sequence, Set
from typing import Final

from harness.core.history import FileFact, InputFact
from harness.sandbox import privileges, wire

HASHED_BYTES: Final = 1 << 20  # beyond this a snapshot tells files apart by size and time only
_CHUNK: Final = 1 << 18
_BETWEEN_LOOKS_S: Final = 0.0003
_OPEN_QUIETLY: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY

_KINDS: Final = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


def entries(directory: str, strict: bool = False) -> list[os.DirEntry[str]]:
    """What is in ``directory``, by name; when it is gone or refuses to be read nothing, or OSError if ``strict``."""
    try:
        with os.scandir(directory) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        if strict:
            raise
        return []


def walk(top: str, skip: Set[str] = frozenset(), strict: bool = False) -> Iterator[tuple[str, os.stat_result]]:
    """Every path below ``top`` with its lstat, parents first and by name; nothing at or below a path in ``skip``.

    ``strict``: OSError for a directory that cannot be listed, instead of taking it for empty.
    """
    waiting = [top]
    while waiting:
        deeper: list[str] = []
        for entry in entries(waiting.pop(), strict):
            if entry.path in skip:
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # removed between the listing and now
            yield entry.path, found
            if stat.S_ISDIR(found.st_mode):
                deeper.append(entry.path)
        waiting.extend(reversed(deeper))


def read_bytes(path: str) -> bytes:
    """The bytes of the regular file at ``path``, which may be a link in its last part only."""
    fd = os.open(path, _OPEN_QUIETLY)
    try:
        parts = []
        while part := os.read(fd, _CHUNK):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def fact(path: str, found: os.stat_result) -> FileFact:
    """What a snapshot says of ``path``.

    A directory has neither size nor time, because both change with its entries; a device is the machine's.
    """
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "device")
    if kind in ("directory", "device"):
        return FileFact(kind)
    digest = ""
    if kind == "file" and found.st_size <= HASHED_BYTES:
        try:
            digest = hashlib.sha256(read_bytes(path)).hexdigest()
        except OSError:
            kind = "unreadable"
    return FileFact(kind, found.st_size, digest, found.st_mtime_ns / 1e9)


def printable(path: str) -> str:
    r"""``path`` as text that every encoding takes: bytes that are no UTF-8 become ``\\xNN``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read(paths: Sequence[str], limit: int) -> tuple[InputFact, ...]:
    """What a program in the sandbox, which has no capabilities, would find at each of ``paths``."""
    if not paths:
        return ()
    with privileges.set_aside():
        return tuple(_read(path, limit) for path in paths)


def _read(path: str, limit: int) -> InputFact:
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            return InputFact("directory")
        if stat.S_ISFIFO(found.st_mode):
            return InputFact("fifo")
        if not stat.S_ISREG(found.st_mode):
            return InputFact("unreadable")
        if found.st_size > limit:
            os.close(os.open(path, _OPEN_QUIETLY))
            return InputFact("file", found.st_size)
        data = read_bytes(path)
        return InputFact("file", len(data), data)
    except (OSError, ValueError) as error:
        return InputFact(_why_not(error))


def watch(path: str, timeout_s: float) -> tuple[str, ...]:
    """The states seen at ``path``, a size or "missing" each, until there are two of them or for ``timeout_s``."""
    seen: dict[str, None] = {}
    deadline = time.monotonic() + timeout_s
    while len(seen) < 2 and time.monotonic() < deadline:
        try:
            seen[str(os.lstat(path).st_size)] = None
        except OSError:
            seen["missing"] = None
        time.sleep(_BETWEEN_LOOKS_S)
    return tuple(seen)


def _why_not(error: OSError | ValueError) -> str:
    number = error.errno if isinstance(error, OSError) else errno.ENOENT
    if number == errno.ELOOP:
        return "symlink_loop"
    return "missing" if number in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG) else "unreadable"


def remove(path: str, keep: Set[str] = frozenset()) -> None:
    """Remove whatever is at ``path``, except ``keep`` and what leads there; nothing there is no error."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(path)
        return
    empty(path, keep)
    if path not in keep:
        os.rmdir(path)


def empty(directory: str, keep: Set[str] = frozenset()) -> None:
    """Remove everything in ``directory``; of the paths in ``keep``, those leading to mounts, only other contents."""
    if stat.S_IMODE(os.lstat(directory).st_mode) & 0o700 != 0o700:
        os.chmod(directory, 0o755)  # without capabilities (plain mode) a closed directory could not be listed
    with os.scandir(directory) as found:
        listed = list(found)
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if entry.path in keep and os.path.ismount(entry.path) and not _leads_on(entry.path, keep):
                continue
            remove(entry.path, keep)
        elif entry.path not in keep:
            os.unlink(entry.path)


def _leads_on(path: str, keep: Set[str]) -> bool:
    return any(other.startswith(path + "/") for other in keep)


def copy_tree(source: str, target: str) -> None:
    """Copy everything in the directory ``source`` into ``target``, with modes and times. OSError if not all can be."""
    for path, found in list(walk(source, strict=True)):
        copy_one(path, found, target + path[len(source) :])
    _copy_times(source, target)


def _copy_times(source: str, target: str) -> None:
    for path, found in list(walk(source)):
        if stat.S_ISDIR(found.st_mode):
            times = (found.st_atime_ns, found.st_mtime_ns)
            os.utime(target + path[len(source) :], ns=times)
            os.chmod(target + path[len(source) :], stat.S_IMODE(found.st_mode))


def copy_one(path: str, found: os.stat_result, target: str) -> None:
    """Copy one path, not what is below it. Directories stay writable until ``copy_tree`` has filled them."""
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISDIR(found.st_mode):
        os.mkdir(target, mode | 0o700)
        return
    if stat.S_ISLNK(found.st_mode):
        os.symlink(os.readlink(path), target)
    elif stat.S_ISREG(found.st_mode):
        _copy_bytes(path, target, mode)
    elif stat.S_ISFIFO(found.st_mode):
        os.mkfifo(target, mode)
    else:
        return  # sockets and devices mean nothing in a copy
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns), follow_symlinks=False)


def _copy_bytes(path: str, target: str, mode: int) -> None:
    source = os.open(path, _OPEN_QUIETLY | os.O_NOFOLLOW)
    try:
        copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while part := os.read(source, _CHUNK):
                write_all(copy, part)
            os.fchmod(copy, mode)
        finally:
            os.close(copy)
    finally:
        os.close(source)


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``; OSError when the disk is full."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Actions:
    """Carries out the file actions of one sandbox. ``roots`` are never removed themselves, ``keep`` not at all.

    ``confined``: without a mount namespace, a link a program planted in a root could lead an action out of it, into
    the person's files; such an action is refused with PermissionError.
    """

    def __init__(self, roots: Set[str], keep: Set[str], confined: bool) -> None:
        self._roots = roots
        self._keep = keep
        self._confined = confined

    def apply(self, action: wire.Action) -> None:
        """Do one action; OSError with the path when it fails."""
        if self._confined:
            self._check(action.path)
        match action:
            case wire.Write():
                self._write(action)
            case wire.MakeDirectory(path, mode):
                if os.path.islink(path) or not os.path.isdir(path):
                    self._make_way(path)
                    os.mkdir(path)
                os.chmod(path, mode)
            case wire.MakeFifo(path):
                self._make_way(path)
                os.mkfifo(path)
            case wire.Symlink(path, target):
                self._make_way(path)
                os.symlink(target, path)
            case wire.Remove(path):
                self._remove(path)
            case wire.SetTime(path, mtime_s):
                moment = round(mtime_s * 1e9)
                os.utime(path, ns=(moment, moment), follow_symlinks=False)
            case wire.Chmod(path, mode):
                os.chmod(path, mode)

    def _write(self, action: wire.Write) -> None:
        self._make_way(action.path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        fd = os.open(action.path, flags, 0o600)
        try:
            write_all(fd, action.data)
            os.fchmod(fd, action.mode)
            if action.mtime_s is not None:
                moment = round(action.mtime_s * 1e9)
                os.utime(fd, ns=(moment, moment))
        except OSError as error:
            raise OSError(error.errno, error.strerror, action.path) from error
        finally:
            os.close(fd)

    def _make_way(self, path: str) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self._remove(path)

    def _remove(self, path: str) -> None:
        if path.rstrip("/") in self._roots:
            empty(path.rstrip("/"), self._keep)
        else:
            remove(path, self._keep)

    def _check(self, path: str) -> None:
        real = os.path.realpath(os.path.dirname(path)) + "/"
        if path not in self._roots and not any(real.startswith(os.path.realpath(root) + "/") for root in self._roots):
            raise PermissionError(errno.EPERM, "a link leads out of the sandbox", path)
