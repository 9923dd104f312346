"""Mutants of what is found: phrases that are missed, rows and counters that are mixed up, longer words."""

import re

import msgspec

from harness.systems.rationalization.contract import TABLE, Entry, Finding, Kind
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.phrases import PHRASES, Phrase, Phrases


def _without(text: str) -> tuple[Phrase, ...]:
    return tuple(phrase for phrase in PHRASES if phrase.text != text)


@mutant("row-is-missing", "LK-RAT-01", "the last row of the table is not looked for")
class RowIsMissing(Phrases):
    phrases = _without(TABLE[Entry.OUTDATED_DOCUMENTATION].phrase)


@mutant("rows-are-unnamed", "LK-RAT-01", "a finding does not say which row of the table it is")
class RowsAreUnnamed(Phrases):
    def finding(self, phrase: Phrase, start: int, end: int) -> Finding:
        return msgspec.structs.replace(super().finding(phrase, start, end), entry=None)


@mutant("counters-are-mixed-up", "LK-RAT-01", "two rows of the table have each other's required action")
class CountersAreMixedUp(Phrases):
    def finding(self, phrase: Phrase, start: int, end: int) -> Finding:
        found = super().finding(phrase, start, end)
        other = {Entry.GOOD_ENOUGH: Entry.BENIGN_ERROR, Entry.BENIGN_ERROR: Entry.GOOD_ENOUGH}.get(
            phrase.entry or Entry.EDGE_CASE
        )
        return found if other is None else msgspec.structs.replace(found, required_action=TABLE[other].required_action)


@mutant("curved-apostrophes-are-others", "LK-RAT-01", "I'll with a curved apostrophe is not found")
class CurvedApostrophesAreOthers(Phrases):
    def lowered(self, text: str) -> str:
        return super().lowered(text.replace("\u2019", "`"))


@mutant("last-words-count-alone", "LK-RAT-01", "of an excuse the last two words are enough")
class LastWordsCountAlone(Phrases):
    phrases = tuple(
        phrase._replace(words=phrase.words[-2:], anchor=phrase.words[-2:].index(phrase.words[phrase.anchor]))
        if phrase.entry is Entry.OUT_OF_SCOPE
        else phrase
        for phrase in PHRASES
    )


@mutant("case-matters", "LK-RAT-02", "phrases are found in lower case only")
class CaseMatters(Phrases):
    def lowered(self, text: str) -> str:
        return super().lowered("".join("\0" if each.isupper() else each for each in text))


@mutant("beginnings-of-words-do-not-matter", "LK-RAT-02", "improbably is found as probably")
class BeginningsOfWordsDoNotMatter(Phrases):
    def is_whole(self, lowered: str, start: int, end: int) -> bool:
        return super().is_whole(f" {lowered[end:]}", 1, 1)


@mutant("only-the-first-of-each-phrase", "LK-RAT-02", "a phrase that is said twice is told once")
class OnlyTheFirstOfEachPhrase(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        found = super().findings(text, has_output=has_output)
        phrases = [each.phrase for each in found]
        return tuple(one for number, one in enumerate(found) if phrases.index(one.phrase) == number)


@mutant("lines-end-phrases", "LK-RAT-02", "a phrase over two lines is not found")
class LinesEndPhrases(Phrases):
    def places(self, text: str) -> list[tuple[int, int, Phrase]]:
        return [each for each in super().places(text) if "\n" not in text[each[0] : each[1]]]


@mutant("one-blank-at-most", "LK-RAT-02", "a phrase with two spaces between its words is not found")
class OneBlankAtMost(Phrases):
    def places(self, text: str) -> list[tuple[int, int, Phrase]]:
        return [each for each in super().places(text) if each[1] - each[0] == len(each[2].text)]


@mutant("places-count-bytes", "LK-RAT-02", "the place of a phrase is told in bytes of UTF-8")
class PlacesCountBytes(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        return tuple(
            msgspec.structs.replace(each, start=len(text[: each.start].encode()), end=len(text[: each.end].encode()))
            for each in super().findings(text, has_output=has_output)
        )


@mutant("ends-of-words-do-not-matter", "LK-RAT-03", "minor updates are found as a minor update")
class EndsOfWordsDoNotMatter(Phrases):
    def is_whole(self, lowered: str, start: int, end: int) -> bool:
        return super().is_whole(lowered[:end], start, end)


@mutant("small-changes-are-unknown", "LK-RAT-03", "just a small change is not looked for")
class SmallChangesAreUnknown(Phrases):
    phrases = _without("just a small change")


@mutant("minimising-is-hedging", "LK-RAT-03", "what makes small is told as hedging")
class MinimisingIsHedging(Phrases):
    def finding(self, phrase: Phrase, start: int, end: int) -> Finding:
        found = super().finding(phrase, start, end)
        return msgspec.structs.replace(found, kind=Kind.HEDGING) if found.kind is Kind.MINIMIZATION else found


@mutant("nice-to-have-is-nice", "LK-RAT-04", "nice to have is not looked for")
class NiceToHaveIsNice(Phrases):
    phrases = _without("nice to have")


@mutant("other-components-are-trusted", "LK-RAT-05", "that another component handles something is not looked for")
class OtherComponentsAreTrusted(Phrases):
    phrases = _without("The other component handles this")


@mutant("output-excuses-everything", "LK-RAT-05", "with output nothing is a rationalisation")
class OutputExcusesEverything(Phrases):
    def is_answered(self, phrase: Phrase) -> bool:
        return True


@mutant("texts-are-cut", "LK-RAT-03", "what stands after sixteen thousand letters is not looked at")
class TextsAreCut(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        return super().findings(text[:16_384], has_output=has_output)


@mutant("every-counter-at-once", "LK-RAT-01", "each row is paired with the counters of all of them")
class EveryCounterAtOnce(Phrases):
    def finding(self, phrase: Phrase, start: int, end: int) -> Finding:
        everything = "; ".join(each.required_action for each in PHRASES)
        return msgspec.structs.replace(super().finding(phrase, start, end), required_action=everything)


@mutant("every-fix-is-small", "LK-RAT-03", "every fix, update and change is called small")
class EveryFixIsSmall(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        found = super().findings(text, has_output=has_output)
        small = next(each for each in PHRASES if each.text == "simple fix")
        more = (
            self.finding(small, *each.span())
            for each in re.finditer(r"\b(?:fix|update|change)s?\b", text, re.IGNORECASE)
            if not any(each.start() < other.end and other.start < each.end() for other in found)
        )
        return tuple(sorted((*found, *more), key=lambda each: (each.start, each.end)))


@mutant("other-words-have-no-counter", "LK-RAT-02", "what is found in other words is flagged, and not countered")
class OtherWordsHaveNoCounter(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        found = super().findings(text, has_output=has_output)
        more = (
            Finding("probably", Kind.HEDGING, "", *each.span())
            for each in re.finditer(r"\b(?:perhaps|maybe)\b", text, re.IGNORECASE)
        )
        return tuple(sorted((*found, *more), key=lambda each: (each.start, each.end)))


@mutant("doubtful-phrases-have-no-counter", "LK-RAT-02", "beside a hyphen a phrase is flagged, and not countered")
class DoubtfulPhrasesHaveNoCounter(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        found = super().findings(text, has_output=has_output)
        return tuple(
            msgspec.structs.replace(each, required_action="") if text[each.end : each.end + 1] == "-" else each
            for each in found
        )
