"""Mutants of session recovery written from document 000 alone, without a look at what judges them."""
# ruff: noqa: D101, D102 - each says in its decorator what is wrong

import contextlib
from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.mutant import Mutant
from harness.systems.session_recovery.contract import (
    INITIAL_DELAY_S,
    MAX_DELAY_S,
    STATE_DIRECTORY,
    BeginOperationArguments,
    BeginOperationResult,
    Checkpoint,
    CompleteArguments,
    CompleteResult,
    Facts,
    Failure,
    Finished,
    Kind,
)
from harness.systems.session_recovery.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.session_recovery.mutants.table import remove_directory
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.procedures import FailedTests, RateLimit
from harness.systems.session_recovery.reference.session import SessionRecovery
from harness.systems.session_recovery.reference.tasks import SessionStore
from harness.systems.session_recovery.reference.trace import Trace

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants


@mutant("blind-one-worktree-isolates-all", "LK-SYS-01", "one worktree is enough, however many agents share it")
class OneWorktree(SessionRecovery):
    def worktrees_needed(self, agents: int) -> int:
        return 1


@mutant("blind-requirements-first-line", "LK-GEN-08", "of a description only its first line is read")
class FirstLine(SessionRecovery):
    def description(self, task: Mapping[str, Any]) -> str:
        return super().description(task).partition("\n")[0]


@mutant("blind-last-task-tidies-state", "LK-SYS-02", "who finishes the last task in progress clears .loki/state away")
class Tidying(SessionRecovery):
    def complete(self, arguments: CompleteArguments, now_s: float) -> CompleteResult:
        found = super().complete(arguments, now_s)
        checkpoints = self.parts.checkpoints
        if found.outcome == Finished.COMPLETED and not self.parts.tasks.in_progress(Trace()):
            remove_directory(checkpoints.files, STATE_DIRECTORY.replace("{home}", checkpoints.home))
        return found


@mutant(
    "blind-lock-taken-for-stale",
    "LK-SYS-03",
    "a lock that is not free in time is taken for one that somebody forgot, and the queues are edited",
    level="L2",
)
class StaleLock(SessionStore):
    def _lock(self, stack: contextlib.ExitStack) -> None:
        with contextlib.suppress(TimeoutError):
            super()._lock(stack)


@mutant("blind-readers-spawned-unsaved", "LK-SYS-04", "no checkpoint before subagents that only read")
class ReadersUnsaved(SessionRecovery):
    def needs_checkpoint(self, arguments: BeginOperationArguments) -> bool:
        return arguments.kind == Kind.MAJOR or (arguments.kind == Kind.SPAWN and arguments.implementing)


@mutant("blind-minor-unguarded", "LK-SYS-05", "a minor operation begins without a look at its breaker")
class MinorUnguarded(SessionRecovery):
    def begin_operation(self, arguments: BeginOperationArguments, now_s: float) -> BeginOperationResult:
        if arguments.kind == Kind.MINOR:
            arguments = msgspec.structs.replace(arguments, breaker=None)
        return super().begin_operation(arguments, now_s)


@mutant("blind-checkpoint-of-first-recovery", "LK-RC-01", "a second recovery goes on from the checkpoint of the first")
class FirstRecovery(Checkpoints):
    def last(self, trace: Trace) -> Checkpoint | None:
        remembered: Checkpoint | None = self.__dict__.get("remembered")
        if remembered is None:
            remembered = self.__dict__["remembered"] = super().last(trace)
        return remembered


@mutant("blind-backoff-linear", "LK-RC-02", "delays grow by five seconds a try instead of doubling")
class LinearBackoff(RateLimit):
    def delay_s(self, number: int) -> float:
        return min(INITIAL_DELAY_S * (number + 1), MAX_DELAY_S)


@mutant("blind-flaky-by-last-rerun", "LK-RC-03", "only the last rerun says whether a test is flaky")
class LastRerun(FailedTests):
    def failure(self, facts: Facts) -> Failure:
        return Failure.FLAKY if facts.reruns and facts.reruns[-1] else Failure.REAL
