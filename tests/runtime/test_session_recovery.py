"""What a session does about failures: logged, diagnosed, recovered from by what is recommended, or to the user. Issue 6, item 5."""

import pytest
from fakes import (
    DONE,
    DOWN,
    HUNG,
    LIMITED,
    UNDONE,
    FakeDiagnosis,
    FakeErrorLog,
    Silent,
    World,
    fake_systems,
    task,
    told,
    use,
    words,
)

from harness.core.events import (
    AttemptStarted,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureRecorded,
    NonBlockingFailed,
    RecoveryEnded,
    RetryScheduled,
    WaitBegun,
)
from harness.ports.launcher import Ended
from harness.runtime.order import broken
from harness.runtime.recovery import error_of
from harness.runtime.trial import MOST_STEPS
from harness.systems.diagnosis.contract import ObserveResult, OutcomeResult, PromptResult, Reflection, ReportResult
from harness.systems.error_log.contract import FinishResult
from harness.systems.error_log.contract import LogResult as Logged

COMMIT = "git_commit_failure"
LOCKED = Ended("exit", 128, "fatal: index.lock exists")


def strategies(world):
    return [strategy for (strategy,) in told(world, AttemptStarted, "strategy")]


def transcript(world):
    return world.files.read("/h/.claude/projects/session/s.jsonl", 99_999).decode()


def test_a_use_that_works_is_four_events():
    world = World(DONE)
    assert world.session.use_tool(use()) == "done"
    assert words(world) == ["UseBegun", "AttemptStarted", "AttemptSucceeded", "UseEnded"]
    assert {event.correlation_id for event in world.session.events} == {"use-1"}
    assert [argv for _, argv in world.ran] == [("sh", "")]


def test_a_failure_is_recorded_then_diagnosed_then_recovered_from():
    world = World(UNDONE, DONE)
    assert world.session.use_tool(use()) == "done"
    assert words(world)[2:] == [
        "FailureObserved",
        "FailureRecorded",
        "FailureClassified",
        "Diagnosed",
        "AttemptStarted",
        "AttemptSucceeded",
        "RecoveryEnded",
        "UseEnded",
    ]
    assert [argv for _, argv in world.ran] == [("sh", ""), ("sh", "corrected-retry")]
    assert broken(world.session.events) == ()


def test_after_two_failed_recoveries_the_user_is_asked():
    """DR-REC-07."""
    world = World(UNDONE)
    assert world.session.use_tool(use()) == "escalated"
    assert strategies(world) == ["", "corrected-retry", "another-tool"]
    assert told(world, RecoveryEnded, "strategy", "succeeded", "iterations", "asks_user") == [
        ("corrected-retry", False, 1, False),
        ("another-tool", False, 2, True),
    ]
    assert told(world, EscalationRaised, "task", "triggers") == [("t-1", ("diagnosis",))]
    assert broken(world.session.events) == ()


def test_the_user_is_shown_the_diagnosis_and_the_next_reflection_reads_it():
    """DR-UI-01, DR-TRG-03."""
    world = World(UNDONE)
    world.session.use_tool(use())
    said = transcript(world)
    assert "Why s/use-1/1 failed" in said
    assert [said.count(f"Diagnostic analysis of s/use-1/{number}") for number in (1, 2, 3)] == [1, 1, 1]


def test_a_task_that_the_user_was_asked_about_is_not_touched_again():
    world = World(UNDONE)
    world.session.use_tool(use())
    before = world.session.events
    assert (world.session.use_tool(use()), world.session.perform(task())) == ("escalated", "escalated")
    assert world.session.events == before


def test_a_diagnosis_that_asks_at_once_leaves_nothing_to_try():
    world = World(UNDONE, systems=fake_systems()._replace(diagnostician=FakeDiagnosis(asks_at_once=True)))
    assert [world.session.use_tool(use("a")), world.session.perform(task("b"))] == ["escalated", "escalated"]
    assert len(world.ran) == 2
    assert told(world, EscalationRaised, "triggers") == [(("diagnosis",),), (("diagnosis",),)]
    assert broken(world.session.events) == ()


def test_five_back_off_retries_are_no_recoveries():
    """LK-RL-06 before DR-REC-07: a retry does the same again, and what follows is what the last failure asks for."""
    world = World(*[LIMITED] * 6, DONE)
    assert world.session.use_tool(use()) == "done"
    assert strategies(world) == [""] * 6 + ["corrected-retry"]
    assert told(world, RetryScheduled, "delay_s") == [(5.0,), (10.0,), (20.0,), (40.0,), (80.0,)]
    assert told(world, RecoveryEnded, "succeeded", "iterations") == [(True, 1)]
    assert [each.call for each in world.systems.diagnostician.outcomes] == ["s/use-1/6"]
    assert broken(world.session.events) == ()


