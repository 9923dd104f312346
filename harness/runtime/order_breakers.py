"""The order rules of breakers that several sessions share, INT-17..19; see order.py. Pure.

Of the permitted readings of the documents (sliding or tumbling window, a success clears the count or does not) those
moves are demanded that all demand.
"""

from collections import deque
from collections.abc import Iterator

from harness.core.events import BreakerMoved, BreakerTold, CallPermitted, CallRefused, SessionEvent
from harness.systems.circuit_breaker.contract import Outcome, State, Tunables

_DEFAULT = Tunables()
_LEGAL = (
    (State.CLOSED, State.OPEN),
    (State.OPEN, State.HALF_OPEN),
    (State.HALF_OPEN, State.CLOSED),
    (State.HALF_OPEN, State.OPEN),
)  # LK-CB-22
_TOLERANCE_S = 1e-6


class _Failures:
    """The failures told to a breaker while it is CLOSED, since its last success."""

    def __init__(self) -> None:
        self._sliding: deque[float] = deque()
        self._tumbling: list[float] = []

    def add(self, at_s: float) -> bool:
        """One more; true when it opens the breaker in every reading."""
        self._sliding.append(at_s)
        while at_s - self._sliding[0] >= _DEFAULT.window_s:
            self._sliding.popleft()
        if self._tumbling and at_s - self._tumbling[0] >= _DEFAULT.window_s:
            self._tumbling = []
        self._tumbling.append(at_s)
        return min(len(self._sliding), len(self._tumbling)) >= _DEFAULT.threshold


class BreakerOrder:
    """Watches all breakers. Times are those of the clock the breakers are told, which may be set.

    While the disk is full each process knows only what it has seen itself, and may keep to that later: nothing is
    demanded until all have begun anew.
    """

    def __init__(self) -> None:
        self._disk_is_full = self._apart = False
        self.forget()

    def forget(self) -> None:
        """The clock was set, or everything began anew: what was known of breakers holds no longer."""
        self._known: dict[str, str] = {}
        self._opened_s: dict[str, float] = {}
        self._failures: dict[str, _Failures] = {}
        self._tripped = ""  # the breaker that was told of a failure last, and is OPEN since
        self._moves: dict[str, int] = {}  # how often each was seen to move
        self._permitted: dict[tuple[str, str], tuple[str, int]] = {}  # by call: the provider, and its moves then

    def fill(self, *, full: bool) -> None:
        """The disk is full from now on, or no longer."""
        self._disk_is_full = full
        self._apart = True

    def restart(self) -> None:
        """Every process begins anew, from what is on disk."""
        self._apart = self._disk_is_full
        self.forget()

    def take(self, session: str, event: SessionEvent, at_s: float) -> Iterator[str]:
        """The rules that this event breaks."""
        if self._apart:
            return
        if isinstance(event, BreakerMoved):
            yield from self._moved(event, at_s)
        elif isinstance(event, CallPermitted | CallRefused):
            if self._known.setdefault(event.provider, event.state) != event.state:
                yield "INT-18"
                self._known[event.provider] = event.state
                self._failures.pop(event.provider, None)
            if isinstance(event, CallPermitted):
                now = (event.provider, self._moves.get(event.provider, 0))
                self._permitted[session, event.correlation_id] = now
                if self._is_open(event, at_s):
                    yield "INT-19"
        elif isinstance(event, BreakerTold):
            yield from self._told(session, event, at_s)

    def _moved(self, event: BreakerMoved, at_s: float) -> Iterator[str]:
        known = self._known.get(event.provider)
        if known is not None and (known != event.before or (known, event.after) not in _LEGAL):
            yield "INT-18"
        self._known[event.provider] = event.after
        self._moves[event.provider] = self._moves.get(event.provider, 0) + 1
        self._failures.pop(event.provider, None)
        if event.after == State.OPEN and self._tripped == event.provider:
            self._opened_s[event.provider] = at_s
        elif event.after != State.HALF_OPEN:  # seen later than it was, or no longer OPEN
            self._opened_s.pop(event.provider, None)

    def _is_open(self, event: CallPermitted, at_s: float) -> bool:
        opened_s = self._opened_s.get(event.provider)
        too_early = opened_s is not None and at_s < opened_s + _DEFAULT.cooldown_s - _TOLERANCE_S
        return event.state == State.OPEN or too_early

    def _told(self, session: str, event: BreakerTold, at_s: float) -> Iterator[str]:
        permitted = self._permitted.pop((session, event.correlation_id), None)
        self._tripped = event.provider if (event.outcome, event.state) == (Outcome.FAILURE, State.OPEN) else ""
        if permitted != (event.provider, self._moves.get(event.provider, 0)):
            return  # a late result, or that of a call nobody asked for, may be ignored (LK-CB-24)
        if event.outcome == Outcome.SUCCESS or self._known.get(event.provider) != State.CLOSED:
            self._failures.pop(event.provider, None)
        elif self._failures.setdefault(event.provider, _Failures()).add(at_s) and event.state == State.CLOSED:
            yield "INT-17"
