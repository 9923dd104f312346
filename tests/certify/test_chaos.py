"""Certifying at L4: simulations with the certified system in its place. Source: issue 10; CERTIFICATION.md, Levels."""

import json
import sys

import needs
import pytest

from harness.certify import chaos, reach
from harness.certify.engine import Engine
from harness.certify.events import Notice, RunStarted, SystemSimulated
from harness.certify.plan import ChaosScope, RunPlan, Simulate, name_of, planned
from harness.core.verdict import ClauseVerdict, Outcome
from harness.report.simulations import said
from harness.runtime.mutants import MUTANTS
from harness.simulation import simulation
from harness.simulation.rules import RULES
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly
from harness.systems import registry

SHORT = ChaosScope(1, 2, 1, "mine.yaml")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """A day of three hours."""
    monkeypatch.setattr(simulation, "days", lambda count: count * 3 * 3600 * 64)
    monkeypatch.setattr(simulation, "QUIET_H", 24 * 8)  # of hours as short as the day


def of_mutant(name, mutant):
    return reach.served_python(registry.get(name), mutant, timeout_scale=1.0)


def plan(*ways, scope=SHORT, **more):
    systems = tuple({way.system.name: way.system for way in ways}.values())
    settings = {"level": "L4", "seed": 0, "cases": 0, "budget_s": None, "jobs": 1, **more}
    return RunPlan(systems, "mine", "mine.yaml", ways, (), chaos=scope, **settings)


def run(*ways, **more):
    """The last event of a run that only simulates, and all of them."""
    events = list(Engine(plan(*ways, **more)).run())
    return events[-1], events


def of_command(name, *words):
    return reach.from_spec(reach.command_target(words, "stdio"), registry.get(name), timeout_scale=0.2)


@needs.namespaces
def test_a_reference_in_its_own_place_breaks_nothing_and_counts_its_questions():
    end, events = run(of_mutant("rate_limit", None), scope=ChaosScope(1, 2, 2, "reference"))
    (simulated,) = end.systems["rate_limit"].simulated
    assert tuple(RULES) == simulated.held
    assert ("hostile", 1, 2, "stdio") == (simulated.weather, simulated.days, simulated.agents, simulated.carrier)
    assert 2 == len({played.digest for played in simulated.seeds})
    assert all(played.questions["classify"] > 0 and played.control is None for played in simulated.seeds)
    assert "nothing was simulated" not in end.systems["rate_limit"].levels["L4"].reason
    assert 2 == next(event.simulations for event in events if isinstance(event, RunStarted))


@needs.namespaces
def test_a_sound_reference_over_stdio_meets_the_same_events_as_in_the_plain_simulation():
    (item,) = (item for item in planned(plan(of_mutant("rate_limit", None))) if isinstance(item, Simulate))
    plain = Simulation(Plan(1, 2, item.seed, "hostile"), Assembly(HOME, seed=item.seed))
    plain.run()
    (played,) = run(of_mutant("rate_limit", None))[0].systems["rate_limit"].simulated[0].seeds
    assert (plain.digest, plain.events) == (played.digest, played.events)


@needs.namespaces
@pytest.mark.parametrize(
    ("name", "mutant", "hours", "rule", "clause"),
    [
        ("circuit_breaker", "opens-at-four", 3, "INT-17", "LK-CB-10"),
        ("circuit_breaker", "trips-into-half-open", 3, "INT-18", "LK-CB-22"),
        ("fallback", "security-ignored", 3, "INT-22", "LK-FB-05"),
    ],
)
def test_a_mutant_over_stdio_is_blamed_for_the_rule_that_it_breaks(name, mutant, hours, rule, clause, monkeypatch):
    monkeypatch.setattr(simulation, "days", lambda count: count * hours * 3600 * 64)
    end, _ = run(of_mutant(name, mutant))
    result = end.systems[name]
    (played,) = result.simulated[0].seeds
    assert ([rule], ()) == ([each.rule for each in played.broken], played.control)
    assert (1, Outcome.NONCONFORMANT) == (end.exit_code, end.outcome)
    assert ClauseVerdict.DEVIATES is result.clauses[clause].verdict
    assert rule in result.clauses[clause].reason
    assert f"--target {name}=mine.yaml --until" in played.broken[0].replay
    assert rule not in result.simulated[0].held


@needs.namespaces
def test_what_no_rule_watches_is_not_seen_by_a_simulation():
    """L4 shows how a system fits the others; what it answers is judged at the levels before."""
    end, _ = run(of_mutant("rate_limit", "no-retries"))
    assert ((), Outcome.INCONCLUSIVE) == (end.systems["rate_limit"].simulated[0].seeds[0].broken, end.outcome)


SILENT = """
import json, sys
ANSWER = {"protocolVersion": 1, "implementation": {"name": "silent", "version": "1"}, "systems": {"rate_limit": {}}}
for line in sys.stdin:
    call = json.loads(line)
    reply = {"result": ANSWER if call["method"] == "initialize" else {}}
    if call["method"].startswith("rate_limit/"):
        reply = {"error": {"code": -32000, "message": "not today"}}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], **reply}), flush=True)
"""


