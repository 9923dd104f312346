"""The review of the dead-letter queue: each task is decided about, and that is done. Document 000 (L425-537)."""

import contextlib
from collections.abc import Mapping

from harness.ports.clock import to_text
from harness.systems.dead_letter.contract import (
    LINKED_TO,
    Decision,
    Happening,
    LogCode,
    Strategy,
    TaskFacts,
    Verdict,
)
from harness.systems.dead_letter.reference.deciding import Choice, Decider
from harness.systems.dead_letter.reference.escalations import Escalations, EscalationText
from harness.systems.dead_letter.reference.failures import Analyst, Task
from harness.systems.dead_letter.reference.kept_queues import LAST_REVIEWED, DeadLetterQueues
from harness.systems.dead_letter.reference.letters import SIMPLER_TASK, Letters
from harness.systems.dead_letter.reference.trace import Trace
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING, QUEUES, task_id
from harness.systems.queue_store import InvalidTaskError, NoSuchTaskError

FAILURES = (OSError, InvalidTaskError, NoSuchTaskError)
"""What a change of the queues may raise."""


class EscalationFailedError(OSError):
    """The escalation file cannot be written, read or looked for."""


class Course:
    """One operation that may review: what happened, in its order, and what came of it."""

    def __init__(self, facts: Mapping[str, TaskFacts], now_s: float) -> None:
        self.facts = facts
        self.now_s = now_s
        self.decisions: list[Decision] = []
        self.order: list[str] = []
        self.notified: list[str] = []
        self.created: str | None = None
        self.trace = Trace()


