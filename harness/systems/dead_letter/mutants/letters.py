"""Mutants of tasks as they are written: counts, attempts, and the fields of dead letters."""

from typing import Any

from harness.systems.dead_letter.contract import TASK_FIELDS, TaskFacts, failure_count_of, failures_of
from harness.systems.dead_letter.mutants.table import mutant
from harness.systems.dead_letter.reference.failures import Task
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues
from harness.systems.dead_letter.reference.letters import Letters
from harness.systems.queue_document import Document


@mutant("six-failures-are-needed", "LK-DQ-01", "a task with five failures is tried again")
class SixFailuresAreNeeded(Letters):
    failures_at_most = 5


@mutant("four-failures-are-enough", "LK-DQ-01", "a task with four failures is a dead letter")
class FourFailuresAreEnough(Letters):
    failures_at_most = 3


@mutant("only-the-fifth-failure-counts", "LK-DQ-01", "a task that has more than five failures is not moved any more")
class OnlyTheFifthFailureCounts(Letters):
    def is_dead(self, task: Task) -> bool:
        return failure_count_of(task) == self.failures_at_most + 1


@mutant("attempts-are-counted-for-failures", "LK-DQ-01", "the count is that of all attempts, whatever reset it")
class AttemptsAreCountedForFailures(Letters):
    def count(self, task: Task) -> int:
        return len(failures_of(task)) + 1


@mutant("queue-without-metadata", "LK-DQ-02", "dead-letter.json is made without metadata")
class QueueWithoutMetadata(DeadLetterQueues):
    def _completed(self, document: Document) -> Document:
        return document if document.fields is not None else super()._completed(document)


@mutant("bare-queue-stays-bare", "LK-DQ-02", "a dead-letter.json that is a bare array stays one")
class BareQueueStaysBare(DeadLetterQueues):
    def _completed(self, document: Document) -> Document:
        return document if document.fields is None else super()._completed(document)


def _less(task: dict[str, Any], name: str) -> dict[str, Any]:
    return {field: value for field, value in task.items() if field != name}


@mutant("no-error-summary", "LK-DQ-03", "a dead letter has no error_summary")
class NoErrorSummary(Letters):
    def dead(self, task: Task, source: str) -> dict[str, Any]:
        return _less(super().dead(task, source), "error_summary")


@mutant("always-from-pending", "LK-DQ-04", "original_queue is pending, wherever the task was")
class AlwaysFromPending(Letters):
    def original_queue(self, source: str) -> str:
        return "pending"


@mutant("attempts-from-zero", "LK-DQ-05", "the first attempt has number 0")
class AttemptsFromZero(Letters):
    def number(self, task: Task) -> int:
        return super().number(task) - 1


@mutant("only-the-last-attempt-is-kept", "LK-DQ-05", "earlier attempts are dropped")
class OnlyTheLastAttemptIsKept(Letters):
    def entries(self, task: Task) -> list[Any]:
        return []


@mutant("messages-are-cut", "LK-DQ-05", "of an error message the first ten characters are kept")
class MessagesAreCut(Letters):
    def message(self, given: Any) -> str:
        return super().message(given)[:10]


@mutant("error-type-of-my-own", "LK-DQ-06", "each failure is of the type error")
class ErrorTypeOfMyOwn(Letters):
    def error_type(self, given: Any) -> str:
        return "error"


@mutant("strategy-of-my-own", "LK-DQ-07", "a dead letter's recovery_strategy is retry")
class StrategyOfMyOwn(Letters):
    def dead(self, task: Task, source: str) -> dict[str, Any]:
        return {**super().dead(task, source), "recovery_strategy": "retry"}


@mutant("first-and-last-failure-are-swapped", "LK-DQ-08", "first_failure is that of the last attempt")
class FirstAndLastFailureAreSwapped(Letters):
    def times(self, task: Task) -> tuple[str | None, str | None]:
        first, last = super().times(task)
        return last, first


@mutant("recovered-for-no-reason", "LK-DQ-12", "a task that goes back to pending does not say why")
class RecoveredForNoReason(Letters):
    def retried(self, task: Task, facts: TaskFacts, reason: str, now_s: float) -> dict[str, Any]:
        return _less(super().retried(task, facts, reason, now_s), "recovery_reason")


@mutant("dependency-is-not-resolved", "LK-DQ-13", "a task whose dependency is available keeps no strategy")
class DependencyIsNotResolved(Letters):
    def recovered_strategy(self, facts: TaskFacts) -> str | None:
        return None


@mutant("count-stays-with-a-new-approach", "LK-DQ-14", "a new approach does not reset the count")
class CountStaysWithANewApproach(Letters):
    def renewed(self, task: Task, approach: str, now_s: float) -> dict[str, Any]:
        return {**super().renewed(task, approach, now_s), "failure_count": failure_count_of(task)}


@mutant("new-approach-is-not-written-down", "LK-DQ-14", "a new approach resets the count, and is forgotten")
class NewApproachIsNotWrittenDown(Letters):
    def renewed(self, task: Task, approach: str, now_s: float) -> dict[str, Any]:
        return {**task, "failure_count": 0}


@mutant("each-retry-resets-the-count", "LK-DQ-14", "the count is 0 after each retry, without a new approach too")
class EachRetryResetsTheCount(Letters):
    def retried(self, task: Task, facts: TaskFacts, reason: str, now_s: float) -> dict[str, Any]:
        return {**super().retried(task, facts, reason, now_s), "failure_count": 0}


@mutant("simpler-task-without-a-link", "LK-DQ-15", "a task of reduced scope does not name its original")
class SimplerTaskWithoutALink(Letters):
    def reduced(self, task: Task, scope: Any, task_id: str) -> dict[str, Any]:
        return _less(super().reduced(task, scope, task_id), "linked_to")


@mutant("fix-is-not-referred-to", "LK-DQ-16", "a task whose bug was fixed does not say by which commit")
class FixIsNotReferredTo(Letters):
    def retried(self, task: Task, facts: TaskFacts, reason: str, now_s: float) -> dict[str, Any]:
        return _less(super().retried(task, facts, "it is tried again", now_s), "fix_commit")


@mutant("abandoned-for-no-reason", "LK-DQ-20", "an abandoned task does not say why")
class AbandonedForNoReason(Letters):
    def abandoned(self, task: Task, reason: str) -> dict[str, Any]:
        return _less(super().abandoned(task, reason), "abandon_reason")


@mutant("human-is-not-waited-for", "LK-DQ-21", "an escalated task keeps its strategy")
class HumanIsNotWaitedFor(Letters):
    def escalated(self, task: Task, name: str) -> dict[str, Any]:
        return {**super().escalated(task, name), "recovery_strategy": task.get("recovery_strategy")}


@mutant("unknown-fields-are-dropped", "LK-DQ-23", "a dead letter has only the fields of the schema")
class UnknownFieldsAreDropped(Letters):
    def dead(self, task: Task, source: str) -> dict[str, Any]:
        return {name: value for name, value in super().dead(task, source).items() if name in TASK_FIELDS}
