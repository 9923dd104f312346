"""Mutants of the error log written from document 002 alone, without a look at what judges them."""

import re
from collections.abc import Mapping
from typing import Any

from harness.systems.error_log.contract import (
    NON_BLOCKING,
    ErrorGiven,
    ErrorType,
    Incident,
    Progress,
    Response,
    Severity,
    StepTaken,
)
from harness.systems.error_log.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.error_log.reference.classify import Classifier
from harness.systems.error_log.reference.course import Course
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.jq import Jq
from harness.systems.error_log.reference.metadata import Entry, Progressing
from harness.systems.error_log.reference.plan import KeptPlan
from harness.systems.error_log.reference.records import UNFIXED, Record, RecordMaker
from harness.systems.error_log.reference.steps import Stepper
from harness.systems.error_log.reference.sync import KeptStatuses
from harness.systems.error_log.reference.texts import as_text, plain
from harness.systems.mutant import Mutant
from harness.systems.trace import Trace

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

SHORT_DATE = 10  # characters of 2026-03-01


@mutant("unfinished-is-interrupted", "ER-CAT-05", "takes whatever ended and is not completed for interrupted")
class UnfinishedIsInterrupted(Classifier):
    """An agent that ended with partial or failed metadata wrote them itself."""

    def delegation(self, incident: Incident) -> str:
        """Interrupted, or out of time, or simply silent."""
        if incident.ended and incident.metadata_status != "completed":
            return ErrorType.DELEGATION_INTERRUPTED
        return super().delegation(incident)


@mutant("harmless-is-born-fixed", "ER-LOG-09", "records non-blocking errors as fixed, for nobody has to fix them")
class HarmlessIsBornFixed(RecordMaker):
    """A new record is unfixed, whatever it is of."""

    def fix_status(self, error: ErrorGiven) -> str:
        """The state of a new record."""
        return "fixed" if as_text(error.type) in NON_BLOCKING else UNFIXED


@mutant("no-session-is-a-session", "ER-AGG-01", "counts the records without a session as those of one more operation")
class NoSessionIsASession(ErrorLog):
    """Null is a value among the sessions."""

    def sessions(self, kind: str, records: list[Record]) -> int:
        """In how many sessions there are errors of that type."""
        return len({self.session(record) for record in records if record["type"] == kind})


@mutant("bare-error-wipes-partial", "ER-PRG-02", "forgets a partial result when the next error brings none along")
class BareErrorWipesPartial(Progressing):
    """Each error writes its own partial result, if only a null."""

    def details(self, entry: Entry, progress: Progress, completed: list[str]) -> Any:
        """The partial result."""
        return plain(progress.partial)


@mutant(
    "failed-mark-is-dropped",
    "ER-PRG-03",
    "never marks a phase whose mark could not be written at once",
    level="L2",
)
class FailedMarkIsDropped(KeptPlan):
    """Tries once."""

    def mark(self, name: str, number: int | None, trace: Trace) -> bool:
        """Marks a phase."""
        marked = super().mark(name, number, trace)
        self.unsaved.clear()
        return marked


@mutant("first-resume-point-stays", "ER-RES-01", "goes on where the task first failed, not where it failed last")
class FirstResumePointStays(Progressing):
    """A resume point that is there is not replaced."""

    def stage(self, entry: Entry, progress: Progress, completed: list[str]) -> str | None:
        """The phase to go on with."""
        return self.resume_at(entry) or super().stage(entry, progress, completed)


@mutant(
    "recoverable-critical-goes-on", "ER-SEV-01", "does not stop at a critical error that says it recovers by itself"
)
class RecoverableCriticalGoesOn(ErrorLog):
    """Lets auto_recoverable outrank the severity."""

    def response(self, error: ErrorGiven) -> Response:
        """What is done about it."""
        found = super().response(error)
        recovery = error.recovery if isinstance(error.recovery, dict) else {}
        if found is Response.STOP and recovery.get("auto_recoverable") is True:
            return self.responses[Severity.HIGH]
        return found


@mutant("blame-by-the-day", "ER-SYN-01", "compares the dates of git blame without their time of day")
class BlameByTheDay(KeptStatuses):
    """What blame shows with --date=short."""

    def newer(self, todo_changed: str | None, state_changed: str | None) -> str:
        """Which of the two was changed last."""
        todo, state = (None if each is None else each[:SHORT_DATE] for each in (todo_changed, state_changed))
        return super().newer(todo, state)


@mutant("first-comparison-only", "ER-JQ-02", "rewrites the first != of a filter and leaves the others")
class FirstComparisonOnly(Jq):
    """A replacement with a count of one."""

    def negation(
        self, text: str, operator: re.Match[str], left: int, right: int, *, alone: bool
    ) -> list[tuple[int, int, str]]:
        """What becomes of one comparison."""
        if "!=" in text[: operator.start()]:
            return []
        return super().negation(text, operator, left, right, alone=alone)


@mutant("alternative-taken-for-success", "ER-MCP-02", "goes on after an alternative tool that failed as the first did")
class AlternativeTakenForSuccess(Stepper):
    """Having another tool is as good as its success."""

    def alternative(self, course: Course) -> StepTaken:
        """The other tool is tried."""
        step = super().alternative(course)
        course.other_worked = True
        return step


@mutant("started-work-becomes-partial", "ER-DEL-02", "says partial of an implementing task that has completed phases")
class StartedWorkBecomesPartial(ErrorLog):
    """Gives the task the mark of its phase."""

    def task_status(self, course: Course) -> str | None:
        """What the task's status is now."""
        status = super().task_status(course)
        return "partial" if status == "implementing" and course.progress.completed else status


@mutant(
    "same-words-reported-once", "ER-NB-03", "reports only the first of several non-blocking errors that say the same"
)
class SameWordsReportedOnce(ErrorLog):
    """Takes a message that it has seen for the same error."""

    def note(self, name: str, record: Record) -> None:
        """Remembers a non-blocking error for the report at the end."""
        if all((each.type, each.message) != (record["type"], record["message"]) for each in self.to_report):
            super().note(name, record)
