"""A queue file that is changed: what nobody asked to change stays as it is written. Pure.

Entries are kept as they stand in the file, in their order, those that are no tasks too; so is what stands beside the
array, and whether the file is an object or a bare array.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from harness.systems import queue_files
from harness.systems.queue_files import QueueFile

MOVES = "moves"
"""The field of a task that counts how often it was moved; see Queues. None is written for a task that never was."""

_TASKS = "tasks"
_REMEMBERED = 32  # files, of six queues
_SMALL_BYTES = 1 << 16  # what is longer is not kept in memory
_MOST_MOVES = 2**53  # what is larger is no count that this wrote, and not every reader of JSON knows it exactly
_PAIRS: Mapping[str, Any] = {"object_pairs_hook": list, "parse_int": str}
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SOURCES = msgspec.json.Decoder(list[msgspec.Raw])


class InvalidTaskError(ValueError):
    """What is to be written is no task with a ``task_id``, or nothing that JSON can hold."""


class Entry(NamedTuple):
    """What stands in the array: as it is written, and what that says."""

    source: bytes
    value: Any

    def id(self) -> str | None:
        """The id of the task; None for what is no task, or has none."""
        return queue_files.task_id(self.value) if isinstance(self.value, dict) else None

    def moves(self) -> int:
        """How often the task was moved by this store; 0 when it does not say."""
        found = self.value.get(MOVES) if isinstance(self.value, dict) else None
        if isinstance(found, bool) or not isinstance(found, int):
            return 0
        return found if 0 <= found < _MOST_MOVES else 0


@dataclass(frozen=True)
class Document:
    """A whole file. ``fields`` are those of its object, as they are written, the tasks' empty; None for an array."""

    fields: Mapping[str, bytes] | None
    entries: tuple[Entry, ...]

    @cached_property
    def queue(self) -> QueueFile:
        """It as others read it."""
        values = [entry.value for entry in self.entries]
        beside = None
        if self.fields is not None:
            beside = {name: _decoded(source) for name, source in self.fields.items() if name != _TASKS}
        tasks = tuple(value for value in values if isinstance(value, dict))
        return QueueFile(tasks, tuple(value for value in values if not isinstance(value, dict)), beside)

    def find(self, task_id: str) -> Entry | None:
        """The first task of that id."""
        return self._by_id.get(task_id)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of its tasks that have one, in their order."""
        return tuple(found for found in (entry.id() for entry in self.entries) if found is not None)

    @cached_property
    def _by_id(self) -> Mapping[str | None, Entry]:
        return {entry.id(): entry for entry in reversed(self.entries)}

    def with_task(self, task: Entry) -> "Document":
        """It with the task in the place of that of the same id, or at the end; other copies of it are gone."""
        found = self.find(str(task.id()))
        if found is None:
            return replace(self, entries=(*self.entries, task))
        rest = [task if each is found else each for each in self.entries if each is found or each.id() != task.id()]
        return replace(self, entries=tuple(rest))

    def less(self, out: Iterable[Entry]) -> "Document":
        """It without these entries of it; others that say the same stay."""
        gone = {id(entry) for entry in out}
        return replace(self, entries=tuple(entry for entry in self.entries if id(entry) not in gone))

    def with_metadata(self, fields: Mapping[str, Any]) -> "Document":
        """It with fields of the object ``metadata`` set; a bare array becomes an object, which alone has a place."""
        own = {_TASKS: b""} if self.fields is None else self.fields
        before = Entry(own["metadata"], _decoded(own["metadata"])) if "metadata" in own else None
        if before is None or not isinstance(before.value, dict):
            return replace(self, fields={**own, "metadata": encoded(fields)})
        return replace(self, fields={**own, "metadata": spliced(before, {**before.value, **fields})})

    def written(self, field: str) -> str:
        """A field beside the tasks as it is written; an empty text where there is none."""
        return (self.fields or {}).get(field, b"").decode()

    def data(self) -> bytes:
        """The bytes of the file."""
        entries = b"[\n" + b",\n".join(entry.source for entry in self.entries) + b"\n]"
        if self.fields is None:
            return entries + b"\n"
        return b"{" + b",".join(self._written(entries)) + b"}\n"

    def _written(self, entries: bytes) -> Iterator[bytes]:
        for name, source in (self.fields or {}).items():
            yield encoded(name) + b":" + (entries if name == _TASKS else source)


EMPTY = Document({_TASKS: b""}, ())
"""A new file."""


def document_of(data: bytes) -> Document | None:
    """What a file says; None when it is damaged: see queue_files.read, and also when its tasks stand in it twice.

    Of those one half would be lost with the next write.
    """
    if queue_files.read(data) is None:
        return None
    text = queue_files.text_of(data)
    if text.lstrip().startswith("["):
        return Document(None, _entries(text))
    if _may_have_two(text) and sum(name == _TASKS for name, _ in json.loads(text, **_PAIRS)) > 1:
        return None
    fields = _FIELDS.decode(text)
    entries = _entries(bytes(fields[_TASKS]).decode())
    return Document({name: b"" if name == _TASKS else bytes(source) for name, source in fields.items()}, entries)


def queue_document_of(queue: str, data: bytes) -> Document | None:
    """The same for the file of a queue, which is not read again when it was read a moment ago.

    Entries are told apart by what they are: two queues that say the same must not have the same.
    """
    return document_of(data) if len(data) > _SMALL_BYTES else _remembered(queue, data)


@lru_cache(_REMEMBERED)
def _remembered(_queue: str, data: bytes) -> Document | None:
    return document_of(data)


def _may_have_two(text: str) -> bool:
    """May the object have two fields of tasks? To read it as pairs, to be sure, takes as long as all the rest."""
    return text.count(f'"{_TASKS}"') > 1 or "\\u00" in text  # the name may be written with escapes


def task_entry(task: Mapping[str, Any], before: Entry | None = None) -> Entry:
    """The task as it is written; InvalidTaskError when it could not be read again as the same task.

    ``before`` is what it was: fields that are the same stay as they are written there.
    """
    source = encoded(task) if before is None else spliced(before, task)
    found = queue_files.read(b"[" + source + b"]")
    if found is None or found.ids() != (task.get("task_id"),):
        raise InvalidTaskError("no task with a task_id, or nested too deep")
    return Entry(source, found.tasks[0])


def stamped(task: Mapping[str, Any], moves: int) -> Mapping[str, Any]:
    """The task with the count of its moves; as it is when it was never moved."""
    return {**task, MOVES: moves} if moves else task


def spliced(before: Entry, fields: Mapping[str, Any]) -> bytes:
    """The object with these fields: those that say the same as before stand there as they were written.

    A number may be written that no float holds, and that is read as the next best thing.
    """
    sources = _FIELDS.decode(before.source)
    own: Mapping[str, Any] = before.value
    written = (
        encoded(name) + b":" + (bytes(sources[name]) if name in own and _same(value, own[name]) else encoded(value))
        for name, value in fields.items()
    )
    return b"{" + b",".join(written) + b"}"


def _same(value: Any, before: Any) -> bool:
    """Do both say the same? ``True`` says something else than 1, and so does 1.0."""
    return value is before or (value == before and _as_json(value) == _as_json(before))


def encoded(value: Any) -> bytes:
    """The value as JSON; InvalidTaskError when that cannot hold it, as no number that is not finite.

    A half of a surrogate pair is escaped.
    """
    try:
        source = _as_json(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidTaskError(f"no JSON: {type(error).__name__}") from error
    if b"null" in source and not _is_finite(value):  # that is what those would become
        raise InvalidTaskError("no JSON: a number that is not finite")
    return source


def _as_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False).encode()


def _is_finite(value: Any) -> bool:
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, float) and not math.isfinite(each):
            return False
        if isinstance(each, Mapping):
            left += each.values()
        elif isinstance(each, list | tuple):
            left += each
    return True


def _entries(text: str) -> tuple[Entry, ...]:
    return tuple(Entry(bytes(source), _decoded(bytes(source))) for source in _SOURCES.decode(text))


def _decoded(source: bytes) -> Any:
    return queue_files.decode(source.decode())
