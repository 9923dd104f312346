"""Mutants of calls: how they go down the ladders, and when a human is called."""

from harness.core.events import FailureObserved
from harness.runtime.calls import Call
from harness.runtime.mutants.table import mutant
from harness.runtime.trial import Steps


@mutant("INT-13")
class StepNotTaken(Call):
    """The same model is asked on, whatever the ladder says."""

    def _steps_down(self) -> bool:
        before = dict(self._rungs)
        stays = self._failed and self._attempts < 2
        stepped = super()._steps_down()
        self._rungs = before if stays else self._rungs
        return stepped


@mutant("INT-14")
class CountForgotten(Call):
    """Leaving a rung is not counted."""

    def _steps_down(self) -> bool:
        self._failed = False
        return super()._steps_down()


@mutant("INT-14")
class EveryAttemptCounted(Call):
    """A failure counts at once, though it is tried again."""

    def _take(self, failure: FailureObserved) -> None:
        super()._take(failure)
        self._moment.tally.failures[self._task.id] = self._consecutive + 1
        self._failed = False


@mutant("INT-14")
class SuccessDoesNotReset(Call):
    """A success leaves the count of failures."""

    def _attempt(self) -> Steps[FailureObserved | None]:
        before = self._consecutive
        failure = yield from super()._attempt()
        self._moment.tally.failures[self._task.id] = before
        return failure


@mutant("INT-15")
class EscalationIgnored(Call):
    """A human is called, and the task goes on."""

    def _escalates(self) -> bool:
        super()._escalates()
        return False
