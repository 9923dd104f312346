"""Mutants of what is kept of progress, and of the resume: ER-PRG-02, ER-PRG-03, ER-RES-01, ER-DEL-02, ER-DEL-03."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.systems.error_log.contract import (
    BeginArguments,
    BeginResult,
    Progress,
    ResumeArguments,
    ResumeResult,
    StepTaken,
)
from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.course import Course
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.metadata import Book, Entry, KeptMetadata, Progressing
from harness.systems.error_log.reference.plan import Heading, KeptPlan, Phase, Plan
from harness.systems.trace import Trace


@mutant("completed-phases-are-forgotten", "ER-PRG-02", "what is completed is not kept")
class CompletedPhasesAreForgotten(Progressing):
    def completed(self, entry: Entry, progress: Progress) -> list[str]:
        return []


@mutant("first-completed-phase-only", "ER-PRG-02", "of the completed phases the first is kept")
class FirstCompletedPhaseOnly(Progressing):
    def completed(self, entry: Entry, progress: Progress) -> list[str]:
        return super().completed(entry, progress)[:1]


@mutant("partial-results-are-dropped", "ER-PRG-02", "what a phase that failed had produced is not kept")
class PartialResultsAreDropped(Progressing):
    def details(self, entry: Entry, progress: Progress, completed: list[str]) -> Any:
        return None


@mutant("partial-results-are-texts", "ER-PRG-02", "what a phase had produced is kept as a text")
class PartialResultsAreTexts(Progressing):
    def details(self, entry: Entry, progress: Progress, completed: list[str]) -> Any:
        found = super().details(entry, progress, completed)
        return None if found is None else str(found)


@mutant("beginning-clears-progress", "ER-PRG-02", "a new delegation begins with nothing completed")
class BeginningClearsProgress(Progressing):
    def begun(self, entry: Entry, fields: Mapping[str, Any]) -> Entry:
        found = super().begun(entry, fields)
        return {**found, "completed": []}


@mutant("other-tasks-are-forgotten", "ER-PRG-02", "the metadata file knows the last task alone")
class OtherTasksAreForgotten(KeptMetadata):
    def decoded(self, data: bytes) -> Book:
        found = super().decoded(data)
        return Book({task: entry for task, entry in found.entries.items() if task == found.last}, found.last)


@mutant("phases-are-marked-failed", "ER-PRG-03", "an interrupted phase is marked [FAILED]")
class PhasesAreMarkedFailed(Plan):
    def mark(self) -> str:
        return "[FAILED]"


@mutant("phases-are-not-marked", "ER-PRG-03", "the plan stays as it is")
class PhasesAreNotMarked(KeptPlan):
    def mark(self, name: str, number: int | None, trace: Trace) -> bool:
        return True


@mutant("mark-in-lower-case", "ER-PRG-03", "an interrupted phase is marked [partial]")
class MarkInLowerCase(Plan):
    def mark(self) -> str:
        return "[partial]"


@mutant("first-phase-is-marked", "ER-PRG-03", "whichever phase was interrupted, the first is marked")
class FirstPhaseIsMarked(Plan):
    def heading(self, data: bytes, phase: Phase) -> Heading | None:
        return super().heading(data, Phase("phase1", 1))


@mutant("resume-at-the-beginning", "ER-RES-01", "the next invocation begins at the beginning")
class ResumeAtTheBeginning(Progressing):
    def resume_at(self, entry: Entry) -> str | None:
        return None


@mutant("resume-after-the-failure", "ER-RES-01", "the next invocation goes on behind the phase that failed")
class ResumeAfterTheFailure(Progressing):
    def stage(self, entry: Entry, progress: Progress, completed: list[str]) -> str | None:
        found = super().stage(entry, progress, completed)
        later = progress.phases[progress.phases.index(found) + 1 :] if found in progress.phases else ()
        return later[0] if later else found


@mutant("resume-at-the-first-phase", "ER-RES-01", "the next invocation goes on with the first phase")
class ResumeAtTheFirstPhase(Progressing):
    def stage(self, entry: Entry, progress: Progress, completed: list[str]) -> str | None:
        return progress.phases[0] if progress.phases else super().stage(entry, progress, completed)


@mutant("first-resume-point-stays", "ER-RES-01", "of several failures the first one's resume point is kept")
class FirstResumePointStays(Progressing):
    def stage(self, entry: Entry, progress: Progress, completed: list[str]) -> str | None:
        return self.resume_at(entry) or super().stage(entry, progress, completed)


@mutant("everybody-resumes-there", "ER-RES-01", "the resume point of the last task is every task's")
class EverybodyResumesThere(ErrorLog):
    def resume(self, arguments: ResumeArguments, now_s: float) -> ResumeResult:
        self.metadata.read(Trace())
        last = self.metadata.book.last
        return super().resume(ResumeArguments(arguments.task if last is None else last), now_s)


@mutant("progress-is-in-memory-only", "ER-RES-01", "a new process knows no resume point")
class ProgressIsInMemoryOnly(KeptMetadata):
    def change(self, task: int, action: Callable[[Entry], Entry], now_s: float, trace: Trace) -> bool:
        self.book = self.book.with_entry(task, action(self.known(task)))
        self.read = lambda trace: True  # type: ignore[method-assign]  # what this process knows is all there is
        return True


@mutant("status-becomes-partial", "ER-DEL-02", "an interrupted task's status is partial")
class StatusBecomesPartial(Progressing):
    def left(self, entry: Entry) -> Entry:
        return {**super().left(entry), "task_status": "partial"}


@mutant("researching-becomes-not-started", "ER-DEL-02", "a task that was being researched is put back to not_started")
class ResearchingBecomesNotStarted(Progressing):
    def left(self, entry: Entry) -> Entry:
        found = super().left(entry)
        return {**found, "task_status": "not_started"} if found.get("task_status") == "researching" else found


@mutant("task-status-is-not-told", "ER-DEL-02", "who recovers does not say what the task's status is")
class TaskStatusIsNotTold(ErrorLog):
    def task_status(self, course: Course) -> str | None:
        return None


@mutant("work-before-metadata", "ER-DEL-03", "the work begins, then the metadata is written")
class WorkBeforeMetadata(ErrorLog):
    def beginning(self, *, ok: bool) -> tuple[StepTaken, ...]:
        return super().beginning(ok=ok)[::-1]


@mutant("no-metadata-at-the-beginning", "ER-DEL-03", "the metadata is written at the end, if there is one")
class NoMetadataAtTheBeginning(ErrorLog):
    def begin(self, arguments: BeginArguments, now_s: float) -> BeginResult:
        return BeginResult(self.beginning(ok=True)[1:])


@mutant("metadata-is-only-told", "ER-DEL-03", "the metadata is said to be written, and is not")
class MetadataIsOnlyTold(ErrorLog):
    def begin(self, arguments: BeginArguments, now_s: float) -> BeginResult:
        return BeginResult(self.beginning(ok=True))


@mutant("begun-metadata-is-partial", "ER-DEL-03", "the metadata of a running delegation does not say in_progress")
class BegunMetadataIsPartial(Progressing):
    def begun(self, entry: Entry, fields: Mapping[str, Any]) -> Entry:
        return self.left(super().begun(entry, fields))
