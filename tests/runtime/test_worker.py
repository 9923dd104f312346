"""What a worker does in one session, and what it leaves to the next. Issue 7, Build 4."""

import errno

import pytest
from fakes import HUNG, Silent, task
from queued import HOME, Project, drifting, fails, reviewer, succeeds

from harness.core.events import SystemSilent
from harness.core.task_events import (
    DeadLettersReviewed,
    DriftReviewed,
    FailureCounted,
    NothingClaimed,
    QueuesListed,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    SignalConsumed,
    TaskAdopted,
    TaskClaimed,
    TaskCompleted,
    TaskReleased,
    WorkerBegun,
)
from harness.runtime.board import Held, Stage
from harness.runtime.order import broken_together
from harness.runtime.worker import Attempted
from harness.systems.queue_store import QueueStore
from harness.systems.signals.contract import Severity, Signal

FULL = OSError(errno.ENOSPC, "No space left on device")


def places(project, name="q-0"):
    with QueueStore(project.files, HOME).held() as queues:
        return queues.place(name)


def worked(project, doing, rounds=1, **begin):
    session, worker = project.begun(**begin)
    return [session.work(worker, doing) for _ in range(rounds)]


def sound(project):
    return {rule for rule in broken_together(project.events) if rule != "INT-21"} == set()


def kinds(project):
    return [type(event) for _, event in project.events]


def test_a_session_begins_with_the_letters_and_the_reviews_and_claims_then():
    project = Project(tasks=1)
    assert worked(project, succeeds) == ["q-0"]
    assert kinds(project)[:4] == [WorkerBegun, DeadLettersReviewed, ReviewsChecked, TaskClaimed]
    assert places(project) == "completed"
    assert project.board.held == {}
    assert sound(project)


def test_with_nothing_to_do_it_says_so():
    project = Project(tasks=0)
    assert worked(project, succeeds) == [""]
    assert [event.outcome for event in project.told(NothingClaimed)] == ["none"]


def test_what_is_finished_is_tested_and_merged():
    project = Project(tasks=2)
    worked(project, succeeds, rounds=2)
    handled = [(event.signal, event.by, event.handled) for event in project.told(SignalConsumed)]
    assert handled[:1] == [(Signal.FEATURE_READY, "testing", True)]
    assert (Signal.TESTS_PASSED, "merge", True) in handled
    assert sound(project)


def test_three_failures_call_a_human_and_other_tasks_go_on():
    project = Project(tasks=2)
    assert worked(project, fails, rounds=4) == ["q-0", "q-0", "q-0", "q-1"]
    assert [event.failure_count for event in project.told(FailureCounted)] == [1, 2, 3, 1]
    assert [(event.task, event.blocked) for event in project.told(ReviewRequested)] == [("q-0", True)]
    assert places(project) == "blocked"


def test_the_fifth_failure_makes_a_dead_letter():
    project = Project(tasks=1)
    worked(project, fails, rounds=3)
    for _ in range(2):
        project.decide("q-0")
        worked(project, fails)
    assert [event.moved for event in project.told(FailureCounted)] == [False] * 4 + [True]
    assert places(project) == "dead-letter"
    assert sound(project)


def test_a_review_that_nobody_answers_ends_after_a_day():
    project = Project(tasks=1)
    worked(project, fails, rounds=3)
    project.clock.move(24 * 3600 + 2.0)
    project.begun()
    assert project.told(ReviewsChecked)[-1].timed_out == ("q-0",)
    assert places(project) == "dead-letter"
    assert sound(project)


def test_a_human_who_makes_a_task_clear_lets_the_same_session_go_on():
    project = Project(tasks=1)
    project.answer = lambda argv: HUNG
    session, worker = project.begun()

    def doing(given):
        done = yield from session.steps(task(given["task_id"]))
        return Attempted(succeeded=done == "done", escalated=True, error_message="it hung")

    session.work(worker, doing)
    assert places(project) == "blocked"
    project.clarify("q-0")
    session.work(worker, doing)
    assert len(project.told(TaskClaimed)) == 2
    assert sound(project)


def test_after_a_cut_it_resumes_and_goes_on_with_its_own():
    project = Project(tasks=2)
    worked(project, fails)
    project.cut()
    project.begun("other", cut=False)
    assert project.told(TaskAdopted) == []
    project.begun(cut=True)
    assert project.told(SessionResumed)[-1].interrupted == ("q-0",)
    assert project.told(QueuesListed)[-1].queues["in-progress"] == ("q-0",)
    assert [event.task for event in project.told(TaskAdopted)] == ["q-0"]
    assert project.board.held == {"q-0": Held("w", failures=1)}
    assert sound(project)


def test_what_is_not_in_progress_any_more_is_let_go_after_a_cut():
    project = Project(tasks=1)
    project.board.held["gone"] = Held("w")
    project.begun(cut=True)
    assert [event.task for event in project.told(TaskReleased)] == ["gone"]
    assert project.board.held == {}


def test_a_recovery_without_an_answer_lets_nothing_go():
    project = Project(tasks=0)
    project.systems = project.systems._replace(recovery=Silent(project.systems.recovery, "resume"))
    project.board.held["kept"] = Held("w")
    project.begun(cut=True)
    assert project.board.held == {"kept": Held("w")}


