"""What of a Markdown text its author says: no code, no block quotes, nothing between double quotation marks.

Places have to be asked for in their order; each paragraph is looked at once, so that all of it takes linear time.
"""

import re
from collections import deque
from typing import Final

FENCE: Final = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)
QUOTED: Final = re.compile(r" {0,3}>")
MARKS: Final = re.compile('[`"\u201c\u201d](?:(?<=`)`*)?')  # one set of characters first: it is searched for quicker
TICK: Final = "`"
FENCE_MARKS: Final = ("```", "~~~")
CLOSING: Final = {'"': '"', "\u201c": "\u201d"}

Span = tuple[int, int]
Mark = tuple[str, int, int]
"""Its text, and from where to where it stands."""


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
        if not any(mark in self.text for mark in FENCE_MARKS):  # quicker by far than a look at each line
            return found
        opened: re.Match[str] | None = None
        for each in FENCE.finditer(self.text):
            if opened is None:
                opened = each
            elif each[1].startswith(opened[1]) and not each[2].strip():
                found.append((opened.start(), each.end()))
                opened = None
        return found if opened is None else [*found, (opened.start(), len(self.text))]

    def paragraph(self, place: int) -> Span:
        """From where to where the lines go on that stand around the place: up to blank, quoted and fenced ones."""
        first = self._fenced[self._next_fence - 1][1] if self._next_fence else 0
        last = self._fenced[self._next_fence][0] if self._next_fence < len(self._fenced) else len(self.text)
        start = self.line_start(place, first)
        end = self.line_end(place, last)
        if self.ends_paragraph(start, end):
            return start, end
        while start > first:
            before = self.line_start(start - 1, first)
            if self.ends_paragraph(before, start):
                break
            start = before
        while end < last:
            after = self.line_end(end, last)
            if self.ends_paragraph(end, after):
                break
            end = after
        return start, end

    def line_start(self, place: int, first: int) -> int:
        """Where the line begins that has the place, ``first`` at the earliest."""
        return self.text.rfind("\n", first, place) + 1 or first

    def line_end(self, place: int, last: int) -> int:
        """Where the line ends that has the place, its line break included, ``last`` at the latest."""
        found = self.text.find("\n", place, last)
        return last if found < 0 else found + 1

    def ends_paragraph(self, start: int, end: int) -> bool:
        """Is that line blank, or in a block quote?"""
        if self.text[start].isalnum():  # as most do: quicker than to look at all of it
            return False
        return self.is_quoted(start) or self.text[start:end].isspace()

    def is_quoted(self, start: int) -> bool:
        """Is the line that begins there in a block quote?"""
        return QUOTED.match(self.text, start) is not None

    def mentions(self, start: int, end: int) -> list[Span]:
        """What is only mentioned in a paragraph, in order: a line of a block quote, code spans, quotations."""
        if self.is_quoted(start):
            return [(start, end)]
        marks = [(each[0], *each.span()) for each in MARKS.finditer(self.text, start, end)]
        return self.between(marks) if marks else []

    def between(self, marks: list[Mark]) -> list[Span]:
        """What stands between these marks: code spans and quotations, in order."""
        found: list[Span] = []
        opened: dict[str, int] = {}  # by the mark that closes it: where a quotation begins
        alike = self.next_alike(marks)
        number = 0
        while number < len(marks):
            mark, start, end = marks[number]
            if mark.startswith(TICK):
                closed = alike[number]
                if closed is not None:
                    found.append((start, marks[closed][2]))
                    number = closed
            elif mark in opened:
                found.append((opened.pop(mark), end))
            elif mark in CLOSING:
                opened.setdefault(CLOSING[mark], start)
            number += 1
        return sorted(found)

    def next_alike(self, marks: list[Mark]) -> list[int | None]:
        """The number of the next same mark, of each; None where none follows."""
        found: list[int | None] = []
        later: dict[str, int] = {}
        for number in reversed(range(len(marks))):
            mark = marks[number][0]
            found.append(later.get(mark))
            later[mark] = number
        found.reverse()
        return found
