"""Mutants of what is only mentioned: code, block quotes and quotations that are taken for said, or too much of them."""

import re
from collections.abc import Callable

from harness.systems.rationalization.contract import Kind
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.phrases import Phrase, Phrases
from harness.systems.rationalization.reference.spoken import FENCE, TICK, Span, Spoken


@mutant("quoted-rows-are-said", "LK-RAT-01", "a row of the table is found in quotations, the document's own table too")
class QuotedRowsAreSaid(Phrases):
    def is_said(self, phrase: Phrase, start: int, end: int, spoken: Spoken) -> bool:
        return super().is_said(phrase, start, end, spoken) or (
            phrase.kind is Kind.EXCUSE and spoken.text[start - 1 : start] in ('"', "\u201c")
        )


@mutant("fences-are-not-seen", "LK-RAT-02", "what stands between fences is said")
class FencesAreNotSeen(Spoken):
    def fenced(self) -> list[Span]:
        return []


@mutant("fences-of-tildes-are-not-seen", "LK-RAT-02", "what stands between fences of tildes is said")
class FencesOfTildesAreNotSeen(Spoken):
    def fenced(self) -> list[Span]:
        return [each for each in super().fenced() if not self.text[each[0] : each[1]].lstrip().startswith("~")]


@mutant("everything-after-a-fence-is-code", "LK-RAT-02", "a fence is never closed")
class EverythingAfterAFenceIsCode(Spoken):
    def fenced(self) -> list[Span]:
        return [(start, len(self.text)) for start, _ in super().fenced()[:1]]


@mutant("block-quotes-are-said", "LK-RAT-03", "what stands in a block quote is said")
class BlockQuotesAreSaid(Spoken):
    def is_quoted(self, start: int) -> bool:
        return False


@mutant("code-spans-are-said", "LK-RAT-03", "what stands in a code span is said")
class CodeSpansAreSaid(Spoken):
    def mentions(self, start: int, end: int) -> list[Span]:
        return [each for each in super().mentions(start, end) if self.text[each[0]] != TICK]


@mutant("curved-quotations-are-said", "LK-RAT-03", "what stands between curved marks is said")
class CurvedQuotationsAreSaid(Spoken):
    def mentions(self, start: int, end: int) -> list[Span]:
        return [each for each in super().mentions(start, end) if self.text[each[0]] != "\u201c"]


@mutant("quotations-end-with-the-line", "LK-RAT-04", "a quotation that goes on in the next line is none")
class QuotationsEndWithTheLine(Spoken):
    def mentions(self, start: int, end: int) -> list[Span]:
        found = super().mentions(start, end)
        return [each for each in found if self.text[each[0]] != '"' or "\n" not in self.text[each[0] : each[1]]]


@mutant("quotations-silence-their-paragraph", "LK-RAT-05", "beside a quotation nothing is said")
class QuotationsSilenceTheirParagraph(Spoken):
    def mentions(self, start: int, end: int) -> list[Span]:
        return [(start, end)] if '"' in self.text[start:end] else super().mentions(start, end)


@mutant("quotations-go-on-in-the-next-paragraph", "LK-RAT-02", "a mark that nobody closes quotes what follows")
class QuotationsGoOnInTheNextParagraph(Spoken):
    def ends_paragraph(self, start: int, end: int) -> bool:
        return self.is_quoted(start)


@mutant("blank-lines-are-empty", "LK-RAT-02", "a line of blanks, or of a Windows line break, ends no paragraph")
class BlankLinesAreEmpty(Spoken):
    def ends_paragraph(self, start: int, end: int) -> bool:
        return self.is_quoted(start) or self.text[start:end] == "\n"


@mutant("fences-are-closed-by-their-like", "LK-RAT-01", "a fence is not closed by a longer one")
class FencesAreClosedByTheirLike(Spoken):
    def fenced(self) -> list[Span]:
        return _fenced(self.text, lambda opened, each: each[1] == opened[1] and not each[2].strip())


@mutant("any-fence-closes", "LK-RAT-01", "a fence is closed by one that has a language")
class AnyFenceCloses(Spoken):
    def fenced(self) -> list[Span]:
        return _fenced(self.text, lambda opened, each: each[1].startswith(opened[1]))


def _fenced(text: str, closes: Callable[[re.Match[str], re.Match[str]], bool]) -> list[Span]:
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for each in FENCE.finditer(text):
        if opened is None:
            opened = each
        elif closes(opened, each):
            found.append((opened.start(), each.end()))
            opened = None
    return found if opened is None else [*found, (opened.start(), len(text))]


@mutant("tables-are-mentions", "LK-RAT-04", "in a table nothing is said")
class TablesAreMentions(Spoken):
    def mentions(self, start: int, end: int) -> list[Span]:
        is_row = self.text[start:end].lstrip().startswith("|")
        return [(start, end)] if is_row else super().mentions(start, end)


@mutant("brackets-are-mentions", "LK-RAT-05", "what stands between brackets is no more than mentioned")
class BracketsAreMentions(Spoken):
    def mentions(self, start: int, end: int) -> list[Span]:
        brackets = (each.span() for each in re.compile(r"\[[^\]]{2,}\]").finditer(self.text, start, end))
        return sorted((*super().mentions(start, end), *brackets))


@mutant("denials-are-none", "LK-RAT-01", "what follows a denial is none")
class DenialsAreNone(Phrases):
    def is_said(self, phrase: Phrase, start: int, end: int, spoken: Spoken) -> bool:
        is_denied = re.search(r"\b(?:not|nobody)\b[^.]*$", spoken.text[max(0, start - 40) : start], re.IGNORECASE)
        return super().is_said(phrase, start, end, spoken) and not is_denied