def test_a_session_that_ended_leaves_its_task_to_the_next():
    project = Project(tasks=2)
    worked(project, fails)
    assert worked(project, succeeds) == ["q-0"]
    assert [event.task for event in project.told(TaskAdopted)] == ["q-0"]
    assert sound(project)


def test_what_a_full_disk_refuses_is_done_later():
    project = Project(tasks=2)
    session, worker = project.begun()

    def filled(given):
        project.files.fail = FULL
        return Attempted(succeeded=True)
        yield

    session.work(worker, filled)
    assert project.board.held["q-0"].stage is Stage.FINISH
    project.files.fail = None
    session.work(worker, succeeds)
    assert [(event.task, event.outcome) for event in project.told(TaskCompleted)][0] == ("q-0", "completed")
    assert places(project) == places(project, "q-1") == "completed"


def test_a_human_who_could_not_be_asked_is_asked_again():
    project = Project(tasks=2)
    session, worker = project.begun()

    def filled(given):
        project.files.fail = FULL
        return Attempted(succeeded=False, escalated=True, error_message="it failed")
        yield

    session.work(worker, filled)
    assert project.board.held["q-0"].stage is Stage.ASK
    project.files.fail = None
    session.work(worker, succeeds)
    assert [event.stored for event in project.told(ReviewRequested)] == [False, True]
    assert places(project) == "blocked"


@pytest.mark.parametrize(("severity", "reviews"), [(Severity.LOW, 0), (Severity.HIGH, 1), (Severity.CRITICAL, 1)])
def test_a_severe_drift_is_reviewed_before_anything_else(severity, reviews):
    project = Project(tasks=1)
    session, worker = project.begun()

    def doing(given):
        passed = yield from worker.drift_steps(drifting("q-0", severity), reviewer("q-0"))
        return Attempted(succeeded=passed)

    session.work(worker, doing)
    assert [event.passed for event in project.told(DriftReviewed)] == [True] * reviews
    assert sound(project)


@pytest.mark.parametrize(
    ("system", "operation"),
    [
        *[("dead_letters", name) for name in ("record_failure", "start_session", "list")],
        *[
            ("signals", name)
            for name in ("assess", "request_review", "check_reviews", "emit", "consume", "report_drift")
        ],
        *[("recovery", name) for name in ("resume", "claim", "start_task", "begin_operation", "complete")],
    ],
)
def test_a_system_that_does_not_answer_ends_no_session(system, operation):
    project = Project(tasks=3)
    deaf = Silent(getattr(project.systems, system), operation)
    project.systems = project.systems._replace(**{system: deaf})
    attempts = iter([True, False, False, False, True, False])
    session, worker = project.begun(cut=True)

    def doing(given):
        yield from worker.drift_steps(drifting(given["task_id"]), reviewer(given["task_id"]))
        return Attempted(succeeded=next(attempts), error_message="it failed")

    for _ in range(6):
        session.work(worker, doing)
    assert {event.operation for event in project.told(SystemSilent)} == {operation}
    assert set(broken_together(project.events)) == {"INT-21"}


class DiedError(BaseException):
    """The process of the session."""


class Dying:
    """Its process dies once in that operation: before it has done anything, or when it has done all."""

    def __init__(self, inner, operation, *, done):
        self._inner, self._operation, self._done = inner, operation, done

    def __getattr__(self, name):
        return self._dies if name == self._operation else getattr(self._inner, name)

    def _dies(self, *given):
        operation, self._operation = getattr(self._inner, self._operation), ""
        if self._done:
            operation(*given)
        raise DiedError


def test_a_request_that_the_check_of_reviews_finishes_takes_the_task_from_its_worker():
    project = Project(tasks=1)
    session, worker = project.begun()
    session.work(worker, fails)
    session.work(worker, fails)

    def before_change(path):
        if "/blocked.json" in path:
            raise DiedError

    project.files.before_change = before_change
    with pytest.raises(DiedError):
        session.work(worker, fails)
    project.files.before_change = None
    project.cut()
    assert list(project.board.held) == ["q-0"]
    project.begun(cut=True)
    assert places(project) == "blocked"
    assert [event.task for event in project.told(TaskReleased)] == ["q-0"]
    assert project.board.held == {}


@pytest.mark.parametrize(("operation", "done"), [("emit", True), ("consume", False)])
def test_a_signal_that_a_dying_session_raised_or_was_to_handle_is_handled_by_the_next(operation, done):
    project = Project(tasks=4)
    dying = Dying(project.systems.signals, operation, done=done)
    project.systems = project.systems._replace(signals=dying)
    session, worker = project.begun()
    with pytest.raises(DiedError):
        session.work(worker, succeeds)
    project.cut()
    session, worker = project.begun(cut=True)
    for _ in range(3):
        session.work(worker, succeeds)
    handled = [event.signal for event in project.told(SignalConsumed) if event.handled and event.name == "q-0"]
    assert [Signal.FEATURE_READY, Signal.TESTS_PASSED] == handled
