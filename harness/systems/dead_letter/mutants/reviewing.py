"""Mutants of what a review does, in which order, and of what a human says."""

from harness.systems.dead_letter.contract import (
    AbandonArguments,
    Happening,
    SessionArguments,
    SessionResult,
    Strategy,
)
from harness.systems.dead_letter.mutants.table import mutant
from harness.systems.dead_letter.reference.dead_letter import DeadLetter
from harness.systems.dead_letter.reference.deciding import Choice
from harness.systems.dead_letter.reference.failures import Task
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues
from harness.systems.dead_letter.reference.review import Course, Reviewer
from harness.systems.queue_files import DEAD_LETTER, IN_PROGRESS


@mutant("work-before-the-review", "LK-DQ-09", "new work is claimed before the queue is reviewed")
class WorkBeforeTheReview(DeadLetter):
    def work(self, course: Course) -> None:
        course.order.insert(0, Happening.WORK)


@mutant("last-reviewed-first", "LK-DQ-10", "last_reviewed is written before the queue is processed")
class LastReviewedFirst(Reviewer):
    def review(self, queues: DeadLetterQueues, course: Course) -> bool:
        first = queues.can_write and bool(queues.metadata()) and self.conclude(queues, course)
        return super().review(queues, course) and first


@mutant("last-reviewed-stays", "LK-DQ-10", "last_reviewed is never written")
class LastReviewedStays(Reviewer):
    def conclude(self, queues: DeadLetterQueues, course: Course) -> bool:
        course.order.append(Happening.LAST_REVIEWED)
        return True


@mutant("left-is-always-blocked", "LK-DQ-24", "each task that is left is dependency_blocked")
class LeftIsAlwaysBlocked(Reviewer):
    def leave(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        fields = {"recovery_strategy": str(Strategy.DEPENDENCY_BLOCKED)}
        queues.move(choice.task["task_id"], DEAD_LETTER, DEAD_LETTER, lambda task: {**task, **fields})


@mutant("retried-at-once", "LK-DQ-12", "a task that is retried goes to in-progress")
class RetriedAtOnce(Reviewer):
    def retry(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        super().retry(queues, choice, course)
        if course.created is None:
            queues.move(choice.task["task_id"], "pending", IN_PROGRESS)


@mutant("a-simpler-task-each-day", "LK-DQ-15", "each review makes another task of the same reduced scope")
class ASimplerTaskEachDay(Reviewer):
    def linked(self, queues: DeadLetterQueues, tasks: list[Task]) -> dict[str, str]:
        return {}


@mutant("humans-are-not-heard", "LK-DQ-20", "a task that a human gives up stays")
class HumansAreNotHeard(DeadLetter):
    def give_up(self, queues: DeadLetterQueues, arguments: AbandonArguments) -> None:
        return


@mutant("abandoned-in-words", "LK-DQ-20", "an abandoned task stays in the queue, marked")
class AbandonedInWords(Reviewer):
    def abandon(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        id_ = choice.task["task_id"]
        queues.move(id_, DEAD_LETTER, DEAD_LETTER, lambda task: self.letters.abandoned(task, choice.reason))


@mutant("nobody-is-told", "LK-DQ-21", "an escalation is written, and nobody told")
class NobodyIsTold(Reviewer):
    def escalate(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        super().escalate(queues, choice, course)
        course.notified.clear()


@mutant("escalated-and-retried", "LK-DQ-21", "a task that needs a human goes back to pending, too")
class EscalatedAndRetried(Reviewer):
    def escalate(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        super().escalate(queues, choice, course)
        queues.move(choice.task["task_id"], DEAD_LETTER, "pending")


@mutant("told-without-a-file", "LK-DQ-21", "a human is told, and no escalation written")
class ToldWithoutAFile(Reviewer):
    def escalate(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        id_ = choice.task["task_id"]
        queues.move(id_, DEAD_LETTER, DEAD_LETTER, lambda task: self.letters.escalated(task, ""))
        course.notified.append(id_)


@mutant("only-the-first-is-decided", "LK-DQ-11", "a review ends after the first task, and counts as done")
class OnlyTheFirstIsDecided(Reviewer):
    def decide(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        if not course.decisions:
            super().decide(queues, choice, course)


@mutant("a-review-asked-for-may-wait", "LK-DQ-10", "a review that somebody asks for is only done when it is due")
class AReviewAskedForMayWait(DeadLetter):
    def review(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        course = Course(arguments.facts, now_s)
        with self.opened(course.trace) as queues:
            due = self.reviewer.is_due(queues, course)
            reviewed = due and self.reviewer.review(queues, course)
        return self.session(course, reviewed=reviewed or not due)
