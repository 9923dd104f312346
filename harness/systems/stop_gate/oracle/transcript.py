"""What a transcript's bytes say, line by line, and how sure the documents let us be of it. Pure.

The oracle's own interpretation of document 004, 1.3, 1.5 and 7.2, and of the three message forms named in
stop-hook-contract.md. Where a line may rightly be taken in two ways, both are kept as ``possible``.
"""

import json
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec

from harness.systems.stop_gate.contract import PROMPT_MARK

ROLES = ("user", "assistant", "system")
HUGE_DIGITS = 4_000  # beyond this some JSON libraries refuse an integer, and none must
MODIFYING_TOOLS = ("Write", "Edit", "MultiEdit")
_TEXT_TYPES = ("text", "input_text", "output_text")


class Kind(StrEnum):
    """What one physical line is."""

    BLANK = "blank"
    INVALID = "invalid"
    UNDECODABLE = "undecodable"
    NO_OBJECT = "no_object"
    NO_MESSAGE = "no_message"
    MESSAGE = "message"


class Answer3(StrEnum):
    """Yes, no, or open to interpretation."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


class Message(msgspec.Struct, frozen=True):
    """A message: its role, its plain text, whether the prompt's mark is in it, and its tool calls by name and input."""

    role: str
    text: str
    mark: Answer3
    tools: tuple[tuple[str, Any], ...] = ()
    text_is_sure: bool = True


class Line(msgspec.Struct, frozen=True):
    """One physical line, numbered from 1; ``message`` is there whenever MESSAGE is among ``possible``.

    ``hard`` marks what exhausts a parser: nested too deep, or an integer of thousands of digits.
    """

    number: int
    possible: frozenset[Kind]
    message: Message | None = None
    hard: bool = False

    def surely(self, kind: Kind) -> bool:
        """True when the line is nothing else."""
        return self.possible == {kind}


class Transcript(msgspec.Struct, frozen=True):
    """All lines of one transcript; ``murky`` when even the division into lines is open (bare carriage returns)."""

    lines: tuple[Line, ...]
    murky: bool = False

    def numbers(self, kind: Kind) -> tuple[int, ...]:
        """The numbers of the lines that surely are of that kind."""
        return tuple(line.number for line in self.lines if line.surely(kind))

    @property
    def invalid_at_least(self) -> int:
        """Invalid lines in every reading in which undecodable lines are invalid ones."""
        bad = {Kind.INVALID, Kind.UNDECODABLE}
        return sum(1 for line in self.lines if line.possible <= bad)

    @property
    def invalid_at_most(self) -> int:
        """Invalid lines when every doubt goes against them."""
        bad = {Kind.INVALID, Kind.UNDECODABLE}
        return sum(1 for line in self.lines if line.possible & bad)

    @property
    def is_sure(self) -> bool:
        """True when no line can be taken in two ways and all could be decoded."""
        return not self.murky and all(
            len(line.possible) == 1 and Kind.UNDECODABLE not in line.possible for line in self.lines
        )

    @property
    def sure_messages(self) -> tuple[Message, ...]:
        """The messages that are messages in every reading, in order."""
        return tuple(line.message for line in self.lines if line.message is not None and line.surely(Kind.MESSAGE))

    @property
    def possible_messages(self) -> tuple[Message, ...]:
        """The messages in some reading, in order."""
        return tuple(line.message for line in self.lines if line.message is not None)

    def last_has_mark(self, *, assistant_only: bool) -> Answer3:
        """Does the last message (of the assistant, or of any role) hold the prompt's mark?"""
        wanted = [
            (line.message, line.surely(Kind.MESSAGE))
            for line in self.lines
            if line.message is not None and (not assistant_only or line.message.role == "assistant")
        ]
        seen: set[Answer3] = set()
        for message, sure in reversed(wanted):
            seen.add(message.mark)
            if sure:
                break
        else:
            seen.add(Answer3.NO)  # perhaps there is no such message at all
        return seen.pop() if len(seen) == 1 else Answer3.MAYBE


@lru_cache(maxsize=64)  # one case asks about the same few transcripts again and again
def read(data: bytes) -> Transcript:
    """The transcript in ``data``; never raises."""
    rows = data.split(b"\n")
    if rows and rows[-1] == b"":
        rows.pop()
    murky = any(b"\r" in row.removesuffix(b"\r") for row in rows)
    return Transcript(tuple(_line(number, row) for number, row in enumerate(rows, 1)), murky)


