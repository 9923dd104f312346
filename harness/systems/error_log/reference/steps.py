"""The steps of the procedures, each as it is carried out (002, Error Response Pattern, Recovery Strategies)."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from harness.systems.error_log.contract import (
    MCP_RETRY_DELAY_S,
    RESUME_GUIDANCE,
    Action,
    ErrorGiven,
    ErrorType,
    StepTaken,
)
from harness.systems.error_log.reference.course import Course
from harness.systems.error_log.reference.jq import Jq
from harness.systems.error_log.reference.metadata import IN_PROGRESS, Entry, KeptMetadata, Progressing
from harness.systems.error_log.reference.plan import KeptPlan
from harness.systems.error_log.reference.records import Record
from harness.systems.error_log.reference.sync import STATE, TODO, KeptStatuses
from harness.systems.error_log.reference.tables import Procedure
from harness.systems.error_log.reference.texts import as_text
from harness.systems.trace import Trace


class Logbook(Protocol):
    """What the steps need of the log."""

    def enter(self, course: Course, error: ErrorGiven) -> tuple[Record, bool]:
        """Logs an error of that course; False when the record is only in memory."""
        ...

    def resolve(self, course: Course, resolution: str) -> bool:
        """Adds to the record of that course how the error was resolved."""
        ...


class Stepper:
    """Carries procedures out, step by step."""

    def __init__(
        self,
        log: Logbook,
        metadata: KeptMetadata,
        progressing: Progressing,
        plan: KeptPlan,
        statuses: KeptStatuses,
        jq: Jq,
    ) -> None:
        self.log = log
        self.metadata = metadata
        self.progressing = progressing
        self.plan = plan
        self.statuses = statuses
        self.jq = jq

    def run(self, procedure: Procedure, course: Course) -> None:
        """Takes the steps of a procedure whose conditions hold when it is their turn."""
        doing = self.doing()
        for planned in procedure.steps:
            if course.conditions()[planned.when]:
                course.note(doing[planned.action](course))

    def doing(self) -> Mapping[Action, Callable[[Course], StepTaken]]:
        """How each step is taken; a step that has its own place to happen in is only noted."""
        return {
            Action.LOG: self.log_error,
            Action.PRESERVE: self.preserve,
            Action.ENABLE_RESUME: self.enable_resume,
            Action.REPORT: lambda _: StepTaken(Action.REPORT),
            Action.ALERT: self.alert,
            Action.MARK_PARTIAL: self.mark_partial,
            Action.COMMIT: self.commit,
            Action.READ_TODO: lambda course: self.read_status(Action.READ_TODO, TODO, course),
            Action.READ_STATE: lambda course: self.read_status(Action.READ_STATE, STATE, course),
            Action.BLAME: self.blame,
            Action.SYNC: self.sync,
            Action.LOG_RESOLUTION: self.log_resolution,
            Action.CAPTURE_OUTPUT: self.capture_output,
            Action.RETRY: self.retry,
            Action.WAIT: self.wait,
            Action.ALTERNATIVE: self.alternative,
            Action.WRITE_METADATA: self.write_metadata,
            Action.CHECK_METADATA: self.check_metadata,
            Action.EXTRACT_PROGRESS: self.extract_progress,
            Action.GUIDANCE: self.guidance,
            Action.CONTINUE: lambda _: StepTaken(Action.CONTINUE),
            Action.RETURN_PARTIAL: lambda _: StepTaken(Action.RETURN_PARTIAL),
        }

    # -- the general pattern

    def log_error(self, course: Course) -> StepTaken:
        """ER-LOG-01."""
        course.record, stored = self.log.enter(course, course.error)
        return StepTaken(Action.LOG, ok=stored)

    def preserve(self, course: Course) -> StepTaken:
        """ER-PRG-02: what is completed, and what the phase that failed had produced."""
        return StepTaken(Action.PRESERVE, ok=self.keep(course))

    def enable_resume(self, course: Course) -> StepTaken:
        """ER-RES-01."""
        return StepTaken(Action.ENABLE_RESUME, ok=self.leave(course), detail=self.resume_at(course) or "")

    def mark_partial(self, course: Course) -> StepTaken:
        """ER-PRG-03."""
        phase = course.phase()
        marked = phase is not None and self.mark(course, phase)
        return StepTaken(Action.MARK_PARTIAL, ok=marked, detail=as_text(phase or ""))

    def mark(self, course: Course, phase: str) -> bool:
        """Marks a phase in the plan, by its name or its number."""
        phases = course.kept.phases
        number = phases.index(phase) + 1 if phase in phases else None
        return self.plan.mark(phase, number, course.trace)

    def alert(self, course: Course) -> StepTaken:
        """ER-SEV-01."""
        return StepTaken(Action.ALERT, detail=as_text(course.error.message))

    def keep(self, course: Course) -> bool:
        """Puts the progress into the metadata file."""
        task = course.progress.task
        return self.metadata.change(task, lambda entry: self.kept(entry, course), course.now_s, course.trace)

    def leave(self, course: Course) -> bool:
        """Puts it there with the note that the work ends here."""
        task = course.progress.task
        return self.metadata.change(
            task, lambda entry: self.progressing.left(self.kept(entry, course)), course.now_s, course.trace
        )

    def kept(self, entry: Entry, course: Course) -> Entry:
        """The entry of a task with the progress it has made."""
        return self.progressing.preserved(entry, course.kept)

    def resume_at(self, course: Course) -> str | None:
        """Where the task goes on, as far as is known now."""
        return self.progressing.resume_at(self.metadata.known(course.progress.task))

    # -- timeout

    def commit(self, course: Course) -> StepTaken:
        """ER-TMO-01; a commit that fails stops nothing (ER-NB-01)."""
        if course.facts.commit_succeeds:
            return StepTaken(Action.COMMIT)
        course.note(StepTaken(Action.COMMIT, ok=False))
        return self.log_commit_failure(course)

    def log_commit_failure(self, course: Course) -> StepTaken:
        """A commit that failed is an error of its own (our reading of ER-NB-03)."""
        return StepTaken(Action.LOG, ok=self.log.enter(course, self.commit_failure())[1])

    def commit_failure(self) -> ErrorGiven:
        """The error that a failed commit is."""
        return ErrorGiven(ErrorType.GIT_COMMIT_FAILURE, "the progress could not be committed")

    # -- state sync

    def read_status(self, action: Action, label: str, course: Course) -> StepTaken:
        """ER-SYN-01, both files."""
        return StepTaken(action, ok=self.statuses.read(label, course.trace))

    def blame(self, course: Course) -> StepTaken:
        """Which of them was changed last."""
        course.taken = self.statuses.newer(course.facts.todo_changed, course.facts.state_changed)
        return StepTaken(Action.BLAME)

    def sync(self, course: Course) -> StepTaken:
        """The other one is made to say the same."""
        taken = course.taken or STATE
        course.synced = self.statuses.sync(taken, course.now_s, course.trace)
        return StepTaken(Action.SYNC, ok=course.synced, detail=taken)

    def log_resolution(self, course: Course) -> StepTaken:
        """How it ended is added to the error's record."""
        done = "the retry worked" if course.taken is None else f"synced to {course.taken}"
        if not course.recovered():
            done = "not synced"
        return StepTaken(Action.LOG_RESOLUTION, ok=self.log.resolve(course, done), detail=done)

    # -- build, jq, MCP

    def capture_output(self, course: Course) -> StepTaken:
        """What the build or jq said goes into the record, with the command."""
        course.added |= {"output": as_text(course.facts.output), "failed_command": as_text(course.facts.command)}
        return StepTaken(Action.CAPTURE_OUTPUT, detail=as_text(course.facts.output))

    def retry(self, course: Course) -> StepTaken:
        """Once: of jq with the filter in its other form, of a tool as it was."""
        course.retried = course.facts.retry_succeeds
        command = as_text(course.facts.command)
        if as_text(course.error.type) == ErrorType.JQ_PARSE_FAILURE:
            command = self.jq.rewritten(command)
        return StepTaken(Action.RETRY, ok=course.retried, detail=command)

    def wait(self, course: Course) -> StepTaken:
        """ER-MCP-01. The harness plays the outside: nobody waits in fact."""
        return StepTaken(Action.WAIT, wait_s=MCP_RETRY_DELAY_S)

    def alternative(self, course: Course) -> StepTaken:
        """ER-MCP-02."""
        course.other_worked = course.facts.alternative_succeeds
        return StepTaken(Action.ALTERNATIVE, ok=course.other_worked, detail=as_text(course.facts.alternative))

    def write_metadata(self, course: Course) -> StepTaken:
        """The partial status, with partial_progress."""
        return StepTaken(Action.WRITE_METADATA, ok=self.leave(course))

    # -- interrupted delegation

    def check_metadata(self, course: Course) -> StepTaken:
        """ER-DEL-01; the task's status stays what it is (ER-DEL-02)."""
        task = course.progress.task
        entry = self.metadata.entry(task, course.trace)
        status = entry.get("task_status") or course.task_status
        course.task_status = self.statuses.status(str(task), course.trace) if status is None else status
        return StepTaken(Action.CHECK_METADATA, ok=entry.get("status") == IN_PROGRESS)

    def extract_progress(self, course: Course) -> StepTaken:
        """What the interrupted agent left, for the record, and where it is resumed."""
        entry = self.metadata.known(course.progress.task)
        left = entry.get("partial_progress")
        if course.error.partial_progress is None and left is not None:
            course.added["partial_progress"] = left
        stage = self.progressing.stage(entry, course.kept, self.progressing.completed(entry, course.kept))
        if course.kept.failed_at is None and stage in course.kept.phases:
            course.kept = msgspec.structs.replace(course.kept, failed_at=stage)
        return StepTaken(Action.EXTRACT_PROGRESS, detail=stage or "")

    def guidance(self, course: Course) -> StepTaken:
        """What is displayed."""
        return StepTaken(Action.GUIDANCE, detail=RESUME_GUIDANCE)

    def catch_up(self, now_s: float, trace: Trace) -> None:
        """Writes what earlier operations could not write."""
        self.metadata.catch_up(now_s, trace)
        self.plan.catch_up(trace)
