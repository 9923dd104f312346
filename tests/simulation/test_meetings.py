"""Which systems and mechanisms meet, and how often that counts."""

import msgspec
import pytest

from harness.core.events import (
    BreakerMoved,
    CallBegun,
    CallPermitted,
    CallRefused,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureRecorded,
    FellBack,
    RetryScheduled,
    SessionCut,
    SessionEvent,
    StopAnswered,
)
from harness.core.plan_events import ClaimWeighed, CodeReviewed, PhaseLaunched, PhaseVerified, PlanHalted
from harness.core.task_events import (
    DeadLettersReviewed,
    FailureCounted,
    NothingClaimed,
    OperationBegun,
    ReviewsChecked,
    SessionResumed,
    SignalConsumed,
    TaskClaimed,
    WorkerBegun,
)
from harness.simulation.meetings import BUCKETS, PAIRS, WINDOW, Meetings, fired
from harness.simulation.systems import IN_A_SESSION
from tests.simulation.playing import played
from tests.simulation.telling_events import of, stream, told

REFUSED, RETRY, LOGGED = told(CallRefused, state="OPEN"), told(RetryScheduled), told(FailureRecorded)
NOTHING = told(CallBegun)
BEGUN, CUT = told(WorkerBegun), told(SessionCut)


def met(*parts):
    meetings = Meetings()
    for session, event in stream(*parts):
        meetings.take(session, event)
    return meetings


def test_two_systems_meet_in_the_order_in_which_they_fired():
    assert {("rate_limit", "circuit_breaker"): 1} == met(RETRY, REFUSED).pairs


def test_systems_meet_within_the_window_and_not_after_it():
    between = [NOTHING] * (WINDOW - 1)
    assert {("rate_limit", "circuit_breaker"): 1} == met(RETRY, between, REFUSED).pairs
    assert {} == met(RETRY, between, NOTHING, REFUSED).pairs


def test_what_fired_again_is_met_for_as_long_as_if_it_had_fired_then():
    between = [NOTHING] * (WINDOW - 2)
    assert {("rate_limit", "circuit_breaker"): 1} == met(RETRY, between, RETRY, between, REFUSED).pairs


def test_what_fires_in_different_sessions_does_not_meet():
    assert {} == met(RETRY, of("b", REFUSED)).pairs


def test_events_of_other_sessions_do_not_count_into_the_window():
    others = of("b", *[NOTHING] * WINDOW)
    assert {("rate_limit", "circuit_breaker"): 1} == met(RETRY, others, REFUSED).pairs


def test_a_system_does_not_meet_itself():
    assert {} == met(REFUSED, told(BreakerMoved, before="OPEN", after="HALF_OPEN")).pairs


