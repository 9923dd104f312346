"""L3 in the engine: learnt, varied, counted. Source: CERTIFICATION.md, "Levels", "Determinism"; issue 4, item 8."""

import msgspec
import pytest
from scripted_run import CATALOGUE, Scripted, last, plan, scenario

from harness.certify import exploring
from harness.certify.engine import Engine
from harness.certify.events import (
    Exploring,
    Notice,
    OperationExplored,
    ScenarioJudged,
    VariantsAlike,
    decode,
    encode,
)
from harness.certify.explored import KindFacts
from harness.certify.exploring import KEPT, TRIES, UNORDERED
from harness.certify.rejudging import finished_again, recounted, stored, unexplored, unlike
from harness.core.fault import Injection
from harness.core.history import EntryType
from harness.core.scenario import Explore, Operation, Schedule, Step
from harness.core.verdict import ClauseVerdict, Outcome
from harness.errors import MachineError
from harness.explore.enumerated import LIMIT
from harness.explore.operation_orders import SCHEDULES
from harness.explore.races import RaceReport
from harness.faults.syscalls import Call, Kind, believable_errnos
from harness.systems import registry
from harness.targets.session import Reply

STAT = Call(run=0, process=0, name="newfstatat", kind=Kind.STAT, paths=("{home}/state",))
WRITE = Call(run=0, process=0, name="write", kind=Kind.WRITE, paths=("{home}/state",), length=4, data=b"abcd")
CALLS = (STAT, WRITE)
ERRNOS = len(believable_errnos("newfstatat")) + len(believable_errnos("write"))
CALM = scenario("calm")
STORM = scenario("storm", level="L2")
TOUR = "tour"


def tour(*kinds, id_=TOUR):
    steps = (Step(explore=Explore(kinds or ("errno",))), Step(op=Operation("check", {"scenario": id_})))
    return msgspec.structs.replace(scenario(id_, level="L3"), steps=steps)


def meets(**verdicts):
    """An implementation that meets every fault, and answers so to operations that one struck."""
    told = {name.replace("_", "-"): verdict for name, verdict in verdicts.items()}

    def answer(session, operation):
        struck = [fault for fault in session.faults if fault.family == "syscall"]
        session.struck = tuple((0, Injection(fault, armed=True, proof="met")) for fault in struck)
        return Reply(EntryType.OK, told if struck else {})

    return answer


def run(scripted, *scenarios, **more):
    return list(Engine(plan(scripted, scenarios or (CALM, tour()), **{"level": "L3", **more})).run())


def facts(events):
    (found,) = last(events).explored
    return found


def facts_of(events, scenario_id):
    (found,) = [each for each in last(events).explored if each.scenario == scenario_id]
    return found


def test_every_variant_is_played_judged_and_counted():
    events = run(Scripted(meets(), calls=CALLS))
    found = facts(events)
    assert {"errno": KindFacts(ERRNOS, ERRNOS, 0, 0)} == found.kinds
    assert (2, 2, 1, "check", True) == (found.calls, found.sites, found.writes, found.operation, found.exhausted)
    assert (ERRNOS, 2) == (last(events).counts["variants"], last(events).counts["scenarios"])
    assert ERRNOS == last(events).ledger.faults["syscall.errno"].fired
    assert found in [event.facts for event in events if isinstance(event, OperationExplored)]
    assert [(n, ERRNOS) for n in range(1, ERRNOS + 1)] == sorted(
        (event.done, event.planned) for event in events if isinstance(event, Exploring)
    )


def test_a_variant_that_fails_makes_its_clause_deviate_and_is_shown_with_its_history():
    events = run(Scripted(meets(A_02="FAIL"), calls=CALLS))
    result = last(events).systems["stop_gate"]
    told = [event for event in events if isinstance(event, ScenarioJudged) and event.origin == "explored"]
    assert (Outcome.NONCONFORMANT, ClauseVerdict.DEVIATES) == (last(events).outcome, result.clauses["A-02"].verdict)
    assert {event.scenario.id for event in told} == set(result.clauses["A-02"].failures)
    assert (KEPT, ERRNOS) == (sum(bool(event.history) for event in told), len(told))
    assert ERRNOS == facts(events).kinds["errno"].failed


