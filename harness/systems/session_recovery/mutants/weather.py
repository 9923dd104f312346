"""Mutants that are sound in calm weather, and wrong while storage refuses, or a lock is held."""

from collections.abc import Iterable, Mapping
from typing import Any

from harness.systems.queue_document import EMPTY
from harness.systems.session_recovery.contract import (
    Action,
    BeginOperationArguments,
    BeginOperationResult,
    ClaimArguments,
    ClaimResult,
    LogCode,
    StartTaskArguments,
    StartTaskResult,
    StepTaken,
)
from harness.systems.session_recovery.mutants.table import mutant
from harness.systems.session_recovery.reference.breakers import Breakers
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.lines import Ledger, Specifications
from harness.systems.session_recovery.reference.session import SessionRecovery
from harness.systems.session_recovery.reference.tasks import SessionQueues, Tasks
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import Continuity


@mutant("write-failures-are-not-noticed", "LK-GEN-02", "a queue that cannot be written is taken for written",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailuresAreNotNoticed(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        try:
            super()._replace(path, data)
        except OSError:
            return


@mutant("unreadable-queues-are-empty", "LK-GEN-02", "a queue that cannot be read is begun anew",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class UnreadableQueuesAreEmpty(SessionQueues):
    def _load(self, queue: str) -> None:
        super()._load(queue)
        if self.unreadable.pop(queue, None) is not None:
            self._documents[queue] = EMPTY


@mutant("held-locks-escape", "LK-SYS-03", "a lock that is held ends the claim",
        level="L2", under="process.lock_held")  # fmt: skip
class HeldLocksEscape(SessionRecovery):
    def claim(self, arguments: ClaimArguments, now_s: float) -> ClaimResult:
        found = super().claim(arguments, now_s)
        if any(entry.code == LogCode.LOCK_FAILED for entry in found.log):
            raise TimeoutError("the queues are locked")
        return found


@mutant("ledger-failures-are-not-noticed", "LK-GEN-05", "what could not be recorded is said to be",
        level="L2", under="filesystem")  # fmt: skip
class LedgerFailuresAreNotNoticed(Ledger):
    def record(self, finished: Mapping[str, str], trace: Trace) -> bool:
        super().record(finished, trace)
        return True


@mutant("unspecified-is-coded", "LK-GEN-06", "an interface that could not be specified is coded all the same",
        level="L2", under="filesystem")  # fmt: skip
class UnspecifiedIsCoded(Specifications):
    def specify(self, task_id: str, interface: str, trace: Trace) -> bool:
        super().specify(task_id, interface, trace)
        return True


@mutant("requirements-need-the-lock", "LK-GEN-08", "while the queues are locked work begins without requirements",
        level="L2", under="process.lock_held")  # fmt: skip
class RequirementsNeedTheLock(SessionRecovery):
    def start_task(self, arguments: StartTaskArguments, now_s: float) -> StartTaskResult:
        found = super().start_task(arguments, now_s)
        if any(entry.code == LogCode.LOCK_FAILED for entry in found.log):
            return StartTaskResult((StepTaken(Action.IMPLEMENT),), started=True, log=found.log)
        return found


@mutant("unreadable-continuity-escapes", "LK-GEN-01", "a continuity file that cannot be read ends the turn",
        level="L2", under="filesystem")  # fmt: skip
class UnreadableContinuityEscapes(Continuity):
    def read(self, trace: Trace) -> str | None:
        found = super().read(trace)
        if trace.unread:
            raise RuntimeError("CONTINUITY.md cannot be read")
        return found


@mutant("unreadable-breakers-are-closed", "LK-SYS-05", "a breaker that cannot be read lets everything begin",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class UnreadableBreakersAreClosed(Breakers):
    def look(self, name: str, trace: Trace) -> Any:
        before = len(trace.entries)
        found = super().look(name, trace)
        if "PermissionError" not in "".join(entry.message for entry in trace.entries[before:]):
            return found
        return self.unused()


@mutant("goes-on-without-its-checkpoint", "LK-SYS-04", "an operation begins though its checkpoint could not be stored",
        level="L2", under="filesystem")  # fmt: skip
class GoesOnWithoutItsCheckpoint(SessionRecovery):
    def begin_operation(self, arguments: BeginOperationArguments, now_s: float) -> BeginOperationResult:
        found = super().begin_operation(arguments, now_s)
        if all(entry.code != LogCode.CHECKPOINT_WRITE_FAILED for entry in found.log):
            return found
        return BeginOperationResult((*found.steps, self.begun(arguments)), performed=True, log=found.log)


@mutant("unstored-checkpoints-are-told", "LK-SYS-04", "a checkpoint that could not be stored is said to be",
        level="L2", under="filesystem")  # fmt: skip
class UnstoredCheckpointsAreTold(Checkpoints):
    def store(self, name: str, state: Mapping[str, Any], trace: Trace) -> bool:
        super().store(name, state, Trace())
        return True


@mutant("a-refused-checkpoint-clears-the-state", "LK-SYS-02", "where a checkpoint cannot be stored state is removed",
        level="L2", under="filesystem")  # fmt: skip
class ARefusedCheckpointClearsTheState(Checkpoints):
    def put(self, data: bytes) -> None:
        try:
            super().put(data)
        except OSError:
            self.files.remove(f"{self.home}/.loki/state/orchestrator.json")
            raise


@mutant("unreadable-work-is-not-told", "LK-RC-01", "that in-progress.json cannot be read is not told",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class UnreadableWorkIsNotTold(Tasks):
    def tell(self, reports: Iterable[Any], trace: Trace) -> None:
        super().tell([report for report in reports if report.kind != "unreadable"], trace)
