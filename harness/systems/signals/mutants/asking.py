"""Mutants of asking a human: when, with what, and what becomes of the task."""

from collections.abc import Collection
from typing import Any

from harness.systems.queue_document import Document, task_entry
from harness.systems.queue_files import PENDING, task_id
from harness.systems.signals.contract import COST_LIMIT_USD_PER_HOUR, ReviewArguments
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.assessing import Assessor
from harness.systems.signals.reference.requests import Request, RequestRules, Requests
from harness.systems.signals.reference.tasks import ReviewedTasks, Task, TaskChanges
from harness.systems.trace import Trace

LOOSER_LIMIT = 0.30  # of the confidence: that of another clause


@mutant("requests-without-a-context", "LK-HR-01", "a request does not say what has to be known")
class RequestsWithoutAContext(RequestRules):
    def record(self, arguments: ReviewArguments, now_s: float) -> dict[str, Any]:
        found = super().record(arguments, now_s)
        del found["context"]
        return found


@mutant("third-failure-is-one-too-few", "LK-HR-02", "a human is asked at the fourth consecutive failure")
class ThirdFailureIsOneTooFew(Assessor):
    def has_failed(self, consecutive_failures: int) -> bool:
        return super().has_failed(consecutive_failures - 1)


@mutant(
    "unknown-rollback-is-a-rollback", "LK-HR-02", "an irreversible operation with an unknown rollback asks for nobody"
)
class UnknownRollbackIsARollback(Assessor):
    def is_irreversible(self, rollback: bool | None, *, irreversible: bool) -> bool:
        return irreversible and rollback is False


@mutant("all-ambiguity-asks", "LK-HR-02", "ambiguity that blocks nothing asks for a human")
class AllAmbiguityAsks(Assessor):
    def is_ambiguous(self, *, ambiguous: bool, blocks: bool) -> bool:
        return ambiguous


@mutant("confidence-limit-is-lower", "LK-HR-03", "the limit of the confidence is 0.30")
class ConfidenceLimitIsLower(Assessor):
    def is_unsure(self, confidence: float | None, *, critical: bool) -> bool:
        return critical and confidence is not None and confidence < LOOSER_LIMIT


@mutant("confidence-at-the-limit-asks", "LK-HR-03", "a confidence of exactly 0.40 asks for a human")
class ConfidenceAtTheLimitAsks(Assessor):
    def is_unsure(self, confidence: float | None, *, critical: bool) -> bool:
        return super().is_unsure(confidence, critical=critical) or (critical and confidence == 0.40)


@mutant("cost-at-the-limit-asks", "LK-HR-04", "a cost of exactly 100 asks for a human")
class CostAtTheLimitAsks(Assessor):
    def is_expensive(self, cost_usd_per_hour: float | None) -> bool:
        return cost_usd_per_hour is not None and cost_usd_per_hour >= COST_LIMIT_USD_PER_HOUR


@mutant("tasks-are-not-blocked", "LK-HR-05", "a task that waits for a human stays where it would be claimed")
class TasksAreNotBlocked(ReviewedTasks):
    def block(self, ids: Collection[str], trace: Trace) -> bool:
        return True


@mutant("blocked-tasks-lose-fields", "LK-HR-05", "a blocked task keeps its id and title only")
class BlockedTasksLoseFields(TaskChanges):
    def blocked(self, task: dict[str, Any], source: str) -> Task:
        return {name: value for name, value in super().blocked(task, source).items() if name in ("task_id", "title")}


@mutant("goes-on-with-what-waits", "LK-HR-05", "the work goes on with a task that is blocked")
class GoesOnWithWhatWaits(ReviewedTasks):
    def next(self, without: Collection[str]) -> str | None:
        tasks = self.store.seen().tasks(PENDING)
        blocked = (task_id(each) for each in tasks if each.get("status") == "blocked")
        return next(blocked, super().next(without))


@mutant("one-request-at-a-time", "LK-HR-08", "the second request takes the first one's place")
class OneRequestAtATime(Requests):
    def add(self, request: Request) -> Request:
        self.write(Document(None, (task_entry(request),)))
        return request


@mutant("others-requests-are-not-seen", "LK-HR-08", "requests are read once, and what another process adds is lost")
class OthersRequestsAreNotSeen(Requests):
    def open(self, trace: Trace) -> None:
        if not self.document.entries:
            super().open(trace)


@mutant("only-the-first-is-pending", "LK-HR-08", "of several pending requests only the first is told of")
class OnlyTheFirstIsPending(Requests):
    def seen(self, trace: Trace) -> tuple[Request, ...]:
        return super().seen(trace)[:1]