def test_of_variants_that_pass_one_of_each_kind_is_told_and_the_others_together():
    events = run(Scripted(meets(), calls=CALLS), CALM, tour("errno", "killed", "torn"))
    told = [event for event in events if isinstance(event, ScenarioJudged) and event.origin == "explored"]
    alike = [event for event in events if isinstance(event, VariantsAlike)]
    assert 3 == len(told)
    assert last(events).counts["variants"] == 3 + sum(event.count for event in alike)
    assert ERRNOS - 1 == max(event.count for event in alike)
    assert all(event == decode(encode(event)) for event in [*told, *alike])


@pytest.mark.parametrize("verdict", ["PASS", "FAIL"])
def test_what_is_stored_of_a_run_that_explored_gives_its_verdict_again(verdict, monkeypatch):
    scripted = Scripted(meets(A_02=verdict), calls=CALLS)
    events = run(scripted, CALM, tour("errno", "killed", "torn"))
    (system,) = plan(scripted, ()).systems
    monkeypatch.setattr(registry, "get", lambda name: system)
    kept = stored([decode(encode(event)) for event in events])
    again = finished_again(kept)
    assert [] == [*recounted(kept, again), *unexplored(kept)]
    assert [] == list(unlike(kept, again))


def test_a_fault_that_is_never_met_is_tried_again_and_counted_and_no_pass():
    asked = []

    def answer(session, operation):
        asked.extend(fault for fault in session.faults if fault.family == "syscall")
        return Reply(EntryType.OK, {})

    events = run(Scripted(answer, calls=CALLS))
    found = facts(events)
    assert {"errno": KindFacts(ERRNOS, 0, ERRNOS, 0)} == found.kinds
    assert (False, TRIES * ERRNOS) == (found.exhausted, len(asked))
    assert f"most calls did not come again: {ERRNOS} of {ERRNOS} variants were not met" == found.cut
    assert Outcome.INCONCLUSIVE is last(events).outcome


def test_what_is_cut_is_said_and_takes_the_level():
    scripted = Scripted(meets(), calls=CALLS)
    events = run(scripted, CALM, STORM, tour(), explore_limit=3)
    found = facts(events)
    assert (3, False) == (found.kinds["errno"].planned, found.exhausted)
    assert f"{ERRNOS - 3} of {ERRNOS} variants are left" in found.cut
    assert Outcome.INCONCLUSIVE is last(events).outcome


def test_where_no_call_can_be_supervised_nothing_is_explored_and_it_is_said():
    events = run(Scripted(meets(), calls=CALLS, refusal="this machine refuses"))
    assert ["nothing was explored: this machine refuses"] == [e.text for e in events if isinstance(e, Notice)]
    assert (False, "this machine refuses") == (facts(events).exhausted, facts(events).cut)
    assert (Outcome.INCONCLUSIVE, 5) == (last(events).outcome, last(events).exit_code)


def test_nothing_is_explored_when_a_must_fails_already():
    def answer(session, operation):
        return Reply(EntryType.OK, {"A-01": "FAIL"} if operation.args["scenario"] == "calm" else {})

    events = run(Scripted(answer, calls=CALLS))
    assert ["a MUST of the plan failed already, so nothing was explored"] == [
        event.text for event in events if isinstance(event, Notice)
    ]
    assert ((), 0) == (last(events).explored, last(events).counts["variants"])


def test_a_should_that_fails_does_not_keep_from_exploring():
    def answer(session, operation):
        session.struck = tuple((0, Injection(fault, armed=True, proof="met")) for fault in session.faults)
        return Reply(EntryType.OK, {"A-03": "FAIL"})

    assert ERRNOS == facts(run(Scripted(answer, calls=CALLS))).kinds["errno"].fired


def test_who_touches_no_file_is_seen_to_touch_none():
    events = run(Scripted(meets(), calls=()))
    found = facts(events)
    assert ({}, 0, True) == (found.kinds, found.calls, found.exhausted)
    (learnt,) = [e for e in events if isinstance(e, ScenarioJudged) and e.scenario.id == TOUR]
    assert tuple(clause.id for clause in CATALOGUE) == learnt.weather.struck


def test_below_the_third_level_nothing_is_explored():
    events = run(Scripted(meets(A_01="FAIL"), calls=CALLS), level="L2")
    assert () == last(events).explored
    assert Outcome.NONCONFORMANT is not last(events).outcome


