"""What one operation of a reference has to say."""

from harness.core.log import LogEntry, LogLevel


class Trace:
    """The log entries of one operation, which go to ``entries``; the same is said once."""

    def __init__(self, entries: list[LogEntry] | None = None) -> None:
        self.entries: list[LogEntry] = [] if entries is None else entries

    def warning(self, code: str, message: str) -> None:
        """Something that was dealt with, or refused as it has to be."""
        self._say(LogEntry(LogLevel.WARNING, code, message))

    def error(self, code: str, message: str, error: Exception) -> None:
        """Something that failed."""
        self._say(LogEntry(LogLevel.ERROR, code, f"{message}: {type(error).__name__}: {error}"))

    def told(self) -> tuple[LogEntry, ...]:
        """All of them."""
        return tuple(self.entries)

    def _say(self, entry: LogEntry) -> None:
        if entry not in self.entries:
            self.entries.append(entry)
