"""The queue files as an operation found them, and one step from what it found to what the next one finds. Pure."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from harness.core.history import FileFact, InputFact
from harness.systems import file_faults, queue_files
from harness.systems.calls import Call
from harness.systems.dead_letter.contract import FAILURES_AT_MOST, WORK_QUEUES, failure_count_of
from harness.systems.queue_files import DEAD_LETTER, EMPTY, QUEUES, QueueFile

Task = Mapping[str, Any]
Copy = tuple[str, Task]  # the queue, and the task as it stands there
_MARK: Final = b"\xef\xbb\xbf"
_CONSTANTS: Final = (b"NaN", b"Infinity")
_HALVES: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class State(msgspec.Struct, frozen=True, dict=True):
    """Every queue file. Of the ``unknown`` ones nothing is known; the ``damaged`` ones count as empty.

    What some readers of JSON take for a queue and others do not is unknown (see ``in_one_way``).
    """

    files: Mapping[str, QueueFile]
    facts: Mapping[str, InputFact]
    unknown: frozenset[str]
    damaged: frozenset[str]

    def copies(self, wanted: str) -> list[Copy]:
        """Where tasks of that id stand, in the order of QUEUES."""
        return list(self._copies.get(wanted, ()))

    def ids(self) -> list[str]:
        """Every id once, in order."""
        return list(self._copies)

    @cached_property
    def _copies(self) -> dict[str, list[Copy]]:
        return queue_files.copies_by_id(self.files)

    def knows(self, *queues: str) -> bool:
        """Is known what stands in these?"""
        return self.unknown.isdisjoint(queues)

    def is_whole(self, queue: str) -> bool:
        """Is the file known, and a queue?"""
        return queue not in self.unknown and queue not in self.damaged

    def data(self, queue: str) -> bytes | None:
        """The bytes of a known file; None when there is none."""
        fact = self.facts.get(queue)
        return fact.data if fact is not None else None

    def has_halves(self, queue: str) -> bool:
        """Has it halves of surrogate pairs, which readers read in different ways?"""
        return _HALVES.search(self.data(queue) or b"") is not None

    def is_unended(self, wanted: str) -> bool:
        """Is it a task at work that has failed too often, whose move anybody may end?"""
        return any(queue in WORK_QUEUES and failure_count_of(task) > FAILURES_AT_MOST
                   for queue, task in self.copies(wanted))  # fmt: skip

    def metadata(self) -> Mapping[str, Any]:
        """``metadata`` of the dead letters; empty when there is none."""
        beside = (self.files.get(DEAD_LETTER) or EMPTY).metadata or {}
        found = beside.get("metadata")
        return found if isinstance(found, Mapping) else {}


def in_one_way(data: bytes | None) -> QueueFile | None:
    """The queue in a file that one reader may find in it, and another none; None for any other file.

    RFC 8259 leaves to a reader whether it takes a byte order mark, and what is no JSON: ``NaN`` is read by many.
    """
    if data is None or not (data.startswith(_MARK) or any(each in data for each in _CONSTANTS)):
        return None
    found = queue_files.read(data)
    if found is not None:
        return found if data.startswith(_MARK) else None
    try:
        value = json.loads(queue_files.text_of(data), parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return queue_files.read(json.dumps(value).encode())


def state_of(inputs: Mapping[str, InputFact], hidden: Collection[str]) -> State:
    """What these files say; of ``hidden`` ones nothing is known, nor of what is no file, or may be read as none."""
    return left_as(inputs, {*hidden, *(queue for queue, fact in inputs.items() if in_one_way(fact.data) is not None)})


def left_as(inputs: Mapping[str, InputFact], hidden: Collection[str]) -> State:
    """The same, of files that somebody wrote who has to write what every reader reads."""
    unknown, damaged = set(), set()
    files: dict[str, QueueFile] = {}
    for queue in QUEUES:
        fact = inputs.get(queue)
        is_seen = fact is not None and (fact.kind == "missing" or (fact.kind == "file" and fact.data is not None))
        if queue in hidden or fact is None or not is_seen:
            unknown.add(queue)
            continue
        found = queue_files.read(fact.data if fact.kind == "file" else None)
        files[queue] = EMPTY if found is None else found
        if found is None:
            damaged.add(queue)
    return State(files, inputs, frozenset(unknown), frozenset(damaged))


class Step(msgspec.Struct, frozen=True):
    """Operations that overlapped, mostly one, from what they found to what the next one found, None when none came.

    ``files`` are all files as they were left; none when nobody looked, or something befell them since. ``is_settled``:
    nothing befell the step before, so that no move is left to be ended.
    """

    calls: Sequence[Call]
    before: State
    after: State | None
    files: Mapping[str, FileFact]
    is_settled: bool = True

    @property
    def first(self) -> Call:
        """The operation that began first."""
        return self.calls[0]

    @property
    def is_alone(self) -> bool:
        """Is it one operation?"""
        return len(self.calls) == 1

    @property
    def shaken(self) -> frozenset[str]:
        """The files that the operations may have been kept from, also by what stands in their places.

        A damaged file is one of them while it stays where it is: who writes nothing there loses nothing of it.
        """
        blocked = {queue for queue in self.before.unknown if queue in self.before.facts}
        blocked |= {queue for queue in self.before.damaged if self._stays_damaged(queue)}
        return frozenset(label for call in self.calls for label in call.shaken) | blocked

    def _stays_damaged(self, queue: str) -> bool:
        data = self.before.data(queue) or b""
        return bool(data.strip()) and (self.after is None or self.after.data(queue) == data)

    @property
    def is_calm(self) -> bool:
        """Was every operation answered, and nothing in its way?"""
        return not self.shaken and all(call.answer is not None and call.args is not None for call in self.calls)

    @property
    def is_struck(self) -> bool:
        """Was an operation left without an answer?"""
        return any(call.answer is None for call in self.calls)

    @property
    def loses_power(self) -> bool:
        """Did the machine lose power?"""
        return any(file_faults.loses_power(call.faults) for call in self.calls)

    def wrote(self, queue: str) -> bool:
        """Is a file there now that says something else, or has other bytes, than before?"""
        if self.after is None or not self.after.knows(queue) or not self.before.knows(queue):
            return False
        return self.after.data(queue) is not None and self.after.data(queue) != self.before.data(queue)

    def has_unended(self) -> bool:
        """May a move be ended here that another operation began: does a task stand twice, or at work too long?"""
        return not self.is_settled or any(
            len(self.before.copies(id_)) > 1 or self.before.is_unended(id_) for id_ in self.before.ids()
        )

    def has_changed(self) -> bool:
        """Is a known file another than before?"""
        after = self.after or self.before
        return any(after.knows(queue) and after.facts[queue] != self.before.facts.get(queue) for queue in QUEUES)
