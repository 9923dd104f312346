"""Whatever anybody gives, as text that a file in UTF-8 can hold, and as one line of it. Pure, and nothing raises."""

from typing import Any

_LINE_CHARACTERS = 500  # of one text within an escalation, which is for a human to read; the queue has it all


def writable(text: str) -> str:
    """The text with what no file in UTF-8 can hold (halves of surrogate pairs) written out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def as_text(value: Any) -> str:
    """The value as a text: a text as it is, nothing empty, all else as it would be printed."""
    return "" if value is None else writable(str(value))


def one_line(value: Any) -> str:
    """The value as a part of one line, which cannot begin another one, cut where nobody would read on."""
    text = " ".join(as_text(value).split())
    return text if len(text) <= _LINE_CHARACTERS else text[:_LINE_CHARACTERS] + "..."


def unbroken(text: str) -> str:
    """The text, character by character, but spaces for the ends of its lines."""
    return " ".join(text.splitlines())
