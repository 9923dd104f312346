"""What must hold of tasks that come from queues, INT-32..46; see order.py. Pure.

Readings of ours. What the queues count as a failure of a task is an attempt that a worker gives up: the failures within
its calls are the ladders' (INT-14), and who calls a human there ends the attempt. Three failures counted in a row call
a human, and so does every further one until the task succeeds or is dead (LK-HR-02: three or more); the fifth makes it
a dead letter (LK-DQ-01), of which no human is asked again. A human who gives a task back begins its ladders anew; what
the queues have counted stays, over sessions and restarts too; only a dead letter that is tried again may begin at any
count (LK-DQ-13). Who has asked a human does not ask again of the same attempt, unless the task could not be blocked,
and then it waits all the same (LK-HR-05). Paused (LK-DR-08) is what no attempt goes on with, and nobody finishes,
until a reviewer has passed it.

A refusal is an answer: what was not recorded, stored or blocked is no breach, and what cannot be known any more (a full
disk, a session that was cut, a system that was silent) is not judged. After a rule is broken the watcher goes on from
what it saw, so that one defect breaks one rule.
"""

from collections.abc import Callable, Mapping
from typing import Any

from harness.core.event import Event
from harness.core.events import CallBegun, EscalationRaised, SystemSilent, UseBegun
from harness.core.task_events import (
    DeadLettersReviewed,
    DriftReported,
    DriftReviewed,
    FailureCounted,
    HumanDecided,
    NothingClaimed,
    OperationBegun,
    QueuesListed,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    SignalConsumed,
    SignalEmitted,
    TaskAdopted,
    TaskAttempted,
    TaskClaimed,
    TaskCompleted,
    TaskReleased,
    TaskStarted,
    WorkerBegun,
)
from harness.runtime.order_begin import BeginningOrder
from harness.runtime.order_places import FREE, HELD, Broken, Known, Seat, Tasks
from harness.runtime.order_signals import SignalOrder
from harness.systems.dead_letter.contract import FAILURES_AT_MOST
from harness.systems.session_recovery.contract import Finished
from harness.systems.signals.contract import (
    ACCUMULATED_THRESHOLD,
    APPROVED,
    CONSECUTIVE_FAILURES,
    REVIEWER,
    Action,
    Reason,
    Severity,
)

SECOND = 2
_SEVERE = (Severity.HIGH, Severity.CRITICAL)
_REASONS = frozenset(map(str, Reason))


