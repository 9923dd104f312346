"""The files as an operation found them: texts, the phase, tasks, ledgers; and what of a text has to be shown. Pure."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from harness.core.history import InputFact
from harness.systems import queue_files
from harness.systems.queue_files import QueueFile
from harness.systems.session_recovery.contract import SHOWN_CHARACTERS

_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")  # a half of a surrogate pair, as queue_files gives its escape
_EXACT: Final = 2**53  # from here on not every whole number is a float
_FILE: Final = "file"
_MISSING: Final = "missing"


class NoJsonError(ValueError):
    """What stands there is no JSON that every reader takes for the same."""


def content(fact: InputFact | None) -> bytes | None:
    """The bytes of a file; None when there is none, or they are not known."""
    return fact.data if fact is not None and fact.kind == _FILE else None


def is_shown(fact: InputFact | None) -> bool:
    """Is it known what stood there, be it nothing?"""
    return fact is not None and (fact.kind != _FILE or fact.data is not None)


def parsed(data: bytes) -> Any:
    """The value that every reader of JSON finds; NoJsonError where there is none, or another one for others.

    Others may take what has a byte order mark, names twice, ``NaN``, very long numbers, or is nested deep.
    """
    try:
        text = data.decode()
        return json.loads(text, parse_constant=_refused, object_pairs_hook=_once)
    except (RecursionError, ValueError) as error:
        raise NoJsonError from error


def _refused(word: str) -> None:
    raise ValueError(word)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


def has_content(data: bytes) -> bool:
    """Does anything stand there that somebody could miss? Blanks say nothing, nor does null."""
    return data.strip() not in (b"", b"null")


def may_be_queue(data: bytes) -> bool:
    """Does a lenient reader find an array of tasks there?"""
    found = guessed(data)
    return isinstance(found.get("tasks") if isinstance(found, dict) else found, list)


def guessed(data: bytes) -> Any:
    """What a lenient reader may find; None when even that finds nothing."""
    try:
        return json.loads(data.decode("utf-8-sig", "replace"))
    except (RecursionError, ValueError):
        return None


def occurs(text: str, data: bytes) -> bool:
    """Does the text stand there, plainly or as JSON has it?"""
    whole = data.decode(errors="replace")
    return any(form in whole for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]))


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, its names among them, wherever it stands."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping):
            left += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple):
            left += each


def mentions(data: bytes, text: str) -> bool:
    """Does a file that an implementation wrote have that text? One that is no JSON may have it in whatever form."""
    lines = [data, *data.splitlines()]
    understood = False
    for line in lines:
        try:
            value = parsed(line)
        except NoJsonError:
            continue
        understood = True
        if any(text in found for found in texts(value)):
            return True
    return occurs(text, data) or (not understood and bool(data.strip()))


def same(one: Any, other: Any) -> bool:
    """Are these the same JSON value, the first as it stood there?

    true is not 1. Halves of surrogate pairs are whatever they were made, and so are numbers that no float holds.
    """
    left = [(one, other)]
    while left:
        first, second = left.pop()
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            if first.keys() != second.keys():
                return False
            left += [(first[name], second[name]) for name in first]
        elif isinstance(first, list | tuple) and isinstance(second, list | tuple):
            if len(first) != len(second):
                return False
            left += list(zip(first, second, strict=True))
        elif isinstance(first, str) and isinstance(second, str):
            if first != second and not _HALF.search(first):
                return False
        elif isinstance(first, bool) is not isinstance(second, bool) or not _same_number(first, second):
            return False
    return True


def _same_number(first: Any, second: Any) -> bool:
    """Readers of JSON may keep of a number what a float holds of it, and of one beyond that what they like."""
    found = _as_float(first)
    return not math.isfinite(found) or first == second or (abs(found) >= _EXACT and found == _as_float(second))


def _as_float(value: Any) -> float:
    if not isinstance(value, int | float):
        return 0.0
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _plain(text: str) -> str:
    """A text without what readers may rightly drop: a byte order mark, kinds of line ends, NUL (no shell holds it)."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def shown_part(text: str) -> str:
    """What of a text has to be shown: so many characters of it, however they are counted (UTF-16 has the fewest)."""
    units = text[:SHOWN_CHARACTERS].encode("utf-16-le", "surrogatepass")[: 2 * SHOWN_CHARACTERS]
    return units.decode("utf-16-le", "ignore")


def shows(said: str, text: str) -> bool:
    """Does what was said begin as the text does, as far as it has to be shown?"""
    part = shown_part(text)
    if part == text:
        return _plain(said).rstrip() == _plain(text).rstrip()
    return _plain(said).startswith(_plain(part).rstrip())


