"""What of a Markdown text its author says: no code, no block quotes, nothing between double quotation marks.

Places have to be asked for in their order; each paragraph is looked at once, so that all of it takes linear time.
"""

import re
from collections import deque
from typing import Final

FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
QUOTED: Final = re.compile(r" {0,3}>")
MENTIONS: Final = re.compile('(?<!`)(`+)(?!`).*?(?<!`)\\1(?!`)|"[^"]*"|\u201c[^\u201d]*\u201d', re.DOTALL)

Span = tuple[int, int]


class Spoken:
    """A text, and which parts of it are only mentioned."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._fenced = self.fenced()
        self._next_fence = 0
        self._paragraph: Span = (0, 0)
        self._mentions: deque[Span] = deque()

    def is_said(self, start: int, end: int) -> bool:
        """Does the author say what stands from ``start`` to ``end``?"""
        while self._next_fence < len(self._fenced) and self._fenced[self._next_fence][1] <= start:
            self._next_fence += 1
        if self._next_fence < len(self._fenced) and self._fenced[self._next_fence][0] < end:
            return False
        if not self._paragraph[0] <= start < self._paragraph[1]:
            self._paragraph = self.paragraph(start)
            self._mentions = deque(self.mentions(*self._paragraph))
        while self._mentions and self._mentions[0][1] <= start:
            self._mentions.popleft()
        return not (self._mentions and self._mentions[0][0] < end)

    def fenced(self) -> list[Span]:
        """The blocks of code between fences, in their order; one that is not closed goes to the end."""
        found: list[Span] = []
        opened: re.Match[str] | None = None
        for each in FENCE.finditer(self.text):
            if opened is None:
                opened = each
            elif each[1].startswith(opened[1]) and not each[2].strip():
                found.append((opened.start(), each.end()))
                opened = None
        return found if opened is None else [*found, (opened.start(), len(self.text))]

    def paragraph(self, place: int) -> Span:
        """From where to where the lines go on that stand around the place without a blank one between them."""
        start = self.text.rfind("\n", 0, place) + 1
        while start > 0:
            before = self.text.rfind("\n", 0, start - 1) + 1
            if not self.text[before:start].strip():
                break
            start = before
        end = place
        while True:
            stop = self.text.find("\n", end)
            if stop < 0:
                return start, len(self.text)
            following = self.text.find("\n", stop + 1)
            line = self.text[stop + 1 : following if following >= 0 else len(self.text)]
            if not line.strip():
                return start, stop
            end = stop + 1

    def mentions(self, start: int, end: int) -> list[Span]:
        """What is only mentioned in a paragraph, in order: lines of block quotes, code spans, quotations."""
        found = [each.span() for each in MENTIONS.finditer(self.text, start, end)]
        place = start
        for line in self.text[start:end].splitlines(keepends=True):
            if QUOTED.match(line):
                found.append((place, place + len(line)))
            place += len(line)
        return self.joined(sorted(found))

    def joined(self, spans: list[Span]) -> list[Span]:
        """The same without those that overlap."""
        found: list[Span] = []
        for start, end in spans:
            if found and start < found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found
