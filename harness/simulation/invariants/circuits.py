"""How breakers move, as their file has it, what they answer, and who sends requests through them."""

from collections import Counter
from collections.abc import Iterator, Mapping

from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    BreakerTold,
    CallPermitted,
    CallRefused,
    ErrorsReported,
    MachineRestarted,
    SessionCut,
    SessionEvent,
)
from harness.core.task_events import WorkerBegun
from harness.simulation.invariants.rules import FOUR_MOVES, NOT_THROUGH_OPEN
from harness.simulation.invariants.weather import Weather
from harness.systems.circuit_breaker.contract import State

_LEGAL = frozenset(
    (
        (State.CLOSED.value, State.OPEN.value),
        (State.OPEN.value, State.HALF_OPEN.value),
        (State.HALF_OPEN.value, State.CLOSED.value),
        (State.HALF_OPEN.value, State.OPEN.value),
    )
)
_STATES = frozenset(state.value for state in State)
_Answer = BreakerMoved | BreakerTold | CallPermitted | CallRefused


class Circuits:
    """The breakers. One that is not in the file is CLOSED.

    What a process saw while the disk was full it may write later, when the file has not seen the steps in between. So
    for each session that dealt with a breaker then, one move of it is not judged, until all processes begin anew.
    Neither is what that process answers of the breaker, until it answers what the file says, or begins anew: a worker's
    process outlives its sessions, but for those that are cut.
    """

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self._states: dict[str, str] = {}
        self._unseen: Counter[str] = Counter()  # by breaker: moves that are not judged
        self._apart: set[tuple[str, str]] = set()  # sessions and breakers that dealt with each other on a full disk
        self._workers: dict[str, str] = {}  # by session
        self._ahead: set[tuple[str, str]] = set()  # workers, and breakers of which they may know more than the file

    def changed(self, states: Mapping[str, str]) -> Iterator[str]:
        """The file says this now."""
        before, self._states = self._states, dict(states)
        if before == states:
            return
        for name in {**before, **states}:
            was = before.get(name, State.CLOSED.value)
            now = states.get(name, State.CLOSED.value)
            vanished = name in before and name not in states and was != State.CLOSED.value
            if now not in _STATES or vanished or (now != was and (was, now) not in _LEGAL):
                if self._unseen[name] > 0:
                    self._unseen[name] -= 1
                else:
                    yield FOUR_MOVES

    def take(self, session: str, event: SessionEvent) -> Iterator[str]:
        """What this event breaks."""
        if isinstance(event, AttemptStarted):
            is_open = self._states.get(event.provider) == State.OPEN.value
            if event.provider and is_open and not self._weather.is_full:
                yield NOT_THROUGH_OPEN
        elif isinstance(event, _Answer):
            if self._weather.is_full and (session, event.provider) not in self._apart:
                self._apart.add((session, event.provider))
                self._unseen[event.provider] += 1
            yield from self._answered(self._workers.get(session, session), event)
        elif isinstance(event, WorkerBegun):
            self._workers[session] = event.worker
        elif isinstance(event, ErrorsReported):
            self._workers.pop(session, None)
        elif isinstance(event, SessionCut):
            worker = self._workers.pop(session, session)
            self._ahead = {each for each in self._ahead if each[0] != worker}
        elif isinstance(event, MachineRestarted):
            self._ahead.clear()
            if not self._weather.is_full:
                self._unseen.clear()
                self._apart.clear()

    def _answered(self, worker: str, event: _Answer) -> Iterator[str]:
        """An answer has the state that the file has: what an answer rests on is stored before it is given."""
        answered = event.after if isinstance(event, BreakerMoved) else event.state
        stored = self._states.get(event.provider, State.CLOSED.value)
        if self._weather.is_full:
            self._ahead.add((worker, event.provider))
        elif answered == stored:
            self._ahead.discard((worker, event.provider))
        elif (worker, event.provider) not in self._ahead:
            yield FOUR_MOVES
