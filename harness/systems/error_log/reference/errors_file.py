"""errors.json: an object with the records under ``errors``, or a list of them; see ER-LOG-01.

Records are kept as they are written: one is added by splicing it in before the end, so that nothing of others is ever
decoded and written anew. What has no id and type is kept, but is no record.
"""

import contextlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from harness.ports.files import Files
from harness.systems.error_log.reference.kept_file import KeptFile
from harness.systems.error_log.reference.texts import plain

RECORDS = "errors"
SEPARATOR = b",\n"
LONGEST_INTEGER = 19  # digits; a longer one comes back as a text
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Sources = list[msgspec.Raw]

_ENCODER = msgspec.json.Encoder()
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_OBJECTS = msgspec.json.Decoder(dict[str, Any])
_SOURCES = msgspec.json.Decoder(Sources)
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F])|.)")


class InvalidFileError(ValueError):
    """The file is no log of errors."""


class Head(msgspec.Struct, frozen=True):
    """What is looked at of what stands in the file."""

    id: Any = None
    type: Any = None
    name: Any = None

    def is_record(self) -> bool:
        """Is it a record at all?"""
        return isinstance(self.id, str) and isinstance(self.type, str)


_HEAD = msgspec.json.Decoder(Head)
_HEADS = msgspec.json.Decoder(list[Head])


class Layout(NamedTuple):
    """What stands before the first record and after the last."""

    before: bytes
    after: bytes


OBJECT = Layout(b'{"errors":[\n', b"\n]}\n")
LIST = Layout(b"[\n", b"\n]\n")


class Contents(NamedTuple):
    """A whole file: its bytes as we write them, and the ids and names of its records in order."""

    layout: Layout
    data: bytes
    heads: list[Head]
    ids: set[str]


def new_contents() -> Contents:
    """A file without records."""
    return Contents(OBJECT, OBJECT.before + OBJECT.after, [], set())


def contents_of(data: bytes) -> Contents:
    """What a file says; InvalidFileError when it is none."""
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode()
        try:
            layout, sources = _parted(text)
        except msgspec.DecodeError:
            layout, sources = _parted(_without_halves(text))
        heads = _heads(sources)
        written = _written(layout, sources)
        if written != data and layout is not LIST:
            _refuse_twice(text)
    except (ValueError, RecursionError) as error:  # msgspec.DecodeError is a ValueError
        raise InvalidFileError(str(error) or type(error).__name__) from error
    return Contents(layout, written, heads, _ids(heads))


def sources_of(contents: Contents) -> Sources:
    """The records, and what else is among them, as they are written."""
    inner = contents.data[len(contents.layout.before) : len(contents.data) - len(contents.layout.after)]
    return _SOURCES.decode(b"[" + inner + b"]")


def extended(contents: Contents, sources: Iterable[bytes]) -> bytes:
    """The bytes of the file with these records after those it has."""
    after = contents.layout.after
    before = memoryview(contents.data)[: len(contents.data) - len(after)]  # a view: the whole is copied once
    return b"".join((before, SEPARATOR if contents.heads else b"", SEPARATOR.join(sources), after))


def changed(contents: Contents, changes: Mapping[str, Mapping[str, Any]]) -> Contents:
    """The file with fields of some records, by id, set anew; all else of them stays as it is written."""
    sources = sources_of(contents)
    for number, head in enumerate(contents.heads):
        if head.is_record() and head.id in changes:
            fields = _OBJECT.decode(sources[number])
            fields.update({field: msgspec.Raw(encoded(value)) for field, value in changes[head.id].items()})
            sources[number] = msgspec.Raw(encoded(fields))
    return contents._replace(data=_written(contents.layout, sources))


def record_of(source: bytes) -> dict[str, Any] | None:
    """The record as it is written; None for what is none."""
    try:
        found: Any = _OBJECTS.decode(source)
    except msgspec.ValidationError:  # no object, or a number beyond what a machine's has
        found = plain(json.loads(bytes(source), parse_int=_integer))
    if not isinstance(found, dict):
        return None
    return found if Head(found.get("id"), found.get("type")).is_record() else None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_INTEGER else digits


