"""What passes between whoever drives a plan and the systems he asks, as events; see witness.py.

Without an answer nothing is launched, no review passes, and no claim is taken for evidence.
"""

from collections.abc import Callable

import msgspec

from harness.core.plan_events import (
    ClaimWeighed,
    CodeReviewBegun,
    CodeReviewed,
    PhaseLaunched,
    PhaseReported,
    PhaseVerified,
    PlanBegun,
    PlanCompleted,
    PlanHalted,
)
from harness.runtime.ports import PhaseRunner, Systems
from harness.runtime.witness import Note, answered
from harness.systems.phase_runner.contract import (
    GateResult,
    ReportArguments,
    RunnerResult,
    StartArguments,
    StatusArguments,
    StatusResult,
    SubagentResult,
    VerifiedArguments,
)
from harness.systems.phase_runner.contract.words import Status
from harness.systems.rationalization.contract import Action, EnforceArguments, EnforceResult
from harness.systems.review_gate.contract import (
    AnalysedArguments,
    BeginTaskArguments,
    BeginTaskResult,
    Decision,
    FixedArguments,
    OpenArguments,
    ReviewResult,
)
from harness.systems.review_gate.contract import ReportArguments as ReviewerArguments
from harness.systems.review_gate.contract import StatusArguments as GateStatusArguments

PHASE = "phase"  # what has failed, as the log has it, when a phase has
STATUS = "status"
NOT_ACCEPTED = RunnerResult(accepted=False)
NOT_REVIEWED = ReviewResult(accepted=False, decision=Decision.PENDING)


