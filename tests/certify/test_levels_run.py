"""A run asked for a level: what is played, what is reached, how it ends. Source: issue 3; CERTIFICATION.md, Levels."""

import msgspec
import pytest
from scripted_run import Scripted, ScriptedSystem, last, plan, says, scenario

from harness.certify.closing import UNFINISHED, End, footer
from harness.certify.engine import Engine
from harness.certify.events import RunStarted, ScenarioJudged, Waiting
from harness.certify.plan import in_scope, level_of_found
from harness.core.fault import Fault
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Operation, Schedule, Step
from harness.core.verdict import ClauseVerdict, Outcome
from harness.errors import HarnessFault
from harness.targets.session import EntryType, Reply

BOM = Step(fault=Fault("jsonl.bom", "{home}/transcript"))


def stormy(id_, clauses=("A-01", "A-02")):
    """A scenario of L2: the fault first, then the same check."""
    calm = scenario(id_, clauses)
    return msgspec.structs.replace(calm, level="L2", steps=(BOM, *calm.steps))


TWO = (scenario("s-calm"), stormy("s-storm"))


def run(scripted, scenarios=TWO, **settings):
    events = list(Engine(plan(scripted, scenarios, **{"level": "L2", **settings})).run())
    return last(events), events


def only_in(name, **verdicts):
    """An implementation that holds everything but in that scenario."""
    return lambda session, operation: (says(**verdicts) if operation.args["scenario"] == name else says())(
        session, operation
    )


def test_the_second_level_is_reached_by_holding_every_must_again_under_a_fault():
    end, events = run(Scripted(says()))
    assert (0, "L2", True) == (end.exit_code, end.systems["stop_gate"].level, end.complete)
    assert {"s-calm", "s-storm"} == {event.scenario.id for event in events if isinstance(event, ScenarioJudged)}
    storm = next(event for event in events if isinstance(event, ScenarioJudged) and event.scenario.id == "s-storm")
    assert ("A-01", "A-02") == storm.weather.struck


def test_a_run_of_the_first_level_plays_only_its_scenarios():
    end, events = run(Scripted(says()), level="L1")
    assert (0, "L1", ["L1"]) == (end.exit_code, end.systems["stop_gate"].level, list(end.systems["stop_gate"].levels))
    assert ["s-calm"] == [event.scenario.id for event in events if isinstance(event, ScenarioJudged)]
    assert isinstance(events[0], RunStarted)
    assert (1, 0) == (events[0].planned, events[0].searches)


def test_a_deviation_under_a_fault_exits_1_and_leaves_the_first_level():
    system = run(Scripted(only_in("s-storm", A_02="FAIL")))[0].systems["stop_gate"]
    end = run(Scripted(only_in("s-storm", A_02="FAIL")))[0]
    assert (1, "L1", "A-02") == (end.exit_code, system.level, system.stopped_by)
    assert (True, False) == (system.levels["L1"].reached, system.levels["L2"].reached)


def test_what_stays_open_under_a_fault_exits_5_and_leaves_the_first_level():
    end = run(Scripted(only_in("s-storm", A_02="INCONCLUSIVE")))[0]
    assert (5, "L1", "A-02") == (end.exit_code, end.systems["stop_gate"].level, end.systems["stop_gate"].stopped_by)


def test_a_must_that_no_scenario_meets_under_a_fault_stops_the_second_level():
    end = run(Scripted(says()), (scenario("s-calm"), stormy("s-storm", ("A-01",))))[0]
    assert (5, "L1", "A-02") == (end.exit_code, end.systems["stop_gate"].level, end.systems["stop_gate"].stopped_by)


def test_a_scenario_of_the_second_level_without_a_proven_fault_shows_nothing_for_it():
    calm = msgspec.structs.replace(scenario("s-storm"), level="L2")
    end = run(Scripted(says()), (scenario("s-calm"), calm))[0]
    assert (5, "L1") == (end.exit_code, end.systems["stop_gate"].level)


def test_a_check_in_which_the_harness_broke_ends_with_3_and_is_named():
    end = run(Scripted(only_in("s-storm", A_01="HARNESS_ERROR")))[0]
    assert (3, Outcome.HARNESS_FAULT, None) == (end.exit_code, end.outcome, end.systems["stop_gate"].level)
    assert end.message.startswith("the check of A-01 broke in s-storm")


