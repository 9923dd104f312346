"""Mutants of the OPEN state and its cooldown: LK-CB-12 to LK-CB-16, LK-RP-01."""

import msgspec

from harness.systems.circuit_breaker.contract import Held
from harness.systems.circuit_breaker.mutants.table import SECOND_US, mutant, rewritten
from harness.systems.circuit_breaker.reference.breaker import OPEN, REFUSED, Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.records import Stored
from harness.systems.circuit_breaker.reference.state_file import StateFile
from harness.systems.circuit_breaker.reference.transitions import Event


@mutant("cooldown-of-299-s", "LK-CB-12", "the cooldown is a second too short")
class CooldownOf299S(Breaker):
    def begin_cooldown(self, now_us: int) -> None:
        super().begin_cooldown(now_us - SECOND_US)


@mutant("cooldown-of-301-s", "LK-CB-12", "the cooldown is a second too long")
class CooldownOf301S(Breaker):
    def begin_cooldown(self, now_us: int) -> None:
        super().begin_cooldown(now_us)
        self.cooldown_us = self.pace.cooldown_us + SECOND_US
        self.cooldown_until_us = now_us + self.cooldown_us


@mutant("cooldown-from-the-first-failure", "LK-CB-12", "the cooldown begins with the first failure of the window")
class CooldownFromTheFirstFailure(Breaker):
    def trip(self, now_us: int) -> None:
        super().trip(now_us)
        self.begin_cooldown(self.failures[0])


@mutant("cooldown-end-is-not-written", "LK-CB-12", "cooldown_until is left out of the file")
class CooldownEndIsNotWritten(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, cooldown_until=None)


@mutant("no-cooldown", "LK-CB-12", "the cooldown ends as it begins")
class NoCooldown(Breaker):
    def begin_cooldown(self, now_us: int) -> None:
        super().begin_cooldown(now_us)
        self.cooldown_until_us = now_us


@mutant("open-permits", "LK-CB-13", "an OPEN breaker permits every call")
class OpenPermits(Breaker):
    def withheld(self, call: str, now_us: int) -> Held | None:
        return None if self.state is OPEN and not self.is_over(now_us) else super().withheld(call, now_us)


@mutant("every-other-call-passes", "LK-CB-13", "an OPEN breaker refuses only every other call")
class EveryOtherCallPasses(Breaker):
    def withheld(self, call: str, now_us: int) -> Held | None:
        found = super().withheld(call, now_us)
        return None if self.state is OPEN and len(self._calls) % 2 else found


@mutant("urgent-calls-are-queued", "LK-CB-13", "an OPEN breaker queues instead of refusing")
class UrgentCallsAreQueued(Breaker):
    def while_open(self) -> Held:
        return Held.QUEUED


@mutant("refuses-without-an-error", "LK-CB-13", "calls are refused without any error")
class RefusesWithoutAnError(CircuitBreakers):
    def cached_error(self, name: str, breaker: Breaker) -> str:
        return None  # type: ignore[return-value]  # that is what is wrong


@mutant("first-error-is-kept", "LK-CB-13", "calls are refused with the first error, not the last")
class FirstErrorIsKept(Breaker):
    def note(self, now_us: int, error: str | None) -> None:
        first = self.last_error
        super().note(now_us, error)
        self.last_error = error if first is None else first


@mutant("error-of-any-breaker", "LK-CB-13", "calls are refused with the error that came last to any breaker")
class ErrorOfAnyBreaker(CircuitBreakers):
    def cached_error(self, name: str, breaker: Breaker) -> str:
        errors = [record.extra.last_error for _, record in self.memory.records() if record.extra.last_error]
        return errors[-1] if errors else "none"


@mutant("general-error-at-once", "LK-CB-13", "the last error is never told, only a general one")
class GeneralErrorAtOnce(CircuitBreakers):
    def cached_error(self, name: str, breaker: Breaker) -> str:
        return "the circuit is open"


@mutant("cooldown-end-is-exclusive", "LK-CB-14", "at cooldown_until itself the breaker is still OPEN")
class CooldownEndIsExclusive(Breaker):
    def is_over(self, now_us: int) -> bool:
        return self.cooldown_until_us is None or now_us > self.cooldown_until_us


