"""How the engine works through a plan: slots, search, interruption. Source: issue 2, "Bad input"; CERTIFICATION.md."""

import threading

import msgspec
import pytest
from hypothesis.stateful import RuleBasedStateMachine, rule
from scripted_run import Scripted, ScriptedSystem, last, plan, says, scenario

from harness.certify.closing import End, Interrupted
from harness.certify.engine import Engine
from harness.certify.events import Notice, ScenarioJudged, SearchFinished
from harness.certify.plan import SEARCH_SHARDS, Search, planned, runs_for
from harness.core.history import EntryType
from harness.core.scenario import FileSpec, Operation, Step, World
from harness.core.verdict import ClauseVerdict, Outcome
from harness.errors import HarnessFault, UntestableError
from harness.targets.session import Reply

MANY = tuple(scenario(f"s-{n:02}") for n in range(1, 21))


def machine(profile, groups):
    class Machine(RuleBasedStateMachine):
        def __init__(self, driver):
            super().__init__()
            self.driver = driver
            driver.begin(World("2026-03-01T12:00:00Z"))

        @rule()
        def check(self):
            self.driver.take(Step(op=Operation("check", {"scenario": "search"})))

        def teardown(self):
            self.driver.end()

    return Machine


def searching(scripted, **settings):
    return list(Engine(plan(scripted, system=ScriptedSystem(machine), **settings)).run())


def test_search_follows_a_plan_that_found_nothing():
    events = searching(Scripted(says()), cases=6)
    shards = [event for event in events if isinstance(event, SearchFinished)]
    assert {(0, 3), (1, 3)} == {(event.shard, event.cases) for event in shards}
    assert 0 == last(events).exit_code


def test_search_is_skipped_when_the_plan_failed():
    events = searching(Scripted(says(A_01="FAIL")), cases=6)
    assert not any(isinstance(event, SearchFinished) for event in events)
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert (False, "the plan failed already, so nothing more was searched for") == (notice.cut, notice.text)


def test_what_search_finds_counts_as_a_failure_of_the_run():
    def answer(session, operation):
        return Reply(EntryType.OK, {"A-01": "FAIL"} if operation.args["scenario"] == "search" else {})

    class Judged(ScriptedSystem):
        @property
        def judge(self):
            plain = super().judge
            # a scenario of search names no clauses while it is drawn; A-01 is looked at all the same
            return lambda asked, history, known: plain(
                msgspec.structs.replace(asked, clauses=asked.clauses or ("A-01",)), history, known
            )

    events = list(Engine(plan(Scripted(answer), system=Judged(machine), cases=2)).run())
    found = [event for event in events if isinstance(event, ScenarioJudged) and event.origin == "search"]
    assert found
    assert found[0].scenario.id.startswith("found-a-01-")
    assert 1 == len(found[0].scenario.steps)
    assert ClauseVerdict.DEVIATES is last(events).systems["stop_gate"].clauses["A-01"].verdict
    assert 1 == last(events).exit_code


def test_what_search_found_once_and_never_again_is_flaky():
    """The machine sees a failure; nobody does when the found scenario is played once more."""
    asked = []

    def answer(session, operation):
        asked.append(operation)
        return Reply(
            EntryType.OK, {"A-01": "FAIL"} if operation.args["scenario"] == "search" and len(asked) == 2 else {}
        )

    class Judged(ScriptedSystem):
        @property
        def judge(self):
            plain = super().judge
            return lambda asked, history, known: plain(
                msgspec.structs.replace(asked, clauses=asked.clauses or ("A-01",)), history, known
            )

    events = list(Engine(plan(Scripted(answer), system=Judged(machine), cases=1)).run())
    result = last(events).systems["stop_gate"].clauses["A-01"]
    assert (ClauseVerdict.NOT_ESTABLISHED, "flaky: it failed once and did not fail again") == (
        result.verdict,
        result.reason,
    )
    assert 5 == last(events).exit_code


@pytest.mark.parametrize("cases", [0, 1, 2, 7, 40])
def test_shards_share_the_cases_out_whatever_the_jobs(cases):
    work = planned(plan(Scripted(says()), cases=cases))
    shares = [item.cases for item in work if isinstance(item, Search)]
    assert cases == sum(shares)
    assert len(shares) == min(cases, SEARCH_SHARDS)


def test_full_length_scenarios_are_begun_first():
    scenarios = (scenario("a"), scenario("z", full_length=True))
    assert ["z", "a"] == [item.scenario.id for item in planned(plan(Scripted(says()), scenarios))]


