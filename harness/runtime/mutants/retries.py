"""Mutants of calls: what becomes of a failure that may be a rate limit."""

from harness.core.events import FailureObserved
from harness.runtime.calls import Call
from harness.runtime.mutants.table import mutant
from harness.runtime.trial import Pause
from harness.systems.fallback.contract import Ladder
from harness.systems.rate_limit.contract import DelayArguments


@mutant("INT-09")
class RetriedAtOnce(Call):
    """A rate limit is tried again without asking for a delay."""

    def _delay(self) -> float | None:
        return 0.0


@mutant("INT-09")
class Unclassified(Call):
    """No failure is looked at: the next model is asked."""

    def _is_rate_limit(self, failure: FailureObserved) -> bool:
        self._way = Ladder.MODEL
        return False


@mutant("INT-09")
class EverythingRetried(Call):
    """Any failure is backed off from, not only rate limits."""

    def _delay_after(self, failure: FailureObserved) -> float | None:
        delay_s = super()._delay_after(failure)
        if delay_s is None and self._retries == 0:
            self._retries += 1
            delay_s = self._systems.backoff.next_delay(DelayArguments(1), self._now_s).delay_s
        return delay_s


@mutant("INT-10")
class DelayNotWaited(Call):
    """The delay is not waited."""

    def _pause(self, cause: str, for_s: float) -> Pause:
        return super()._pause(cause, 0.0 if cause == "back_off" else for_s)


@mutant("INT-10")
class DelayHalved(Call):
    """Half of the delay is waited."""

    def _pause(self, cause: str, for_s: float) -> Pause:
        pause = super()._pause(cause, for_s)
        return Pause(pause.for_s / 2) if cause == "back_off" else pause


@mutant("INT-11")
class RetriesUncounted(Call):
    """Every retry is the first one."""

    def _delay(self) -> float | None:
        self._retries = 0
        return super()._delay()


@mutant("INT-11")
class RetriesCarriedOver(Call):
    """The next model begins with the retries of the last."""

    def _steps_down(self) -> bool:
        retries = self._retries
        stepped = super()._steps_down()
        self._retries = retries
        return stepped


@mutant("INT-12")
class FellBackAtOnce(Call):
    """A rate limit is a reason to fall back, without any retry."""

    def _delay(self) -> float | None:
        return None


@mutant("INT-12")
class FellBackEarly(Call):
    """A retry is scheduled, and the next model asked instead."""

    def _delay(self) -> float | None:
        super()._delay()
        return None