def _line(number: int, row: bytes) -> Line:
    bom = number == 1 and row.startswith(b"\xef\xbb\xbf")
    try:
        text = row.decode("utf-8-sig" if bom else "utf-8")
    except UnicodeDecodeError:
        return Line(number, frozenset({Kind.UNDECODABLE}))
    if not text.strip(" \t\r"):
        return Line(number, frozenset({Kind.BLANK, Kind.INVALID} if bom else {Kind.BLANK}))
    if not text.strip():
        return Line(number, frozenset({Kind.BLANK, Kind.INVALID}))  # blank to Unicode, not to JSON
    parsed = parse(text)
    if parsed is None:
        return Line(number, frozenset({Kind.INVALID}))
    doubtful = bom or parsed.doubtful
    if not isinstance(parsed.value, dict):
        kinds, message = {Kind.NO_OBJECT}, None
    else:
        kinds, message = _as_message(parsed.value)
        if parsed.duplicates and kinds != {Kind.NO_MESSAGE}:
            kinds = kinds | {Kind.MESSAGE, Kind.NO_MESSAGE}
            message = msgspec.structs.replace(
                message or Message("", "", Answer3.MAYBE), mark=Answer3.MAYBE, text_is_sure=False
            )
    if doubtful:
        kinds = kinds | {Kind.INVALID}
    return Line(number, frozenset(kinds), message, parsed.hard)


class Parsed(msgspec.Struct, frozen=True):
    """A JSON value; ``doubtful`` when some JSON libraries rightly refuse it, ``duplicates`` for a key given twice.

    ``hard`` as in Line.
    """

    value: Any
    doubtful: bool = False
    duplicates: bool = False
    hard: bool = False


def parse(text: str) -> Parsed | None:
    """The JSON value in ``text``, None when every JSON library refuses it; never raises."""
    notes: set[str] = set()

    def constant(name: str) -> float:
        notes.add("doubtful")
        return float(name)

    def integer(digits: str) -> int:
        if len(digits) < HUGE_DIGITS:
            return int(digits)
        notes.update(("doubtful", "hard"))
        return 10**300  # any integer out of every range will do

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            notes.add("duplicates")
        return made

    try:
        value = json.loads(text, parse_constant=constant, parse_int=integer, object_pairs_hook=pairs)
        shown = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return Parsed(None, doubtful=True, hard=True)
    except ValueError:
        return None
    surrogate = any(0xD800 <= ord(character) <= 0xDFFF for character in shown)
    return Parsed(value, "doubtful" in notes or surrogate, "duplicates" in notes, "hard" in notes)


def _as_message(value: dict[str, Any]) -> tuple[set[Kind], Message | None]:
    """Which kinds an object line may be: the role stands at the top, in ``message``, or (Codex) in ``payload``."""
    inner = value.get("message")
    inner = inner if isinstance(inner, dict) else {}
    for body in (value, inner):
        role = body.get("role")
        if isinstance(role, str) and role in ROLES:
            content = body.get("content", inner.get("content", value.get("content")))
            return {Kind.MESSAGE}, _message(role, content, value)
    payload = value.get("payload")
    role = payload.get("role") if isinstance(payload, dict) else None
    if isinstance(payload, dict) and isinstance(role, str) and role in ROLES:
        # document 004 does not know this form, so a gate may drop it
        return {Kind.MESSAGE, Kind.NO_MESSAGE}, _message(role, payload.get("content"), value)
    kind = value.get("type")
    if kind in ROLES and "message" in value and not isinstance(value["message"], dict):
        return {Kind.MESSAGE, Kind.NO_MESSAGE}, _message(str(kind), value["message"], value)
    return {Kind.NO_MESSAGE}, None


def _message(role: str, content: Any, whole: dict[str, Any]) -> Message:
    texts: list[str] = []
    tools: list[tuple[str, Any]] = []
    sure = True
    if isinstance(content, str):
        texts.append(content)
    elif isinstance(content, list):
        for item in content:
            if isinstance(item, dict) and item.get("type") in _TEXT_TYPES and isinstance(item.get("text"), str):
                texts.append(item["text"])
            elif isinstance(item, dict) and item.get("type") == "tool_use":
                tools.append((str(item.get("name", "")), item.get("input")))
            else:
                sure = False
    else:
        sure = False
    text = "\n".join(texts)
    if PROMPT_MARK in text:
        mark = Answer3.YES
    else:
        mark = Answer3.MAYBE if PROMPT_MARK in json.dumps(whole, ensure_ascii=False) else Answer3.NO
    return Message(role, text, mark, tuple(tools), sure)
