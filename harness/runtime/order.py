"""What must hold of the order in which mechanisms fire. Pure: a stream of events in, broken rules out.

Rules (INT-*), each resting on clauses of the documents:

- INT-01 every observed failure is recorded next, before any other attempt or stop (004: approve, and log).
- INT-02 every requested stop is answered, also when nothing could be stored (PS-FO-01).
- INT-03 a stop after a blocked one says that it repeats (SH-03: hosts set stop_hook_active).
"""

from collections.abc import Sequence

from harness.core.events import FailureObserved, FailureRecorded, SessionEvent, StopAnswered, StopRequested

RULES = ("INT-01", "INT-02", "INT-03")


def broken(events: Sequence[SessionEvent]) -> tuple[str, ...]:
    """The rules that this stream breaks, in the order of RULES."""
    checks = (_failures_are_recorded, _stops_are_answered, _repeats_are_told)
    return tuple(rule for rule, holds in zip(RULES, checks, strict=True) if not holds(events))


def _failures_are_recorded(events: Sequence[SessionEvent]) -> bool:
    for position, event in enumerate(events):
        if isinstance(event, FailureObserved):
            following = events[position + 1] if position + 1 < len(events) else None
            if not isinstance(following, FailureRecorded) or following.correlation_id != event.correlation_id:
                return False
    return True


def _stops_are_answered(events: Sequence[SessionEvent]) -> bool:
    waiting: str | None = None
    for event in events:
        if isinstance(event, StopRequested):
            if waiting is not None:
                return False
            waiting = event.correlation_id
        elif isinstance(event, StopAnswered):
            if event.correlation_id != waiting:
                return False
            waiting = None
    return waiting is None


def _repeats_are_told(events: Sequence[SessionEvent]) -> bool:
    blocked = False
    for event in events:
        if isinstance(event, StopRequested) and event.repeat is not blocked:
            return False
        if isinstance(event, StopAnswered):
            blocked = event.decision == "block"
    return True