@mutant("half-open-an-instant-early", "LK-CB-14", "the breaker is HALF_OPEN a microsecond before cooldown_until")
class HalfOpenAnInstantEarly(Breaker):
    def is_over(self, now_us: int) -> bool:
        return super().is_over(now_us + 1)


@mutant("half-open-a-second-late", "LK-CB-14", "the breaker is OPEN for a second longer than it says")
class HalfOpenASecondLate(Breaker):
    def is_over(self, now_us: int) -> bool:
        return super().is_over(now_us - SECOND_US)


@mutant("never-half-open", "LK-CB-14", "an OPEN breaker stays OPEN")
class NeverHalfOpen(Breaker):
    def is_over(self, now_us: int) -> bool:
        return False


@mutant("cooldown-compared-by-the-second", "LK-CB-14", "times are compared in whole seconds, rounded up")
class CooldownComparedByTheSecond(Breaker):
    def is_over(self, now_us: int) -> bool:
        return super().is_over(-(-now_us // SECOND_US) * SECOND_US)


@mutant("failure-count-survives", "LK-CB-15", "entering HALF_OPEN leaves failure_count as it is")
class FailureCountSurvives(Breaker):
    def cool(self, now_us: int) -> None:
        before = self.failure_count
        super().cool(now_us)
        self.failure_count = before


@mutant("half-open-begins-with-a-success", "LK-CB-15", "success_count is 1 when HALF_OPEN is entered")
class HalfOpenBeginsWithASuccess(Breaker):
    def cool(self, now_us: int) -> None:
        super().cool(now_us)
        self.success_count = 1


@mutant(
    "first-probe-is-refused", "LK-CB-16", "the call that finds the cooldown ended moves the breaker, and is refused"
)
class FirstProbeIsRefused(Breaker):
    def withheld(self, call: str, now_us: int) -> Held | None:
        was_open = self.state is OPEN
        found = super().withheld(call, now_us)
        if found is None and was_open:
            self.probes, self.probe_us = [], None
            return REFUSED
        return found


@mutant("two-probes-at-once", "LK-CB-16", "two calls are admitted as the cooldown ends")
class TwoProbesAtOnce(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return super().has_slot(now_us) or (self.probe_us == now_us and len(self.probes) == 1)


@mutant("all-at-once", "LK-CB-16", "who asks at the very instant of the probe is admitted too")
class AllAtOnce(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return super().has_slot(now_us) or self.probe_us == now_us


@mutant("opens-into-closed", "LK-CB-22", "after the cooldown the breaker is CLOSED at once")
class OpensIntoClosed(Breaker):
    def cool(self, now_us: int) -> None:
        super().cool(now_us)
        self.move(Event.RECOVERED, now_us)
        self.clear()


@mutant("wait-below-zero", "LK-RP-01", "the wait of a cooldown that has ended is negative")
class WaitBelowZero(Breaker):
    def wait_us(self, now_us: int) -> int | None:
        until_us = self.cooldown_until_us
        return None if self.state is not OPEN or until_us is None else until_us - now_us


@mutant("wait-is-the-whole-cooldown", "LK-RP-01", "the wait is the whole cooldown, however much of it is over")
class WaitIsTheWholeCooldown(Breaker):
    def wait_us(self, now_us: int) -> int | None:
        return self.pace.cooldown_us if self.state is OPEN else None


@mutant("wait-in-milliseconds", "LK-RP-01", "the wait is told in milliseconds")
class WaitInMilliseconds(CircuitBreakers):
    def wait_s(self, breaker: Breaker, now_us: int) -> float | None:
        wait_s = super().wait_s(breaker, now_us)
        return None if wait_s is None else wait_s * 1000


@mutant("wait-to-the-second", "LK-RP-01", "the wait is rounded up to whole seconds")
class WaitToTheSecond(CircuitBreakers):
    def wait_s(self, breaker: Breaker, now_us: int) -> float | None:
        wait_s = super().wait_s(breaker, now_us)
        return None if wait_s is None else float(-(-wait_s // 1))
