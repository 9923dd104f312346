"""A plan of shell commands driven by a session: what is run, how often, and how it ends. Source: issue 10; AB, LK."""

import errno

import pytest
from shell_plans import DONE, Commands, Project, failed

from harness.core.events import CallRefused, Diagnosed, SessionCut
from harness.core.plan_events import PhaseLaunched, PlanDecided
from harness.core.task_events import FailureCounted, HumanDecided, SessionResumed
from harness.ports.files import RealFiles
from harness.ports.interruption import InterruptedWorkError
from harness.ports.launcher import Ended
from harness.runtime.order import Order
from harness.runtime.references import references
from harness.runtime.shell_crew import ShellCrew
from harness.runtime.shell_plan import parse
from harness.runtime.shell_run import Outcome
from harness.systems.phase_runner.contract import Launch, StatusArguments
from harness.systems.phase_runner.contract.words import LaunchKind
from harness.systems.review_gate.contract import REVIEWERS

TWO = """
name: two
env: {COLOUR: red}
phases:
  - {id: a, run: run a, verify: verify a}
  - {id: b, run: run b, verify: verify b, after: [a]}
"""
ALONE = "name: one\nphases: [{id: a, run: run a, verify: {lint: lint a, test: test a}%s}]\n"


class Killed(BaseException):
    """The process is gone, in the middle of a command."""


def killed():
    raise Killed


def interrupted():
    raise InterruptedWorkError


def alone(**more):
    return ALONE % "".join(f", {name}: {value}" for name, value in more.items())


def run_killed(project, ends, **how):
    with pytest.raises(Killed):
        project.run(ends, **how)
    project.clock.move(60.0)


def test_phases_run_in_the_order_of_their_dependencies(tmp_path):
    plan = """
name: diamond
phases:
  - {id: end, run: run end, verify: "true", after: [left, right]}
  - {id: left, run: run left, verify: "true", after: [top]}
  - {id: right, run: run right, verify: "true", after: [top]}
  - {id: top, run: run top, verify: "true"}
"""
    run = Project(tmp_path, plan).run()
    assert ["run top", "run left", "run right", "run end"] == [word for word in run.ran if word != "true"]
    assert (Outcome.COMPLETE, "approve") == (run.ended.outcome, run.ended.stop.decision)
    assert {} == run.broken


def test_a_phase_that_fails_is_tried_once_more_and_then_the_plan_halts(tmp_path):
    run = Project(tmp_path, TWO).run({"run a": failed("no", 3)})
    assert ["run a", "run a"] == run.ran
    assert [] == run.waited, "nobody waits for what says nothing of a rate limit"
    assert Outcome.HALTED == run.ended.outcome
    assert {"a": "failed", "b": "blocked"} == run.ended.statuses
    assert {} == run.broken


def test_a_retry_is_told_what_went_wrong_before(tmp_path):
    run = Project(tmp_path, TWO).run({"run a": failed("no", 3)})
    first, second = run.found
    assert ("1", "") == (first["WINDTUNNEL_ATTEMPT"], first["WINDTUNNEL_PREVIOUS_ERROR"])
    assert ("2", "exit code 3") == (second["WINDTUNNEL_ATTEMPT"], second["WINDTUNNEL_PREVIOUS_ERROR"])
    assert ("red", "/bin", "a", "two") == tuple(
        second[name] for name in ("COLOUR", "PATH", "WINDTUNNEL_PHASE", "WINDTUNNEL_PLAN")
    )
    assert second["WINDTUNNEL_GUIDANCE"]


def test_a_phase_whose_verification_fails_once_is_done_again(tmp_path):
    ends = iter([failed("red"), DONE])
    run = Project(tmp_path, TWO).run({"verify a": lambda: next(ends)})
    assert ["run a", "verify a", "run a", "verify a", "run b", "verify b"] == run.ran
    assert Outcome.COMPLETE == run.ended.outcome
    assert {} == run.broken


def test_every_gate_is_run_and_each_has_to_pass(tmp_path):
    run = Project(tmp_path, alone()).run({"lint a": failed()})
    assert ["run a", "lint a", "test a"] * 2 == run.ran
    assert Outcome.HALTED == run.ended.outcome


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (Ended("timeout", 0, "no end within 5 s\nhalf"), "no end within 5 s"),
        (Ended("signal", 11, "x"), "ended by signal 11"),
        (Ended("not_started", errno.ENOENT, "nix: No such file"), "could not be started: nix: No such file"),
    ],
)
@pytest.mark.parametrize("command", ["run a", "verify a"])
def test_a_command_that_did_not_exit_has_failed_its_phase(tmp_path, command, end, says):
    run = Project(tmp_path, TWO).run({command: end})
    assert (2, []) == (run.ran.count(command), run.waited)
    assert [says, says] == [ran.says for ran in run.told if not ran.passed]
    assert Outcome.HALTED == run.ended.outcome
    assert {} == run.broken


