"""Storage that fails by real means: mounts, modes, links and kinds of file, made inside the sandbox.

Every mount and every process beside the operations is undone by ``fresh`` and ``renew``; nothing is made outside.
"""

from collections.abc import Callable, Mapping
from posixpath import basename, dirname

from harness.core.fault import Scalar
from harness.core.history import FileFact
from harness.errors import MachineError
from harness.sandbox import Action, Chmod, MakeDirectory, MakeFifo, Remove, SetTime, Surroundings, Symlink, Write
from harness.sandbox.room import Room

SMALL_DISK_BYTES = 64 * 1024  # the smallest that a tmpfs holds a few files in
ROOMY_DISK_BYTES = 8 * 1024 * 1024  # what may lie below a path where no further file fits
MEMORY_BYTES = 2 * 1024**3  # of a program that reads a device without end: less than machines have
OLD_S = 946_684_800.0  # the beginning of the year 2000: older than any limit, on every clock in use
GROWTH = '{"type": "system", "role": "system", "content": "the session goes on"}\n'
HOUR_S = 3600
LEFT_BYTES = 64 * 1024
ENDINGS = (".tmp", ".lock", "~", ".bak")  # what editors, writers and package managers leave behind
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


def _no_inodes(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    return sandbox.limit_space(path, ROOMY_DISK_BYTES, ROOMY_DISK_BYTES, inodes=0)


def _busy(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    _have_file(sandbox, path)
    return sandbox.busy(path)


def _full_device(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    _have_file(sandbox, path)
    met = sandbox.full_device(path)
    sandbox.surround(Surroundings(limits={"memory": MEMORY_BYTES}))
    return met


def _not_writable(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    place = sandbox.roots.resolve(path)
    if sandbox.read(path, 1).kind == "directory":
        attempt = f"{place}/.windtunnel"
        sandbox.apply([Chmod(path, 0o555)])
    else:
        _have_file(sandbox, path)
        attempt = place
        sandbox.apply([Chmod(path, 0o444)])
    # opened to append, and nothing appended: where modes are ignored, this must not be damage of another kind
    command = ("/bin/sh", "-c", ': >> "$0"', attempt)
    tried = sandbox.run(command, env={"LC_ALL": "C"}, cwd="/", stdin=b"", timeout_s=PROOF_TIMEOUT_S)
    if attempt != place and tried.exit_code == 0:
        sandbox.apply([Remove(attempt)])
    return "EACCES" if b"Permission denied" in tried.stderr else ""


def _parent_missing(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    parent = dirname(path.rstrip("/"))
    if "/" not in parent.removeprefix("/"):
        raise MachineError(f"{path} lies in a root of the sandbox, which cannot be removed")
    sandbox.apply([Remove(parent)])
    return _kind_at(sandbox, parent)


def _leftover(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    place = path.rstrip("/")
    found = sandbox.read(place, LEFT_BYTES)
    old = found.data or b"{}\n"  # what a writer that was killed had written so far
    names = [place + ending for ending in ENDINGS] if "/" in place else []
    names += [f"{dirname(place)}/.{basename(place)}.swp"] if "/" in place else []
    if found.kind == "directory":
        names += [f"{place}/left{ending}" for ending in ENDINGS]
    actions: list[Action] = [Write(name, old, mtime_s=OLD_S) for name in names]
    sandbox.apply(actions)
    return _kind_at(sandbox, names[0])


def _vanishing(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    place = path.rstrip("/")
    root = place.partition("/")[0]
    if root == place:
        raise MachineError(f"{path} is a root of the sandbox, which cannot come and go")
    if sandbox.read(place, 1).kind != "directory":
        _have_file(sandbox, place)
    sandbox.meddle(("@vanishing", place, f"{root or dirname(place)}/.windtunnel-{basename(place)}"))
    return "vanishing" if "missing" in (seen := sandbox.watch(place)) and len(seen) > 1 else ""


def _growing(sandbox: Room, path: str, params: Mapping[str, Scalar]) -> str:
    _have_file(sandbox, path)
    sandbox.meddle(("@growing", path, GROWTH))
    return "growing" if len(sandbox.watch(path)) > 1 else ""


def _have_file(sandbox: Room, path: str) -> None:
    if sandbox.read(path, 1).kind == "missing":
        sandbox.apply([Remove(path), Write(path, b"{}")])


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
    "no_inodes": _no_inodes,
    "busy": _busy,
    "full_device": _full_device,
    "not_writable": _not_writable,
    "parent_missing": _parent_missing,
    "leftover": _leftover,
    "vanishing": _vanishing,
    "growing": _growing,
}
