"""How many cases run at once. A case that only waits gives its slot to another, so that hangs do not add up."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harness.sandbox import Sandbox, SandboxPlan
from harness.sandbox.pool import SandboxPool

WAITING_AFTER_S = 0.5  # a case that has not answered by then is taken to be waiting, and holds no slot any more


class Slots:
    """A number of slots; each worker holds one while its case works. Sandboxes come from the ``pool``, if any."""

    def __init__(self, count: int, pool: SandboxPool | None = None) -> None:
        self._free = threading.Semaphore(count)
        self._pool = pool

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

    def sandbox(self, plan: SandboxPlan) -> Sandbox:
        """One for a worker, to be closed by it. MachineError, UsageError as of Sandbox."""
        return Sandbox(plan) if self._pool is None else self._pool.take(plan)
