"""The only list of faults: their names, what they do, and the one way to put one in place."""

import os
from random import Random
from typing import NamedTuple

from harness.core.fault import Fault, Injection
from harness.core.seed import derive
from harness.errors import FileFormatError, MachineError
from harness.faults import filesystem, json_document, jsonl
from harness.sandbox import Write
from harness.sandbox.room import Room

READ_LIMIT_BYTES = 64 * 1024 * 1024  # damage is done in memory, to files the harness made itself


class FaultKind(NamedTuple):
    """One fault by name, and what it does in a few words."""

    name: str
    meaning: str


EVERY: tuple[FaultKind, ...] = (
    FaultKind("jsonl.torn_tail", "the last line is cut in its middle"),
    FaultKind("jsonl.interleaved", "two lines are spliced into each other, as two writers do"),
    FaultKind("jsonl.bom", "the file begins with a byte order mark"),
    FaultKind("jsonl.nul_bytes", "lines with NUL bytes"),
    FaultKind("jsonl.bad_utf8", "a line that is no UTF-8"),
    FaultKind("jsonl.garbage_lines", "`count` lines that are no JSON"),
    FaultKind("jsonl.non_object_lines", "JSON lines that are a number, a list, a text, null, true"),
    FaultKind("jsonl.wrong_roles", "messages without a role, or with one nobody knows"),
    FaultKind("jsonl.duplicate_keys", "an object that names a key twice"),
    FaultKind("jsonl.nan", "NaN and Infinity, which JSON does not have"),
    FaultKind("jsonl.huge_integer", "an integer of 5,000 digits"),
    FaultKind("jsonl.deep_nesting", "lists nested 100,000 deep"),
    FaultKind("jsonl.long_line", "one line of 10 MiB"),
    FaultKind("jsonl.blank_lines", "`count` blank lines"),
    FaultKind("jsonl.grown", "no damage: the session went on and the file grew"),
    FaultKind("json_document.truncated", "the document is cut in its middle"),
    FaultKind("json_document.empty", "the document has no bytes"),
    FaultKind("json_document.not_json", "the document is text in another format"),
    FaultKind("json_document.list", "the document is a list"),
    FaultKind("json_document.scalar", "the document is a number"),
    FaultKind("json_document.null", "the document is null"),
    FaultKind("json_document.bad_utf8", "the document is no UTF-8"),
    FaultKind("json_document.bom", "the document begins with a byte order mark"),
    FaultKind("json_document.huge_integer", "a value of 5,000 digits"),
    FaultKind("json_document.deep_nesting", "a value nested 100,000 deep"),
    FaultKind("json_document.duplicate_keys", "a key is named twice"),
    FaultKind("filesystem.missing", "nothing stands at the path"),
    FaultKind("filesystem.empty", "a file without bytes stands at the path"),
    FaultKind("filesystem.directory", "a directory stands where a file is expected"),
    FaultKind("filesystem.fifo", "a named pipe stands there that nobody writes to"),
    FaultKind("filesystem.symlink_loop", "a link to itself"),
    FaultKind("filesystem.dangling_link", "a link to nothing, outside"),
    FaultKind("filesystem.link_outside", "a link to a directory outside"),
    FaultKind("filesystem.unreadable", "mode 000, with the capabilities that ignore modes dropped"),
    FaultKind("filesystem.aged", "every file below the path is `by_s` seconds older, an hour by default"),
    FaultKind("filesystem.garbled", "every file below the path holds garbage"),
    FaultKind("filesystem.read_only", "a read-only mount (EROFS)"),
    FaultKind("filesystem.full", "a small disk with `free_bytes` left (ENOSPC)"),
    FaultKind("filesystem.file_for_directory", "a file stands where a directory is expected"),
)

_NAMES = frozenset(kind.name for kind in EVERY)
_PARAMS = {"jsonl.garbage_lines": ("count",), "jsonl.blank_lines": ("count",), "filesystem.full": ("free_bytes",)}


def inject(fault: Fault, sandbox: Room, seed: int) -> Injection:
    """Puts ``fault`` in place and says what became of it.

    FileFormatError when no fault has that name, it needs a path below a root, or a parameter is wrong; a fault that
    this machine refuses comes back not armed.
    """
    if fault.name not in _NAMES:
        raise FileFormatError(f"there is no fault {fault.name!r}; `windtunnel list faults` names them")
    if fault.path is None:
        raise FileFormatError(f"the fault {fault.name} needs a path")
    if not os.path.isabs(sandbox.roots.resolve(fault.path)):
        raise FileFormatError(f"the fault {fault.name}: its path {fault.path!r} has to begin with a root, as {{home}}")
    family, _, kind = fault.name.partition(".")
    _require_known(fault, family)
    try:
        if family == "filesystem":
            proof = filesystem.place(sandbox, kind, fault.path, fault.params)
        else:
            proof = _damage(sandbox, fault, family, kind, seed)
    except ValueError as error:
        raise FileFormatError(f"the fault {fault.name}: {error}") from error
    except MachineError as error:
        return Injection(fault, armed=False, proof=str(error))
    return Injection(fault, armed=True, proof=proof)


def _require_known(fault: Fault, family: str) -> None:
    known = (*_PARAMS.get(fault.name, ()), *(("deleted",) if family == "jsonl" else ()))
    for name in fault.params:
        if name not in known:
            names = ", ".join(known) or "none"
            raise FileFormatError(f"the fault {fault.name} has no parameter {name!r}; it has: {names}")


def _damage(sandbox: Room, fault: Fault, family: str, kind: str, seed: int) -> str:
    path = fault.path or ""
    before = sandbox.read(path, READ_LIMIT_BYTES).data or b""
    if family == "jsonl":
        # the same seed for the damage and for its `deleted` control, so that both mean the same lines
        after = jsonl.damage(before, kind, fault.params, Random(derive(seed, fault.name)))  # noqa: S311 - has to be repeatable
    else:
        after = json_document.damage(before, kind)
    sandbox.apply([Write(path, after)])
    return "changed" if after != before else ""
