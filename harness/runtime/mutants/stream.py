"""Mutants of the stream itself: events that are lost, doubled, or in another order."""

from harness.core.event import Event
from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    BreakerTold,
    CallBegun,
    CallEnded,
    EscalationRaised,
    FailureRecorded,
    FellBack,
    SessionEvent,
    StopAnswered,
    StopRequested,
)
from harness.runtime.mutants.table import mutant, stream_mutant
from harness.runtime.session import Session


def _lost(event: SessionEvent) -> tuple[SessionEvent, ...]:
    del event
    return ()


def _doubled(event: SessionEvent) -> tuple[SessionEvent, ...]:
    return (event, event)


def _lost_of_tools(event: SessionEvent) -> tuple[SessionEvent, ...]:
    return () if isinstance(event, FailureRecorded) and not _is_beside(event) else (event,)


def _is_beside(event: FailureRecorded) -> bool:
    return "/beside-" in event.name


stream_mutant("record-lost", "INT-01", "The event of a failure's record is lost.", FailureRecorded, _lost_of_tools)
stream_mutant("answer-lost", "INT-02", "The event of a stop's answer is lost.", StopAnswered, _lost)
stream_mutant("answer-doubled", "INT-02", "The event of a stop's answer comes twice.", StopAnswered, _doubled)
stream_mutant("request-lost", "INT-02", "The event of a stop's request is lost.", StopRequested, _lost)
stream_mutant("telling-lost", "INT-05", "The event of a breaker that is told is lost.", BreakerTold, _lost)
stream_mutant("telling-doubled", "INT-06", "The event of a breaker that is told comes twice.", BreakerTold, _doubled)
stream_mutant("step-lost", "INT-13", "The event of a step down is lost.", FellBack, _lost)
stream_mutant("escalation-lost", "INT-15", "The event of a human who is called is lost.", EscalationRaised, _lost)
stream_mutant("move-lost", "INT-18", "The event of a breaker that moved is lost.", BreakerMoved, _lost)
stream_mutant("move-doubled", "INT-18", "The event of a breaker that moved comes twice.", BreakerMoved, _doubled)
stream_mutant("beginning-lost", "INT-20", "The event of a call's beginning is lost.", CallBegun, _lost)
stream_mutant("end-lost", "INT-20", "The event of a call's end is lost.", CallEnded, _lost)
stream_mutant("end-doubled", "INT-20", "The event of a call's end comes twice.", CallEnded, _doubled)


@mutant("INT-02")
class AnsweredFirst(Session):
    """A stop's answer comes before its request."""

    _held: SessionEvent | None = None

    def _emit(self, event: SessionEvent) -> None:
        if isinstance(event, StopRequested):
            self._held = event
            return
        super()._emit(event)
        if isinstance(event, StopAnswered) and self._held is not None:
            super()._emit(self._held)


@mutant("INT-20")
class IdAnAttempt(Session):
    """Every attempt has an id of its own."""

    def _note(self, kind: type[Event], /, **fields: object) -> None:
        if kind is AttemptStarted:
            self._correlation = f"{self._correlation}-{fields['attempt']}"
        super()._note(kind, **fields)
