"""Which parts of a Markdown text somebody says, and which are only mentioned: code and quotations. Pure.

What readers of Markdown see differently is doubtful: unclosed code and quotation marks, lines that may go on a block
quote, indented lines, escapes, angle brackets.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Final

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_QUOTED_LINE: Final = re.compile(r"^ {0,3}>")
_INDENTED: Final = re.compile(r"^(?: {4}| {0,3}\t)")
_LIST: Final = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s")
_TICKS: Final = re.compile(r"`+")
_CURVED: Final = re.compile("\u201c[^\u201c\u201d]*\u201d")
_STRAIGHT: Final = re.compile('"[^"]*"')
_ODD: Final = re.compile(r"[\\<>&]")
_CURVED_MARKS: Final = ("\u201c", "\u201d")


class Part(IntEnum):
    """How much is said of a character; the greatest of several holds, but that what is doubtful stays so."""

    SAID = 0
    MENTIONED = 1
    DOUBTFUL = 2


_RAISED: Final = {part: bytes(max(part, each) for each in range(256)) for part in Part}


class Text:
    """A text and what each of its characters is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = bytearray(len(text))
        for start, end in self._paragraphs():
            self._quotations(start, end)

    def part(self, start: int, end: int) -> Part:
        """What the characters from ``start`` to ``end`` are: said or mentioned if all are, else doubtful."""
        found = set(self._parts[start:end])
        return Part(found.pop()) if len(found) == 1 else Part.DOUBTFUL

    def _mark(self, start: int, end: int, part: Part) -> None:
        self._parts[start:end] = self._parts[start:end].translate(_RAISED[part])

    def _paragraphs(self) -> Iterator[tuple[int, int]]:
        """Where lines of plain text stand together; fences, block quotes and indented lines are marked."""
        fence, begun, place = "", -1, 0
        is_quoted = False
        for line in self.text.splitlines(keepends=True):
            end, bare = place + len(line), line.rstrip("\r\n")
            found = _FENCE.match(bare)
            if fence:
                closes = found is not None and found[1].startswith(fence) and not found[2].strip()
                self._mark(place, end, Part.MENTIONED)
                fence = "" if closes else fence
            elif not bare.strip() or found or _QUOTED_LINE.match(bare):
                if begun >= 0:
                    yield begun, place
                begun, is_quoted = -1, bool(bare.strip()) and not found
                if found:
                    fence = found[1]
                if bare.strip():
                    self._mark(place, end, Part.MENTIONED)
            else:
                if is_quoted or (_INDENTED.match(bare) and not _LIST.match(bare)):
                    self._mark(place, end, Part.DOUBTFUL)
                begun = place if begun < 0 else begun
            place = end
        if begun >= 0:
            yield begun, place

    def _quotations(self, start: int, end: int) -> None:
        said = self.text[start:end]
        if _ODD.search(said):
            self._mark(start, end, Part.DOUBTFUL)
            return
        rest = self._code(start, said)
        for pattern, marks in ((_STRAIGHT, ('"',)), (_CURVED, _CURVED_MARKS)):
            bare = list(rest)
            for found in pattern.finditer(rest):
                self._mark(start + found.start(), start + found.end(), Part.MENTIONED)
                bare[found.start() : found.end()] = " " * (found.end() - found.start())
            left = "".join(bare)
            if any(mark in left for mark in marks):  # unclosed, or closed twice
                self._mark(start, end, Part.DOUBTFUL)

    def _code(self, start: int, said: str) -> str:
        """Marks the code spans; gives what is said with blanks for them."""
        bare, place = list(said), 0
        runs = list(_TICKS.finditer(said))
        while runs:
            opened = runs.pop(0)
            closed = next((each for each in runs if len(each[0]) == len(opened[0])), None)
            if closed is None:
                self._mark(start + opened.start(), start + len(said), Part.DOUBTFUL)
                break
            self._mark(start + opened.start(), start + closed.end(), Part.MENTIONED)
            bare[opened.start() : closed.end()] = " " * (closed.end() - opened.start())
            place = closed.end()
            runs = [each for each in runs if each.start() >= place]
        return "".join(bare)
