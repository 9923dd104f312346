"""What one operation has to say."""

from harness.core.log import LogEntry, LogLevel
from harness.systems.error_log.contract import LogCode


class Trace:
    """The log entries of one operation; the same is said once."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []

    def warning(self, code: LogCode, message: str) -> None:
        """Something that was dealt with."""
        self._say(LogEntry(LogLevel.WARNING, code, message))

    def error(self, code: LogCode, message: str, error: Exception) -> None:
        """Something that failed."""
        self._say(LogEntry(LogLevel.ERROR, code, f"{message}: {type(error).__name__}: {error}"))

    def told(self) -> tuple[LogEntry, ...]:
        """All of them."""
        return tuple(self.entries)

    def _say(self, entry: LogEntry) -> None:
        if entry not in self.entries:
            self.entries.append(entry)
