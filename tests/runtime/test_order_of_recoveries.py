"""The order rules of the error log and of recoveries, INT-23..31: streams that no wiring of ours makes. Issue 6, item 5."""

from itertools import count

import pytest

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    CallBegun,
    CallEnded,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureObserved,
    FailureRecorded,
    NonBlockingFailed,
    RecoveryEnded,
    RetryScheduled,
    SessionCut,
    SystemSilent,
    UseBegun,
    UseEnded,
)
from harness.runtime.order import RULES, broken, broken_together

AT = "2026-03-01T12:00:00Z"
NUMBERS = count()


def event(of, call="use-1", /, **fields):
    return of(at=AT, correlation_id=call, **fields)


def begun(task="t"):
    return event(UseBegun, task=task, tool="run_bash")


def started(strategy="", number=1):
    return event(AttemptStarted, tool="run_bash", attempt=number, strategy=strategy)


def succeeded():
    return event(AttemptSucceeded, tool="run_bash")


def observed():
    return event(FailureObserved, tool="run_bash", kind="exit", message="exit 1: no")


def recorded(record_id=None, name="s/use-1/1", call="use-1"):
    made = f"err_{next(NUMBERS)}" if record_id is None else record_id
    return event(FailureRecorded, call, record_id=made, stored=True, name=name)


def diagnosed(strategy="retry", *, asks=False, reflection="full"):
    return event(Diagnosed, error_type="unknown", reflection=reflection, strategy=strategy, asks_user=asks)


def failed(strategy="retry", *, asks=False):
    return [observed(), recorded(), diagnosed(strategy, asks=asks)]


def told(tried, following="", *, success=False, asks=False):
    return event(
        RecoveryEnded, strategy=tried, succeeded=success, iterations=1, next_strategy=following, asks_user=asks
    )


def raised(*triggers, call="use-1", task="t"):
    return event(EscalationRaised, call, task=task, triggers=triggers, consecutive_failures=0)


def ended(outcome="done"):
    return event(UseEnded, outcome=outcome)


def beside(name="s/beside-1"):
    return event(NonBlockingFailed, "beside-1", name=name, error_type="git_commit_failure", message="locked")


def kept(name="s/beside-1"):
    return recorded(name=name, call="beside-1")


def reported(*names):
    return event(ErrorsReported, "end", names=names)


ONCE = [begun(), started(), *failed(), started("retry", 2), succeeded(), told("retry", success=True), ended()]
TWICE = [
    begun(),
    started(),
    *failed("a"),
    started("a", 2),
    *failed("z"),
    told("a", "b"),
    started("b", 3),
    *failed("z"),
    told("b", asks=True),
]
RETRY = event(RetryScheduled, retry=1, delay_s=5.0)


def sound(*streams):
    """Each stream with records of its own, so that it can be played more than once."""
    return [
        event(FailureRecorded, each.correlation_id, record_id=f"err_{next(NUMBERS)}", stored=True, name=each.name)
        if type(each) is FailureRecorded
        else each
        for stream in streams
        for each in stream
    ]


@pytest.mark.parametrize(
    "events",
    [
        [begun(), started(), succeeded(), ended()],
        ONCE,
        [*TWICE, raised("diagnosis"), ended("escalated")],
        [begun(), started(), *failed(asks=True), raised("diagnosis"), ended("escalated")],
        [begun(), started(), *failed(""), raised("diagnosis"), ended("escalated")],
        [begun(), started(), *failed(asks=True), RETRY, started("", 2), succeeded(), ended()],
        [begun(), started(), *failed("a"), RETRY, started("", 2), *failed("b"), started("b", 3), succeeded(), told("b", success=True), ended()],
        [begun(), started(), *failed("a"), started("a", 2), *failed("z"), RETRY, started("a", 3), succeeded(), told("a", success=True), ended()],
        [beside(), kept(), reported("s/beside-1")],
        [beside(), kept(), reported("s/beside-1", "of another session")],
        [beside(), kept(), beside("s/beside-2"), kept("s/beside-2"), reported("s/beside-2", "s/beside-1")],
        [reported()],
    ],
)  # fmt: skip
def test_a_session_as_it_should_be_breaks_nothing(events):
    assert broken(sound(events)) == ()


