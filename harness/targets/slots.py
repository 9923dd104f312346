"""How many cases run at once. A case that only waits gives its slot to another, so that hangs do not add up."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harness.sandbox import Sandbox, SandboxPlan
from harness.sandbox.pool import SandboxPool

WAITING_AFTER_S = 0.5  # a case that has not answered by then is taken to be waiting, and holds no slot any more


class Slots:
    """A number of slots; each worker holds one while its case works. Sandboxes come from the ``pool``, if any.

    Who has waited goes on before anybody begins: a case that waits often would else be passed by all others each time.
    """

    def __init__(self, count: int, pool: SandboxPool | None = None) -> None:
        self._free = count
        self._back = 0  # cases that have waited and want to go on
        self._changed = threading.Condition()
        self._pool = pool

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds a slot."""
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 and not self._back)
            self._free -= 1
        try:
            yield
        finally:
            self._give()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Gives the slot that this worker holds away, and takes one back at the end."""
        self._give()
        try:
            yield
        finally:
            with self._changed:
                self._back += 1
                try:
                    self._changed.wait_for(lambda: self._free > 0)
                finally:
                    self._back -= 1
                    self._free -= 1
                    self._changed.notify_all()

    def _give(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()

    def sandbox(self, plan: SandboxPlan) -> Sandbox:
        """One for a worker, to be closed by it. MachineError, UsageError as of Sandbox."""
        return Sandbox(plan) if self._pool is None else self._pool.take(plan)
