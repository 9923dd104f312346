"""The plans of a simulation, and what its sub-agents, verifications and reviewers say. Issue 8, Build 6."""

from collections import Counter

from harness.core.plan_events import PlanBegun, PlanCompleted, PlanDecided, PlanHalted
from harness.ports.fake_files import FakeFiles
from harness.runtime.witness_plans import passes, subagent_result
from harness.simulation.crew import SimulatedCrew
from harness.simulation.incidents import Incidents
from harness.simulation.plans import Plans
from harness.simulation.profiles import PROFILES
from harness.simulation.systems import references
from harness.simulation.toolbox import BESIDE, USE, Toolbox
from harness.simulation.virtual_time import Chance
from harness.systems.phase_runner.contract import Commit, Launch, StatusArguments
from harness.systems.phase_runner.contract.words import Gate, LaunchKind, Mode
from harness.systems.rationalization.contract import EnforceArguments
from harness.systems.review_gate.contract import Severity

AT = {"at": "2026-03-01T12:00:00Z", "correlation_id": "r"}
NOW_S = 1772366400.0
LAUNCH = Launch(LaunchKind.PHASE, "1")


def begun(plans, *, accepted=True):
    plans.take(PlanBegun(**AT, plan=plans.name, modes=(), accepted=accepted, error=""))


def halted(plans):
    plans.take(PlanHalted(**AT, plan=plans.name, reason="x", completed=(), failed=(), blocked=()))


def decided(plans, decision):
    plans.take(PlanDecided(**AT, plan=plans.name, decision=decision))


def test_the_phase_runner_takes_every_plan_with_all_its_phases():
    counts = set()
    for seed in range(12):
        systems, due = references("/h", FakeFiles()), Plans(seed).due()
        assert systems.runner.start(due, NOW_S).accepted
        phases = systems.runner.status(StatusArguments(), NOW_S).phases
        counts.add(len(phases))
        assert phases
    assert counts == {3, 4, 5}


def test_a_plan_is_gone_on_with_until_it_is_complete_and_then_another_begins_afresh():
    plans = Plans(1)
    assert (plans.due().plan_path, plans.due().modes) == ("plan-1", ())
    begun(plans)
    assert plans.due().modes == ()
    plans.take(PlanCompleted(**AT, plan="plan-1"))
    assert (plans.due().plan_path, plans.due().modes) == ("plan-2", (Mode.FRESH,))
    begun(plans, accepted=False)
    assert plans.due().modes == (Mode.FRESH,)
    begun(plans)
    assert plans.due().modes == ()


def test_a_plan_that_is_halted_waits_for_a_human():
    plans = Plans(1)
    begun(plans)
    halted(plans)
    assert plans.due() is None
    decided(plans, Mode.RESUME)
    assert (plans.due().plan_path, plans.due().modes) == ("plan-1", ())
    halted(plans)
    decided(plans, Mode.FRESH)
    assert (plans.due().plan_path, plans.due().modes) == ("plan-2", (Mode.FRESH,))


def crew(seed=1):
    return SimulatedCrew(Chance(seed, "crew"), Incidents().of("agent-0-1", seed), Toolbox(PROFILES["calm"], seed))


def test_sub_agents_claim_fail_and_say_what_nobody_understands():
    drawn, watch = crew(), references("/h", FakeFiles()).watch
    outcomes, weak = Counter(), 0
    for _ in range(1500):
        said = drawn.said(LAUNCH)
        result = subagent_result(said.text)
        outcomes[None if result is None else result.success] += 1
        if result is not None and result.success:
            weighed = EnforceArguments(said.prose, "claim", has_output=said.has_output)
            weak += not watch.enforce(weighed, NOW_S).proceeds
            assert result.tasks_completed == result.tasks_total
        elif result is not None:
            assert result.tasks_completed < result.tasks_total
    assert 1300 < outcomes[True] < 1450
    assert 60 < outcomes[False] < 150
    assert 10 < outcomes[None] < 60
    assert 50 < weak < 140


def test_phases_change_files_of_their_own_and_now_and_then_one_that_others_change():
    drawn, paths = crew(), Counter()
    for number in range(600):
        result = subagent_result(drawn.said(Launch(LaunchKind.PHASE, ("1a", "1b")[number % 2])).text)
        if result is not None and result.success:
            paths.update(each.path for each in result.created)
    assert set(paths) == {"src/phase_1a.py", "src/phase_1b.py", "src/index.py"}
    assert 60 < paths["src/index.py"] < 130


def test_what_is_not_installed_fails_a_few():
    drawn = crew()
    results = [subagent_result(drawn.said(LAUNCH).text) for _ in range(1500)]
    missing = [result.missing for result in results if result is not None and result.missing is not None]
    assert 3 < len(missing) < 30
    assert {(each.package, each.required_by) for each in missing} == {("@types/jest", "type checking")}
    assert not any(result.success for result in results if result is not None and result.missing is not None)


def test_verifications_find_something_now_and_then():
    drawn = crew()
    red = Counter()
    for _ in range(1000):
        gates = drawn.gates(LAUNCH)
        assert set(gates) == set(Gate)
        red.update(gate for gate, found in gates.items() if not passes(found))
    assert set(red) == set(Gate)
    assert 30 < red.total() < 75


def test_reviewers_find_nothing_something_or_are_lost_and_analysis_never_is():
    drawn = crew()
    reviewed = [drawn.issues("reviewer-1", 1) for _ in range(2000)]
    analysed = [drawn.issues("", 1) for _ in range(2000)]
    assert 8 < reviewed.count(None) < 40
    assert analysed.count(None) == 0
    for found in (reviewed, analysed):
        severities = Counter(issue.severity for each in found for issue in each or ())
        assert set(severities) == set(Severity)
        assert severities[Severity.LOW] > severities[Severity.HIGH]


def test_what_is_run_is_what_a_simulation_answers():
    drawn = crew()
    assert drawn.call("plan-1/1", "opus").model == "opus"
    assert {drawn.call("t", "opus").urgent for _ in range(50)} == {True, False}
    assert drawn.use("plan-1/1").command[0] == USE
    assert drawn.committing(Commit(("1",), "feat: 1")) == (BESIDE, "git_commit_failure")
