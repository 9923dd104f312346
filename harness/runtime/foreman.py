"""How a session drives a plan: what the phase runner launches is worked on, verified, reviewed and told to it.

A phase is a task of the queues, in progress from its first launch on. Each attempt at it is one attempt at that task,
so its failures are counted with those of all tasks, a human is called at the third, and the fifth makes a dead letter;
what becomes of such a phase, and how the mechanisms meet where documents are silent, order_plans.py says, and checks.
"""

from typing import Any, NamedTuple

import msgspec

from harness.core.plan_events import PhaseBegun
from harness.ports.launcher import Ended
from harness.runtime.board import Driven, Stage
from harness.runtime.code_review import CodeReview
from harness.runtime.crew import Crew, Said
from harness.runtime.trial import DONE, Steps
from harness.runtime.witness_plans import PHASE, is_complete, passes, subagent_result
from harness.runtime.worker import Attempted, Desk, Worker
from harness.systems.error_log.contract import ErrorType
from harness.systems.phase_runner.contract import (
    GateResult,
    Launch,
    ReportArguments,
    RunnerResult,
    StartArguments,
    SubagentResult,
    VerifiedArguments,
)
from harness.systems.phase_runner.contract.words import Gate, LaunchKind
from harness.systems.queue_files import BLOCKED, IN_PROGRESS, PENDING
from harness.systems.rationalization.contract import EnforceArguments

COMPLETED = "completed"
HALTED = "halted"
LEFT = "left"  # for the next session: a human has a phase, there was enough of it, or something could not be stored
REFUSED = "refused"
MOST_GONE = 64  # phases nobody will do that are told in a row, whatever a phase runner launches
MOST_PHASES = 6  # attempts in one session
MODEL = "opus"
HERE, AWAY, GONE = "here", "away", "gone"
UNRUN = {Gate.TEST: GateResult(exit_code=1, output_summary="the gates could not be run")}
UNREVIEWED = GateResult(exit_code=1, output_summary="the review has not passed")


class Verdict(NamedTuple):
    """How an attempt at a phase ended: is the phase complete, has a human been called, and what is wrong?"""

    is_complete: bool
    escalated: bool = False
    why: str = ""