@pytest.mark.parametrize(
    ("rule", "events"),
    [
        ("INT-15", [*TWICE, raised("diagnosis"), started("c", 4), succeeded(), ended()]),
        ("INT-15", [*TWICE, raised("diagnosis"), ended("escalated"), begun(), started(), succeeded(), ended()]),
        ("INT-23", [begun(), started(), observed(), recorded(), recorded(), diagnosed(), *ONCE[5:]]),
        ("INT-23", [begun(), started(), succeeded(), recorded(), ended()]),
        ("INT-23", [begun(), started(), observed(), recorded(""), diagnosed(), *ONCE[5:]]),
        ("INT-23", [beside(), kept(), kept(), reported("s/beside-1")]),
        ("INT-24", [begun(), started(), observed(), recorded(), started("", 2), succeeded(), ended()]),
        ("INT-24", [begun(), started(), observed(), recorded(), ended("escalated")]),
        ("INT-24", [begun(), started(), observed(), recorded()]),
        ("INT-24", [begun(), started(), observed(), recorded(), raised("diagnosis"), ended("escalated")]),
        ("INT-24", [begun(), started(), observed(), recorded(), diagnosed("", reflection="none"), ended("escalated")]),
        ("INT-24", [begun(), started(), observed(), recorded(), RETRY, started("", 2), *failed(""), raised("diagnosis"), ended("escalated")]),
        ("INT-25", [*TWICE, started("c", 4), succeeded(), ended()]),
        ("INT-25", [*TWICE[:-1], told("b", "c"), started("c", 4), succeeded(), ended()]),
        ("INT-25", [*TWICE, raised(), ended("escalated")]),
        ("INT-25", [*TWICE, ended("failed")]),
        ("INT-25", [begun(), started(), *failed(asks=True), started("retry", 2), succeeded(), ended()]),
        ("INT-25", [begun(), started(), *failed(), raised("diagnosis"), ended("escalated")]),
        ("INT-25", [begun(), started(), *failed("a"), started("a", 2), *failed("z"), told("a", "b"), raised("diagnosis"), ended("escalated")]),
        ("INT-26", [beside(), kept(), raised("git_commit_failure", call="beside-1", task=""), reported("s/beside-1")]),
        ("INT-27", [beside(), kept()]),
        ("INT-27", [beside(), kept(), reported()]),
        ("INT-27", [beside(), kept(), reported("s/beside-1"), begun(), started(), succeeded(), ended(), reported("s/beside-1")]),
        ("INT-27", [beside(), kept(), beside("s/beside-2"), kept("s/beside-2"), reported("s/beside-2")]),
        ("INT-28", [begun(), started("retry"), succeeded(), ended()]),
        ("INT-28", [begun(), started(), *failed("a"), started("", 2), succeeded(), ended()]),
        ("INT-28", [begun(), started(), *failed("a"), started("b", 2), succeeded(), ended()]),
        ("INT-28", [begun(), started(), *failed("a"), started("a", 2), *failed("z"), told("a", "b"), started("a", 3), succeeded(), ended()]),
        ("INT-28", [begun(), started(), *failed("a"), started("a", 2), *failed("z"), told("a", "b"), started("z", 3), succeeded(), ended()]),
        ("INT-28", [begun(), started(), *failed("a"), RETRY, started("a", 2), succeeded(), ended()]),
        ("INT-28", [*ONCE[:-2], told("another", success=True), ended()]),
        ("INT-29", [begun(), started(), succeeded(), diagnosed(), ended()]),
        ("INT-29", [*ONCE[:5], diagnosed(), *ONCE[5:]]),
        ("INT-29", [beside(), kept(), diagnosed(), reported("s/beside-1")]),
        ("INT-30", [beside(), reported("s/beside-1")]),
        ("INT-30", [beside(), reported("s/beside-1"), kept()]),
        ("INT-31", [*ONCE[:-2], ended()]),
        ("INT-31", [*ONCE[:-2], told("retry"), ended()]),
        ("INT-31", [*ONCE[:-1], told("retry", success=True), ended()]),
        ("INT-31", [begun(), started(), *failed("a"), told("a", "b"), started("b", 2), succeeded(), ended()]),
        ("INT-31", [begun(), started(), *failed("a"), started("a", 2), *failed("z"), started("b", 3), succeeded(), ended()]),
    ],
)  # fmt: skip
def test_each_rule_is_broken_by_its_own_defect_alone(rule, events):
    named = [each for each in events if type(each) is not FailureRecorded or each.record_id != ""]
    assert broken(sound(events) if named == events else events) == (rule,)


def test_two_sessions_that_share_a_record_are_found():
    streams = [("a", each) for each in ONCE] + [("b", each) for each in ONCE]
    assert broken_together(streams) == ("INT-23",)


def test_what_a_session_left_when_it_died_is_not_held_against_it():
    events = [("a", begun()), ("a", started()), ("a", observed()), ("a", beside()), ("a", event(SessionCut))]
    assert set(broken_together(events)) <= {"INT-01"}


@pytest.mark.parametrize(("system", "operation"), [("diagnosis", "observe"), ("error_log", "log")])
def test_a_system_that_was_silent_is_its_own_rule_and_the_next_use_is_judged_again(system, operation):
    silent = event(SystemSilent, system=system, operation=operation, why="it died")
    rest = [observed(), silent] if system == "error_log" else [observed(), recorded(), silent]
    first = [begun(), started(), *rest, raised("diagnosis"), ended("escalated")]
    assert broken(first) == ("INT-21",)
    second = [begun("u"), started(), observed(), recorded(), ended("escalated")]
    assert broken([*first, *second]) == ("INT-21", "INT-24")


def test_a_use_is_no_call_to_a_model():
    """Neither breaker nor ladder has a part in it, before a call or after."""
    call = [
        event(CallBegun, "call-1", task="c", tool="m", model="opus", approach="complex", security_critical=True),
        event(EscalationRaised, "call-1", task="c", triggers=("security_critical",), consecutive_failures=0),
        event(CallEnded, "call-1", outcome="escalated", consecutive_failures=0),
    ]
    assert broken(sound(ONCE, call, ONCE)) == ()


def test_every_rule_of_the_two_systems_has_its_defect_here():
    marks = test_each_rule_is_broken_by_its_own_defect_alone.pytestmark
    assert {rule for rule, _ in marks[0].args[1]} == {"INT-15", *RULES[22:31]}
