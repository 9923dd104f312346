"""What must hold of plans that are driven, INT-47..57; see order.py. Pure.

Readings of ours. A phase is one task of the queues, and an attempt at it is one attempt at that task. So the counts of
the documents lie in each other: within an attempt a tool has two recoveries (DR-REC-07), which are no attempts; within
a run a phase has two attempts, of which the second is its one retry (AB-RTY-01); over all runs its task has five
(LK-DQ-01), and a human is called at the third (LK-HR-02), whether or not the run goes on. Then the retry waits until he
gives the task back; when nobody will (it is dead, or given up), the phase runner hears that no answer came. A run
begins anew with each session, since what the one before left running is executed again (AB-RES-04), and within a
session it begins once: who began it again would have as many retries as he likes.

What is weighed (LK-RAT-06) is the claim of success: with a rationalisation it is no evidence, and told as a failure.
The review (LK-REV-01) lies between the fresh verification and its report: with that report the phase is complete, and
what it blocks would begin. It is of what is there now: who returned in a round that began before the attempt has seen
what was there before, so that round passes nothing (LK-REV-05). Siblings are not consecutive (AB-PAR-01): a review that
blocks one of them stays open, and whoever is done next goes on with it, since none begins while it is (LK-GEN-04).
A halt holds the plan until a human decides, and nobody's session.

After a rule is broken the watcher goes on from what it saw, so that one defect breaks one rule.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.core.event import Event
from harness.core.events import (
    CallBegun,
    CallEnded,
    ErrorsReported,
    FailureObserved,
    StopRequested,
    SystemSilent,
    UseBegun,
    UseEnded,
)
from harness.core.plan_events import (
    ClaimWeighed,
    CodeReviewBegun,
    CodeReviewed,
    PhaseBegun,
    PhaseLaunched,
    PhaseReported,
    PhaseVerified,
    PlanBegun,
    PlanCompleted,
    PlanDecided,
    PlanHalted,
)
from harness.core.task_events import TaskAttempted, TaskCompleted
from harness.runtime.order_phase import Doing, Drive
from harness.runtime.witness_plans import PHASE
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, LaunchKind, Mode
from harness.systems.review_gate.contract import Decision
from harness.systems.session_recovery.contract import Finished

DONE = "done"
Broken = Iterator[str]


class PlanOrder:
    """Watches the plans of a project, one after the other, in all sessions."""

    def __init__(self) -> None:
        self._plan = ""  # the one that was begun last
        self._complete: set[str] = set()  # its phases
        self._is_halted = False  # and no human has decided since
        self._is_left = False  # it is neither complete nor given up by a human
        self._review = ""  # that was begun last and has not passed
        self._is_full = False
        self._drives: dict[str, Drive] = {}
        self._strays: set[str] = set()  # tasks of which a rule was broken, so that what follows says nothing
        self._takes: Mapping[type[Event], Callable[[Drive, Any], Broken]] = {
            PlanBegun: self._begun,
            PhaseLaunched: self._launched,
            PhaseBegun: self._taken_up,
            PhaseReported: self._reported,
            PhaseVerified: self._verified,
            PlanHalted: self._halted,
            PlanCompleted: self._completed,
            ClaimWeighed: self._weighed,
            CodeReviewBegun: self._review_begun,
            CodeReviewed: self._reviewed,
            CallBegun: self._working,
            UseBegun: self._working,
            CallEnded: self._worked,
            UseEnded: self._worked,
            FailureObserved: self._failed,
            TaskAttempted: self._attempted,
            TaskCompleted: self._finished,
            StopRequested: self._asked_to_stop,
            ErrorsReported: self._over,
            SystemSilent: self._silent,
        }

    def take(self, session: str, event: Event) -> Broken:
        """The rules that this event breaks."""
        if isinstance(event, PlanDecided):
            self._decided(event)
            return
        take = self._takes.get(type(event))
        if take is None or not (self._plan or isinstance(event, PlanBegun)):
            return
        drive = self._drives.setdefault(session, Drive())
        if not drive.is_lenient or isinstance(event, PlanBegun):
            yield from take(drive, event)
        elif isinstance(event, CodeReviewed | CodeReviewBegun):
            self._review = ""  # how that stands now is not known
        elif isinstance(event, PlanCompleted):
            self._is_left = False

    def fill(self, *, full: bool) -> None:
        """The disk is full from now on, or no longer: which reviews have passed, a gate that keeps it there forgets."""
        self._is_full = full
        self._review = ""

    def cut(self, session: str) -> None:
        """The session died."""
        self._drives.pop(session, None)

    def end(self, session: str) -> Broken:
        """The rules that are broken by an end here."""
        drive = self._drives.pop(session, None)
        if drive is not None and drive.doing is not None and drive.doing.told is None:
            yield "INT-49"

    # -- runs

    def _begun(self, drive: Drive, event: PlanBegun) -> Broken:
        drive.is_lenient = False
        if self._is_halted:
            self._is_halted = False
            yield "INT-53"
        elif drive.is_running:
            yield "INT-48"
        elif event.accepted and self._is_left and event.plan != self._plan:
            yield "INT-55"
        if not event.accepted:
            return
        self._is_left = not event.error
        if event.plan != self._plan:
            self._plan, self._complete, self._review = event.plan, set(), ""
            self._strays.clear()
        drive.begin()

    def _launched(self, drive: Drive, event: PhaseLaunched) -> Broken:
        if event.kind != LaunchKind.PHASE:
            if drive.doing is not None:
                drive.doing.is_verifying = True
            return
        drive.launched[event.phase] = event.attempt
        if drive.is_over:
            yield "INT-53"
        elif event.phase in self._complete:
            self._complete.discard(event.phase)
            yield "INT-55"
        elif event.attempt > MAX_ATTEMPTS:
            yield "INT-48"

    def _halted(self, drive: Drive, event: PlanHalted) -> Broken:
        drive.is_running, drive.is_over = False, True
        drive.must_ask = self._is_halted = True
        yield from ()

    def _completed(self, drive: Drive, event: PlanCompleted) -> Broken:
        self._is_left = False
        drive.is_running, drive.is_over = False, True
        yield from ()

    def _decided(self, event: PlanDecided) -> None:
        self._is_halted = False
        if event.decision == Mode.FRESH:
            self._complete, self._review, self._is_left = set(), "", False

    # -- an attempt at a phase

    def _taken_up(self, drive: Drive, event: PhaseBegun) -> Broken:
        doing, drive.doing = drive.doing, Doing(event.task, event.phase, event.attempt)
        launched = drive.launched.pop(event.phase, None)
        is_again = drive.latest == (event.phase, event.attempt)
        drive.latest = (event.phase, event.attempt)
        found = (
            (not (drive.is_running or drive.is_over), "INT-55"),
            (drive.is_over, "INT-53"),
            (is_again and launched != event.attempt, "INT-48"),
            (doing is not None and doing.told is None, "INT-49"),
            (launched != event.attempt, "INT-47"),
        )
        broken = [rule for holds, rule in found if holds][:1]
        if broken == ["INT-55"]:  # what is launched in it was not told to this session
            drive.is_lenient, drive.doing = True, None
            self._strays.add(event.task)
        yield from broken

    def _working(self, drive: Drive, event: CallBegun | UseBegun) -> Broken:
        drive.task = event.task
        doing = drive.doing
        if doing is not None and doing.task == event.task:
            if isinstance(event, CallBegun) and doing.is_begun:
                yield "INT-48"
            doing.is_begun = doing.is_begun or isinstance(event, CallBegun)
        elif self._is_phase(event.task):
            self._strays.add(event.task)
            yield "INT-47"

    def _worked(self, drive: Drive, event: CallEnded | UseEnded) -> Broken:
        if drive.doing is not None:
            drive.doing.ran(drive.task, is_call=isinstance(event, CallEnded), is_done=event.outcome == DONE)
        yield from ()

    def _weighed(self, drive: Drive, event: ClaimWeighed) -> Broken:
        if drive.doing is not None and event.action.endswith(f" {drive.doing.task}"):
            drive.doing.proceeds = event.proceeds
        yield from ()

    def _reported(self, drive: Drive, event: PhaseReported) -> Broken:
        doing = drive.doing
        if doing is None or doing.told is not None or (doing.phase, doing.attempt) != (event.phase, event.attempt):
            if not (drive.is_running or drive.is_over):
                drive.is_lenient = True
                yield "INT-55"
            elif event.answered or drive.launched.get(event.phase) != event.attempt:
                yield "INT-49"
            else:  # nobody works on it, and that is said
                del drive.launched[event.phase]
            return
        doing.told = event.claimed
        if event.answered is not doing.is_called or (doing.proceeds and not event.claimed):
            yield "INT-49"
        elif event.claimed and not doing.proceeds:
            yield "INT-50"

    def _verified(self, drive: Drive, event: PhaseVerified) -> Broken:
        doing = drive.doing
        if doing is None or not doing.told or doing.is_complete is not None or doing.phase != event.phase:
            yield "INT-49"
            return
        doing.is_complete = event.complete
        if event.passed and not doing.is_checked:
            yield "INT-51"
        elif event.passed and not doing.is_reviewed:
            yield "INT-52"
        if doing.is_complete:
            self._complete.add(event.phase)

    def _review_begun(self, drive: Drive, event: CodeReviewBegun) -> Broken:
        if self._review not in ("", event.task):
            yield "INT-52"
        if event.begun and not self._is_full:
            self._review = event.task

    def _reviewed(self, drive: Drive, event: CodeReviewed) -> Broken:
        doing = drive.doing
        if doing is None or not event.accepted or not event.task.startswith(f"{self._plan}/"):
            return
        if event.decision == Decision.PASSED and event.task == self._review:
            self._review = ""
        if event.operation == "open":
            doing.review_anew()
        elif event.operation == "fixed":
            if not doing.is_changed:
                yield "INT-52"
            doing.review_anew()
        elif event.operation == "analysed":
            if not doing.is_analysed:
                yield "INT-52"
            doing.awaited = set(event.launched)
        elif event.operation == "report":
            doing.returned(event.reviewer, passed=event.decision == Decision.PASSED)
            if not doing.has_returned:
                yield "INT-52"
        doing.has_returned = doing.is_changed = False

    # -- what becomes of its task

    def _failed(self, drive: Drive, event: FailureObserved) -> Broken:
        """Whether it is recorded then, INT-01 says."""
        if event.tool == PHASE and drive.doing is not None:
            drive.doing.is_logged = True
        yield from ()

    def _attempted(self, drive: Drive, event: TaskAttempted) -> Broken:
        doing = drive.doing
        if doing is None or doing.task != event.task:
            if self._is_phase(event.task):
                self._strays.add(event.task)
                yield "INT-47"
            return
        drive.doing = None
        if doing.told is None or event.succeeded is not bool(doing.is_complete):
            drive.is_lenient = True
            self._strays.add(event.task)
            yield "INT-49" if doing.told is None else "INT-56"
        elif not event.succeeded and not doing.is_logged:
            yield "INT-57"

    def _finished(self, drive: Drive, event: TaskCompleted) -> Broken:
        phase = event.task.removeprefix(f"{self._plan}/")
        if self._is_phase(event.task) and event.outcome != Finished.FAILED and phase not in self._complete:
            yield "INT-56"

    def _is_phase(self, task: str) -> bool:
        """Is it a phase of this plan, of which no rule was broken?"""
        found, _, phase = task.rpartition("/")
        return found == self._plan and phase != "" and task not in self._strays

    # -- the session

    def _asked_to_stop(self, drive: Drive, event: StopRequested) -> Broken:
        drive.must_ask = False
        yield from ()

    def _over(self, drive: Drive, event: ErrorsReported) -> Broken:
        if drive.must_ask:
            drive.must_ask = False
            yield "INT-54"

    def _silent(self, drive: Drive, event: SystemSilent) -> Broken:
        """What would have been told is not known."""
        if drive.doing is not None:
            self._strays.add(drive.doing.task)
        drive.is_lenient, drive.doing = True, None
        self._review = ""
        yield from ()
