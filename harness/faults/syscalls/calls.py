"""The file calls of Linux by name: what each does, where its paths and descriptors stand, how it can fail.

Numbers are looked up by name for the machine at hand (libseccomp), so nothing here depends on an architecture; names
that an architecture lacks are left out there.
"""

import os
from enum import StrEnum
from typing import Final, NamedTuple

_AT_REMOVEDIR: Final = 0x200


class Kind(StrEnum):
    """What a call does to files."""

    OPEN = "open"
    READ = "read"
    WRITE = "write"
    SYNC = "sync"
    CLOSE = "close"
    STAT = "stat"
    LIST = "list"
    RENAME = "rename"
    LINK = "link"
    SYMLINK = "symlink"
    UNLINK = "unlink"
    MKDIR = "mkdir"
    RMDIR = "rmdir"
    TRUNCATE = "truncate"
    COPY = "copy"
    MODE = "mode"
    TIMES = "times"
    LOCK = "lock"
    MAP = "map"
    SLEEP = "sleep"


class Signature(NamedTuple):
    """How a call is read: positions among its six arguments.

    ``paths`` are pairs (directory descriptor or None, path). ``fd`` is the descriptor it works on. ``buffer`` and
    ``length`` hold what is written; with ``vector`` they are an array of parts and their number. ``offset`` is where in
    the file, ``flags`` are those of open, unlinkat and the lock operations.
    """

    kind: Kind
    paths: tuple[tuple[int | None, int], ...] = ()
    fd: int | None = None
    buffer: int | None = None
    length: int | None = None
    vector: bool = False
    offset: int | None = None
    flags: int | None = None


def _at(kind: Kind, flags: int | None = None, *, first: int = 0) -> Signature:
    return Signature(kind, ((first, first + 1),), flags=flags)


def _by_path(kind: Kind, path: int = 0, flags: int | None = None) -> Signature:
    return Signature(kind, ((None, path),), flags=flags)


def _by_fd(kind: Kind, fd: int = 0, **more: int) -> Signature:
    return Signature(kind, fd=fd, **more)  # type: ignore[arg-type]  # mypy does not match ** with keyword fields


_TWO: Final = ((None, 0), (None, 1))
_TWO_AT: Final = ((0, 1), (2, 3))

SIGNATURES: Final[dict[str, Signature]] = {
    "open": _by_path(Kind.OPEN, flags=1),
    "openat": _at(Kind.OPEN, 2),
    "openat2": _at(Kind.OPEN),
    "creat": _by_path(Kind.OPEN),
    "read": _by_fd(Kind.READ),
    "pread64": _by_fd(Kind.READ),
    "readv": _by_fd(Kind.READ),
    "preadv": _by_fd(Kind.READ),
    "preadv2": _by_fd(Kind.READ),
    "write": _by_fd(Kind.WRITE, buffer=1, length=2),
    "pwrite64": _by_fd(Kind.WRITE, buffer=1, length=2, offset=3),
    "writev": _by_fd(Kind.WRITE, buffer=1, length=2, vector=True),
    "pwritev": _by_fd(Kind.WRITE, buffer=1, length=2, vector=True, offset=3),
    "pwritev2": _by_fd(Kind.WRITE, buffer=1, length=2, vector=True, offset=3),
    "fsync": _by_fd(Kind.SYNC),
    "fdatasync": _by_fd(Kind.SYNC),
    "sync_file_range": _by_fd(Kind.SYNC),
    "syncfs": _by_fd(Kind.SYNC),
    "sync": Signature(Kind.SYNC),
    "close": _by_fd(Kind.CLOSE),
    "stat": _by_path(Kind.STAT),
    "lstat": _by_path(Kind.STAT),
    "fstat": _by_fd(Kind.STAT),
    "newfstatat": _at(Kind.STAT, 3),
    "statx": _at(Kind.STAT, 2),
    "access": _by_path(Kind.STAT),
    "faccessat": _at(Kind.STAT),
    "faccessat2": _at(Kind.STAT),
    "readlink": _by_path(Kind.STAT),
    "readlinkat": _at(Kind.STAT),
    "getdents": _by_fd(Kind.LIST),
    "getdents64": _by_fd(Kind.LIST),
    "rename": Signature(Kind.RENAME, _TWO),
    "renameat": Signature(Kind.RENAME, _TWO_AT),
    "renameat2": Signature(Kind.RENAME, _TWO_AT, flags=4),
    "link": Signature(Kind.LINK, _TWO),
    "linkat": Signature(Kind.LINK, _TWO_AT),
    "symlink": Signature(Kind.SYMLINK, ((None, 1),)),
    "symlinkat": Signature(Kind.SYMLINK, ((1, 2),)),
    "unlink": _by_path(Kind.UNLINK),
    "unlinkat": _at(Kind.UNLINK, 2),
    "rmdir": _by_path(Kind.RMDIR),
    "mkdir": _by_path(Kind.MKDIR),
    "mkdirat": _at(Kind.MKDIR),
    "mknod": _by_path(Kind.OPEN),
    "mknodat": _at(Kind.OPEN),
    "truncate": Signature(Kind.TRUNCATE, ((None, 0),), length=1),
    "ftruncate": _by_fd(Kind.TRUNCATE, length=1),
    "fallocate": _by_fd(Kind.TRUNCATE, offset=2, length=3, flags=1),
    "sendfile": _by_fd(Kind.COPY, 0, length=3),
    "copy_file_range": _by_fd(Kind.COPY, 2, length=4),
    "splice": _by_fd(Kind.COPY, 2, length=4),
    "chmod": _by_path(Kind.MODE),
    "fchmod": _by_fd(Kind.MODE),
    "fchmodat": _at(Kind.MODE),
    "chown": _by_path(Kind.MODE),
    "lchown": _by_path(Kind.MODE),
    "fchown": _by_fd(Kind.MODE),
    "fchownat": _at(Kind.MODE),
    "setxattr": _by_path(Kind.MODE),
    "lsetxattr": _by_path(Kind.MODE),
    "fsetxattr": _by_fd(Kind.MODE),
    "removexattr": _by_path(Kind.MODE),
    "lremovexattr": _by_path(Kind.MODE),
    "fremovexattr": _by_fd(Kind.MODE),
    "utime": _by_path(Kind.TIMES),
    "utimes": _by_path(Kind.TIMES),
    "futimesat": _at(Kind.TIMES),
    "utimensat": _at(Kind.TIMES),
    "flock": _by_fd(Kind.LOCK, flags=1),
    "fcntl": _by_fd(Kind.LOCK, flags=1),  # record locks only, see filters
    "mmap": _by_fd(Kind.MAP, 4, flags=3),  # shared and writable only, see filters
    "nanosleep": Signature(Kind.SLEEP),
    "clock_nanosleep": Signature(Kind.SLEEP),
}

