"""What becomes of tasks when sessions and machines die: claims, attempts, checkpoints and signals."""

from harness.core.events import CallBegun, ErrorsReported, MachineRestarted, SessionCut, UseBegun
from harness.core.task_events import (
    FailureCounted,
    NothingClaimed,
    OperationBegun,
    ReviewRequested,
    SessionResumed,
    SignalConsumed,
    SignalEmitted,
    TaskAdopted,
    TaskAttempted,
    TaskClaimed,
    TaskCompleted,
    TaskReleased,
    WorkerBegun,
)
from harness.simulation.sometimes.machine import MachineWatch
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems import queue_files
from harness.systems.session_recovery.contract import Claimed, Finished

SITUATIONS: Catalogue = {
    "session-dies-between-claim-and-first-attempt": Situation(
        "a session is cut with a task that it has claimed and not begun to work on", ("LK-RC-01", "LK-GEN-02")
    ),
    "interrupted-task-is-completed": Situation(
        "a task that was worked on when its session was cut is resumed, and completed", ("LK-RC-01", "LK-GEN-05")
    ),
    "session-dies-before-it-has-claimed-again": Situation(
        "a session resumes what was cut, and is cut itself before it works on anything", ("LK-RC-01",)
    ),
    "resume-finds-what-others-hold": Situation(
        "a recovery finds a task in progress that another live session holds", ("LK-RC-01", "LK-GEN-02")
    ),
    "restart-cuts-several-tasks": Situation(
        "the machine restarts while two sessions, or more, have a task in hand", ("LK-RC-01", "LK-DQ-23")
    ),
    "nothing-can-be-claimed-on-a-full-disk": Situation(
        "a claim fails, since the disk is full", ("LK-GEN-02", "LK-DQ-23")
    ),
    "failure-is-not-counted-on-a-full-disk": Situation(
        "a failed attempt cannot be counted, since the disk is full", ("LK-DQ-01", "LK-DQ-05")
    ),
    "task-is-put-down-at-a-later-try": Situation(
        "a task that is done waits for its checkpoint, and is completed then", ("LK-SYS-04", "LK-GEN-05")
    ),
    "phase-is-claimed-by-another-worker": Situation(
        "a worker claims the phase of a plan that another one drives, and lets it go", ("LK-GEN-02",)
    ),
    "signal-crosses-workers": Situation(
        "a signal that one worker has raised is handled by another", ("LK-SG-01", "LK-SG-03")
    ),
    "signal-lies-unread-across-a-restart": Situation(
        "a signal is raised before the machine restarts, and handled after it", ("LK-SG-01",)
    ),
    "signal-is-handled-at-a-later-look": Situation(
        "a signal cannot be handled when it is looked for first, and is later", ("LK-SG-01",)
    ),
    "session-dies-between-failure-and-count": Situation(
        "a session is cut after a failed attempt, and before that is counted", ("LK-DQ-01", "LK-DQ-05")
    ),
    "session-dies-in-the-move-of-a-dead-letter": Situation(
        "a session is cut when it changes the queue of the dead letters after a failed attempt", ("LK-DQ-23",)
    ),
    "session-dies-between-checkpoint-and-end": Situation(
        "a session is cut after the checkpoint of a finished task, and before its end is told",
        ("LK-SYS-04", "LK-DQ-23"),
    ),
}


class _Seat:
    """A session and the tasks that it has in hand."""

    __slots__ = ("has_begun", "has_resumed", "in_hand", "operation", "uncounted", "worker")

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.in_hand: dict[str, str] = {}  # CLAIMED, ADOPTED or WORKED
        self.has_resumed = self.has_begun = False
        self.uncounted = ""
        self.operation = ""  # the task whose end is under way


CLAIMED, ADOPTED, WORKED = "claimed", "adopted", "worked"
_DEAD_LETTERS = f"/{queue_files.DEAD_LETTER}.json"


