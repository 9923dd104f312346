"""What one operation has to say."""

from harness.core.log import LogEntry, LogLevel
from harness.systems import queue_store
from harness.systems.dead_letter.contract import LogCode
from harness.systems.queue_store import Report

CODE_OF = {
    queue_store.UNREADABLE: LogCode.QUEUE_UNREADABLE,
    queue_store.DAMAGED: LogCode.QUEUE_DAMAGED,
    queue_store.NOT_ASIDE: LogCode.QUEUE_DAMAGED,
    queue_store.DUPLICATE: LogCode.DUPLICATE_REMOVED,
    queue_store.NOT_REMOVED: LogCode.QUEUE_WRITE_FAILED,
    queue_store.METADATA: LogCode.QUEUE_DAMAGED,
}


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

    def report(self, report: Report) -> None:
        """What the queues have to say."""
        self.warning(CODE_OF[report.kind], f"{report.queue}: {report.kind}: {report.detail}")

    def told(self) -> tuple[LogEntry, ...]:
        """All of them."""
        return tuple(self.entries)

    def _say(self, entry: LogEntry) -> None:
        if entry not in self.entries:
            self.entries.append(entry)
