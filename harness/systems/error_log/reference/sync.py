"""TODO.md and state.json: the status of each task in both, and the newer one copied to the older (ER-SYN-01).

A line of TODO.md is ``- [ ] 259: what is to be done [IMPLEMENTING]``; state.json is ``{"tasks": {"259":
"implementing"}}``, or has an object with a ``status`` for a task. The grammar is ours; the document names the files.
"""

import contextlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from harness.ports.files import Files
from harness.systems.error_log.contract import LogCode
from harness.systems.error_log.reference.kept_file import KeptFile
from harness.systems.trace import Trace

TODO = "todo"
STATE = "state"
COMPLETED = "completed"
UNCOMMITTED = datetime.max.replace(tzinfo=UTC)  # edits that git does not know yet are newer than all it knows
UNDATED = datetime.min.replace(tzinfo=UTC)

_LINE = re.compile(rb"([ \t]*[-*][ \t]+\[)([ xX])(\][ \t]+(\d+)[:.])")
_WORD = re.compile(rb"\[([A-Za-z][A-Za-z _-]*)\]")

Statuses = dict[str, str]


class InvalidFileError(ValueError):
    """The file says nothing about tasks."""


class Line(NamedTuple):
    """A line of TODO.md about a task: what stands before and after its box, its status, and the line's end."""

    before: bytes
    text: bytes
    task: str
    status: str | None
    end: bytes

    def with_status(self, status: str) -> bytes:
        """The line with that status."""
        return self.before + _box(status) + self.text + b" " + _mark(status) + self.end


def _line(data: bytes) -> Line | None:
    found = _LINE.match(data)
    if found is None:
        return None
    text = data.rstrip()
    end = data[len(text) :]
    opened = text.rfind(b"[")
    word = _WORD.fullmatch(text, opened) if opened >= found.end() else None
    rest = text[found.start(3) : opened].rstrip() if word is not None else text[found.start(3) :]
    return Line(found[1], rest, _task(found[4]), None if word is None else _status(word[1].decode()), end)


def todo_statuses(data: bytes) -> Statuses:
    """Each task's status."""
    lines = map(_line, data.splitlines(keepends=True))
    return {line.task: line.status for line in lines if line is not None and line.status is not None}


def todo_with(data: bytes, statuses: Mapping[str, str]) -> bytes:
    """The file with these statuses; all else stays byte for byte."""
    parts: list[bytes] = []
    missing = dict(statuses)
    for each in data.splitlines(keepends=True):
        line = _line(each)
        status = None if line is None else statuses.get(line.task)
        if line is None or status is None:
            parts.append(each)
            continue
        missing.pop(line.task, None)
        parts.append(each if line.status == status else line.with_status(status))
    if missing and parts and not parts[-1].endswith(b"\n"):
        parts.append(b"\n")
    for task, status in missing.items():
        name = task.encode()
        parts.append(b"- [" + _box(status) + b"] " + name + b": task " + name + b" " + _mark(status) + b"\n")
    return b"".join(parts)


def state_statuses(data: bytes) -> Statuses:
    """Each task's status; InvalidFileError when the file is none."""
    found: Statuses = {}
    for task, source in _tasks(data)[1].items():
        value: Any = msgspec.json.decode(source)
        status = value.get("status") if isinstance(value, dict) else value
        if isinstance(status, str):
            found[task] = _status(status)
    return found


def state_with(data: bytes, statuses: Mapping[str, str]) -> bytes:
    """The file with these statuses, all else as it was."""
    fields, tasks = _tasks(data)
    known = state_statuses(data)
    for task, status in statuses.items():
        if known.get(task) == status:
            continue
        value: Any = msgspec.json.decode(tasks[task]) if task in tasks else None
        tasks[task] = _raw({**value, "status": status} if isinstance(value, dict) else status)
    return msgspec.json.format(msgspec.json.encode({**fields, "tasks": tasks}), indent=2) + b"\n"


