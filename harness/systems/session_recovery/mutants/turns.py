"""Mutants of how a turn and the work on a task begin: LK-GEN-01, LK-GEN-06, LK-GEN-07, LK-GEN-08."""

from collections.abc import Mapping

from harness.systems.queue_files import PENDING
from harness.systems.queue_store import Queues
from harness.systems.session_recovery.contract import Action, BeginTurnArguments, BeginTurnResult
from harness.systems.session_recovery.mutants.table import answering, changed, cut, first, last, mutant
from harness.systems.session_recovery.reference.lines import Specifications
from harness.systems.session_recovery.reference.session import SessionRecovery
from harness.systems.session_recovery.reference.tasks import Task, Tasks
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import Continuity, Orchestrator

answering("continuity-is-read-last", "LK-GEN-01", "a turn reads continuity after everything else",
          "begin_turn", last(Action.READ_CONTINUITY))  # fmt: skip
answering("continuity-is-cut", "LK-GEN-01", "of continuity ten characters are handed on", "begin_turn",
          lambda found: changed(continuity=found.continuity and found.continuity[:10])(found))  # fmt: skip
answering("continuity-is-cut-by-bytes", "LK-GEN-01", "of continuity 4,096 bytes are handed on",
          "begin_turn", lambda found: changed(continuity=cut(found.continuity))(found))  # fmt: skip
answering("requirements-are-cut-by-bytes", "LK-GEN-08", "of requirements 4,096 bytes are read",
          "start_task", lambda found: changed(requirements=cut(found.requirements))(found))  # fmt: skip


@mutant("continuity-is-remembered", "LK-GEN-01", "a process reads continuity once, and goes by that ever after",
        level="L2", under="filesystem")  # fmt: skip
class ContinuityIsRemembered(Continuity):
    def read(self, trace: Trace) -> str | None:
        known: str | None = self.__dict__.setdefault("known", None) or super().read(trace)
        self.__dict__["known"] = known
        return known


@mutant("no-turn-without-continuity", "LK-GEN-01", "without a continuity file a turn ends at once")
class NoTurnWithoutContinuity(SessionRecovery):
    def begin_turn(self, arguments: BeginTurnArguments, now_s: float) -> BeginTurnResult:
        found = super().begin_turn(arguments, now_s)
        if found.continuity is None:
            return BeginTurnResult(())
        return found


@mutant("tree-is-ignored", "LK-GEN-07", "whatever the phase, the first action of the tree is taken")
class TreeIsIgnored(SessionRecovery):
    def action(self, tree: Mapping[str, str], in_progress: tuple[str, ...], phase: str | None) -> str | None:
        return super().action(tree, in_progress, phase) and next(iter(tree.values()))


@mutant(
    "phase-does-not-matter", "LK-GEN-07", "without a phase, or one that the tree has, an action is taken all the same"
)
class PhaseDoesNotMatter(SessionRecovery):
    def action(self, tree: Mapping[str, str], in_progress: tuple[str, ...], phase: str | None) -> str | None:
        return super().action(tree, in_progress, phase) or next(iter(tree.values()), None)


@mutant("phase-is-remembered", "LK-GEN-07", "a process reads the phase once, and goes by that ever after",
        level="L2", under="filesystem")  # fmt: skip
class PhaseIsRemembered(Orchestrator):
    def phase(self, trace: Trace) -> str | None:
        known: str | None = self.__dict__.setdefault("known", None) or super().phase(trace)
        self.__dict__["known"] = known
        return known


answering("decides-before-it-reads", "LK-GEN-07", "the next action is chosen before orchestrator.json is read",
          "begin_turn", first(Action.DECIDE))  # fmt: skip


@mutant("only-pending-is-looked-in", "LK-GEN-08", "only pending tasks have requirements")
class OnlyPendingIsLookedIn(Tasks):
    def found(self, queues: Queues, wanted: str) -> Task | None:
        return queues.read(PENDING).find(wanted)


@mutant("unknown-tasks-are-begun", "LK-GEN-08", "a task that nobody has described is begun")
class UnknownTasksAreBegun(SessionRecovery):
    def requirements(self, task_id: str, trace: Trace) -> str | None:
        return super().requirements(task_id, trace) or ""


answering("requirements-are-read-afterwards", "LK-GEN-08", "the requirements are read when implementing has begun",
          "start_task", last(Action.READ_REQUIREMENTS))  # fmt: skip
answering("interfaces-are-specified-afterwards", "LK-GEN-06", "an interface is specified when it is coded",
          "start_task", last(Action.SPECIFY))  # fmt: skip


@mutant("specification-is-only-told", "LK-GEN-06", "an interface is said to be specified, and is not")
class SpecificationIsOnlyTold(Specifications):
    def specify(self, task_id: str, interface: str, trace: Trace) -> bool:
        return True
