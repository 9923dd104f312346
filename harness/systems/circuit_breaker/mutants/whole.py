"""Breakers that are no breakers: what any certifier must see through, and operations that are wrong as a whole."""

from harness.systems.circuit_breaker.contract import (
    AcquireArguments,
    AcquireResult,
    CapacityArguments,
    CapacityResult,
    Held,
    InspectArguments,
    InspectResult,
    RecordArguments,
    RecordResult,
    State,
)
from harness.systems.circuit_breaker.mutants.table import mutant
from harness.systems.circuit_breaker.reference.breaker import Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.records import microseconds


@mutant("never-opens", "LK-CB-10", "no number of failures opens the breaker")
class NeverOpens(Breaker):
    def is_enough(self) -> bool:
        return False


@mutant("always-permits", "LK-CB-13", "whoever asks is permitted, whatever the state says")
class AlwaysPermits(CircuitBreakers):
    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        found = super().acquire(arguments, now_s)
        return AcquireResult(True, found.state, None, None, found.wait_s, found.log)


@mutant("always-refuses", "LK-CB-09", "nobody is ever permitted")
class AlwaysRefuses(CircuitBreakers):
    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        found = super().acquire(arguments, now_s)
        return AcquireResult(False, found.state, Held.REFUSED, found.error or "refused", found.wait_s, found.log)


@mutant("refused-but-ran", "LK-CB-13", "an open breaker says its error, and runs the guarded operation all the same")
class RefusedButRan(Breaker):
    def while_open(self) -> Held:
        return None  # type: ignore[return-value]  # that is what is wrong


@mutant("always-says-closed", "LK-CB-10", "the state that is told is CLOSED, always")
class AlwaysSaysClosed(CircuitBreakers):
    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        return RecordResult(State.CLOSED, super().record(arguments, now_s).log)


@mutant("inspection-says-closed", "LK-CB-22", "an inspection finds every breaker CLOSED")
class InspectionSaysClosed(CircuitBreakers):
    def inspect(self, arguments: InspectArguments, now_s: float) -> InspectResult:
        found = super().inspect(arguments, now_s)
        return InspectResult(State.CLOSED, 0, 0, None, found.last_state_change, None, None, found.log)


@mutant("inspection-moves", "LK-CB-22", "to look at an open breaker closes it")
class InspectionMoves(CircuitBreakers):
    def inspect(self, arguments: InspectArguments, now_s: float) -> InspectResult:
        found = super().inspect(arguments, now_s)
        if found.state is State.OPEN:
            self.change(self.key(arguments.name), microseconds(now_s), self.begin(), _reset)
        return found


def _reset(breaker: Breaker) -> None:
    before_us = breaker.changed_us
    breaker.begin()
    breaker.changed_us, breaker.unsaved = before_us, True


@mutant("capacity-is-always-two", "LK-RP-02", "two agents, whatever the breakers are")
class CapacityIsAlwaysTwo(CircuitBreakers):
    def capacity(self, arguments: CapacityArguments, now_s: float) -> CapacityResult:
        found = super().capacity(arguments, now_s)
        return CapacityResult(min(2, arguments.agents), found.background, found.queue_non_urgent, found.log)
