"""The circuit breakers, as another system keeps them: consulted and obeyed, never written (LK-SYS-05)."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from harness.ports.clock import to_seconds
from harness.ports.files import Files
from harness.systems import queue_files
from harness.systems.session_recovery.contract import COOLDOWN_S, HALF_OPEN_INTERVAL_S, LogCode
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import LIMIT_BYTES

CLOSED: Final = "CLOSED"
OPEN: Final = "OPEN"
HALF_OPEN: Final = "HALF_OPEN"
UNKNOWN: Final = ""
STATES: Final = (CLOSED, OPEN, HALF_OPEN)


class Seen(NamedTuple):
    """A breaker as it was found: its state, and until when it stays OPEN, in seconds since the epoch, if known."""

    state: str
    until_s: float | None = None


class Breakers:
    """circuit-breakers.json. No method raises."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files

    def look(self, name: str, trace: Trace) -> Seen:
        """The breaker of that name; one that nobody has used is CLOSED, of a damaged file nothing is known."""
        try:
            document = queue_files.decode(queue_files.text_of(self.files.read(self.path, LIMIT_BYTES)))
        except FileNotFoundError:
            return self.unused()
        except (OSError, ValueError) as error:
            trace.error(LogCode.BREAKERS_INVALID, "circuit-breakers.json cannot be read", error)
            return Seen(UNKNOWN)
        if isinstance(document, dict) and name not in document:
            return self.unused()
        record = document[name] if isinstance(document, dict) else None
        if not isinstance(record, dict) or record.get("state") not in STATES:
            trace.warning(LogCode.BREAKERS_INVALID, f"of the breaker {name[:80]!r} no state is known")
            return Seen(UNKNOWN)
        return Seen(record["state"], self.until_s(record))

    def unused(self) -> Seen:
        """What a breaker is that nobody has used."""
        return Seen(CLOSED)

    def until_s(self, record: Mapping[str, Any]) -> float | None:
        """When its cooldown is over, in seconds since the epoch; None when that is not known."""
        found = record.get("cooldown_until")
        try:
            return to_seconds(found) if isinstance(found, str) else None
        except (ValueError, OverflowError):
            return None

    def blocks(self, seen: Seen, now_s: float) -> bool:
        """Is what it guards not to begin? HALF_OPEN lets a probe through; what is not known is taken for OPEN."""
        if seen.state == OPEN:
            return seen.until_s is None or self.is_to_come(seen.until_s, now_s)
        return seen.state == UNKNOWN

    def wait_s(self, seen: Seen, now_s: float) -> float:
        """How long to wait before it may be tried, in seconds: what is left of the cooldown, at most all of it."""
        if seen.state == HALF_OPEN:
            return HALF_OPEN_INTERVAL_S
        if seen.state == UNKNOWN or (seen.state == OPEN and seen.until_s is None):
            return COOLDOWN_S
        if seen.until_s is not None and seen.state == OPEN and self.is_to_come(seen.until_s, now_s):
            return self.left_s(seen.until_s, now_s)
        return 0.0

    def is_to_come(self, until_s: float, now_s: float) -> bool:
        """OPEN -> HALF_OPEN: current_time >= cooldown_until (State Transition Rules)."""
        return until_s > now_s

    def left_s(self, until_s: float, now_s: float) -> float:
        """What is left of the cooldown; a later end was written by another clock (our reading of LK-RC-02)."""
        return min(until_s - now_s, COOLDOWN_S)
