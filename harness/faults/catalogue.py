"""The only list of faults: their names, what they do, what they take, and the one way to put one in place.

Damage to content and storage is listed here; every other family lists its own. Faults whose proof is only got while an
operation runs (``process.killed`` and its like) come back armed and unproven: the session carries them out.
"""

import os
from collections.abc import Callable, Mapping
from random import Random

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.seed import derive
from harness.errors import FileFormatError, MachineError
from harness.faults import (
    clock,
    collaborator,
    environment,
    filesystem,
    identifier,
    json_document,
    jsonl,
    network,
    process,
    syscall,
)
from harness.faults.kind import FaultKind, Param
from harness.ports.clock import RealClock
from harness.sandbox import Write
from harness.sandbox.room import Room

READ_LIMIT_BYTES = 64 * 1024 * 1024  # damage is done in memory, to files the harness made itself

_FIELD = Param("text", None, "the only field that is changed")
_FREE = Param("whole", 0, "bytes left free", low=0)
_OLDER = Param("whole", filesystem.HOUR_S, "seconds; negative is younger", low=-(10**9), high=10**9)
_DELETED = Param("flag", False, "the control: the file without the damaged lines")


def _count(default: int) -> Param:
    return Param("whole", default, "how many", low=0, high=jsonl.COUNT_LIMIT)


def _lines(kind: str, meaning: str, **params: Param) -> FaultKind:
    return FaultKind(f"jsonl.{kind}", meaning, {**params, "deleted": _DELETED}, placed=True)


def _document(kind: str, meaning: str, **params: Param) -> FaultKind:
    return FaultKind(f"json_document.{kind}", meaning, params, placed=True)


def _storage(kind: str, meaning: str, **params: Param) -> FaultKind:
    return FaultKind(f"filesystem.{kind}", meaning, params, placed=True)


_CONTENT: tuple[FaultKind, ...] = (
    _lines("torn_tail", "the last line is cut in its middle"),
    _lines("interleaved", "two lines are spliced into each other, as two writers do"),
    _lines("bom", "the file begins with a byte order mark"),
    _lines("nul_bytes", "lines with NUL bytes"),
    _lines("bad_utf8", "a line that is no UTF-8"),
    _lines("garbage_lines", "`count` lines that are no JSON", count=_count(3)),
    _lines("non_object_lines", "JSON lines that are a number, a list, a text, null, true"),
    _lines("wrong_roles", "messages without a role, or with one nobody knows"),
    _lines("duplicate_keys", "an object that names a key twice"),
    _lines("nan", "NaN and Infinity, which JSON does not have"),
    _lines("huge_integer", "an integer of 5,000 digits"),
    _lines("deep_nesting", "lists nested 100,000 deep"),
    _lines("long_line", "one line of 10 MiB"),
    _lines("blank_lines", "`count` blank lines", count=_count(12)),
    _lines("leap_second", "messages written in the second 23:59:60"),
    _lines("invalid_timestamps", "messages whose time is no time, out of range, or of another type"),
    _lines("grown", "no damage: the session went on, by `count` turns, and the file grew", count=_count(1)),
    _document("truncated", "the document is cut in its middle"),
    _document("empty", "the document has no bytes"),
    _document("not_json", "the document is text in another format"),
    _document("list", "the document is a list"),
    _document("scalar", "the document is a number"),
    _document("null", "the document is null"),
    _document("bad_utf8", "the document is no UTF-8"),
    _document("bom", "the document begins with a byte order mark"),
    _document("huge_integer", "a value of 5,000 digits"),
    _document("deep_nesting", "a value nested 100,000 deep"),
    _document("duplicate_keys", "a key is named twice"),
    _document("nul_bytes", "the document holds NUL bytes"),
    _document("nan", "NaN and Infinity, which JSON does not have"),
    _document("wrong_types", "`field`, or every field, has a value of another type", field=_FIELD),
    _document("out_of_range", "`field`, or every field, is a number below any range", field=_FIELD),
    _storage("missing", "nothing stands at the path"),
    _storage("empty", "a file without bytes stands at the path"),
    _storage("directory", "a directory stands where a file is expected"),
    _storage("fifo", "a named pipe stands there that nobody writes to"),
    _storage("symlink_loop", "a link to itself"),
    _storage("dangling_link", "a link to nothing, outside"),
    _storage("link_outside", "a link to a directory outside"),
    _storage("unreadable", "mode 000, with the capabilities that ignore modes dropped"),
    _storage("aged", "every file below the path is `by_s` seconds older, an hour by default", by_s=_OLDER),
    _storage("garbled", "every file below the path holds garbage"),
    _storage("read_only", "a read-only mount (EROFS)"),
    _storage("full", "a small disk with `free_bytes` left (ENOSPC)", free_bytes=_FREE),
    _storage("file_for_directory", "a file stands where a directory is expected"),
    _storage("no_inodes", "a disk with room for bytes but for no further file (ENOSPC)"),
    _storage("busy", "the file is a mount point: it can be written, but not replaced or removed (EBUSY)"),
    _storage("full_device", "/dev/full stands there: it opens, never ends, and takes nothing (ENOSPC)"),
    _storage("not_writable", "mode 0444, or 0555, with the capabilities that ignore modes dropped"),
    _storage("parent_missing", "the directory that the path lies in is gone"),
    _storage("leftover", "temporary, lock and backup files of an earlier run lie beside the path"),
    _storage("vanishing", "the path comes and goes while operations run"),
    _storage("growing", "lines are appended to the file while operations run"),
)

