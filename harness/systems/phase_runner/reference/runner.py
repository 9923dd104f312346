"""The phase runner of one project: the four operations of the contract."""

from collections.abc import Callable
from typing import Final

import msgspec

from harness.ports.files import Files, RealFiles
from harness.systems.phase_runner.contract import (
    Configuration,
    ReportArguments,
    RunnerResult,
    StartArguments,
    StatusArguments,
    StatusResult,
    Summary,
    VerifiedArguments,
)
from harness.systems.phase_runner.contract.words import LogCode
from harness.systems.phase_runner.reference.failures import FailureRules
from harness.systems.phase_runner.reference.folders import Folders, RealFolders
from harness.systems.phase_runner.reference.logs import Logs
from harness.systems.phase_runner.reference.memory import Memory
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import VERIFYING, WORKING, Record, encoded, stamp
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.starting import Starter
from harness.systems.phase_runner.reference.statuses import Statuses
from harness.systems.phase_runner.reference.store import StateError, Store
from harness.systems.phase_runner.reference.summaries import Command, Summaries
from harness.systems.trace import Trace

NO_ANSWER: Final = "(no answer)"
Step = Callable[[Progress, Record], str | None]
"""What is done with what was reported of a phase; gives what belongs in its log."""


class PhaseRunner:
    """Document 003 on the files below ``home``.

    Each operation takes the time of its call, in s since the epoch. Nothing raises, whatever is given and whatever
    stands in the files: it is told in the result's log. Not for use by two threads at once; by any number of processes.
    """

    store_class = Store
    logs_class = Logs
    starter_class = Starter
    progress_class = Progress
    failure_rules_class = FailureRules
    summaries_class = Summaries
    memory_class = Memory
    statuses_class = Statuses

    def __init__(self, configuration: Configuration, files: Files, folders: Folders) -> None:
        self.home = configuration.home
        self.store = self.store_class(self.home, files, folders)
        self.logs = self.logs_class(self.home, files)
        self.failures = self.failure_rules_class()
        self.summaries = self.summaries_class()
        self.memory = self.memory_class(self.store)
        self.starter = self.starter_class(self.store, self.memory)
        self.looking = self.statuses_class(self.store, self.memory)

    # -- operations

    def start(self, arguments: StartArguments, now_s: float) -> RunnerResult:
        """See StartArguments."""
        trace = Trace()
        found = self.starter.begun(arguments, now_s, trace)
        self.logs.tell(stamp(now_s), found.events, trace)
        if found.progress is not None:
            return self.told(found.progress, trace)
        return msgspec.structs.replace(found.refusal, log=trace.told())

    def report(self, arguments: ReportArguments, now_s: float) -> RunnerResult:
        """See ReportArguments."""

        def step(progress: Progress, record: Record) -> str:
            result = None if arguments.said is None else self.failures.parsed(arguments.said)
            if result is not None and self.failures.is_claim(result):
                progress.claimed(record, result)
            elif result is not None:
                progress.failed(record, self.failures.reported(result), result)
            elif arguments.said is not None:
                progress.failed(record, self.failures.unparsable(arguments.said), None)
            else:
                progress.failed(record, self.failures.silence(arguments), None)
            return NO_ANSWER if arguments.said is None else arguments.said

        return self.awaited(arguments.phase_id, arguments.attempt, WORKING, step, now_s)

    def verified(self, arguments: VerifiedArguments, now_s: float) -> RunnerResult:
        """See VerifiedArguments."""

        def step(progress: Progress, record: Record) -> str | None:
            failure = self.failures.verified(arguments.gates)
            progress.verified(record, arguments.gates, failure)
            return None if failure is None else encoded(arguments.gates).decode()

        return self.awaited(arguments.phase_id, arguments.attempt, VERIFYING, step, now_s)

    def status(self, arguments: StatusArguments, now_s: float) -> StatusResult:
        """See StatusArguments."""
        return self.looking.of(arguments, Trace())

    # -- parts

    def awaited(self, phase_id: str, attempt: int, stage: str, step: Step, now_s: float) -> RunnerResult:
        """Does a step that a phase waits for; refuses what none waits for."""
        trace = Trace()
        try:
            with self.store.locked():
                self.store.check_place()
                run = self.memory.current(now_s)
                if run is None:
                    trace.warning(LogCode.NOT_STARTED, "there is no run; it has to be started, or resumed")
                    return RunnerResult(accepted=False, log=trace.told())
                why = self.why_not(run, phase_id, attempt, stage)
                if why is not None:
                    trace.warning(why, f"no such report of phase {phase_id[:80]!r}, attempt {attempt}, is awaited")
                    return self.refused(run, trace)
                return self.done(run, phase_id, stage, step, now_s, trace)
        except StateError as error:
            trace.error(error.code, "the run cannot go on", error)
            return RunnerResult(accepted=False, log=trace.told())
        except OSError as error:
            trace.error(LogCode.STATE_WRITE_FAILED, "nothing was changed", error)
            return RunnerResult(accepted=False, log=trace.told())

    def done(self, run: Run, phase_id: str, stage: str, step: Step, now_s: float, trace: Trace) -> RunnerResult:
        """Does it, and writes the logs; may raise OSError while nothing was changed."""
        progress = self.progress_class(run, self.store, now_s, trace)
        record = run.records[phase_id]
        text = step(progress, record)
        at = stamp(now_s)
        if text is not None:
            self.logs.keep(phase_id, f"== {at} attempt {record.attempt}, {stage}", text, trace)
        self.logs.tell(at, progress.events, trace)
        return self.told(progress, trace)

    def why_not(self, run: Run, phase_id: str, attempt: int, stage: str) -> LogCode | None:
        """Why nobody waits for that; None when somebody does."""
        record = run.records.get(phase_id)
        if record is None:
            return LogCode.PHASE_UNKNOWN
        if phase_id in run.active and record.attempt == attempt and record.stage == stage:
            return None
        was_launched = 1 <= attempt <= record.attempt and not (
            record.attempt == attempt and record.stage == WORKING and stage == VERIFYING
        )
        return LogCode.ALREADY_REPORTED if was_launched else LogCode.NOT_LAUNCHED

    # -- answers

    def told(self, progress: Progress, trace: Trace) -> RunnerResult:
        """What an operation came to."""
        return RunnerResult(
            accepted=True,
            launch=tuple(progress.launches),
            commits=tuple(progress.commits),
            halting=progress.run.is_halting and not progress.run.is_halted,
            halted=progress.run.is_halted,
            completed=progress.run.is_complete,
            summary=self.summary(progress.run),
            log=trace.told(),
        )

    def refused(self, run: Run, trace: Trace) -> RunnerResult:
        """How a run stands that was not changed."""
        return RunnerResult(
            accepted=False,
            halting=run.is_halting and not run.is_halted,
            halted=run.is_halted,
            completed=run.is_complete,
            summary=self.summary(run),
            log=trace.told(),
        )

    def summary(self, run: Run) -> Summary | None:
        """Why it halted, and how it stands; None while it goes on."""
        if not run.is_halted:
            return None
        command = Command(self.home, run.config.plan_path, run.config.commit_mode)
        return self.summaries.of(list(run.records.values()), command, run.stopped)


def create(configuration: Configuration, files: Files | None = None, *, folders: Folders | None = None) -> PhaseRunner:
    """The reference as the harness starts it: on real files, unless others are given."""
    return PhaseRunner(configuration, files or RealFiles(), folders or RealFolders())
