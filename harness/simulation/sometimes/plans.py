"""What becomes of plans: retries, halts, resumes, and what their phases share with everything else."""

from harness.core.events import (
    BreakerMoved,
    BreakerTold,
    ErrorsReported,
    EscalationRaised,
    MachineRestarted,
    SessionCut,
)
from harness.core.plan_events import (
    ClaimWeighed,
    CodeReviewBegun,
    PhaseBegun,
    PhaseLaunched,
    PhaseReported,
    PhaseVerified,
    PlanBegun,
    PlanCompleted,
    PlanDecided,
    PlanHalted,
)
from harness.core.task_events import HumanDecided, ReviewsChecked, TaskAttempted
from harness.simulation.humans import CLARIFIED
from harness.simulation.sometimes.machine import MachineWatch
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.circuit_breaker.contract import Outcome, State
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, LaunchKind, Mode
from harness.systems.signals.contract import APPROVED

SITUATIONS: Catalogue = {
    "breaker-opens-in-a-parallel-batch": Situation(
        "a failed call of a phase opens a breaker, while a sibling of the phase is launched and has not ended",
        ("LK-CB-10", "AB-PAR-01"),
    ),
    "retried-phase-is-complete": Situation("the retry of a phase succeeds", ("AB-RTY-01", "AB-RTY-03")),
    "retry-fails-and-the-plan-halts": Situation(
        "the retry of a phase fails, and the plan halts", ("AB-RTY-03", "AB-HLT-01")
    ),
    "plan-halts-at-once": Situation(
        "a first attempt fails so that it is not retried, and the plan halts", ("AB-RTY-04", "AB-HLT-01")
    ),
    "siblings-conflict": Situation(
        "a phase that passed has changed what a sibling changed, and is not complete", ("AB-NRT-04",)
    ),
    "sibling-works-on-before-a-retry": Situation(
        "a phase of a batch fails, and a sibling is worked on before its retry", ("AB-PAR-01",)
    ),
    "siblings-are-retried-together": Situation("two phases of a batch are retried together", ("AB-PAR-03",)),
    "doubted-claim-is-retried": Situation(
        "a claim with a rationalisation is told as a failure, and the phase retried", ("LK-RAT-06", "AB-RTY-01")
    ),
    "doubted-phase-is-complete": Situation(
        "a phase whose first claim was doubted is complete at its retry", ("LK-RAT-06", "AB-RTY-03")
    ),
    "verification-contradicts-a-claim": Situation(
        "a claim of success is accepted, and a fresh verification fails", ("AB-ERR-05",)
    ),
    "phase-fails-by-its-review": Situation(
        "a phase whose gates passed is told as failed, because its review has not passed", ("LK-GEN-04", "AB-ERR-05")
    ),
    "halted-plan-is-resumed": Situation(
        "a human resumes a halted plan, and the phase that failed is launched again", ("AB-HLT-02", "AB-RES-01")
    ),
    "resumed-plan-is-completed": Situation(
        "a plan that was halted and resumed is completed", ("AB-RES-02", "AB-RES-03")
    ),
    "halted-plan-gives-way-to-another": Situation(
        "a human gives up a halted plan, and another begins fresh", ("AB-HLT-02", "AB-FRS-01")
    ),
    "plan-cannot-begin-on-a-full-disk": Situation(
        "a plan cannot be begun or gone on with, since the disk is full", ("AB-STA-05", "AB-STA-06")
    ),
    "plan-is-completed-over-a-restart": Situation(
        "the machine restarts between two launches of a plan that is completed in the end",
        ("AB-STA-06", "AB-RES-04"),
    ),
    "phase-cut-off-is-complete-later": Situation(
        "a session is cut in a phase, and a later session completes it", ("AB-RES-04", "AB-STA-06")
    ),
    "session-dies-between-claim-and-verification": Situation(
        "a session is cut after a claim was accepted, and before the phase is reviewed or verified",
        ("AB-STA-06", "AB-RES-04"),
    ),
    "human-is-called-within-a-phase": Situation(
        "a call of a phase calls a human, so that the phase runner hears no answer", ("LK-FB-04", "AB-ERR-04")
    ),
    "phase-waits-for-a-human-and-is-complete": Situation(
        "a phase's failures call a human, who gives it back, and it is complete", ("LK-HR-02", "AB-RTY-01")
    ),
    "phase-that-nobody-will-do-is-told": Situation(
        "a phase is launched whose task is dead or given up, and no answer is told", ("LK-DQ-01", "AB-ERR-04")
    ),
}

