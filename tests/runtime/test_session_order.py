"""The order rules INT-01..03: each holds of a good stream, and each is broken by its own defect only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    Diagnosed,
    FailureObserved,
    FailureRecorded,
    StopAnswered,
    StopRequested,
)
from harness.runtime.order import RULES, broken

AT = "2026-03-01T12:00:00Z"


def started(call: str = "call-1") -> AttemptStarted:
    return AttemptStarted(at=AT, correlation_id=call, tool="bash", attempt=1)


def succeeded(call: str = "call-1") -> AttemptSucceeded:
    return AttemptSucceeded(at=AT, correlation_id=call, tool="bash")


def observed(call: str = "call-1") -> FailureObserved:
    return FailureObserved(at=AT, correlation_id=call, tool="bash", kind="exit", message="exit 1: ")


def recorded(call: str = "call-1", *, stored: bool = True) -> FailureRecorded:
    return FailureRecorded(at=AT, correlation_id=call, record_id=f"s-{call}", stored=stored)


def diagnosed(call: str = "call-1") -> Diagnosed:
    return Diagnosed(
        at=AT, correlation_id=call, error_type="unknown", reflection="full", strategy="retry", asks_user=False
    )


def asked(stop: str = "stop-1", *, repeat: bool = False) -> StopRequested:
    return StopRequested(at=AT, correlation_id=stop, repeat=repeat)


def answered(decision: str, stop: str = "stop-1") -> StopAnswered:
    return StopAnswered(at=AT, correlation_id=stop, decision=decision, reasons=())


FAILED = (started(), observed(), recorded(), diagnosed())
HELD_THEN_FREE = (asked(), answered("block"), asked("stop-2", repeat=True), answered("approve", "stop-2"))


@pytest.mark.parametrize(
    "events",
    [
        (),
        (started(), succeeded()),
        FAILED,
        (started(), observed(), recorded(stored=False), diagnosed()),
        HELD_THEN_FREE,
        (*FAILED, *HELD_THEN_FREE, asked("stop-3"), answered("approve", "stop-3")),
    ],
)
def test_a_session_as_it_should_be_breaks_nothing(events):
    assert broken(events) == ()


@pytest.mark.parametrize(
    ("rule", "events"),
    [
        ("INT-01", (observed(),)),
        ("INT-01", (observed(), started("call-2"), recorded())),
        ("INT-01", (observed(), asked(), recorded(), answered("approve"))),
        ("INT-01", (observed(), recorded("call-2"))),
        ("INT-01", (observed(), observed("call-2"), recorded("call-2"))),
        ("INT-02", (asked(),)),
        ("INT-02", (answered("approve"),)),
        ("INT-02", (answered("approve"), asked())),
        ("INT-02", (asked(), answered("approve", "stop-2"))),
        ("INT-02", (asked(), answered("approve"), answered("approve"))),
        ("INT-02", (asked(), asked("stop-2"), answered("approve"), answered("approve", "stop-2"))),
        ("INT-03", (asked(repeat=True), answered("approve"))),
        ("INT-03", (asked(), answered("block"), asked("stop-2"), answered("approve", "stop-2"))),
        ("INT-03", (asked(), answered("approve"), asked("stop-2", repeat=True), answered("approve", "stop-2"))),
    ],
)
def test_each_rule_is_broken_by_its_own_defect(rule, events):
    assert broken(events) == (rule,)


def test_several_broken_rules_are_named_in_their_order():
    assert broken((observed(), asked(repeat=True))) == RULES[:3]


@given(st.integers(0, len(HELD_THEN_FREE + FAILED) - 1))
def test_any_single_event_that_is_lost_shows(lost):
    events = (*FAILED, *HELD_THEN_FREE)
    without = events[:lost] + events[lost + 1 :]
    assert broken(without) != ()
