"""What one operation has to say."""

from harness.systems import queue_store, trace
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


class Trace(trace.Trace):
    """The log entries of one operation; the same is said once."""

    def report(self, report: Report) -> None:
        """What the queues have to say."""
        self.warning(CODE_OF[report.kind], f"{report.queue}: {report.kind}: {report.detail}")
