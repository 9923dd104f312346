"""What the gate answers to sessions that want to end, and what it answers them in spite of."""

from harness.core.events import ErrorsReported, SessionCut, StopAnswered
from harness.core.plan_events import PlanHalted
from harness.core.task_events import TaskAdopted, TaskClaimed, TaskCompleted, TaskReleased, WorkerBegun
from harness.simulation.sometimes.machine import MachineWatch
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.stop_gate.contract import Decision

SITUATIONS: Catalogue = {
    "stop-is-blocked-then-granted": Situation(
        "a stop is blocked, and a later one of the same session, whose transcript is read, granted",
        ("PS-LOOP-02", "PS-LOOP-04"),
    ),
    "stop-is-granted-without-a-transcript": Situation(
        "a stop is granted, because there is no transcript", ("PS-TR-01", "PS-FO-01")
    ),
    "stop-is-granted-because-the-transcript-cannot-be-read": Situation(
        "a stop is granted, because the transcript is there and cannot be read", ("PS-TR-09", "PS-FO-01")
    ),
    "stop-is-granted-on-a-full-disk": Situation(
        "a stop is granted while the disk is full", ("PS-FS-01", "PS-FS-02", "PS-FO-01")
    ),
    "stop-is-granted-after-a-halt": Situation(
        "a session whose plan was halted is granted its stop", ("AB-HLT-01", "PS-FO-01")
    ),
    "task-outlives-its-session": Situation(
        "a session ends by itself with a task in hand, and its worker's next one goes on with it",
        ("ER-RES-01", "LK-GEN-02"),
    ),
    "session-dies-while-its-stop-is-blocked": Situation(
        "a session is cut after its stop was blocked, and before one is granted", ("PS-LOOP-02", "LK-RC-01")
    ),
}

_UNREAD = {
    "transcript_missing",
    "transcript_unreadable",
    "transcript_too_large",
    "too_many_invalid_lines",
    "empty_transcript",
}


class StopWatch:
    """Of all stops; whether the disk is full is ``machine``'s to say."""

    def __init__(self, note: Note, machine: MachineWatch) -> None:
        self._note = note
        self._machine = machine
        self._blocked: set[str] = set()
        self._halted: set[str] = set()
        self._workers: dict[str, str] = {}
        self._in_hand: dict[str, set[str]] = {}  # by session
        self._left: dict[str, set[str]] = {}  # by worker: what its last session had in hand when it ended by itself
        self.takes: Takes = {
            WorkerBegun: self._begun,
            TaskClaimed: self._taken,
            TaskAdopted: self._adopted,
            TaskCompleted: self._let_go,
            TaskReleased: self._let_go,
            PlanHalted: self._plan_halted,
            StopAnswered: self._answered,
            ErrorsReported: self._ended,
            SessionCut: self._cut,
        }

    def _begun(self, session: str, event: WorkerBegun) -> None:
        self._workers[session] = event.worker

    def _taken(self, session: str, event: TaskClaimed) -> None:
        self._in_hand.setdefault(session, set()).add(event.task)

    def _adopted(self, session: str, event: TaskAdopted) -> None:
        left = self._left.get(self._workers.get(session, ""), set())
        if event.task in left:
            left.discard(event.task)
            self._note("task-outlives-its-session")
        self._in_hand.setdefault(session, set()).add(event.task)

    def _let_go(self, session: str, event: TaskCompleted | TaskReleased) -> None:
        self._in_hand.get(session, set()).discard(event.task)

    def _plan_halted(self, session: str, event: PlanHalted) -> None:
        self._halted.add(session)

    def _answered(self, session: str, event: StopAnswered) -> None:
        if event.decision != Decision.APPROVE:
            self._blocked.add(session)
            return
        for holds, situation in (
            (session in self._blocked and _UNREAD.isdisjoint(event.reasons), "stop-is-blocked-then-granted"),
            ("transcript_missing" in event.reasons, "stop-is-granted-without-a-transcript"),
            ("transcript_unreadable" in event.reasons, "stop-is-granted-because-the-transcript-cannot-be-read"),
            (self._machine.is_full, "stop-is-granted-on-a-full-disk"),
            (session in self._halted, "stop-is-granted-after-a-halt"),
        ):
            if holds:
                self._note(situation)
        self._blocked.discard(session)

    def _ended(self, session: str, event: ErrorsReported) -> None:
        self._left[self._workers.get(session, "")] = self._in_hand.get(session, set())
        self._forget(session)

    def _cut(self, session: str, event: SessionCut) -> None:
        if session in self._blocked:
            self._note("session-dies-while-its-stop-is-blocked")
        self._left.pop(self._workers.get(session, ""), None)
        self._forget(session)

    def _forget(self, session: str) -> None:
        self._blocked.discard(session)
        self._halted.discard(session)
        self._workers.pop(session, None)
        self._in_hand.pop(session, None)
