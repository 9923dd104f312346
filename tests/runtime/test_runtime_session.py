"""The systems as one machine: failures are recorded, stops answered, on real ports and simulated alike."""

import errno

import pytest
from sessions import ABSENT, ENV, FAILS, HANGS, KILLED, NOW_S, OK, Fake, Real, live, record, tools, transcript

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    FailureObserved,
    FailureRecorded,
    StopAnswered,
    StopRequested,
    digest,
)
from harness.ports.clock import FakeClock, FakeWaiter, to_text
from harness.ports.files import FakeFiles
from harness.ports.launcher import FakeLauncher
from harness.runtime.order import broken
from harness.runtime.ports import Outside, Place
from harness.runtime.session import Session
from harness.simulation.systems import references
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision

AT = to_text(NOW_S)


@pytest.fixture(params=["real", "simulated"])
def world(request, tmp_path):
    return Real(tmp_path) if request.param == "real" else Fake()


class ScriptedGate:
    """Answers with these decisions, one after the other, and notes what it was asked."""

    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)
        self.asked: list[tuple[CheckArguments, float]] = []

    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        self.asked.append((arguments, now_s))
        decision = self.decisions.pop(0)
        prompt = "Go on." if decision is Decision.BLOCK else None
        return CheckResult(decision, ("because",), prompt, None)


def scripted(*decisions: Decision) -> tuple[Session, ScriptedGate, FakeFiles]:
    gate, files = ScriptedGate(*decisions), FakeFiles()
    clock = FakeClock(NOW_S)
    outside = Outside(clock, files, FakeLauncher(tools), FakeWaiter(clock))
    session = Session("session-1", Place("/h", "/p"), outside, references("/h", files)._replace(gate=gate))
    return session, gate, files


def test_the_simulated_session_is_the_real_one_event_for_event(tmp_path):
    """ARCHITECTURE.md: any system can be exchanged and the digest of the whole does not change."""
    real, fake = Real(tmp_path), Fake()
    live(real)
    live(fake)
    assert real.session.events == fake.session.events
    assert digest(real.session.events) == digest(fake.session.events)
    assert transcript(real) == transcript(fake)
    assert record(real) == record(fake)
    assert broken(fake.session.events) == ()
    decisions = [event.decision for event in fake.session.events if isinstance(event, StopAnswered)]
    assert decisions == ["block", "approve"], "the reference holds a session that did nothing yet"


def test_another_seeming_detail_gives_another_digest():
    first, second = Fake(), Fake()
    live(first)
    second.clock.move(0.001)
    live(second)
    assert digest(first.session.events) != digest(second.session.events)


def test_a_tool_that_works_is_two_events_and_two_messages(world):
    answer = world.session.call_tool("bash", OK, env=ENV, timeout_s=30.0)
    expected = AttemptSucceeded(at=AT, correlation_id="call-1", tool="bash")
    assert answer == expected
    assert world.session.events == (AttemptStarted(at=AT, correlation_id="call-1", tool="bash", attempt=1), expected)
    use, result = transcript(world)
    assert use["content"][0] == {"type": "tool_use", "id": "call-1", "name": "bash", "input": {"command": list(OK)}}
    assert result == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call-1", "content": "done"}]}


@pytest.mark.parametrize(
    ("argv", "kind", "message"),
    [
        (FAILS, "exit", "exit 3: no such test"),
        (KILLED, "signal", "signal 9: "),
        (HANGS, "timeout", "no end within 0.2 s"),
        (ABSENT, "not_started", "No such file or directory"),
    ],
)
def test_a_failure_is_recorded_before_anything_else_happens(world, argv, kind, message):
    """INT-01; document 004, Core Principle: approve and log."""
    failure = world.session.call_tool("bash", argv, env=ENV, timeout_s=0.2 if argv is HANGS else 30.0)
    assert failure == FailureObserved(at=AT, correlation_id="call-1", tool="bash", kind=kind, message=message)
    assert world.session.events[1:] == (
        failure,
        FailureRecorded(at=AT, correlation_id="call-1", record_id="session-1-call-1", stored=True),
    )
    assert record(world) == [
        {
            "event": "failure_observed",
            "at": AT,
            "correlation_id": "call-1",
            "tool": "bash",
            "kind": kind,
            "message": message,
        }
    ]


