"""Does a text say something, in whatever form it is quoted, escaped, wrapped, shortened or put in other words? Pure."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

WHOLE: Final = 200  # characters that nobody has to cut
_ENDS: Final = 80  # of a longer text its beginning or its end is enough
_WORD: Final = re.compile(r"[^\W_]{3,}")
_NUMBER: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(\s*%)?")
ENOUGH: Final = 1 / 3  # of the words: the document's own prompt shortens its diagnosis that far
MOST: Final = 2 / 3  # of the words of a name
_FEW: Final = 4
_ITEM: Final = re.compile(r"\n|\s+(?=\(?\d{1,2}[.):]\s)|(?<=[.;])\s+|\s+[-*]\s+")
_ROUNDED: Final = 0.0051
_ROOT: Final = re.compile(r"\{(?:home|project|outside|tmp)\}")


class Text:
    """A text in which something is looked for.

    ``lines`` are in small letters; a text of only a few is taken apart at its items.
    """

    def __init__(self, text: str) -> None:
        self._forms = tuple({text, collapsed(text)})
        parts = text.splitlines() if text.count("\n") >= _FEW else _ITEM.split(text)
        self.lines = [line.lower() for line in parts if line.strip()]
        self._numbers = frozenset(_numbers(text))

    def holds(self, wanted: str) -> bool:
        """Does it hold that text, as it is or escaped? Of a long one the beginning or the end is enough."""
        wanted = wanted.strip()
        parts = (wanted,) if len(wanted) <= WHOLE else (wanted[:_ENDS], wanted[-_ENDS:])
        return any(form in each for part in parts for form in _escaped(part) for each in self._forms)

    def holds_value(self, wanted: object) -> bool:
        """Does it hold each text and each number of that JSON value?"""
        return all(self._holds_leaf(leaf) for leaf in leaves(wanted))

    def _holds_leaf(self, leaf: str | float) -> bool:
        if isinstance(leaf, str):
            return self.holds(leaf)
        forms = {json.dumps(leaf), f"{leaf:g}", json.dumps(int(leaf)) if float(leaf).is_integer() else ""} - {""}
        wanted = "|".join(map(re.escape, sorted(forms)))
        return any(re.search(rf"(?<![\w.])(?:{wanted})(?!\w|\.\d)", each) for each in self._forms)

    def holds_share(self, share: float) -> bool:
        """Does it hold that share as a number or in per cent, rounded to two places at most?"""
        return any(abs(found - share) < _ROUNDED for found in self._numbers)

    def says(self, wanted: str) -> bool:
        """Does it hold that text, or a third of its words within one line?"""
        return self.holds(wanted) or self.find(wanted) is not None

    def find(
        self,
        wanted: str,
        since: int = 0,
        *,
        numbered: int | None = None,
        besides: Collection[int] = (),
        enough: float = ENOUGH,
    ) -> int | None:
        """The line from ``since`` on that says it best, with ``enough`` of its words at least; None when none does.

        ``numbered``: behind that number. ``besides`` are lines that say something else already.
        """
        best, found = 0.0, None
        for place in range(since, len(self.lines)):
            share = _share_of_words(wanted, self.lines[place])
            if place not in besides and share > best and self._says(place, wanted, numbered, enough):
                best, found = share, place
        return found

    def in_order(self, wanted: Sequence[str], *, numbered: bool) -> list[int] | None:
        """The lines that say these texts one after the other, ``numbered`` from 1 on or not; None when they do not.

        Where each of them stands there word for word, so it has to be in order; else a third of the words will do.
        """
        whole = all(self.find(each, enough=1.0) is not None for each in wanted)
        found: list[int] = []
        for number, each in enumerate(wanted, start=1):
            since, enough = found[-1] + 1 if found else 0, 1.0 if whole else ENOUGH
            places = range(since, len(self.lines))
            line = next((line for line in places if self._says(line, each, number if numbered else None, enough)), None)
            if line is None:
                return None
            found.append(line)
        return found

    def _says(self, place: int, wanted: str, numbered: int | None, enough: float) -> bool:
        line = self.lines[place]
        return (numbered is None or _is_numbered(line, numbered)) and _share_of_words(wanted, line) >= enough

    def around(self, place: int) -> str:
        """A line and the one after it."""
        return "\n".join(self.lines[place : place + 2])


def is_alike(kept: object, told: object) -> bool:
    """Is the JSON value in a file the one that was told? What is told has placeholders for the paths of the world."""
    if isinstance(kept, str) and isinstance(told, str) and _ROOT.search(told):
        parts = map(re.escape, _ROOT.split(told))
        return re.fullmatch(".+".join(parts), kept, re.DOTALL) is not None
    if isinstance(kept, Mapping) and isinstance(told, Mapping):
        return len(kept) == len(told) and all(
            any(is_alike(name, each) and is_alike(kept[name], told[each]) for name in kept) for each in told
        )
    if isinstance(kept, list | tuple) and isinstance(told, list | tuple):
        return len(kept) == len(told) and all(map(is_alike, kept, told))
    return bool(kept == told)


def collapsed(text: str) -> str:
    """The text with each run of white space as one blank."""
    return " ".join(text.split())


def leaves(value: object) -> Iterator[str | float]:
    """The texts and numbers of a JSON value; nothing of true, false, null and blank texts."""
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, str):
            if each.strip():
                yield each
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield each


def missing(text: Text, wanted: Iterable[tuple[str, object]]) -> list[str]:
    """The names of those values that the text does not hold."""
    return [name for name, value in wanted if not text.holds_value(value)]


def _escaped(text: str) -> set[str]:
    plain = (text, collapsed(text))
    forms = {
        form for each in plain for form in (each, json.dumps(each)[1:-1], json.dumps(each, ensure_ascii=False)[1:-1])
    }
    return forms | {repr(each)[1:-1] for each in plain}


def _numbers(text: str) -> Iterator[float]:
    for found in _NUMBER.finditer(text):
        number, percent = found.groups()
        yield float(number) / (100.0 if percent else 1.0)


def _is_numbered(line: str, number: int) -> bool:
    return re.search(rf"(?<![\d.]){number}(?!\d|\.\d)", line) is not None


def _share_of_words(wanted: str, line: str) -> float:
    """How many of its words the line holds, as parts of words too."""
    if collapsed(wanted).lower() in line or wanted.lower() in line:
        return 1.0
    words = {word.lower() for word in _WORD.findall(wanted)}
    return sum(word in line for word in words) / len(words) if words else 0.0