def test_back_off_goes_before_a_diagnosis_that_asks_the_user():
    systems = fake_systems()._replace(diagnostician=FakeDiagnosis(asks_at_once=True))
    world = World(LIMITED, DONE, systems=systems)
    assert world.session.use_tool(use()) == "done"
    assert told(world, Diagnosed, "asks_user") == [(True,)]
    assert told(world, WaitBegun, "cause", "wait_s") == [("back_off", 5.0)]
    assert broken(world.session.events) == ()


def test_a_recovery_that_is_rate_limited_is_tried_again_by_the_same_strategy_and_is_one_recovery():
    world = World(UNDONE, LIMITED, LIMITED, DONE)
    assert world.session.use_tool(use()) == "done"
    assert strategies(world) == ["", *["corrected-retry"] * 3]
    assert told(world, RecoveryEnded, "succeeded", "iterations") == [(True, 3)]


def test_of_a_call_to_a_model_the_ladder_says_where_and_the_diagnosis_how():
    world = World(DOWN, UNDONE, DONE)
    assert world.session.perform(task()) == "done"
    assert told(world, AttemptStarted, "model", "approach", "strategy") == [
        ("opus", "complex", ""),
        ("sonnet", "complex", "corrected-retry"),
        ("sonnet", "simpler", "another-tool"),
    ]
    assert broken(world.session.events) == ()


def test_a_refused_rung_is_no_failed_recovery():
    """LK-CB-13: three failures open the breaker of opus and sonnet, and the step over sonnet is no recovery."""
    world = World(LIMITED, LIMITED, LIMITED, UNDONE, DONE)
    assert world.session.perform(task()) == "done"
    assert told(world, AttemptStarted, "model", "strategy")[3:] == [
        ("haiku", "corrected-retry"),
        ("haiku", "another-tool"),
    ]
    assert told(world, RecoveryEnded, "succeeded") == [(False,), (True,)]
    assert broken(world.session.events) == ()


def test_every_failed_attempt_is_observed_with_its_context():
    """DR-IN-01..03."""
    world = World(UNDONE, HUNG, DONE)
    world.session.use_tool(use(goal="Make it."))
    first, second = world.systems.diagnostician.observed
    assert (first.call, first.tool, first.args, first.success) == ("s/use-1/1", "run_bash", {"command": "make"}, False)
    assert first.error == {"message": "Command failed: exit code 1", "code": 1, "stderr": "2 tests fail"}
    assert first.context == {
        "iteration": 1,
        "previousActions": [],
        "availableTools": ["model", "run_bash", "read_file", "read_dir", "write_file", "http_fetch", "search"],
        "workspaceState": {"files": [], "directories": []},
        "taskGoal": "Make it.",
    }
    assert second.call == "s/use-1/2"
    assert second.context["previousActions"] == [
        {"tool": "run_bash", "args": {"command": "make"}, "result": "2 tests fail", "success": False}
    ]


def test_the_last_three_actions_are_told():
    world = World(*[DONE] * 5, UNDONE, DONE)
    for name in "abcde":
        world.session.use_tool(use(name))
    world.session.use_tool(use("f"))
    (observed,) = world.systems.diagnostician.observed
    assert observed.context["iteration"] == 6
    assert [action["success"] for action in observed.context["previousActions"]] == [True] * 3


@pytest.mark.parametrize(
    ("ended", "error"),
    [
        (Ended("timeout", 0, "no end within 9 s"), {"message": "Command timed out: no end within 9 s"}),
        (Ended("signal", 9, "x"), {"message": "Command was ended by SIGKILL", "signal": "SIGKILL", "stderr": "x"}),
        (Ended("signal", 99, ""), {"message": "Command was ended by signal 99", "signal": "signal 99", "stderr": ""}),
        (Ended("not_started", 2, "No such file"), {"message": "Command could not be started: No such file", "code": 127}),
        (Ended("not_started", 13, "Denied"), {"message": "Command could not be started: Denied", "code": 126}),
        (Ended("not_started", 111, "Connection refused"), {"message": "Connection refused"}),
    ],
)  # fmt: skip
def test_an_end_is_told_in_the_words_of_the_document(ended, error):
    assert error_of(ended) == error