class Reviewer:
    """Decides, and does what was decided."""

    def __init__(
        self, analyst: Analyst, decider: Decider, letters: Letters, text: EscalationText, escalations: Escalations
    ) -> None:
        self.analyst = analyst
        self.decider = decider
        self.letters = letters
        self.text = text
        self.escalations = escalations

    def is_due(self, queues: DeadLetterQueues, course: Course) -> bool:
        """Has the daily review to be done?"""
        try:
            return self.decider.is_stale(queues.metadata().get(LAST_REVIEWED), course.now_s)
        except OSError:
            return True  # the review says why it cannot be done

    def review(self, queues: DeadLetterQueues, course: Course) -> bool:
        """Reviews the queue; was it done, to its end? One that nobody ever wrote is not begun for it."""
        try:
            tasks = [task for task in queues.tasks(DEAD_LETTER) if task_id(task) is not None]
            if not queues.can_write or not (tasks or queues.metadata()):
                return False
        except OSError:  # the queues have told why
            return False
        course.order.append(Happening.REVIEW)
        for choice in self.decider.choices(tasks, course.facts, self.linked(queues, tasks)):
            self.decide(queues, choice, course)
        return all(decision.stored for decision in course.decisions) and self.conclude(queues, course)

    def conclude(self, queues: DeadLetterQueues, course: Course) -> bool:
        """Writes last_reviewed, after everything else (LK-DQ-10)."""
        try:
            queues.set_metadata(DEAD_LETTER, **{LAST_REVIEWED: to_text(course.now_s)})
        except FAILURES as error:
            course.trace.error(LogCode.QUEUE_WRITE_FAILED, "last_reviewed is not written", error)
            return False
        course.order.append(Happening.LAST_REVIEWED)
        return True

    def linked(self, queues: DeadLetterQueues, tasks: list[Task]) -> dict[str, str]:
        """The tasks of reduced scope that there are, by the id of their original.

        One that its original does not name was made by a review that died before it could say so.
        """
        readable = [queue for queue in QUEUES if queue not in queues.unreadable]
        others = [task for queue in readable for task in queues.tasks(queue)]
        found = {task[LINKED_TO]: task["task_id"] for task in others if task_id(task) and self.names(task, LINKED_TO)}
        return found | {task["task_id"]: task[SIMPLER_TASK] for task in tasks if self.names(task, SIMPLER_TASK)}

    def names(self, task: Task, field: str) -> bool:
        """Has it the id of another task in that field?"""
        return isinstance(task.get(field), str) and bool(task[field])

    # -- what follows from a decision

    def decide(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """Does what follows, and says what was decided."""
        id_ = choice.task["task_id"]
        course.created = None
        steps = {
            Verdict.RETRIED: self.retry,
            Verdict.ABANDONED: self.abandon,
            Verdict.HUMAN: self.escalate,
            Verdict.LEFT: self.leave,
        }
        stored = True
        try:
            steps[choice.verdict](queues, choice, course)
        except FAILURES as error:
            stored = False
            course.created = None
            failed = isinstance(error, EscalationFailedError)
            code = LogCode.ESCALATION_WRITE_FAILED if failed else LogCode.QUEUE_WRITE_FAILED
            course.trace.error(code, f"{choice.verdict} is not written", error)
        strategy = self.strategy(queues, id_)
        course.decisions.append(Decision(id_, choice.verdict, choice.reason, strategy, course.created, stored))
        course.order.append(Happening.DECIDED)

    def strategy(self, queues: DeadLetterQueues, id_: str) -> str | None:
        """The recovery_strategy that the task has now."""
        task = queues.find(id_)
        found = None if task is None else task.get("recovery_strategy")
        return found if isinstance(found, str) else None

    def retry(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """The task goes to pending; where only a simpler scope is known a new one does (LK-DQ-12, LK-DQ-15)."""
        if choice.facts.simpler_scope is not None and not self.decider.retry_reasons(choice.facts):
            self.simplify(queues, choice, course)
            return
        queues.move(
            choice.task["task_id"],
            DEAD_LETTER,
            PENDING,
            lambda task: self.letters.retried(task, choice.facts, choice.reason, course.now_s),
        )

    def simplify(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """Makes the simpler task first: when its original cannot name it, it is taken back."""
        id_, scope = choice.task["task_id"], choice.facts.simpler_scope
        assert scope is not None  # noqa: S101
        created = self.free_id(queues, id_)
        queues.put(PENDING, self.letters.reduced(choice.task, scope, created))
        strategy = Strategy.RETRY_WITH_SIMPLER_APPROACH
        try:
            queues.move(id_, DEAD_LETTER, DEAD_LETTER, lambda task: self.letters.simplified(task, created, strategy))
        except FAILURES:
            with contextlib.suppress(*FAILURES):  # then the next review finds it by its link
                queues.drop(PENDING, created)
            raise
        course.created = created

    def free_id(self, queues: DeadLetterQueues, id_: str) -> str:
        """A new id for the simpler task of that one."""
        found, number = f"{id_}-simpler", 1
        while queues.place(found) is not None:
            number += 1
            found = f"{id_}-simpler-{number}"
        return found

    def abandon(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """The task goes to abandoned, with the reason (LK-DQ-20)."""
        del course
        id_ = choice.task["task_id"]
        queues.move(id_, DEAD_LETTER, ABANDONED, lambda task: self.letters.abandoned(task, choice.reason))

    def escalate(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """The task stays and waits for a human, who is told once (LK-DQ-21, reading ``once``).

        The file is written first: a task that waits has one. When the task cannot be written the file is taken back.
        """
        id_ = choice.task["task_id"]
        if self.is_waiting(choice.task):
            return
        text, known = self.text.text(choice.task, choice.reason), self.letters.escalations(choice.task)
        try:
            made = self.escalations.make(id_, text, course.now_s, known)
        except OSError as error:
            raise EscalationFailedError(error.errno, str(error)) from error
        try:
            queues.move(id_, DEAD_LETTER, DEAD_LETTER, lambda task: self.letters.escalated(task, made.name))
        except FAILURES:
            if made.made:
                with contextlib.suppress(OSError):  # then the next review finds it, and takes it for its own
                    self.escalations.remove(made.name)
            raise
        course.notified.append(id_)

    def is_waiting(self, task: Task) -> bool:
        """Was a human told already?"""
        if task.get("recovery_strategy") != Strategy.REQUIRES_HUMAN_REVIEW:
            return False
        try:
            return self.escalations.has(task["task_id"])
        except OSError as error:
            raise EscalationFailedError(error.errno, str(error)) from error

    def leave(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """The task stays, with the strategy that its failures suggest (LK-DQ-24)."""
        task, fields = choice.task, {"recovery_strategy": str(self.analyst.strategy(choice.task))}
        if choice.facts.simpler_scope is not None:
            fields[SIMPLER_TASK] = self.linked(queues, [task])[task["task_id"]]
        del course
        if any(task.get(name) != value for name, value in fields.items()):
            queues.move(task["task_id"], DEAD_LETTER, DEAD_LETTER, lambda task: {**task, **fields})
