"""Mutants of the CLOSED state, of what trips it and of the tunables: LK-CB-09 to LK-CB-11, LK-CB-22 to LK-CB-25."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.circuit_breaker.contract import Held, Outcome, RecordArguments, RecordResult, Tunables
from harness.systems.circuit_breaker.mutants.table import SECOND_US, mutant
from harness.systems.circuit_breaker.reference.breaker import CLOSED, REFUSED, SUCCESS, Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.pace import COUNTS, Pace, Tuning, TuningError
from harness.systems.circuit_breaker.reference.records import microseconds
from harness.systems.circuit_breaker.reference.transitions import Event


@mutant("refuses-after-a-failure", "LK-CB-09", "a CLOSED breaker refuses for a second after each failure")
class RefusesAfterAFailure(Breaker):
    def ask(self, call: str, now_us: int) -> Held | None:
        recent = self.last_failure_us is not None and now_us - self.last_failure_us < SECOND_US
        return REFUSED if self.state is CLOSED and recent else super().ask(call, now_us)


@mutant("one-at-a-time", "LK-CB-09", "a CLOSED breaker lets one call run at a time")
class OneAtATime(Breaker):
    def ask(self, call: str, now_us: int) -> Held | None:
        busy = self.state is CLOSED and self.period in self._calls.values()
        return REFUSED if busy else super().ask(call, now_us)


@mutant("refuses-with-two-failures", "LK-CB-09", "a CLOSED breaker with two failures refuses as if it were OPEN")
class RefusesWithTwoFailures(Breaker):
    def ask(self, call: str, now_us: int) -> Held | None:
        full = self.state is CLOSED and len(self.recent(now_us)) == self.pace.threshold - 1 > 0
        return REFUSED if full else super().ask(call, now_us)


@mutant("opens-at-four", "LK-CB-10", "one failure more than the threshold opens")
class OpensAtFour(Breaker):
    def is_enough(self) -> bool:
        return self.failure_count > self.pace.threshold


@mutant("window-of-59-s", "LK-CB-10", "failures count for a second less than the window")
class WindowOf59S(Breaker):
    def recent(self, now_us: int) -> list[int]:
        since_us = now_us - self.pace.window_us + SECOND_US
        return [min(failure_us, now_us) for failure_us in self.failures if failure_us >= since_us]


@mutant("opens-by-rate", "LK-CB-10", "half of the calls have to fail as well, as in a breaker by rate")
class OpensByRate(Breaker):
    def is_enough(self) -> bool:
        return super().is_enough() and len(self._calls) <= 2 * self.failure_count


@mutant("calls-in-flight-hold-it-closed", "LK-CB-10", "while calls are in flight no failure opens")
class CallsInFlightHoldItClosed(Breaker):
    def is_enough(self) -> bool:
        return super().is_enough() and self.period not in self._calls.values()


@mutant("same-error-counts-once", "LK-CB-10", "a failure with the error of the one before does not count")
class SameErrorCountsOnce(Breaker):
    def failed(self, now_us: int, error: str | None) -> None:
        if not self.failures or error != self.last_error:
            super().failed(now_us, error)


@mutant("opens-at-two", "LK-CB-11", "one failure less than the threshold opens")
class OpensAtTwo(Breaker):
    def is_enough(self) -> bool:
        return self.failure_count >= max(1, self.pace.threshold - 1)


@mutant("window-of-61-s", "LK-CB-11", "failures count for a second more than the window")
class WindowOf61S(Breaker):
    def recent(self, now_us: int) -> list[int]:
        since_us = now_us - self.pace.window_us - SECOND_US
        return [min(failure_us, now_us) for failure_us in self.failures if failure_us >= since_us]


@mutant("failures-never-age", "LK-CB-11", "failures are counted for ever")
class FailuresNeverAge(Breaker):
    def recent(self, now_us: int) -> list[int]:
        return self.failures


@mutant("window-renewed-by-each-failure", "LK-CB-11", "each failure begins the window of all before it anew")
class WindowRenewedByEachFailure(Breaker):
    def recent(self, now_us: int) -> list[int]:
        return self.failures if self.failures and now_us - self.failures[-1] <= self.pace.window_us else []


@mutant("successes-count-as-failures", "LK-CB-11", "every result counts, whatever it is")
class SuccessesCountAsFailures(Breaker):
    def succeeded(self, now_us: int) -> None:
        self.failed(now_us, None)


@mutant("trips-into-half-open", "LK-CB-22", "the third failure leads to HALF_OPEN at once")
class TripsIntoHalfOpen(Breaker):
    def trip(self, now_us: int) -> None:
        super().trip(now_us)
        self.cool(now_us)


@mutant("late-success-closes", "LK-CB-22", "a late success while OPEN closes the breaker")
class LateSuccessCloses(Breaker):
    def told_while_open(self, call: str, outcome: Outcome, now_us: int, error: str | None) -> None:
        if outcome is SUCCESS:
            self.move(Event.COOLED, now_us)
            self.close(now_us)


@mutant("late-failure-renews-the-cooldown", "LK-CB-12", "a late failure while OPEN begins the cooldown anew")
class LateFailureRenewsTheCooldown(Breaker):
    def told_while_open(self, call: str, outcome: Outcome, now_us: int, error: str | None) -> None:
        if outcome is not SUCCESS:
            self.begin_cooldown(now_us)
            self.unsaved = True


@mutant("success-is-a-failure-less", "LK-CB-10", "a success while CLOSED takes one failure back, and leaves the others")
class SuccessIsAFailureLess(CircuitBreakers):
    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        found = super().record(arguments, now_s)
        if arguments.outcome is SUCCESS and found.state is CLOSED:
            self.change(self.key(arguments.name), microseconds(now_s), self.begin(), _one_less)
        return found


def _one_less(breaker: Breaker) -> None:
    if breaker.failures:
        breaker.failures = breaker.failures[1:]
        breaker.failure_count = len(breaker.failures)
        breaker.unsaved = True


# -- tunables


@mutant("tunables-are-ignored", "LK-CB-25", "the defaults are in force, whatever is set")
class TunablesAreIgnored(Tuning):
    def pace(self, tunables: Tunables) -> Pace:
        return super().pace(Tunables())


@mutant("defaults-are-five", "LK-CB-25", "five failures open and five successes close unless other numbers are set")
class DefaultsAreFive(Tuning):
    def pace(self, tunables: Tunables) -> Pace:
        return (
            super()
            .pace(tunables)
            ._replace(**{name: 5 for name in COUNTS if getattr(tunables, name) == getattr(Tunables(), name)})
        )


def _ignoring(name: str) -> type[Tuning]:
    def pace(self: Tuning, tunables: Tunables) -> Pace:
        return Tuning.pace(self, msgspec.structs.replace(tunables, **{name: getattr(Tunables(), name)}))

    return type(f"Ignores{name.title().replace('_', '')}", (Tuning,), {"pace": pace})


for _name in Tunables.__struct_fields__:
    mutant(f"{_name.replace('_', '-')}-is-fixed", "LK-CB-25", f"{_name} keeps its default")(_ignoring(_name))


@mutant("zero-is-a-count", "LK-CB-25", "a count of zero, or below, is accepted")
class ZeroIsACount(Tuning):
    def is_count(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)


@mutant("true-is-a-count", "LK-CB-25", "true is accepted as a count")
class TrueIsACount(Tuning):
    def is_count(self, value: Any) -> bool:
        return value is True or super().is_count(value)


@mutant("fractions-are-counts", "LK-CB-25", "a fractional count is accepted and cut")
class FractionsAreCounts(Tuning):
    def is_count(self, value: Any) -> bool:
        return super().is_count(value) or (isinstance(value, float) and value > 1)


@mutant("texts-are-times", "LK-CB-25", "a text that looks like a number is accepted as a time")
class TextsAreTimes(Tuning):
    def is_time(self, value: Any) -> bool:
        return super().is_time(float(value) if isinstance(value, str) and value.isdecimal() else value)


@mutant("times-of-zero-are-accepted", "LK-CB-25", "times of zero, and below, are accepted")
class TimesOfZeroAreAccepted(Tuning):
    def is_time(self, value: Any) -> bool:
        return super().is_time(value) or (
            isinstance(value, (int, float)) and not isinstance(value, bool) and value <= 0
        )


@mutant("unknown-tunables-are-swallowed", "LK-CB-25", "a tunable that does not exist is accepted, and dropped")
class UnknownTunablesAreSwallowed(Tuning):
    def tuned(self, tunables: Tunables, changes: Mapping[str, Any]) -> Tunables:
        known = {name: value for name, value in changes.items() if name in Tunables.__struct_fields__}
        return super().tuned(tunables, known)


@mutant("bad-tunables-half-applied", "LK-CB-25", "of refused values those before the bad one are in force")
class BadTunablesHalfApplied(Tuning):
    def tuned(self, tunables: Tunables, changes: Mapping[str, Any]) -> Tunables:
        for name, value in changes.items():
            try:
                tunables = super().tuned(tunables, {name: value})
            except TuningError:
                continue
        return tunables
