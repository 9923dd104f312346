"""What one operation has to say."""

from harness.systems import trace


class Trace(trace.Trace):
    """The log entries of one operation; the same is said once. ``unread``: something is there and cannot be read."""

    def __init__(self) -> None:
        super().__init__()
        self.unread = False

    def unreadable(self, code: str, message: str, error: OSError) -> None:
        """Something that is there, and cannot be read."""
        self.unread = True
        self.error(code, message, error)
