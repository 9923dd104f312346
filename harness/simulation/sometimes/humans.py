"""What is asked of humans and what they decide, about reviews and dead letters."""

from harness.core.events import ClockStepped, MachineRestarted
from harness.core.task_events import (
    DeadLettersReviewed,
    FailureCounted,
    HumanDecided,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    TaskCompleted,
)
from harness.ports.clock import to_seconds
from harness.simulation.humans import ABANDONED, CANCELLED, CLARIFIED
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.dead_letter.contract import Verdict
from harness.systems.signals.contract import APPROVED, REJECTED

SITUATIONS: Catalogue = {
    "two-tasks-wait-for-humans": Situation("two tasks, or more, wait for a human at once", ("LK-HR-08",)),
    "human-is-asked-again-when-the-request-was-not-stored": Situation(
        "a request for a human cannot be stored, and is made again", ("LK-HR-05", "LK-HR-01")
    ),
    "human-is-asked-twice-of-one-task": Situation(
        "a task that a human has given back fails on, and he is asked again", ("LK-HR-02", "LK-HR-06")
    ),
    "decision-is-written-at-a-later-try": Situation(
        "a human's decision cannot be written, and is later", ("LK-HR-06",)
    ),
    "clarified-task-is-completed": Situation(
        "a task is clarified by a human, and completed", ("LK-HR-06", "LK-GEN-05")
    ),
    "approved-task-is-completed": Situation("a task is approved by a human, and completed", ("LK-HR-06", "LK-SG-05")),
    "human-rejects": Situation("a human's rejection is found", ("LK-HR-06", "LK-SG-05")),
    "human-cancels": Situation("a human cancels a task that waits for him", ("LK-HR-06",)),
    "review-times-out": Situation("nobody decides within 24 hours, and the task is dead", ("LK-HR-07",)),
    "review-times-out-during-a-resume": Situation(
        "a session that resumes what was cut finds that a human has not answered in time", ("LK-HR-07", "LK-RC-01")
    ),
    "review-times-out-beside-a-decision": Situation(
        "one look at the reviews finds a decision about one task, and that another waited too long",
        ("LK-HR-06", "LK-HR-07"),
    ),
    "decision-comes-too-late": Situation(
        "a human decides about a task that has waited for more than 24 hours", ("LK-HR-06", "LK-HR-07")
    ),
    "request-and-decision-lie-across-a-restart": Situation(
        "the machine restarts between a request and the decision about it", ("LK-HR-05", "LK-HR-06")
    ),
    "clock-back-while-a-review-waits": Situation("the clock is set back while a task waits for a human", ("LK-HR-07",)),
    "fifth-failure-makes-a-dead-letter": Situation("the fifth failure makes a dead letter", ("LK-DQ-01",)),
    "dead-letter-is-tried-again-and-completed": Situation(
        "a dead letter is put back, and completed", ("LK-DQ-12", "LK-GEN-05")
    ),
    "dead-letter-dies-again": Situation("a dead letter is put back, and dies again", ("LK-DQ-01", "LK-DQ-12")),
    "unanswered-task-is-tried-again": Situation(
        "a task that no human has answered about is put back from the dead letters", ("LK-HR-07", "LK-DQ-12")
    ),
    "dead-letter-needs-a-human": Situation("a human is told of a dead letter", ("LK-DQ-21", "LK-ES-06")),
    "dead-letter-is-abandoned-by-a-human": Situation("a human abandons a dead letter", ("LK-DQ-19", "LK-DQ-20")),
    "dead-letter-is-abandoned-by-rule": Situation("a review abandons a dead letter", ("LK-DQ-11", "LK-DQ-20")),
    "dead-letter-of-reduced-scope": Situation("a review makes a task of a smaller scope", ("LK-DQ-15",)),
    "dead-letters-are-reviewed-after-a-resume": Situation(
        "a session that resumes what was cut finds that the dead letters are due", ("LK-DQ-09", "LK-RC-01")
    ),
    "decision-about-a-dead-letter-is-not-stored": Situation(
        "a review decides about a dead letter, and cannot write it", ("LK-DQ-10", "LK-DQ-23")
    ),
}
LATE_S = 24 * 3600.0
_BACK = (APPROVED, CLARIFIED)  # decisions that give a task back


