"""Which parts of a Markdown text somebody says, and which are only mentioned: code and quotations. Pure.

What readers of Markdown see differently is doubtful: marks that are not closed, or closed across lists, headings and
cells of a table; quotation marks that stand as if they closed where they open; indented lines; lines that may go on a
block quote; escapes, entities, tags.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import IntEnum
from typing import Final

Span = tuple[int, int]

_FENCE: Final = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_CLOSED: Final = re.compile(r"(`{3,}|~{3,})[ \t\r]*$")
_MAYBE_FENCE: Final = re.compile(r"[ \t]+(?:`{3}|~{3})|[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?:`{3}|~{3})")
_QUOTED_LINE: Final = re.compile(r" {0,3}>")
_MARKER: Final = r"(?:[-*+]|\d{1,9}[.)])"
_DOUBTFUL_LINE: Final = re.compile(
    rf" {{4}}| {{0,3}}\t|[ \t]*(?:{_MARKER}[ \t]+)+>|[ \t]*(?:{_MARKER}[ \t]+)*{_MARKER}(?: {{5}}| *\t)"
)
_BLOCK: Final = re.compile(r"[ \t]*(?:[-*+]\s|\d{1,9}[.)]\s|\||#{1,6}\s|[-=*_ \t]+$)")
_LINE_OF_ITS_OWN: Final = re.compile(r"[ \t]*(?:\||#{1,6}\s|[-=*_ \t]+$)")
_BETWEEN_HEAD_AND_BODY: Final = re.compile(r"^(?=[^\n]*\|)(?=[^\n]*-)[ \t|:-]+\r?$", re.MULTILINE)
_MARKS: Final = re.compile('`+|["\u201c\u201d]')
_ODD: Final = re.compile(
    '\\\\[\\\\`"\u201c\u201d>~]|<[A-Za-z/!?]|&#?\\w+;|[\u00ab\u00bb\u201e\u201f\u301d\u301e\uff02]'
)
_ODD_TO_THE_END: Final = re.compile(r"<!--|<(?:pre|script|style|code|textarea|blockquote|q|svg)\b", re.IGNORECASE)
_ODD_LINES: Final = re.compile("\r(?!\n)|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_WORD_CHARACTER: Final = re.compile(r"\w")


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
        self._blocks = [0]
        odd = _ODD_TO_THE_END.search(text)
        self._doubtful_from = 0 if _ODD_LINES.search(text) else len(text) if odd is None else odd.start()
        for start, end in self._paragraphs():
            self._mark_spans(start, end)
        self._mark(self._doubtful_from, len(text), Part.DOUBTFUL)

    def part(self, start: int, end: int) -> Part:
        """What the characters from ``start`` to ``end`` are: said or mentioned if all are, else doubtful."""
        found = set(self._parts[start:end])
        return Part(found.pop()) if len(found) == 1 else Part.DOUBTFUL

    def is_in_one_block(self, start: int, end: int) -> bool:
        """Does no paragraph, item of a list, heading or row of a table begin between the two?"""
        return bisect_right(self._blocks, start) == bisect_right(self._blocks, end - 1)

    def unmentioned(self) -> str:
        """The text with blanks for what is only mentioned, as long as it was."""
        return "".join(
            " " if part == Part.MENTIONED and not each.isspace() else each
            for each, part in zip(self.text, self._parts, strict=True)
        )

    def _mark(self, start: int, end: int, part: Part) -> None:
        self._parts[start:end] = self._parts[start:end].translate(_RAISED[part])

    def _paragraphs(self) -> Iterator[Span]:
        """Where lines of plain text stand together; fences, block quotes and doubtful lines are marked."""
        fence, opened, begun, place = "", 0, -1, 0
        is_after_quote = False
        for line in self.text.splitlines(keepends=True):
            end, bare = place + len(line), line.rstrip("\r\n")
            if _MAYBE_FENCE.match(bare):
                # a mark before it may be closed in this line, unless that is a fence
                is_open = begun >= 0 and _MARKS.search(self.text, begun, place) is not None
                self._doubtful_from = min(self._doubtful_from, begun if is_open else place)
            found = (_CLOSED if fence else _FENCE).match(bare)
            is_plain = bool(bare.strip()) and not fence and not found and not _QUOTED_LINE.match(bare)
            if begun >= 0 and not is_plain:
                yield begun, place
            begun = (place if begun < 0 else begun) if is_plain else -1
            if fence:
                if found and found[1].startswith(fence):
                    self._mark(opened, end, Part.MENTIONED)
                    fence = ""
            elif found:
                fence, opened, is_after_quote = found[1], place, False
            elif is_plain:
                if is_after_quote or _DOUBTFUL_LINE.match(bare):
                    self._mark(place, end, Part.DOUBTFUL)
                    is_after_quote = is_after_quote or ">" in bare
            else:
                is_after_quote = bool(bare.strip())
                if is_after_quote:
                    self._mark(place, end, Part.MENTIONED)
            place = end
        if fence:
            self._mark(opened, len(self.text), Part.DOUBTFUL)
        if begun >= 0:
            yield begun, len(self.text)

    def _mark_spans(self, start: int, end: int) -> None:
        """Marks what is only mentioned in a paragraph; all of it is doubtful when that cannot be told for sure."""
        if Part.DOUBTFUL in self._parts[start:end] and _MARKS.search(self.text, start, end):
            self._mark(start, end, Part.DOUBTFUL)  # where code ends that may be none, nobody knows what its marks open
            return
        is_table = _BETWEEN_HEAD_AND_BODY.search(self.text, start, end) is not None
        starts = list(self._block_starts(start, end, is_table=is_table))
        self._blocks += starts
        found: list[Span] = []
        for first, last in zip(starts, [*starts[1:], end], strict=True):
            spans = None if _ODD.search(self.text, first, last) else self._spans(first, last)
            is_row = is_table or self.text[first:last].lstrip().startswith("|")
            if spans is None or (is_row and any("|" in self.text[each:until] for each, until in spans)):
                self._mark(start, end, Part.DOUBTFUL)
                return
            found += spans
        for first, last in found:
            self._mark(first, last, Part.MENTIONED)

    def _block_starts(self, start: int, end: int, *, is_table: bool) -> Iterator[int]:
        place, is_over = start, True
        for line in self.text[start:end].splitlines(keepends=True):
            if is_over or is_table or _BLOCK.match(line):
                yield place
            is_over = _LINE_OF_ITS_OWN.match(line) is not None
            place += len(line)

    def _spans(self, start: int, end: int) -> list[Span] | None:
        """Code and quotations in one block; None when that cannot be told for sure."""
        runs: list[Span] = []
        quotes: dict[str, list[int]] = {'"': [], "\u201c": []}
        opened: Span | None = None
        for found in _MARKS.finditer(self.text, start, end):
            if found[0].startswith("`"):
                if opened is None:
                    opened = found.span()
                elif opened[1] - opened[0] == len(found[0]):
                    runs.append((opened[0], found.end()))
                    inside = self.text[opened[1] : found.start()]
                    if inside.count('"') % 2 or inside.count("\u201c") != inside.count("\u201d"):
                        return None  # who looks for quotations first sees others
                    opened = None
            elif opened is None:
                of = quotes['"' if found[0] == '"' else "\u201c"]
                if found[0] != '"' and (found[0] == "\u201c") != (len(of) % 2 == 0):
                    return None
                of.append(found.start())
        if opened is not None or any(len(of) % 2 for of in quotes.values()):
            return None
        quoted = [(of[each], of[each + 1] + 1) for of in quotes.values() for each in range(0, len(of), 2)]
        spans = sorted((*runs, *quoted))
        return spans if _are_nested(spans) and all(self._stands_well(*each) for each in quoted) else None

    def _stands_well(self, start: int, end: int) -> bool:
        """Does the first mark stand as if it opened, and the last as if it closed?"""
        before, after = self.text[max(0, start - 1) : start], self.text[end : end + 1]
        inside = self.text[start + 1 : end - 1]
        if not inside or inside[0].isspace() or inside[-1].isspace():
            return False
        return not _WORD_CHARACTER.match(before) and not _WORD_CHARACTER.match(after)


def _are_nested(spans: list[Span]) -> bool:
    """Is each either inside the one before, or after it?"""
    ends: list[int] = []
    for start, end in spans:
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and end > ends[-1]:
            return False
        ends.append(end)
    return True
