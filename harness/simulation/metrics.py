"""The success metrics of document 001 in a simulation, beside its targets. They are told, and judge nothing.

An *episode* is a failure and all that follows until its tool succeeds or a human has it. Those that were cut off by the
death of a session, or by the end of the simulation, count nowhere.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    Diagnosed,
    EscalationRaised,
    FailureObserved,
    RecoveryEnded,
    SessionCut,
    SessionEvent,
)
from harness.runtime.witness_plans import PHASE
from harness.simulation.result import Metric
from harness.systems.diagnosis.contract import Reflection

STUCK: Final = 3  # so many failures of the same action make a loop


class _Episode:
    """From a failure on."""

    def __init__(self) -> None:
        self.attempts = 0  # since the failure
        self.recoveries = 0
        self.failures: Counter[tuple[str, str, str, str]] = Counter()


class _Told(NamedTuple):
    """A metric, as the document names it, its target there, and what it is a share or a mean of here."""

    name: str
    target: str
    of: str


_RECOVERED = _Told("recovery success rate", "> 60 %", "failures that a recovery was tried against")
_ACCURATE = _Told("root cause accuracy", "> 80 %", "diagnoses of failures with a planted cause")
_STUCK = _Told("stuck loop rate", "< 15 %", "failures, of which one action failed three times")
_ITERATIONS = _Told("mean iterations to success", "< 8", "failures that were recovered from")
_FAST = _Told("pattern reuse (fast path)", "> 40 %", "diagnoses")
_ASKED = _Told("user intervention required", "< 30 %", "failures")


class Metrics:
    """Watches all sessions."""

    def __init__(self) -> None:
        self._planted: dict[str, str] = {}  # the cause of the last failure, by session
        self._believed: dict[str, str] = {}
        self._last: dict[str, AttemptStarted] = {}
        self._open: dict[str, _Episode] = {}
        self._shares: dict[_Told, list[int]] = {
            told: [0, 0] for told in (_RECOVERED, _ACCURATE, _STUCK, _ITERATIONS, _FAST, _ASKED)
        }

    def plant(self, session: str, cause: str) -> None:
        """The attempt under way fails for that reason; empty when it is nobody's to know."""
        self._planted[session] = cause

    def believed(self, session: str) -> str:
        """What the diagnosis of the failure that is being recovered from found."""
        return self._believed.get(session, "")

    def take(self, session: str, event: SessionEvent) -> None:
        """One more event."""
        if isinstance(event, AttemptStarted):
            self._last[session] = event
            if session in self._open:
                self._open[session].attempts += 1
        elif isinstance(event, FailureObserved) and event.tool != PHASE:  # of a phase, which no tool attempts
            self._failed(session)
        elif isinstance(event, Diagnosed):
            self._diagnosed(session, event)
        elif isinstance(event, RecoveryEnded) and session in self._open:
            self._open[session].recoveries += 1
        elif isinstance(event, AttemptSucceeded):
            self._end(session, recovered=True)
        elif isinstance(event, EscalationRaised):
            self._end(session, recovered=False)
        elif isinstance(event, SessionCut):
            self.forget(session)

    def forget(self, session: str) -> None:
        """The session is over."""
        for kept in (self._planted, self._believed, self._last, self._open):
            kept.pop(session, None)

    def told(self) -> Iterator[Metric]:
        """Each metric, in the order of the document."""
        for told, (part, whole) in self._shares.items():
            value = None if whole == 0 else round(part / whole, 4)
            yield Metric(name=told.name, target=told.target, value=value, of=told.of, count=whole)

    def _failed(self, session: str) -> None:
        last = self._last.get(session)
        if last is not None:
            episode = self._open.setdefault(session, _Episode())
            episode.failures[last.tool, last.model, last.approach, last.strategy] += 1

    def _diagnosed(self, session: str, event: Diagnosed) -> None:
        planted = self._planted.pop(session, "")
        if planted:
            self._count(_ACCURATE, event.error_type == planted)
        self._count(_FAST, event.reflection == Reflection.FAST)
        last = self._last.get(session)
        if last is not None and not last.strategy:
            self._believed[session] = event.error_type

    def _end(self, session: str, *, recovered: bool) -> None:
        episode = self._open.pop(session, None)
        if episode is None:
            return
        if episode.recoveries or (recovered and self._last[session].strategy):
            self._count(_RECOVERED, recovered)
        if recovered:
            self._count(_ITERATIONS, episode.attempts)
        self._count(_STUCK, max(episode.failures.values()) >= STUCK)
        self._count(_ASKED, not recovered)

    def _count(self, told: _Told, part: int) -> None:
        share = self._shares[told]
        share[0] += part
        share[1] += 1