def encoded(value: Any) -> bytes:
    """The value as JSON."""
    return _ENCODER.encode(value)


def _parted(text: str) -> tuple[Layout, Sources]:
    if text.lstrip(" \t\r\n").startswith("["):
        return LIST, _SOURCES.decode(text)
    fields = _OBJECT.decode(text)
    sources = _SOURCES.decode(fields[RECORDS]) if RECORDS in fields else []
    names = list(fields) if RECORDS in fields else [*fields, RECORDS]
    place = names.index(RECORDS)
    before, after = names[:place], names[place + 1 :]
    layout = Layout(
        b"{" + b"".join(_field(name, fields) + b"," for name in before) + b'"errors":[\n',
        b"\n]" + b"".join(b"," + _field(name, fields) for name in after) + b"}\n",
    )
    return (OBJECT if layout == OBJECT else layout), sources


def _field(name: str, fields: Mapping[str, msgspec.Raw]) -> bytes:
    return encoded(name) + b":" + bytes(fields[name])


def _heads(sources: Sources) -> list[Head]:
    try:
        return _HEADS.decode(_ENCODER.encode(sources))
    except msgspec.ValidationError:
        return [_head(source) for source in sources]


def _head(source: msgspec.Raw) -> Head:
    with contextlib.suppress(msgspec.ValidationError):
        return _HEAD.decode(source)
    return Head()


def _without_halves(text: str) -> str:
    """Halves of surrogate pairs, which JSON can escape and no text in UTF-8 can hold, as the texts of their escapes."""
    return _ESCAPE.sub(lambda found: "\\" + found[0] if found["half"] else found[0], text)


def _ids(heads: Iterable[Head]) -> set[str]:
    return {head.id for head in heads if isinstance(head.id, str)}


def _written(layout: Layout, sources: Sources) -> bytes:
    return layout.before + SEPARATOR.join(map(bytes, sources)) + layout.after


def _refuse_twice(text: str) -> None:
    """ValueError when the records stand in the file twice: then one half would be lost with the next write."""
    pairs = json.loads(text, object_pairs_hook=list)
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise InvalidFileError("a name stands in it twice")


class ErrorsFile(KeptFile):
    """The file at ``path``. Every method may raise OSError; what the file said last is remembered."""

    def __init__(self, path: str, files: Files) -> None:
        super().__init__(path, files)
        self.known = new_contents()
        self._seen: bytes | None = None

    def load(self) -> Contents:
        """The file as it is; InvalidFileError when it is none, and then ``known`` is what it said before."""
        data = self.read()
        if data is None:
            self.known, self._seen = new_contents(), None
        elif data != self._seen:
            self.known = self.decoded(data)
            self._seen = data
        return self.known

    def decoded(self, data: bytes) -> Contents:
        """See contents_of."""
        return contents_of(data)

    def rewrite(self, contents: Contents) -> None:
        """Puts this in place of the file."""
        self.put(contents.data)
        self.known, self._seen = contents, contents.data

    def append(self, contents: Contents, records: Sequence[tuple[Head, bytes]]) -> None:
        """Puts this, with these records added, in place of the file."""
        data = self.joined(contents, [source for _, source in records])
        self.put(data)
        heads = [head for head, _ in records]
        contents.heads.extend(heads)  # in place: a copy would cost more the longer the file is
        contents.ids.update(_ids(heads))
        self.known, self._seen = contents._replace(data=data), data

    def joined(self, contents: Contents, sources: Sequence[bytes]) -> bytes:
        """See extended."""
        return extended(contents, sources)

    def set_aside(self, now_s: float) -> str:
        """Keeps a copy of the bad file; the file itself is replaced by the next write."""
        return self.keep(self.read() or b"", "corrupt", now_s)
