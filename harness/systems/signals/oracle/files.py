"""The files as an operation found them, and one step from what it found to what the next one finds. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from harness.core.history import FileFact, InputFact
from harness.systems import file_faults, queue_files
from harness.systems.calls import Call
from harness.systems.queue_files import EMPTY, QUEUES, QueueFile
from harness.systems.signals.contract import ReviewRequest, review_path_of
from harness.systems.signals.oracle.values import read
from harness.systems.signals.oracle.weather import FILES
from harness.systems.times import stamp

Task = Mapping[str, Any]
Copy = tuple[str, Task]  # the queue, and the task as it stands there
BLOCKED_STATUS: Final = "blocked"
_NO_FILES: Final = ("directory", "fifo", "socket", "device")


class Request(NamedTuple):
    """A request as it stands in a file; ``is_sound``: every reader finds it, and it is one."""

    record: Mapping[str, Any]
    is_sound: bool


class Lines(NamedTuple):
    """Drift records by line; ``doubtful``: what some readers take for one."""

    records: tuple[Mapping[str, Any], ...]
    doubtful: tuple[Mapping[str, Any], ...]
    is_whole: bool  # are all lines records or blank?


class State(msgspec.Struct, frozen=True, dict=True):
    """Every labelled file, and all by path when somebody looked. Of ``unknown`` labels nothing is known."""

    inputs: Mapping[str, InputFact]
    queues: Mapping[str, QueueFile]
    unknown: frozenset[str]
    damaged: frozenset[str]
    files: Mapping[str, FileFact]

    def knows(self, *labels: str) -> bool:
        """Is known what stands in these?"""
        return self.unknown.isdisjoint(labels) and all(label in self.inputs for label in labels)

    def data(self, label: str) -> bytes | None:
        """The bytes of a known file; None when there is none."""
        fact = self.inputs.get(label)
        return fact.data if fact is not None and fact.kind == "file" else None

    def copies(self, wanted: object) -> list[Copy]:
        """Where tasks of that id stand, in the order of QUEUES."""
        return list(self._copies.get(wanted, ())) if isinstance(wanted, str) else []

    def ids(self) -> list[str]:
        """Every id once, in order."""
        return list(self._copies)

    @cached_property
    def _copies(self) -> dict[str, list[Copy]]:
        return queue_files.copies_by_id(self.queues)

    def knows_queues(self) -> bool:
        """Is every queue known?"""
        return self.knows(*QUEUES)

    def requests(self) -> Iterator[Request]:
        """The requests that stand in the signal files that are seen."""
        for label in ("review", "review_of_task"):
            data = self.data(label)
            found = read(data) if data is not None and label not in self.unknown else None
            if found is None:
                continue
            for each in found.value if isinstance(found.value, list) else [found.value]:
                if isinstance(each, Mapping) and isinstance(each.get("task_id"), str):
                    yield Request(each, found.is_clean and _is_sound(each))

    def listed(self) -> list[str]:
        """The tasks whose requests stand in HUMAN_REVIEW_NEEDED, where that is known."""
        data = self.data("review") if self.knows("review") else None
        found = read(data) if data is not None else None
        each = found.value if found is not None and isinstance(found.value, list) else [found and found.value]
        return [one["task_id"] for one in each if isinstance(one, Mapping) and isinstance(one.get("task_id"), str)]

    def has_file(self, task_id: str) -> bool:
        """Has the request of that task a file of its own?"""
        return review_path_of(task_id) in self.files

    def is_pending(self, task_id: str) -> bool | None:
        """Does a request of that task stand in the files? None when that cannot be seen."""
        if task_id in self.listed() or self.has_file(task_id):
            return True
        if not self.knows("review") or not self.files or review_path_of(task_id) is None:
            return None
        return False


def _is_sound(record: Mapping[str, Any]) -> bool:
    try:
        found = msgspec.convert(record, ReviewRequest)
    except (msgspec.ValidationError, RecursionError):
        return False
    return bool(found.task_id and found.reason) and stamp(found.timestamp) is not None


def state_of(inputs: Mapping[str, InputFact], hidden: Collection[str], files: Mapping[str, FileFact]) -> State:
    """What these files say; of ``hidden`` ones nothing is known, nor of what is no file."""
    unknown, damaged = set(hidden), set()
    unknown |= {label for label, fact in inputs.items()
                if fact.kind != "missing" and (fact.kind != "file" or fact.data is None)}  # fmt: skip
    queues: dict[str, QueueFile] = {}
    for queue in QUEUES:
        fact = inputs.get(queue)
        if fact is None or queue in unknown:
            unknown.add(queue)
            continue
        found = queue_files.read(fact.data if fact.kind == "file" else None)
        queues[queue] = EMPTY if found is None else found
        if found is None:
            damaged.add(queue)
    return State(inputs, queues, frozenset(unknown), frozenset(damaged), files)


def lines_of(data: bytes) -> Lines:
    """The drift records in these bytes; a last line without a line break is doubtful at best."""
    records, doubtful, whole = [], [], True
    each = data.split(b"\n")
    for number, line in enumerate(each):
        if not line.strip():
            continue
        found = read(line)
        is_record = found is not None and isinstance(found.value, Mapping)
        if found is None or not is_record:
            whole = False
        elif found.is_clean and number < len(each) - 1 and isinstance(found.value.get("task_id"), str):
            records.append(found.value)
        else:
            doubtful.append(found.value)
            whole = whole and found.is_clean
    return Lines(tuple(records), tuple(doubtful), whole)


def is_blocked(task: Task) -> bool:
    """Does its status say that nobody may claim it?"""
    return bool(task.get("status") == BLOCKED_STATUS)


class Step(msgspec.Struct, frozen=True):
    """Operations that overlapped, mostly one, from what they found to what the next one found, None when none came."""

    calls: Sequence[Call]
    before: State
    after: State | None

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
        """The labels that the operations may have been kept from, also by what stands in their places."""
        blocked = {label for label in self.before.unknown if label in self.before.inputs}
        return frozenset(label for call in self.calls for label in call.shaken) | blocked

    @property
    def is_answered(self) -> bool:
        """Was every operation one of the contract, and answered?"""
        return all(call.answer is not None and call.args is not None for call in self.calls)

    @property
    def is_calm(self) -> bool:
        """Was every operation answered, and nothing in its way?"""
        return not self.shaken and self.is_answered

    @property
    def loses_power(self) -> bool:
        """Did the machine lose power?"""
        return any(file_faults.loses_power(call.faults) for call in self.calls)

    def minds(self, *labels: str) -> bool:
        """May the operations have been kept from one of these?"""
        return not self.shaken.isdisjoint(labels)

    def lacks(self, label: str) -> bool:
        """Is it plain to see that nothing stands in that file by now? False when nobody looked, or a fault hides it."""
        left, path = self.left(), FILES.paths[label]
        if path in left:
            return left[path].kind in _NO_FILES
        return bool(left) and not any(label in FILES.hidden(call.faults) for call in self.calls)

    def left(self) -> Mapping[str, FileFact]:
        """All files when the operations had ended; none when nobody looked."""
        seen = max(self.calls, key=lambda call: call.ended).left
        return seen or (self.after.files if self.after is not None else {})
