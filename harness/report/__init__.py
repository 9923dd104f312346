"""One handler a format. Each consumes the events of a run and knows nothing of the others."""

from typing import Protocol

from harness.certify.events import Event


class Handler(Protocol):
    """Turns events into something to read."""

    def handle(self, event: Event) -> None:
        """Takes in one event, in the order of the run."""
        ...

    def close(self) -> None:
        """The run is over, or was broken off; may be called again."""
        ...