def _tasks(data: bytes) -> tuple[dict[str, msgspec.Raw], dict[str, msgspec.Raw]]:
    try:
        fields = msgspec.json.decode(data.decode(), type=dict[str, msgspec.Raw])
        tasks = msgspec.json.decode(fields["tasks"], type=dict[str, msgspec.Raw]) if "tasks" in fields else {}
    except (ValueError, RecursionError) as error:
        raise InvalidFileError(str(error) or type(error).__name__) from error
    return fields, tasks


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _task(digits: bytes) -> str:
    return digits.decode().lstrip("0") or "0"


def _status(word: str) -> str:
    return re.sub(r"[\s-]+", "_", word.strip().lower())


def _mark(status: str) -> bytes:
    return b"[" + status.replace("_", " ").upper().encode() + b"]"


def _box(status: str) -> bytes:
    return b"x" if status == COMPLETED else b" "


def changed_at(text: str | None) -> datetime:
    """What git blame says; null is an edit that is not committed, and what is no time is older than all others."""
    if text is None:
        return UNCOMMITTED
    try:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    except ValueError:
        return UNDATED


class KeptStatuses:
    """Both files. No method raises."""

    file_class = KeptFile

    def __init__(self, todo_path: str, state_path: str, files: Files) -> None:
        self.files = {TODO: self.file_class(todo_path, files), STATE: self.file_class(state_path, files)}
        self.statuses: dict[str, Statuses] = {}

    def read(self, label: str, trace: Trace) -> bool:
        """Reads one of them; False when it is missing, or says nothing about tasks."""
        self.statuses.pop(label, None)
        try:
            data = self.files[label].read()
            if data is None:
                return False
            self.statuses[label] = (todo_statuses if label is TODO else state_statuses)(data)
        except (OSError, ValueError) as error:
            trace.error(LogCode.SYNC_FAILED, f"{self.files[label].path} cannot be read", error)
        return bool(self.statuses.get(label))

    def status(self, task: str, trace: Trace) -> str | None:
        """The status of a task in state.json, or else in TODO.md; None when neither says one."""
        found = (self.statuses[label].get(task) for label in (STATE, TODO) if self.read(label, trace))
        return next((status for status in found if status is not None), None)

    def newer(self, todo_changed: str | None, state_changed: str | None) -> str:
        """Which of those that say anything was changed last; state.json, which machines write, when neither was."""
        if not self.statuses.get(TODO):
            return STATE
        if not self.statuses.get(STATE):
            return TODO
        return TODO if changed_at(todo_changed) > changed_at(state_changed) else STATE

    def sync(self, taken: str, now_s: float, trace: Trace) -> bool:
        """Copies the statuses of the one taken into the other, of which a copy is kept; False when that failed."""
        other = STATE if taken is TODO else TODO
        statuses = self.statuses.get(taken)
        if not statuses:
            trace.warning(LogCode.SYNC_FAILED, "neither file has the status of a task")
            return False
        try:
            self.write(other, statuses, now_s)
        except (OSError, ValueError) as error:
            trace.error(LogCode.SYNC_FAILED, f"{self.files[other].path} is not in sync", error)
            return False
        return True

    def write(self, label: str, statuses: Statuses, now_s: float) -> None:
        """Puts these statuses into the file, once a copy of it is kept."""
        with contextlib.ExitStack() as held:
            self.files[label].lock(held)
            before = self.files[label].read()
            after = self.synced(label, before or b"", statuses)
            if after != before:
                if before is not None:
                    self.files[label].keep(before, "backup", now_s)
                self.files[label].put(after)

    def synced(self, label: str, before: bytes, statuses: Statuses) -> bytes:
        """The file with these statuses; one that says nothing about tasks is made anew."""
        if label is TODO:
            return todo_with(before, statuses)
        try:
            return state_with(before, statuses)
        except InvalidFileError:
            return state_with(b"{}", statuses)
