"""What a session does with a plan, and what it leaves to the next. Issue 8, Build 6."""

import errno
import json

import pytest
from driven import (
    BAD,
    CHAIN,
    CLAIM,
    FAILURE,
    GARBLED,
    PAIR,
    SHARED,
    TRIO,
    WEAK,
    Script,
    decide,
    drive,
    driven,
    phases,
    places,
    plan,
    sound,
)
from fakes import DONE, HUNG, Silent
from queued import Project, fails, succeeds

from harness.core.events import CallBegun, FailureRecorded, NonBlockingFailed, StopAnswered, SystemSilent
from harness.core.plan_events import (
    ClaimWeighed,
    PhaseBegun,
    PhaseReported,
    PhaseVerified,
    PlanBegun,
    PlanHalted,
)
from harness.core.task_events import FailureCounted, ReviewRequested, TaskAdopted, TaskReleased
from harness.runtime.board import Held, Stage
from harness.runtime.order import broken_together
from harness.systems.phase_runner.contract.words import Mode

FULL = OSError(errno.ENOSPC, "No space left on device")
ONE = (("1", "-", "-"),)


def test_each_phase_is_a_task_that_is_finished_when_the_phase_is_complete():
    project, outcome = driven()
    assert outcome == "completed"
    assert phases(project) == [("1", 1), ("2", 1), ("3", 1)]
    assert places(project, "1", "2", "3") == ["completed"] * 3
    assert project.board.held == {}
    assert sound(project)


def test_its_commits_are_made_and_one_that_fails_stops_nothing():
    project, crew = Project(tasks=0), Script()
    project.answer = lambda argv: HUNG if argv[0] == "git" else DONE
    assert drive(project, crew, plan(ONE)) == "completed"
    assert len(crew.committed) == len(project.told(NonBlockingFailed)) == 1
    assert sound(project)


def test_phases_of_a_batch_are_worked_on_and_what_failed_is_retried_after_them():
    project, outcome = driven(Script(said={"2a": [FAILURE, CLAIM]}), plan(PAIR))
    assert outcome == "completed"
    assert phases(project) == [("1", 1), ("2a", 1), ("2b", 1), ("2a", 2), ("3", 1)]
    assert [(event.task, event.failure_count) for event in project.told(FailureCounted)] == [("plan-1/2a", 1)]
    assert sound(project)


@pytest.mark.parametrize("said", [FAILURE, GARBLED, CLAIM._replace(text=json.dumps({"success": 1}))])
def test_two_failures_halt_and_the_session_may_stop(said):
    project, outcome = driven(Script(said={"1": [said]}))
    assert outcome == "halted"
    assert phases(project) == [("1", 1), ("1", 2)]
    assert [(event.failed, event.blocked) for event in project.told(PlanHalted)] == [(("1",), ("2", "3"))]
    assert [event.decision for event in project.told(StopAnswered)] == ["approve"]
    assert [event.name for event in project.told(FailureRecorded)] == ["s-1/phase-1", "s-1/phase-2"]
    assert project.board.held == {"plan-1/1": Held("w", Stage.PHASE, failures=2)}
    assert sound(project)


def test_one_retry_of_a_phase_two_recoveries_of_a_tool_and_five_attempts_of_a_task():
    """The counts of the three documents lie in each other."""
    project, crew = Project(tasks=0), Script(said={"1": [FAILURE]})
    assert drive(project, crew, plan(ONE)) == "halted"
    decide(project)
    assert drive(project, crew, plan(ONE)) == "left"  # the third failure calls a human: the retry waits for him
    assert [event.task for event in project.told(ReviewRequested)] == ["plan-1/1"]
    assert places(project, "1") == ["blocked"]
    assert drive(project, crew, plan(ONE)) == "left"
    for _ in range(2):
        project.decide("plan-1/1")
        session, worker = project.begun()
        session.work(worker, succeeds)  # claims it, and leaves it to the plan
        session.finish()
        outcome = drive(project, crew, plan(ONE))
    assert [event.failure_count for event in project.told(FailureCounted)] == [1, 2, 3, 4, 5]
    assert [event.moved for event in project.told(FailureCounted)][-1]
    assert places(project, "1") == ["dead-letter"]
    assert outcome == "halted", "nobody works on it any more, and that is told to the phase runner"
    assert [(event.attempt, event.answered) for event in project.told(PhaseReported)][-2:] == [(1, True), (2, False)]
    assert sound(project)