def test_a_scenario_runs_only_for_its_profile_groups_and_declared_paths():
    bound = Scripted(says()).reach
    named = msgspec.structs.replace(
        scenario("s"), world=World("2026-03-01T12:00:00Z", {"{config}": FileSpec(text="x")})
    )
    assert runs_for(scenario("s"), bound)
    assert not runs_for(scenario("s", group="extra"), bound)
    assert runs_for(scenario("s", group="extra"), bound._replace(groups=("extra",)))
    assert not runs_for(msgspec.structs.replace(scenario("s"), profile="stop_hook"), bound)
    assert not runs_for(named, bound)
    assert runs_for(named, bound._replace(declared={"config": "{home}/c"}))


def test_a_case_that_waits_holds_no_slot():
    """With one slot, a second case answers while the first one waits for it; were the slot held, none would end."""
    answered = threading.Event()

    def answer(session, operation):
        if operation.args["scenario"] == "s-01":
            with session.slots.waiting():
                assert answered.wait(20)
        else:
            answered.set()
        return Reply(EntryType.OK, {})

    end = last(list(Engine(plan(Scripted(answer), MANY[:2], jobs=1)).run()))
    assert (0, 2) == (end.exit_code, end.counts["scenarios"])


def test_no_more_cases_work_at_once_than_there_are_jobs():
    working = most = 0
    guard = threading.Lock()

    def answer(session, operation):
        nonlocal working, most
        with guard:
            working += 1
            most = max(most, working)
        threading.Event().wait(0.002)  # as long as a case may take, so that others would overlap
        with guard:
            working -= 1
        return Reply(EntryType.OK, {})

    list(Engine(plan(Scripted(answer), MANY, jobs=3)).run())
    assert 1 < most <= 3


def blocking_engine(**settings):
    """An engine whose first scenario waits until its session is aborted."""
    begun, released, killed = threading.Event(), threading.Event(), []

    def answer(session, operation):
        if operation.args["scenario"] != "s-02":
            return Reply(EntryType.OK, {})
        session.abort = released.set
        begun.set()
        with session.slots.waiting():
            killed.append(released.wait(20))
        raise HarnessFault("the sandbox is gone")

    scripted = Scripted(answer)
    return Engine(plan(scripted, MANY[:2], jobs=1, **settings)), begun, scripted, killed


def test_an_interrupt_kills_what_runs_and_keeps_what_was_judged():
    engine, begun, scripted, killed = blocking_engine()
    events = []
    for event in engine.run():
        events.append(event)
        if isinstance(event, ScenarioJudged):
            assert begun.wait(20)
            engine.interrupt()
    end = last(events)
    assert (Outcome.INTERRUPTED, 130) == (end.outcome, end.exit_code)
    assert ["s-01"] == [event.scenario.id for event in events if isinstance(event, ScenarioJudged)]
    assert 1 == end.counts["scenarios"]
    assert [True] == killed
    assert scripted.all_left


def test_an_interrupt_during_the_probe_ends_the_run():
    probe = scenario("s-02")
    engine, begun, scripted, killed = blocking_engine()
    reach = scripted.reach._replace(probe=probe, unusable=lambda values: "")
    engine = Engine(plan(scripted)._replace(reaches=(reach,)))
    waiter = threading.Thread(target=lambda: begun.wait(20) and engine.interrupt())
    waiter.start()
    events = list(engine.run())
    waiter.join()
    assert Outcome.INTERRUPTED is last(events).outcome
    assert [True] == killed
    assert scripted.all_left


def test_an_interrupt_before_the_first_scenario_plays_none():
    scripted = Scripted(says())
    engine = Engine(plan(scripted, MANY))
    engine.interrupt()
    events = list(engine.run())
    assert (Outcome.INTERRUPTED, 0) == (last(events).outcome, last(events).counts["scenarios"])
    assert scripted.all_left


def test_a_reader_that_stops_listening_leaves_no_session_open():
    scripted = Scripted(says())
    events = Engine(plan(scripted, MANY)).run()
    next(events)
    next(events)
    events.close()
    assert scripted.all_left


def test_the_first_cause_of_an_early_end_is_the_one_that_is_told():
    end = End()
    end.because(UntestableError("it never starts"))
    end.because(HarnessFault("the agent is gone"))
    end.because(Interrupted())
    assert (Outcome.UNTESTABLE, "it never starts") == (end.outcome, end.message)
