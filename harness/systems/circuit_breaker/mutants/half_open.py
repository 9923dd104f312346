"""Mutants of the HALF_OPEN state: LK-CB-17 to LK-CB-22."""

from harness.systems.circuit_breaker.contract import Held, Outcome
from harness.systems.circuit_breaker.mutants.table import SECOND_US, mutant
from harness.systems.circuit_breaker.reference.breaker import SUCCESS, Breaker
from harness.systems.circuit_breaker.reference.transitions import Event


@mutant("interval-of-9-s", "LK-CB-17", "probes are a second too close")
class IntervalOf9S(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return super().has_slot(now_us) or (not self.probes and super().has_slot(now_us + SECOND_US))


@mutant("next-probe-at-once", "LK-CB-17", "as a probe ends the next one is admitted")
class NextProbeAtOnce(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return super().has_slot(now_us) or not self.probes


@mutant("one-probe-only", "LK-CB-17", "after the first probe nobody is admitted for half a cooldown")
class OneProbeOnly(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return super().has_slot(now_us - self.pace.cooldown_us // 2)


@mutant("two-probes-an-interval", "LK-CB-17", "an interval has two probes, one after the other")
class TwoProbesAnInterval(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return self.probe_us is None or (not self.probes and now_us - self.probe_us >= self.pace.interval_us // 2)


@mutant("second-probe-in-flight", "LK-CB-18", "a second after a probe began another is admitted beside it")
class SecondProbeInFlight(Breaker):
    def has_slot(self, now_us: int) -> bool:
        beside = len(self.probes) == 1 and self.probe_us is not None and now_us - self.probe_us >= SECOND_US
        return super().has_slot(now_us) or beside


@mutant("probes-in-flight-are-not-seen", "LK-CB-18", "the interval is kept after a probe that ended, and only then")
class ProbesInFlightAreNotSeen(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return super().has_slot(now_us) or (bool(self.probes) and self.probe_us != now_us)


@mutant("lost-probe-blocks-for-ever", "LK-CB-18", "a probe that never ends keeps its slot for ever")
class LostProbeBlocksForEver(Breaker):
    def has_slot(self, now_us: int) -> bool:
        return not self.probes and super().has_slot(now_us)


def _closes_after(number: int) -> type[Breaker]:
    def has_recovered(self: Breaker) -> bool:
        return self.success_count >= self.pace.recovery_threshold + number

    return type(f"ClosesAfter{number}", (Breaker,), {"has_recovered": has_recovered})


mutant("closes-after-one", "LK-CB-19", "the first success closes")(_closes_after(-2))
mutant("closes-after-two", "LK-CB-19", "one success less than it takes closes")(_closes_after(-1))
mutant("closes-after-four", "LK-CB-19", "one success more than it takes closes")(_closes_after(1))


@mutant("never-closes", "LK-CB-19", "no number of successes closes")
class NeverCloses(Breaker):
    def has_recovered(self) -> bool:
        return False


@mutant("success-count-survives-closing", "LK-CB-20", "closing leaves success_count as it is")
class SuccessCountSurvivesClosing(Breaker):
    def clear(self) -> None:
        before = self.success_count
        super().clear()
        self.success_count = before


@mutant("failure-count-after-closing", "LK-CB-20", "closing leaves a failure counted")
class FailureCountAfterClosing(Breaker):
    def clear(self) -> None:
        self.failures, self.failure_count, self.success_count = [self.changed_us or 0], 1, 0
        self.last_failure_us = self.last_error = None


@mutant("cooldown-end-survives-closing", "LK-CB-20", "cooldown_until is still there when the breaker is CLOSED again")
class CooldownEndSurvivesClosing(Breaker):
    def clear(self) -> None:
        super().clear()
        self.cooldown_until_us = self.changed_us


@mutant("failed-probe-is-ignored", "LK-CB-21", "a failure while HALF_OPEN changes nothing")
class FailedProbeIsIgnored(Breaker):
    def reopen(self, now_us: int) -> None:
        return


@mutant("failed-probe-resets-the-count", "LK-CB-21", "a failure while HALF_OPEN only zeroes the successes")
class FailedProbeResetsTheCount(Breaker):
    def reopen(self, now_us: int) -> None:
        self.success_count = 0


@mutant("old-cooldown-is-kept", "LK-CB-21", "the cooldown after a failed probe is that of the trip, and over")
class OldCooldownIsKept(Breaker):
    def reopen(self, now_us: int) -> None:
        began_us = self.changed_us or now_us
        super().reopen(now_us)
        self.begin_cooldown(began_us - self.pace.cooldown_us)


@mutant("reopens-for-a-tenth", "LK-CB-21", "the cooldown after a failed probe is a tenth of the first")
class ReopensForATenth(Breaker):
    def reopen(self, now_us: int) -> None:
        super().reopen(now_us)
        self.cooldown_until_us = now_us + self.pace.cooldown_us // 10


@mutant("reopens-for-twice-as-long", "LK-CB-21", "the cooldown after a failed probe is twice the first")
class ReopensForTwiceAsLong(Breaker):
    def reopen(self, now_us: int) -> None:
        super().reopen(now_us)
        self.cooldown_us = 2 * self.pace.cooldown_us
        self.cooldown_until_us = now_us + self.cooldown_us


@mutant("two-failed-probes-reopen", "LK-CB-21", "only the second failure while HALF_OPEN opens again")
class TwoFailedProbesReopen(Breaker):
    def probed(self, call: str, outcome: Outcome, now_us: int, error: str | None) -> None:
        if outcome is not SUCCESS and self.failure_count == 0:
            self.failure_count = 1
            self.probes = []
            self.unsaved = True
            return
        super().probed(call, outcome, now_us, error)


@mutant("failed-probe-closes", "LK-CB-21", "a failure while HALF_OPEN closes, so that the window may count it")
class FailedProbeCloses(Breaker):
    def reopen(self, now_us: int) -> None:
        self.close(now_us)
        self.failed(now_us, None)


@mutant("slot-of-a-lost-probe-closes", "LK-CB-22", "a probe that is lost counts as three successes")
class SlotOfALostProbeCloses(Breaker):
    def withheld(self, call: str, now_us: int) -> Held | None:
        if self.probes and self.has_slot(now_us):
            self.move(Event.RECOVERED, now_us)
            self.clear()
            return None
        return super().withheld(call, now_us)
