"""Values of any shape made fit for a record: bounded in size and depth, and of what JSON and UTF-8 can hold. Pure."""

import reprlib
from collections.abc import Mapping
from typing import Any, Final

HEAD: Final = 4096  # characters that are looked at at the beginning of a text, and as many at its end
WHOLE: Final = 65536  # characters of an argument that is used again
DEPTH: Final = 8
ITEMS: Final = 64
WIDEST: Final = 2**53  # beyond it not every reader of JSON holds an integer exactly

_REPR = reprlib.Repr()
_REPR.maxlevel, _REPR.maxstring, _REPR.maxother = 4, HEAD, HEAD


def encodable(text: str) -> str:
    """The text without what UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def clean(text: str) -> str:
    """The text without what UTF-8 cannot hold, and without NUL, which no argument of a process can hold."""
    return encodable(text.replace("\0", "?") if "\0" in text else text)


def clipped(text: str) -> str:
    """The text's head and tail; the middle of a longer one is left out."""
    return clean(text if len(text) <= 2 * HEAD else f"{text[:HEAD]}\n[...]\n{text[-HEAD:]}")


def line(text: str, most: int = 300) -> str:
    """The text on one line of at most that many characters, so that it cannot pass for several."""
    words = " ".join(text[: 2 * most].split())
    return words if len(words) <= most else f"{words[: most - 3]}..."


def text_of(value: object) -> str:
    """Any value as a bounded text; the message within an object, when it has one; empty for None."""
    if isinstance(value, str):
        return clipped(value)
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value[: 4 * HEAD]) + (bytes(value[-4 * HEAD :]) if len(value) > 4 * HEAD else b"")
        return clipped(data.decode(errors="replace"))
    if isinstance(value, Mapping):
        for name in ("message", "error", "stderr"):
            found = value.get(name)
            if isinstance(found, str) and found:
                return clipped(found)
    return shown(value)


def shown(value: object) -> str:
    """Any value as Python shows it, bounded; of what cannot be shown only its type."""
    try:
        return clipped(_REPR.repr(value))
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return f"a value of type {type(value).__name__}"


class Copy:
    """A JSON value as ``value``, bounded; ``whole`` when nothing was left out or changed."""

    def __init__(self, original: object) -> None:
        self.whole = True
        self._left = WHOLE
        self.value = self._copied(original, DEPTH)

    def _copied(self, value: object, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float):
            return self._number(value)
        if depth == 0 or not isinstance(value, Mapping | list | tuple):
            self.whole = False
            return shown(value)[:HEAD]
        self.whole = self.whole and len(value) <= ITEMS
        if isinstance(value, Mapping):
            pairs = [pair for pair, _ in zip(value.items(), range(ITEMS), strict=False)]
            return {self._text(str(key)[:HEAD]): self._copied(each, depth - 1) for key, each in pairs}
        return [self._copied(each, depth - 1) for each in value[:ITEMS]]

    def _text(self, text: str) -> str:
        found = clean(text[: self._left])
        self._left -= len(found)
        self.whole = self.whole and found == text
        return found

    def _number(self, value: float) -> float | str:
        if isinstance(value, int):
            if -WIDEST <= value <= WIDEST:
                return int(value)
        elif value - value == 0:  # neither infinite nor NaN
            return float(value)
        self.whole = False
        return shown(value)