def test_a_tool_that_fails_within_an_attempt_is_recovered_from_and_no_attempt_fails():
    project, crew = Project(tasks=0), Script()
    runs = iter([DONE, HUNG, HUNG, DONE])
    project.answer = lambda argv: next(runs, DONE)
    assert drive(project, crew, plan(ONE)) == "completed"
    assert phases(project) == [("1", 1)]
    assert project.told(FailureCounted) == []
    assert sound(project)


def test_a_verification_that_cannot_be_run_calls_a_human_and_passes_nothing():
    project, crew = Project(tasks=0), Script()
    project.answer = lambda argv: HUNG if argv[0] == "sh" else DONE
    assert drive(project, crew, plan(ONE)) == "left"
    assert [event.passed for event in project.told(PhaseVerified)] == [False]
    assert places(project, "1") == ["blocked"]
    assert sound(project)


def test_a_sub_agent_that_is_not_reached_gave_no_answer():
    project, crew = Project(tasks=0), Script()
    project.answer = lambda argv: HUNG
    assert drive(project, crew, plan(ONE)) == "left"
    assert [(event.answered, event.claimed) for event in project.told(PhaseReported)] == [(False, False)]
    assert sound(project)


def test_a_claim_with_a_red_flag_is_no_evidence():
    project, outcome = driven(Script(said={"1": [WEAK, CLAIM]}), plan(ONE))
    assert outcome == "completed"
    weighed = [(event.phrases, event.proceeds, event.logged) for event in project.told(ClaimWeighed)]
    assert weighed == [(("should be fine",), False, True), ((), True, False)]
    assert [event.claimed for event in project.told(PhaseReported)] == [False, True]
    assert sound(project)


def test_a_session_that_was_cut_is_gone_on_from_and_what_is_complete_does_not_run_again():
    project, crew = Project(tasks=0), Script()
    session, worker = project.begun()
    steps = session.foreman("w", worker, crew).steps(plan(CHAIN))
    ended = None
    while project.told(PhaseBegun)[-1:] == [] or project.told(PhaseBegun)[-1].phase != "2":
        ended = DONE if hasattr(steps.send(ended), "argv") else None
    steps.close()
    project.cut()
    assert drive(project, crew, plan(CHAIN), cut=True) == "completed"
    assert phases(project) == [("1", 1), ("2", 1), ("2", 1), ("3", 1)]
    assert sound(project)


def test_so_many_attempts_are_made_in_one_session_and_the_next_goes_on():
    rows = tuple((str(number), str(number - 1) if number else "-", "-") for number in range(8))
    project, crew = Project(tasks=0), Script()
    assert drive(project, crew, plan(rows)) == "left"
    assert len(phases(project)) == 6
    assert drive(project, crew, plan(rows)) == "completed"
    assert len(phases(project)) == 8
    assert sound(project)


def test_a_plan_that_cannot_be_begun_is_refused():
    project, outcome = driven(given=plan((("1", "2", "-"), ("2", "1", "-"))))
    assert outcome == "refused"
    assert project.told(PhaseBegun) == []
    assert [event.error for event in project.told(PlanBegun)] == ["circular_dependency"]
    assert sound(project)


def test_what_a_plan_left_behind_is_worked_on_like_any_other_task():
    project, crew = Project(tasks=0), Script(said={"1": [FAILURE]})
    drive(project, crew, plan(ONE))
    session, worker = project.begun()
    assert session.work(worker, fails) == "", "its phase is not launched"
    session.finish()
    decide(project, decision=Mode.FRESH)
    assert drive(project, Script(), plan(ONE, "plan-2", Mode.FRESH)) == "completed"
    session, worker = project.begun()
    assert session.work(worker, succeeds) == "plan-1/1"
    assert sound(project)


def test_a_phase_that_a_human_gave_back_is_left_to_whoever_drives_the_plan():
    project, crew = Project(tasks=1), Script(said={"1": [FAILURE, FAILURE, FAILURE, CLAIM]})
    drive(project, crew, plan(ONE))
    decide(project)
    drive(project, crew, plan(ONE))
    project.clarify("plan-1/1")
    session, worker = project.begun("other")
    worked = [session.work(worker, succeeds) for _ in range(2)]
    session.finish()
    assert worked == ["q-0", ""]
    assert [event.task for event in project.told(TaskReleased)] == ["plan-1/1"]
    assert drive(project, crew, plan(ONE)) == "completed"
    assert [event.task for event in project.told(TaskAdopted)].count("plan-1/1") >= 1
    assert sound(project)


