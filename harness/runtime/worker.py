"""How a session comes to its tasks: it resumes, claims, works, counts failures, calls humans, and finishes.

A worker has one session, and lives as long; what it holds stands on the board and goes on with the next session of its
name. How the mechanisms meet, where documents are silent: ``order_tasks.py`` says it, and checks it.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.core.task_events import (
    DriftReviewed,
    QueuesListed,
    TaskAdopted,
    TaskAttempted,
    TaskReleased,
    WorkerBegun,
)
from harness.runtime.board import Board, Held, Raised, Stage
from harness.runtime.calls import Task
from harness.runtime.moment import Moment
from harness.runtime.ports import Systems
from harness.runtime.trial import DONE, Steps
from harness.runtime.uses import Use
from harness.runtime.witness import text_at
from harness.runtime.witness_tasks import REASONS
from harness.systems import queue_files
from harness.systems.dead_letter.contract import (
    AttemptGiven,
    ErrorType,
    ListArguments,
    RecordFailureArguments,
    SessionArguments,
    TaskFacts,
    failure_count_of,
)
from harness.systems.queue_store import QueueStore
from harness.systems.session_recovery.contract import (
    BeginOperationArguments,
    ClaimArguments,
    CompleteArguments,
    Finished,
    Kind,
    Outcome,
    Reason,
    ResumeArguments,
    StartTaskArguments,
)
from harness.systems.signals.contract import (
    ROUTES,
    Action,
    AssessArguments,
    CheckArguments,
    ConsumeArguments,
    DriftArguments,
    EmitArguments,
    ReviewArguments,
    Role,
    Severity,
    Signal,
)

MOST_LOOKS = 20  # for a signal that is not there
MOST_SIGNALS = 3  # are handled in one round
MOST_CLAIMS = 5  # in one round, when what is claimed is for whoever drives its plan
SEVERE = (Severity.HIGH, Severity.CRITICAL)
CALLED = "escalated"  # the reason of a request when a call has called a human already


class Attempted(NamedTuple):
    """How an attempt at a task ended; of one that failed what was tried and why it failed.

    ``error_type`` is a word of the dead letters. ``escalated``: a call, a use or a reviewer has called a human. The
    rest is what is known of the task, as the signals' AssessArguments have it.
    """

    succeeded: bool
    escalated: bool = False
    approach: str = ""
    error_type: str = ErrorType.TEST_FAILURE
    error_message: str = ""
    confidence: float | None = None
    security_critical: bool = False
    irreversible: bool = False
    rollback: bool | None = None


Doing = Callable[[Mapping[str, Any]], Steps[Attempted]]
"""Works on a task, given as its queue has it. It may be one that was adopted, of which only the id is known."""


class Desk(NamedTuple):
    """What a worker has of its session.

    ``label`` gives what follows a correlation id, ``call`` calls a model, ``use`` uses a local tool, and ``beside``
    does something beside the work, of that kind, by that command. ``queues`` are the project's.
    """

    session_id: str
    systems: Systems
    moment: Moment
    board: Board
    label: Callable[[str], None]
    call: Callable[[Task], Steps[str]]
    use: Callable[[Use], Steps[str]]
    beside: Callable[[str, Sequence[str]], Steps[bool]]
    queues: QueueStore


class Worker:
    """The worker of that name in one session."""

    def __init__(self, name: str, desk: Desk) -> None:
        self._name = name
        self._desk = desk
        self._systems = desk.systems
        self._board = desk.board
        self._rounds = 0
        self._operations = 0

    # -- a session begins

    def begin(self, *, cut: bool, facts: Mapping[str, TaskFacts] | None = None) -> None:
        """``cut``: the session before did not end by itself. ``facts`` are what is known of dead letters, by id."""
        self._label("begin")
        self._note(WorkerBegun, worker=self._name)
        resumed = cut and self._resume()
        if not cut:
            for task in self._board.of(self._name, *Stage):
                self._note(TaskAdopted, task=task)
        self._review_letters(facts or {})
        self._check()
        if resumed:
            self._let_go()

    def _let_go(self) -> None:
        """A request whose task the session before could not block any more, the check of reviews has just finished."""
        held = self._board.of(self._name, *Stage)
        with contextlib.suppress(OSError), self._desk.queues.held() as queues:
            for task in held:
                if queues.place(task) != queue_files.IN_PROGRESS:
                    self._release(task)

    def _resume(self) -> bool:
        """Context loss first (LK-RC-01); then what was in progress is gone on with. Could it be recovered?"""
        found = self._systems.recovery.resume(ResumeArguments(Reason.CONTEXT_LOSS), self._now_s)
        self._list_queues()
        if found.outcome is Outcome.FAILED:
            return False
        for task in self._board.of(self._name, *Stage):
            if task not in found.interrupted:
                self._release(task)
        for task in found.interrupted:
            if self._may_adopt(task):
                self.adopt(task)
        return True

    def _list_queues(self) -> None:
        queues = {queue: self._listed(queue) for queue in queue_files.QUEUES}
        self._note(QueuesListed, queues=queues)

    def _listed(self, queue: str) -> tuple[str, ...]:
        tasks = self._systems.dead_letters.list(ListArguments(queue), self._now_s).tasks
        return tuple(found for found in map(queue_files.task_id, tasks) if found is not None)

    def _may_adopt(self, task: str) -> bool:
        """Its own, or one that nobody holds; a phase is for whoever drives its plan."""
        if task in self._board.held:
            return self._board.held[task].worker == self._name
        return not self._board.is_phase(task) or self._board.drives(self._name)

    def _review_letters(self, facts: Mapping[str, TaskFacts]) -> None:
        """Before new work (LK-DQ-09)."""
        self._systems.dead_letters.start_session(SessionArguments(facts), self._now_s)

    def _check(self) -> None:
        """Are there decisions, or reviews that waited too long (LK-HR-06, LK-HR-07)?"""
        self._systems.signals.check_reviews(CheckArguments(), self._now_s)

    # -- a round

    def steps(self, doing: Doing) -> Steps[str]:
        """What is left over is put right, then one task is worked on; its id, empty when there is none."""
        self._rounds += 1
        self._label(f"round-{self._rounds}")
        self.put_right()
        task = self._next()
        if task is None:
            return ""
        found = text_at(task, "task_id")
        if self.start(found):
            attempt = yield from doing(task)
            self._label(f"round-{self._rounds}")
            self.end(found, attempt)
        else:
            self._keep(found)
        self.hand_on()
        return found

    def put_right(self) -> None:
        """What could not be stored is tried again, before anything else is tried on those tasks."""
        for task in self._board.of(self._name, Stage.ASK):
            self._ask(task, self._board.held[task].reason)
        for task in self._board.of(self._name, Stage.FINISH):
            self._finish(task)

    def _next(self) -> Mapping[str, Any] | None:
        """A task that is held, or a new one."""
        for task in self._board.of(self._name, Stage.WORK):
            return {"task_id": task}
        for _ in range(MOST_CLAIMS):
            claimed = self._claim()
            if claimed is None:
                return None
            task = text_at(claimed, "task_id")
            self._hold(task, failure_count_of(claimed) or 0)
            if not self._board.is_phase(task):
                return claimed
            self._pass_on(task)
        return None

    def _pass_on(self, task: str) -> None:
        """A phase that a human gave back is for whoever drives its plan."""
        if not self._board.drives(self._name):
            self._release(task)

    def _claim(self) -> Mapping[str, Any] | None:
        return self._systems.recovery.claim(ClaimArguments(self._name), self._now_s).task

    def start(self, task: str) -> bool:
        """Its requirements are read before anything is done (LK-GEN-08)."""
        return self._systems.recovery.start_task(StartTaskArguments(task), self._now_s).started

    def end(self, task: str, attempt: Attempted) -> None:
        """An attempt at it has ended so."""
        # whoever claims badly may have given it to two, and the other one is done with it
        self._board.held.setdefault(task, Held(self._name))
        self._note(TaskAttempted, task=task, succeeded=attempt.succeeded)
        if attempt.succeeded:
            self._finish(task)
        else:
            self._fail(task, attempt)

    def adopt(self, task: str) -> None:
        """A task in progress that nobody holds, or that it held itself, is gone on with."""
        held = self._board.held.get(task)
        self._hold(task, 0 if held is None else held.failures)
        self._note(TaskAdopted, task=task)

    # -- an attempt succeeded

    def _finish(self, task: str) -> None:
        """The work is put down, which is a major operation: its checkpoint comes first (LK-SYS-04)."""
        self._board.set_stage(task, Stage.FINISH)
        if not self._may_put_down(task):
            return
        answer = self._systems.recovery.complete(CompleteArguments(self._name, task), self._now_s)
        if answer.outcome is Finished.FAILED:
            return
        self._board.held.pop(task, None)
        if answer.outcome is Finished.COMPLETED:
            self._raise(Signal.FEATURE_READY, Role.FEATURE, task)

    def _may_put_down(self, task: str) -> bool:
        self._operations += 1
        arguments = BeginOperationArguments(
            f"{self._desk.session_id}/operation-{self._operations}",
            Kind.MAJOR,
            {"task_id": task, "worker": self._name},
        )
        return self._systems.recovery.begin_operation(arguments, self._now_s).performed

    # -- an attempt failed

    def _fail(self, task: str, attempt: Attempted) -> None:
        """It is counted; then it is a dead letter, a human's, tried again, or somebody else's."""
        failures, is_dead = self._count(task, attempt)
        if is_dead:
            self._board.held.pop(task, None)
            return
        reasons = self._reasons(failures, attempt)
        if reasons:
            self._ask(task, REASONS.join(reasons))
        else:
            self._keep(task)

    def _count(self, task: str, attempt: Attempted) -> tuple[int, bool]:
        """How often it has failed in a row, and is it dead (LK-DQ-01)? One that is not recorded counts here only."""
        given = AttemptGiven(attempt.approach, attempt.error_type, attempt.error_message, self._name)
        answer = self._systems.dead_letters.record_failure(RecordFailureArguments(task, given), self._now_s)
        held = self._board.held[task]
        failures = held.failures + 1 if answer.failure_count is None else answer.failure_count
        self._board.held[task] = held._replace(failures=failures)
        return failures, answer.moved

    def _reasons(self, failures: int, attempt: Attempted) -> tuple[str, ...]:
        """Why a human is called; none when none is (LK-HR-02)."""
        facts = AssessArguments(
            confidence=attempt.confidence,
            critical=attempt.confidence is not None,
            security_critical=attempt.security_critical,
            irreversible=attempt.irreversible,
            rollback=attempt.rollback,
            consecutive_failures=failures,
        )
        answer = self._systems.signals.assess(facts, self._now_s)
        if not answer.review and not attempt.escalated:
            return ()
        return answer.reasons if answer.review and answer.reasons else (CALLED,)

    def _ask(self, task: str, reason: str) -> None:
        """Raises a review; the worker is stopped, and keeps the task until it is blocked (LK-HR-05)."""
        self._board.set_stage(task, Stage.ASK, reason)
        context = {"worker": self._name, "failures": self._board.held[task].failures}
        arguments = ReviewArguments(task, reason, context, Severity.HIGH, blocking=True, agent=self._name)
        answer = self._systems.signals.request_review(arguments, self._now_s)
        if answer.stored and answer.blocked:
            self._board.held.pop(task, None)

    def _keep(self, task: str) -> None:
        """Who counts failures may have given it back: it is kept as long as it is in progress."""
        if task not in self._listed(queue_files.IN_PROGRESS):
            self._release(task)

    # -- drifts

    def drift_steps(self, arguments: DriftArguments, reviewer: Task) -> Steps[bool]:
        """The agent diverges from the task at work; may it go on? When it is severe a model reviews it (LK-DR-08)."""
        self._label(f"round-{self._rounds}")
        steps = self._systems.signals.report_drift(arguments, self._now_s).steps
        if arguments.severity not in SEVERE and all(step.action != Action.PAUSE for step in steps):
            return True
        passed = (yield from self._desk.call(reviewer)) == DONE
        self._label(f"round-{self._rounds}")
        self._note(DriftReviewed, task=arguments.task_id, passed=passed)
        return passed

    # -- signals

    def _raise(self, signal: Signal, by: Role, name: str) -> None:
        raised = Raised(signal, name)
        self._board.raised.append(raised)  # before: a session that dies here may have raised it
        if not self._systems.signals.emit(EmitArguments(signal, by, {"name": name}, name), self._now_s).written:
            self._board.raised.remove(raised)

    def hand_on(self) -> None:
        """Some signals are handled, whoever raised them: what is ready is tested, what is tested merged (LK-SG-03)."""
        for _ in range(min(MOST_SIGNALS, len(self._board.raised))):
            raised = self._board.raised[0]
            handled = self._consume(raised)
            self._board.raised.popleft()  # afterwards, or a session that dies here would take it along
            if handled:
                if raised.signal is Signal.FEATURE_READY:
                    self._raise(Signal.TESTS_PASSED, Role.TESTING, raised.name)
            elif raised.looked < MOST_LOOKS:
                self._board.raised.append(raised._replace(looked=raised.looked + 1))

    def _consume(self, raised: Raised) -> bool:
        _, consumer = ROUTES[raised.signal]
        arguments = ConsumeArguments(raised.signal, consumer, raised.name)
        return self._systems.signals.consume(arguments, self._now_s).handled

    # -- parts

    def _hold(self, task: str, failures: int) -> None:
        """A task that is claimed is no human's any more: what the session knew of its failures is over."""
        stage = Stage.PHASE if self._board.is_phase(task) else Stage.WORK
        self._board.held[task] = Held(self._name, stage, failures)
        tally = self._desk.moment.tally
        tally.with_human.discard(task)
        tally.failures.pop(task, None)

    def _release(self, task: str) -> None:
        self._board.held.pop(task, None)
        self._note(TaskReleased, task=task)

    def _label(self, correlation_id: str) -> None:
        self._desk.label(correlation_id)

    def _note(self, kind: type[Any], **fields: object) -> None:
        self._desk.moment.note(kind, **fields)

    @property
    def _now_s(self) -> float:
        return self._desk.moment.clock.now_s()
