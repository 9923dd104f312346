"""The plan: its phases are Markdown headings, and the one that was interrupted is marked [PARTIAL] (ER-PRG-03)."""

import contextlib
import re
from typing import NamedTuple

from harness.ports.files import Files
from harness.systems.error_log.contract import PARTIAL_MARK, LogCode
from harness.systems.error_log.reference.kept_file import KeptFile
from harness.systems.error_log.reference.texts import as_text
from harness.systems.trace import Trace

_HEADING = re.compile(rb"^ {0,3}\#{1,6}[ \t]([^\r\n]*)", re.MULTILINE)
_MARK = re.compile(rb"\[[A-Za-z][A-Za-z _-]*\]")
_NUMBERED = re.compile(rb"(phase[ \t]*0*(\d+))[ \t]*[:-]?[ \t]*", re.IGNORECASE)


class Heading(NamedTuple):
    """A heading: where its text ends and where its mark does; the text, its "Phase 2", number and name."""

    end: int
    until: int
    text: bytes
    called: bytes
    number: bytes
    name: bytes


class Phase(NamedTuple):
    """A phase by its name, and its place among those of the task, from 1, where that is known."""

    name: str
    number: int | None


class Plan:
    """What becomes of a plan. Pure; bytes that are no text stay what they are."""

    def marked(self, data: bytes, phase: Phase) -> bytes:
        """The plan with that phase marked; a plan that does not have it gets a heading."""
        heading = self.heading(data, phase)
        if heading is None:
            number = "" if phase.number is None else f" {phase.number}"
            line = f"### Phase{number}: {_one_line(phase.name)} {self.mark()}\n".encode()
            return data + (b"\n" if data and not data.endswith(b"\n") else b"") + line
        return data[: heading.end] + b" " + self.mark().encode() + data[heading.until :]

    def mark(self) -> str:
        """What stands behind the heading."""
        return PARTIAL_MARK

    def heading(self, data: bytes, phase: Phase) -> Heading | None:
        """The heading of a phase: by its name, by what it is called ("phase2"), or by its place."""
        name = _one_line(phase.name).encode()
        headings = [_heading(found, name) for found in _HEADING.finditer(data)]
        called, number = _bare(name), str(phase.number).encode()
        named = (each for each in headings if name and name in (each.name, each.text))
        numbered = (each for each in headings if called and called == _bare(each.called))
        placed = (each for each in headings if each.number == number)
        return next((each for found in (named, numbered, placed) for each in found), None)


def _heading(found: re.Match[bytes], name: bytes) -> Heading:
    until = found.start(1) + len(found[1].rstrip())
    text = found[1].strip()
    opened = text.rfind(b"[")
    if text != name and opened >= 0 and _MARK.fullmatch(text, opened):
        text = text[:opened].rstrip()
    end = found.start(1) + found[1].find(text) + len(text)
    numbered = _NUMBERED.match(text)
    if numbered is None:
        return Heading(end, until, text, b"", b"", text)
    return Heading(end, until, text, numbered[1], numbered[2], text[numbered.end() :])


class KeptPlan:
    """One plan file; marks that could not be made yet are kept. No method raises."""

    file_class = KeptFile
    plan_class = Plan

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)
        self.plan = self.plan_class()
        self.unsaved: list[Phase] = []

    def mark(self, name: str, number: int | None, trace: Trace) -> bool:
        """Marks a phase; False when the plan does not have the mark yet."""
        phase = Phase(as_text(name), number)
        if phase not in self.unsaved:
            self.unsaved.append(phase)
        return self.catch_up(trace)

    def catch_up(self, trace: Trace) -> bool:
        """Makes the marks that were not made yet."""
        if not self.unsaved:
            return True
        with contextlib.ExitStack() as held:
            try:
                self.file.lock(held)
                before = self.file.read() or b""
                after = before
                for phase in self.unsaved:
                    after = self.plan.marked(after, phase)
                if after != before:
                    self.file.put(after)
            except OSError as error:
                trace.error(LogCode.PLAN_WRITE_FAILED, "a phase is not marked in the plan", error)
                return False
        self.unsaved.clear()
        return True


def _bare(text: bytes) -> bytes:
    return b"".join(text.split()).lower()


def _one_line(text: str) -> str:
    return " ".join(text.split())
