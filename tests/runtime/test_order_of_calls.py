"""The order rules of calls, INT-04..22: streams that no wiring of ours makes, and what is left when something is missing."""

from itertools import count

import pytest

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    BreakerMoved,
    BreakerTold,
    CallBegun,
    CallEnded,
    CallPermitted,
    CallRefused,
    ClockStepped,
    Diagnosed,
    EscalationRaised,
    FailureClassified,
    FailureObserved,
    FailureRecorded,
    FellBack,
    MachineRestarted,
    RetriesEnded,
    RetryScheduled,
    SessionCut,
    StorageChanged,
    SystemSilent,
    WaitBegun,
)
from harness.ports.clock import to_seconds, to_text
from harness.runtime.mutants.table import mutant
from harness.runtime.order import broken, broken_together
from harness.runtime.session import Session

NUMBERS = count()
AT = to_seconds("2026-03-01T12:00:00Z")
P = "api/claude"


def event(of, at=0.0, call="call-1", /, **fields):
    return of(at=to_text(AT + at), correlation_id=call, **fields)


def begun(**fields):
    return event(CallBegun, task="t", tool="m", **({"model": "opus", "approach": "complex"} | fields))


def permitted(at=0.0, state="CLOSED"):
    return event(CallPermitted, at, provider=P, state=state)


def started(at=0.0, model="opus", number=1):
    return event(AttemptStarted, at, tool="m", attempt=number, provider=P, model=model, approach="complex")


def told(outcome="failure", at=0.0, state="CLOSED"):
    return event(BreakerTold, at, provider=P, outcome=outcome, state=state)


def failed(at=0.0, **changes):
    observed = event(FailureObserved, at, tool="m", kind="exit", message="exit 1: HTTP 429")
    recorded = event(FailureRecorded, at, record_id=f"r-{next(NUMBERS)}", stored=True)
    return [observed, recorded, told(at=at, **changes)]


def classified(limited, at=0.0):
    return event(FailureClassified, at, rate_limited=limited)


def diagnosed(at=0.0):
    """Nothing is recommended: what is tried has no strategy."""
    return event(Diagnosed, at, error_type="unknown", reflection="full", strategy="", asks_user=False)


def understood(limited, at=0.0):
    return [classified(limited, at), diagnosed(at)]


def ended(outcome="done", failures=0, at=0.0):
    return event(CallEnded, at, outcome=outcome, consecutive_failures=failures)


def done(at=0.0):
    return [event(AttemptSucceeded, at, tool="m"), told("success", at), ended(at=at)]


def fell(before="opus", after="sonnet", failures=1, at=0.0):
    return event(FellBack, at, ladder="model", before=before, after=after, consecutive_failures=failures)


def raised(failures, *triggers, task="t"):
    return event(EscalationRaised, task=task, triggers=triggers, consecutive_failures=failures)


def moved(before, after, at=0.0):
    return event(BreakerMoved, at, provider=P, before=before, after=after)


def refused(at=0.0, state="OPEN", wait_s=300.0):
    return event(CallRefused, at, provider=P, state=state, held="refused", wait_s=wait_s)


def waits(cause="cooldown", wait_s=300.0, failures=0, at=0.0):
    return event(WaitBegun, at, cause=cause, wait_s=wait_s, consecutive_failures=failures)


RETRIED = [begun(), permitted(), started(), *failed(), *understood(True), event(RetryScheduled, retry=1, delay_s=5.0)]


@pytest.mark.parametrize(
    "events",
    [
        [begun(), permitted(), started(), *done()],
        [*RETRIED, waits("back_off", 5.0), permitted(5.0), started(5.0, number=2), *done(5.0)],
        [
            begun(),
            permitted(),
            started(),
            *failed(),
            *understood(False),
            fell(),
            permitted(),
            started(0, "sonnet"),
            *done(),
        ],
        [begun(security_critical=True), raised(0, "security_critical"), ended("escalated")],
        [
            begun(),
            refused(),
            waits(),
            moved("OPEN", "HALF_OPEN", 300),
            permitted(300, "HALF_OPEN"),
            started(300),
            *done(300),
        ],
        [
            begun(),
            refused(),
            fell(failures=0),
            refused(),
            waits(),
            moved("OPEN", "HALF_OPEN", 300),
            permitted(300, "HALF_OPEN"),
            started(300, "sonnet"),
            *done(300),
        ],
    ],
)
def test_a_call_as_it_should_be_breaks_nothing(events):
    assert broken(events) == ()


