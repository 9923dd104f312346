"""Mutants of the recovery protocol: LK-RP-02 to LK-RP-06."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from harness.systems.circuit_breaker.contract import CapacityResult
from harness.systems.circuit_breaker.mutants.table import mutant
from harness.systems.circuit_breaker.reference.breaker import CLOSED, HALF_OPEN, OPEN, Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.load import Load
from harness.systems.circuit_breaker.reference.records import Stored
from harness.systems.circuit_breaker.reference.recovery_log import RecoveryLog


@mutant("capacity-stays", "LK-RP-02", "as many agents run as before, whatever is OPEN")
class CapacityStays(Load):
    def reduced(self, agents: int) -> int:
        return agents


@mutant("capacity-drops-to-three", "LK-RP-02", "three agents run while a breaker is OPEN")
class CapacityDropsToThree(Load):
    def reduced(self, agents: int) -> int:
        return min(3, agents)


@mutant("capacity-drops-to-one", "LK-RP-02", "one agent runs while a breaker is OPEN")
class CapacityDropsToOne(Load):
    def reduced(self, agents: int) -> int:
        return min(1, agents)


@mutant("first-breaker-decides", "LK-RP-02", "of several breakers only the first record of the file counts")
class FirstBreakerDecides(Load):
    def capacity(self, records: Iterable[Stored], agents: int, now_us: int) -> CapacityResult:
        return super().capacity(list(records)[:1], agents, now_us)


@mutant("last-breaker-decides", "LK-RP-02", "of several breakers only the last record of the file counts")
class LastBreakerDecides(Load):
    def capacity(self, records: Iterable[Stored], agents: int, now_us: int) -> CapacityResult:
        return super().capacity(list(records)[-1:], agents, now_us)


@mutant("background-stays-on", "LK-RP-03", "background work goes on while a breaker is OPEN")
class BackgroundStaysOn(Load):
    def background(self, *, reduced: bool) -> bool:
        return True


@mutant("background-is-always-off", "LK-RP-03", "background work is switched off while no breaker is OPEN, too")
class BackgroundIsAlwaysOff(Load):
    def background(self, *, reduced: bool) -> bool:
        return False


@mutant("nothing-is-queued", "LK-RP-04", "non-urgent requests are not queued while a breaker is OPEN")
class NothingIsQueued(Load):
    def queue(self, *, reduced: bool) -> bool:
        return False


@mutant("everything-is-queued", "LK-RP-04", "non-urgent requests are always queued")
class EverythingIsQueued(Load):
    def queue(self, *, reduced: bool) -> bool:
        return True


@mutant("full-capacity-at-once", "LK-RP-05", "all agents run again as soon as the breaker is CLOSED")
class FullCapacityAtOnce(Load):
    def percent(self, since_us: int | None) -> int:
        return 100


@mutant("capacity-never-comes-back", "LK-RP-05", "capacity stays at 50 % for ever")
class CapacityNeverComesBack(Load):
    def percent(self, since_us: int | None) -> int:
        return 100 if since_us is None else 50


@mutant("ramp-begins-at-three-quarters", "LK-RP-05", "the ramp begins at 75 %")
class RampBeginsAtThreeQuarters(Load):
    def percent(self, since_us: int | None) -> int:
        return max(75, super().percent(since_us))


@mutant("ramp-in-half-the-time", "LK-RP-05", "capacity grows every 30 s")
class RampInHalfTheTime(Load):
    def percent(self, since_us: int | None) -> int:
        return super().percent(None if since_us is None else 2 * since_us)


@mutant("ramp-steps-exclusive", "LK-RP-05", "at 60 s and at 120 s themselves the step is not taken yet")
class RampStepsExclusive(Load):
    def percent(self, since_us: int | None) -> int:
        return super().percent(None if since_us is None else max(0, since_us - 1))


@mutant("ramp-is-smooth", "LK-RP-05", "capacity grows steadily instead of in steps")
class RampIsSmooth(Load):
    def percent(self, since_us: int | None) -> int:
        return 100 if since_us is None else min(100, 50 + 25 * since_us // 60_000_000)


@mutant("ramp-steps-of-fifty", "LK-RP-05", "the first step after 60 s leads to 100 %")
class RampStepsOfFifty(Load):
    def percent(self, since_us: int | None) -> int:
        return 100 if super().percent(since_us) > 50 else 50


@mutant("recoveries-are-not-logged", "LK-RP-06", "no line is ever written")
class RecoveriesAreNotLogged(RecoveryLog):
    def add(self, name: str, recovered: datetime) -> None:
        return


@mutant("recovery-log-is-truncated", "LK-RP-06", "each recovery begins the log anew")
class RecoveryLogIsTruncated(RecoveryLog):
    def add(self, name: str, recovered: datetime) -> None:
        self.files.replace(self.path, f"{self.line(name, recovered)}\n".encode())


@mutant("recovery-log-without-z", "LK-RP-06", "the time has no Z")
class RecoveryLogWithoutZ(RecoveryLog):
    def time(self, recovered: datetime) -> str:
        return super().time(recovered).rstrip("Z")


@mutant("recovery-log-with-fractions", "LK-RP-06", "the time has fractions of a second")
class RecoveryLogWithFractions(RecoveryLog):
    def time(self, recovered: datetime) -> str:
        return recovered.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@mutant("recovery-log-in-local-time", "LK-RP-06", "the time is that of another zone, and called UTC")
class RecoveryLogInLocalTime(RecoveryLog):
    def time(self, recovered: datetime) -> str:
        return super().time(recovered + timedelta(hours=1))


@mutant("recovery-log-in-other-words", "LK-RP-06", "the line says it in other words")
class RecoveryLogInOtherWords(RecoveryLog):
    def line(self, name: str, recovered: datetime) -> str:
        return f"{self.time(recovered)} circuit closed: {name}"


@mutant("recovery-log-without-the-name", "LK-RP-06", "the line does not say which breaker")
class RecoveryLogWithoutTheName(RecoveryLog):
    def line(self, name: str, recovered: datetime) -> str:
        return f"{self.time(recovered)} Circuit recovered"


@mutant("recovery-logged-twice", "LK-RP-06", "each recovery has two lines")
class RecoveryLoggedTwice(RecoveryLog):
    def add(self, name: str, recovered: datetime) -> None:
        super().add(name, recovered)
        super().add(name, recovered)


@mutant("recovery-log-is-elsewhere", "LK-RP-06", "the recovery log is beside the state file")
class RecoveryLogIsElsewhere(CircuitBreakers):
    recovery_log_path = "{home}/.loki/state/circuit-recovery.log"


@mutant("recovery-logged-when-it-trips", "LK-RP-06", "the line is written as the breaker opens")
class RecoveryLoggedWhenItTrips(CircuitBreakers):
    def keep(self, name: str, breaker: Breaker) -> None:
        if breaker.state is OPEN and breaker.changed_us is not None:
            self.memory.recovered(name, self.filing.record(breaker).last_state_change)
        super().keep(name, breaker)


@mutant("recovery-logged-when-half-open", "LK-RP-06", "the line is written when the first probe is admitted")
class RecoveryLoggedWhenHalfOpen(CircuitBreakers):
    def keep(self, name: str, breaker: Breaker) -> None:
        if breaker.state is HALF_OPEN and breaker.success_count == 0 and len(breaker.probes) == 1:
            self.memory.recovered(name, self.filing.record(breaker).last_state_change)
        super().keep(name, breaker)


@mutant(
    "reduced-only-by-half-open", "LK-RP-02", "the load is reduced while breakers are tested, not while they are OPEN"
)
class ReducedOnlyByHalfOpen(Load):
    def reduces(self, record: Stored) -> bool:
        return record.state is HALF_OPEN


@mutant("reduced-for-ever", "LK-RP-02", "a breaker that has been OPEN once reduces the load for ever")
class ReducedForEver(Load):
    def reduces(self, record: Stored) -> bool:
        return record.state is not CLOSED or record.extra.recovered is not None
