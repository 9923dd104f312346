"""How many cases run at once. A case that only waits gives its slot to another, so that hangs do not add up."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

WAITING_AFTER_S = 0.5  # a case that has not answered by then is taken to be waiting, and holds no slot any more


class Slots:
    """A number of slots; each worker holds one while its case works."""

    def __init__(self, count: int) -> None:
        self._free = threading.Semaphore(count)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds a slot."""
        with self._free:
            yield

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Gives the slot that this worker holds away, and takes one back at the end."""
        self._free.release()
        try:
            yield
        finally:
            self._free.acquire()