@needs.namespaces
def test_one_that_never_answers_is_given_up_and_not_conformant(tmp_path):
    (tmp_path / "silent.py").write_text(SILENT)
    end, _ = run(of_command("rate_limit", sys.executable, str(tmp_path / "silent.py")))
    (played,) = end.systems["rate_limit"].simulated[0].seeds
    assert Outcome.NONCONFORMANT is end.outcome
    assert ["INT-21"] == [broken.rule for broken in played.broken]
    assert "rate_limit left more than 10 questions unanswered" == played.cut
    assert 11 == played.unanswered == sum(played.questions.values())
    assert not [
        id_ for id_, each in end.systems["rate_limit"].clauses.items() if each.verdict is ClauseVerdict.DEVIATES
    ]


@needs.namespaces
def test_a_rule_that_the_reference_breaks_too_is_our_own_defect(monkeypatch):
    """The wiring of all sessions is wrong, whoever stands in them."""
    broken = lambda plan, assembly: Simulation(plan, assembly, MUTANTS["told-twice"].session)  # noqa: E731
    monkeypatch.setattr(chaos, "Simulation", broken)
    end, _ = run(of_mutant("rate_limit", None))
    (played,) = end.systems["rate_limit"].simulated[0].seeds
    assert (3, Outcome.HARNESS_FAULT, ("INT-06",)) == (end.exit_code, end.outcome, played.control)
    assert end.message.startswith(
        "INT-06 is broken in a simulation, and with the reference in its place INT-06 is, too"
    )
    assert "windtunnel simulate" in end.message


@needs.namespaces
def test_a_rule_that_holds_when_the_same_is_played_again_is_flaky_and_blames_nobody(monkeypatch):
    made = []

    def broken(plan, assembly):
        made.append(plan)
        return Simulation(plan, assembly, *([MUTANTS["told-twice"].session] if len(made) == 1 else []))

    monkeypatch.setattr(chaos, "Simulation", broken)
    end, _ = run(of_mutant("rate_limit", None))
    (played,) = end.systems["rate_limit"].simulated[0].seeds
    assert (5, (), ("INT-06",), None) == (end.exit_code, played.broken, played.flaky, played.control)
    assert "INT-06" not in end.systems["rate_limit"].simulated[0].held


@needs.namespaces
def test_the_control_is_the_reference_and_under_the_same_seed(monkeypatch):
    played = []

    class Noted(Simulation):
        def __init__(self, plan, assembly):
            played.append((plan.seed, assembly.names()["circuit_breaker"]))
            super().__init__(plan, assembly)

    monkeypatch.setattr(chaos, "Simulation", Noted)
    run(of_mutant("circuit_breaker", "opens-at-four"))
    assert ["mine", "mine", "reference"] == [name for _, name in played]
    assert 1 == len({seed for seed, _ in played})


def test_only_questions_that_were_put_are_counted():
    """One that is never asked stops the level: tests/core/test_chaos_levels.py."""
    assembly = chaos.WatchedAssembly(HOME)
    begun = Simulation(Plan(1, 1, 0, "calm"), assembly)
    assert [] == [name for name, asked in assembly.questions.items() if asked]
    begun.run(until=40)
    asked = {name for name, each in assembly.questions.items() if each}
    assert "session_recovery" in asked
    assert "stop_gate" not in asked


@needs.namespaces
def test_one_that_the_simulation_never_asks_has_shown_nothing(monkeypatch):
    monkeypatch.setattr(simulation, "days", lambda count: 1)
    end, _ = run(of_mutant("stop_gate", None))
    (played,) = end.systems["stop_gate"].simulated[0].seeds
    assert ({}, "", Outcome.INCONCLUSIVE) == (played.questions, played.cut, end.outcome)
    assert "asked nothing" in "\n".join(said(end.systems))


@needs.namespaces
@pytest.mark.parametrize("at", [1, 30])
def test_an_interruption_ends_the_simulation_in_order_and_leaves_nothing_open(monkeypatch, at):
    way = of_mutant("rate_limit", None)
    opened = []

    def open_session(slots):
        opened.append(way.open(slots))
        return opened[-1]

    engine = Engine(plan(way._replace(open=open_session), scope=ChaosScope(3650, 2, 1)))
    asked = []

    class Counted(chaos.WatchedAssembly):
        def of(self, agent, files, clock):
            systems = super().of(agent, files, clock)
            classify = systems.backoff.classify

            def interrupted(arguments, now_s):
                asked.append(now_s)
                if len(asked) == at:
                    engine.interrupt()
                return classify(arguments, now_s)

            systems.backoff.classify = interrupted
            return systems

    monkeypatch.setattr(chaos, "WatchedAssembly", Counted)
    end = list(engine.run())[-1]
    assert (130, Outcome.INTERRUPTED, False) == (end.exit_code, end.outcome, end.complete)
    assert at == len(asked)
    (played,) = end.systems["rate_limit"].simulated[0].seeds
    assert (chaos.ENDED_EARLY, (), None) == (played.cut, played.broken, played.control)
    assert not end.systems["rate_limit"].levels["L4"].reached
    assert [True] == [session.sandbox.is_closed for session in opened]