def test_the_record_has_what_the_log_wants_to_know():
    """ER-LOG-02, ER-LOG-05, ER-LOG-07."""
    world = World(HUNG, DONE)
    world.session.use_tool(use())
    (record,) = world.systems.error_log.records
    assert (record["type"], record["message"], record["name"]) == ("timeout", "no end within 600 s", "s/use-1/1")
    assert record["context"]["session_id"] == "s"
    assert told(world, FailureRecorded, "record_id", "stored", "name") == [("err_1", True, "s/use-1/1")]


@pytest.mark.parametrize("kind", [COMMIT, "metric_failure", "logging_failure"])
def test_what_fails_beside_the_work_is_logged_reported_at_the_end_and_stops_nothing(kind):
    """ER-NB-01..03."""
    world = World(LOCKED, DONE)
    session = world.session
    assert session.do_beside(kind, ("git", "commit"), env={}, timeout_s=9.0) is False
    assert session.perform(task()) == "done"
    assert session.finish() == ("s/beside-1",)
    assert words(world)[:3] == ["NonBlockingFailed", "FailureRecorded", "CallBegun"]
    assert told(world, NonBlockingFailed, "error_type", "message") == [(kind, "exit 128: fatal: index.lock exists")]
    assert told(world, ErrorsReported, "names") == [(("s/beside-1",),)]
    assert world.systems.diagnostician.observed == []
    assert broken(session.events) == ()


def test_what_works_beside_the_work_says_nothing():
    world = World(DONE)
    assert world.session.do_beside(COMMIT, ("git", "commit"), env={}, timeout_s=9.0) is True
    assert world.session.finish() == ()
    assert words(world) == ["ErrorsReported"]


@pytest.mark.parametrize("operation", ["log", "finish"])
def test_a_log_that_is_silent_keeps_nothing_from_being_reported(operation):
    """ER-NB-02: a log that fails stops nothing either."""
    systems = fake_systems()
    world = World(LOCKED, systems=systems._replace(error_log=Silent(systems.error_log, operation)))
    world.session.do_beside(COMMIT, ("git", "commit"), env={}, timeout_s=9.0)
    assert world.session.finish() == ("s/beside-1",)
    assert "INT-21" in broken(world.session.events)


class NoLog(FakeErrorLog):
    """As if there were none."""

    def log(self, arguments, now_s):
        return Logged(None, stored=False)

    def finish(self, arguments, now_s):
        return FinishResult(())


class NoDiagnosis:
    """As if there were none."""

    def observe(self, arguments, now_s):
        return ObserveResult(Reflection.NONE)

    def outcome(self, arguments, now_s):
        return OutcomeResult(None)

    def prompt(self, arguments, now_s):
        return PromptResult("")

    def report(self, arguments, now_s):
        return ReportResult("")


@pytest.mark.parametrize(
    ("port", "system", "rule"), [("error_log", NoLog(), "INT-23"), ("diagnostician", NoDiagnosis(), "INT-24")]
)
@pytest.mark.parametrize("ended", [LIMITED, UNDONE])
def test_without_one_of_the_two_a_rule_is_broken(port, system, rule, ended):
    """ARCHITECTURE.md: without any one of the systems a runtime test fails."""
    world = World(ended, systems=fake_systems()._replace(**{port: system}))
    world.session.use_tool(use())
    assert broken(world.session.events) == (rule,)


class NeverAsks(FakeDiagnosis):
    def outcome(self, arguments, now_s):
        tried = super().outcome(arguments, now_s).strategy
        return OutcomeResult(tried, self._plan(arguments.call))


def test_a_diagnosis_that_never_asks_the_user_is_not_followed_for_ever():
    world = World(UNDONE, systems=fake_systems()._replace(diagnostician=NeverAsks()))
    assert world.session.use_tool(use()) == "escalated"
    assert len(world.ran) == MOST_STEPS + 1
    assert broken(world.session.events) == ("INT-25",)


class Hostile(FakeDiagnosis):
    """Answers in shapes that nobody agreed on."""

    plan: object = None

    def observe(self, arguments, now_s):
        super().observe(arguments, now_s)
        return ObserveResult(Reflection.FULL, {"errorClassification": [], "recoveryPlan": self.plan})


@pytest.mark.parametrize("plan", [None, [], "retry", {}, {"strategy": 7}, {"strategy": None}])
def test_a_plan_of_another_shape_recommends_nothing(plan):
    diagnosis = Hostile()
    diagnosis.plan = plan
    world = World(UNDONE, systems=fake_systems()._replace(diagnostician=diagnosis))
    assert world.session.use_tool(use()) == "escalated"
    assert told(world, Diagnosed, "error_type", "strategy") == [("", "")]
    assert broken(world.session.events) == ()
