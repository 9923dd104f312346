"""Mutants of calls: what breakers are asked and told."""

from harness.core.events import FailureObserved
from harness.ports.launcher import Ended
from harness.runtime.calls import Call
from harness.runtime.mutants.table import mutant
from harness.runtime.trial import Pause, Steps
from harness.systems.circuit_breaker.contract import AcquireResult, Outcome
from harness.systems.rate_limit.contract import DelayArguments


@mutant("INT-01")
class RecordedLast(Call):
    """The breaker is told of a failure before it is recorded."""

    def _take(self, failure: FailureObserved) -> None:
        self._failed = True
        self._tell(Outcome.FAILURE, failure.message)
        self._record(failure)


@mutant("INT-04")
class Unasked(Call):
    """No breaker is asked."""

    def _admitted(self) -> Steps[bool]:
        yield from ()
        return True


@mutant("INT-04")
class RefusalIgnored(Call):
    """What a breaker refuses is run."""

    def _admitted(self) -> Steps[bool]:
        yield from ()
        self._ask()
        return True


@mutant("INT-04")
class AskedOnce(Call):
    """One permission serves for all attempts of a call."""

    def _admitted(self) -> Steps[bool]:
        return True if self._attempts else (yield from super()._admitted())


@mutant("INT-05")
class FailureUntold(Call):
    """A failure is told to no breaker."""

    def _take(self, failure: FailureObserved) -> None:
        self._failed = True
        self._record(failure)


@mutant("INT-05")
class SuccessUntold(Call):
    """A success is told to no breaker."""

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        if outcome is Outcome.FAILURE:
            super()._tell(outcome, error)


@mutant("INT-05")
class ToldAsSuccess(Call):
    """A failure is told to the breaker as a success."""

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        super()._tell(Outcome.SUCCESS, error)


@mutant("INT-05")
class ToldAfterClassifying(Call):
    """The breaker is told of a failure when it is classified already."""

    def _take(self, failure: FailureObserved) -> None:
        self._failed = True
        self._record(failure)

    def _is_rate_limit(self, failure: FailureObserved) -> bool:
        limited = super()._is_rate_limit(failure)
        self._tell(Outcome.FAILURE, failure.message)
        return limited


@mutant("INT-05")
class ToldAfterDiagnosis(Call):
    """The failure is diagnosed before the breaker is told of it."""

    def _take(self, failure: FailureObserved) -> None:
        self._failed = True
        self._record(failure)

    def _is_rate_limit(self, failure: FailureObserved) -> bool:
        super()._diagnose()
        self._tell(Outcome.FAILURE, failure.message)
        return super()._is_rate_limit(failure)

    def _diagnose(self) -> None:
        """It is done already."""


@mutant("INT-06")
class ToldTwice(Call):
    """A breaker is told everything twice."""

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        super()._tell(outcome, error)
        super()._tell(outcome, error)


@mutant("INT-08")
class RefusalTold(Call):
    """A refusal is told to the breaker as a failure."""

    def _ask(self) -> AcquireResult:
        answer = super()._ask()
        if not answer.permitted:
            self._tell(Outcome.FAILURE, answer.error)
        return answer


@mutant("INT-08")
class RefusalCounted(Call):
    """A refusal counts as a failure of the task."""

    def _ask(self) -> AcquireResult:
        answer = super()._ask()
        if not answer.permitted:
            self._moment.tally.failures[self._task.id] = self._consecutive + 1
        return answer


@mutant("INT-08")
class RefusalRecorded(Call):
    """A refusal is recorded as a failure."""

    def _ask(self) -> AcquireResult:
        answer = super()._ask()
        if not answer.permitted:
            self._record(self._moment.observed(self._task.tool, Ended("not_started", 0, "refused")))
        return answer


@mutant("INT-08")
class RefusalBackedOff(Call):
    """A refusal is backed off from."""

    def _ask(self) -> AcquireResult:
        answer = super()._ask()
        if not answer.permitted:
            self._systems.backoff.next_delay(DelayArguments(self._retries + 1), self._now_s)
        return answer


@mutant("INT-16")
class Polling(Call):
    """An OPEN breaker is asked again every ten seconds."""

    def _pause(self, cause: str, for_s: float) -> Pause:
        return super()._pause(cause, min(for_s, 10.0) if cause == "cooldown" else for_s)
