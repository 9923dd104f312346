"""Mutants of whoever drives plans: what he works on, tells, believes, goes on with, and finishes."""

from collections.abc import Mapping
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import msgspec

from harness.core.events import SessionEvent
from harness.core.plan_events import PhaseBegun, PlanHalted
from harness.runtime.board import Board, Held, Stage
from harness.runtime.calls import Task
from harness.runtime.crew import Said
from harness.runtime.foreman import AWAY, HALTED, HERE, MODEL, Foreman, Verdict
from harness.runtime.mutants.table import mutant
from harness.runtime.session import Session
from harness.runtime.trial import DONE, Steps
from harness.runtime.uses import Use
from harness.runtime.witness_plans import claims_success, subagent_result
from harness.runtime.worker import Worker
from harness.systems.phase_runner.contract import (
    Launch,
    RunnerResult,
    StartArguments,
    StatusArguments,
    SubagentResult,
)
from harness.systems.phase_runner.contract.words import LaunchKind, Mode, Status
from harness.systems.stop_gate.contract import CheckResult, Decision

A_CLAIM = msgspec.json.encode(SubagentResult(success=True, tasks_total=1, tasks_completed=1)).decode()


@mutant("INT-39")
class BlockedPhase(Foreman):
    """The retry of a phase is worked on as soon as it is launched, though a human was called for it."""

    _tried = ""

    def _attempt(self, launch: Launch) -> Steps[None]:
        yield from super()._attempt(launch)
        self._tried = self._task_of(launch)

    def _where(self, task: str) -> str:
        where = super()._where(task)
        if where != AWAY or task != self._tried or task in self._board.held or self._has_human(task):
            return where
        self._board.held[task] = Held(self._name, Stage.PHASE)
        return HERE

    def _has_human(self, task: str) -> bool:
        """Within this session, so that nothing of it would be tried anyhow."""
        return task in self._desk.moment.tally.with_human


@mutant("INT-47")
class UnlaunchedPhase(Foreman):
    """Every phase that is pending is worked on, whatever it depends on."""

    def _begin(self, plan: StartArguments) -> None:
        super()._begin(plan)
        for phase in self._runner.status(StatusArguments(), self._now_s).phases:
            launch = Launch(LaunchKind.PHASE, phase.phase_id)
            if phase.status is Status.PENDING and self._task_of(launch) not in self._board.enqueued:
                self._awaited.setdefault(phase.phase_id, launch)


@mutant("INT-47")
class AnyTask(Worker):
    """A phase that a human gave back is worked on by whoever claims it."""

    def _next(self) -> Mapping[str, Any] | None:
        found = super()._next()
        for task, held in self._board.held.items():
            if held.worker == self._name and self._board.is_phase(task):
                return {"task_id": task}
        return found

    def _pass_on(self, task: str) -> None:
        return


@mutant("INT-48")
class OwnRetry(Foreman):
    """What fails is tried again before anybody is told."""

    def _worked(self, task: str, launch: Launch) -> Steps[Verdict]:
        self._note(PhaseBegun, task=task, phase=launch.phase_id, attempt=launch.attempt)
        yield from self._desk.call(self._crew.call(task, MODEL))
        self._label()
        return (yield from super()._worked(task, launch))


@mutant("INT-48")
class CalledTwice(Foreman):
    """A sub-agent that was called is called once more within its attempt, and nobody hears what it said first."""

    def _worked(self, task: str, launch: Launch) -> Steps[Verdict]:
        desk = self._desk

        def twice(given: Task) -> Steps[str]:
            if given.id == task:
                yield from desk.call(given)
                self._label()
            return (yield from desk.call(given))

        self._desk = desk._replace(call=twice)
        try:
            return (yield from super()._worked(task, launch))
        finally:
            self._desk = desk


@mutant("INT-48")
class BegunAgain(Foreman):
    """After each failure the run is begun again, so that attempts are counted anew."""

    _plan: StartArguments | None = None

    def _begin(self, plan: StartArguments) -> None:
        self._plan = plan
        super()._begin(plan)

    def _settle(self, task: str, launch: Launch, verdict: Verdict) -> None:
        super()._settle(task, launch, verdict)
        if not verdict.is_complete and not self._outcome and self._plan is not None:
            self._take(self._runner.start(msgspec.structs.replace(self._plan, modes=(Mode.RESUME,)), self._now_s))


@mutant("INT-49")
class FailureClaimed(Foreman):
    """A sub-agent that could not be called is told to have succeeded."""

    def _evidence(self, task: str, said: Said) -> str | None:
        if said.text is not None:
            return super()._evidence(task, said)
        return super()._evidence(task, Said(A_CLAIM))


@mutant("INT-49")
class ClaimUntold(Foreman):
    """A claim that was weighed, and stands, is told as a failure."""

    def _evidence(self, task: str, said: Said) -> str | None:
        told = super()._evidence(task, said)
        result = subagent_result(told)
        return told if result is None else self._doubted(result)


@mutant("INT-49")
class PhaseToldTwice(Foreman):
    """What a sub-agent said is told twice."""

    def _report(self, launch: Launch, said: str | None) -> RunnerResult:
        answer = super()._report(launch, said)
        super()._report(launch, said)
        return answer