# -- going on


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path):
    project = Project(tmp_path, TWO)
    run_killed(project, {"run b": killed})
    run = project.run()
    (resumed,) = [event for event in run.events if isinstance(event, SessionResumed)]
    assert ("recovered", ("two/b",)) == (resumed.outcome, resumed.interrupted)
    assert ["run b", "verify b"] == run.ran
    assert Outcome.COMPLETE == run.ended.outcome
    assert {} == run.broken


def test_a_plan_that_is_complete_runs_nothing_again(tmp_path):
    project = Project(tmp_path, TWO)
    project.run()
    run = project.run()
    assert ([], Outcome.COMPLETE) == (run.ran, run.ended.outcome)
    assert {} == run.broken


@pytest.mark.parametrize("at", ["run a", "verify a", "analyse a", "review a"])
def test_an_attempt_that_was_killed_anywhere_is_made_again_whole(tmp_path, at):
    project = Project(tmp_path, alone(analyse="analyse a", review="review a").replace("test a", "verify a"))
    for _ in range(3):
        run_killed(project, {at: killed})
    run = project.run()
    assert ["run a", "lint a", "verify a", "analyse a", *["review a"] * len(REVIEWERS)] == run.ran[: 4 + len(REVIEWERS)]
    assert Outcome.COMPLETE == run.ended.outcome
    assert {} == run.broken


def test_an_interruption_leaves_a_state_that_is_gone_on_from(tmp_path):
    project = Project(tmp_path, TWO)
    run = project.run({"run b": interrupted})
    assert (Outcome.INTERRUPTED, {"a": "complete", "b": "running"}) == (run.ended.outcome, run.ended.statuses)
    assert isinstance(run.events[-1], SessionCut)
    assert ["run b", "verify b"] == project.run().ran


def test_a_halted_plan_stays_halted_until_a_human_resumes_it(tmp_path):
    project = Project(tmp_path, TWO)
    project.run({"verify a": failed()})
    again = project.run()
    assert ([], [], Outcome.HALTED, False) == (again.ran, again.events, again.ended.outcome, again.ended.began)
    run = project.run(resumes=True)
    assert "resume" == next(event for event in run.events if isinstance(event, PlanDecided)).decision
    assert (["run a", "verify a", "run b", "verify b"], Outcome.COMPLETE) == (run.ran, run.ended.outcome)
    assert {} == run.broken


def test_the_third_failure_of_a_phase_in_all_asks_a_human_before_its_retry(tmp_path):
    project = Project(tmp_path, TWO)
    project.run({"run a": failed()})
    run = project.run({"run a": failed()}, resumes=True)
    assert (["run a"], Outcome.WAITING, ("a",)) == (run.ran, run.ended.outcome, run.ended.waiting)
    assert ([], Outcome.WAITING) == (project.run().ran, project.run().ended.outcome), "until he decides"
    again = project.run(resumes=True)
    assert "clarified" == next(event for event in again.events if isinstance(event, HumanDecided)).decision
    assert Outcome.COMPLETE == again.ended.outcome
    assert {} == run.broken | again.broken


def test_a_phase_that_is_a_dead_letter_is_tried_again_by_a_human(tmp_path):
    project = Project(tmp_path, TWO)
    runs = [project.run({"run a": failed()}, resumes=number > 0) for number in range(4)]
    counts = [event.failure_count for run in runs for event in run.events if isinstance(event, FailureCounted)]
    assert ([1, 2, 3, 4, 5], ("a",)) == (counts, runs[-1].ended.dead)
    assert ("a",) == project.run().ended.dead
    assert Outcome.COMPLETE == project.run(resumes=True).ended.outcome
    assert {} == {rule: breach for run in runs for rule, breach in run.broken.items()}


# -- rate limits


def test_a_command_that_says_it_was_rate_limited_is_backed_off_from(tmp_path):
    ends = iter([failed("HTTP 429 Too Many Requests"), DONE])
    run = Project(tmp_path, TWO).run({"run a": lambda: next(ends)})
    assert ["run a", "run a", "verify a"] == run.ran[:3]
    assert 1 == len(run.waited)
    assert 1 == sum(
        isinstance(event, PhaseLaunched) and event.phase == "a" and event.kind == "phase" for event in run.events
    )
    assert Outcome.COMPLETE == run.ended.outcome
    assert {} == run.broken


def test_what_is_rate_limited_for_ever_comes_to_an_end_by_the_rules(tmp_path):
    run = Project(tmp_path, TWO).run({"run a": failed("rate limit exceeded")})
    assert run.ended.outcome in (Outcome.WAITING, Outcome.HALTED)
    assert any(isinstance(event, CallRefused) for event in run.events), "three failures open the breaker"
    assert any(isinstance(event, Diagnosed) for event in run.events)
    assert {} == run.broken


def test_a_verification_that_speaks_of_rate_limits_is_not_waited_for(tmp_path):
    run = Project(tmp_path, TWO).run({"verify a": failed("FAILED test_rate_limit: HTTP 429")})
    assert ([], Outcome.HALTED) == (run.waited, run.ended.outcome)


# -- reviews and commits


