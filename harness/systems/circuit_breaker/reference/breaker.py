"""One breaker's decisions, in memory: who may run, and what a result changes. Pure; times are integer microseconds.

Whoever keeps breakers elsewhere fills one, asks or tells it, and saves it when it is ``unsaved``.
"""

from typing import Final

from harness.systems.circuit_breaker.contract import Held, Outcome, State
from harness.systems.circuit_breaker.reference.pace import Pace
from harness.systems.circuit_breaker.reference.transitions import Event, after

# looking a member up in its class costs more than the decision
CLOSED: Final = State.CLOSED
OPEN: Final = State.OPEN
HALF_OPEN: Final = State.HALF_OPEN
SUCCESS: Final = Outcome.SUCCESS
REFUSED: Final = Held.REFUSED

OVER: Final = -1  # a call whose result counts for nothing: it was refused, or has ended
UNKNOWN: Final = -2  # a call that nobody asked this process for
MOST_CALLS: Final = 4096  # that are remembered at least; who asks and never tells must not fill the memory
MOST_PROBES: Final = 16  # whose results are waited for: one an interval is begun at most


class Breaker:
    """One breaker as its rules see it; ``pace`` are the tunables in force.

    ``period`` numbers the times between two moves: a result counts in the period its call was admitted in. ``probes``
    are the calls of this HALF_OPEN that have not ended, ``probe_us`` is when the latest of them began, ``recovered_us``
    when the breaker was closed. Source: document 000, State Behaviors, State Transition Rules.
    """

    __slots__ = (
        "_calls", "_older", "changed_us", "cooldown_until_us", "cooldown_us", "failure_count", "failures", "last_error",
        "last_failure_us", "pace", "period", "probe_us", "probes", "recovered_us", "state", "success_count", "unlogged",
        "unsaved",
    )  # fmt: skip

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._calls: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self.begin()

    def begin(self) -> None:
        """A breaker that nobody has used; the calls that run stay known."""
        self.state = CLOSED
        self.period = 0
        self.failure_count = 0
        self.success_count = 0
        self.failures: list[int] = []
        self.last_failure_us: int | None = None
        self.last_error: str | None = None
        self.changed_us: int | None = None
        self.cooldown_until_us: int | None = None
        self.cooldown_us: int | None = None
        self.probes: list[str] = []
        self.probe_us: int | None = None
        self.recovered_us: int | None = None
        self.unlogged = False
        self.unsaved = False

    # -- asking

    def ask(self, call: str, now_us: int) -> Held | None:
        """None when the call has begun to run, else what becomes of it."""
        if self.state is not CLOSED:
            held = self.withheld(call, now_us)
            if held is not None:
                self._calls.setdefault(call, OVER)
                self.forget()
                return held
        self._calls[call] = self.period
        if len(self._calls) > MOST_CALLS:
            self.forget()
        return None

    def forget(self) -> None:
        """Keeps the memory of calls bounded: the latest are kept, and as many before them."""
        if len(self._calls) > MOST_CALLS:
            self._older, self._calls = self._calls, {}

    def withheld(self, call: str, now_us: int) -> Held | None:
        """What becomes of a call while the breaker is not CLOSED; None when it is a probe."""
        if self.state is OPEN:
            if not self.is_over(now_us):
                return self.while_open()
            self.cool(now_us)
        elif not self.has_slot(now_us):
            return self.surplus()
        self.begin_probe(call, now_us)
        return None

    def moves_when_asked(self, now_us: int) -> bool:
        """Does asking now change more than this process's memory of calls?"""
        return self.state is not CLOSED and (self.is_over(now_us) if self.state is OPEN else self.has_slot(now_us))

    def is_over(self, now_us: int) -> bool:
        """Has the cooldown ended? At its last instant it has (LK-CB-14)."""
        return self.cooldown_until_us is None or now_us >= self.cooldown_until_us

    def while_open(self) -> Held:
        """LK-CB-13; who queues what is not urgent is the caller (our reading of LK-RP-04)."""
        return REFUSED

    def has_slot(self, now_us: int) -> bool:
        """May a probe begin? One an interval, from the start of the one before (our reading of LK-CB-17, LK-CB-18).

        A probe still in flight by then may be lost, and keeps its slot no longer.
        """
        return self.probe_us is None or now_us - self.probe_us >= self.pace.interval_us

    def surplus(self) -> Held:
        """What becomes of further calls in HALF_OPEN (our reading of LK-CB-17)."""
        return REFUSED

    def begin_probe(self, call: str, now_us: int) -> None:
        """Takes the slot."""
        self.probes = [*(probe for probe in self.probes if probe != call), call][-MOST_PROBES:]
        self.probe_us = now_us
        self.unsaved = True

    # -- telling

    def tell(self, call: str, outcome: Outcome, now_us: int, error: str | None = None) -> bool:
        """Takes the result of a call into account; False when nobody asked for it here."""
        period = self._calls.get(call)
        if period is None:
            period = self._older.get(call, UNKNOWN)
        self._calls[call] = OVER
        if self.state is CLOSED:
            if period == self.period or self.counts_late(period):
                if outcome is SUCCESS:
                    self.succeeded(now_us)
                else:
                    self.failed(now_us, error)
        elif self.state is HALF_OPEN:
            if self.is_probe(call):
                self.probed(call, outcome, now_us, error)
        else:
            self.told_while_open(call, outcome, now_us, error)
        return period >= 0

    def counts_late(self, period: int) -> bool:
        """Does a result of another period, or of a call that nobody here knows, count while CLOSED?

        One of another period does not (our reading of LK-CB-24). An unknown one may have been asked for by a process
        that has ended since, and counts.
        """
        return period == UNKNOWN

    def is_probe(self, call: str) -> bool:
        """Is it one of this HALF_OPEN, whoever asked for it?"""
        return call in self.probes

    def told_while_open(self, call: str, outcome: Outcome, now_us: int, error: str | None) -> None:
        """While OPEN nothing runs that belongs to it: results are late, and ignored (our reading of LK-CB-24)."""

    def succeeded(self, now_us: int) -> None:
        """While CLOSED a success leaves the count (our reading of LK-CB-23)."""

    def failed(self, now_us: int, error: str | None) -> None:
        """While CLOSED failures within the window are counted, and enough of them trip (LK-CB-10)."""
        self.failures = [*self.recent(now_us), now_us]
        self.failure_count = len(self.failures)
        self.note(now_us, error)
        if self.changed_us is None:
            self.changed_us = now_us
        if self.is_enough():
            self.trip(now_us)

    def recent(self, now_us: int) -> list[int]:
        """The failures of the sliding window, one at its very edge included (our reading of LK-CB-10, LK-CB-11).

        What lies ahead of the clock happened before it was set back, and counts as of now (LK-CB-28).
        """
        since_us = now_us - self.pace.window_us
        return [min(failure_us, now_us) for failure_us in self.failures if failure_us >= since_us]

    def is_enough(self) -> bool:
        """Do the failures of the window open the breaker?"""
        return self.failure_count >= self.pace.threshold

    def note(self, now_us: int, error: str | None) -> None:
        """Keeps the failure's time and what it said, which calls are refused with (LK-CB-13)."""
        self.last_failure_us = now_us
        self.last_error = error
        self.unsaved = True

    def probed(self, call: str, outcome: Outcome, now_us: int, error: str | None) -> None:
        """The result of a probe: enough successes in a row close, any failure re-opens (LK-CB-19, LK-CB-21)."""
        self.probes = [probe for probe in self.probes if probe != call]
        self.unsaved = True
        if outcome is not SUCCESS:
            self.note(now_us, error)
            self.reopen(now_us)
            return
        self.success_count += 1
        if self.has_recovered():
            self.close(now_us)

    def has_recovered(self) -> bool:
        """Do the successes close the breaker?"""
        return self.success_count >= self.pace.recovery_threshold

    # -- moving

    def trip(self, now_us: int) -> None:
        """CLOSED to OPEN."""
        self.move(Event.TRIPPED, now_us)
        self.begin_cooldown(now_us)
        self.recovered_us = None

    def cool(self, now_us: int) -> None:
        """OPEN to HALF_OPEN, by the call that finds the cooldown ended."""
        self.move(Event.COOLED, self.cooled_us(now_us))
        self.zero()
        self.cooldown_until_us = self.cooldown_us = None

    def cooled_us(self, now_us: int) -> int:
        """When the breaker is said to have become HALF_OPEN: as the cooldown ended (our reading of LK-CB-07)."""
        return now_us if self.cooldown_until_us is None else self.cooldown_until_us

    def zero(self) -> None:
        """LK-CB-15."""
        self.failure_count = self.success_count = 0
        self.failures = []

    def close(self, now_us: int) -> None:
        """HALF_OPEN to CLOSED."""
        self.move(Event.RECOVERED, now_us)
        self.clear()
        self.recovered_us = now_us
        self.unlogged = True

    def clear(self) -> None:
        """LK-CB-20; ``last_state_change`` is what remains (our reading)."""
        self.zero()
        self.last_failure_us = self.last_error = None

    def reopen(self, now_us: int) -> None:
        """HALF_OPEN to OPEN; the failure that did it is the first counted (our reading of LK-CB-21)."""
        self.move(Event.RELAPSED, now_us)
        self.failures = [now_us]
        self.failure_count, self.success_count = 1, 0
        self.begin_cooldown(now_us)

    def begin_cooldown(self, now_us: int) -> None:
        """LK-CB-12. How long it is stays with it, so that a clock that is set back cannot make it longer."""
        self.cooldown_us = self.pace.cooldown_us
        self.cooldown_until_us = now_us + self.cooldown_us

    def move(self, event: Event, at_us: int) -> None:
        """Takes that step of the table; no other code changes the state."""
        self.state = after(self.state, event)
        self.changed_us = at_us
        self.period += 1
        self.probes, self.probe_us = [], None
        self.unlogged = False
        self.unsaved = True

    # -- the clock

    def settle(self, now_us: int) -> bool:
        """Draws in what lies too far ahead because the clock was set back (LK-CB-28); False when nothing does."""
        before = self.cooldown_until_us, self.probe_us, self.recovered_us
        if self.cooldown_until_us is not None:
            longest_us = self.pace.cooldown_us if self.cooldown_us is None else self.cooldown_us
            self.cooldown_until_us = min(self.cooldown_until_us, now_us + longest_us)
        if self.probe_us is not None:
            self.probe_us = min(self.probe_us, now_us)
        if self.recovered_us is not None:
            self.recovered_us = min(self.recovered_us, now_us)
        if before == (self.cooldown_until_us, self.probe_us, self.recovered_us):
            return False
        self.unsaved = True
        return True

    def wait_us(self, now_us: int) -> int | None:
        """How long the breaker stays OPEN, never below zero (LK-RP-01); None when it is not."""
        if self.state is not OPEN or self.cooldown_until_us is None:
            return None
        return max(0, self.cooldown_until_us - now_us)