FILE_CALLS: Final = frozenset(name for name, signature in SIGNATURES.items() if signature.kind is not Kind.SLEEP)
CHANGES: Final = frozenset(
    {
        Kind.WRITE, Kind.RENAME, Kind.LINK, Kind.SYMLINK, Kind.UNLINK, Kind.MKDIR, Kind.RMDIR, Kind.TRUNCATE,
        Kind.COPY, Kind.MODE, Kind.TIMES,
    }
)  # fmt: skip

_DISK: Final = ("ENOSPC", "EDQUOT", "EIO")
_NAMES: Final = ("EACCES", "EPERM", "EROFS", "EIO")
_ERRNOS: Final[dict[Kind, tuple[str, ...]]] = {
    Kind.OPEN: ("EACCES", "EMFILE", "EIO", "EINTR", "ENOENT", "ENAMETOOLONG"),
    Kind.READ: ("EIO", "EINTR", "EISDIR"),
    Kind.WRITE: (*_DISK, "EINTR"),
    Kind.SYNC: ("EIO", "ENOSPC", "EDQUOT"),
    Kind.CLOSE: ("EIO", "ENOSPC", "EINTR"),
    Kind.STAT: ("EACCES", "EIO", "ENOENT", "ELOOP"),
    Kind.LIST: ("EIO", "ENOENT"),
    Kind.RENAME: (*_NAMES, "ENOSPC", "EDQUOT", "EBUSY", "EXDEV", "ENOENT"),
    Kind.LINK: (*_NAMES, "ENOSPC", "EDQUOT", "EMLINK"),
    Kind.SYMLINK: (*_NAMES, "ENOSPC", "EDQUOT"),
    Kind.UNLINK: (*_NAMES, "EBUSY", "ENOENT"),
    Kind.MKDIR: (*_NAMES, "ENOSPC", "EDQUOT"),
    Kind.RMDIR: (*_NAMES, "EBUSY", "ENOTEMPTY"),
    Kind.TRUNCATE: ("EIO", "EPERM", "EINTR"),
    Kind.COPY: (*_DISK, "EINTR", "EXDEV"),
    Kind.MODE: ("EPERM", "EROFS", "EIO"),
    Kind.TIMES: ("EPERM", "EROFS", "EIO"),
    Kind.LOCK: ("EINTR", "ENOLCK"),
    Kind.MAP: ("ENOMEM", "EACCES"),
    Kind.SLEEP: ("EINTR",),
}
_MAKING: Final = ("ENOSPC", "EDQUOT", "EROFS")
_WRITING: Final = ("EROFS",)


# Errors that the files as they are contradict: a call that met one would be a lie, and a program that believes it
# right. What comes of files that really vanish or appear meanwhile is found by orders of operations begun together.
_CONTRADICTED: Final = frozenset(
    {"ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY", "ELOOP", "ENAMETOOLONG", "EXDEV", "EMLINK"}
)


def errnos_of(name: str, flags: int = 0) -> tuple[str, ...]:
    """The errors that this call can meet, as its manual page lists them; for open by what ``flags`` ask for.

    KeyError when ``name`` is no file call.
    """
    signature = SIGNATURES[name]
    errnos = _ERRNOS[signature.kind]
    if signature.kind is Kind.OPEN:
        if flags & os.O_CREAT or name in ("creat", "mknod", "mknodat"):
            return (*errnos, *_MAKING)
        return (*errnos, *_WRITING) if flags & os.O_ACCMODE != os.O_RDONLY else errnos
    if name.endswith("setxattr"):
        return (*errnos, "ENOSPC", "EDQUOT", "ENOTSUP")
    if name == "fallocate":
        return (*_DISK, "EINTR")
    return errnos


def believable_errnos(name: str, flags: int = 0) -> tuple[str, ...]:
    """Those of them that hang on more than which files there are. KeyError when ``name`` is no file call."""
    return tuple(each for each in errnos_of(name, flags) if each not in _CONTRADICTED)


def kind_of(name: str, flags: int) -> Kind:
    """What the call does; ``unlinkat`` removes a directory when its flags say so. KeyError when it is no file call."""
    kind = SIGNATURES[name].kind
    return Kind.RMDIR if name == "unlinkat" and flags & _AT_REMOVEDIR else kind
