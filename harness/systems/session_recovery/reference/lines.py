"""Files of JSON lines that only grow: the ledger of finished tasks (LK-GEN-05), and the interfaces (LK-GEN-06).

They are replaced whole rather than appended to: then a line is there after a loss of power, and is never torn. What
others wrote stays, whatever it is.
"""

import contextlib
import errno
from collections.abc import Iterable, Mapping
from typing import Any, Final

from harness.ports.files import Files
from harness.systems import queue_files
from harness.systems.queue_document import encoded
from harness.systems.session_recovery.contract import LEDGER_PATH, SPECIFICATION_PATH, LogCode
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import LIMIT_BYTES

LOCK_S: Final = 0.5  # a change holds the lock for milliseconds; who holds it longer hangs


class Lines:
    """One such file. Every method may raise OSError."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """The lock is beside the file, which is replaced again and again."""
        return self.files.lock(f"{self.path}.lock", LOCK_S)

    def read(self) -> bytes:
        """All of it; nothing when there is no file."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES + 1)
        except FileNotFoundError:
            return b""
        if len(data) > LIMIT_BYTES:
            raise OSError(errno.EFBIG, f"{self.path} has more than {LIMIT_BYTES} bytes")
        return data

    def add(self, before: bytes, entries: Iterable[Mapping[str, Any]]) -> None:
        """Adds lines to what was read under the lock; a line that somebody died in the middle of is ended first."""
        ended = before if not before or before.endswith(b"\n") else before + b"\n"
        self.put(ended + b"".join(encoded(entry) + b"\n" for entry in entries))

    def put(self, data: bytes) -> None:
        """Replaces the file: whole, and there after a loss of power."""
        self.files.replace(self.path, data)


class Ledger:
    """Who finished which task. No method raises."""

    lines_class = Lines

    def __init__(self, home: str, files: Files) -> None:
        self.lines = self.lines_class(f"{home}/{self.path()}", files)

    def path(self) -> str:
        """Where it lies, below the home."""
        return LEDGER_PATH.removeprefix("{home}/")

    def record(self, finished: Mapping[str, str], trace: Trace) -> bool:
        """Records each task, with its worker, once; False when the ledger may lack them."""
        try:
            with self.lines.lock():
                before = self.lines.read()
                owed = self.owed(finished, self.ids_of(before, trace))
                if owed:
                    self.lines.add(before, owed)
        except OSError as error:
            trace.error(LogCode.LEDGER_WRITE_FAILED, "finished tasks are not recorded", error)
            return False
        return True

    def owed(self, finished: Mapping[str, str], known: tuple[str, ...]) -> list[dict[str, str]]:
        """The lines that the ledger lacks."""
        return [self.line(task_id, worker) for task_id, worker in finished.items() if task_id not in known]

    def line(self, task_id: str, worker: str) -> dict[str, str]:
        """What the ledger says of a task."""
        return {"task_id": task_id, "worker": worker}

    def ids(self, trace: Trace) -> tuple[str, ...]:
        """The tasks it has, each once, in the order in which they were first recorded."""
        try:
            return self.ids_of(self.lines.read(), trace)
        except OSError as error:
            trace.unreadable(LogCode.LEDGER_INVALID, "the ledger cannot be read", error)
            return ()

    def ids_of(self, data: bytes, trace: Trace) -> tuple[str, ...]:
        """The same of its content; lines that are none are passed over, and stay."""
        found: dict[str, None] = {}
        for line in data.splitlines():
            task_id = self.id_of(line)
            if task_id is not None:
                found[task_id] = None
            elif line.strip():
                trace.warning(LogCode.LEDGER_INVALID, "a line of the ledger names no task")
        return tuple(found)

    def id_of(self, line: bytes) -> str | None:
        """The task that a line is about; None when it is about none."""
        try:
            entry = queue_files.decode(queue_files.text_of(line))
        except ValueError:
            return None
        return queue_files.task_id(entry) if isinstance(entry, dict) else None


class Specifications:
    """The interfaces as they will be. No method raises."""

    lines_class = Lines

    def __init__(self, home: str, files: Files) -> None:
        self.lines = self.lines_class(f"{home}/{self.path()}", files)

    def path(self) -> str:
        """Where they lie, below the home."""
        return SPECIFICATION_PATH.removeprefix("{home}/")

    def specify(self, task_id: str, interface: str, trace: Trace) -> bool:
        """Writes an interface down; False when that failed."""
        try:
            with self.lines.lock():
                self.lines.add(self.lines.read(), [self.line(task_id, interface)])
        except OSError as error:
            trace.error(LogCode.SPECIFICATION_WRITE_FAILED, "the interface is not specified", error)
            return False
        return True

    def line(self, task_id: str, interface: str) -> dict[str, str]:
        """What is written of an interface."""
        return {"task_id": task_id, "interface": interface}
