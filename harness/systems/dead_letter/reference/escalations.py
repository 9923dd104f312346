"""Escalation files: their text and their place. Document 000, Escalation Format (L486-511)."""

import hashlib
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple, NoReturn

from harness.ports.files import Files
from harness.systems.dead_letter.contract import (
    AWAITING,
    ESCALATION_HEADINGS,
    attempts_of,
    data_of,
    failure_count_of,
)
from harness.systems.dead_letter.reference.failures import Analyst, Task
from harness.systems.dead_letter.reference.texts import as_text, one_line, unbroken, writable

Listed = Callable[[str], list[str]]
"""Gives the paths of the regular files below a directory, relative to it, with "/"; none when it is not there."""

LIMIT_BYTES = 1 << 24  # a longer file was not written by this
_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,150}")  # what a file name can have anywhere, and that fits with a timestamp
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_TIMESTAMP = re.compile(r"\d{8}T\d{6}Z|\d{4}-\d\d-\d\dT[0-9:.]+Z|\d{10,13}")
_KEPT_CHARACTERS = 60  # of an id that is no file name
_SECONDS = 3600  # how much later a file may be said to be, when somebody's stands there

OPTIONS = (
    "Decide what is open and retry: the task can still be finished, at the cost of another round of attempts.",
    "Reduce the scope and retry: a part of the task is likely to be finished soon, but the rest stays undone.",
    "Abandon the task: no more time is spent on it, but its goal is not reached.",
)


