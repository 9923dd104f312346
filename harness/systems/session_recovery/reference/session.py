"""The operations of a session in one project."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.ports.files import Files, RealFiles
from harness.systems.queue_files import answerable
from harness.systems.session_recovery.contract import (
    BREAKERS_PATH,
    CONTINUITY_PATH,
    ORCHESTRATOR_PATH,
    SHOWN_CHARACTERS,
    Action,
    BeginOperationArguments,
    BeginOperationResult,
    BeginTurnArguments,
    BeginTurnResult,
    CheckpointArguments,
    CheckpointResult,
    ClaimArguments,
    ClaimResult,
    CompleteArguments,
    CompleteResult,
    Configuration,
    Kind,
    LedgerArguments,
    LedgerResult,
    LogCode,
    Reason,
    ResumeArguments,
    ResumeResult,
    StartTaskArguments,
    StartTaskResult,
    StepTaken,
)
from harness.systems.session_recovery.reference.breakers import Breakers, Seen
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.lines import Ledger, Specifications
from harness.systems.session_recovery.reference.procedures import (
    ContextLoss,
    FailedTests,
    Parts,
    Procedure,
    RateLimit,
)
from harness.systems.session_recovery.reference.tasks import Tasks
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import Continuity, Orchestrator


class SessionRecovery:
    """Document 000 on the files below ``home``. Each operation takes the time of its call, in s since the epoch.

    Nothing raises, whatever is found: it is told in the result's log. Not for use by two threads at once; by any number
    of processes.
    """

    continuity_class = Continuity
    orchestrator_class = Orchestrator
    breakers_class = Breakers
    checkpoints_class = Checkpoints
    ledger_class = Ledger
    specifications_class = Specifications
    tasks_class = Tasks
    context_loss_class = ContextLoss
    rate_limit_class = RateLimit
    failed_tests_class = FailedTests

    def __init__(self, configuration: Configuration, files: Files) -> None:
        home = configuration.home
        self.ledger_ = self.ledger_class(home, files)
        self.specifications = self.specifications_class(home, files)
        self.parts = Parts(
            self.continuity_class(CONTINUITY_PATH.replace("{home}", home), files),
            self.orchestrator_class(ORCHESTRATOR_PATH.replace("{home}", home), files),
            self.breakers_class(BREAKERS_PATH.replace("{home}", home), files),
            self.checkpoints_class(home, files),
            self.tasks_class(home, files, self.ledger_),
        )
        self.procedures: Mapping[Reason, Procedure] = {
            Reason.CONTEXT_LOSS: self.context_loss_class(),
            Reason.RATE_LIMIT: self.rate_limit_class(),
            Reason.TEST_FAILURE: self.failed_tests_class(),
        }

    # -- turns and recoveries

    def begin_turn(self, arguments: BeginTurnArguments, now_s: float) -> BeginTurnResult:
        """Continuity first (LK-GEN-01); with nothing in progress the tree decides by the phase (LK-GEN-07)."""
        trace = Trace()
        continuity = self.parts.continuity.read(trace)
        in_progress = self.parts.tasks.in_progress(trace)
        phase = self.parts.orchestrator.phase(trace)
        action = self.action(arguments.tree, in_progress, phase)
        steps = [*self.reads(continuity, in_progress, phase)]
        if action is not None:
            steps.append(StepTaken(Action.DECIDE, detail=action))
        return BeginTurnResult(tuple(steps), continuity, phase, action, trace.told())

    def reads(self, continuity: str | None, in_progress: tuple[str, ...], phase: str | None) -> tuple[StepTaken, ...]:
        """The reads with which a turn begins."""
        return (
            StepTaken(Action.READ_CONTINUITY, ok=continuity is not None),
            StepTaken(Action.READ_IN_PROGRESS, ok=bool(in_progress)),
            StepTaken(Action.READ_ORCHESTRATOR, ok=phase is not None, detail=phase or ""),
        )

    def action(self, tree: Mapping[str, str], in_progress: tuple[str, ...], phase: str | None) -> str | None:
        """What is done next: what is begun is gone on with, otherwise what the tree has for the phase."""
        if in_progress:
            return f"continue {in_progress[0]}"
        return None if phase is None else tree.get(phase)

    def resume(self, arguments: ResumeArguments, now_s: float) -> ResumeResult:
        """The Recovery Procedure for that reason."""
        trace = Trace()
        found = self.procedures[arguments.reason].run(self.parts, arguments.facts, now_s, trace)
        return msgspec.structs.replace(found, log=trace.told())

    # -- tasks

    def claim(self, arguments: ClaimArguments, now_s: float) -> ClaimResult:
        """A worker takes a task."""
        trace = Trace()
        outcome, task = self.parts.tasks.claim(arguments.worker, trace)
        return ClaimResult(outcome, answerable(task), trace.told())

    def start_task(self, arguments: StartTaskArguments, now_s: float) -> StartTaskResult:
        """Requirements are read (LK-GEN-08) and an interface is specified (LK-GEN-06) before anything is coded."""
        trace = Trace()
        requirements = self.requirements(arguments.task_id, trace)
        steps = [StepTaken(Action.READ_REQUIREMENTS, ok=requirements is not None, detail=arguments.task_id)]
        ready = requirements is not None
        specification = None
        if ready and arguments.interface is not None:
            ready = self.specifications.specify(arguments.task_id, arguments.interface, trace)
            specification = self.specifications.path() if ready else None
            steps.append(StepTaken(Action.SPECIFY, ok=ready))
        if ready:
            steps.append(StepTaken(Action.IMPLEMENT))
        return StartTaskResult(tuple(steps), ready, requirements, specification, trace.told())

    def requirements(self, task_id: str, trace: Trace) -> str | None:
        """What a task is about; None when that cannot be known, and then it is not begun."""
        task = self.parts.tasks.find(task_id, trace)
        if task is None:
            trace.warning(LogCode.TASK_UNKNOWN, f"no queue has {task_id[:80]!r}")
            return None
        found = self.description(task)
        if not found:
            trace.warning("requirements_missing", f"{task_id[:80]!r} has no description")
            return None
        return found[:SHOWN_CHARACTERS]

    def description(self, task: Mapping[str, Any]) -> str:
        """The text of a task's requirements; a dead letter has it in its ``task_data``."""
        data = task.get("task_data")
        inner = data.get("description") if isinstance(data, dict) else None
        return next((text for text in (task.get("description"), inner) if isinstance(text, str) and text), "")

    def complete(self, arguments: CompleteArguments, now_s: float) -> CompleteResult:
        """A worker has finished a task."""
        trace = Trace()
        outcome, recorded = self.parts.tasks.complete(arguments.worker, arguments.task_id, trace)
        return CompleteResult(outcome, recorded, self.ledger_.path() if recorded else None, trace.told())

    def ledger(self, arguments: LedgerArguments, now_s: float) -> LedgerResult:
        """What was finished."""
        trace = Trace()
        self.parts.tasks.catch_up(trace)
        return LedgerResult(self.ledger_.ids(trace), trace.told())

    # -- checkpoints, and what needs them

    def checkpoint(self, arguments: CheckpointArguments, now_s: float) -> CheckpointResult:
        """The state is kept."""
        trace = Trace()
        stored = self.parts.checkpoints.store(arguments.name, arguments.state, trace)
        return CheckpointResult(stored, self.parts.checkpoints.path() if stored else None, trace.told())

    def begin_operation(self, arguments: BeginOperationArguments, now_s: float) -> BeginOperationResult:
        """What guards an operation is asked, then the state is kept, then it begins."""
        trace = Trace()
        seen = None if arguments.breaker is None else self.parts.breakers.look(arguments.breaker, trace)
        steps = [] if seen is None else [StepTaken(Action.CHECK_BREAKER, detail=seen.state)]
        may = self.is_let_through(seen, now_s, trace) and self.is_isolated(arguments, trace)
        path = None
        if may and self.needs_checkpoint(arguments):
            may = self.parts.checkpoints.store(arguments.name, arguments.state, trace)
            path = self.parts.checkpoints.path() if may else None
            steps.append(StepTaken(Action.CHECKPOINT, ok=may, detail=arguments.name))
        if may:
            steps.append(self.begun(arguments))
        return BeginOperationResult(tuple(steps), may, path, trace.told())

    def is_let_through(self, seen: Seen | None, now_s: float, trace: Trace) -> bool:
        """Does the breaker, if one guards the operation, let it begin (LK-SYS-05)?"""
        if seen is None or not self.parts.breakers.blocks(seen, now_s):
            return True
        trace.warning(LogCode.BREAKER_OPEN, "the circuit breaker is OPEN, or nothing is known of it")
        return False

    def is_isolated(self, arguments: BeginOperationArguments, trace: Trace) -> bool:
        """Has each of several implementing agents a worktree of its own (LK-SYS-01)?"""
        parallel = arguments.kind == Kind.SPAWN and arguments.implementing and arguments.agents > 1
        if not parallel or arguments.worktrees >= self.worktrees_needed(arguments.agents):
            return True
        trace.warning(LogCode.NOT_ISOLATED, f"{arguments.agents} agents have {arguments.worktrees} worktrees")
        return False

    def worktrees_needed(self, agents: int) -> int:
        """For so many that implement at once: one each (our reading)."""
        return agents

    def needs_checkpoint(self, arguments: BeginOperationArguments) -> bool:
        """Is the state checkpointed before it (LK-SYS-04)?"""
        return arguments.kind in {Kind.MAJOR, Kind.SPAWN}

    def begun(self, arguments: BeginOperationArguments) -> StepTaken:
        """It begins."""
        if arguments.kind == Kind.SPAWN:
            return StepTaken(Action.SPAWN, count=arguments.agents)
        return StepTaken(Action.PERFORM)


def create(configuration: Configuration, files: Files | None = None) -> SessionRecovery:
    """The reference as the harness starts it: on real files, unless others are given."""
    return SessionRecovery(configuration, files or RealFiles())
