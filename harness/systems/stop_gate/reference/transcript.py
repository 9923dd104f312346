"""A transcript's bytes to messages: flat lines, lines with a nested message, Codex lines (004, section 1). Pure.

Only the reader's own two exceptions leave this module, whatever the bytes are.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.systems.stop_gate.contract import INVALID_LINES_TOLERATED, LogCode
from harness.systems.stop_gate.reference import json_text
from harness.systems.stop_gate.reference.trace import Trace

ROLES = ("user", "assistant", "system")
LOGGED_MESSAGES = 20  # a transcript can hold five million lines that are no message; so many are logged one by one
LINES_BETWEEN_LOOKS = 4096  # at the clock, which would cost more than a short line itself
TEXT_BLOCKS = (None, "text", "input_text", "output_text")
CODEX_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
CODEX_OUTPUTS = ("function_call_output", "custom_tool_call_output")


class MalformedTranscriptError(ValueError):
    """More lines than are tolerated are no JSON (PS-TR-05)."""


class ReadingExpiredError(Exception):
    """Reading took longer than it may."""


class ToolUse(NamedTuple):
    """A tool call: the tool's name and its arguments."""

    name: str
    input: Mapping[str, Any]


class Message(NamedTuple):
    """What one line said: its text, the tools it called and the texts tools answered with."""

    role: str
    text: str = ""
    tools: tuple[ToolUse, ...] = ()
    results: tuple[str, ...] = ()


class TranscriptReader:
    """Reads one transcript. ``expired`` tells that reading has taken too long."""

    def __init__(self, trace: Trace, expired: Callable[[], bool]) -> None:
        self.trace = trace
        self.expired = expired
        self._dropped = 0

    def read(self, data: bytes) -> list[Message]:
        """Every valid message in order; MalformedTranscriptError, ReadingExpiredError."""
        messages: list[Message] = []
        invalid = 0
        for number, line in self.lines(data):
            if number % LINES_BETWEEN_LOOKS == 0 and self.expired():
                raise ReadingExpiredError(f"line {number} was reached when the time was over")
            try:
                record = self.decode(line)
            except ValueError as error:
                invalid += 1
                self.invalid_line(number, error)
                if self.too_many(invalid):
                    raise MalformedTranscriptError(f"{invalid} lines are no JSON") from error
                continue
            message = self.message(record)
            if message is None:
                self.drop(number)
            else:
                messages.append(message)
        if self._dropped > LOGGED_MESSAGES:
            self.trace.debug(LogCode.INVALID_MESSAGE, f"{self._dropped} lines in all hold no message")
        return messages

    def lines(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Each line that is not blank, with its physical number from 1 (PS-TR-03, PS-TR-04)."""
        for number, line in enumerate(io.BytesIO(data.removeprefix(json_text.BYTE_ORDER_MARK)), 1):
            if not self.is_blank(line):
                yield number, line

    def is_blank(self, line: bytes) -> bool:
        """White space only: neither a message nor a mistake."""
        return not line.strip()

    def decode(self, line: bytes) -> Any:
        """The JSON value of a line; ValueError when it is none."""
        return json_text.decode(line)

    def invalid_line(self, number: int, error: ValueError) -> None:
        """Notes a line that is no JSON."""
        text = json_text.encodable(str(error))[:200]
        self.trace.warning(LogCode.INVALID_JSON_LINE, f"line {number} is no JSON: {text}", line=number)

    def too_many(self, invalid: int) -> bool:
        """Ten are tolerated, the eleventh is not (PS-TR-05)."""
        return invalid > INVALID_LINES_TOLERATED

    def drop(self, number: int) -> None:
        """Counts a line that is JSON but no message; agents write many of those, and the first of them are noted."""
        self._dropped += 1
        if self._dropped <= LOGGED_MESSAGES:
            self.note_dropped(number)

    def note_dropped(self, number: int) -> None:
        """A line that holds no message is told (PS-TR-08)."""
        self.trace.debug(LogCode.INVALID_MESSAGE, f"line {number} holds no message")

    def message(self, record: Any) -> Message | None:
        """The message a line's value holds; None when it holds none."""
        if not isinstance(record, dict):
            return None
        payload = record.get("payload")
        if isinstance(payload, dict) and record.get("type") == "response_item":
            called = codex_tool(payload)
            if called is not None:
                return called
        role = self.role(record)
        return None if role is None else message_of(role, self.body(record))

    def role(self, record: Mapping[str, Any]) -> str | None:
        """The role at the top, inside ``message`` or inside a Codex ``payload``; None when none is valid."""
        for holder in self.holders(record):
            role = holder.get("role")
            if isinstance(role, str) and role in ROLES:
                return role
        return None

    def holders(self, record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Where a line may carry its role and content, in the order they are asked (PS-TR-08)."""
        yield record
        for key in ("message", "payload"):
            inner = record.get(key)
            if isinstance(inner, dict):
                yield inner

    def body(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part that has the content."""
        return next((holder for holder in self.holders(record) if "content" in holder), record)


def message_of(role: str, body: Mapping[str, Any]) -> Message:
    """The message of a body whose ``content`` is a text or a list of blocks; anything else is no text."""
    content = body.get("content")
    if isinstance(content, str):
        return Message(role, content)
    texts: list[str] = []
    tools: list[ToolUse] = []
    results: list[str] = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            kind = block.get("type")
            if kind == "tool_use":
                tools.append(ToolUse(text_or_empty(block.get("name")), arguments_of(block.get("input"))))
            elif kind == "tool_result":
                results.append(text_of(block.get("content")))
            elif kind in TEXT_BLOCKS:
                texts.append(text_or_empty(block.get("text")))
    return Message(role, "\n".join(texts), tuple(tools), tuple(results))


def codex_tool(payload: Mapping[str, Any]) -> Message | None:
    """The call or the answer of a tool as Codex writes them, each on a line of its own; None when it is neither."""
    kind = payload.get("type")
    if kind in CODEX_CALLS:
        arguments = next((payload[key] for key in ("arguments", "input", "action") if key in payload), None)
        name = text_or_empty(payload.get("name")) or "shell"
        return Message("assistant", tools=(ToolUse(name, arguments_of(arguments)),))
    if kind in CODEX_OUTPUTS:
        return Message("user", results=(text_of(payload.get("output")),))
    return None


def arguments_of(value: Any) -> Mapping[str, Any]:
    """A tool's arguments: an object, or a text that holds one as JSON; any other text as ``input``."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    try:
        found = json_text.decode(value.encode("utf-8", "replace"))
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"input": value}


def text_of(content: Any) -> str:
    """A tool's answer as text, whether it is one or a list of blocks."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        return "\n".join(text_or_empty(block.get("text")) for block in content if isinstance(block, dict))
    return text_or_empty(content)


def text_or_empty(value: Any) -> str:
    """The value when it is a text, else the empty one."""
    return value if isinstance(value, str) else ""
