"""What must hold of tasks that come from queues, INT-32..46; see order.py. Pure.

Readings of ours. What the queues count as a failure of a task is an attempt that a worker gives up: the failures within
its calls are the ladders' (INT-14), and who calls a human there ends the attempt. Three failures counted in a row call
a human, and so does every further one until the task succeeds or is dead (LK-HR-02: three or more); the fifth makes it
a dead letter (LK-DQ-01), of which no human is asked again. A human who gives a task back begins its ladders anew; what
the queues have counted stays. Paused (LK-DR-08) is what no attempt goes on with until a reviewer has passed it.

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
from harness.runtime.order_places import FREE, HELD, Broken, Known, Seat, Tasks
from harness.systems.dead_letter.contract import FAILURES_AT_MOST
from harness.systems.session_recovery.contract import Finished
from harness.systems.signals.contract import ACCUMULATED_THRESHOLD, CONSECUTIVE_FAILURES, Action, Reason, Severity

SECOND = 2
_SEVERE = (Severity.HIGH, Severity.CRITICAL)


class TaskOrder:
    """Watches the tasks of all sessions of a project."""

    def __init__(self) -> None:
        self._tasks = Tasks()
        self._seats: dict[str, Seat] = {}
        self._workers: set[str] = set()
        self._cut: set[str] = set()  # workers whose last session did not end by itself
        self._signals: dict[tuple[str, str], int] = {}  # how often each was raised and not handled
        self._is_full = False
        self._takes: Mapping[type[Event], Callable[[Seat, Any, float], Broken]] = {
            SessionResumed: self._resumed,
            QueuesListed: self._listed,
            DeadLettersReviewed: self._letters,
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
        self._is_full = full

    def restart(self) -> None:
        """Everything that ran is over."""
        self._cut |= self._workers

    def cut(self, session: str) -> None:
        """The session died."""
        seat = self._seats.pop(session, None)
        if seat is not None:
            self._cut.add(seat.worker)

    def end(self, session: str) -> Broken:
        """The rules that are broken by an end here."""
        seat = self._seats.pop(session, None)
        if seat is not None:
            yield from self._followed_up(seat)

    # -- events

    def take(self, session: str, event: Event, at_s: float) -> Broken:
        """The rules that this event breaks; ``at_s`` is the time of the clock that systems are told."""
        if isinstance(event, WorkerBegun):
            self._begun(session, event)
        elif isinstance(event, HumanDecided):
            self._decided(event)
        elif session in self._seats and (take := self._takes.get(type(event))) is not None:
            yield from take(self._seats[session], event, at_s)

    def _begun(self, session: str, event: WorkerBegun) -> None:
        self._tasks.tidy()
        self._workers.add(event.worker)
        self._seats[session] = Seat(event.worker, must_resume=event.worker in self._cut)

    def _decided(self, event: HumanDecided) -> None:
        if event.done:
            task = self._tasks[event.task]
            task.is_decided = True
            if event.decision in ("cancelled", "abandoned"):
                task.end()
            elif event.decision == "clarified":
                task.free()

    def _followed_up(self, seat: Seat) -> Broken:
        """What was due after an attempt failed, when something else is done."""
        if seat.uncounted:
            self._tasks[seat.uncounted].failures = None
            seat.uncounted = ""
            yield "INT-36"
        elif seat.unasked:
            seat.unasked = ""
            yield "INT-37"

    # -- the beginning of a session

    def _resumed(self, seat: Seat, event: SessionResumed, at_s: float) -> Broken:
        seat.must_resume, seat.has_resumed = False, True
        self._cut.discard(seat.worker)
        yield from ()

    def _listed(self, seat: Seat, event: QueuesListed, at_s: float) -> Broken:
        if self._is_full:
            return
        found = [task for tasks in event.queues.values() for task in tasks]
        if len(found) > len(set(found)) or not self._tasks.kept() <= set(found):
            yield "INT-43"

    def _letters(self, seat: Seat, event: DeadLettersReviewed, at_s: float) -> Broken:
        seat.has_reviewed = True
        for name, verdict in event.decided.items():
            task = self._tasks[name]
            if verdict == "retried":
                task.free()
            elif verdict == "abandoned" and name not in event.unstored:
                task.end()
        yield from ()

    def _checked(self, seat: Seat, event: ReviewsChecked, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        seat.has_checked = True
        for name, decision in event.resolved.items():
            task = self._tasks[name]
            task.requests.clear()
            if decision.strip().casefold() == "approved":
                task.free()
            else:
                task.end()
        yield from self._overdue(event, at_s)

    def _overdue(self, event: ReviewsChecked, at_s: float) -> Broken:
        late = [name for name in self._tasks.waiting() if self._tasks[name].must_end(at_s)]
        if not self._is_full and not set(late) <= set(event.timed_out):
            for name in late:
                self._tasks[name].doubt(at_s)
            yield "INT-40"
        elif any(self._tasks[name].may_not_end(at_s) or name not in event.alerts for name in event.timed_out):
            yield "INT-40"
        for name in event.timed_out:
            self._tasks[name].die()

    # -- claims

    def _claiming(self, seat: Seat, event: Event, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        for missing, rule in (
            (seat.must_resume, "INT-33"),
            (not seat.has_reviewed, "INT-34"),
            (not seat.has_checked, "INT-40"),
        ):
            if missing:
                seat.begin_anyhow()
                yield rule
                return

    def _claimed(self, seat: Seat, event: TaskClaimed, at_s: float) -> Broken:
        yield from self._claiming(seat, event, at_s)
        task = self._tasks[event.task]
        if task.place == HELD and task.worker not in self._cut:
            yield "INT-32"
        elif task.place not in (FREE, HELD) and not task.is_decided and not task.is_uncertain:
            yield "INT-39"
        self._take_up(seat, event.task)

    def _adopted(self, seat: Seat, event: TaskAdopted, at_s: float) -> Broken:
        task = self._tasks[event.task]
        others = task.worker not in (seat.worker, "")
        if task.place == HELD and others and task.worker not in self._cut:
            yield "INT-32"
        elif seat.must_resume:
            seat.begin_anyhow()
            yield "INT-33"
        if others or task.place != HELD or seat.has_resumed:  # or else it goes on as it was left
            self._take_up(seat, event.task)

    def _take_up(self, seat: Seat, name: str) -> None:
        task = self._tasks[name]
        task.hold(seat.worker)
        seat.started.discard(name)

    def _released(self, seat: Seat, event: TaskReleased, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        task = self._tasks[event.task]
        if task.worker == seat.worker and task.place == HELD:
            task.free()

    # -- work

    def _started(self, seat: Seat, event: TaskStarted, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        if event.started:
            seat.started.add(event.task)

    def _working(self, seat: Seat, event: CallBegun | UseBegun, at_s: float) -> Broken:
        if not self._tasks.knows(event.task):
            return  # no task of the queues
        task = self._tasks[event.task]
        followed = tuple(self._followed_up(seat))
        yield from followed
        if followed or task.is_uncertain:
            return
        if task.place != HELD or task.worker != seat.worker:
            yield "INT-32" if task.place == HELD else "INT-39"
            task.hold(seat.worker)
        elif event.task not in seat.started:
            yield "INT-35"
        elif task.must_ask:
            yield "INT-37"
        elif task.is_paused:
            yield "INT-41"
        task.is_paused = task.must_ask = False
        seat.started.add(event.task)

    def _escalated(self, seat: Seat, event: EscalationRaised, at_s: float) -> Broken:
        if self._tasks.knows(event.task):
            self._tasks[event.task].is_called_for = True
        yield from ()

    def _attempted(self, seat: Seat, event: TaskAttempted, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        task = self._tasks[event.task]
        task.is_done = event.succeeded
        task.operation = False
        seat.uncounted = "" if event.succeeded else event.task

    def _counted(self, seat: Seat, event: FailureCounted, at_s: float) -> Broken:
        expected, seat.uncounted = seat.uncounted, ""
        task = self._tasks[event.task]
        count, is_misplaced = event.failure_count, False
        if expected != event.task:
            yield "INT-36"
        elif count is not None and event.recorded and event.moved is not (count > FAILURES_AT_MOST):
            is_misplaced = True
            yield "INT-38"
        task.failures = count if event.recorded else None
        if event.moved:
            task.die()
            return
        calls = task.is_called_for or (task.failures or 0) >= CONSECUTIVE_FAILURES
        task.must_ask = calls and not is_misplaced
        if expected and task.must_ask:
            seat.unasked = event.task

    def _requested(self, seat: Seat, event: ReviewRequested, at_s: float) -> Broken:
        task = self._tasks[event.task]
        if seat.unasked == event.task:
            seat.unasked = ""
        yield from self._followed_up(seat)
        named = Reason.REPEATED_FAILURES in event.reasons
        if task.failures is not None and named is not (task.failures >= CONSECUTIVE_FAILURES):
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

    def _passed(self, seat: Seat, event: DriftReviewed, at_s: float) -> Broken:
        task = self._tasks[event.task]
        task.is_paused = not event.passed
        task.is_called_for = task.is_called_for or not event.passed
        yield from ()

    # -- the end of a task

    def _operated(self, seat: Seat, event: OperationBegun, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        if event.performed and not event.checkpointed:
            yield "INT-45"
        self._tasks[event.task].operation = event.performed

    def _completed(self, seat: Seat, event: TaskCompleted, at_s: float) -> Broken:
        yield from self._followed_up(seat)
        task = self._tasks[event.task]
        if event.outcome == Finished.FAILED:
            return
        if task.place != HELD or task.worker != seat.worker or not task.is_done:
            yield "INT-46"
        elif not task.operation:
            yield "INT-45"
        elif event.outcome == Finished.COMPLETED and not event.recorded and not self._is_full:
            yield "INT-46"
        task.end()

    def _emitted(self, seat: Seat, event: SignalEmitted, at_s: float) -> Broken:
        if event.written:
            at = (event.signal, event.name)
            self._signals[at] = self._signals.get(at, 0) + 1
        yield from ()

    def _consumed(self, seat: Seat, event: SignalConsumed, at_s: float) -> Broken:
        at = (event.signal, event.name)
        raised = self._signals.pop(at, 0)
        if event.handled is not (raised > 0) and (event.handled or not self._is_full):
            yield "INT-44"
        elif not event.handled and raised:
            self._signals[at] = raised

    def _silent(self, seat: Seat, event: SystemSilent, at_s: float) -> Broken:
        """What would have been told is not known."""
        if event.system in ("dead_letter", "signals", "session_recovery"):
            self._tasks.doubt()
            seat.doubt()
        yield from ()


def _is_answered(task: Known, event: DriftReported) -> bool:
    """Is the second drift of a task escalated, the first not, and the third consolidated?"""
    escalates = Action.ESCALATE in event.actions
    if task.drifts < SECOND:
        return not escalates or task.has_lost_drifts
    return escalates and (task.drifts < ACCUMULATED_THRESHOLD or Action.CONSOLIDATE in event.actions)
