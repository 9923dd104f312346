"""Mutants of what happens when something else fails: storage that refuses, a lock that is held, clocks far off."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

import msgspec

from harness.systems.file_mistakes import raising
from harness.systems.phase_runner.contract import Launch, StartArguments, StatusArguments, StatusResult, Summary
from harness.systems.phase_runner.contract.words import CONFIG_PATH, PHASES_DIRECTORY, Event, LaunchKind, LogCode, Mode
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.graph import Graph
from harness.systems.phase_runner.reference.logs import Logs
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import WORKING, Record, Turn
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.runner import PhaseRunner
from harness.systems.phase_runner.reference.starting import Begun, Starter
from harness.systems.phase_runner.reference.statuses import Statuses
from harness.systems.phase_runner.reference.store import Store
from harness.systems.phase_runner.reference.summaries import Command
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace


@mutant("write-failures-escape", "AB-NRT-05", "a record that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailuresEscape(Store):
    def put(self, record: Record) -> None:
        try:
            super().put(record)
        except OSError as error:
            raise RuntimeError("the record cannot be written") from error


@mutant("log-failures-escape", "AB-HLT-01", "an execution log that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class LogFailuresEscape(Logs):
    def tell(self, at: str, events: Sequence[tuple[Event, str]], trace: Trace) -> None:
        own = Trace()
        super().tell(at, events, own)
        trace.entries += own.entries
        if any(entry.code == LogCode.LOG_WRITE_FAILED for entry in own.entries):
            raise RuntimeError("the log cannot be written")


@mutant("held-locks-escape", "AB-NRT-05", "a lock that is held ends the operation",
        level="L2", under="process.lock_held")  # fmt: skip
class HeldLocksEscape(Store):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with raising(super().locked()):
            yield


@mutant("status-needs-every-record", "AB-STA-04", "how phases stand is not told when a record cannot be read",
        level="L2", under="filesystem")  # fmt: skip
class StatusNeedsEveryRecord(Statuses):
    def of(self, arguments: StatusArguments, trace: Trace) -> StatusResult:
        found = super().of(arguments, trace)
        if any(entry.code == LogCode.STATE_UNREADABLE for entry in found.log):
            raise RuntimeError("a record cannot be read")
        return found


@mutant("times-in-32-bits", "AB-NRT-05", "times after January 2038 cannot be written",
        level="L2", under="clock")  # fmt: skip
class TimesIn32Bits(Transitions):
    def launched(self, record: Record, batch: int, now_s: float) -> Record:
        return super().launched(record, batch, now_s if now_s < 1 << 31 else float("nan"))


@mutant("what-is-not-written-is-launched", "AB-HLT-02", "what cannot be written down halts the run, and is launched",
        level="L2", under="filesystem")  # fmt: skip
class WhatIsNotWrittenIsLaunched(Progress):
    def stop(self, error: OSError) -> None:
        super().stop(error)
        self.launches += [Launch(LaunchKind.PHASE, each) for each in self.run.members if each not in self.run.complete]


def lost(name: str, clause: str, description: str, is_lost: Callable[[Record], bool]) -> None:
    """Enters a runner that does not notice that certain records cannot be written."""

    def put(self: Progress, record: Record) -> None:
        try:
            Progress.put(self, record)
        except OSError:
            if not is_lost(record):
                raise
            self.run.put(record)

    mutant(name, clause, description, level="L2", under="filesystem.busy")(type("Lost", (Progress,), {"put": put}))


lost("launches-are-lost", "AB-STA-05", "that the record of a launch cannot be written is not noticed",
     lambda it: it.attempt == 1 and it.stage == WORKING)  # fmt: skip
lost("retries-are-lost", "AB-STA-01", "that the record of a retry cannot be written is not noticed",
     lambda it: it.attempt > 1 and it.stage == WORKING)  # fmt: skip
lost("results-of-retries-are-lost", "AB-STA-02", "that the result of a retry cannot be written is not noticed",
     lambda it: it.attempt > 1 and it.stage != WORKING)  # fmt: skip


@mutant("a-full-disk-has-no-summary", "AB-HLT-03", "a run that halts since nothing can be written has no summary",
        level="L2", under="filesystem")  # fmt: skip
class AFullDiskHasNoSummary(PhaseRunner):
    def summary(self, run: Run) -> Summary | None:
        return None if run.stopped is not None else super().summary(run)


@mutant("a-full-disk-is-begun-afresh", "AB-HLT-05", "when nothing can be written the command that resumes is fresh",
        level="L2", under="filesystem")  # fmt: skip
class AFullDiskIsBegunAfresh(PhaseRunner):
    def summary(self, run: Run) -> Summary | None:
        found = super().summary(run)
        if found is None or run.stopped is None:
            return found
        return msgspec.structs.replace(found, resume_command=found.fresh_command)


@mutant("a-held-lock-is-a-new-run", "AB-RES-02", "a run whose lock is held is begun anew, beside the one that is there",
        level="L2", under="process.lock_held")  # fmt: skip
class AHeldLockIsANewRun(Starter):
    def begun(self, arguments: StartArguments, now_s: float, trace: Trace) -> Begun:
        found = super().begun(arguments, now_s, trace)
        if not any(TimeoutError.__name__ in each.message for each in trace.entries):
            return found
        graph = self.checks.check(self.reader.phases(arguments.plan))
        fresh = msgspec.structs.replace(arguments, modes=(Mode.FRESH,))
        return self.on(graph, fresh, self.command(arguments), now_s, trace)


@mutant("what-cannot-be-deleted-is-resumed", "AB-FRS-01", "a fresh start that cannot delete goes on with the run",
        level="L2", under="filesystem.read_only")  # fmt: skip
class WhatCannotBeDeletedIsResumed(Starter):
    def on(self, graph: Graph, arguments: StartArguments, command: Command, now_s: float, trace: Trace) -> Begun:
        try:
            return super().on(graph, arguments, command, now_s, trace)
        except OSError:
            if Mode.FRESH not in arguments.modes:
                raise
        self.store.put_turn(Turn())
        resumed = msgspec.structs.replace(arguments, modes=(Mode.RESUME,))
        return super().on(graph, resumed, command, now_s, trace)


@mutant("directories-are-made-once", "AB-STA-05", "records are not written when their directory is gone",
        level="L2", under="filesystem.parent_missing")  # fmt: skip
class DirectoriesAreMadeOnce(Store):
    def put(self, record: Record) -> None:
        is_gone = self.files.status(self.place(PHASES_DIRECTORY)) is None
        if not (is_gone and self.files.status(self.place(CONFIG_PATH)) is not None):
            super().put(record)
