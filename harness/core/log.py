"""Log entries as an implementation states them in its answers: one word for what happened, whatever its own says."""

from enum import StrEnum

import msgspec


class LogLevel(StrEnum):
    """How bad it is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One log entry of a call. ``code`` is one of LogCode, or another word of the implementation's own."""

    level: LogLevel
    code: str
    message: str = ""
