"""Mutants of whoever drives plans: what he works on, tells, believes, has reviewed, goes on with, and finishes."""

from collections.abc import Mapping
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import msgspec

from harness.core.events import SessionEvent
from harness.core.plan_events import PhaseBegun, PlanHalted
from harness.runtime.board import Board, Held, Stage
from harness.runtime.code_review import CodeReview
from harness.runtime.crew import Said
from harness.runtime.foreman import AWAY, HALTED, HERE, MODEL, Foreman, Verdict
from harness.runtime.mutants.table import mutant
from harness.runtime.session import Session
from harness.runtime.trial import Steps
from harness.runtime.witness_plans import claims_success, passes
from harness.runtime.worker import Worker
from harness.systems.phase_runner.contract import (
    Launch,
    RunnerResult,
    StartArguments,
    StatusArguments,
    SubagentResult,
    VerifiedArguments,
)
from harness.systems.phase_runner.contract.words import LaunchKind, Mode, Status
from harness.systems.review_gate.contract import Issue, ReportArguments
from harness.systems.stop_gate.contract import CheckResult, Decision

NOTHING_FOUND: tuple[Issue, ...] = ()
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
        if found is not None:
            return found
        for task, held in self._board.held.items():
            if held.worker == self._name and self._board.is_phase(task):
                return {"task_id": task}
        return None

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
        gates = dict(self._crew.gates(launch))
        yield from self._reviewed(task)
        self._label()
        answer = self._runner.verified(VerifiedArguments(launch.phase_id, launch.attempt, gates), self._now_s)
        self._take(answer)
        return Verdict(answer.accepted and all(map(passes, gates.values())), why="its verification failed")


@mutant("INT-52")
class Unreviewed(Foreman):
    """What is verified is not reviewed."""

    def _reviewed(self, task: str) -> Steps[bool]:
        yield from ()
        return True


@mutant("INT-52")
class BlockIgnored(Foreman):
    """A review that blocks is heard, and gone on from."""

    def _reviewed(self, task: str) -> Steps[bool]:
        yield from super()._reviewed(task)
        return True


class _Uncalled(CodeReview):
    def _returned(self, reviewers: tuple[str, ...], number: int) -> Steps[None]:
        yield from ()
        for reviewer in reviewers:
            self._gate.report(ReportArguments(self._name, number, reviewer, NOTHING_FOUND), self._now_s)


class _Unanalysed(CodeReview):
    def _analysed(self, number: int) -> Steps[tuple[Issue, ...]]:
        yield from ()
        return NOTHING_FOUND


@mutant("INT-52")
class ReviewersUncalled(Foreman):
    """The review of reviewers whom nobody called is told."""

    reviews = _Uncalled


@mutant("INT-52")
class Unanalysed(Foreman):
    """Static analysis is told to have found nothing, and was not run."""

    reviews = _Unanalysed


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
