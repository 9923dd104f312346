"""One call to a model: through its provider's breaker, with back-off, down the ladders, or up to a human. Issue 5, item 6."""

from itertools import pairwise

import pytest
from fakes import DONE, DOWN, HUNG, LIMITED, NOW_S, UNDONE, FakeBreaker, Silent, World, task, told, words

from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    BreakerTold,
    CallRefused,
    EscalationRaised,
    FailureRecorded,
    FellBack,
    RetryScheduled,
    StopAnswered,
    SystemSilent,
    WaitBegun,
)
from harness.ports.launcher import Ended
from harness.runtime.order import broken
from harness.runtime.trial import MOST_ATTEMPTS, MOST_STEPS
from harness.systems.circuit_breaker.contract import AcquireResult, Held, State
from harness.systems.fallback.contract import Decision as About
from harness.systems.fallback.contract import NextResult
from harness.systems.rate_limit.contract import DelayResult


def times(world):
    """When something was run, in seconds since the beginning."""
    return [at for at, _ in world.ran]


def test_a_call_that_succeeds_is_permitted_run_and_told():
    world = World(DONE)
    assert world.session.perform(task()) == "done"
    assert words(world) == [
        "CallBegun",
        "CallPermitted",
        "AttemptStarted",
        "AttemptSucceeded",
        "BreakerTold",
        "CallEnded",
    ]
    assert {event.correlation_id for event in world.session.events} == {"call-1"}
    assert [argv for _, argv in world.ran] == [("ask", "opus", "complex", "api/claude")]


def test_a_failure_is_recorded_then_told_then_classified_then_diagnosed():
    world = World(LIMITED, DONE)
    world.session.perform(task())
    assert words(world)[3:9] == [
        "FailureObserved",
        "FailureRecorded",
        "BreakerTold",
        "FailureClassified",
        "Diagnosed",
        "RetryScheduled",
    ]


def test_a_rate_limit_is_tried_again_after_the_delay():
    world = World(LIMITED, LIMITED, DONE)
    assert world.session.perform(task()) == "done"
    assert times(world) == [0, 5, 15]
    assert told(world, AttemptStarted, "attempt", "model") == [(1, "opus"), (2, "opus"), (3, "opus")]


def test_three_failures_open_the_breaker_before_five_back_offs_end():
    """LK-RL-06 against LK-CB-10: the third attempt fails after 15 s, so retry 3 meets an OPEN breaker."""
    world = World(LIMITED, LIMITED, LIMITED, DONE)
    assert world.session.perform(task(urgent=False)) == "done"
    assert told(world, BreakerMoved, "before", "after") == [("CLOSED", "OPEN"), ("OPEN", "HALF_OPEN")]
    assert told(world, CallRefused, "at", "wait_s") == [("2026-03-01T12:00:35Z", 280.0)]
    assert times(world) == [0, 5, 15, 315], "the retry waits for the cooldown, and is the probe"


def test_a_refusal_is_no_failure():
    world = World(LIMITED, LIMITED, LIMITED, DONE)
    world.session.perform(task(urgent=False))
    assert len(told(world, BreakerTold, "at")) == len(told(world, AttemptStarted, "at")) == 4
    assert len(told(world, FailureRecorded, "at")) == 3
    assert told(world, RetryScheduled, "retry") == [(1,), (2,), (3,)]
    assert told(world, WaitBegun, "cause", "consecutive_failures") == [("back_off", 0)] * 3 + [("cooldown", 0)]


def test_an_urgent_call_falls_back_from_an_open_breaker():
    """opus and sonnet are called at one provider, so the step after next is the one that gets through."""
    world = World(LIMITED, LIMITED, LIMITED, DONE)
    assert world.session.perform(task(urgent=True)) == "done"
    assert told(world, FellBack, "before", "after", "consecutive_failures") == [
        ("opus", "sonnet", 1),
        ("sonnet", "haiku", 1),
    ]
    assert times(world) == [0, 5, 15, 35]


def test_five_retries_are_made_and_no_sixth():
    """LK-RL-06: only reached by a call that waits for its breaker."""
    world = World(*[LIMITED] * 6, DONE)
    world.session.perform(task(urgent=False))
    attempts = told(world, AttemptStarted, "model")
    assert attempts == [("opus",)] * 6 + [("sonnet",)]
    assert told(world, RetryScheduled, "delay_s") == [(5.0,), (10.0,), (20.0,), (40.0,), (80.0,)]


