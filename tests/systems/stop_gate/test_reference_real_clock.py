"""Code that reads the machine's clock, under freezegun: the scenarios about time and the boundaries of the calendar."""

import threading
import time
from datetime import UTC, datetime

import msgspec
import pytest

from harness.certify import corpus
from harness.core.finding import CheckVerdict
from harness.core.scenario import Operation, Scenario, World
from harness.errors import UsageError
from harness.ports.clock import to_seconds
from harness.systems import registry
from harness.targets import frozen
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("stop_gate")
CONTRACT = SYSTEM.contract
TRANSCRIPT = "{project}/t.jsonl"


class ReadsTheClock:
    """The reference with the machine's clock for its own: no operation is told the time."""

    def __init__(self, config):
        self.gate = SYSTEM.reference.create(msgspec.convert(config, CONTRACT.Configuration))

    def check(self, args):
        return self.gate.check(msgspec.convert(args, CONTRACT.CheckArguments), time.time())

    def continuation_prompt(self, args):
        return self.gate.continuation_prompt(msgspec.convert(args, CONTRACT.PromptArguments), time.time())

    def metrics(self, args):
        return self.gate.metrics(msgspec.convert(args, CONTRACT.MetricsArguments), time.time())


class Unfrozen:
    """The same, left with the machine's own time."""

    def __init__(self, config):
        self.inner = ReadsTheClock(config)

    def __getattr__(self, operation):
        return lambda args, now_s: getattr(self.inner, operation)(args)


def about_time(scenario):
    text = msgspec.json.encode(scenario)
    return b'"age_s"' in text or b'"by_s"' in text


SCENARIOS = [
    scenario
    for scenario in corpus.scenarios("stop_gate")
    if scenario.profile == "gate" and scenario.level == "L1" and not scenario.full_length and about_time(scenario)
]


def failed(create, scenarios):
    found = {}
    with DirectSession("gate", create) as session:
        for scenario in scenarios:
            history = play(scenario, session, SYSTEM.inputs_of)
            verdicts = SYSTEM.judge(scenario, history, SYSTEM.catalogue)
            bad = [finding.clause for finding in verdicts if finding.verdict is CheckVerdict.FAIL]
            if bad:
                found[scenario.id] = bad
    return found


def test_there_are_scenarios_about_time():
    assert len(SCENARIOS) >= 10


def test_every_scenario_about_time_holds_for_code_that_reads_the_clock():
    """On a clock that stands still, since some are about one second: 3600 s is within the hour, 3601 s is not."""
    assert {} == failed(frozen.frozen(ReadsTheClock, stands_still=True), SCENARIOS)


def test_without_freezegun_the_same_code_fails_them():
    """The control: the machine's time is not the scenario's, so what is an hour old there is not here."""
    assert failed(Unfrozen, SCENARIOS)


def world(now, **config):
    files = {TRANSCRIPT: {"text": '{"role": "user", "content": "Go."}\n'}}
    return msgspec.convert({"clock": now, "files": files, "config": config}, World)


def check(outcome, session_id="s1"):
    asked = [{"id": "done", "outcome": outcome, "severity": "blocker"}]
    args = {
        "transcript_path": TRANSCRIPT,
        "project_root": "{project}",
        "session_id": session_id,
        "considerations": asked,
    }
    return Operation("check", args)


@pytest.fixture
def at():
    with DirectSession("gate", frozen.frozen(ReadsTheClock)) as session:

        def begin(now):
            session.reset(Scenario(1, "clock", "", "stop_gate", "gate", (), world(now), ()))
            return session

        yield begin


def decision(session, outcome, session_id="s1"):
    (reply,) = session.perform([(0, check(outcome, session_id))])
    return reply.value["decision"]


MOMENTS = (
    "1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z", "1999-12-31T23:59:59Z", "2016-12-31T23:59:59Z", "2024-02-29T12:00:00Z",
    "2026-03-29T00:59:59Z", "2038-01-19T03:14:07Z", "2038-01-19T03:14:08Z", "2106-02-07T06:28:16Z", "9999-12-30T23:59:59Z",
)  # fmt: skip


@pytest.mark.parametrize("now", MOMENTS)
def test_at_every_moment_of_the_calendar_a_finished_session_ends_and_an_unfinished_one_does_not(at, now):
    session = at(now)
    assert ("block", "approve") == (decision(session, "failed"), decision(session, "satisfied"))


# a semaphore holds for an hour, PS-SES-05; a step back leaves it in the future, which is a clock's skew
@pytest.mark.parametrize(
    ("by_s", "after"),
    [
        (0.0, "approve"),
        (3590.0, "approve"),
        (3601.0, "block"),
        (86400.0, "block"),
        (-30.0, "approve"),
        (-86400.0, "block"),
    ],
)
def test_a_clock_that_is_moved_between_two_stops_moves_the_end_of_the_hour(at, by_s, after):
    session = at("2026-03-01T12:00:00Z")
    assert "approve" == decision(session, "satisfied")
    session.move_clock(by_s)
    assert after == decision(session, "failed")


def test_each_call_sees_the_time_of_its_scenario_and_the_clock_goes_on_from_there():
    with frozen.at(to_seconds("2038-01-19T03:14:08Z")):
        assert (
            datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC) <= datetime.now(UTC) < datetime(2038, 1, 19, 3, 15, tzinfo=UTC)
        )
        before = time.monotonic()
        while time.monotonic() == before:
            pass
        assert time.monotonic() > before


def test_the_machines_time_is_back_after_a_call_that_raised():
    def broken(config):
        return type("Broken", (), {"check": lambda self, args: 1 / 0})()

    before = time.time()
    with pytest.raises(ZeroDivisionError):
        frozen.frozen(broken)({}).check({}, 0.0)
    assert before <= time.time() < before + 3600


def test_two_calls_at_once_take_turns():
    inside, most, guard = [], [], threading.Lock()

    class Counts:
        def check(self, args):
            with guard:
                inside.append(1)
                most.append(len(inside))
            time.sleep(0.01)
            with guard:
                inside.pop()
            return {"year": datetime.now(UTC).year}

    with DirectSession("gate", frozen.frozen(lambda config: Counts())) as session:
        session.reset(Scenario(1, "clock", "", "stop_gate", "gate", (), world("2038-01-19T03:14:08Z"), ()))
        replies = session.perform([(1, check("failed")), (2, check("failed"))])
    assert [2038, 2038] == [reply.value["year"] for reply in replies]
    assert [1, 1] == most


def test_without_freezegun_the_person_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(frozen.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"ReadsTheClock reads the system's clock, which needs freezegun: pip install"):
        frozen.frozen(ReadsTheClock)
