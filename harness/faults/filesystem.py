"""Storage that fails by real means: mounts, modes, links and kinds of file, made inside the sandbox.

Every mount is undone by ``Sandbox.lift`` and ``Sandbox.fresh``; nothing is made outside the sandbox.
"""

from collections.abc import Callable, Mapping

from harness.core.fault import Scalar
from harness.core.history import FileFact
from harness.sandbox import Chmod, MakeDirectory, MakeFifo, Remove, SetTime, Symlink, Write
from harness.sandbox.room import Room

SMALL_DISK_BYTES = 64 * 1024  # the smallest that a tmpfs holds a few files in
HOUR_S = 3600
GARBAGE = b"{ not what was written here\n"
PROOF_TIMEOUT_S = 10.0  # reading one small file; more means the machine is ill

Place = Callable[[Room, str, Mapping[str, Scalar]], str]


def place(sandbox: Room, kind: str, path: str, params: Mapping[str, Scalar]) -> str:
    """Puts that fault at ``path`` and gives the proof: what the harness itself then met there.

    KeyError when there is no such kind; MachineError when this machine refuses it.
    """
    return KINDS[kind](sandbox, path, params)


def _missing(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path)])
    return _kind_at(sandbox, path)


def _empty(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), Write(path, b"")])
    return "empty" if sandbox.read(path, 1).size == 0 else ""


def _directory(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), MakeDirectory(path)])
    return _kind_at(sandbox, path)


def _fifo(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), MakeFifo(path)])
    return _kind_at(sandbox, path)


def _symlink_loop(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), Symlink(path, path)])
    return _kind_at(sandbox, path)


def _dangling_link(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), Symlink(path, "{outside}/nowhere")])
    return _kind_at(sandbox, path)


def _link_outside(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), MakeDirectory("{outside}/lured"), Symlink(path, "{outside}/lured")])
    return _kind_at(sandbox, path)


def _unreadable(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    if sandbox.read(path, 1).kind == "missing":
        sandbox.apply([Write(path, b"{}")])
    sandbox.apply([Chmod(path, 0o000)])
    # the harness keeps its capabilities, so only a process like the one under test can prove the refusal
    place = sandbox.roots.resolve(path)
    read = sandbox.run(("/bin/cat", place), env={"LC_ALL": "C"}, cwd="/", stdin=b"", timeout_s=PROOF_TIMEOUT_S)
    return "EACCES" if b"Permission denied" in read.stderr else ""


def _file_for_directory(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    sandbox.apply([Remove(path), Write(path, b"not a directory\n")])
    return _kind_at(sandbox, path)


def _aged(room: Room, path: str, params: Mapping[str, Scalar]) -> str:
    by_s = params.get("by_s", HOUR_S)
    if not isinstance(by_s, int) or isinstance(by_s, bool):
        raise ValueError(f"by_s has to be a whole number of seconds, not {by_s!r}")
    found = _files_below(room, path)
    room.apply([SetTime(name, fact.mtime_s - by_s) for name, fact in found.items()])
    return "changed" if found else ""


def _garbled(room: Room, path: str, params: Mapping[str, Scalar]) -> str:
    found = _files_below(room, path)
    room.apply([Write(name, GARBAGE) for name in found])
    return "changed" if found else ""


def _files_below(room: Room, path: str) -> dict[str, FileFact]:
    return {
        name: fact
        for name, fact in room.snapshot().items()
        if fact.kind == "file" and (name == path or name.startswith(path.rstrip("/") + "/"))
    }


def _read_only(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    return sandbox.read_only(path)


def _full(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    free_bytes = params.get("free_bytes", 0)
    if not isinstance(free_bytes, int) or isinstance(free_bytes, bool) or free_bytes < 0:
        raise ValueError(f"free_bytes has to be a whole number of at least 0, not {free_bytes!r}")
    return sandbox.limit_space(path, SMALL_DISK_BYTES, free_bytes)


def _kind_at(sandbox: Room, path: str) -> str:
    return sandbox.read(path, 1).kind


KINDS: Mapping[str, Place] = {
    "missing": _missing,
    "empty": _empty,
    "directory": _directory,
    "fifo": _fifo,
    "symlink_loop": _symlink_loop,
    "dangling_link": _dangling_link,
    "link_outside": _link_outside,
    "unreadable": _unreadable,
    "aged": _aged,
    "garbled": _garbled,
    "read_only": _read_only,
    "full": _full,
    "file_for_directory": _file_for_directory,
}