@pytest.mark.parametrize("failure", [DOWN, HUNG, Ended("not_started", 111, "Connection refused")])
def test_a_provider_that_fails_otherwise_is_left_at_once(failure):
    """LK-FB-01: one step a failure."""
    world = World(failure, DONE)
    assert world.session.perform(task()) == "done"
    assert times(world) == [0, 0]
    assert told(world, FellBack, "ladder", "before", "after") == [("model", "opus", "sonnet")]


def test_work_that_is_not_done_is_tried_by_a_simpler_approach():
    """LK-FB-02."""
    world = World(UNDONE, UNDONE, DONE)
    assert world.session.perform(task()) == "done"
    assert told(world, AttemptStarted, "model", "approach") == [
        ("opus", "complex"),
        ("opus", "simpler"),
        ("opus", "minimal"),
    ]


def test_the_third_failure_of_a_task_calls_a_human():
    """LK-FB-04; it is the second failed recovery as well, DR-REC-07."""
    world = World(DOWN)
    assert world.session.perform(task()) == "escalated"
    assert told(world, EscalationRaised, "task", "triggers", "consecutive_failures") == [
        ("t-1", ("consecutive_failures", "diagnosis"), 3)
    ]
    assert told(world, AttemptStarted, "model") == [("opus",), ("sonnet",), ("haiku",)]


def test_the_end_of_a_ladder_calls_a_human_too():
    world = World(DOWN)
    assert world.session.perform(task(model="sonnet")) == "escalated"
    assert told(world, FellBack, "before", "after") == [("sonnet", "haiku"), ("haiku", "escalate")]
    assert told(world, EscalationRaised, "triggers", "consecutive_failures") == [((), 2)]


def test_failures_add_up_over_the_calls_of_a_task_until_it_succeeds():
    world = World(DOWN, DONE, DOWN, DOWN, DONE)
    session = world.session
    assert [session.perform(task()), session.perform(task())] == ["done", "done"]
    assert told(world, FellBack, "consecutive_failures") == [(1,), (1,), (2,)]


def test_a_task_that_a_human_has_is_not_touched_again():
    """Signals, Processing: do not proceed; other tasks go on."""
    world = World(DOWN, DOWN, DOWN, DONE)
    assert world.session.perform(task("t-1")) == "escalated"
    before = world.session.events
    assert world.session.perform(task("t-1")) == "escalated"
    assert world.session.events == before
    assert world.session.perform(task("t-2")) == "done"


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        ({"security_critical": True}, "security_critical"),
        ({"irreversible": True}, "irreversible"),
        ({"confidence": 0.39}, "low_confidence"),
    ],
)
def test_a_task_that_calls_for_a_human_by_itself_is_not_tried(facts, trigger):
    """LK-FB-03, LK-FB-05."""
    world = World(DONE)
    assert world.session.perform(task(**facts)) == "escalated"
    assert world.ran == []
    assert told(world, EscalationRaised, "triggers") == [((trigger,),)]
    assert broken(world.session.events) == ()


@pytest.mark.parametrize("facts", [{"confidence": 0.40}, {"irreversible": True, "rollback": True}, {}])
def test_any_other_is(facts):
    world = World(DONE)
    assert world.session.perform(task(**facts)) == "done"


def test_each_provider_has_a_breaker_of_its_own():
    """LK-CB-01."""
    world = World(LIMITED, LIMITED, LIMITED, DONE)
    world.session.perform(task())
    assert {name: one.state for name, one in world.systems.breaker.breakers.items()} == {
        "api/claude": "OPEN",
        "api/openai": "CLOSED",
    }


def test_a_call_that_waits_keeps_its_name_and_each_attempt_has_another():
    world = World(LIMITED, LIMITED, LIMITED, DONE)
    calls = []
    acquire = world.systems.breaker.acquire
    world.systems.breaker.acquire = lambda arguments, now_s: (calls.append(arguments.call), acquire(arguments, now_s))[
        1
    ]
    world.session.perform(task(urgent=False))
    assert calls == ["s/call-1/1", "s/call-1/2", "s/call-1/3", "s/call-1/4", "s/call-1/4"]


def test_the_call_stands_in_the_transcript():
    world = World(DONE)
    world.session.perform(task())
    text = world.files.read("/h/.claude/projects/session/s.jsonl", 9999)
    assert b'"type": "tool_use"' in text
    assert b'"content": "done"' in text


