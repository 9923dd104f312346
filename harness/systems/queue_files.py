"""The queue files that three systems share: where they are, what a task in them is, how they are read. Pure.

The documents name the files and give one of them a schema. The others hold tasks too, as an object with a ``tasks``
array or as a bare array: both are read, and whoever writes may write either. Source: document 000, Dead Letter Queue
(L376-512), Recovery Procedures and Human review.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

QUEUE_DIRECTORY: Final = ".loki/queue"
PENDING: Final = "pending"
IN_PROGRESS: Final = "in-progress"
BLOCKED: Final = "blocked"
COMPLETED: Final = "completed"
DEAD_LETTER: Final = "dead-letter"
ABANDONED: Final = "abandoned"
QUEUES: Final = (PENDING, IN_PROGRESS, BLOCKED, COMPLETED, DEAD_LETTER, ABANDONED)
"""Every queue, in the order in which a task passes through them."""

CURRENT_TASK_PATH: Final = f"{QUEUE_DIRECTORY}/current-task.json"
"""The task at work, as one object; no queue."""

_DEEPEST = 200  # levels: what is nested deeper no queue holds, and recursion over it would not end well
_HOLDING = (dict, list)  # a union would be made anew for each value
_LONGEST_INTEGER = 300  # digits; a longer one is read as what a float makes of it, as in other languages
_BYTE_ORDER_MARK = "\ufeff"
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F])|.)")


def path_of(queue: str) -> str:
    """The file of a queue, below the home of a project."""
    return f"{QUEUE_DIRECTORY}/{queue}.json"


class QueueFile(NamedTuple):
    """A queue file as read.

    ``tasks`` are its entries that are objects, in their order, ``odd`` those that are not. ``metadata`` is what stands
    beside the array, by name, and None where the file is a bare array.
    """

    tasks: tuple[Mapping[str, Any], ...]
    odd: tuple[Any, ...]
    metadata: Mapping[str, Any] | None

    def ids(self) -> tuple[str, ...]:
        """The ids of its tasks that have one, in their order."""
        return tuple(found for found in map(task_id, self.tasks) if found is not None)

    def find(self, wanted: str) -> Mapping[str, Any] | None:
        """The first task of that id; None when there is none."""
        return next((task for task in self.tasks if task_id(task) == wanted), None)


def copies_by_id(files: Mapping[str, QueueFile]) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
    """Of every id, in the order of the files and within each of its tasks, where tasks of it stand: file and task."""
    found: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for name, file in files.items():
        for task in file.tasks:
            id_ = task_id(task)
            if id_ is not None:
                found.setdefault(id_, []).append((name, task))
    return found


EMPTY: Final = QueueFile((), (), {})
"""What a file that is not there is read as."""


def task_id(task: Mapping[str, Any]) -> str | None:
    """The id of a task: a text that is not empty; None when it has none."""
    found = task.get("task_id")
    return found if isinstance(found, str) and found else None


def read(data: bytes | None) -> QueueFile | None:
    """A queue file's content; EMPTY when there is no file (None), None when it is damaged.

    Damaged is what is no JSON, is neither object nor array, has no array of tasks, or is nested too deep, which is
    counted from the tasks and from what is beside them, so that it is the same in either form. No text in what is
    returned has a half of a surrogate pair.
    """
    if data is None:
        return EMPTY
    try:
        document = decode(text_of(data))
    except ValueError:
        return None
    beside = None
    if isinstance(document, dict):
        beside = {name: value for name, value in document.items() if name != "tasks"}
        document = document.get("tasks")
    if not isinstance(document, list) or not (
        _has_few_levels(data) or _is_shallow([document, *(beside or {}).values()])
    ):
        return None
    tasks = tuple(each for each in document if isinstance(each, dict))
    return QueueFile(tasks, tuple(each for each in document if not isinstance(each, dict)), beside)


def text_of(data: bytes) -> str:
    """The text of a file, without a byte order mark; ValueError when it is not UTF-8.

    Halves of surrogate pairs, which JSON can escape and no text in UTF-8 can hold, are the texts of their escapes.
    """
    text = data.decode().removeprefix(_BYTE_ORDER_MARK)
    return _ESCAPE.sub(lambda found: "\\" + found[0] if found["half"] else found[0], text) if "\\u" in text else text


def decode(text: str) -> Any:
    """The value that stands in JSON; ValueError when it is none (``NaN`` is none), or nested too deep to be read."""
    try:
        try:
            return msgspec.json.decode(text)
        except msgspec.ValidationError:  # a number beyond what a machine's has: JSON knows no limit
            return json.loads(text, parse_constant=_refuse, parse_int=_integer)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def answerable(value: Any) -> Any:
    """The value with null for every number that no float holds: read as infinite, it could not be told in JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: answerable(each) for name, each in value.items()}
    return [answerable(each) for each in value] if isinstance(value, list | tuple) else value


def places(queues: Mapping[str, QueueFile | None], wanted: str) -> Iterator[str]:
    """The queues that hold a task of that id, once for each copy; of damaged ones nothing is known."""
    for queue, found in queues.items():
        if found is not None:
            yield from (queue for id_ in found.ids() if id_ == wanted)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def _has_few_levels(data: bytes) -> bool:
    """Are there not even as many brackets as levels are allowed? Most files need no look at what they hold."""
    return data.count(b"[") + data.count(b"{") < _DEEPEST


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [each for held in level for each in _held(held) if isinstance(each, _HOLDING)]
        if not level:
            return True
    return False


def _held(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def is_count(value: object) -> bool:
    """Is it a count: a whole number from 0 on, and no truth value?"""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, int):
        return value >= 0  # however large: not every whole number is a float
    return math.isfinite(value) and value >= 0 and value == int(value)