class WitnessedRunner:
    """A phase runner, and what it launches."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.runner
        self._note = note
        self._plan = ""

    def start(self, arguments: StartArguments, now_s: float) -> RunnerResult:
        """See PhaseRunner.start."""
        result = self._answer("start", lambda: self._inner.start(arguments, now_s))
        self._plan = arguments.plan_path
        error = "" if result.error is None else result.error.type.value
        modes = tuple(map(str, arguments.modes))
        self._note(PlanBegun, plan=self._plan, modes=modes, accepted=result.accepted, error=error)
        return self._told(result)

    def report(self, arguments: ReportArguments, now_s: float) -> RunnerResult:
        """See PhaseRunner.report."""
        result = self._answer("report", lambda: self._inner.report(arguments, now_s))
        self._note(
            PhaseReported,
            phase=arguments.phase_id,
            attempt=arguments.attempt,
            answered=arguments.said is not None,
            claimed=claims_success(arguments.said),
            accepted=result.accepted,
        )
        return self._told(result)

    def verified(self, arguments: VerifiedArguments, now_s: float) -> RunnerResult:
        """See PhaseRunner.verified."""
        result = self._answer("verified", lambda: self._inner.verified(arguments, now_s))
        self._note(
            PhaseVerified,
            phase=arguments.phase_id,
            attempt=arguments.attempt,
            passed=all(map(passes, arguments.gates.values())),
            accepted=result.accepted,
            complete=is_complete(self, arguments.phase_id, now_s),
        )
        return self._told(result)

    def status(self, arguments: StatusArguments, now_s: float) -> StatusResult:
        """See PhaseRunner.status."""
        careful = StatusResult(())
        return answered(self._note, "phase_runner", "status", lambda: self._inner.status(arguments, now_s), careful)

    def _answer(self, operation: str, ask: Callable[[], RunnerResult]) -> RunnerResult:
        return answered(self._note, "phase_runner", operation, ask, NOT_ACCEPTED)

    def _told(self, result: RunnerResult) -> RunnerResult:
        for launch in result.launch:
            self._note(PhaseLaunched, phase=launch.phase_id, attempt=launch.attempt, kind=launch.kind.value)
        if result.halted:
            summary = result.summary
            self._note(
                PlanHalted,
                plan=self._plan,
                reason="" if summary is None else summary.reason,
                completed=() if summary is None else tuple(each.phase_id for each in summary.completed),
                failed=() if summary is None else tuple(each.phase_id for each in summary.failed),
                blocked=() if summary is None else tuple(each.phase_id for each in summary.blocked),
            )
        elif result.completed:
            self._note(PlanCompleted, plan=self._plan)
        return result


class WitnessedReviewGate:
    """A review gate, and what it decides."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.review_gate
        self._note = note

    def begin_task(self, arguments: BeginTaskArguments, now_s: float) -> BeginTaskResult:
        """See ReviewGate.begin_task."""
        careful = BeginTaskResult(begun=False)
        result = answered(
            self._note, "review_gate", "begin_task", lambda: self._inner.begin_task(arguments, now_s), careful
        )
        self._note(CodeReviewBegun, task=arguments.task, begun=result.begun)
        return result

    def open(self, arguments: OpenArguments, now_s: float) -> ReviewResult:
        """See ReviewGate.open."""
        return self._answer("open", arguments.task, lambda: self._inner.open(arguments, now_s))

    def analysed(self, arguments: AnalysedArguments, now_s: float) -> ReviewResult:
        """See ReviewGate.analysed."""
        return self._answer("analysed", arguments.task, lambda: self._inner.analysed(arguments, now_s))

    def report(self, arguments: ReviewerArguments, now_s: float) -> ReviewResult:
        """See ReviewGate.report."""
        reviewer = arguments.reviewer
        return self._answer("report", arguments.task, lambda: self._inner.report(arguments, now_s), reviewer)

    def fixed(self, arguments: FixedArguments, now_s: float) -> ReviewResult:
        """See ReviewGate.fixed."""
        return self._answer("fixed", arguments.task, lambda: self._inner.fixed(arguments, now_s))

    def status(self, arguments: GateStatusArguments, now_s: float) -> ReviewResult:
        """See ReviewGate.status."""
        return self._answer(STATUS, arguments.task, lambda: self._inner.status(arguments, now_s))

    def _answer(self, operation: str, task: str, ask: Callable[[], ReviewResult], reviewer: str = "") -> ReviewResult:
        result = answered(self._note, "review_gate", operation, ask, NOT_REVIEWED)
        if operation == STATUS and not result.launch:  # who only looks changes nothing
            return result
        self._note(
            CodeReviewed,
            task=task,
            operation=operation,
            round=result.round,
            reviewer=reviewer,
            accepted=result.accepted,
            launched=tuple(launch.name for launch in result.launch),
            decision=result.decision.value,
        )
        return result


class WitnessedWatch:
    """A watch over rationalisations, and what it stops."""

    def __init__(self, systems: Systems, note: Note) -> None:
        self._inner = systems.watch
        self._note = note

    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        """See Watch.enforce."""
        careful = EnforceResult((), proceeds=False)
        result = answered(
            self._note, "rationalization", "enforce", lambda: self._inner.enforce(arguments, now_s), careful
        )
        named = tuple(step.detail for step in result.steps if step.action == Action.IDENTIFY)
        self._note(ClaimWeighed, action=arguments.action, phrases=named, proceeds=result.proceeds, logged=result.logged)
        return result


def is_complete(runner: PhaseRunner, phase: str, now_s: float) -> bool:
    """Does the phase runner say so of that phase?"""
    found = runner.status(StatusArguments((phase,)), now_s).phases
    return any(each.phase_id == phase and each.status is Status.COMPLETE for each in found)


def subagent_result(said: str | None) -> SubagentResult | None:
    """What a sub-agent said, when it can be understood."""
    if said is None:
        return None
    try:
        return msgspec.json.decode(said, type=SubagentResult)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def claims_success(said: str | None) -> bool:
    """Does a sub-agent claim that its phase is done?"""
    result = subagent_result(said)
    return result is not None and result.success


def passes(gate: GateResult) -> bool:
    """Did the gate find nothing?"""
    return gate.exit_code == 0 and not gate.failures
