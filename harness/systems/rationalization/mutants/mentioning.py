"""Mutants of what is only mentioned: code, block quotes and quotations that are taken for said, or too much of them."""

from harness.systems.rationalization.contract import Kind
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.phrases import Phrase, Phrases
from harness.systems.rationalization.reference.spoken import TICK, Span, Spoken


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