def listed(directory: str) -> list[str]:
    """See Listed; on the machine's file system. Links are not followed. OSError when a directory cannot be read."""
    found: list[str] = []
    below = [""]
    while below:
        prefix = below.pop()
        try:
            with os.scandir(os.path.join(directory, prefix)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        below.append(f"{prefix}{entry.name}/")
                    elif entry.is_file(follow_symlinks=False):
                        found.append(f"{prefix}{entry.name}")
        except (FileNotFoundError, NotADirectoryError):
            continue
    return sorted(found)


class EscalationText:
    """What a human reads. Pure."""

    options: tuple[str, ...] = OPTIONS

    def __init__(self, analyst: Analyst) -> None:
        self.analyst = analyst

    def text(self, task: Task, trigger: str) -> str:
        """The whole file. Nothing of the task begins a line, so that none of it looks like a heading."""
        contents = (
            f" {self.title(task)}",
            f" {unbroken(writable(str(task['task_id'])))}",
            f" {failure_count_of(task)}",
            f" {one_line(trigger)}",
            f"\n> {one_line(task.get('error_summary')) or self.analyst.summary(task)}",
            f"\n{self.attempts(task)}",
            f"\n{self.analysis(task)}",
            f"\n{self.recommended()}",
            f"\n{AWAITING}",
        )
        sections = [self.section(number, content) for number, content in enumerate(contents)]
        return "\n".join(sections)

    def section(self, number: int, content: str) -> str:
        """A heading with its content."""
        return f"{self.heading(number)}{content}\n"

    def heading(self, number: int) -> str:
        """One of ESCALATION_HEADINGS."""
        return ESCALATION_HEADINGS[number]

    def title(self, task: Task) -> str:
        """The title of the task, its id when it has none."""
        return one_line(data_of(task).get("title")) or unbroken(writable(str(task["task_id"])))

    def attempts(self, task: Task) -> str:
        """The attempts, one a line."""
        lines = [
            f"- Attempt {one_line(each.get('attempt_number'))} at {one_line(each.get('timestamp'))}"
            f" by {one_line(each.get('agent_id')) or 'nobody yet'}: {one_line(each.get('approach'))}"
            f" - {one_line(each.get('error_type')) or 'planned'}: {one_line(each.get('error_message'))}"
            for each in attempts_of(task)
        ]
        return "\n".join(lines) or "- None is known."

    def analysis(self, task: Task) -> str:
        """What was tried, and why it failed."""
        failures = self.analyst.failures(task)
        tried = sorted({one_line(each.get("approach")) for each in failures} - {""})
        why = sorted({one_line(each.get("error_type")) for each in failures} - {""})
        return (
            f"Tried: {len(failures)} attempts with {len(tried)} approaches ({'; '.join(tried) or 'none is known'})."
            f" They failed with: {', '.join(why) or 'nothing that is known'}."
        )

    def recommended(self) -> str:
        """The options with their tradeoffs, numbered."""
        return "\n".join(f"{number}. {option}" for number, option in enumerate(self.options, 1))


class Escalated(NamedTuple):
    """The escalation file of a task: its ``name``, and whether it was ``made`` now."""

    name: str
    made: bool


class Escalations:
    """The files of one directory; only used under the lock of the queues. Methods may raise OSError."""

    def __init__(self, directory: str, files: Files, listing: Listed) -> None:
        self.directory = directory
        self.files = files
        self.listing = listing

    def names(self) -> list[str]:
        """The names of all escalations, below it too; temporary files are none."""
        return [name for name in self.listing(self.directory) if self.is_escalation(name)]

    def is_escalation(self, name: str) -> bool:
        """Does a file of that name belong to them?"""
        return name.endswith(".md") and not name.rpartition("/")[2].startswith(".")

    def read(self, name: str) -> str | None:
        """The content of one; None when it is no UTF-8."""
        data = self.files.read(f"{self.directory}/{name}", LIMIT_BYTES)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None

    def has(self, task_id: str) -> bool:
        """Is there an escalation of that task?"""
        return any(self.is_of(name, task_id) for name in self.names())

    def is_of(self, name: str, task_id: str) -> bool:
        """Is it an escalation of that task, whoever wrote it?"""
        last, ending = name.rpartition("/")[2], self.ending(task_id)
        return last.endswith(ending) and _TIMESTAMP.fullmatch(last.removesuffix(ending)) is not None

    def make(self, task_id: str, text: str, now_s: float, known: list[str]) -> Escalated:
        """Writes the escalation, unless it is there and not among ``known``: then somebody died after writing it."""
        for name in self.names():
            if name not in known and self.is_of(name, task_id) and self.read(name) == text:
                return Escalated(name, made=False)
        name = self.free_name(task_id, now_s)
        self.write(name, text)
        return Escalated(name, made=True)

    def write(self, name: str, text: str) -> None:
        """Makes the file, whole or not at all."""
        self.files.replace(f"{self.directory}/{name}", text.encode())

    def remove(self, name: str) -> None:
        """Removes one."""
        self.files.remove(f"{self.directory}/{name}")

    def free_name(self, task_id: str, now_s: float) -> str:
        """Its name, said to be some seconds later while another file has that name (LK-ES-06)."""
        names = (f"{self.timestamp(now_s + later_s)}{self.ending(task_id)}" for later_s in range(_SECONDS))
        return next(filter(self.is_free, names), None) or self.no_name(task_id)

    def no_name(self, task_id: str) -> NoReturn:
        """All names of an hour are taken."""
        raise FileExistsError(f"{self.directory} has too many escalations of {task_id!r}")

    def is_free(self, name: str) -> bool:
        """Does nothing stand there?"""
        return self.files.look(f"{self.directory}/{name}") is None

    def timestamp(self, at_s: float) -> str:
        """The time as a part of a file name, in the basic form."""
        return datetime.fromtimestamp(at_s, UTC).strftime("%Y%m%dT%H%M%SZ")

    def ending(self, task_id: str) -> str:
        """What follows the timestamp in a name."""
        return f"-{self.safe(as_text(task_id))}.md"

    def safe(self, task_id: str) -> str:
        """The id as a part of a file name: as it is where it can be, else changed and still its own (LK-ES-08)."""
        if _SAFE_ID.fullmatch(task_id):
            return task_id
        digest = hashlib.sha256(task_id.encode()).hexdigest()[:12]
        return f"{_UNSAFE.sub('_', task_id)[:_KEPT_CHARACTERS]}-{digest}"
