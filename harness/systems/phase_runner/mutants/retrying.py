"""Mutants of the retry: how often, with what it is told, and beside whom."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from harness.systems.phase_runner.contract import Commands, Launch, RetryContext, SubagentResult
from harness.systems.phase_runner.contract.words import GUIDANCE, MAX_ATTEMPTS, FailureType, LaunchKind
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.failures import Failure, RetryRules
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import Record
from harness.systems.phase_runner.reference.run import Run

_replace = msgspec.structs.replace


@mutant("three-attempts", "AB-RTY-01", "what failed twice is begun once more")
class ThreeAttempts(Progress):
    def may_retry(self, record: Record, failure: Failure) -> bool:
        return super().may_retry(_replace(record, attempt=record.attempt - 1), failure)


@mutant("every-attempt-is-the-first", "AB-RTY-01", "a retry is launched as attempt 1")
class EveryAttemptIsTheFirst(Progress):
    def retry(self) -> None:
        super().retry()
        self.launches = [_replace(each, attempt=1) for each in self.launches]


@mutant("claims-are-heard-twice", "AB-RTY-01", "who claimed success may claim it again while that is verified")
class ClaimsAreHeardTwice(Progress):
    def claimed(self, record: Record, result: SubagentResult) -> None:
        super().claimed(record, result)
        self.run.put(_replace(self.run.records[record.phase_id], stage=record.stage))


@mutant("failed-retries-are-no-reason", "AB-RTY-03", "a run goes on without what failed twice")
class FailedRetriesAreNoReason(Progress):
    def fail(self, record: Record, failure: Failure) -> None:
        super().fail(record, failure)
        if record.attempt > 1:
            self.run.failed.discard(record.phase_id)


@mutant("a-retry-halts", "AB-RTY-03", "a second attempt halts the run, whatever comes of it")
class ARetryHalts(Run):
    @property
    def is_halting(self) -> bool:
        return super().is_halting or any(self.records[each].attempt > 1 for each in self.complete)


@mutant("retries-know-nothing", "AB-RTY-02", "a retry is told nothing of the attempt before")
class RetriesKnowNothing(Progress):
    def retry(self) -> None:
        super().retry()
        self.launches = [_replace(each, context=None) for each in self.launches]


def telling(name: str, clause: str, description: str, change: Callable[[RetryContext], RetryContext]) -> None:
    """Enters a runner that tells a retry something else."""

    def context(self: RetryRules, record: Record, commands: Commands) -> RetryContext:
        return change(RetryRules.context(self, record, commands))

    mutant(name, clause, description)(type("Telling", (RetryRules,), {"context": context}))


def saying(**fields: Any) -> Callable[[RetryContext], RetryContext]:
    """A context in which these fields say something else."""
    return lambda found: _replace(found, **fields)


telling("retries-know-the-type-only", "AB-RTY-02", "a retry is told the type of what failed, and no more",
        saying(previous_error_message="", previous_error_details=""))  # fmt: skip
telling("retries-know-that-something-failed", "AB-RTY-02", "a retry is told that something failed",
        saying(previous_error_message="the previous attempt failed"))  # fmt: skip
telling("tasks-are-not-counted", "AB-RTY-05", "a retry is told that no task was done",
        saying(tasks_completed=0))  # fmt: skip
telling("no-tasks-are-known", "AB-RTY-05", "a retry is told that there are no tasks", saying(tasks_total=0))
telling("tasks-are-swapped", "AB-RTY-05", "a retry is told the tasks that were done for all, and all for those",
        lambda it: _replace(it, tasks_completed=it.tasks_total, tasks_total=it.tasks_completed))  # fmt: skip
telling("retries-know-no-type", "AB-RTY-05", "a retry is not told the type of what failed",
        saying(previous_error_type=""))  # fmt: skip
telling("no-guidance", "AB-RTY-06", "a retry gets no guidance", saying(retry_guidance=""))


def guiding(name: str, description: str, change: Callable[[str, Sequence[str], Commands], Any]) -> None:
    """Enters a runner that guides a retry otherwise; ``change`` gives the arguments of guidance, or its text."""

    def guidance(self: RetryRules, type_: str, files: Sequence[str], commands: Commands) -> str:
        found = change(type_, files, commands)
        return found if isinstance(found, str) else RetryRules.guidance(self, *found)

    mutant(name, "AB-RTY-06", description)(type("Guiding", (RetryRules,), {"guidance": guidance}))


def _unfilled(type_: str, files: Sequence[str], commands: Commands) -> Any:
    known = [each for each in GUIDANCE if each == type_]
    return GUIDANCE[known[0]] if known else (type_, files, commands)


def _of_another(type_: str, files: Sequence[str], commands: Commands) -> Any:
    other = {FailureType.LINT_ERROR: FailureType.TYPECHECK_ERROR, FailureType.TIMEOUT: FailureType.TEST_FAILURE}
    return {str(each): str(it) for each, it in other.items()}.get(type_, type_), files, commands


guiding("placeholders-stay", "the guidance is not filled in", _unfilled)
guiding("guidance-of-another-type", "after lint and time-outs the guidance is that of another type", _of_another)
guiding("guidance-is-that-of-tests", "the guidance is that of tests that fail, whatever failed",
        lambda _, files, commands: (str(FailureType.TEST_FAILURE), files, commands))  # fmt: skip
guiding("guidance-names-one-file", "of the files of tests that fail the guidance names the first",
        lambda type_, files, commands: (type_, files[:1], commands))  # fmt: skip
guiding("guidance-has-no-files", "the guidance names no file",
        lambda type_, _, commands: (type_, (), commands))  # fmt: skip
guiding("guidance-has-no-commands", "the guidance names no command of the project",
        lambda type_, files, _: (type_, files, Commands()))  # fmt: skip
guiding("guidance-fixes-with-the-linter", "for the command that fixes stands the one that finds",
        lambda type_, files, commands: (type_, files, _replace(commands, lint_fix=commands.lint)))  # fmt: skip


# -- beside its siblings


@mutant("retries-at-once", "AB-PAR-01", "a retry begins while its siblings run")
class RetriesAtOnce(Progress):
    def go_on(self) -> None:
        if self.run.active and self.run.waiting and not self.run.is_halting:
            self.retry()
        super().go_on()


@mutant("one-retry-at-a-time", "AB-PAR-03", "of several that failed one begins again, the others when that returned")
class OneRetryAtATime(Progress):
    def retry(self) -> None:
        _, *others = self.run.ordered(self.run.waiting)
        self.run.waiting.difference_update(others)
        super().retry()
        self.run.waiting.update(others)


@mutant("the-batch-is-retried", "AB-PAR-02", "siblings that are complete begin again with what failed")
class TheBatchIsRetried(Progress):
    def retry(self) -> None:
        super().retry()
        done = [each for each in self.run.ordered(self.run.members) if each in self.run.complete]
        self.launches += [Launch(LaunchKind.PHASE, each) for each in done]


@mutant("retries-beside-the-next", "AB-RTY-07", "what is ready begins together with a retry")
class RetriesBesideTheNext(Progress):
    def retry(self) -> None:
        super().retry()
        if self.run.complete:
            self.launch_batch()


@mutant("a-retry-clears-its-siblings", "AB-RTY-07", "a retry takes the results of its siblings away")
class ARetryClearsItsSiblings(Progress):
    def retry(self) -> None:
        super().retry()
        for each in self.run.members:
            if each in self.run.complete:
                self.put(_replace(self.run.records[each], execution=None, quality_gates=None, verification=None))


@mutant("a-retry-commits-its-siblings", "AB-RTY-07", "a retry that succeeds commits its siblings once more")
class ARetryCommitsItsSiblings(Progress):
    def commit(self, phases: tuple[str, ...], subject: str) -> None:
        is_retry = any(self.run.records[each].attempt > 1 for each in phases)
        beside = [each for phase in phases for each in self.run.siblings(phase)] if is_retry else []
        super().commit((*phases, *beside), subject)


@mutant("siblings-share-their-fate", "AB-PAR-04", "when a retry fails, the retries that succeeded count as failed")
class SiblingsShareTheirFate(Progress):
    def halt(self) -> None:
        for each in self.run.ordered(self.run.complete):
            record = self.run.records[each]
            if record.attempt > 1 and each in self.run.members:
                self.run.complete.discard(each)
                failure = Failure(FailureType.TEST_FAILURE, "its sibling failed")
                self.put(self.transitions.failed(record, failure, self.now_s))
        super().halt()


@mutant("one-success-is-enough", "AB-PAR-04", "of several retries one that succeeds lets the run go on")
class OneSuccessIsEnough(Run):
    @property
    def is_halting(self) -> bool:
        resolved = {each for each in self.complete if self.records[each].attempt > 1}
        return self.stopped is not None or any(not resolved & self.graph.partners[each] for each in self.failed)


# -- phases that run together


@mutant("siblings-run-in-turn", "AB-PAR-01", "phases that name each other run one after the other")
class SiblingsRunInTurn(Run):
    def next_batch(self) -> tuple[str, ...]:
        found = super().next_batch()
        self.members = list(found[:1])
        self.schedule.gone.difference_update(found[1:])
        for each in found[1:]:
            self.schedule.offer(each)
        return found[:1]


@mutant("siblings-are-cut-off", "AB-PAR-05", "what cannot be retried halts the run while siblings are running")
class SiblingsAreCutOff(Run):
    @property
    def is_halted(self) -> bool:
        return super().is_halted or any(self.records[each].attempt < MAX_ATTEMPTS for each in self.failed)