@mutant("INT-49")
class FailureUntoldOfPhase(Foreman):
    """That a phase failed is not told to the phase runner."""

    def _report(self, launch: Launch, said: str | None) -> RunnerResult:
        if claims_success(said):
            return super()._report(launch, said)
        return RunnerResult(accepted=False)


@mutant("INT-50")
class Unweighed(Foreman):
    """What is claimed is told as it is said."""

    def _evidence(self, task: str, said: Said) -> str | None:
        return said.text


@mutant("INT-50")
class RationalisationTaken(Foreman):
    """A claim is weighed, found wanting, and told all the same."""

    def _doubted(self, result: SubagentResult) -> str:
        return msgspec.json.encode(result).decode()


@mutant("INT-51")
class TakenAtItsWord(Foreman):
    """What is claimed is told to be verified, and nobody has looked."""

    def _verified(self, task: str, launch: Launch) -> Steps[Verdict]:
        desk = self._desk

        def unused(given: Use) -> Steps[str]:
            if given.task == task:
                return DONE
            return (yield from desk.use(given))

        self._desk = desk._replace(use=unused)
        try:
            return (yield from super()._verified(task, launch))
        finally:
            self._desk = desk


@mutant("INT-53")
class GoesOnByItself(Foreman):
    """A run that is halted is resumed at once, and nobody was asked."""

    _plan: StartArguments | None = None

    def _begin(self, plan: StartArguments) -> None:
        self._plan = plan
        super()._begin(plan)

    def _attempt(self, launch: Launch) -> Steps[None]:
        yield from super()._attempt(launch)
        if self._outcome == HALTED and self._plan is not None:
            self._outcome = ""
            self._awaited.clear()
            super()._begin(msgspec.structs.replace(self._plan, modes=(Mode.RESUME,)))


@mutant("INT-53")
class WorkedAfterHalt(Foreman):
    """What failed last is worked on after the halt."""

    def _attempt(self, launch: Launch) -> Steps[None]:
        yield from super()._attempt(launch)
        if self._outcome == HALTED and self._where(self._task_of(launch)) == HERE:
            self._awaited[launch.phase_id] = launch
            yield from super()._attempt(launch)
            self._outcome = HALTED


@mutant("INT-54")
class HeldByHalt(Session):
    """While a plan is halted the session does not even ask to stop."""

    _is_halted = False

    def _emit(self, event: SessionEvent) -> None:
        super()._emit(event)
        self._is_halted = self._is_halted or isinstance(event, PlanHalted)

    def request_stop(self) -> CheckResult:
        """See Session.request_stop."""
        if self._is_halted:
            return CheckResult(Decision.BLOCK, ("the plan is halted",), None, None)
        return super().request_stop()


@mutant("INT-55")
class AlwaysFresh(Foreman):
    """Each session begins the plan from the start."""

    def _begin(self, plan: StartArguments) -> None:
        super()._begin(msgspec.structs.replace(plan, modes=(Mode.FRESH,)))


@mutant("INT-55")
class PlanGivenUp(Foreman):
    """A plan that was left to the next session is given up there for another one, and nobody was asked."""

    def _begin(self, plan: StartArguments) -> None:
        driven, other = self._board.driven, msgspec.structs.replace(plan, plan_path=f"{plan.plan_path}-anew")
        if driven is not None and driven.plan == plan.plan_path:
            plan = msgspec.structs.replace(other, modes=(Mode.FRESH,))
        elif driven is not None and driven.plan == other.plan_path:
            plan = other
        super()._begin(plan)


@mutant("INT-55")
class PlanNotResumed(Foreman):
    """What a session before had left to do is worked on as if nothing had been."""

    _left: ClassVar[WeakKeyDictionary[Board, dict[str, Launch]]] = WeakKeyDictionary()

    def _begin(self, plan: StartArguments) -> None:
        left = self._left.pop(self._board, {})
        if left and self._board.driven is not None and self._board.driven.plan == plan.plan_path:
            self._awaited.update(left)
        else:
            super()._begin(plan)

    def _take(self, answer: RunnerResult) -> None:
        super()._take(answer)
        self._left[self._board] = dict(self._awaited)


@mutant("INT-56")
class FinishedAnyhow(Foreman):
    """The task of a phase is finished when it has been verified, whatever that found."""

    def _verified(self, task: str, launch: Launch) -> Steps[Verdict]:
        verdict = yield from super()._verified(task, launch)
        return verdict._replace(is_complete=True)


@mutant("INT-56")
class ConflictUnseen(Foreman):
    """The task of a phase is finished when its verification has passed, though it changed what a sibling changed."""

    def _is_complete(self, phase: str) -> bool:
        return True


@mutant("INT-57")
class PhaseUnlogged(Foreman):
    """That a phase failed stands in no log."""

    def _log(self, message: str) -> None:
        return


@mutant("INT-36")
class PhaseUncounted(Foreman):
    """The failures of phases are counted by nobody, but when a human was called."""

    def _settle(self, task: str, launch: Launch, verdict: Verdict) -> None:
        if verdict.is_complete or verdict.escalated:
            super()._settle(task, launch, verdict)
