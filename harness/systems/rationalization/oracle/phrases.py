"""Where the phrases of the document stand in a text: for sure, perhaps, or only mentioned. Pure."""

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache, cached_property
from typing import Final, NamedTuple

from harness.systems.rationalization.contract import FLAGS, TABLE, Entry, Kind
from harness.systems.rationalization.oracle.mentions import Part, Text
from harness.systems.rationalization.oracle.paraphrases import may_excuse, resembles

_APOSTROPHES: Final = "['\u2019]"
# of letters of other alphabets not everybody says that they make a word longer
_LETTER: Final = "[0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]"
_WHOLE: Final = re.compile(_LETTER)
_DOUBTFUL_BESIDE: Final = re.compile(r"""[-'\u2019_~/\\=@$%+#&]|[^\x00-\x7f\s\u201c\u201d\u2013\u2014\u2026]""")
_NAME_BEFORE: Final = re.compile(r"\w[.:]$")
_NAME_AFTER: Final = re.compile(r"[.:]\w")
_ODD_BLANK: Final = re.compile(r"[\x1c-\x1f]")  # a blank to some only


class Phrase(NamedTuple):
    """A phrase of the document; ``entry`` is None for a red flag. ``counter`` is None where the document has none."""

    text: str
    kind: Kind
    entry: Entry | None
    counter: str | None


_OURS: Final = (Kind.SCOPE_CHANGE, Kind.UNVERIFIED_CLAIM)
PHRASES: Final = (
    *(Phrase(row.phrase, Kind.EXCUSE, entry, row.required_action) for entry, row in TABLE.items()),
    *(
        Phrase(text, kind, None, None if kind in _OURS else counter)
        for kind, family in FLAGS.items()
        for text, counter in family.items()
    ),
)
LACKING_OUTPUT: Final = frozenset((TABLE[Entry.ALREADY_VERIFIED].phrase, *FLAGS[Kind.UNVERIFIED_CLAIM]))
"""What shows output is no excuse and no claim of these kinds any more."""

MOST_COUNTERS: Final = 3
"""Who counters says more than the one required action, but does not tell them all, whatever was said."""


class Certainty(Enum):
    """Is the phrase said there?"""

    SAID = "said"
    MENTIONED = "mentioned"
    DOUBTFUL = "doubtful"


class Occurrence(NamedTuple):
    """The words of a phrase from ``start`` to ``end`` of a text."""

    phrase: Phrase
    start: int
    end: int
    certainty: Certainty


@cache
def _pattern(text: str) -> re.Pattern[str]:
    words = (re.escape(word).replace("'", _APOSTROPHES) for word in text.split())
    return re.compile(rf"(?<!{_LETTER})" + r"\s+".join(words) + rf"(?!{_LETTER})", re.IGNORECASE)


class Reason:
    """What somebody says, and every phrase in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = Text(text)
        self.occurrences = tuple(self._occurrences())

    def sure(self, *, has_output: bool) -> list[Occurrence]:
        """The rationalisations that everybody finds: said for sure, whatever is shown with them."""
        return [
            each
            for each in self.occurrences
            if each.certainty is Certainty.SAID and not (has_output and each.phrase.text in LACKING_OUTPUT)
        ]

    def may_have(self, phrase: Phrase) -> bool:
        """May somebody find that phrase in it, in whatever reading?"""
        if any(each.phrase == phrase and each.certainty is not Certainty.MENTIONED for each in self.occurrences):
            return True
        return resembles(self._unmentioned, phrase.kind, phrase.entry)

    def is_clean(self) -> bool:
        """Is there nothing to be found, in whatever reading?"""
        is_only_mentioned = all(each.certainty is Certainty.MENTIONED for each in self.occurrences)
        return is_only_mentioned and not may_excuse(self._unmentioned)

    @cached_property
    def _unmentioned(self) -> str:
        return self.parts.unmentioned()

    def _occurrences(self) -> Iterator[Occurrence]:
        for phrase in PHRASES:
            for found in _pattern(phrase.text).finditer(self.text):
                yield Occurrence(phrase, found.start(), found.end(), self._certainty(found))

    def _certainty(self, found: re.Match[str]) -> Certainty:
        start, end = found.span()
        before, after = self.text[max(0, start - 2) : start], self.text[end : end + 2]
        part = self.parts.part(start, end)
        if part is Part.MENTIONED:
            return Certainty.MENTIONED
        is_name = _NAME_BEFORE.search(before) or _NAME_AFTER.match(after)
        is_odd = (
            is_name
            or _DOUBTFUL_BESIDE.search(before[-1:] + after[:1])
            or _ODD_BLANK.search(found[0])
            # letters or blanks that only some take for the same
            or not found[0].replace("\u2019", "'").isascii()
            or not self.parts.is_in_one_block(start, end)
        )
        return Certainty.DOUBTFUL if part is Part.DOUBTFUL or is_odd else Certainty.SAID


def named(text: str) -> Phrase | None:
    """The phrase of the document with these words, whatever their case; None when there is none."""
    return _NAMED.get(same_words(text))


def same_words(text: str) -> str:
    """The text with one space between its words, in lower case, with straight apostrophes, without a full stop."""
    return " ".join(text.replace("\u2019", "'").lower().split()).strip(' ."')


_NAMED: Final = {same_words(phrase.text): phrase for phrase in PHRASES}


def counters_in(text: str) -> list[Phrase]:
    """The phrases whose counters have their words in the text."""
    said = same_words(text)
    return [phrase for phrase in PHRASES if phrase.counter is not None and same_words(phrase.counter) in said]


def is_inside_a_word(text: str, start: int, end: int) -> bool:
    """Does what stands there begin or end in the middle of a word?"""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return bool(_WHOLE.match(text[start : start + 1]) and _WHOLE.match(before)) or bool(
        _WHOLE.match(text[end - 1 : end]) and _WHOLE.match(after)
    )