EVERY: tuple[FaultKind, ...] = (
    *_CONTENT,
    *identifier.KINDS,
    *clock.KINDS,
    *process.KINDS,
    *syscall.KINDS,
    *environment.KINDS,
    *collaborator.KINDS,
    *network.KINDS,
)
_BY_NAME: Mapping[str, FaultKind] = {kind.name: kind for kind in EVERY}

Place = Callable[[Room, str, Fault], str]
_FAMILIES: Mapping[str, Place] = {
    "filesystem": lambda room, kind, fault: filesystem.place(room, kind, fault.path or "", fault.params),
    "clock": lambda room, kind, fault: clock.place(room, kind, fault.params, RealClock().now_s()),
    "process": lambda room, kind, fault: process.place(room, kind, fault.path or "", fault.params),
    "syscall": lambda room, kind, fault: syscall.place(room),
    "environment": lambda room, kind, fault: environment.place(room, kind),
    "collaborator": lambda room, kind, fault: collaborator.place(room, kind, fault.params),
    "network": lambda room, kind, fault: network.place(room, kind),
}


def checked(fault: Fault, room: Room) -> Fault:
    """``fault`` with all its parameters, those it leaves out too.

    FileFormatError when no fault has that name, its path is missing, is not below a root or is one too many, or a
    parameter is wrong.
    """
    kind = _BY_NAME.get(fault.name)
    if kind is None:
        raise FileFormatError(f"there is no fault {fault.name!r}; `windtunnel list faults` names them")
    if kind.placed:
        if fault.path is None:
            raise FileFormatError(f"the fault {fault.name} needs a path")
        if not os.path.isabs(room.roots.resolve(fault.path)):
            raise FileFormatError(
                f"the fault {fault.name}: its path {fault.path!r} has to begin with a root, as {{home}}"
            )
    elif fault.path is not None:
        raise FileFormatError(f"the fault {fault.name} strikes no path, and {fault.path!r} is given")
    try:
        params = kind.complete(fault.params)
    except ValueError as error:
        joint = " " if str(error).startswith("has no parameter") else ": "
        raise FileFormatError(f"the fault {fault.name}{joint}{error}") from error
    return msgspec.structs.replace(fault, params=params)


def inject(fault: Fault, room: Room, seed: int) -> Injection:
    """Puts ``fault`` in place and says what became of it.

    FileFormatError as of ``checked``; a fault that this machine refuses comes back not armed.
    """
    complete = checked(fault, room)
    kind = fault.name.partition(".")[2]
    if identifier.is_identifier(fault):
        return Injection(fault, armed=True, proof="changed")
    try:
        if fault.family in ("jsonl", "json_document"):
            proof = _damage(room, complete, kind, seed)
        else:
            proof = _FAMILIES[fault.family](room, kind, complete)
    except ValueError as error:
        raise FileFormatError(f"the fault {fault.name}: {error}") from error
    except MachineError as error:
        return Injection(fault, armed=False, proof=str(error))
    return Injection(fault, armed=True, proof=proof)


def _damage(room: Room, fault: Fault, kind: str, seed: int) -> str:
    path = fault.path or ""
    before = room.read(path, READ_LIMIT_BYTES).data or b""
    if fault.family == "jsonl":
        # the same seed for the damage and for its `deleted` control, so that both mean the same lines
        after = jsonl.damage(before, kind, fault.params, Random(derive(seed, fault.name)))  # noqa: S311 - has to be repeatable
    else:
        after = json_document.damage(before, kind, fault.params)
    room.apply([Write(path, after)])
    return "changed" if after != before else ""