@pytest.mark.parametrize(
    ("rule", "events"),
    [
        ("INT-04", [begun(), started(), *done()]),
        ("INT-05", [begun(), permitted(), started(), event(AttemptSucceeded, tool="m"), ended()]),
        ("INT-05", [begun(), permitted(), started(), *failed(outcome="success"), *understood(False), fell()]),
        ("INT-08", [begun(), refused(), classified(True), waits(), permitted(300, "OPEN")][:4]),
        ("INT-08", [begun(), refused(), event(RetriesEnded, retry=1), waits()]),
        ("INT-08", [begun(), refused(), waits(failures=1)]),
        ("INT-09", [*RETRIED[:-3], diagnosed(), fell()]),
        ("INT-09", [begun(), permitted(), classified(True)]),
        ("INT-09", [*RETRIED[:-3], diagnosed(), permitted(), started(number=2), *done()]),
        ("INT-10", [*RETRIED, waits("back_off", 5.0), permitted(4.9), started(4.9, number=2), *done(4.9)]),
        ("INT-11", [*RETRIED[:-1], event(RetryScheduled, retry=2, delay_s=5.0)]),
        ("INT-12", [*RETRIED, fell()]),
        ("INT-12", [begun(), fell(failures=0)]),
        ("INT-13", [begun(), refused(), fell(after="haiku", failures=0)]),
        ("INT-13", [begun(), refused(), raised(0), ended("escalated")]),
        ("INT-14", [begun(), refused(), waits(), permitted(300, "OPEN")][:2] + [fell(failures=-1)]),
        ("INT-14", [begun(), raised(0, "consecutive_failures"), ended("escalated")]),
        ("INT-15", [begun(), ended("escalated")]),
        ("INT-16", [begun(), refused(), waits(), permitted(299, "OPEN")][:3] + [refused(299, "OPEN", 1.0), waits(at=299)]),
        ("INT-20", [begun(), raised(0, "security_critical", task="another"), ended("escalated")]),
        ("INT-20", [begun(), permitted(), started(), *done(), ended()]),
        ("INT-20", [begun(), event(FailureObserved, tool="m", kind="exit", message=""), event(FailureRecorded, record_id="r", stored=True)]),
        ("INT-22", [begun(confidence=0.39), permitted(), started(), *done()]),
        ("INT-22", [begun(confidence=0.29, decision="recovery_strategy"), permitted(), started(), *done()]),
        ("INT-22", [begun(irreversible=True), permitted(), started(), *done()]),
    ],
)  # fmt: skip
def test_each_rule_is_broken_by_its_own_defect(rule, events):
    """A stream that stops in the middle of a call breaks INT-20 as well."""
    found = broken(events)
    assert rule in found
    assert set(found) <= {rule, "INT-20"}


def test_what_was_never_told_is_found_at_the_end():
    assert broken([begun(), permitted(), started(), event(AttemptSucceeded, tool="m")]) == ("INT-05", "INT-20")


def test_after_a_system_was_silent_the_call_is_not_judged_and_the_next_one_is():
    silent = event(SystemSilent, system="fallback", operation="next", why="it died")
    rest = [begun(), permitted(), started(), event(AttemptSucceeded, tool="m"), ended()]
    assert broken([begun(), silent, started(), ended("escalated", 7)]) == ("INT-21",)
    assert broken([begun(), silent, ended("escalated", 7), *rest]) == ("INT-05", "INT-21")


def three(at, state="CLOSED"):
    """A failure each ``at`` seconds, the third with that state after it."""
    events = [begun()]
    for number in range(3):
        last = state if number == 2 else "CLOSED"
        time = number * at
        events += [
            permitted(time),
            started(time, number=number + 1),
            *failed(time, state=last),
            *understood(True, time),
        ]
        events += [event(RetryScheduled, time, retry=number + 1, delay_s=at), waits("back_off", at, at=time)]
    return events


@pytest.mark.parametrize(("at", "rules"), [(29.9, ("INT-17", "INT-20")), (30.0, ("INT-20",)), (31.0, ("INT-20",))])
def test_three_failures_must_open_where_every_reading_says_so(at, rules):
    """At exactly 60 s readings part: in or out (LK-CB-11)."""
    assert broken(three(at)) == rules


def test_the_third_may_be_the_one_that_opens():
    assert broken([*three(10.0, "OPEN")[:-1], moved("CLOSED", "OPEN", 20)]) == ("INT-20",)


OPENED = [*three(10.0, "OPEN")[:-4], moved("CLOSED", "OPEN", 20.0), *understood(True, 20.0)]


def test_nobody_gets_through_before_the_cooldown_is_over():
    other = [begun(), moved("OPEN", "HALF_OPEN", 319), permitted(319, "HALF_OPEN")]
    events = [("a", each) for each in OPENED] + [("b", each) for each in other]
    assert broken_together(events) == ("INT-19", "INT-20")
    later = [begun(), moved("OPEN", "HALF_OPEN", 320), permitted(320, "HALF_OPEN")]
    assert broken_together([*events[: len(OPENED)], *(("b", each) for each in later)]) == ("INT-20",)


@pytest.mark.parametrize(
    "between",
    [
        [event(ClockStepped, 25, by_s=3600.0)],
        [event(StorageChanged, 25, full=True)],
        [event(StorageChanged, 25, full=True), event(StorageChanged, 26, full=False)],
    ],
)
def test_after_the_clock_was_set_or_the_disk_was_full_nothing_is_demanded_of_breakers(between):
    other = [begun(), moved("OPEN", "CLOSED", 30), permitted(30, "CLOSED")]
    events = [("a", each) for each in OPENED] + [("", each) for each in between] + [("b", each) for each in other]
    assert broken_together(events) == ("INT-20",)


def test_when_everything_began_anew_it_is_demanded_again():
    full = [event(StorageChanged, full=True), event(StorageChanged, full=False), event(MachineRestarted)]
    events = [("", each) for each in full] + [("a", permitted()), ("a", moved("CLOSED", "HALF_OPEN"))]
    assert "INT-18" in broken_together(events)
    assert "INT-18" not in broken_together([*events[:2], *events[3:]])


def test_what_a_session_had_begun_when_it_died_is_not_held_against_it():
    events = [("a", begun()), ("a", permitted()), ("a", event(SessionCut))]
    assert broken_together(events) == ()


def test_two_mutants_cannot_have_one_name():
    with pytest.raises(ValueError, match="two mutants called unrecorded"):
        mutant("INT-01")(type("Unrecorded", (Session,), {}))