@pytest.mark.parametrize(
    ("port", "operation", "outcome"),
    [
        ("breaker", "acquire", "escalated"),
        ("breaker", "record", "done"),
        ("backoff", "classify", "done"),
        ("backoff", "next_delay", "done"),
        ("ladder", "next", "escalated"),
        ("ladder", "escalation", "escalated"),
        ("gate", "check", "done"),
        ("error_log", "classify", "done"),
        ("error_log", "log", "done"),
        ("diagnostician", "observe", "escalated"),
        ("diagnostician", "outcome", "done"),
        ("diagnostician", "prompt", "done"),
    ],
)
def test_a_system_that_does_not_answer_costs_care_but_never_the_session(port, operation, outcome):
    """The careful answer: nothing is let through, no retry, a human; but a stop is approved (PS-FO-01).

    Of an outcome the careful answer is to ask the user too; here the recovery that it is about has succeeded.
    """
    world = World(LIMITED, DOWN, DONE)
    systems = world.session._systems
    inner = getattr(systems, port)._inner
    getattr(systems, port)._inner = Silent(inner, operation)
    if operation == "acquire":
        world.session._outside = world.session._outside._replace(waiter=Impatient())
        with pytest.raises(TimeoutError):
            world.session.perform(task())
    else:
        assert world.session.perform(task()) == outcome
    assert world.session.request_stop().decision == "approve"
    assert set(told(world, SystemSilent, "operation", "why")) == {(operation, "it died")}
    assert type(world.session.events[-1]) is StopAnswered


class Impatient:
    """Does not wait for ever."""

    def wait(self, for_s):
        assert for_s == 10.0
        raise TimeoutError


def without(port):
    """The systems of a session, one of them as if it were not there."""

    class Always:
        def acquire(self, arguments, now_s):
            return FakeBreaker().acquire(arguments, now_s)

        def record(self, arguments, now_s):
            return FakeBreaker().record(arguments, now_s)

        def classify(self, arguments, now_s):
            return type("No", (), {"rate_limited": False})

        def next(self, arguments, now_s):
            return type("Stay", (), {"next": arguments.current})

        def escalation(self, arguments, now_s):
            return type("Never", (), {"escalate": False, "triggers": ()})

    world = World(*[LIMITED] * 5, *[DOWN] * 4, DONE)
    return World(*world.script, systems=world.systems._replace(**{port: Always()}))


@pytest.mark.parametrize(("port", "rules"), [("breaker", {"INT-17"}), ("ladder", {"INT-13"})])
def test_without_a_system_a_rule_is_broken(port, rules):
    """ARCHITECTURE.md: without any one of the systems a runtime test fails."""
    world = without(port)
    world.session.perform(task())
    assert rules <= set(broken(world.session.events))


def test_without_back_off_nothing_is_tried_again():
    world = without("backoff")
    world.session.perform(task())
    assert told(world, RetryScheduled, "retry") == []


def test_a_ladder_that_goes_in_circles_ends_with_a_human():
    world = without("ladder")
    assert world.session.perform(task()) == "escalated"
    assert len(told(world, FellBack, "before")) == MOST_STEPS


def test_a_back_off_that_always_tries_again_is_not_asked_for_ever():
    world = World(LIMITED)
    world.session._systems.backoff.next_delay = lambda arguments, now_s: DelayResult(retry=True, delay_s=-1.0)
    assert world.session.perform(task(urgent=False)) == "escalated"
    assert len(world.ran) < MOST_ATTEMPTS + 5


@pytest.mark.parametrize("wait_s", [0.0, -5.0, 1e-9, None])
def test_a_breaker_that_names_no_time_to_wait_is_asked_again_a_little_later(wait_s):
    world = World(DONE)
    inner = world.systems.breaker
    answers = [AcquireResult(False, State.OPEN, Held.REFUSED, None, wait_s)] * 3
    asked = []

    def acquire(arguments, now_s):
        asked.append(now_s - NOW_S)
        return answers.pop() if answers else FakeBreaker.acquire(inner, arguments, now_s)

    inner.acquire = acquire
    assert world.session.perform(task(urgent=False)) == "done"
    assert all(after - before >= 1 for before, after in pairwise(asked))


def test_a_ladder_may_name_a_model_that_nobody_knows():
    world = World(DOWN, DONE)
    world.session._systems.ladder.next = lambda arguments, now_s: NextResult("gpt")
    assert world.session.perform(task()) == "done"
    assert told(world, AttemptStarted, "model", "provider")[1] == ("gpt", "gpt")


def test_confidence_in_choosing_a_recovery_strategy_has_a_limit_of_its_own():
    """0.30 there, 0.40 elsewhere; the fake knows one limit only, and the rule both."""
    world = World(DONE)
    world.session.perform(task(confidence=0.35, decision=About.RECOVERY_STRATEGY))
    assert broken(world.session.events) == ()


def test_time_passes_only_by_waiting():
    world = World(LIMITED, DONE)
    world.session.perform(task())
    assert world.clock.now_s() == NOW_S + 5