class TaskWatch:
    """Of all tasks of the queues; whether the disk is full is ``machine``'s to say."""

    def __init__(self, note: Note, machine: MachineWatch) -> None:
        self._note = note
        self._machine = machine
        self._seats: dict[str, _Seat] = {}
        self._cut_tasks: set[str] = set()  # that were worked on when their session was cut
        self._resumed: set[str] = set()  # of these, those that a recovery has taken up
        self._put_off: set[str] = set()  # done, and without a checkpoint
        self._unread: dict[tuple[str, str], str] = {}  # who has raised it, by signal
        self._survived: set[tuple[str, str]] = set()
        self._looked: set[tuple[str, str]] = set()
        self._last_cuts: tuple[str, int] = ("", 0)  # when, and how many with a task in hand
        self.takes: Takes = {
            WorkerBegun: self._begun,
            SessionResumed: self._recovered,
            TaskClaimed: self._claimed,
            NothingClaimed: self._claimed_nothing,
            TaskAdopted: self._adopted,
            TaskReleased: self._released,
            CallBegun: self._worked,
            UseBegun: self._worked,
            TaskAttempted: self._attempted,
            FailureCounted: self._counted,
            ReviewRequested: self._requested,
            OperationBegun: self._operated,
            TaskCompleted: self._completed,
            SignalEmitted: self._emitted,
            SignalConsumed: self._consumed,
            ErrorsReported: self._ended,
            SessionCut: self._cut,
            MachineRestarted: self._restarted,
        }

    def _begun(self, session: str, event: WorkerBegun) -> None:
        self._seats[session] = _Seat(event.worker)

    def _recovered(self, session: str, event: SessionResumed) -> None:
        if (seat := self._seats.get(session)) is None:
            return
        seat.has_resumed = True
        found = set(event.interrupted)
        if any(found & set(other.in_hand) for name, other in self._seats.items() if name != session):
            self._note("resume-finds-what-others-hold")

    def _claimed(self, session: str, event: TaskClaimed) -> None:
        if (seat := self._seats.get(session)) is not None:
            seat.in_hand[event.task] = CLAIMED
            self._cut_tasks.discard(event.task)

    def _claimed_nothing(self, session: str, event: NothingClaimed) -> None:
        if event.outcome == Claimed.FAILED and self._machine.is_full:
            self._note("nothing-can-be-claimed-on-a-full-disk")

    def _adopted(self, session: str, event: TaskAdopted) -> None:
        if (seat := self._seats.get(session)) is not None:
            seat.in_hand[event.task] = ADOPTED
            if seat.has_resumed and event.task in self._cut_tasks:
                self._resumed.add(event.task)

    def _released(self, session: str, event: TaskReleased) -> None:
        seat = self._seats.get(session)
        if seat is not None and seat.in_hand.pop(event.task, "") == CLAIMED:
            self._note("phase-is-claimed-by-another-worker")

    def _worked(self, session: str, event: CallBegun | UseBegun) -> None:
        if (seat := self._seats.get(session)) is not None and event.task in seat.in_hand:
            seat.in_hand[event.task] = WORKED
            seat.has_begun = True

    def _attempted(self, session: str, event: TaskAttempted) -> None:
        if (seat := self._seats.get(session)) is not None and not event.succeeded:
            seat.uncounted = event.task

    def _counted(self, session: str, event: FailureCounted) -> None:
        if (seat := self._seats.get(session)) is not None:
            seat.uncounted = ""
            if event.moved:
                self._let_go(seat, event.task)
        if not event.recorded and self._machine.is_full:
            self._note("failure-is-not-counted-on-a-full-disk")

    def _requested(self, session: str, event: ReviewRequested) -> None:
        if (seat := self._seats.get(session)) is not None and event.blocked:
            self._let_go(seat, event.task)

    def _let_go(self, seat: _Seat, task: str) -> None:
        seat.in_hand.pop(task, None)
        self._resumed.discard(task)
        self._cut_tasks.discard(task)

    def _operated(self, session: str, event: OperationBegun) -> None:
        if not event.performed:
            self._put_off.add(event.task)
        elif (seat := self._seats.get(session)) is not None:
            seat.operation = event.task

    def _completed(self, session: str, event: TaskCompleted) -> None:
        if (seat := self._seats.get(session)) is None:
            return
        seat.operation = ""
        if event.outcome != Finished.COMPLETED:
            return
        if event.task in self._put_off:
            self._note("task-is-put-down-at-a-later-try")
        if event.task in self._resumed:
            self._note("interrupted-task-is-completed")
        self._put_off.discard(event.task)
        self._let_go(seat, event.task)

    def _emitted(self, session: str, event: SignalEmitted) -> None:
        if event.written and (seat := self._seats.get(session)) is not None:
            self._unread[event.signal, event.name] = seat.worker

    def _consumed(self, session: str, event: SignalConsumed) -> None:
        signal = (event.signal, event.name)
        if not event.handled:
            if signal in self._unread:
                self._looked.add(signal)
            return
        by, seat = self._unread.pop(signal, ""), self._seats.get(session)
        for holds, situation in (
            (by and seat is not None and seat.worker != by, "signal-crosses-workers"),
            (signal in self._survived, "signal-lies-unread-across-a-restart"),
            (signal in self._looked, "signal-is-handled-at-a-later-look"),
        ):
            if holds:
                self._note(situation)
        self._survived.discard(signal)
        self._looked.discard(signal)

    def _ended(self, session: str, event: ErrorsReported) -> None:
        self._seats.pop(session, None)

    def _cut(self, session: str, event: SessionCut) -> None:
        if (seat := self._seats.pop(session, None)) is None:
            return
        stages = seat.in_hand.values()
        for holds, situation in (
            (CLAIMED in stages, "session-dies-between-claim-and-first-attempt"),
            (seat.has_resumed and not seat.has_begun, "session-dies-before-it-has-claimed-again"),
            (seat.uncounted, "session-dies-between-failure-and-count"),
            (
                seat.uncounted and event.changing.endswith(_DEAD_LETTERS),
                "session-dies-in-the-move-of-a-dead-letter",
            ),
            (seat.operation, "session-dies-between-checkpoint-and-end"),
        ):
            if holds:
                self._note(situation)
        self._cut_tasks |= {task for task, stage in seat.in_hand.items() if stage == WORKED}
        self._resumed -= set(seat.in_hand)
        at, number = self._last_cuts
        self._last_cuts = (event.at, (number if at == event.at else 0) + bool(seat.in_hand))

    def _restarted(self, session: str, event: MachineRestarted) -> None:
        self._survived = set(self._unread)
        at, number = self._last_cuts
        if at == event.at and number > 1:
            self._note("restart-cuts-several-tasks")
