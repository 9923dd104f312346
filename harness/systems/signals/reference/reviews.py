"""Human review: asked for, decided, cleared, cancelled, timed out (LK-HR)."""

from typing import Any

from harness.ports.files import Files
from harness.systems.queue_document import InvalidTaskError
from harness.systems.signals.contract import (
    APPROVED,
    APPROVED_PATH,
    REVIEW_PATH,
    Action,
    Alert,
    CancelArguments,
    Channel,
    CheckArguments,
    CheckResult,
    ClarifyArguments,
    DecideArguments,
    DecideResult,
    LogCode,
    Resolved,
    ResolveResult,
    ReviewArguments,
    ReviewResult,
    ReviewsArguments,
    ReviewsResult,
    StepTaken,
)
from harness.systems.signals.reference.drifts import Place
from harness.systems.signals.reference.kept_file import SignalsLock
from harness.systems.signals.reference.outside import Outside
from harness.systems.signals.reference.requests import Approvals, Decision, Request, RequestRules, Requests
from harness.systems.signals.reference.tasks import Fate, ReviewedTasks
from harness.systems.signals.reference.texts import shown, writable
from harness.systems.trace import Trace


class Reviews:
    """Reviews, on their files and queues. No method raises.

    A request is stored before its task is blocked, and a task is where it belongs before its request is gone: whoever
    is struck in between leaves what the next check makes good for.
    """

    rules_class = RequestRules
    requests_class = Requests
    approvals_class = Approvals
    tasks_class = ReviewedTasks
    outside_class = Outside

    def __init__(self, home: str, place: Place, files: Files, lock: SignalsLock) -> None:
        self.lock = lock
        self.rules = self.rules_class()
        self.requests = self.requests_class(place(REVIEW_PATH), files)
        self.approvals = self.approvals_class(place(APPROVED_PATH), files)
        self.tasks = self.tasks_class(home, files)
        self.outside = self.outside_class()

    # -- what agents do

    def request(self, arguments: ReviewArguments, now_s: float) -> ReviewResult:
        """A human is asked, and the task blocked (LK-HR-05)."""
        trace = Trace()
        if not self.rules.is_valid(arguments):
            trace.warning(LogCode.REVIEW_INVALID, f"task {shown(arguments.task_id)}, reason {shown(arguments.reason)}")
            return ReviewResult(None, stored=False, blocked=False, steps=(), log=trace.told())
        record: Request = self.rules.record(arguments, now_s)
        task_id = str(record["task_id"])
        stored, blocked = self.raised(record, trace)
        steps = [StepTaken(Action.STOP), StepTaken(Action.LOG, ok=stored)]
        if self.rules.blocks(record):
            steps.append(StepTaken(Action.BLOCK, ok=blocked))
        goes_on_with = self.tasks.next({task_id, *self.waiting()})
        if goes_on_with is not None:
            steps.append(StepTaken(Action.CONTINUE, detail=goes_on_with))
        return ReviewResult(record, stored, blocked, tuple(steps), goes_on_with, trace.told())

    def raised(self, record: Request, trace: Trace) -> tuple[bool, bool]:
        """Stores the request, then blocks its task; were they?"""
        with self.lock.held(trace) as held:
            stored = held and self.stored(record, trace)
            if not stored or not self.rules.blocks(record):
                return stored, False
            return True, self.tasks.block((str(record["task_id"]),), trace)

    def stored(self, record: Request, trace: Trace) -> bool:
        """Is the request in the file?"""
        try:
            self.requests.open(trace)
            self.requests.add(record)
        except (OSError, InvalidTaskError) as error:
            trace.error(LogCode.REVIEW_WRITE_FAILED, "the request is not stored", error)
            return False
        return True

    def pending(self, arguments: ReviewsArguments) -> ReviewsResult:
        """The pending requests."""
        trace = Trace()
        wanted = None if arguments.task_id is None else writable(arguments.task_id)
        found = self.requests.seen(trace)
        return ReviewsResult(tuple(each for each in found if wanted in (None, each["task_id"])), trace.told())

    # -- what humans do

    def decide(self, arguments: DecideArguments) -> DecideResult:
        """A human writes HUMAN_APPROVED; this one waits until no decision is being carried out."""
        trace = Trace()
        with self.lock.held(Trace()):
            return DecideResult(self.approvals.write(arguments.text, trace), trace.told())

    def clarify(self, arguments: ClarifyArguments) -> ResolveResult:
        """A human makes the task clear: it goes on."""
        trace, clarification = Trace(), writable(arguments.clarification)
        return self.resolved(
            arguments.task_id, lambda task_id: self.tasks.clarify(task_id, clarification, trace), trace
        )

    def cancel(self, arguments: CancelArguments) -> ResolveResult:
        """A human cancels the task: nobody works on it any more."""
        trace = Trace()
        return self.resolved(
            arguments.task_id, lambda task_id: self.tasks.cancel(task_id, "Cancelled by a human", trace), trace
        )

    def resolved(self, task_id: str, carry_out: Any, trace: Trace) -> ResolveResult:
        """Changes the task, then forgets the request."""
        wanted = writable(task_id)
        with self.lock.held(trace) as held:
            if not held or not self.opened(trace):
                return ResolveResult(resolved=False, log=trace.told())
            if wanted not in self.requests.ids():
                trace.warning(LogCode.TASK_UNKNOWN, f"nobody waits for {shown(wanted)}")
                return ResolveResult(resolved=False, log=trace.told())
            done = carry_out(wanted) and self.forgotten(wanted, trace)
        return ResolveResult(done, trace.told())

    # -- looking after them

    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """Decisions, then time-outs, then tasks that somebody did not live to block."""
        trace = Trace()
        with self.lock.held(trace) as held:
            if not held or not self.opened(trace):
                return CheckResult(log=trace.told())
            resolved = self.decided(trace)
            timed_out, alerts = self.overdue(arguments.alert, now_s, trace)
            waiting = self.waiting()
            if waiting:
                self.tasks.block(waiting, trace)
        return CheckResult(resolved, timed_out, alerts, trace.told())

    def decided(self, trace: Trace) -> tuple[Resolved, ...]:
        """Carries out what a human decided, and deletes it (LK-HR-06)."""
        decision = self.approvals.read(trace)
        if decision is None:
            return ()
        task_id = self.meant(decision, trace)
        if task_id is None:
            self.approvals.set_aside(decision, trace)
            return ()
        if not self.carried_out(task_id, decision, trace) or not self.forgotten(task_id, trace):
            return ()
        self.approvals.remove(decision, trace)
        return (Resolved(task_id, decision.decision),)

    def meant(self, decision: Decision, trace: Trace) -> str | None:
        """The task that a decision is about; None, and told, when there is no such, or more than one (LK-SG-05)."""
        pending = self.requests.ids()
        if decision.task_id is None:
            if len(pending) == 1:
                return pending[0]
            trace.warning(LogCode.APPROVAL_AMBIGUOUS, f"a decision names no task, and {len(pending)} are pending")
            return None
        if decision.task_id in pending:
            return decision.task_id
        trace.warning(LogCode.APPROVAL_UNKNOWN, f"nobody asked about {shown(decision.task_id)}")
        return None

    def carried_out(self, task_id: str, decision: Decision, trace: Trace) -> bool:
        """Lets the task go on only when it was approved in so many words: all else keeps it from being claimed."""
        if self.is_approval(decision.decision):
            return self.tasks.give_back(task_id, trace)
        return self.tasks.cancel(task_id, f"Decided by a human: {decision.decision}", trace)

    def is_approval(self, decision: str) -> bool:
        """Does it let the task go on?"""
        return decision.strip().casefold() == APPROVED

    def overdue(self, channel: Channel, now_s: float, trace: Trace) -> tuple[tuple[str, ...], tuple[Alert, ...]]:
        """Buries the tasks nobody decided about in time, and tells; gives them, and the alerts (LK-HR-07)."""
        timed_out: list[str] = []
        alerts: list[Alert] = []
        overdue = {str(each["task_id"]): each for each in self.requests.pending() if self.rules.is_overdue(each, now_s)}
        for task_id, request in overdue.items():
            agent = request.get("agent")
            fate = self.tasks.bury(task_id, agent if isinstance(agent, str) else "unknown", now_s, trace)
            if fate is None:
                continue
            if fate is not Fate.ENDED:
                alerts.append(self.alerted(task_id, channel, trace))
            if self.forgotten(task_id, trace) and fate is not Fate.ENDED:
                timed_out.append(task_id)
        return tuple(timed_out), tuple(alerts)

    def alerted(self, task_id: str, channel: Channel, trace: Trace) -> Alert:
        """Sends an alert; whatever the channel does, the operation goes on."""
        try:
            self.outside.alert(task_id, channel)
        except Exception as error:  # noqa: BLE001 - a channel is somebody else's code
            trace.error(LogCode.ALERT_FAILED, "an alert was not taken", error)
            return Alert(task_id, ok=False)
        return Alert(task_id, ok=True)

    # -- parts

    def waiting(self) -> list[str]:
        """The tasks that wait for a human."""
        return [str(each["task_id"]) for each in self.requests.pending() if self.rules.blocks(each)]

    def opened(self, trace: Trace) -> bool:
        """Are the requests read?"""
        try:
            self.requests.open(trace)
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "the requests cannot be read", error)
            return False
        return True

    def forgotten(self, task_id: str, trace: Trace) -> bool:
        """Is the request gone?"""
        try:
            self.requests.forget(task_id)
        except OSError as error:
            trace.error(LogCode.REVIEW_WRITE_FAILED, "a request that is over is still there", error)
            return False
        return True