class HumanWatch:
    """Of all requests and dead letters."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._waiting: dict[str, float] = {}  # since when, by task
        self._unstored: set[str] = set()
        self._undecided: set[str] = set()  # a decision could not be written
        self._decisions: dict[str, str] = {}  # by task that was given back, for what it was
        self._survived: set[str] = set()
        self._unanswered: set[str] = set()
        self._put_back: set[str] = set()
        self._dead: set[str] = set()  # letters
        self._resumed: set[str] = set()  # the last session of each worker has, and nothing after it yet
        self.takes: Takes = {
            ReviewRequested: self._requested,
            HumanDecided: self._decided,
            ReviewsChecked: self._checked,
            DeadLettersReviewed: self._reviewed,
            FailureCounted: self._counted,
            TaskCompleted: self._completed,
            SessionResumed: self._recovered,
            ClockStepped: self._stepped,
            MachineRestarted: self._restarted,
        }

    def _requested(self, session: str, event: ReviewRequested) -> None:
        task = event.task
        if not event.stored:
            self._unstored.add(task)
            return
        if task in self._unstored:
            self._unstored.discard(task)
            self._note("human-is-asked-again-when-the-request-was-not-stored")
        if self._decisions.pop(task, "") in _BACK:
            self._note("human-is-asked-twice-of-one-task")
        self._waiting[task] = to_seconds(event.at)
        if len(self._waiting) > 1:
            self._note("two-tasks-wait-for-humans")

    def _decided(self, session: str, event: HumanDecided) -> None:
        task = event.task
        if not event.done:
            self._undecided.add(task)
            return
        if task in self._undecided:
            self._undecided.discard(task)
            self._note("decision-is-written-at-a-later-try")
        if event.decision == ABANDONED:
            if task in self._dead:
                self._dead.discard(task)
                self._note("dead-letter-is-abandoned-by-a-human")
            return
        if task not in self._waiting:
            return
        if to_seconds(event.at) - self._waiting[task] > LATE_S:
            self._note("decision-comes-too-late")
        if task in self._survived:
            self._note("request-and-decision-lie-across-a-restart")
        if event.decision not in (APPROVED, REJECTED):  # these are found by the next look at the reviews
            self._wait_no_longer(task)
            self._decisions[task] = event.decision
            if event.decision == CANCELLED:
                self._note("human-cancels")

    def _checked(self, session: str, event: ReviewsChecked) -> None:
        for task, decision in event.resolved.items():
            self._wait_no_longer(task)
            self._decisions[task] = decision
            if decision == REJECTED:
                self._note("human-rejects")
        for task in event.timed_out:
            self._wait_no_longer(task)
            self._unanswered.add(task)
            self._dead.add(task)
            self._note("review-times-out")
            if session in self._resumed:
                self._note("review-times-out-during-a-resume")
        if set(event.resolved) and set(event.timed_out) - set(event.resolved):
            self._note("review-times-out-beside-a-decision")
        self._resumed.discard(session)  # it goes on with work

    def _wait_no_longer(self, task: str) -> None:
        self._waiting.pop(task, None)
        self._survived.discard(task)

    def _reviewed(self, session: str, event: DeadLettersReviewed) -> None:
        for task, verdict in event.decided.items():
            if task in event.unstored:
                self._note("decision-about-a-dead-letter-is-not-stored")
            elif verdict == Verdict.RETRIED:
                self._dead.discard(task)
                self._put_back.add(task)
                if task in self._unanswered:
                    self._note("unanswered-task-is-tried-again")
            elif verdict == Verdict.ABANDONED:
                self._dead.discard(task)
                self._note("dead-letter-is-abandoned-by-rule")
            else:
                self._dead.add(task)
        for holds, situation in (
            (event.notified, "dead-letter-needs-a-human"),
            (event.created, "dead-letter-of-reduced-scope"),
            (event.reviewed and event.decided and session in self._resumed, "dead-letters-are-reviewed-after-a-resume"),
        ):
            if holds:
                self._note(situation)

    def _counted(self, session: str, event: FailureCounted) -> None:
        if not event.moved:
            return
        self._dead.add(event.task)
        self._note("fifth-failure-makes-a-dead-letter")
        if event.task in self._put_back:
            self._put_back.discard(event.task)
            self._note("dead-letter-dies-again")

    def _completed(self, session: str, event: TaskCompleted) -> None:
        task = event.task
        decision = self._decisions.pop(task, "")
        if decision in _BACK:
            self._note(f"{decision}-task-is-completed")
        if task in self._put_back:
            self._note("dead-letter-is-tried-again-and-completed")
        for kept in (self._unstored, self._undecided, self._unanswered, self._put_back, self._dead):
            kept.discard(task)

    def _recovered(self, session: str, event: SessionResumed) -> None:
        self._resumed.add(session)

    def _stepped(self, session: str, event: ClockStepped) -> None:
        if event.by_s < 0 and self._waiting:
            self._note("clock-back-while-a-review-waits")

    def _restarted(self, session: str, event: MachineRestarted) -> None:
        self._survived |= set(self._waiting)
        self._resumed.clear()
