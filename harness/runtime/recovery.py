"""What is diagnosed of the failures of one call, and tried against them.

A *recovery* is an attempt, with its retries after rate limits, by the strategy that the diagnosis recommends. It begins
when what failed is left behind, and ends with its success or when it is left itself. As long as none has begun, each
failure stands for the one before it: a rate limit that back-off has tried again is nothing to recover from any more.
"""

import errno
import signal
from collections.abc import Mapping
from typing import Any

from harness.ports.launcher import Ended
from harness.runtime.moment import Moment, Work
from harness.runtime.ports import Diagnostician
from harness.runtime.witness import strategy_of
from harness.systems.diagnosis.contract import ObserveArguments, OutcomeArguments, PromptArguments, ReportArguments

COMMAND_NOT_FOUND = 127  # as a shell says it
NOT_EXECUTABLE = 126


class Recovery:
    """``trying`` is the strategy of the next attempt, empty when none is tried; ``asks_user`` ends all attempts."""

    def __init__(self, diagnostician: Diagnostician, moment: Moment) -> None:
        self._diagnostician = diagnostician
        self._moment = moment
        self.trying = ""
        self.asks_user = False
        self._failure = ""  # the one that is recovered from, by name
        self._latest = ""
        self._recommended = ""
        self._since = 0  # attempts, when it was made
        self._is_under_way = False
        self._has_failed = False  # since what is tried now was begun

    def diagnose(self, name: str, work: Work, ended: Ended, attempts: int) -> None:
        """The attempt of that name failed: why, and what now? The next reflection reads it (DR-TRG-03)."""
        context = self._moment.history.context(work.goal)
        arguments = ObserveArguments(name, work.tool, work.args, success=False, error=error_of(ended), context=context)
        result = self._diagnostician.observe(arguments, self._now_s)
        strategy = strategy_of((result.diagnosis or {}).get("recoveryPlan"))
        self.asks_user = result.asks_user
        self._latest, self._has_failed = name, True
        if not self._is_under_way:
            self._failure, self._recommended, self._since = name, strategy, attempts
        prompt = self._diagnostician.prompt(PromptArguments(name), self._now_s)
        if prompt.text:
            self._moment.say("user", prompt.text)

    def succeeded(self, attempts: int) -> None:
        """What was tried last did it."""
        if self._is_under_way:
            self._end(success=True, attempts=attempts)
        self.trying, self._is_under_way, self._has_failed = "", False, False

    def leave(self, attempts: int) -> None:
        """What was tried last is left behind; a recovery among it has failed."""
        if self._is_under_way and self._has_failed:
            self._end(success=False, attempts=attempts)

    def begin(self) -> None:
        """From the next attempt on what is recommended is tried, if there was a failure."""
        if self._has_failed:
            self.trying = self._recommended
            self._is_under_way = self._is_under_way or self.has_next
        self._has_failed = False

    @property
    def has_next(self) -> bool:
        """Is anything recommended?"""
        return bool(self._recommended)

    def report(self) -> None:
        """The user is asked, and shown what was found and tried (DR-UI-01)."""
        if self._latest:
            shown = self._diagnostician.report(ReportArguments(self._failure or self._latest), self._now_s)
            if shown.text:
                self._moment.say("assistant", shown.text)

    def _end(self, *, success: bool, attempts: int) -> None:
        arguments = OutcomeArguments(self._failure, success, attempts - self._since)
        result = self._diagnostician.outcome(arguments, self._now_s)
        if not success:
            self._recommended = strategy_of(result.next_plan)
            self.asks_user = self.asks_user or result.asks_user or not self.has_next

    @property
    def _now_s(self) -> float:
        return self._moment.clock.now_s()


def error_of(ended: Ended) -> Mapping[str, Any]:
    """How a command ended, as the error of a diagnosis (Input Context)."""
    if ended.kind == "exit":
        return {"message": f"Command failed: exit code {ended.code}", "code": ended.code, "stderr": ended.output}
    if ended.kind == "signal":
        name = _signal_name(ended.code)
        return {"message": f"Command was ended by {name}", "signal": name, "stderr": ended.output}
    if ended.kind == "timeout":
        return {"message": f"Command timed out: {ended.output}"}
    if ended.kind == "not_started" and ended.code in (errno.ENOENT, errno.EACCES):
        code = COMMAND_NOT_FOUND if ended.code == errno.ENOENT else NOT_EXECUTABLE
        return {"message": f"Command could not be started: {ended.output}", "code": code}
    return {"message": ended.output}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