@pytest.mark.parametrize("verdict", ["PASS", "FAIL"])
def test_the_digest_hangs_on_what_failed_and_not_on_which_calls_there_were(verdict):
    digests = {
        last(run(Scripted(meets(A_01=verdict), calls=calls), jobs=jobs)).digest
        for calls in (CALLS, (*CALLS, STAT), (WRITE,))
        for jobs in (1, 3)
    }
    assert 1 == len(digests)


def test_the_digest_changes_with_a_variant_that_fails_and_with_a_cut():
    runs = (
        run(Scripted(meets(), calls=CALLS)),
        run(Scripted(meets(A_01="FAIL"), calls=CALLS)),
        run(Scripted(meets(A_02="FAIL"), calls=CALLS)),
        run(Scripted(meets(), calls=CALLS), explore_limit=3),
    )
    assert 4 == len({last(events).digest for events in runs})


def test_an_interrupted_exploration_keeps_what_was_judged_and_shows_no_level():
    engines = []
    count = 0

    def answer(session, operation):
        nonlocal count
        count += 1
        if count > 5:
            engines[0].interrupt()
        return meets()(session, operation)

    engines.append(Engine(plan(Scripted(answer, calls=CALLS), (CALM, tour()), level="L3", jobs=1)))
    events = list(engines[0].run())
    assert (Outcome.INTERRUPTED, False) == (last(events).outcome, last(events).complete)
    assert 0 < last(events).counts["variants"] < ERRNOS
    assert f"{ERRNOS - last(events).counts['variants']} of {ERRNOS} variants were not played" == facts(events).cut


def test_the_limit_is_far_beyond_what_the_reference_needs():
    assert LIMIT >= 10 * 500


def orders_of(monkeypatch, report, **more):
    """A run in which the orders of two operations begun together have shown ``report``, or raised it."""
    together = Schedule((Operation("check", {"scenario": TOUR}), Operation("check", {"scenario": TOUR})))
    both = msgspec.structs.replace(tour(), steps=(Step(explore=Explore(("schedule",))), Step(schedule=together)))

    def explored(*args, **more):
        if isinstance(report, Exception):
            raise report
        return report

    monkeypatch.setattr(exploring, "explored_orders", explored)
    return run(Scripted(meets(), calls=CALLS), CALM, STORM, tour("errno", id_="alone"), both, **more)


def test_an_order_that_says_nothing_is_a_cut(monkeypatch):
    why = "a run did not repeat what it had done before, after 2 steps"
    report = RaceReport(schedules=9, judged=8, untold=1, inconclusive=(why,), cut="1 of 9 schedules say nothing")
    events = orders_of(monkeypatch, report)
    (found,) = [each for each in last(events).explored if each.scenario == TOUR]
    told = f"orders: 1 of 9 say nothing, one because {why}"
    assert (told, "", False) == (found.cut, found.bounded, found.exhausted)
    assert KindFacts(9, 8, 1, 0) == found.kinds["schedule"]


def test_a_stated_bound_of_orders_is_no_cut_and_is_told(monkeypatch):
    bound = "at 200 orders depth-first, then 100 more at random (seed 0); how many there are is not known"
    events = orders_of(monkeypatch, RaceReport(schedules=300, judged=300, bounded=bound, cut=bound))
    (found,) = [each for each in last(events).explored if each.scenario == TOUR]
    assert ("", bound, False) == (found.cut, found.bounded, found.exhausted)


@pytest.mark.parametrize("schedules", [1, SCHEDULES - 1])
def test_fewer_orders_than_the_level_needs_are_a_cut(monkeypatch, schedules):
    bound = f"at {schedules} orders depth-first; how many there are is not known"
    report = RaceReport(schedules=schedules, judged=schedules, bounded=bound, cut=bound)
    found = facts_of(orders_of(monkeypatch, report, schedules=schedules), TOUR)
    needed = f"orders: {bound}; the level needs {SCHEDULES} depth-first where there are as many"
    assert (needed, bound, False) == (found.cut, found.bounded, found.exhausted)


def test_few_orders_that_are_all_there_are_suffice(monkeypatch):
    events = orders_of(monkeypatch, RaceReport(schedules=1, judged=1, exhausted=True), schedules=1)
    assert ("", True) == (facts_of(events, TOUR).cut, facts_of(events, TOUR).exhausted)


def test_orders_that_were_broken_off_are_told_as_a_cut(monkeypatch):
    found = facts_of(orders_of(monkeypatch, MachineError("no supervisor any more")), TOUR)
    assert (UNORDERED, False) == (found.cut, found.exhausted)
