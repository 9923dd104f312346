"""Where the phrases of the document stand in a text: for sure, perhaps, or only mentioned. Pure."""

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

from harness.systems.rationalization.contract import FLAGS, TABLE, Entry, Kind
from harness.systems.rationalization.oracle.mentions import Part, Text

_APOSTROPHES: Final = "['\u2019]"
_JOINERS: Final = "-'\u2019\u2010\u2011_*~"  # what may make a longer word, or mark one
_WORD: Final = re.compile(r"[^\W_]+")
_STEM: Final = 4  # letters that forms of a word have in common


class Phrase(NamedTuple):
    """A phrase of the document; ``entry`` is None for a red flag. ``counter`` is None where the document has none."""

    text: str
    kind: Kind
    entry: Entry | None
    counter: str | None


_OURS: Final = (Kind.SCOPE_CHANGE, Kind.VERIFICATION_SKIPPED, Kind.UNVERIFIED_CLAIM)
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
    return re.compile(r"(?<![^\W_])" + r"\s+".join(words) + r"(?![^\W_])", re.IGNORECASE)


def occurrences(text: str) -> Iterator[Occurrence]:
    """Every phrase with its words as they are, whole, wherever it stands."""
    parts = Text(text)
    for phrase in PHRASES:
        for found in _pattern(phrase.text).finditer(text):
            yield Occurrence(phrase, found.start(), found.end(), _certainty(parts, found))


def _certainty(parts: Text, found: re.Match[str]) -> Certainty:
    text, (start, end) = parts.text, found.span()
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    part = parts.part(start, end)
    if part is Part.MENTIONED:
        return Certainty.MENTIONED
    two_paragraphs = re.search(r"\n[ \t]*\n", found[0]) is not None
    foreign = not found[0].replace("\u2019", "'").isascii()  # letters or blanks that only some take for the same
    is_odd = two_paragraphs or foreign or any(each in _JOINERS for each in beside)
    return Certainty.DOUBTFUL if part is Part.DOUBTFUL or is_odd else Certainty.SAID


def named(text: str) -> Phrase | None:
    """The phrase of the document with these words, whatever their case; None when there is none."""
    wanted = same_words(text)
    return next((phrase for phrase in PHRASES if same_words(phrase.text) == wanted), None)


def same_words(text: str) -> str:
    """The text with one space between its words, in lower case, with straight apostrophes, without a full stop."""
    return " ".join(text.replace("\u2019", "'").lower().split()).strip(' ."')


def resembles(said: str, phrase: Phrase) -> bool:
    """May that be another way to say the phrase: has it at least half of its words, in whatever form?"""
    words = {_stem(word) for word in _WORD.findall(said.lower())}
    wanted = {_stem(word) for word in _WORD.findall(phrase.text.lower())}
    return 2 * len(words & wanted) >= len(wanted)


def is_inside_a_word(text: str, start: int, end: int) -> bool:
    """Does what stands there begin or end in the middle of a word?"""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return bool(_WORD.match(text[start : start + 1]) and _WORD.match(before)) or bool(
        _WORD.match(text[end - 1 : end]) and _WORD.match(after)
    )


def _stem(word: str) -> str:
    return word[:_STEM]
