"""How much may run while breakers are OPEN, and how it comes back (Recovery Protocol 3 and 5). Pure."""

from collections.abc import Iterable

from harness.systems.circuit_breaker.contract import (
    RAMP_START_PERCENT,
    RAMP_STEP_PERCENT,
    RAMP_STEP_S,
    REDUCED_AGENTS,
    CapacityResult,
)
from harness.systems.circuit_breaker.reference.breaker import CLOSED
from harness.systems.circuit_breaker.reference.records import Stored, since_epoch_us


class Load:
    """The load that the records allow; where several speak, the strictest."""

    def capacity(self, records: Iterable[Stored], agents: int, now_us: int) -> CapacityResult:
        """What may run now, of so many agents when all is well."""
        known = list(records)
        most = max(agents, 0)
        if any(map(self.reduces, known)):
            return CapacityResult(self.reduced(most), self.background(reduced=True), self.queue(reduced=True))
        percent = min((self.percent(self.recovered_for_us(record, now_us)) for record in known), default=100)
        return CapacityResult(self.share(most, percent), self.background(reduced=False), self.queue(reduced=False))

    def reduces(self, record: Stored) -> bool:
        """Does that breaker reduce the load? While it is OPEN it must; while it is tested nothing is added."""
        return record.state is not CLOSED

    def is_ahead(self, record: Stored, now_us: int) -> bool:
        """Was the breaker closed at a time that is still to come, because the clock was set back?"""
        return record.extra.recovered is not None and since_epoch_us(record.extra.recovered) > now_us

    def reduced(self, agents: int) -> int:
        """LK-RP-02: from 5 to 2, and fewer stay as they are (our reading)."""
        return min(REDUCED_AGENTS, agents)

    def background(self, *, reduced: bool) -> bool:
        """May non-critical background work run (LK-RP-03)?"""
        return not reduced

    def queue(self, *, reduced: bool) -> bool:
        """Are non-urgent requests queued (LK-RP-04)?"""
        return reduced

    def recovered_for_us(self, record: Stored, now_us: int) -> int | None:
        """How long ago the breaker was closed; None when it never was."""
        recovered = record.extra.recovered
        return None if recovered is None else max(0, now_us - since_epoch_us(recovered))

    def percent(self, since_us: int | None) -> int:
        """LK-RP-05: 50 %, and 25 points of the whole more every 60 s (our reading)."""
        if since_us is None:
            return 100
        return min(100, RAMP_START_PERCENT + RAMP_STEP_PERCENT * (since_us // (RAMP_STEP_S * 1_000_000)))

    def share(self, agents: int, percent: int) -> int:
        """So many of the agents, rounded up (our reading)."""
        return -(-agents * percent // 100)
