"""What excuses whoever could not write: a full disk, or the end of a process in the middle of an operation."""

from harness.core.events import SessionCut, SessionEvent, StorageChanged


class Weather:
    """``is_full``: nothing can be written. ``cut``: at whose change a process died just now, empty for none."""

    def __init__(self) -> None:
        self.is_full = False
        self.cut = ""

    def take(self, event: SessionEvent) -> None:
        """One more event."""
        self.cut = event.changing if isinstance(event, SessionCut) else ""
        if isinstance(event, StorageChanged):
            self.is_full = event.full