def test_every_failure_is_one_more_line_of_the_record(world):
    for _ in range(3):
        world.session.call_tool("bash", FAILS, env=ENV, timeout_s=30.0)
    assert [line["correlation_id"] for line in record(world)] == ["call-1", "call-2", "call-3"]


def test_a_stop_is_answered_by_the_gate(world):
    world.session.say("user", "Say hello.")
    world.session.say("assistant", "Hello.")
    answer = world.session.request_stop()
    assert world.session.events == (
        StopRequested(at=AT, correlation_id="stop-1", repeat=False),
        StopAnswered(at=AT, correlation_id="stop-1", decision=answer.decision.value, reasons=answer.reasons),
    )


def test_storage_that_is_broken_is_told_and_the_stop_is_still_answered():
    """INT-02; PS-FO-01: nothing that fails may keep a session from ending."""
    world = Fake()
    world.session.say("user", "Make the tests pass.")
    world.files.fail = OSError(errno.ENOSPC, "No space left on device")
    world.session.call_tool("bash", FAILS, env=ENV, timeout_s=30.0)
    answer = world.session.request_stop()
    assert [event.stored for event in world.session.events if isinstance(event, FailureRecorded)] == [False]
    assert isinstance(world.session.events[-1], StopAnswered)
    assert world.session.events[-1].decision == answer.decision.value
    assert broken(world.session.events) == ()
    world.files.fail = None
    world.session.call_tool("bash", FAILS, env=ENV, timeout_s=30.0)
    assert [line["correlation_id"] for line in record(world)] == ["call-2"]


def test_storage_that_really_refuses_does_the_same(tmp_path):
    world = Real(tmp_path)
    (tmp_path / "home").write_text("a file where the home should be")
    world.session.call_tool("bash", FAILS, env=ENV, timeout_s=30.0)
    assert world.session.request_stop().decision is Decision.APPROVE
    assert [event.stored for event in world.session.events if isinstance(event, FailureRecorded)] == [False]
    assert broken(world.session.events) == ()


def test_the_gate_is_asked_about_this_session_at_this_time():
    session, gate, _ = scripted(Decision.APPROVE)
    session.request_stop()
    expected = CheckArguments(
        transcript_path="/h/.claude/projects/session/session-1.jsonl", project_root="/p", session_id="session-1"
    )
    assert gate.asked == [(expected, NOW_S)]


def test_a_blocked_stop_gives_the_model_its_prompt_and_the_next_one_repeats():
    """INT-03; SH-03."""
    session, _, files = scripted(Decision.BLOCK, Decision.BLOCK, Decision.APPROVE, Decision.APPROVE)
    for _ in range(4):
        session.request_stop()
    asked = [event.repeat for event in session.events if isinstance(event, StopRequested)]
    assert asked == [False, True, True, False]
    assert broken(session.events) == ()
    text = files.read("/h/.claude/projects/session/session-1.jsonl", 9999)
    assert text == b'{"role": "user", "content": "Go on."}\n' * 2


def test_without_the_record_the_first_rule_breaks(monkeypatch):
    """ARCHITECTURE.md: without any one of the systems a runtime test fails."""
    monkeypatch.setattr(Session, "_record", lambda self, failure: None)
    world = Fake()
    live(world)
    assert broken(world.session.events) == ("INT-01",)


def test_without_the_gate_the_second_rule_breaks():
    session, _, _ = scripted()
    with pytest.raises(IndexError):
        session.request_stop()
    assert broken(session.events) == ("INT-02",)


def test_a_session_that_forgets_that_it_was_held_breaks_the_third_rule():
    session, _, _ = scripted(Decision.BLOCK, Decision.APPROVE)
    session.request_stop()
    session._blocked = False
    session.request_stop()
    assert broken(session.events) == ("INT-03",)


def test_without_the_reference_gate_the_digest_is_another():
    first, second = Fake(), Fake()
    live(first)
    second.session._systems = second.session._systems._replace(gate=ScriptedGate(Decision.APPROVE, Decision.APPROVE))
    live(second)
    assert digest(first.session.events) != digest(second.session.events)
