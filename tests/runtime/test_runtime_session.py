"""The systems as one machine: failures are recorded, stops answered, on real ports and simulated alike."""

import errno

import pytest
from sessions import (
    ABSENT,
    FAILS,
    HANGS,
    KILLED,
    NOW_S,
    OK,
    RECOVERS,
    Fake,
    Real,
    live,
    records,
    tools,
    transcript,
    using,
)

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    Diagnosed,
    FailureObserved,
    FailureRecorded,
    RecoveryEnded,
    StopAnswered,
    StopRequested,
    UseBegun,
    UseEnded,
    digest,
)
from harness.ports.clock import FakeClock, FakeWaiter, to_text
from harness.ports.fake_files import FakeFiles
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
    assert records(real) == records(fake)
    assert broken(fake.session.events) == ()
    decisions = [event.decision for event in fake.session.events if isinstance(event, StopAnswered)]
    assert decisions == ["block", "approve"], "the reference holds a session that did nothing yet"


def test_another_seeming_detail_gives_another_digest():
    first, second = Fake(), Fake()
    live(first)
    second.clock.move(0.001)
    live(second)
    assert digest(first.session.events) != digest(second.session.events)


def test_ids_that_a_log_draws_for_itself_leave_the_digest_and_a_shared_one_does_not():
    def recorded(*ids):
        return tuple(FailureRecorded(at=AT, correlation_id="use-1", record_id=each, stored=True) for each in ids)

    assert digest(recorded("err_1", "err_2")) == digest(recorded("err_9", "err_8"))
    assert digest(recorded("err_1", "err_2")) != digest(recorded("err_1", "err_1"))
    assert digest(recorded("err_1")) != digest(recorded(""))


def test_a_tool_that_works_is_four_events_and_two_messages(world):
    assert using(world, OK) == "done"
    assert world.session.events == (
        UseBegun(at=AT, correlation_id="use-1", task="t", tool="run_bash"),
        AttemptStarted(at=AT, correlation_id="use-1", tool="run_bash", attempt=1),
        AttemptSucceeded(at=AT, correlation_id="use-1", tool="run_bash"),
        UseEnded(at=AT, correlation_id="use-1", outcome="done"),
    )
    use, result = transcript(world)
    assert use["content"][0] == {"type": "tool_use", "id": "use-1", "name": "run_bash", "input": {"command": list(OK)}}
    assert result == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "use-1", "content": "done"}]}


@pytest.mark.parametrize(
    ("argv", "kind", "message", "error_type"),
    [
        (FAILS, "exit", "exit 3: no such test", "unknown"),
        (KILLED, "signal", "signal 9: ", "delegation_interrupted"),
        (HANGS, "timeout", "no end within 0.2 s", "timeout"),
        (ABSENT, "not_started", "No such file or directory", "tool_unavailable"),
    ],
)
def test_a_failure_is_recorded_before_anything_else_happens(world, argv, kind, message, error_type):
    """INT-01; ER-LOG-01."""
    using(world, argv, timeout_s=0.2 if argv is HANGS else 30.0)
    failure, recorded = world.session.events[2:4]
    assert failure == FailureObserved(at=AT, correlation_id="use-1", tool="run_bash", kind=kind, message=message)
    first = records(world)[0]
    assert recorded == FailureRecorded(
        at=AT, correlation_id="use-1", record_id=first["id"], stored=True, name="session-1/use-1/1"
    )
    assert (first["type"], first["message"], first["fix_status"]) == (error_type, message, "unfixed")
    assert first["context"]["session_id"] == "session-1"


def test_every_failure_is_one_more_record_with_an_id_of_its_own(world):
    using(world, FAILS)
    messages = [each["message"] for each in records(world)]
    assert messages == ["exit 3: no such test"] * len([e for e in world.session.events if type(e) is FailureObserved])
    assert len({each["id"] for each in records(world)}) == len(messages) == 3


def test_a_recovery_is_told_by_its_strategy_and_does_it(world):
    assert using(world, RECOVERS) == "done"
    (diagnosed,) = [event for event in world.session.events if type(event) is Diagnosed]
    (ended,) = [event for event in world.session.events if type(event) is RecoveryEnded]
    assert (ended.strategy, ended.succeeded, ended.iterations) == (diagnosed.strategy, True, 1)
    assert diagnosed.strategy != ""
    assert broken(world.session.events) == ()


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
    using(world, FAILS)
    answer = world.session.request_stop()
    assert {event.stored for event in world.session.events if isinstance(event, FailureRecorded)} == {False}
    assert isinstance(world.session.events[-1], StopAnswered)
    assert world.session.events[-1].decision == answer.decision.value
    assert broken(world.session.events) == ()
    world.files.fail = None
    using(world, RECOVERS, "another")
    kept = [event.record_id for event in world.session.events if isinstance(event, FailureRecorded)]
    assert [each["id"] for each in records(world)] == kept, "what could not be stored goes with the next"


def test_storage_that_really_refuses_does_the_same(tmp_path):
    world = Real(tmp_path)
    (tmp_path / "home").write_text("a file where the home should be")
    using(world, FAILS)
    assert world.session.request_stop().decision is Decision.APPROVE
    assert {event.stored for event in world.session.events if isinstance(event, FailureRecorded)} == {False}
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
    monkeypatch.setattr(Session, "_record", lambda self, name, failure: None)
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
