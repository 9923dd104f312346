"""Mutants of what humans decide, and of when they do not."""

from harness.systems.queue_files import PENDING
from harness.systems.queue_store import Queues
from harness.systems.signals.contract import Alert, Channel, CheckArguments, CheckResult, LogCode
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.requests import Approvals, Decision, Request, RequestRules
from harness.systems.signals.reference.reviews import Reviews
from harness.systems.signals.reference.tasks import Fate, ReviewedTasks, Task, TaskChanges
from harness.systems.signals.reference.texts import timestamp
from harness.systems.trace import Trace


@mutant("approvals-stay", "LK-SG-01", "a decision that was carried out is not deleted")
class ApprovalsStay(Approvals):
    def remove(self, decision: Decision, trace: Trace) -> None:
        return


@mutant(
    "unnamed-decisions-are-for-the-first", "LK-SG-05", "a decision that names no task is about the first that waits"
)
class UnnamedDecisionsAreForTheFirst(Reviews):
    def meant(self, decision: Decision, trace: Trace) -> str | None:
        pending = self.requests.ids()
        return pending[0] if decision.task_id is None and pending else super().meant(decision, trace)


@mutant("files-without-a-decision-approve", "LK-SG-05", "that HUMAN_APPROVED is there approves, whatever it holds")
class FilesWithoutADecisionApprove(Approvals):
    def parsed(self, data: bytes) -> Decision | None:
        return super().parsed(data) or Decision("approved", None, data)


@mutant("any-decision-is-for-the-first", "LK-HR-06", "a decision about another task approves the one that waits")
class AnyDecisionIsForTheFirst(Reviews):
    def meant(self, decision: Decision, trace: Trace) -> str | None:
        pending = self.requests.ids()
        unknown = decision.task_id is not None and decision.task_id not in pending
        return pending[0] if unknown and pending else super().meant(decision, trace)


@mutant("approved-tasks-stay-blocked", "LK-HR-06", "a task that was approved stays blocked")
class ApprovedTasksStayBlocked(ReviewedTasks):
    def give_back(self, wanted: str, trace: Trace) -> bool:
        return True


@mutant("rejected-tasks-go-on", "LK-HR-06", "whatever a human decides, the task goes on")
class RejectedTasksGoOn(Reviews):
    def is_approval(self, decision: str) -> bool:
        return True


@mutant("clarifications-are-lost", "LK-HR-06", "a clarified task does not say what was made clear")
class ClarificationsAreLost(TaskChanges):
    def clarified(self, task: dict[str, object], clarification: str) -> Task:
        return self.freed(task)


@mutant("cancelled-tasks-go-back", "LK-HR-06", "a cancelled task goes back to where it is claimed")
class CancelledTasksGoBack(ReviewedTasks):
    def abandoned(self, queues: Queues, wanted: str, reason: str) -> bool:
        place = self.place(queues, wanted)
        if place is not None and reason.startswith("Cancelled"):
            queues.move(wanted, place, PENDING, self.changes.freed)
            return True
        return super().abandoned(queues, wanted, reason)


@mutant("reviews-time-out-early", "LK-HR-07", "a review times out after twelve hours")
class ReviewsTimeOutEarly(RequestRules):
    def waited_s(self, request: Request, now_s: float) -> float:
        return 2 * super().waited_s(request, now_s)


@mutant("reviews-time-out-late", "LK-HR-07", "a review times out after 48 hours")
class ReviewsTimeOutLate(RequestRules):
    def waited_s(self, request: Request, now_s: float) -> float:
        return super().waited_s(request, now_s) / 2


@mutant("looks-renew-reviews", "LK-HR-07", "the time of a review begins anew whenever somebody looks after it")
class LooksRenewReviews(Reviews):
    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        found = super().check(arguments, now_s)
        for request in self.requests.pending():
            self.requests.add({**request, "timestamp": timestamp(now_s)})
        return found


@mutant("earlier-attempts-are-forgotten", "LK-HR-07", "a timed-out task does not say any more what failed before")
class EarlierAttemptsAreForgotten(TaskChanges):
    def dead(self, task: dict[str, object], source: str, agent: str, now_s: float) -> Task:
        return super().dead({**task, "attempts": []}, source, agent, now_s)


@mutant("timed-out-tasks-stay-blocked", "LK-HR-07", "a task whose review timed out is not in the dead letters")
class TimedOutTasksStayBlocked(ReviewedTasks):
    def bury(self, wanted: str, agent: str, now_s: float, trace: Trace) -> Fate | None:
        return Fate.DEAD


@mutant("nobody-is-alerted", "LK-HR-07", "a review times out, and no alert is sent")
class NobodyIsAlerted(Reviews):
    def overdue(self, channel: Channel, now_s: float, trace: Trace) -> tuple[tuple[str, ...], tuple[Alert, ...]]:
        return super().overdue(channel, now_s, trace)[0], ()


@mutant("alert-failure-escapes", "LK-HR-07", "a channel that fails ends the operation")
class AlertFailureEscapes(Reviews):
    def alerted(self, task_id: str, channel: Channel, trace: Trace) -> Alert:
        found = super().alerted(task_id, channel, trace)
        if any(entry.code == LogCode.ALERT_FAILED for entry in trace.entries):
            raise RuntimeError("the channel failed")
        return found


@mutant("dead-letters-without-attempts", "LK-HR-07", "a timed-out task in the dead letters has no attempt")
class DeadLettersWithoutAttempts(TaskChanges):
    def dead(self, task: dict[str, object], source: str, agent: str, now_s: float) -> Task:
        return {**super().dead(task, source, agent, now_s), "attempts": []}
