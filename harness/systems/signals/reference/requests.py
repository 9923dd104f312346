"""HUMAN_REVIEW_NEEDED and HUMAN_APPROVED: requests that are pending, and what a human decided.

One pending request stands in its file as an object, as the document has it; several as a list of them (LK-HR-08).
Requests are kept as they are written. Methods that change a file are called under the lock of the signals.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.ports.files import Files
from harness.systems import queue_files
from harness.systems.queue_document import Document, Entry, document_of, task_entry
from harness.systems.signals.contract import REVIEW_TIMEOUT_S, LogCode, ReviewArguments
from harness.systems.signals.reference.kept_file import KeptFile
from harness.systems.signals.reference.texts import plain, seconds, timestamp, writable
from harness.systems.trace import Trace

Request = Mapping[str, Any]


class RequestRules:
    """The rules about one request. Pure."""

    def is_valid(self, arguments: ReviewArguments) -> bool:
        """Does it name a task and a reason?"""
        return all(isinstance(each, str) and each for each in (arguments.task_id, arguments.reason))

    def record(self, arguments: ReviewArguments, now_s: float) -> dict[str, Any]:
        """The request; what is optional and not given is left out (LK-HR-01)."""
        record = {
            "timestamp": self.timestamp(now_s),
            "reason": arguments.reason,
            "task_id": arguments.task_id,
            "context": arguments.context,
            "severity": arguments.severity,
            "blocking": arguments.blocking,
        }
        for name in self.optional():
            if getattr(arguments, name) is not None:
                record[name] = getattr(arguments, name)
        found: dict[str, Any] = plain(record)
        return found

    def timestamp(self, now_s: float) -> str:
        """When it was asked for."""
        return timestamp(now_s)

    def optional(self) -> tuple[str, ...]:
        """The fields that need not be given."""
        return ("agent", "alternatives_considered")

    def blocks(self, request: Request) -> bool:
        """Does its task have to wait? Only a clear no says that it need not."""
        return request.get("blocking") is not False

    def is_overdue(self, request: Request, now_s: float) -> bool:
        """Did its task wait for a decision too long (LK-HR-07)?"""
        return self.blocks(request) and self.waited_s(request, now_s) > REVIEW_TIMEOUT_S

    def waited_s(self, request: Request, now_s: float) -> float:
        """For how many seconds it has been pending; none when nobody can read since when."""
        since_s = seconds(request.get("timestamp"))
        return 0.0 if since_s is None else now_s - since_s


class Requests:
    """The pending requests. ``open`` reads them, and has to come first; every method may raise OSError."""

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)
        self.document = Document(None, ())

    def read(self) -> tuple[Document | None, bytes]:
        """What the file says, None when it is no list of requests; and its bytes."""
        data = self.file.read()
        return (Document(None, ()), b"") if data is None else (self.parsed(data), data)

    def parsed(self, data: bytes) -> Document | None:
        """What stands there, its requests and whatever else; None for what is neither request nor list."""
        try:
            text = queue_files.text_of(data)
            is_one = isinstance(queue_files.decode(text), dict)
        except ValueError:
            return None
        return document_of(f"[{text}]".encode() if is_one else text.encode())

    def seen(self, trace: Trace) -> tuple[Request, ...]:
        """The pending requests, without any change; nothing, and told, when they cannot be read."""
        try:
            found, _ = self.read()
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "the requests cannot be read", error)
            return ()
        if found is None or self.odd(found):
            trace.warning(LogCode.REVIEWS_DAMAGED, "HUMAN_REVIEW_NEEDED holds what is no request")
        return () if found is None else tuple(each.value for each in found.entries if each.id() is not None)

    def odd(self, document: Document) -> list[Entry]:
        """What stands among the requests and is none."""
        return [each for each in document.entries if each.id() is None]

    def open(self, trace: Trace) -> None:
        """Reads the file; where it holds what is no request a copy of it is kept, and told, before anything else."""
        found, data = self.read()
        if found is None or self.odd(found):
            kept = self.file.keep(data)
            trace.warning(LogCode.REVIEWS_DAMAGED, f"HUMAN_REVIEW_NEEDED held what is no request: see {kept}")
            sound = Document(None, ()) if found is None else found.less(self.odd(found))
            self.write(sound)
        else:
            self.document = found

    def pending(self) -> tuple[Request, ...]:
        """The pending requests."""
        return tuple(each.value for each in self.document.entries)

    def ids(self) -> tuple[str, ...]:
        """Their tasks, each once."""
        return tuple(dict.fromkeys(str(each["task_id"]) for each in self.pending()))

    def add(self, request: Request) -> Request:
        """Adds a request, in the place of one for the same task; gives it as written."""
        entry = task_entry(request)
        self.write(self.document.with_task(entry))
        found: Request = entry.value
        return found

    def forget(self, task_id: str) -> None:
        """Takes out every request for that task."""
        self.write(self.document.less([each for each in self.document.entries if each.id() == task_id]))

    def write(self, document: Document) -> None:
        """Puts the requests into the file; without any there is none (LK-SG-01)."""
        if document.entries:
            self.file.put(self.encoded(document.entries, document))
        else:
            self.file.remove()
        self.document = document

    def encoded(self, entries: tuple[Entry, ...], document: Document) -> bytes:
        """One as an object, several as a list."""
        return entries[0].source + b"\n" if len(entries) == 1 else document.data()


class Decision(NamedTuple):
    """What a human decided, of which task if they say so; and the file's content, that only it is deleted."""

    decision: str
    task_id: str | None
    data: bytes


class Approvals:
    """HUMAN_APPROVED (LK-SG-05). No method raises."""

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)

    def read(self, trace: Trace) -> Decision | None:
        """The decision; None when there is none. One that is malformed is told, and stays: it may be half written."""
        try:
            data = self.file.read()
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "HUMAN_APPROVED cannot be read", error)
            return None
        found = None if data is None else self.parsed(data)
        if data is not None and found is None:
            trace.warning(LogCode.APPROVAL_INVALID, "HUMAN_APPROVED holds no decision")
        return found

    def parsed(self, data: bytes) -> Decision | None:
        """The decision that the content is; None when it is none."""
        try:
            found = queue_files.decode(queue_files.text_of(data))
        except ValueError:
            return None
        if not isinstance(found, dict):
            return None
        decision, task_id = found.get("decision"), found.get("task_id")
        if not isinstance(decision, str) or not decision or task_id == "":
            return None
        return Decision(decision, task_id, data) if isinstance(task_id, str | None) else None

    def remove(self, decision: Decision, trace: Trace) -> None:
        """Deletes a decision that was carried out, and no other one."""
        self.change(decision, self.file.remove, trace)

    def set_aside(self, decision: Decision, trace: Trace) -> None:
        """Sets a decision aside that resolves nothing, so that it approves nothing that is asked for later."""
        self.change(decision, lambda: self.file.set_aside(decision.data), trace)

    def change(self, decision: Decision, action: Any, trace: Trace) -> None:
        """Does that to the file, if it still says what was read."""
        try:
            if self.file.read() == decision.data:
                action()
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "HUMAN_APPROVED cannot be deleted", error)

    def write(self, text: str, trace: Trace) -> bool:
        """What the human does: see DecideArguments."""
        try:
            self.file.put(writable(text).encode())
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "HUMAN_APPROVED cannot be written", error)
            return False
        return True
