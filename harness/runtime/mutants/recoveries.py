"""Mutants of recoveries and of the error log: what is logged, diagnosed, tried and told."""

from typing import Any

from harness.core.events import ErrorsReported, EscalationRaised, FailureObserved, NonBlockingFailed
from harness.ports.launcher import Ended
from harness.runtime.calls import Call, Task
from harness.runtime.moment import Moment, Work
from harness.runtime.mutants.table import mutant
from harness.runtime.ports import Diagnostician, ErrorLog, Outside, Place, Systems
from harness.runtime.recovery import Recovery
from harness.runtime.session import Session
from harness.runtime.trial import ESCALATED, Steps
from harness.runtime.uses import ToolUse
from harness.systems.diagnosis.contract import ObserveArguments
from harness.systems.error_log.contract import (
    ClassifyArguments,
    ClassifyResult,
    ErrorType,
    FinishArguments,
    FinishResult,
    LogArguments,
    LogResult,
)


class _OneRecord:
    """An error log that gives every error the record of the first."""

    def __init__(self, inner: ErrorLog) -> None:
        self._inner = inner
        self._first: LogResult | None = None

    def classify(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        return self._inner.classify(arguments, now_s)

    def log(self, arguments: LogArguments, now_s: float) -> LogResult:
        result = self._inner.log(arguments, now_s)
        self._first = self._first or result
        return self._first

    def finish(self, arguments: FinishArguments, now_s: float) -> FinishResult:
        return self._inner.finish(arguments, now_s)


@mutant("INT-23")
class LoggedTwice(Session):
    """A failure is logged twice."""

    def _log(self, name: str, kind: str, message: str, tool: str | None = None) -> None:
        super()._log(name, kind, message, tool)
        super()._log(name, kind, message, tool)


@mutant("INT-23")
class SuccessLogged(Session):
    """What a call came to is logged as well, failure or not."""

    def _write_result(self, call: str, content: str) -> None:
        super()._write_result(call, content)
        self._log(call, "validation_failed", content)


@mutant("INT-23")
class RecordShared(Session):
    """All failures have one record."""

    def __init__(self, session_id: str, place: Place, outside: Outside, systems: Systems, **rest: Any) -> None:
        shared = systems._replace(error_log=_OneRecord(systems.error_log))
        super().__init__(session_id, place, outside, shared, **rest)


@mutant("INT-24")
class Undiagnosed(Recovery):
    """No failure is diagnosed."""

    def diagnose(self, name: str, work: Work, ended: Ended, attempts: int) -> None:
        """See Recovery.diagnose."""


@mutant("INT-24")
class DiagnosedWhenLeft(Call):
    """A failure that back-off tries again is not diagnosed."""

    def _delay_after(self, failure: FailureObserved) -> float | None:
        delay_s = self._delay() if self._is_rate_limit(failure) else None
        if delay_s is None:
            self._diagnose()
        return delay_s


@mutant("INT-24")
class FirstOnly(Recovery):
    """Only the first failure of a call is diagnosed, not those of recoveries."""

    def diagnose(self, name: str, work: Work, ended: Ended, attempts: int) -> None:
        """See Recovery.diagnose."""
        if self._is_under_way:
            self._has_failed = True
        else:
            super().diagnose(name, work, ended, attempts)


@mutant("INT-25")
class NeverAsked(Recovery):
    """The diagnosis asks the user, and something is tried all the same."""

    def leave(self, attempts: int) -> None:
        """See Recovery.leave."""
        super().leave(attempts)
        self.asks_user = False


@mutant("INT-25")
class AskedAtOnce(Recovery):
    """The user is asked about every failure."""

    def leave(self, attempts: int) -> None:
        """See Recovery.leave."""
        super().leave(attempts)
        self.asks_user = self._has_failed


@mutant("INT-25")
class GivenUp(ToolUse):
    """After two failed recoveries the use of a tool ends, and nobody is asked."""

    def _raise(self, triggers: tuple[str, ...]) -> None:
        self._moment.tally.with_human.add(self._work.task)

    def _outcome(self) -> Steps[str]:
        outcome = yield from super()._outcome()
        return "failed" if outcome == ESCALATED else outcome


@mutant("INT-26")
class StoppedByCommit(Session):
    """What fails beside the work calls a human."""

    _task = ""

    def steps(self, task: Task) -> Steps[str]:
        """See Session.steps."""
        self._task = task.id
        return super().steps(task)

    def _fail_beside(self, name: str, kind: str, message: str) -> None:
        super()._fail_beside(name, kind, message)
        self._moment.tally.with_human.add(self._task)
        failures = self._moment.tally.failures.get(self._task, 0)
        self._note(EscalationRaised, task=self._task, triggers=(kind,), consecutive_failures=failures)


@mutant("INT-27")
class ForgottenAtTheEnd(Session):
    """What did not stop the session is reported by nobody."""

    def finish(self) -> tuple[str, ...]:
        """See Session.finish."""
        return ()


@mutant("INT-27")
class ReportedAtOnce(Session):
    """What did not stop the session is reported when it happens, and not at the end."""

    def _fail_beside(self, name: str, kind: str, message: str) -> None:
        super()._fail_beside(name, kind, message)
        self._note(ErrorsReported, names=(name,))

    def finish(self) -> tuple[str, ...]:
        """See Session.finish."""
        return ()


@mutant("INT-27")
class LastReported(Session):
    """Only the last of what did not stop the session is reported."""

    def finish(self) -> tuple[str, ...]:
        """See Session.finish."""
        names = tuple(self._did_not_stop[-1:])
        self._note(ErrorsReported, names=names)
        return names


@mutant("INT-28")
class StrategyForgotten(Recovery):
    """What was done before is done again, without the recommended strategy."""

    def begin(self) -> None:
        """See Recovery.begin."""
        super().begin()
        self.trying = ""


@mutant("INT-28")
class StrategyRepeated(Recovery):
    """The second recovery is the first one again."""

    def begin(self) -> None:
        """See Recovery.begin."""
        before = self.trying
        super().begin()
        self.trying = before or self.trying


@mutant("INT-28")
class StrategyBeforehand(Recovery):
    """Something is recovered from before anything has failed."""

    def __init__(self, diagnostician: Diagnostician, moment: Moment) -> None:
        super().__init__(diagnostician, moment)
        self.trying = "retry"


@mutant("INT-29")
class SuccessDiagnosed(Call):
    """A success is diagnosed as if it had failed."""

    def _succeed(self) -> None:
        super()._succeed()
        arguments = ObserveArguments(self._attempt_name, self._work.tool, self._work.args, success=False)
        self._systems.diagnostician.observe(arguments, self._now_s)


@mutant("INT-29")
class DiagnosedTwice(Recovery):
    """A failure is diagnosed twice."""

    def diagnose(self, name: str, work: Work, ended: Ended, attempts: int) -> None:
        """See Recovery.diagnose."""
        super().diagnose(name, work, ended, attempts)
        super().diagnose(name, work, ended, attempts)


@mutant("INT-29")
class CommitDiagnosed(Session):
    """What fails beside the work is diagnosed."""

    def _fail_beside(self, name: str, kind: str, message: str) -> None:
        super()._fail_beside(name, kind, message)
        arguments = ObserveArguments(name, kind, {}, success=False, error={"message": message})
        self._systems.diagnostician.observe(arguments, self._outside.clock.now_s())


@mutant("INT-30")
class ReportedUnlogged(Session):
    """What fails beside the work is reported, and not logged."""

    def _fail_beside(self, name: str, kind: str, message: str) -> None:
        self._note(NonBlockingFailed, name=name, error_type=kind, message=message)
        self._did_not_stop.append(name)


@mutant("INT-30")
class LoggedAtTheEnd(ReportedUnlogged):
    """What fails beside the work is logged when it has been reported."""

    def finish(self) -> tuple[str, ...]:
        """See Session.finish."""
        late = tuple(self._did_not_stop)
        names = super().finish()
        for name in late:
            self._log(name, ErrorType.GIT_COMMIT_FAILURE, name)
        return names


@mutant("INT-31")
class OutcomeUntold(Recovery):
    """The diagnosis is not told how a recovery ended."""

    def _end(self, *, success: bool, attempts: int) -> None:
        return


@mutant("INT-31")
class FailureKept(Recovery):
    """The diagnosis is told only of recoveries that succeed."""

    def _end(self, *, success: bool, attempts: int) -> None:
        if success:
            super()._end(success=success, attempts=attempts)


@mutant("INT-31")
class OutcomeInverted(Recovery):
    """The diagnosis is told the contrary."""

    def _end(self, *, success: bool, attempts: int) -> None:
        super()._end(success=not success, attempts=attempts)


@mutant("INT-31")
class OutcomeTwice(Recovery):
    """The diagnosis is told twice."""

    def _end(self, *, success: bool, attempts: int) -> None:
        super()._end(success=success, attempts=attempts)
        super()._end(success=success, attempts=attempts)
