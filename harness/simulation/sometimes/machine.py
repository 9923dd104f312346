"""What befalls the machine while mechanisms hold something that has to outlast it."""

from typing import Final

from harness.core.events import BreakerMoved, ClockStepped, MachineRestarted, StorageChanged
from harness.ports.clock import to_seconds
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.circuit_breaker.contract import State

COOLDOWN_S: Final = 300.0  # LK-CB-12
SITUATIONS: Catalogue = {
    "clock-back-while-a-breaker-is-open": Situation(
        "the clock is set back while a breaker is OPEN", ("LK-CB-14", "LK-CB-28")
    ),
    "clock-forward-over-a-cooldown": Situation(
        "the clock is set forward over the end of an OPEN breaker's cooldown", ("LK-CB-14", "LK-CB-28")
    ),
    "restart-while-a-breaker-is-open": Situation(
        "the machine restarts while a breaker is OPEN", ("LK-CB-01", "LK-CB-13")
    ),
    "restart-while-a-breaker-is-half-open": Situation(
        "the machine restarts while a breaker is HALF_OPEN", ("LK-CB-01", "LK-CB-17")
    ),
    "restart-while-the-disk-is-full": Situation(
        "the machine restarts while the disk is full", ("ER-LOG-10", "LK-RC-01")
    ),
    "disk-fills-while-a-breaker-is-open": Situation(
        "the disk fills while a breaker is OPEN, so that its next move cannot be stored", ("LK-CB-01", "LK-CB-26")
    ),
}


class MachineWatch:
    """Of the disk, the clock, and the breakers as they were seen last. Others ask it whether the disk ``is_full``."""

    def __init__(self, note: Note) -> None:
        self.is_full = False
        self._note = note
        self._breakers: dict[str, str] = {}
        self._opened_s: dict[str, float] = {}  # by the clock of that time
        self.takes: Takes = {
            BreakerMoved: self._moved,
            ClockStepped: self._stepped,
            StorageChanged: self._filled,
            MachineRestarted: self._restarted,
        }

    def _moved(self, session: str, event: BreakerMoved) -> None:
        self._breakers[event.provider] = event.after
        self._opened_s.pop(event.provider, None)
        if event.after == State.OPEN:
            self._opened_s[event.provider] = to_seconds(event.at)

    def _stepped(self, session: str, event: ClockStepped) -> None:
        if event.by_s < 0 and self._opened_s:
            self._note("clock-back-while-a-breaker-is-open")
        now_s = to_seconds(event.at)
        if any(now_s < opened_s + COOLDOWN_S <= now_s + event.by_s for opened_s in self._opened_s.values()):
            self._note("clock-forward-over-a-cooldown")

    def _filled(self, session: str, event: StorageChanged) -> None:
        self.is_full = event.full
        if event.full and self._opened_s:
            self._note("disk-fills-while-a-breaker-is-open")

    def _restarted(self, session: str, event: MachineRestarted) -> None:
        states = self._breakers.values()
        for holds, situation in (
            (State.OPEN in states, "restart-while-a-breaker-is-open"),
            (State.HALF_OPEN in states, "restart-while-a-breaker-is-half-open"),
            (self.is_full, "restart-while-the-disk-is-full"),
        ):
            if holds:
                self._note(situation)
