"""What becomes of agents that drift from their tasks."""

from harness.core.events import CallRefused, ErrorsReported, SessionCut
from harness.core.task_events import DriftReported, DriftReviewed, ReviewRequested, TaskCompleted
from harness.simulation.sometimes.machine import MachineWatch
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.circuit_breaker.contract import State
from harness.systems.signals.contract import Action, Severity

SITUATIONS: Catalogue = {
    "second-drift-is-escalated": Situation("the second drift of a task is escalated", ("LK-DR-06",)),
    "third-drift-is-consolidated": Situation("the third drift of a task consolidates the memory", ("LK-DR-07",)),
    "drifts-of-two-sessions-add-up": Situation(
        "the second drift of a task comes in another session than its first", ("LK-DR-02", "LK-DR-06")
    ),
    "two-severe-drifts-of-one-task": Situation(
        "a task drifts severely twice, so that it is escalated and paused", ("LK-DR-06", "LK-DR-08")
    ),
    "drift-is-not-stored-on-a-full-disk": Situation(
        "a drift cannot be stored, since the disk is full", ("LK-DR-04", "LK-DR-09")
    ),
    "reviewer-passes-a-severe-drift": Situation(
        "a reviewer passes a severe drift, and the task goes on", ("LK-DR-08",)
    ),
    "drift-is-not-passed-and-a-human-is-asked": Situation(
        "no reviewer passes a severe drift, and a human is asked", ("LK-DR-08", "LK-HR-05")
    ),
    "reviewer-of-a-drift-meets-an-open-breaker": Situation(
        "the reviewer of a severe drift is refused by an OPEN breaker", ("LK-DR-08", "LK-CB-13")
    ),
    "session-dies-while-a-drift-is-reviewed": Situation(
        "a session is cut while its task is paused for a severe drift", ("LK-DR-08", "LK-RC-01")
    ),
}
_SEVERE = (Severity.HIGH, Severity.CRITICAL)


class DriftWatch:
    """Of all drifts; whether the disk is full is ``machine``'s to say."""

    def __init__(self, note: Note, machine: MachineWatch) -> None:
        self._note = note
        self._machine = machine
        self._paused: dict[str, str] = {}  # the task, by session
        self._first: dict[str, str] = {}  # the session of the first drift, by task
        self._severe: set[str] = set()  # tasks
        self._unpassed: set[str] = set()
        self.takes: Takes = {
            DriftReported: self._reported,
            DriftReviewed: self._reviewed,
            CallRefused: self._refused,
            ReviewRequested: self._requested,
            TaskCompleted: self._completed,
            ErrorsReported: self._ended,
            SessionCut: self._cut,
        }

    def _reported(self, session: str, event: DriftReported) -> None:
        task, is_severe = event.task, event.severity in _SEVERE
        first = self._first.setdefault(task, session)
        consolidates = Action.CONSOLIDATE in event.actions
        escalates = Action.ESCALATE in event.actions and not consolidates
        for holds, situation in (
            (escalates, "second-drift-is-escalated"),
            (consolidates, "third-drift-is-consolidated"),
            (escalates and first != session, "drifts-of-two-sessions-add-up"),
            (is_severe and task in self._severe, "two-severe-drifts-of-one-task"),
            (not event.stored and self._machine.is_full, "drift-is-not-stored-on-a-full-disk"),
        ):
            if holds:
                self._note(situation)
        if is_severe:
            self._severe.add(task)
            self._paused[session] = task

    def _reviewed(self, session: str, event: DriftReviewed) -> None:
        self._paused.pop(session, None)
        if event.passed:
            self._note("reviewer-passes-a-severe-drift")
        else:
            self._unpassed.add(event.task)

    def _refused(self, session: str, event: CallRefused) -> None:
        if session in self._paused and event.state == State.OPEN:
            self._note("reviewer-of-a-drift-meets-an-open-breaker")

    def _requested(self, session: str, event: ReviewRequested) -> None:
        if event.task in self._unpassed and event.stored:
            self._unpassed.discard(event.task)
            self._note("drift-is-not-passed-and-a-human-is-asked")

    def _completed(self, session: str, event: TaskCompleted) -> None:
        self._first.pop(event.task, None)
        self._severe.discard(event.task)
        self._unpassed.discard(event.task)

    def _ended(self, session: str, event: ErrorsReported) -> None:
        self._paused.pop(session, None)

    def _cut(self, session: str, event: SessionCut) -> None:
        if self._paused.pop(session, ""):
            self._note("session-dies-while-a-drift-is-reviewed")