def test_what_a_review_finds_blocks_the_phase_and_its_retry_is_reviewed_afresh(tmp_path):
    ends = iter([failed("high: it is wrong")] + [DONE] * 5)
    run = Project(tmp_path, alone(review="review a")).run({"review a": lambda: next(ends)})
    assert ["run a", "lint a", "test a", *["review a"] * len(REVIEWERS)] * 2 == run.ran
    assert Outcome.COMPLETE == run.ended.outcome
    assert {} == run.broken


@pytest.mark.parametrize(
    ("output", "outcome"),
    [
        ("low: a name", Outcome.COMPLETE),
        ("LOW: a name\nlow: another", Outcome.COMPLETE),
        ("low: a name\nmedium: a fault", Outcome.HALTED),
        ("anything", Outcome.HALTED),
        ("", Outcome.HALTED),
    ],
)
@pytest.mark.parametrize("what", ["analyse", "review"])
def test_only_findings_that_are_low_let_a_phase_pass(tmp_path, what, output, outcome):
    run = Project(tmp_path, alone(**{what: "look"})).run({"look": failed(output)})
    assert outcome == run.ended.outcome
    assert {} == run.broken


@pytest.mark.parametrize("what", ["analyse", "review"])
def test_what_was_found_in_one_phase_is_not_found_in_the_next(tmp_path, what):
    phases = {"a": f", {what}: look", "b": ""}
    text = "\n".join(f'  - {{id: {id_}, run: run {id_}, verify: "true"{more}}}' for id_, more in phases.items())
    plan = parse(f"name: two\nphases:\n{text}\n".encode(), "plan")
    backoff = references(str(tmp_path), RealFiles()).backoff
    crew = ShellCrew(plan, backoff, Commands({"look": failed("low: a name")}), {}, lambda ran: None)
    reviewer = REVIEWERS[0] if what == "review" else ""
    found = []
    for phase in phases:
        crew.launched(Launch(LaunchKind.PHASE, phase))
        crew.run((what, phase, reviewer, ""), cwd="", env={}, timeout_s=1.0)
        found.append([issue.message for issue in crew.issues(reviewer, 1)])
    assert [["low: a name"], []] == found


def test_a_reviewer_that_died_has_not_found_nothing(tmp_path):
    run = Project(tmp_path, alone(review="look")).run({"look": Ended("signal", 9, "")})
    assert Outcome.HALTED == run.ended.outcome


def test_a_phase_is_committed_under_its_message_when_it_is_complete(tmp_path):
    run = Project(tmp_path, alone(commit="'feat: a, whole'")).run()
    assert ["run a", "lint a", "test a", "feat: a, whole"] == run.ran
    assert () == run.ended.beside


def test_a_commit_that_fails_stops_nothing_and_is_told_at_the_end(tmp_path):
    run = Project(tmp_path, alone(commit="m")).run({"m": failed("no repository", 128)})
    assert Outcome.COMPLETE == run.ended.outcome
    assert 1 == len(run.ended.beside)
    assert {} == run.broken


# -- trouble


class FullFiles(RealFiles):
    """A disk that is full from the n-th change on."""

    def __init__(self, after):
        self.left = after

    def _change(self):
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    def replace(self, path, data):
        self._change()
        super().replace(path, data)

    def create(self, path, data, mtime_s):
        self._change()
        return super().create(path, data, mtime_s)

    def append(self, path, data):
        self._change()
        super().append(path, data)


@pytest.mark.parametrize("after", [0, 1, 7, 28, 29, 31, 40, 59, 60, 80])
def test_on_a_disk_that_fills_up_nothing_is_complete_that_is_not_and_a_later_run_ends_it(tmp_path, after):
    files = FullFiles(after)
    project = Project(tmp_path, TWO, files)
    run = project.run()
    assert Outcome.INTERRUPTED != run.ended.outcome
    assert {} == run.broken, "a full disk is no defect of ours"
    if run.ended.outcome == Outcome.COMPLETE:
        assert ["run a", "verify a", "run b", "verify b"] == run.ran
    files.left = 10_000
    complete = {phase for phase, status in project_statuses(project).items() if status == "complete"}
    again = project.run(resumes=run.ended.outcome == Outcome.HALTED)
    assert Outcome.COMPLETE == again.ended.outcome
    assert set() == {f"run {phase}" for phase in complete} & set(again.ran), "complete phases never run again"


def project_statuses(project):
    found = references(project.state, RealFiles()).runner.status(StatusArguments(), project.clock.now_s())
    return {phase.phase_id: phase.status for phase in found.phases}


def test_a_state_that_is_damaged_is_not_gone_on_from(tmp_path):
    project = Project(tmp_path, TWO)
    project.run({"run b": failed()})
    (tmp_path / "state" / ".autobuild" / "phases" / "phase-a.json").write_text("{")
    run = project.run(resumes=True)
    assert ([], Outcome.REFUSED) == (run.ran, run.ended.outcome)
    assert "phase-a.json" in run.ended.why


def test_a_rule_that_is_broken_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(
        Order, "take", lambda self, session, event: ("INT-01",) if isinstance(event, PlanDecided) else ()
    )
    project = Project(tmp_path, TWO)
    project.run({"run a": failed()})
    assert ["INT-01"] == list(project.run(resumes=True).broken)
