"""The state machine as a table: these moves exist, and all others are illegal (LK-CB-22). Pure."""

from collections.abc import Mapping
from enum import StrEnum

from harness.systems.circuit_breaker.contract import State


class Event(StrEnum):
    """What moves a breaker. Source: document 000, State Transition Rules."""

    TRIPPED = "tripped"  # enough failures within the window
    COOLED = "cooled"  # the cooldown is over, and somebody asks
    RECOVERED = "recovered"  # enough probes in a row succeeded
    RELAPSED = "relapsed"  # a probe failed


TRANSITIONS: Mapping[tuple[State, Event], State] = {
    (State.CLOSED, Event.TRIPPED): State.OPEN,
    (State.OPEN, Event.COOLED): State.HALF_OPEN,
    (State.HALF_OPEN, Event.RECOVERED): State.CLOSED,
    (State.HALF_OPEN, Event.RELAPSED): State.OPEN,
}


class IllegalMoveError(Exception):
    """A move that the document does not have."""


def after(state: State, event: Event) -> State:
    """The state that ``event`` leads to; IllegalMoveError when nothing leads there."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise IllegalMoveError(f"{event} while {state}") from None