def test_a_burst_is_one_meeting_in_each_order():
    assert {("rate_limit", "circuit_breaker"): 1, ("circuit_breaker", "rate_limit"): 1} == met(
        [RETRY, REFUSED] * (WINDOW // 2)
    ).pairs


def test_systems_that_go_on_meeting_meet_again_in_the_next_window():
    assert 2 == met([RETRY, REFUSED] * WINDOW).pairs["rate_limit", "circuit_breaker"]


def test_pairs_without_order_are_the_sum_of_both():
    unordered = met(RETRY, REFUSED, RETRY, LOGGED).unordered()
    assert set(PAIRS) == set(unordered)
    assert {
        ("circuit_breaker", "rate_limit"): 2,
        ("error_log", "rate_limit"): 1,
        ("circuit_breaker", "error_log"): 1,
    } == {pair: count for pair, count in unordered.items() if count}


def test_there_are_66_pairs():
    assert 66 == len(PAIRS) == len(set(PAIRS))


@pytest.mark.parametrize(
    "over", [lambda meetings: meetings.forget("s"), lambda meetings: meetings.take("s", told(SessionCut))]
)
def test_nothing_meets_what_fired_before_a_session_was_over(over):
    meetings = met(RETRY)
    over(meetings)
    meetings.take("s", REFUSED)
    assert {} == meetings.pairs


def test_the_window_of_a_session_that_was_cut_goes_on_in_its_workers_next_one():
    found = met(BEGUN, RETRY, CUT, of("s-2", BEGUN, REFUSED, CUT), of("s-3", BEGUN, LOGGED))
    expected = {
        ("rate_limit", "circuit_breaker"): 1,
        ("rate_limit", "error_log"): 1,
        ("circuit_breaker", "error_log"): 1,
    }
    assert expected == found.pairs


def test_the_window_of_a_session_that_was_cut_is_no_longer_than_any():
    between = [NOTHING] * (WINDOW - 3)
    assert {("rate_limit", "circuit_breaker"): 1} == met(BEGUN, RETRY, CUT, of("s-2", BEGUN, *between, REFUSED)).pairs
    assert {} == met(BEGUN, RETRY, CUT, of("s-2", BEGUN, *between, NOTHING, REFUSED)).pairs


@pytest.mark.parametrize(
    "following",
    [
        of("s-2", told(WorkerBegun, worker="b"), REFUSED),
        of("s-2", NOTHING, BEGUN, REFUSED),
        [*of("s-2", BEGUN), *of("s-3", BEGUN, REFUSED)],
    ],
    ids=["of another worker", "which did something first", "which is not the next"],
)
def test_no_other_session_goes_on_with_the_window(following):
    assert {} == met(BEGUN, RETRY, CUT, following).pairs


def test_a_session_that_ended_by_itself_leaves_no_window():
    meetings = met(BEGUN, RETRY)
    meetings.forget("s")
    for event in (BEGUN, REFUSED):
        meetings.take("s-2", event)
    assert {} == meetings.pairs


@pytest.mark.parametrize(
    "routine",
    [
        told(CallPermitted, state="CLOSED"),
        told(StopAnswered, decision="approve", reasons=("complete",)),
        told(TaskClaimed),
        told(NothingClaimed, outcome="none"),
        told(OperationBegun, performed=True),
        told(DeadLettersReviewed, reviewed=False),
        told(ReviewsChecked),
        told(SessionResumed, interrupted=()),
        told(SignalConsumed, handled=False),
        told(ErrorsReported, names=()),
        told(Diagnosed, reflection="none"),
        told(PhaseVerified, passed=True),
        told(CodeReviewed, decision="pending"),
        told(CodeReviewed, decision="passed", accepted=False),
        told(CodeReviewed, operation="status", decision="pending"),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_routine_answer_fires_nothing(routine):
    assert fired(routine) is None


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (told(StopAnswered, decision="block"), ("stop_gate", "stop blocked")),
        (told(CallPermitted, state="HALF_OPEN"), ("circuit_breaker", "probe let through")),
        (told(RetryScheduled), ("rate_limit", "retry scheduled")),
        (told(FellBack, ladder="model", after="escalate"), ("fallback", "ladder ended")),
        (told(EscalationRaised, triggers=("consecutive_failures", "diagnosis")), ("fallback", "ladder called a human")),
        (told(EscalationRaised, triggers=("diagnosis",)), ("diagnosis", "diagnosis asked the user")),
        (told(FailureRecorded, stored=False), ("error_log", "failure not stored")),
        (told(FailureCounted, moved=True), ("dead_letter", "dead letter made")),
        (told(ReviewsChecked, timed_out=("t",)), ("signals", "review timed out")),
        (told(SessionResumed, interrupted=("t",)), ("session_recovery", "session resumed")),
        (told(PhaseLaunched, kind="phase", attempt=2), ("phase_runner", "phase retried")),
        (told(PlanHalted), ("phase_runner", "plan halted")),
        (told(CodeReviewed, decision="blocked"), ("review_gate", "review blocked")),
        (
            told(CodeReviewed, operation="status", launched=("reviewer-1",)),
            ("review_gate", "reviewer launched again"),
        ),
        (told(ClaimWeighed, proceeds=False), ("rationalization", "claim doubted")),
    ],
)
def test_an_answer_beyond_the_routine_one_is_its_systems(event, expected):
    assert expected == fired(event)


def test_every_system_of_a_session_has_mechanisms():
    every = [kind for kind in SessionEvent.__args__ if kind is not SessionCut]
    words = {"decision": "block", "reflection": "fast", "after": "OPEN", "interrupted": ("t",), "reviewed": True}
    told_of = [told(kind, **{name: value for name, value in words.items() if name in _names(kind)}) for kind in every]
    review = told(CodeReviewed, decision="passed")
    assert set(IN_A_SESSION) == {found.system for event in [*told_of, review] if (found := fired(event))}


def _names(kind):
    return {each.name for each in msgspec.structs.fields(kind)}


def test_features_tell_the_mechanisms_that_met_and_how_often_at_least():
    assert {"retry scheduled > breaker refused, 1"} == met(RETRY, REFUSED).features()
    thrice = met(*(of(f"s-{number}", RETRY, REFUSED) for number in range(3)))
    assert {"retry scheduled > breaker refused, 1", "retry scheduled > breaker refused, 2"} == thrice.features()


def test_features_tell_mechanisms_of_one_system_apart():
    half = told(BreakerMoved, before="OPEN", after="HALF_OPEN")
    assert {"breaker refused > breaker half-opened, 1"} == met(REFUSED, half).features()


def test_the_last_bucket_is_open():
    often = met(*(of(f"s-{number}", RETRY, REFUSED) for number in range(2 * BUCKETS[-1])))
    assert {f"retry scheduled > breaker refused, {bucket}" for bucket in BUCKETS} == often.features()


def test_more_of_the_same_has_all_features_of_less():
    events = played(profile="hostile")[1]
    assert met(events[: len(events) // 2]).features() < met(events).features()
