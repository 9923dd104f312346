"""Is a jq filter the one that failed, with "== ... | not" in place of "!="? ER-JQ-02. Pure.

Both are read word by word, texts as a whole, so that neither blanks nor parentheses matter where they change nothing.
Where they do, each negation has to reach its own comparison and no further: a pipe binds weaker than all else, so
"and", "or", ",", "//" and what follows must stand outside of the parentheses around it.
Source: document 002, jq Parse Failure Recovery.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

_TOKEN: Final = re.compile(
    r'"(?:[^"\\]|\\.)*"|\\?!=|==|<=|>=|//=|//|\|=|\.\.|[.$@]?[A-Za-z_][\w:]*|\d+(?:\.\d+)?|\S', re.DOTALL
)
_NOT_EQUAL: Final = ("!=", "\\!=")
_OPEN: Final = "([{"
_CLOSED: Final = ")]}"
_MIRROR: Final = dict(zip("([{)]}", ")]}([{", strict=True))
_WEAKER: Final = ("and", "or", ",", "//")  # what binds weaker than a comparison, and stronger than a pipe
_BEFORE: Final = ("|", ";", ":", "if", "then", "elif", "else", "'")  # what a comparison may follow, in its parentheses
_AFTER: Final = ("|", ";", "then", "elif", "else", "end", "'")
_FROM_FILE: Final = re.compile(r"\s(-f|--from-file)\b")
_NAMES: Final = re.compile(r"[A-Za-z_]\w*|\d+")
_WORDS: Final = ("select", "and", "or", "not", "if", "then", "elif", "else", "end")
_QUOTED: Final = (re.compile(r"'([^']*)'"), re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL))


def filter_of(command: str) -> str:
    """The filter in a command line of jq; the whole where nothing is quoted as one."""
    if not re.match(r"\s*(\S*/)?jq\s", command):
        return command
    single = _QUOTED[0].search(command)
    if single is not None:
        return single[1]
    double = _QUOTED[1].search(command)
    return command if double is None else re.sub(r"\\(.)", _unescaped, double[1], flags=re.DOTALL)


def _unescaped(match: "re.Match[str]") -> str:
    return match[1] if match[1] in '"\\$`' else match[0]


def negations(command: str) -> int:
    """How many comparisons with != the filter has, outside of texts."""
    return sum(word in _NOT_EQUAL for word in _TOKEN.findall(filter_of(command)))


def inverted(original: str, retried: str) -> bool:
    """Is another comparison negated than in ``original``?"""
    before, after = (_TOKEN.findall(filter_of(command)) for command in (original, retried))
    return _nots(after) != _nots(before) and _bare(before) == _bare(after)


def reworded(original: str, retried: str, *, negated: bool = False) -> bool:
    """Is it the same filter but for what stands in its texts? ``negated``: and for what the replacement changes."""
    before, after = (_TOKEN.findall(filter_of(command)) for command in (original, retried))
    if negated:
        before, after = _bare(before), _bare(after)
    plain = [["" if word.startswith('"') else word for word in words] for words in (before, after)]
    return plain[0] == plain[1] and before != after


def readings(original: str, retried: str) -> tuple[str, ...] | None:
    """The readings of ER-JQ-02 in which ``retried`` is ``original`` with each != replaced.

    None when nobody knows: filters may say the same in many ways. () when it surely is not: a != is left, nothing is
    negated, something is gone, or a negation reaches another comparison.
    """
    before, after = (_TOKEN.findall(filter_of(command)) for command in (original, retried))
    if _FROM_FILE.search(retried):
        return None
    if any(word in _NOT_EQUAL for word in after) or "not" not in after:
        return ()
    if _bare(before) != _bare(after):
        gone = [name for word in before for name in _NAMES.findall(word) if name not in _WORDS and name not in retried]
        return () if gone or reworded(original, retried, negated=True) else None
    replaced = sum(word in _NOT_EQUAL for word in before)
    if _negated(after) != _negated(before) or _nots(after) - _nots(before) != replaced:
        return ()
    if not all(_is_alone(before, place) for place, word in enumerate(before) if word in _NOT_EQUAL):
        return ("plain", "parenthesised")  # without parentheses it would say something else
    more = sum(word == "(" for word in after) > sum(word == "(" for word in before)
    return ("parenthesised",) if more else ("plain",)


def _bare(tokens: Sequence[str]) -> list[str]:
    """The tokens without what the replacement may add: negations behind a pipe, and parentheses."""
    kept: list[str] = []
    for word in tokens:
        if word == "not" and kept and kept[-1] == "|":
            kept.pop()
        elif word == "select" and kept[-1:] == ["|"] and "select" in kept and not {"or", ",", "//"} & set(tokens):
            kept[-1] = "and"  # to select twice is to select by both
        elif word not in ("(", ")"):
            kept.append("==" if word in _NOT_EQUAL else word)
    return kept


def _nots(tokens: Sequence[str]) -> int:
    plain = [word for word in tokens if word not in ("(", ")")]
    return sum(pair == ("|", "not") for pair in pairwise(plain))


def _negated(tokens: Sequence[str]) -> list[int]:
    """Which comparisons are negated, counted from the left: those with !=, and those that a "| not" reaches."""
    places = [place for place, word in enumerate(tokens) if word == "==" or word in _NOT_EQUAL]
    reached = {_reached(tokens, place) for place in range(len(tokens) - 1)}
    return [n for n, place in enumerate(places) if tokens[place] != "==" or place in reached]


def _beside(tokens: Sequence[tuple[str, int]], stops: Sequence[str]) -> Iterator[tuple[str, int]]:
    """What stands on one side of a comparison, and where, in the same parentheses, up to where it ends."""
    depth = 0
    for word, place in tokens:
        depth += (word in _OPEN) - (word in _CLOSED)
        if depth < 0 or (depth == 0 and word in stops):
            return
        if depth == 0:
            yield word, place


def _is_alone(tokens: Sequence[str], place: int) -> bool:
    """Is there nothing beside the comparison at that place that a pipe would take with it?"""
    before = [(_MIRROR.get(tokens[n], tokens[n]), n) for n in reversed(range(place))]
    after = [(tokens[n], n) for n in range(place + 1, len(tokens))]
    return not any(word in _WEAKER for word, _ in (*_beside(before, _BEFORE), *_beside(after, _AFTER)))


def _reached(tokens: Sequence[str], place: int) -> int | None:
    """Where the comparison stands that the "| not" at that place reaches, and nothing beside it; None for any other."""
    if tokens[place : place + 2] != ["|", "not"]:
        return None
    if place + 2 < len(tokens) and tokens[place + 2] not in (*_CLOSED, *_AFTER):
        return None
    before = [(_MIRROR.get(tokens[n], tokens[n]), n) for n in reversed(range(place))]
    flat = list(_beside(before, _BEFORE))
    if [word for word, _ in flat] == [")"]:  # the comparison has parentheses of its own: what stands in them
        flat = list(_beside(before[1:], _BEFORE))
    compared = [n for word, n in flat if word == "=="]
    return compared[0] if len(compared) == 1 and not any(word in _WEAKER for word, _ in flat) else None
