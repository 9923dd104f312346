"""One error on its way through a procedure: what is known of it so far, and what decides about the next step."""

from typing import Any

import msgspec

from harness.systems.error_log.contract import (
    ErrorGiven,
    Facts,
    Progress,
    RecoveryOutcome,
    Status,
    StepTaken,
)
from harness.systems.error_log.reference.metadata import Progressing
from harness.systems.error_log.reference.records import Record
from harness.systems.error_log.reference.tables import Procedure, When
from harness.systems.error_log.reference.texts import as_text, plain
from harness.systems.trace import Trace

Conditions = dict[When, bool]


class Course:
    """The facts of one error, and the steps taken."""

    def __init__(self, name: str, error: ErrorGiven, progress: Progress, facts: Facts, now_s: float) -> None:
        self.name = name
        self.error = error
        self.progress = progress
        self.kept = with_left(progress, error.partial_progress)  # what is kept of it: also what the error brought along
        self.facts = facts
        self.now_s = now_s
        self.trace = Trace()
        self.steps: list[StepTaken] = []
        self.added: dict[str, Any] = {}
        self.record: Record | None = None
        self.taken: str | None = None  # the file that is taken in a sync
        self.synced = False
        self.retried: bool | None = None
        self.other_worked = False
        self.task_status: str | None = None

    def note(self, step: StepTaken) -> None:
        """A step was taken."""
        self.steps.append(step)

    def conditions(self) -> Conditions:
        """What holds by now."""
        failed = self.retried is False
        return {
            When.ALWAYS: True,
            When.PHASE_FAILED: self.phase() is not None,
            When.RETRY_WORKED: self.retried is True,
            When.RETRY_FAILED: failed,
            When.OTHER_TOOL: failed and self.facts.alternative is not None,
            When.OTHER_WORKED: self.other_worked,
            When.NOTHING_WORKED: failed and not self.other_worked,
            When.NOT_RECOVERED: not self.recovered(),
        }

    def phase(self) -> str | None:
        """The phase that was interrupted; a stage that an agent calls its own way is none."""
        if self.kept.failed_at in self.kept.phases:
            return self.kept.failed_at
        return self.progress.failed_at

    def recovered(self) -> bool:
        """Is the error overcome?"""
        return self.synced or self.retried is True or self.other_worked

    def outcome(self, procedure: Procedure) -> RecoveryOutcome:
        """How the procedure ended."""
        return RecoveryOutcome.RECOVERED if self.recovered() else procedure.otherwise


def with_left(progress: Progress, left: Any) -> Progress:
    """The progress with what an interrupted agent left: its stage, and its details or whatever else it said."""
    found = plain(left)
    if found is None:
        return progress
    stage = found.get("stage") if isinstance(found, dict) else None
    if not isinstance(stage, str) or not stage:
        stage = progress.failed_at
    details = Progressing().result({"partial_progress": found}) if isinstance(found, dict) else found
    partial = details if progress.partial is None else progress.partial
    return msgspec.structs.replace(progress, failed_at=stage, partial=partial)


class Reporter:
    """The returned error (002, Report Clearly). Pure."""

    def returned(self, course: Course) -> dict[str, Any]:
        """What is returned of an error."""
        progress = course.progress
        completed, failed_at = self.completed(progress), progress.failed_at
        return {
            "status": str(self.status(course, completed)),
            "error": self.error(course),
            "progress": {"completed": completed, "failed_at": None if failed_at is None else as_text(failed_at)},
        }

    def status(self, course: Course, completed: list[str]) -> Status:
        """ER-RPT-01: partial when something is completed or kept, failed when there is nothing (our reading)."""
        return Status.PARTIAL if completed or course.kept.partial is not None else Status.FAILED

    def error(self, course: Course) -> dict[str, Any]:
        """What happened, and how it is fixed."""
        record = course.record or {}
        return {
            "type": record.get("type", as_text(course.error.type)),
            "message": record.get("message", as_text(course.error.message)),
            "recovery": record.get("recovery", {}).get("suggested_action", ""),
        }

    def completed(self, progress: Progress) -> list[str]:
        """ER-RPT-02: what failed is not completed."""
        failed = None if progress.failed_at is None else as_text(progress.failed_at)
        return [phase for phase in map(as_text, progress.completed) if phase != failed]