def test_a_run_that_ended_early_shows_no_level_and_no_clause_that_conforms():
    def answer(session, operation):
        if operation.args["scenario"] == "s-storm":
            raise HarnessFault("the sandbox is gone")
        return Reply(EntryType.OK, {})

    end = run(Scripted(answer), jobs=1)[0]
    system = end.systems["stop_gate"]
    assert (3, False, None) == (end.exit_code, end.complete, system.level)
    assert not any(level.reached for level in system.levels.values())
    assert {ClauseVerdict.NOT_ESTABLISHED} == {found.verdict for found in system.clauses.values()}
    assert all(found.reason.startswith(UNFINISHED) for found in system.clauses.values() if found.witnesses)


def test_a_run_of_some_clauses_shows_no_level():
    end = run(Scripted(says()), only=("A-01",))[0]
    assert (0, None) == (end.exit_code, end.systems["stop_gate"].level)
    assert {"only A-01 was asked for"} == {level.reason for level in end.systems["stop_gate"].levels.values()}


@pytest.mark.parametrize(
    ("level", "asked", "runs"), [("L1", "L1", True), ("L2", "L1", False), ("L1", "L2", True), ("L2", "L2", True)]
)
def test_each_level_needs_the_scenarios_of_the_one_before(level, asked, runs):
    assert runs == in_scope(msgspec.structs.replace(scenario("s"), level=level), asked)


@pytest.mark.parametrize(
    ("steps", "level"),
    [((), "L1"), ((BOM,), "L2"), ((Step(schedule=Schedule((Operation("check"), Operation("check")))),), "L2")],
)
def test_what_search_found_counts_where_its_faults_put_it(steps, level):
    found = scenario("found")
    assert level == level_of_found(msgspec.structs.replace(found, steps=(*steps, *found.steps)))


def test_the_digest_of_a_run_depends_on_its_level_and_not_on_what_it_leaves_out():
    two, one = run(Scripted(says()))[0], run(Scripted(says()), level="L1")[0]
    assert two.digest != one.digest
    assert one.digest == run(Scripted(says()), TWO[:1], level="L1")[0].digest


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_end_of_a_run_does_not_depend_on_the_jobs(jobs):
    many = tuple(make(f"s-{n:02}") for n in range(12) for make in (scenario, lambda id_: stormy(f"{id_}-l2")))
    assert run(Scripted(says()), many, jobs=2)[0] == run(Scripted(says()), many, jobs=jobs)[0]


def test_what_takes_long_is_told_while_nothing_else_comes(monkeypatch):
    monkeypatch.setattr("harness.certify.threads.QUIET_S", 0.01)
    heard = []

    def answer(session, operation):
        while not any(isinstance(event, Waiting) for event in heard):
            pass
        return Reply(EntryType.OK, {})

    for event in Engine(plan(Scripted(answer))).run():
        heard.append(event)  # noqa: PERF402 - the implementation reads it meanwhile
    told = [event for event in heard if isinstance(event, Waiting)]
    assert {("s-1", 0)} == {(event.what, event.others) for event in told}
    assert all(event.seconds >= 0 for event in told)


def test_a_system_without_a_word_on_faults_runs():
    class Plain(ScriptedSystem):
        contract = object()

    assert 0 == run(Scripted(says()), system=Plain())[0].exit_code


def test_what_a_scenario_passes_by_the_way_leaves_the_digest_of_a_run():
    """Two scenarios so that the verdict itself does not hang on it."""
    certain = ScenarioJudged(
        scenario=scenario("s-1"), origin="plan", history=(),
        findings=tuple(Finding(id_, CheckVerdict.PASS, witnesses=1) for id_ in ("A-01", "A-02", "A-03")),
    )  # fmt: skip

    def digest(*besides):
        found = (Finding("A-01", CheckVerdict.PASS, witnesses=1), *besides)
        other = ScenarioJudged(scenario=scenario("s-2", ("A-01",)), origin="plan", history=(), findings=found)
        return footer(plan(Scripted(says())), [certain, other], End()).digest

    assert digest() == digest(Finding("A-02", CheckVerdict.PASS, witnesses=3))
    assert digest() != digest(Finding("A-02", CheckVerdict.FAIL, witnesses=1))
    assert digest() != digest(Finding("A-01", CheckVerdict.INCONCLUSIVE))