@needs.namespaces
def test_a_budget_that_runs_out_in_a_simulation_cuts_the_run():
    now = [0.0]

    def monotonic():
        now[0] += 0.001
        return now[0]

    events = list(
        Engine(plan(of_mutant("rate_limit", None), scope=ChaosScope(3650, 2, 1), budget_s=1.0), monotonic).run()
    )
    assert (5, False) == (events[-1].exit_code, events[-1].complete)
    assert any(isinstance(event, Notice) and "the budget ran out" in event.text for event in events)


@needs.namespaces
def test_the_whole_reference_is_one_simulation_a_seed_and_its_hook_is_exchanged():
    ways = tuple(
        way for name in ("stop_gate", "rate_limit") for way in reach.reference(registry.get(name), timeout_scale=1.0)
    )
    work = [
        item
        for item in planned(plan(*ways, scope=ChaosScope(1, 2, 2, "reference", together=True)))
        if isinstance(item, Simulate)
    ]
    assert [(False, "gate"), (False, "gate"), (True, "stop_hook"), (True, "stop_hook")] == [
        (item.exchanged, item.reach.profile) for item in work
    ]
    assert ["all systems", "stop_gate in profile stop_hook"] == [
        name_of(item).removeprefix("the simulation of ").partition(" under")[0] for item in (work[0], work[-1])
    ]


@needs.namespaces
def test_of_the_whole_reference_every_system_is_shown_by_one_simulation():
    ways = tuple(reach.reference(registry.get(name), timeout_scale=1.0)[0] for name in ("stop_gate", "rate_limit"))
    end, events = run(*ways, scope=ChaosScope(1, 2, 1, "reference", together=True))
    simulated = [event for event in events if isinstance(event, SystemSimulated)]
    assert ["stop_gate", "rate_limit"] == [event.system for event in simulated]
    assert 1 == len({event.played.digest for event in simulated})
    assert all(event.carrier == "reference" and not event.spared for event in simulated)
    assert Outcome.INCONCLUSIVE is end.outcome, "nothing but simulations was run"


def test_a_broken_rule_of_the_whole_reference_is_our_defect(monkeypatch):
    broken = lambda plan, assembly: Simulation(plan, assembly, MUTANTS["told-twice"].session)  # noqa: E731
    monkeypatch.setattr(chaos, "Simulation", broken)
    told = []
    scope = plan(of_mutant("rate_limit", None), scope=ChaosScope(1, 2, 1, "reference", together=True))
    player = chaos.Chaos(scope, None, told.append, lambda: False)
    player.play(Simulate(scope.reaches[0], 5, exchanged=False), None)
    assert "--target" not in told[0].played.broken[0].replay
    assert str(chaos.defect(told)).startswith("INT-06 is broken in a simulation")


@needs.namespaces
def test_the_simulations_of_a_run_do_not_depend_on_its_jobs():
    one, four = (run(of_mutant("rate_limit", None), scope=ChaosScope(1, 2, 3), jobs=jobs)[0] for jobs in (1, 4))
    assert (one.digest, one.systems) == (four.digest, four.systems)


@needs.namespaces
def test_the_digest_of_a_run_depends_on_what_was_simulated():
    digests = {run(of_mutant("rate_limit", None), scope=ChaosScope(1, agents, 1))[0].digest for agents in (1, 2)}
    assert 2 == len(digests)


def test_nothing_is_simulated_below_the_fourth_level():
    assert [] == planned(plan(of_mutant("rate_limit", None), level="L3"))


@needs.namespaces
def test_what_is_said_has_scope_seed_digest_questions_and_what_is_spared():
    end, _ = run(of_mutant("circuit_breaker", "opens-at-four"))
    (simulated,) = end.systems["circuit_breaker"].simulated
    (played,) = simulated.seeds
    text = "\n".join(said(end.systems))
    for part in ("1 virtual day, 2 agents, hostile weather, 1 seed", played.digest[:16], f"acquire {played.questions['acquire']:,}",
                 f"seed {played.seed}", "its own files are on a real disk", f"{len(simulated.rules) - len(played.broken)} of {len(simulated.rules)} rules held",
                 "the reference in its place holds every rule", played.broken[0].replay):  # fmt: skip
        assert part in text


@needs.namespaces
def test_the_reference_of_a_system_reaches_the_fourth_level(windtunnel, tmp_path):
    """All of it, from a command line: L1 to L3 of the smallest system, then its simulation."""
    words = ("certify", "reference", "--system", "rate_limit", "--level", "L4", "--cases", 0)
    ran = windtunnel(*words, "--days", 1, "--agents", 2, "--seeds", 1, "--report", tmp_path)
    result = json.loads((tmp_path / "result.json").read_text())["systems"]["rate_limit"]
    assert (0, "L4", None) == (ran.code, result["level"], result["stopped_by"])
    assert result["simulated"][0]["seeds"][0]["digest"][:16] in ran.out
    assert "1 virtual day" in (tmp_path / "report.md").read_text()
    assert "digest" in (tmp_path / "junit.xml").read_text().partition("level L4")[2]
