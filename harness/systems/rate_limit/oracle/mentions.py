"""Does a message hold the words "rate limit"? By reading, and for what the document leaves open nothing. Pure."""

import re
from collections.abc import Mapping

WHOLE_WORDS, BEGINNING, ANYWHERE = "whole_words", "beginning_of_words", "anywhere"
READINGS = (WHOLE_WORDS, BEGINNING, ANYWHERE)

# ASCII on purpose: without it Python takes a long s for an s, and a dotless i for an i
_FIRM = {
    WHOLE_WORDS: re.compile(r"(?<![a-z])rate[ _-]limit(?:s|ed|ing)?(?![a-z])", re.ASCII | re.IGNORECASE),
    BEGINNING: re.compile(r"(?<![a-z])rate[ _-]limit", re.ASCII | re.IGNORECASE),
    ANYWHERE: re.compile(r"rate[ _-]limit", re.ASCII | re.IGNORECASE),
}
# what may be taken for the words, or for a limit in other words: nothing can be said of a message that holds one
_OPEN = re.compile(r"rate.{0,4}limit|429|too\W*many|quota|throttl|exceed|usage|back\W*off", re.IGNORECASE | re.DOTALL)
_WHOLE_IN_UNICODE = re.compile(r"(?<![^\W_])rate[ _-]limit(?:s|ed|ing)?(?![^\W_])", re.IGNORECASE)
_PLAIN = re.compile(r"[\x00-\x7f]*")


def mentions(message: str) -> Mapping[str, bool] | None:
    """By reading, whether that message holds the words; None when the document leaves it open."""
    firm = {reading: pattern.search(message) is not None for reading, pattern in _FIRM.items()}
    if firm[ANYWHERE]:
        # a digit or a letter that is none of ASCII beside the words may make longer words of them
        return firm if firm[WHOLE_WORDS] == _surely_whole(message) else None
    if _OPEN.search(message) is not None or not _is_legible(message):
        return None
    return firm


def _surely_whole(message: str) -> bool:
    """Do the words stand as whole words whatever a letter is?"""
    return _WHOLE_IN_UNICODE.search(message) is not None


def _is_legible(message: str) -> bool:
    """Can no character of it be taken for one of the words' own, by case, width or accent?"""
    if _PLAIN.fullmatch(message) is not None:
        return True
    folded = message.casefold()
    return not any(ord(character) > 0x7F and _resembles(character) for character in folded)


def _resembles(character: str) -> bool:
    """Is it of a block whose characters are written forms of Latin letters, spaces or hyphens?"""
    code = ord(character)
    return not any(low <= code <= high for low, high in _OTHER_SCRIPTS)


# scripts whose letters are nobody's other way to write a Latin one: Greek, Cyrillic, Hebrew, Arabic, Chinese, Japanese
_OTHER_SCRIPTS = ((0x370, 0x3FF), (0x400, 0x52F), (0x590, 0x6FF), (0x3040, 0x30FF), (0x4E00, 0x9FFF))
