"""Mutants of the circuit breaker written from document 000 alone, without a look at what judges them."""

# ruff: noqa: D101, D102 -- each says what is wrong in its decorator, as the others do

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from harness.systems.circuit_breaker.contract import CapacityResult, LogCode, Outcome
from harness.systems.circuit_breaker.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.circuit_breaker.reference.breaker import CLOSED, HALF_OPEN, OPEN, Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.load import Load
from harness.systems.circuit_breaker.reference.pace import TuningError
from harness.systems.circuit_breaker.reference.records import Stored
from harness.systems.circuit_breaker.reference.recovery_log import RecoveryLog
from harness.systems.mutant import Mutant
from harness.systems.trace import Trace

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants


@mutant("names-fold-case", "LK-CB-01", "operation names that differ only in case share one breaker and one record")
class NamesFoldCase(CircuitBreakers):
    def key(self, name: str) -> str:
        return name.lower()


@mutant("partial-success-is-a-change", "LK-CB-07", "a success that leaves it HALF_OPEN stamps last_state_change anew")
class PartialSuccessIsAChange(Breaker):
    def probed(self, call: str, outcome: Outcome, now_us: int, error: str | None) -> None:
        super().probed(call, outcome, now_us, error)
        if self.state is HALF_OPEN:
            self.changed_us = now_us


@mutant("window-by-the-clock", "LK-CB-10", "only failures of one and the same minute of the clock trip together")
class WindowByTheClock(Breaker):
    def is_enough(self) -> bool:
        window_us = self.pace.window_us
        now_us = self.failures[-1]
        return sum(each // window_us == now_us // window_us for each in self.failures) >= self.pace.threshold


@mutant("window-follows-failures", "LK-CB-11", "each failure prolongs the window: only a pause of 60 s ends it")
class WindowFollowsFailures(Breaker):
    def failed(self, now_us: int, error: str | None) -> None:
        if self.failures and now_us - self.failures[-1] > self.pace.window_us:
            self.failures = []
        self.failures = [*(min(each, now_us) for each in self.failures), now_us]
        self.failure_count = len(self.failures)
        self.note(now_us, error)
        if self.changed_us is None:
            self.changed_us = now_us
        if self.is_enough():
            self.trip(now_us)


@mutant("probe-error-not-cached", "LK-CB-13", "re-opened by a probe, it refuses with the error of the trip before")
class ProbeErrorNotCached(Breaker):
    def note(self, now_us: int, error: str | None) -> None:
        self.last_failure_us = now_us
        if self.state is CLOSED or self.last_error is None:
            self.last_error = error
        self.unsaved = True


@mutant("new-cooldown-moves-the-end", "LK-CB-14", "a cooldown tuned while OPEN ends it at another time than its own")
class NewCooldownMovesTheEnd(Breaker):
    def is_over(self, now_us: int) -> bool:
        if self.cooldown_until_us is None:
            return True
        began_us = self.cooldown_until_us - (self.cooldown_us or self.pace.cooldown_us)
        return now_us - began_us >= self.pace.cooldown_us


@mutant("closes-when-none-is-out", "LK-CB-19", "three successes do not close it while another probe is still out")
class ClosesWhenNoneIsOut(Breaker):
    def has_recovered(self) -> bool:
        return self.success_count >= self.pace.recovery_threshold and not self.probes


@mutant("cooldown-from-probe-start", "LK-CB-21", "the cooldown after a failed probe runs from the start of the probe")
class CooldownFromProbeStart(Breaker):
    def reopen(self, now_us: int) -> None:
        began_us = now_us if self.probe_us is None else self.probe_us
        super().reopen(now_us)
        self.begin_cooldown(began_us)


@mutant("known-breakers-keep-their-pace", "LK-CB-25", "tunables set later do not reach breakers used before")
class KnownBreakersKeepTheirPace(CircuitBreakers):
    def tune(self, changes: Mapping[str, Any], trace: Trace) -> bool:
        try:
            self.tunables = self.tuning.tuned(self.tunables, changes)
        except TuningError as error:
            trace.warning(LogCode.TUNABLE_INVALID, str(error))
            return False
        return True


@mutant("wait-wraps-at-a-day", "LK-RP-01", "the wait is the seconds part of a difference: a day when it is overdue")
class WaitWrapsAtADay(Breaker):
    def wait_us(self, now_us: int) -> int | None:
        if self.state is not OPEN or self.cooldown_until_us is None:
            return None
        left = timedelta(microseconds=self.cooldown_until_us - now_us)
        return max(0, left.seconds * 1_000_000 + left.microseconds)


@mutant("background-until-all-are-open", "LK-RP-03", "background work goes on as long as one known breaker is CLOSED")
class BackgroundUntilAllAreOpen(Load):
    def capacity(self, records: Iterable[Stored], agents: int, now_us: int) -> CapacityResult:
        known = list(records)
        result = super().capacity(known, agents, now_us)
        return msgspec.structs.replace(result, background=result.background or not all(map(self.reduces, known)))


@mutant("recovered-at-twelve-hours", "LK-RP-06", "the recovery log has the hour as a clock with twelve hours shows it")
class RecoveredAtTwelveHours(RecoveryLog):
    def time(self, recovered: datetime) -> str:
        return recovered.astimezone(UTC).strftime("%Y-%m-%dT%I:%M:%SZ")