def has_part(said: str, text: str) -> bool:
    """Does what was said have the text in it, as far as it has to be shown?"""
    return _plain(shown_part(text)).strip() in _plain(said)


def continuity_agrees(fact: InputFact | None, said: str | None) -> bool:
    """Is that the text of CONTINUITY.md? Where there is none, null; of bytes that are no UTF-8 whatever."""
    if not is_shown(fact):
        return True
    data = content(fact)
    if data is None:
        return not said
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return True
    if not text.strip("\ufeff \t\r\n"):
        return not (said or "").strip("\ufeff \t\r\n")
    return said is not None and shows(said, text)


def is_text(fact: InputFact | None) -> bool:
    """Is what stands there a text, or nothing?"""
    try:
        (content(fact) or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def phase(fact: InputFact | None) -> str | None:
    """The phase that every reader finds in orchestrator.json; None when there is none."""
    try:
        found = parsed(content(fact) or b"null")
    except NoJsonError:
        return None
    value = found.get("phase") if isinstance(found, dict) else None
    return value if isinstance(value, str) and value else None


def phase_agrees(fact: InputFact | None, said: str | None) -> bool:
    """Is that the phase of orchestrator.json? What not every reader finds may be found or not."""
    if not is_shown(fact):
        return True
    found, data = phase(fact), content(fact)
    if found is not None:
        return said == found or (said is None and not found.strip())
    if said is None:
        return True
    try:
        parsed(data or b"null")
    except NoJsonError:
        return occurs(said, data or b"")
    return False


class Shelf(NamedTuple):
    """A queue as it was found: ``file`` is None when it is damaged or not known, ``data`` what stands there, if known.

    ``damaged``: not every reader finds the same tasks there, and some find none.
    """

    file: QueueFile | None
    damaged: bool
    data: bytes

    @property
    def is_known(self) -> bool:
        """Is it known which tasks it has, if only that there are none?"""
        return self.file is not None

    def count(self, task_id: str) -> int:
        """How many copies of that task it has."""
        return self.ids().count(task_id)

    def ids(self) -> tuple[str, ...]:
        """The ids of its tasks."""
        return (self.file or queue_files.EMPTY).ids()

    def copies(self, task_id: str) -> list[Mapping[str, Any]]:
        """The tasks of that id."""
        return [task for task in (self.file or queue_files.EMPTY).tasks if queue_files.task_id(task) == task_id]

    def nameless(self) -> list[Any]:
        """Its entries that are no tasks, or have no id."""
        found = self.file or queue_files.EMPTY
        return [*(task for task in found.tasks if queue_files.task_id(task) is None), *found.odd]


def shelf(fact: InputFact | None) -> Shelf:
    """The queue in that file."""
    if fact is None or fact.kind not in (_FILE, _MISSING) or (fact.kind == _FILE and fact.data is None):
        return Shelf(None, damaged=False, data=b"")
    if fact.kind == _MISSING:
        return Shelf(queue_files.EMPTY, damaged=False, data=b"")
    data = fact.data or b""
    found = queue_files.read(data)
    try:
        parsed(data.removeprefix(b"\xef\xbb\xbf"))
    except NoJsonError:
        found = None
    return Shelf(found, damaged=found is None, data=data)


class Queues:
    """Every queue, as an operation found it."""

    def __init__(self, inputs: Mapping[str, InputFact]) -> None:
        self.shelves = {queue: shelf(inputs.get(queue)) for queue in queue_files.QUEUES}
        self.pending = self.shelves[queue_files.PENDING]
        self.in_progress = self.shelves[queue_files.IN_PROGRESS]
        self.completed = self.shelves[queue_files.COMPLETED]

    def ids(self) -> dict[str, None]:
        """The ids of all tasks, each once, in their order."""
        return dict.fromkeys(task_id for each in self.shelves.values() for task_id in each.ids())

    def is_anywhere(self, task_id: str) -> bool:
        """Has any queue that task?"""
        return self.total(task_id) > 0

    def total(self, task_id: str) -> int:
        """How many copies of that task there are."""
        return sum(each.count(task_id) for each in self.shelves.values())

    def copies(self, task_id: str) -> list[Mapping[str, Any]]:
        """Every task of that id, those in progress first."""
        first = self.in_progress.copies(task_id)
        return [*first, *(task for each in self.shelves.values() if each is not self.in_progress
                          for task in each.copies(task_id))]  # fmt: skip

    @property
    def are_sound(self) -> bool:
        """Is it known of every queue which tasks it has?"""
        return all(each.is_known for each in self.shelves.values())

    @property
    def damaged(self) -> list[str]:
        """The queues that are damaged."""
        return [name for name, each in self.shelves.items() if each.damaged]