class TaskOrder:
    """Watches the tasks of all sessions of a project."""

    def __init__(self) -> None:
        self._tasks = Tasks()
        self._seats: dict[str, Seat] = {}
        self._workers: set[str] = set()
        self._beginnings = BeginningOrder(self._tasks)
        self._signals = SignalOrder()
        self._takes: Mapping[type[Event], Callable[[Seat, Any, float], Broken]] = {
            SessionResumed: self._beginnings.resumed,
            QueuesListed: self._beginnings.listed,
            DeadLettersReviewed: self._beginnings.letters,
            ReviewsChecked: self._checked,
            TaskClaimed: self._claimed,
            NothingClaimed: self._claiming,
            TaskAdopted: self._adopted,
            TaskReleased: self._released,
            TaskStarted: self._started,
            TaskAttempted: self._attempted,
            FailureCounted: self._counted,
            ReviewRequested: self._requested,
            DriftReported: self._drifted,
            DriftReviewed: self._passed,
            OperationBegun: self._operated,
            TaskCompleted: self._completed,
            SignalEmitted: self._emitted,
            SignalConsumed: self._consumed,
            CallBegun: self._working,
            UseBegun: self._working,
            EscalationRaised: self._escalated,
            SystemSilent: self._silent,
        }

    # -- what befalls the machine

    def fill(self, *, full: bool) -> None:
        """The disk is full from now on, or no longer."""
        self._beginnings.is_full = full

    def restart(self) -> None:
        """Everything that ran is over."""
        self._beginnings.cut |= self._workers

    def lose(self, session: str) -> None:
        """Something was done with the queues that nobody has told of; that session died while it did it."""
        seat = self._seats.get(session)
        if seat is not None and not seat.has_checked:  # reviews may have ended
            for task in self._tasks.values():
                task.requests.clear()
        self._tasks.doubt()
        self._beginnings.doubt()
        self._signals.doubt()

    def cut(self, session: str) -> None:
        """The session died."""
        seat = self._seats.pop(session, None)
        if seat is not None:
            self._beginnings.cut.add(seat.worker)
            seat.forget(self._tasks)

    def end(self, session: str) -> Broken:
        """The rules that are broken by an end here."""
        seat = self._seats.pop(session, None)
        if seat is not None:
            yield from seat.follow_up(self._tasks)

    # -- events

    def take(self, session: str, event: Event, at_s: float) -> Broken:
        """The rules that this event breaks; ``at_s`` is the time of the clock that systems are told."""
        if isinstance(event, WorkerBegun):
            yield from self._begun(session, event)
        elif isinstance(event, HumanDecided):
            self._decided(event)
        elif session in self._seats and (take := self._takes.get(type(event))) is not None:
            yield from take(self._seats[session], event, at_s)

    def _begun(self, session: str, event: WorkerBegun) -> Broken:
        for seat in self._seats.values():
            if seat.worker == event.worker:  # that session is over
                yield from seat.follow_up(self._tasks)
        self._tasks.tidy()
        self._workers.add(event.worker)
        self._seats[session] = Seat(event.worker, must_resume=event.worker in self._beginnings.cut)

    def _decided(self, event: HumanDecided) -> None:
        if event.done:
            task = self._tasks[event.task]
            task.is_decided = event.decision == APPROVED
            if event.decision in ("cancelled", "abandoned"):
                task.end()
            elif event.decision == "clarified":
                task.free()

    # -- claims

    def _checked(self, seat: Seat, event: ReviewsChecked, at_s: float) -> Broken:
        yield from seat.follow_up(self._tasks)
        yield from self._beginnings.checked(seat, event, at_s)

    def _claiming(self, seat: Seat, event: Event, at_s: float) -> Broken:
        yield from self._ended(seat)
        yield from self._beginnings.claiming(seat)

    def _ended(self, seat: Seat) -> Broken:
        """Something else begins: did the last attempt end?"""
        if seat.trying:
            seat.doubt()
            yield "INT-36"
        yield from seat.follow_up(self._tasks)

    def _claimed(self, seat: Seat, event: TaskClaimed, at_s: float) -> Broken:
        yield from self._claiming(seat, event, at_s)
        task = self._tasks[event.task]
        if task.place == HELD and task.worker not in self._beginnings.cut:
            yield "INT-32"
        elif task.place not in (FREE, HELD) and not task.is_decided and not task.is_uncertain:
            yield "INT-39"
        self._take_up(seat, event.task)

    def _adopted(self, seat: Seat, event: TaskAdopted, at_s: float) -> Broken:
        task = self._tasks[event.task]
        others = task.worker not in (seat.worker, "")
        if task.place == HELD and others and task.worker not in self._beginnings.cut:
            yield "INT-32"
        elif seat.must_resume:
            seat.begin_anyhow()
            yield "INT-33"
        seat.left.discard(event.task)
        if others or task.place != HELD or seat.has_resumed:  # or else it goes on as it was left
            self._take_up(seat, event.task)

    def _take_up(self, seat: Seat, name: str) -> None:
        task = self._tasks[name]
        task.hold(seat.worker)
        seat.started.discard(name)

    def _released(self, seat: Seat, event: TaskReleased, at_s: float) -> Broken:
        yield from seat.follow_up(self._tasks)
        seat.left.discard(event.task)
        task = self._tasks[event.task]
        if task.worker == seat.worker and task.place == HELD:
            task.let_go()

    # -- work

    def _started(self, seat: Seat, event: TaskStarted, at_s: float) -> Broken:
        yield from self._ended(seat)
        if not event.started:
            return
        task = self._tasks[event.task]
        if seat.must_resume:
            seat.begin_anyhow()
            yield "INT-33"
        elif task.place != HELD or task.worker != seat.worker:
            if not task.is_uncertain:
                yield "INT-32" if task.place in (FREE, HELD) else "INT-39"
            task.hold(seat.worker)
        seat.left.discard(event.task)
        seat.started.add(event.task)

    def _working(self, seat: Seat, event: CallBegun | UseBegun, at_s: float) -> Broken:
        if not self._tasks.knows(event.task):  # it is no task of the queues
            seat.is_reviewed = seat.is_reviewed or (isinstance(event, CallBegun) and event.model == REVIEWER)
            return
        seat.call, seat.trying = event.correlation_id, event.task
        task = self._tasks[event.task]
        followed = tuple(seat.follow_up(self._tasks))
        yield from followed
        if not followed and (rule := self._why_not(seat, event.task)):
            yield rule
            if task.place != HELD or task.worker != seat.worker:
                task.hold(seat.worker)
        task.is_paused = task.must_ask = False
        seat.started.add(event.task)

    def _why_not(self, seat: Seat, name: str) -> str:
        """The rule that forbids to work on the task now; empty for none."""
        task = self._tasks[name]
        is_others = task.place != HELD or task.worker != seat.worker
        found = (
            (is_others and not task.is_uncertain, "INT-32" if task.place == HELD else "INT-39"),
            (name not in seat.started and not task.is_uncertain, "INT-35"),
            (task.must_ask and not is_others, "INT-37"),
            (task.is_paused and not task.is_uncertain, "INT-41"),
        )
        return next((rule for holds, rule in found if holds), "")

    def _escalated(self, seat: Seat, event: EscalationRaised, at_s: float) -> Broken:
        if self._tasks.knows(event.task):
            task = self._tasks[event.task]
            task.may_be_seen = True
            task.must_be_seen = task.must_be_seen or event.correlation_id == seat.call
        yield from ()

    def _attempted(self, seat: Seat, event: TaskAttempted, at_s: float) -> Broken:
        seat.trying = ""
        yield from seat.follow_up(self._tasks)
        task = self._tasks[event.task]
        if event.succeeded and task.is_paused and not task.is_uncertain:
            task.is_paused = False
            yield "INT-41"
        task.is_done = event.succeeded
        task.operation = False
        seat.uncounted = "" if event.succeeded else event.task
        seat.unfinished = event.task if event.succeeded else ""

    def _counted(self, seat: Seat, event: FailureCounted, at_s: float) -> Broken:
        expected, seat.uncounted = seat.uncounted, ""
        task = self._tasks[event.task]
        count, is_misplaced = event.failure_count if event.recorded else None, False
        follows = not task.is_counted or task.failures is None or count in (None, task.failures + 1)
        if expected != event.task or not follows:
            task.is_miscounted = task.is_miscounted or not follows
            yield "INT-36"
        elif count is not None and not task.is_miscounted and event.moved is not (count > FAILURES_AT_MOST):
            is_misplaced = True
            yield "INT-38"
        task.failures, task.is_counted = count, True
        if event.moved:
            task.die()
            return
        calls = task.must_be_seen or (count or 0) >= CONSECUTIVE_FAILURES
        task.must_ask = calls and not is_misplaced
        if expected and task.must_ask:
            seat.unasked = event.task

    def _requested(self, seat: Seat, event: ReviewRequested, at_s: float) -> Broken:
        task = self._tasks[event.task]
        if seat.unasked == event.task:
            seat.unasked = ""
        yield from seat.follow_up(self._tasks)
        if _is_called_wrongly(task, event) or not (task.is_uncertain or task.is_held_by(seat.worker)):
            yield "INT-37"
        if event.stored:
            task.requests.append(at_s)
            task.is_decided = False
        if event.stored and event.blocked:
            task.block()
        elif event.stored:
            task.is_uncertain = True

    # -- drifts

    def _drifted(self, seat: Seat, event: DriftReported, at_s: float) -> Broken:
        if not self._tasks.knows(event.task):
            yield "INT-42"
            return
        task = self._tasks[event.task]
        task.drifts += event.stored
        task.has_lost_drifts = task.has_lost_drifts or not event.stored
        if task.place != HELD or task.worker != seat.worker or not _is_answered(task, event):
            yield "INT-42"
        elif event.severity in _SEVERE and Action.PAUSE not in event.actions:
            yield "INT-41"
        task.is_paused = event.severity in _SEVERE or Action.PAUSE in event.actions
        seat.is_reviewed = False

    def _passed(self, seat: Seat, event: DriftReviewed, at_s: float) -> Broken:
        task = self._tasks[event.task]
        if not task.is_paused and not task.is_uncertain:
            yield "INT-42"
        elif event.passed and not seat.is_reviewed and not task.is_uncertain:
            yield "INT-41"
        task.is_paused = not event.passed
        if not event.passed:
            task.may_be_seen = task.must_be_seen = True

    # -- the end of a task

    def _operated(self, seat: Seat, event: OperationBegun, at_s: float) -> Broken:
        seat.unfinished = ""
        yield from seat.follow_up(self._tasks)
        if event.performed and not event.checkpointed:
            yield "INT-45"
        self._tasks[event.task].operation = event.performed

    def _completed(self, seat: Seat, event: TaskCompleted, at_s: float) -> Broken:
        seat.unfinished = ""
        yield from seat.follow_up(self._tasks)
        task = self._tasks[event.task]
        if event.outcome == Finished.FAILED:
            return
        if task.place != HELD or task.worker != seat.worker or not task.is_done:
            yield "INT-46"
        elif not task.operation:
            yield "INT-45"
        elif event.outcome == Finished.COMPLETED and not event.recorded and not self._beginnings.is_full:
            yield "INT-46"
        if event.outcome == Finished.COMPLETED or task.place != HELD:
            task.end()
        else:
            task.lose()

    def _emitted(self, seat: Seat, event: SignalEmitted, at_s: float) -> Broken:
        yield from self._signals.emitted(event)

    def _consumed(self, seat: Seat, event: SignalConsumed, at_s: float) -> Broken:
        yield from self._signals.consumed(event, is_full=self._beginnings.is_full)

    def _silent(self, seat: Seat, event: SystemSilent, at_s: float) -> Broken:
        """What would have been told is not known."""
        if event.system in ("dead_letter", "signals", "session_recovery"):
            self._tasks.doubt()
            self._beginnings.doubt()
            seat.doubt()
        yield from ()


def _is_called_wrongly(task: Known, event: ReviewRequested) -> bool:
    """Is a human told of too few or too many failures, or asked for no reason and without that anybody called one?"""
    if task.failures is None:
        return False
    named = Reason.REPEATED_FAILURES in event.reasons
    is_for_nothing = not task.may_be_seen and not _REASONS & set(event.reasons)
    return named is not (task.failures >= CONSECUTIVE_FAILURES) or is_for_nothing


def _is_answered(task: Known, event: DriftReported) -> bool:
    """Is the second drift of a task escalated, the first not, and the third consolidated?"""
    escalates = Action.ESCALATE in event.actions
    if task.drifts < SECOND:
        return not escalates or task.has_lost_drifts
    return escalates and (task.drifts < ACCUMULATED_THRESHOLD or Action.CONSOLIDATE in event.actions)
