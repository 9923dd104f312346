"""The answer to a check, read from whatever the implementation sent. Pure; never raises."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.stop_gate.contract import LogCode

_CODES = frozenset(code.value for code in LogCode)


class Log(msgspec.Struct, frozen=True):
    """A log entry of an answer; fields of a wrong type are as if absent."""

    level: str
    code: str
    line: int | None = None
    keys: tuple[str, ...] = ()
    checker: str | None = None
    traceback: bool = False
    session_id: str | None = None
    transcript_path: str | None = None

    def says(self, code: LogCode) -> bool:
        """Is it about that, or in a word of the implementation's own?"""
        return self.code == code.value or self.code not in _CODES


class Answer(msgspec.Struct, frozen=True):
    """The answer to a check; ``malformed`` says what is wrong with its shape, empty when nothing is."""

    decision: str
    reasons: tuple[str, ...]
    prompt: str | None
    summary: str | None
    log: tuple[Log, ...] = ()
    malformed: str = ""

    def logged(self, levels: str, code: LogCode, **fields: object) -> bool:
        """Is there an entry of one of these levels that says this, or says it in the implementation's own word?"""
        return any(
            entry.level in levels.split()
            and entry.says(code)
            and all(getattr(entry, name) in (value, None) for name, value in fields.items())
            for entry in self.log
        )

    def entries(self, code: LogCode) -> tuple[Log, ...]:
        """The entries of exactly that code."""
        return tuple(entry for entry in self.log if entry.code == code.value)

    def __str__(self) -> str:
        codes = ", ".join(f"{entry.level} {entry.code}" for entry in self.log[:8])
        return f"{self.decision} {list(self.reasons)} (log: {codes or 'nothing'})" + (
            f"; malformed: {self.malformed}" if self.malformed else ""
        )


def read_log(value: object) -> tuple[Log, ...]:
    """The log entries in a result's ``log`` field; what is no entry is left out."""
    entries = value if isinstance(value, list | tuple) else ()
    return tuple(_log_entry(entry) for entry in entries if isinstance(entry, Mapping))


def _log_entry(entry: Mapping[str, Any]) -> Log:
    def text(name: str) -> str | None:
        value = entry.get(name)
        return value if isinstance(value, str) else None

    line, keys = entry.get("line"), entry.get("keys")
    return Log(
        text("level") or "",
        text("code") or "",
        line if type(line) is int else None,
        tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list | tuple) else (),
        text("checker"),
        entry.get("traceback") is True,
        text("session_id"),
        text("transcript_path"),
    )


def read_answer(value: Mapping[str, Any]) -> Answer:
    """The answer in the value of an ``ok`` entry, whatever its shape."""
    problems = [f"no {name}" for name in ("decision", "reasons", "continuation_prompt", "summary") if name not in value]
    decision, reasons = value.get("decision"), value.get("reasons")
    if decision not in ("approve", "block"):
        problems.append(f"decision {str(decision)[:40]!r}")
    if not isinstance(reasons, list | tuple) or not all(isinstance(reason, str) for reason in reasons):
        problems.append("reasons is no list of texts")
        reasons = ()
    texts: list[str | None] = []
    for name in ("continuation_prompt", "summary"):
        text = value.get(name)
        if text is not None and not isinstance(text, str):
            problems.append(f"{name} is no text")
        texts.append(text if isinstance(text, str) else None)
    log = read_log(value.get("log", ()))
    return Answer(str(decision), tuple(reasons), texts[0], texts[1], log, ", ".join(problems))
