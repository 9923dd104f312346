"""What happened, as a list of entries: the only thing an oracle sees, and enough to judge a stored run again.

The format is published as ``history.schema.json``; a history is stored as JSON lines, one entry a line.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from harness.core.fault import Injection

FORMAT = 1
GIVEN_UP = "given_up"  # why an operation that the harness itself ended has no answer


class EntryType(StrEnum):
    """``invoke`` begins an operation; it ends in ``ok`` (done), ``fail`` (certainly not done) or ``info`` (unknown)."""

    INVOKE = "invoke"
    OK = "ok"
    FAIL = "fail"
    INFO = "info"


class FileFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a snapshot saw of one path. ``mtime_s`` is seconds since the epoch; ``sha256`` only for regular files."""

    kind: str
    size: int = 0
    sha256: str = ""
    mtime_s: float = 0.0


class InputFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A file the operation was given to read, as it was when the operation began.

    ``kind`` is file, missing, directory, fifo, symlink_loop or unreadable; ``data`` holds the bytes of files of at most
    256 KiB (base64 in JSON) and is None for larger ones, of which only ``size`` is known.
    """

    kind: str
    size: int = 0
    data: bytes | None = None


Fact = TypeVar("Fact", FileFact, InputFact)


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of a history.

    ``files`` is the snapshot of the world's writable roots: before the operation in an invoke, after it otherwise,
    keyed by path with the roots as placeholders such as ``{home}/x``. ``inputs`` (invoke only) is keyed by argument.
    """

    n: int
    process: int
    type: EntryType
    op: str
    value: Mapping[str, Any]
    now: str
    faults: tuple[Injection, ...] = ()
    files: Mapping[str, FileFact] = msgspec.field(default_factory=dict)
    inputs: Mapping[str, InputFact] = msgspec.field(default_factory=dict)


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All entries of one scenario's run, in the order they were observed."""

    entries: tuple[Entry, ...] = ()

    @property
    def given_up(self) -> str:
        """Why the harness gave this run up, so that it says nothing of the implementation; "" when it did not."""
        ends = (entry for entry in self.entries if entry.type is EntryType.INFO)
        return next((str(end.value["message"]) for end in ends if end.value.get("reason") == GIVEN_UP), "")

    def operations(self) -> "tuple[Completed, ...]":
        """Each invoke with the entry that ended it, in the order of the invokes; a lost end is None."""
        pending: dict[int, Entry] = {}
        done: dict[int, Entry | None] = {}
        for entry in self.entries:
            if entry.type is EntryType.INVOKE:
                pending[entry.process] = entry
                done[entry.n] = None
            elif entry.process in pending:
                done[pending.pop(entry.process).n] = entry
        begun = {entry.n: entry for entry in self.entries if entry.type is EntryType.INVOKE}
        return tuple(Completed(begun[n], end) for n, end in done.items())


class Completed(msgspec.Struct, frozen=True):
    """One operation from its invoke to its end; ``end`` is None when the run stopped before it came."""

    begin: Entry
    end: Entry | None


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as it is stored among others: of files and inputs only what differs from the entry before.

    ``files`` null is an entry without a snapshot; a path or argument that is gone maps to null. Inputs are compared
    with those of the invoke before.
    """

    n: int
    process: int
    type: EntryType
    op: str
    value: Mapping[str, Any]
    now: str
    faults: tuple[Injection, ...] = ()
    files: Mapping[str, FileFact | None] | None = msgspec.field(default_factory=dict)
    inputs: Mapping[str, InputFact | None] = msgspec.field(default_factory=dict)


def condensed(entries: Iterable[Entry]) -> tuple[Change, ...]:
    """``entries`` as changes: a snapshot that stays as it is costs nothing. ``restored`` gives equal entries back."""
    files: Mapping[str, FileFact] = {}
    inputs: Mapping[str, InputFact] = {}
    changes = []
    for entry in entries:
        fields = {name: getattr(entry, name) for name in Entry.__struct_fields__}
        fields["files"] = _difference(files, entry.files) if entry.files else None
        files = entry.files or files
        if entry.type is EntryType.INVOKE:
            fields["inputs"] = _difference(inputs, entry.inputs)
            inputs = entry.inputs
        changes.append(Change(**fields))
    return tuple(changes)


def restored(changes: Iterable[Change]) -> tuple[Entry, ...]:
    """The entries that ``condensed`` was given."""
    files: Mapping[str, FileFact] = {}
    inputs: Mapping[str, InputFact] = {}
    entries = []
    for change in changes:
        fields = {name: getattr(change, name) for name in Entry.__struct_fields__}
        if change.files is not None:
            files = _applied(files, change.files)
        fields["files"] = {} if change.files is None else files
        if change.type is EntryType.INVOKE:
            inputs = _applied(inputs, change.inputs)
            fields["inputs"] = inputs
        entries.append(Entry(**fields))
    return tuple(entries)


def _difference(before: Mapping[str, Fact], after: Mapping[str, Fact]) -> dict[str, Fact | None]:
    changed: dict[str, Fact | None] = {name: fact for name, fact in after.items() if before.get(name) != fact}
    return {**changed, **{name: None for name in before if name not in after}}


def _applied(before: Mapping[str, Fact], change: Mapping[str, Fact | None]) -> dict[str, Fact]:
    merged = {**before, **change}
    return {name: fact for name, fact in merged.items() if fact is not None}


_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(Entry)


def encode_lines(entries: Iterable[Entry]) -> bytes:
    """The entries as JSON lines, keys sorted, so that equal histories are equal bytes."""
    return b"".join(_ENCODER.encode(entry) + b"\n" for entry in entries)


def decode_lines(data: bytes) -> History:
    """The history stored in ``data``; msgspec.DecodeError (or its ValidationError) when a line is not an entry."""
    return History(tuple(_DECODER.decode(line) for line in data.splitlines() if line.strip()))
