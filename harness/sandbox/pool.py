"""Sandboxes that are used by one after the other, since building one takes longer than most that is run in it."""

import threading
from types import TracebackType
from typing import Self

from harness.errors import HarnessFault, MachineError
from harness.sandbox.plan import SandboxPlan
from harness.sandbox.sandbox import Sandbox


class SandboxPool:
    """Lends sandboxes to many threads; a context manager that takes them down. ``close`` of one gives it back.

    Of those that nobody uses it keeps the last ``most``, None for all: each is a process, and some memory.
    """

    def __init__(self, most: int | None = None) -> None:
        self._guard = threading.Lock()
        self._idle: list[_Lent] = []
        self._most = most
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            self._ended = True
            idle, self._idle = self._idle, []
        for each in idle:
            each.take_down()

    def take(self, plan: SandboxPlan) -> Sandbox:
        """A fresh one of that plan, which nobody else uses. MachineError, UsageError as of Sandbox."""
        with self._guard:
            for at in reversed(range(len(self._idle))):
                if self._idle[at].plan == plan:
                    found = self._idle.pop(at)
                    found.is_lent = True
                    return found
        return _Lent(plan, self)

    def give_back(self, sandbox: "_Lent") -> None:
        """It is used no more; one that cannot be made fresh, or comes when the pool has ended, is taken down."""
        if sandbox.is_aborted or not _fresh(sandbox):
            sandbox.take_down()
            return
        with self._guard:
            self._idle.append(sandbox)
            too_many = len(self._idle) if self._ended else len(self._idle) - self._most if self._most is not None else 0
            gone = [self._idle.pop(0) for _ in range(too_many)]
        for each in gone:
            each.take_down()


def _fresh(sandbox: Sandbox) -> bool:
    try:
        sandbox.fresh()
    except (MachineError, HarnessFault):  # it broke
        return False
    return True


class _Lent(Sandbox):
    def __init__(self, plan: SandboxPlan, pool: SandboxPool) -> None:
        super().__init__(plan)
        self._pool = pool
        self.is_lent = True
        self.is_aborted = False  # its agent may live for another moment, and answer

    def close(self) -> None:
        """Give it back; whoever does so again may have nothing any more."""
        if self.is_lent and not self.is_closed:
            self.is_lent = False
            self._pool.give_back(self)

    def abort(self) -> None:
        """See Sandbox.abort."""
        self.is_aborted = True
        super().abort()

    def take_down(self) -> None:
        """See Sandbox.close."""
        super().close()
