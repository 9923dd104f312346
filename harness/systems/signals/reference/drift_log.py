"""DRIFT_DETECTED, CONTINUITY.md and current-task.json as a report of a drift meets them. No method here raises."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from harness.ports.files import Files
from harness.systems.signals.contract import LogCode
from harness.systems.signals.reference.kept_file import KeptFile
from harness.systems.signals.reference.texts import decoded, encoded
from harness.systems.trace import Trace

Record = Mapping[str, Any]

SECTION: Final = b"## Working memory, consolidated after drift\n\n"
NEXT_SECTION: Final = b"\n## "


class DriftLog:
    """The log: JSON lines that are appended, never rewritten (LK-SG-02). Lines that are none stay, and are told."""

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)
        self.known: Counter[str] = Counter()  # how many drifts each task had, when the log could be read last

    def append(self, record: Record, trace: Trace) -> bool:
        """Adds a record as one whole line; False when it is none there.

        A line that somebody died in the middle of is ended first.
        """
        try:
            self.file.files.append_lines(self.file.path, self.line(record))
        except OSError as error:
            trace.error(LogCode.DRIFT_WRITE_FAILED, "a drift is not in the log", error)
            return False
        return True

    def line(self, record: Record) -> bytes:
        """The record as a line; what would break that is escaped (LK-DR-09)."""
        return encoded(record) + b"\n"

    def records(self, trace: Trace) -> list[Record] | None:
        """The records, in the order of their lines; None when the log cannot be read."""
        try:
            data = self.file.read() or b""
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "the drift log cannot be read", error)
            return None
        return list(self.parsed(data.split(b"\n"), trace))

    def parsed(self, lines: Iterable[bytes], trace: Trace) -> Iterator[Record]:
        """Those of the lines that are records: objects with a text ``task_id``."""
        for line in lines:
            if line.strip():
                record = self.record(line)
                if record is None:
                    trace.warning(LogCode.DRIFT_LOG_DAMAGED, "the drift log has lines that are no records; they stay")
                else:
                    yield record

    def record(self, line: bytes) -> Record | None:
        """The record that a line is; None when it is none."""
        try:
            found = decoded(line)
        except ValueError:
            return None
        return found if isinstance(found, dict) and isinstance(found.get("task_id"), str) else None

    def number(self, task_id: str, *, stored: bool, trace: Trace) -> int:
        """Which drift of its task this one is, from 1 on; one that could not be stored counts for now."""
        records = self.records(trace)
        if records is None:
            self.known[task_id] += 1
        else:
            self.known[task_id] = self.count(task_id, records) + (not stored)
        return self.known[task_id]

    def count(self, task_id: str, records: Iterable[Record]) -> int:
        """How many of the records are of that task (LK-DR-07, reading ``task``)."""
        return sum(each["task_id"] == task_id for each in records)


class CurrentTask:
    """current-task.json, which has the goal that a drift is measured against (LK-DR-03)."""

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)

    def read(self, trace: Trace) -> Record | None:
        """The task at work; None, and told, when it is missing or damaged."""
        try:
            found = decoded(self.file.read() or b"")
        except (OSError, ValueError) as error:
            trace.error(LogCode.TASK_UNREADABLE, "current-task.json cannot be read", error)
            return None
        if isinstance(found, dict):
            return found
        trace.warning(LogCode.TASK_UNREADABLE, "current-task.json holds no object")
        return None

    def goal(self, task_id: str, trace: Trace) -> str | None:
        """The goal of that task; None where nobody knows it."""
        found = self.read(trace)
        if found is None or found.get("task_id", task_id) != task_id:
            return None
        goal = found.get("goal")
        return goal if isinstance(goal, str) else None


class Continuity:
    """CONTINUITY.md, into which working memory is consolidated (LK-DR-07)."""

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)

    def consolidate(self, memory: str, trace: Trace) -> bool:
        """Puts working memory into the file; False when that failed."""
        try:
            self.file.put(self.merged(self.file.read() or b"", memory.encode()))
        except OSError as error:
            trace.error(LogCode.CONTINUITY_WRITE_FAILED, "working memory is not in CONTINUITY.md", error)
            return False
        return True

    def merged(self, before: bytes, memory: bytes) -> bytes:
        """The file with this in the place of what was consolidated last; all else of it stays."""
        head, found, tail = before.partition(SECTION)
        _, more, after = tail.partition(NEXT_SECTION)
        if not found and head and not head.endswith(b"\n\n"):
            head += b"\n" if head.endswith(b"\n") else b"\n\n"
        return head + SECTION + memory + b"\n" + (more + after if more else b"")