class Foreman:
    """Drives one plan in one session, with the worker of ``name``."""

    reviews: type[CodeReview] = CodeReview
    most_phases = MOST_PHASES

    def __init__(self, name: str, worker: Worker, desk: Desk, crew: Crew) -> None:
        self._name = name
        self._worker = worker
        self._desk = desk
        self._board = desk.board
        self._runner = desk.systems.runner
        self._crew = crew
        self._awaited: dict[str, Launch] = {}  # what was launched and nobody works on yet, by phase
        self._outcome = ""  # until it is over
        self._phases = 0
        self._answer = RunnerResult(accepted=False)

    def steps(self, plan: StartArguments) -> Steps[str]:
        """As far as it goes in this session: COMPLETED, HALTED, LEFT or REFUSED.

        It begins with a start of the phase runner: what a session before left running is executed again (AB-RES-04).
        """
        self._label()
        self._worker.put_right()
        self._begin(plan)
        while not self._outcome:
            launch = self._next()
            if launch is None or self._phases >= self.most_phases:
                self._leave()
            else:
                yield from self._attempt(launch)
        return self._outcome

    def _leave(self) -> None:
        """Enough for this session."""
        self._outcome = self._outcome or LEFT

    def _begin(self, plan: StartArguments) -> None:
        answer = self._runner.start(plan, self._now_s)
        if not answer.accepted or answer.error is not None:
            self._outcome = REFUSED
            return
        driven = self._board.driven = Driven(plan.plan_path, self._name)
        for task in self._board.of(self._name, Stage.PHASE):
            if not driven.has(task):  # of a plan that was given up: it is a task like any other
                self._board.set_stage(task, Stage.WORK)
        self._take(answer)

    def _take(self, answer: RunnerResult) -> None:
        """What is launched now is awaited; what is over is over."""
        for launch in answer.launch:
            if launch.kind is LaunchKind.PHASE:
                self._awaited[launch.phase_id] = launch
        self._answer = answer
        if not answer.accepted:
            self._outcome = LEFT
        elif answer.halted or answer.completed:
            self._outcome = HALTED if answer.halted else COMPLETED

    # -- which phase

    def _next(self) -> Launch | None:
        """The first that is launched and at hand; of one whose task nobody will do, nothing will be heard."""
        for _ in range(MOST_GONE):
            places = ((launch, self._where(self._task_of(launch))) for launch in tuple(self._awaited.values()))
            launch, where = next((found for found in places if found[1] != AWAY), (None, AWAY))
            if launch is None or where == HERE:
                return launch
            del self._awaited[launch.phase_id]
            self._take(self._report(launch, None))
            if self._outcome:
                return None
        return None

    def _where(self, task: str) -> str:
        """A phase that is launched for the first time is put into the queue of what is in progress."""
        held = self._board.held.get(task)
        if held is not None:
            return HERE if held.worker == self._name and held.stage is Stage.PHASE else AWAY
        try:
            place = self._placed(task)
        except OSError:
            return AWAY
        if place == IN_PROGRESS:
            self._worker.adopt(task)
            return HERE
        return AWAY if place in (PENDING, BLOCKED) else GONE

    def _placed(self, task: str) -> str | None:
        with self._desk.queues.held() as queues:
            place = queues.place(task)
            if place is None and task not in self._board.enqueued:
                queues.put(IN_PROGRESS, {"task_id": task, "title": task, "description": f"Phase {task}."})
                place = IN_PROGRESS
        self._board.enqueued.add(task)
        return place

    # -- an attempt

    def _attempt(self, launch: Launch) -> Steps[None]:
        task = self._task_of(launch)
        self._phases += 1
        self._label()
        if not self._worker.start(task):
            self._leave()
            return
        del self._awaited[launch.phase_id]
        verdict = yield from self._worked(task, launch)
        self._label()
        self._settle(task, launch, verdict)
        for commit in self._answer.commits:
            yield from self._desk.beside(ErrorType.GIT_COMMIT_FAILURE.value, self._crew.committing(commit))
        self._label()
        self._worker.hand_on()

    def _worked(self, task: str, launch: Launch) -> Steps[Verdict]:
        """The sub-agent works; what it claims is weighed, told, verified afresh and reviewed."""
        self._note(PhaseBegun, task=task, phase=launch.phase_id, attempt=launch.attempt)
        done = (yield from self._desk.call(self._crew.call(task, MODEL))) == DONE
        self._label()
        said = self._crew.said(launch) if done else Said(None)
        answer = self._report(launch, self._evidence(task, said))
        self._take(answer)
        if not any(each.kind is LaunchKind.VERIFICATION for each in answer.launch):
            return Verdict(is_complete=False, escalated=not done, why="its sub-agent failed")
        return (yield from self._verified(task, launch))

    def _evidence(self, task: str, said: Said) -> str | None:
        """What is told of it: a claim with a rationalisation is none, and what it claims is not done (LK-RAT-06)."""
        result = subagent_result(said.text)
        if result is None or not result.success:
            return said.text
        weighed = EnforceArguments(said.prose, f"claim {task}", self._name, said.has_output)
        if self._desk.systems.watch.enforce(weighed, self._now_s).proceeds:
            return said.text
        return self._doubted(result)

    def _doubted(self, result: SubagentResult) -> str:
        done = min(result.tasks_completed, result.tasks_total - 1)
        told = msgspec.structs.replace(
            result, success=False, tasks_completed=done, message="what it claims is not shown"
        )
        return msgspec.json.encode(told).decode()

    def _verified(self, task: str, launch: Launch) -> Steps[Verdict]:
        done = (yield from self._desk.use(self._crew.use(task))) == DONE
        self._label()
        gates = dict(self._crew.gates(launch) if done else UNRUN)
        passed, why = all(map(passes, gates.values())), "its verification failed"
        if passed and not (yield from self._reviewed(task)):
            gates[Gate.LINT], passed, why = UNREVIEWED, False, "its review has not passed"
        self._label()
        arguments = VerifiedArguments(launch.phase_id, launch.attempt, gates)
        answer = self._runner.verified(arguments, self._now_s)
        self._take(answer)
        is_done = answer.accepted and self._is_complete(launch.phase_id)
        if passed and not is_done:
            why = "what it changed is in conflict with another phase, or could not be stored"
        return Verdict(is_done, escalated=not done, why=why)

    def _is_complete(self, phase: str) -> bool:
        """Not when it changed what a sibling changed, though its verification passed: the halt may wait for others."""
        return is_complete(self._runner, phase, self._now_s)

    def _reviewed(self, task: str) -> Steps[bool]:
        return (yield from self.reviews(task, self._desk, self._crew, self._label).steps())

    def _settle(self, task: str, launch: Launch, verdict: Verdict) -> None:
        """The attempt at the phase is one at its task; one that failed is logged first, and counted then."""
        if not verdict.is_complete:
            self._log(f"phase {launch.phase_id}, attempt {launch.attempt}: {verdict.why}")
        attempted = Attempted(
            succeeded=verdict.is_complete,
            escalated=verdict.escalated,
            approach=f"attempt {launch.attempt} of a run",
            error_message=verdict.why,
        )
        self._worker.end(task, attempted)

    # -- parts

    def _report(self, launch: Launch, said: str | None) -> RunnerResult:
        elapsed_s = None if said is not None else 0.0
        arguments = ReportArguments(launch.phase_id, launch.attempt, said, elapsed_s)
        return self._runner.report(arguments, self._now_s)

    def _log(self, message: str) -> None:
        failure = self._desk.moment.observed(PHASE, Ended("exit", 1, message))
        self._desk.moment.record(f"{self._desk.session_id}/phase-{self._phases}", failure)

    def _task_of(self, launch: Launch) -> str:
        assert self._board.driven is not None  # noqa: S101 - a plan that is driven has begun
        return self._board.driven.task_of(launch.phase_id)

    def _label(self) -> None:
        self._desk.label(f"phase-{self._phases}")

    def _note(self, kind: type[Any], **fields: object) -> None:
        self._desk.moment.note(kind, **fields)

    @property
    def _now_s(self) -> float:
        return self._desk.moment.clock.now_s()