_SIBLINGS = 2  # so many phases of a batch are siblings


class _Phase:
    """The phase that a session works on."""

    __slots__ = ("attempt", "is_claimed", "is_doubted", "is_escalated", "is_reviewed", "name", "task")

    def __init__(self, name: str, task: str, attempt: int) -> None:
        self.name = name
        self.task = task
        self.attempt = attempt
        self.is_claimed = self.is_doubted = self.is_escalated = self.is_reviewed = False


class PlanWatch:
    """Of the plans, one after the other; whether the disk is full is ``machine``'s to say."""

    def __init__(self, note: Note, machine: MachineWatch) -> None:
        self._note = note
        self._machine = machine
        self._at_work: dict[str, _Phase] = {}  # by session
        self._decision = ""  # about the plan that was halted last
        self._halted: set[str] = set()  # phases that had failed when it was
        self._has_launched = False
        self._is_restarted = self._was_resumed = False
        self._given_back: set[str] = set()  # tasks, by a human who was asked about them
        self._failure: tuple[str, str] = ("", "")  # the session and the breaker that was told of a failure last
        self._cut_off: set[str] = set()
        self._forget_run()
        self.takes: Takes = {
            PlanBegun: self._begun,
            PhaseLaunched: self._launch,
            PhaseBegun: self._taken_up,
            ClaimWeighed: self._weighed,
            PhaseReported: self._reported,
            CodeReviewBegun: self._review_begun,
            PhaseVerified: self._verified,
            TaskAttempted: self._attempted,
            EscalationRaised: self._escalated,
            HumanDecided: self._human_decided,
            ReviewsChecked: self._checked,
            PlanHalted: self._plan_halted,
            PlanDecided: self._decided,
            PlanCompleted: self._completed,
            BreakerTold: self._breaker_told,
            BreakerMoved: self._breaker_moved,
            ErrorsReported: self._ended,
            SessionCut: self._cut,
            MachineRestarted: self._restarted,
        }

    def _forget_run(self) -> None:
        """A run begins anew."""
        self._out: set[str] = set()  # phases that are launched, and whose attempt has not ended
        self._failed: dict[str, int] = {}
        self._worked_since: set[str] = set()  # phases that failed, and something else was worked on since
        self._doubted: set[str] = set()
        self._retried: set[str] = set()  # together

    # -- a run

    def _begun(self, session: str, event: PlanBegun) -> None:
        if not event.accepted:
            if self._machine.is_full:
                self._note("plan-cannot-begin-on-a-full-disk")
            return
        self._forget_run()
        if Mode.FRESH in event.modes:
            if self._decision == Mode.FRESH:
                self._note("halted-plan-gives-way-to-another")
            self._has_launched = self._is_restarted = self._was_resumed = False
            self._halted.clear()
            self._given_back.clear()
            self._cut_off.clear()
        self._decision = "" if self._decision == Mode.FRESH else self._decision

    def _launch(self, session: str, event: PhaseLaunched) -> None:
        if event.kind != LaunchKind.PHASE:
            return
        phase = event.phase
        self._has_launched = True
        self._out.add(phase)
        if self._decision == Mode.RESUME and phase in self._halted:
            self._decision, self._was_resumed = "", True
            self._note("halted-plan-is-resumed")
        if event.attempt < MAX_ATTEMPTS:
            return
        self._retried.add(phase)
        for holds, situation in (
            (phase in self._worked_since, "sibling-works-on-before-a-retry"),
            (len(self._retried) == _SIBLINGS, "siblings-are-retried-together"),
            (phase in self._doubted, "doubted-claim-is-retried"),
        ):
            if holds:
                self._note(situation)

    def _plan_halted(self, session: str, event: PlanHalted) -> None:
        self._halted = set(event.failed)
        attempts = {self._failed.get(phase) for phase in event.failed}
        if MAX_ATTEMPTS in attempts:
            self._note("retry-fails-and-the-plan-halts")
        elif attempts == {1}:
            self._note("plan-halts-at-once")
        self._decision = ""

    def _decided(self, session: str, event: PlanDecided) -> None:
        self._decision = event.decision

    def _completed(self, session: str, event: PlanCompleted) -> None:
        if self._was_resumed:
            self._note("resumed-plan-is-completed")
        if self._is_restarted:
            self._note("plan-is-completed-over-a-restart")
        self._has_launched = self._is_restarted = self._was_resumed = False

    # -- an attempt

    def _taken_up(self, session: str, event: PhaseBegun) -> None:
        self._at_work[session] = _Phase(event.phase, event.task, event.attempt)
        self._worked_since |= set(self._failed) - {event.phase}
        self._retried.clear()

    def _weighed(self, session: str, event: ClaimWeighed) -> None:
        if (at_work := self._at_work.get(session)) is not None and event.phrases and not event.proceeds:
            at_work.is_doubted = True

    def _escalated(self, session: str, event: EscalationRaised) -> None:
        if (at_work := self._at_work.get(session)) is not None and event.task == at_work.task:
            at_work.is_escalated = True

    def _reported(self, session: str, event: PhaseReported) -> None:
        at_work = self._at_work.get(session)
        if event.claimed:
            if at_work is not None and event.accepted:
                at_work.is_claimed = True
            return
        self._failed[event.phase] = event.attempt
        self._worked_since.discard(event.phase)
        self._out.discard(event.phase)
        if at_work is None or at_work.name != event.phase:
            if not event.answered:
                self._note("phase-that-nobody-will-do-is-told")
        elif at_work.is_doubted:
            self._doubted.add(event.phase)
        elif at_work.is_escalated and not event.answered:
            self._note("human-is-called-within-a-phase")

    def _review_begun(self, session: str, event: CodeReviewBegun) -> None:
        if (at_work := self._at_work.get(session)) is not None:
            at_work.is_reviewed = True

    def _verified(self, session: str, event: PhaseVerified) -> None:
        at_work = self._at_work.get(session)
        if at_work is None or not event.accepted:
            return
        at_work.is_claimed = False
        self._out.discard(event.phase)
        if not event.complete:
            self._failed[event.phase] = event.attempt
            self._worked_since.discard(event.phase)
            if event.passed:
                self._note("siblings-conflict")
            else:
                self._note("phase-fails-by-its-review" if at_work.is_reviewed else "verification-contradicts-a-claim")
            return
        for holds, situation in (
            (event.attempt == MAX_ATTEMPTS, "retried-phase-is-complete"),
            (event.phase in self._doubted, "doubted-phase-is-complete"),
            (at_work.task in self._cut_off, "phase-cut-off-is-complete-later"),
            (at_work.task in self._given_back, "phase-waits-for-a-human-and-is-complete"),
        ):
            if holds:
                self._note(situation)
        self._failed.pop(event.phase, None)
        self._cut_off.discard(at_work.task)
        self._given_back.discard(at_work.task)

    def _attempted(self, session: str, event: TaskAttempted) -> None:
        at_work = self._at_work.get(session)
        if at_work is not None and at_work.task == event.task:
            del self._at_work[session]

    def _human_decided(self, session: str, event: HumanDecided) -> None:
        if event.done and event.decision == CLARIFIED:
            self._given_back.add(event.task)

    def _checked(self, session: str, event: ReviewsChecked) -> None:
        self._given_back |= {task for task, decision in event.resolved.items() if decision == APPROVED}

    # -- what befalls it

    def _breaker_moved(self, session: str, event: BreakerMoved) -> None:
        at_work, moved = self._at_work.get(session), (event.before, event.after)
        if at_work is None or moved != (State.CLOSED, State.OPEN) or self._failure != (session, event.provider):
            return
        if self._out - {at_work.name}:
            self._note("breaker-opens-in-a-parallel-batch")

    def _breaker_told(self, session: str, event: BreakerTold) -> None:
        self._failure = (session, event.provider) if event.outcome == Outcome.FAILURE else ("", "")

    def _ended(self, session: str, event: ErrorsReported) -> None:
        self._at_work.pop(session, None)

    def _cut(self, session: str, event: SessionCut) -> None:
        at_work = self._at_work.pop(session, None)
        if at_work is None:
            return
        self._cut_off.add(at_work.task)
        if at_work.is_claimed and not at_work.is_reviewed:
            self._note("session-dies-between-claim-and-verification")

    def _restarted(self, session: str, event: MachineRestarted) -> None:
        self._is_restarted = self._has_launched