def test_phases_that_changed_one_file_are_not_done():
    project, outcome = driven(Script(said={"2a": [SHARED], "2b": [SHARED]}), plan(PAIR))
    assert outcome == "halted"
    assert {"2a", "2b"} & set(project.told(PlanHalted)[-1].failed)
    assert [event.task for event in project.told(FailureCounted)] == ["plan-1/2b"]
    assert sound(project)


def test_a_phase_in_conflict_is_not_done_though_the_halt_waits_for_its_sibling():
    project, crew = Project(tasks=0), Script(said={"2a": [SHARED], "2b": [SHARED, CLAIM], "2c": [FAILURE, CLAIM]})
    assert drive(project, crew, plan(TRIO)) == "halted"
    assert [(event.phase, event.passed, event.complete) for event in project.told(PhaseVerified)][-1] == (
        "2b",
        True,
        False,
    )
    assert phases(project)[-1] == ("2c", 1)
    assert places(project, "2a", "2b", "2c") == ["completed", "in-progress", "in-progress"]
    decide(project)
    assert drive(project, crew, plan(TRIO)) == "completed"
    assert places(project, "2a", "2b", "2c") == ["completed"] * 3
    assert sound(project)


def test_what_is_not_retried_halts_when_its_siblings_are_done():
    package = {"package": "jest", "required_by": "types", "install": "npm install -D jest"}
    said = CLAIM._replace(text=json.dumps(json.loads(FAILURE.text) | {"missing": package}))
    project, outcome = driven(Script(said={"2a": [said]}), plan(PAIR))
    assert outcome == "halted"
    assert phases(project) == [("1", 1), ("2a", 1), ("2b", 1)]
    assert places(project, "2a", "2b", "3") == ["in-progress", "completed", None]
    assert sound(project)


def test_another_worker_does_not_adopt_a_phase_after_a_cut():
    project = Project(tasks=0)
    drive(project, Script(said={"1": [FAILURE]}), plan(ONE))
    del project.board.held["plan-1/1"]  # as if somebody had passed it on
    project.begun("other", cut=True)
    assert project.board.held == {}
    project.begun("w", cut=True)
    assert project.board.held == {"plan-1/1": Held("w", Stage.PHASE)}


def test_on_a_full_disk_nothing_begins_and_later_it_does():
    project, crew = Project(tasks=0), Script()
    project.files.fail = FULL
    assert drive(project, crew, plan(ONE)) == "refused"
    project.files.fail = None
    assert drive(project, crew, plan(ONE)) == "completed"


def test_a_disk_that_is_full_in_the_middle_leaves_the_rest_for_later():
    project, crew = Project(tasks=0), Script()
    runs = iter(range(100))

    def answer(argv):
        project.files.fail = FULL if next(runs) == 1 else project.files.fail
        return DONE

    project.answer = answer
    assert drive(project, crew, plan(ONE)) == "left"
    project.files.fail, project.answer = None, lambda argv: DONE
    assert drive(project, crew, plan(ONE)) == "completed"


def test_a_phase_that_cannot_be_put_into_the_queues_waits():
    project, crew = Project(tasks=0), Script()
    session, worker = project.begun()
    foreman = session.foreman("w", worker, crew)
    begin = foreman._begin

    def begun(given):
        begin(given)
        project.files.fail = FULL

    foreman._begin = begun
    assert session.drive(foreman, plan(ONE)) == "left"
    project.files.fail = None
    session.finish()
    assert drive(project, crew, plan(ONE)) == "completed"


@pytest.mark.parametrize(
    ("system", "operation"),
    [
        *[("runner", name) for name in ("start", "report", "verified")],
        *[("review_gate", name) for name in ("begin_task", "open", "analysed", "report", "fixed", "status")],
        ("watch", "enforce"),
        ("recovery", "start_task"),
    ],
)
def test_a_system_that_does_not_answer_ends_no_session_and_completes_nothing(system, operation):
    project = Project(tasks=0)
    deaf = Silent(getattr(project.systems, system), operation)
    project.systems = project.systems._replace(**{system: deaf})
    outcome = drive(project, Script(issues={"reviewer-1": [BAD, ()]}), plan(CHAIN))
    assert outcome != "completed"
    assert {event.operation for event in project.told(SystemSilent)} == {operation}
    assert set(broken_together(project.events)) == {"INT-21"}
    assert [event.task for event in project.told(CallBegun)].count("plan-1/2") == 0
