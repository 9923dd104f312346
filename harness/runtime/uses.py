"""The use of a local tool: no breaker and no ladder; what fails is diagnosed, recovered from, or goes to the user."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.events import UseBegun, UseEnded
from harness.runtime.moment import Moment, Work
from harness.runtime.ports import Systems
from harness.runtime.recovery import Recovery
from harness.runtime.trial import DONE, ESCALATED, MOST_STEPS, Steps, Trial
from harness.runtime.witness import ASKED


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """``tool`` is used with ``args`` for a task; ``command`` does it, with ``{strategy}`` in its words.

    The strategy is the recovery that is tried, empty the first time.
    """

    task: str
    tool: str
    command: tuple[str, ...]
    args: Mapping[str, Any] = {}
    goal: str = ""
    env: Mapping[str, str] = {}
    timeout_s: float = 60.0


class ToolUse(Trial):
    """One use of it."""

    def __init__(self, name: str, use: Use, systems: Systems, moment: Moment, recovery: type[Recovery]) -> None:
        work = Work(use.task, use.tool, use.args, use.goal, use.command, use.env, use.timeout_s)
        super().__init__(name, work, systems, moment, recovery)

    def steps(self) -> Steps[str]:
        """Runs it; DONE or ESCALATED."""
        self._note(UseBegun, task=self._work.task, tool=self._work.tool)
        outcome = yield from self._outcome()
        self._note(UseEnded, outcome=outcome)
        return outcome

    def _outcome(self) -> Steps[str]:
        while True:
            failure = yield from self._attempt()
            if failure is None:
                return DONE
            delay_s = self._delay_after(failure)
            if delay_s is not None:
                yield self._pause("back_off", delay_s)
                continue
            self._recovery.leave(self._attempts)
            self._steps += 1
            if self._recovery.asks_user or not self._recovery.has_next or self._steps > MOST_STEPS:
                self._raise((ASKED,))
                return ESCALATED
            self._retries = 0
            self._recovery.begin()
