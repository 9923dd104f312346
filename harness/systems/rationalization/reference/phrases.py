"""Finds the phrases of the table and of the red flags: their words, whole, in any case, over any white space.

For each phrase its rarest word is looked for, which costs next to nothing in texts that have none; the others are
compared where it stands.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from harness.systems.rationalization.contract import FLAGS, TABLE, Entry, Finding, Kind
from harness.systems.rationalization.reference.spoken import Spoken

ANCHORS: Final = (
    *("refactor", "edge", "flaky", "machine", "workaround", "unclear", "scope", "optimize", "enough", "benign"),
    *("verified", "outdated", "probably", "fine", "likely", "think", "small", "simple", "minor", "tweak", "nice"),
    *("component", "checked"),
)
"""The rarest word of each phrase, in the order of the phrases."""
OUTPUT_SUFFICES: Final = (TABLE[Entry.ALREADY_VERIFIED].phrase, *FLAGS[Kind.UNVERIFIED_CLAIM])
_ASCII: Final = {number: number + 32 for number in range(ord("A"), ord("Z") + 1)}


class Phrase(NamedTuple):
    """A phrase as it is looked for: ``words`` in lower case, the rarest at ``anchor``."""

    text: str
    kind: Kind
    entry: Entry | None
    required_action: str
    words: tuple[str, ...]
    anchor: int


def _phrases() -> Iterator[Phrase]:
    rows = [(row.phrase, Kind.EXCUSE, entry, row.required_action) for entry, row in TABLE.items()]
    flags = [(text, kind, None, action) for kind, family in FLAGS.items() for text, action in family.items()]
    for (text, kind, entry, action), anchor in zip([*rows, *flags], ANCHORS, strict=True):
        words = tuple(text.lower().split())
        yield Phrase(text, kind, entry, action, words, words.index(anchor))


PHRASES: Final = tuple(_phrases())


class Phrases:
    """Finds phrases in texts."""

    phrases = PHRASES
    spoken_class = Spoken

    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        """Every phrase that is said, in the order of their places."""
        spoken = self.spoken_class(text)
        return tuple(
            self.finding(phrase, start, end)
            for start, end, phrase in self.places(text)
            if not (has_output and self.is_answered(phrase)) and self.is_said(phrase, start, end, spoken)
        )

    def is_said(self, phrase: Phrase, start: int, end: int, spoken: Spoken) -> bool:
        """Does the author say the phrase that stands there? It has to be asked in the order of the places."""
        del phrase
        return spoken.is_said(start, end)

    def is_answered(self, phrase: Phrase) -> bool:
        """Is it no rationalisation where output is shown?"""
        return phrase.text in OUTPUT_SUFFICES

    def finding(self, phrase: Phrase, start: int, end: int) -> Finding:
        """What is told of a phrase."""
        return Finding(phrase.text, phrase.kind, phrase.required_action, start, end, phrase.entry)

    def places(self, text: str) -> Iterable[tuple[int, int, Phrase]]:
        """Where the phrases stand, in order, whoever says them."""
        lowered = self.lowered(text)
        # numbers, since the garbage collector goes through tuples of anything else again and again
        found = sorted(
            (*span, number) for number, each in enumerate(self.phrases) for span in self.places_of(each, lowered)
        )
        return ((start, end, self.phrases[number]) for start, end, number in found)

    def lowered(self, text: str) -> str:
        """In lower case and with straight apostrophes, each character where it was."""
        found = text.lower()
        if len(found) != len(text):  # some letters become two
            found = text.translate(_ASCII)
        return found.replace("\u2019", "'")

    def places_of(self, phrase: Phrase, lowered: str) -> Iterator[tuple[int, int]]:
        """Where the words of one phrase stand."""
        words, anchor = phrase.words, phrase.anchor
        before, word, after = words[:anchor], words[anchor], words[anchor + 1 :]
        head, tail = "".join(f"{each} " for each in before), "".join(f" {each}" for each in after)
        place = lowered.find(word)
        while place >= 0:
            on = place + len(word)
            start = place - len(head) if lowered.endswith(head, 0, place) else self.back(lowered, place, before)
            end = on + len(tail) if lowered.startswith(tail, on) else self.on(lowered, on, after)
            if start is not None and end is not None and self.is_whole(lowered, start, end):
                yield start, end
            place = lowered.find(word, on)

    def back(self, lowered: str, place: int, words: tuple[str, ...]) -> int | None:
        """Where the words begin that end before ``place``; None when they do not stand there."""
        for word in reversed(words):
            end = place
            while end > 0 and lowered[end - 1].isspace():
                end -= 1
            if end == place or not lowered.endswith(word, 0, end):
                return None
            place = end - len(word)
        return place

    def on(self, lowered: str, place: int, words: tuple[str, ...]) -> int | None:
        """Where the words end that begin after ``place``; None when they do not stand there."""
        for word in words:
            start = place
            while start < len(lowered) and lowered[start].isspace():
                start += 1
            if start == place or not lowered.startswith(word, start):
                return None
            place = start + len(word)
        return place

    def is_whole(self, lowered: str, start: int, end: int) -> bool:
        """Is it no part of a longer word?"""
        before, after = lowered[start - 1 : start] if start else "", lowered[end : end + 1]
        return not (before.isalnum() or after.isalnum())
