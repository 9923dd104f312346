"""What of a Markdown text its author says: no code, no block quotes, nothing between double quotation marks.

Places have to be asked for in their order; each paragraph is looked at once, so that all of it takes linear time.
"""

import re
from collections import defaultdict, deque
from typing import Final

FENCE: Final = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)
QUOTED: Final = re.compile(r" {0,3}>")
MARKS: Final = re.compile('`+|["\u201c\u201d]')
TICK: Final = "`"
FENCE_MARKS: Final = ("```", "~~~")
CLOSING: Final = {'"': '"', "\u201c": "\u201d"}

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
        start = max(self.text.rfind("\n", first, place) + 1, first)
        end = self.line_end(place, last)
        if self.ends_paragraph(start, end):
            return start, end
        while start > first:
            before = max(self.text.rfind("\n", first, start - 1) + 1, first)
            if self.ends_paragraph(before, start):
                break
            start = before
        while end < last:
            after = self.line_end(end, last)
            if self.ends_paragraph(end, after):
                break
            end = after
        return start, end

    def line_end(self, place: int, last: int) -> int:
        """Where the line ends that has the place, its line break included, ``last`` at the latest."""
        found = self.text.find("\n", place, last)
        return last if found < 0 else found + 1

    def ends_paragraph(self, start: int, end: int) -> bool:
        """Is that line blank, or in a block quote?"""
        return self.is_quoted(start) or not self.text[start:end].strip()

    def is_quoted(self, start: int) -> bool:
        """Is the line that begins there in a block quote?"""
        return QUOTED.match(self.text, start) is not None

    def mentions(self, start: int, end: int) -> list[Span]:
        """What is only mentioned in a paragraph, in order: a line of a block quote, code spans, quotations."""
        if self.is_quoted(start):
            return [(start, end)]
        found: list[Span] = []
        marks = list(MARKS.finditer(self.text, start, end))
        same: defaultdict[str, deque[int]] = defaultdict(deque)  # by the run of backticks: where it stands in the marks
        for number, mark in enumerate(marks):
            same[mark[0]].append(number)
        number = 0
        opened: dict[str, int] = {}  # by the mark that closes it: where a quotation begins
        while number < len(marks):
            mark = marks[number]
            if mark[0].startswith(TICK):
                closed = self.next_after(same[mark[0]], number)
                if closed is not None:
                    found.append((mark.start(), marks[closed].end()))
                    number = closed
            elif mark[0] in opened:
                found.append((opened.pop(mark[0]), mark.end()))
            elif mark[0] in CLOSING:
                opened.setdefault(CLOSING[mark[0]], mark.start())
            number += 1
        return self.joined(sorted(found))

    def next_after(self, numbers: deque[int], number: int) -> int | None:
        """The first of these, which are in order, that is greater; those before it are dropped."""
        while numbers and numbers[0] <= number:
            numbers.popleft()
        return numbers[0] if numbers else None

    def joined(self, spans: list[Span]) -> list[Span]:
        """The same without those that overlap."""
        found: list[Span] = []
        for start, end in spans:
            if found and start < found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found
