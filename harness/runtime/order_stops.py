"""The order rules of failures and stops, INT-01..03; see order.py. Pure."""

from collections.abc import Iterator

from harness.core.events import (
    FailureObserved,
    FailureRecorded,
    SessionEvent,
    StopAnswered,
    StopRequested,
    SystemSilent,
)


class StopOrder:
    """Watches one session."""

    def __init__(self) -> None:
        self._unrecorded: str | None = None
        self._waiting: str | None = None
        self._blocked: bool | None = False  # None when a stop went without its answer, so that nobody knows

    def take(self, event: SessionEvent) -> Iterator[str]:
        """The rules that this event breaks."""
        if isinstance(event, SystemSilent) and event.system == "error_log":
            if event.operation == "log":
                self._unrecorded = None  # the log said nothing, so there is no record
            return
        if self._unrecorded is not None:
            if not isinstance(event, FailureRecorded) or event.correlation_id != self._unrecorded:
                yield "INT-01"
            self._unrecorded = None
        if isinstance(event, FailureObserved):
            self._unrecorded = event.correlation_id
        elif isinstance(event, StopRequested):
            if self._waiting is not None:
                yield "INT-02"
                self._blocked = None
            if self._blocked is not None and event.repeat is not self._blocked:
                yield "INT-03"
            self._waiting = event.correlation_id
        elif isinstance(event, StopAnswered):
            in_turn = event.correlation_id == self._waiting
            if not in_turn:
                yield "INT-02"
            self._blocked = event.decision == "block" if in_turn else None
            self._waiting = None

    def end(self) -> Iterator[str]:
        """The rules that are broken by an end here."""
        if self._unrecorded is not None:
            yield "INT-01"
        if self._waiting is not None:
            yield "INT-02"
