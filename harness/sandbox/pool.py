"""Sandboxes that are used by one after the other, since building one takes longer than most that is run in it."""

import threading
from types import TracebackType
from typing import Self

from harness.errors import HarnessFault, MachineError
from harness.sandbox.plan import SandboxPlan
from harness.sandbox.sandbox import Sandbox


class SandboxPool:
    """Lends sandboxes to many threads; a context manager that takes them down. ``close`` of one gives it back."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._idle: dict[SandboxPlan, list[_Lent]] = {}
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            self._ended = True
            idle = [each for kept in self._idle.values() for each in kept]
            self._idle.clear()
        for each in idle:
            each.take_down()

    def take(self, plan: SandboxPlan) -> Sandbox:
        """A fresh one of that plan, which nobody else uses. MachineError, UsageError as of Sandbox."""
        with self._guard:
            idle = self._idle.get(plan)
            if idle:
                return idle.pop()
        return _Lent(plan, self)

    def give_back(self, sandbox: "_Lent") -> None:
        """It is used no more; one that cannot be made fresh, or comes when the pool has ended, is taken down."""
        try:
            sandbox.fresh()
        except (MachineError, HarnessFault):  # it was aborted, or broke
            sandbox.take_down()
            return
        with self._guard:
            kept = not self._ended
            if kept:
                self._idle.setdefault(sandbox.plan, []).append(sandbox)
        if not kept:
            sandbox.take_down()


class _Lent(Sandbox):
    def __init__(self, plan: SandboxPlan, pool: SandboxPool) -> None:
        super().__init__(plan)
        self._pool = pool

    def close(self) -> None:
        """Give it back."""
        if not self.is_closed:
            self._pool.give_back(self)

    def take_down(self) -> None:
        """See Sandbox.close."""
        super().close()
