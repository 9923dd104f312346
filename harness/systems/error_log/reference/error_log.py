"""The operations of the error log of one working directory."""

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.ports.files import Files, RealFiles
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    NON_BLOCKING,
    PLAN_PATH,
    STATE_PATH,
    TODO_PATH,
    Action,
    BeginArguments,
    BeginResult,
    ClassifyArguments,
    ClassifyResult,
    Configuration,
    ErrorGiven,
    ErrorType,
    Facts,
    FinishArguments,
    FinishResult,
    HandleArguments,
    HandleResult,
    LogArguments,
    LogCode,
    LogResult,
    Pattern,
    PatternsArguments,
    PatternsResult,
    ReadArguments,
    ReadResult,
    RecoverArguments,
    RecoverResult,
    Reported,
    Response,
    ResumeArguments,
    ResumeResult,
    SetFixStatusArguments,
    SetFixStatusResult,
    StepTaken,
)
from harness.systems.error_log.reference.classify import Classifier
from harness.systems.error_log.reference.course import Course, Reporter
from harness.systems.error_log.reference.jq import Jq
from harness.systems.error_log.reference.kept_records import KeptRecords
from harness.systems.error_log.reference.metadata import KeptMetadata, Progressing
from harness.systems.error_log.reference.plan import KeptPlan
from harness.systems.error_log.reference.records import UNFIXED, Entropy, Occasion, Record, RecordMaker
from harness.systems.error_log.reference.steps import Stepper
from harness.systems.error_log.reference.sync import KeptStatuses
from harness.systems.error_log.reference.tables import GENERAL, HANDLING, PROCEDURES, RESPONSE_OF, Procedure
from harness.systems.error_log.reference.texts import as_text
from harness.systems.trace import Trace

FIX_STATUSES = frozenset({UNFIXED, "in_progress", "fixed"})


class Delegation(NamedTuple):
    """What began here for a task."""

    session_id: str
    path: tuple[str, ...]
    status: str


class ErrorLog:
    """Document 002 on the files below ``home``. Each operation takes the time of its call, in s since the epoch.

    Nothing raises, whatever is given: what does not fit is told in the result's log. Not for use by two threads at
    once; by any number of processes.
    """

    records_class = KeptRecords
    maker_class = RecordMaker
    metadata_class = KeptMetadata
    progressing_class = Progressing
    plan_class = KeptPlan
    statuses_class = KeptStatuses
    stepper_class = Stepper
    reporter_class = Reporter
    classifier_class = Classifier
    jq_class = Jq
    errors_path = ERRORS_PATH
    procedures: Mapping[str, Procedure] = PROCEDURES
    handling: Mapping[Response, Procedure] = HANDLING
    responses: Mapping[str, Response] = RESPONSE_OF
    non_blocking: frozenset[str] = NON_BLOCKING

    def __init__(self, configuration: Configuration, files: Files, entropy: Entropy) -> None:
        def place(path: str) -> str:
            return path.replace("{home}", configuration.home)

        self.records = self.records_class(place(self.errors_path), files)
        self.maker = self.maker_class(entropy)
        self.metadata = self.metadata_class(place(METADATA_PATH), files)
        self.progressing = self.progressing_class()
        self.plan = self.plan_class(place(PLAN_PATH), files)
        self.statuses = self.statuses_class(place(TODO_PATH), place(STATE_PATH), files)
        self.stepper = self.stepper_class(
            self, self.metadata, self.progressing, self.plan, self.statuses, self.jq_class()
        )
        self.reporter = self.reporter_class()
        self.classifier = self.classifier_class()
        self.delegations: dict[int, Delegation] = {}
        self.to_report: list[Reported] = []

    # -- the log

    def log(self, arguments: LogArguments, now_s: float) -> LogResult:
        """An error occurred."""
        trace = Trace()
        given = arguments.error.context
        task = given.get("task") if isinstance(given, dict) else None
        occasion = self.occasion(arguments.name, now_s, task if isinstance(task, int) else None)
        record, stored = self.enter_record(arguments.error, occasion, trace)
        self.note(arguments.name, record)
        self.stepper.catch_up(now_s, trace)
        return LogResult(record, stored, trace.told())

    def read(self, arguments: ReadArguments, now_s: float) -> ReadResult:
        """The records of one session, or all (ER-AGG-01)."""
        trace = Trace()
        records = [each for each in self.records.all(trace) if self.belongs(each, arguments.session_id)]
        return ReadResult(tuple(records), trace.told())

    def patterns(self, arguments: PatternsArguments, now_s: float) -> PatternsResult:
        """The types that have more than one record."""
        trace = Trace()
        records = self.records.all(trace)
        counts = Counter(each["type"] for each in records)
        found = [Pattern(kind, count, self.sessions(kind, records)) for kind, count in counts.items() if count > 1]
        return PatternsResult(tuple(found), trace.told())

    def set_fix_status(self, arguments: SetFixStatusArguments, now_s: float) -> SetFixStatusResult:
        """Somebody works on an error."""
        trace = Trace()
        name, status = as_text(arguments.name), arguments.status
        if status not in FIX_STATUSES:
            trace.warning(LogCode.ERROR_INVALID, f"{status[:80]!r} is no fix_status")
            found = [each for each in self.records.all(trace) if each.get("name") == name]
            return SetFixStatusResult(found[-1] if found else None, stored=False, log=trace.told())
        record, stored = self.records.change(name, {"fix_status": status}, now_s, trace)
        if record is None:
            trace.warning(LogCode.NAME_UNKNOWN, f"no error is called {name[:80]!r}")
        self.stepper.catch_up(now_s, trace)
        return SetFixStatusResult(record, stored and record is not None, trace.told())

    def classify(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        """Which type is it?"""
        return ClassifyResult(self.classifier.type_of(arguments.incident))

    # -- handling

    def handle(self, arguments: HandleArguments, now_s: float) -> HandleResult:
        """The Error Response Pattern."""
        course = Course(arguments.name, arguments.error, arguments.progress, Facts(), now_s)
        response = self.response(arguments.error)
        self.run(self.handling[response], course)
        return HandleResult(
            tuple(course.steps), response, self.goes_on(response), self.returned(course), course.trace.told()
        )

    def recover(self, arguments: RecoverArguments, now_s: float) -> RecoverResult:
        """The procedure of the error's type; the general pattern where it has none."""
        course = Course(arguments.name, arguments.error, arguments.progress, arguments.facts, now_s)
        begun = self.delegations.get(arguments.progress.task)
        course.task_status = None if begun is None else begun.status
        self.fill(course)
        procedure = self.procedures.get(as_text(arguments.error.type), GENERAL)
        self.run(procedure, course)
        return RecoverResult(
            tuple(course.steps),
            course.outcome(procedure),
            self.task_status(course),
            self.returned(course),
            course.trace.told(),
        )

    def begin(self, arguments: BeginArguments, now_s: float) -> BeginResult:
        """A delegation begins: the metadata first, then the work (ER-DEL-03)."""
        trace = Trace()
        path = tuple(map(as_text, arguments.delegation_path))
        begun = Delegation(as_text(arguments.session_id), path, as_text(arguments.status))
        self.delegations[arguments.task] = begun
        fields = {
            "task_status": begun.status,
            "started_at": self.maker.timestamp(now_s),
            "metadata": {
                "session_id": begun.session_id,
                "agent_type": as_text(arguments.agent),
                "delegation_depth": len(path),
                "delegation_path": list(path),
            },
        }
        written = self.metadata.change(
            arguments.task, lambda entry: self.progressing.begun(entry, fields), now_s, trace
        )
        self.records.catch_up(now_s, trace)
        self.stepper.catch_up(now_s, trace)
        return BeginResult(self.beginning(ok=written), trace.told())

    def resume(self, arguments: ResumeArguments, now_s: float) -> ResumeResult:
        """Where the next invocation goes on (ER-RES-01)."""
        trace = Trace()
        entry = self.metadata.entry(arguments.task, trace)
        completed = tuple(entry.get("completed", ()))
        return ResumeResult(self.progressing.resume_at(entry), completed, self.progressing.result(entry), trace.told())

    def finish(self, arguments: FinishArguments, now_s: float) -> FinishResult:
        """The non-blocking errors, together (ER-NB-03)."""
        trace = Trace()
        self.records.catch_up(now_s, trace)
        self.stepper.catch_up(now_s, trace)
        reported, self.to_report = tuple(self.to_report), []
        return FinishResult(reported, trace.told())

    # -- parts

    def enter(self, course: Course, error: ErrorGiven) -> tuple[Record, bool]:
        """See Logbook."""
        occasion = self.occasion(course.name, course.now_s, course.progress.task, course)
        if error is not course.error:
            occasion = occasion._replace(name=f"{course.name} ({error.type})", added={})
        record, stored = self.enter_record(error, occasion, course.trace)
        self.note(course.name, record)
        return record, stored

    def resolve(self, course: Course, resolution: str) -> bool:
        """See Logbook."""
        fields = {"resolution": {"what": resolution, "at": self.maker.timestamp(course.now_s)}}
        record, stored = self.records.change(as_text(course.name), fields, course.now_s, course.trace)
        return stored and record is not None

    def enter_record(self, error: ErrorGiven, occasion: Occasion, trace: Trace) -> tuple[Record, bool]:
        """Makes a record and writes it."""
        return self.records.add(lambda taken: self.maker.record(error, occasion, taken, trace), occasion.now_s, trace)

    def occasion(self, name: str, now_s: float, task: int | None, course: Course | None = None) -> Occasion:
        """What is known beside what is given: of the task, and of the delegation that began for it."""
        begun = None if task is None else self.delegations.get(task)
        context: dict[str, Any] = {} if course is None else {"task": task}
        if course is not None and course.progress.failed_at in course.progress.phases:
            context["phase"] = course.progress.phases.index(course.progress.failed_at) + 1
        if begun is not None:
            context["session_id"] = begun.session_id
        added = {} if course is None else course.added
        return Occasion(name, now_s, context, added, () if begun is None else begun.path)

    def note(self, name: str, record: Record) -> None:
        """Remembers a non-blocking error for the report at the end."""
        if record["type"] in self.non_blocking:
            self.to_report.append(Reported(as_text(name), record["type"], record["message"]))

    def response(self, error: ErrorGiven) -> Response:
        """Severity Levels; non-blocking errors never stop, however they are graded (our reading of ER-SEV-01)."""
        if as_text(error.type) in self.non_blocking:
            return Response.CONTINUE
        return self.responses[self.maker.severity(error, {})]

    def goes_on(self, response: Response) -> bool:
        """Does the execution go on?"""
        return response is not Response.STOP

    def fill(self, course: Course) -> None:
        """The tool of an MCP error goes into its record (ER-MCP-01)."""
        if as_text(course.error.type) == ErrorType.MCP_ABORT_ERROR:
            course.added["tool"] = as_text(course.facts.command)

    def run(self, procedure: Procedure, course: Course) -> None:
        """Carries a procedure out."""
        self.stepper.run(procedure, course)
        self.stepper.catch_up(course.now_s, course.trace)

    def returned(self, course: Course) -> dict[str, Any] | None:
        """The returned error, when one was reported."""
        if all(step.action != Action.REPORT for step in course.steps):
            return None
        return self.reporter.returned(course)

    def task_status(self, course: Course) -> str | None:
        """What the task's status is now: what it was (ER-DEL-02)."""
        known = self.metadata.known(course.progress.task).get("task_status")
        return course.task_status if known is None else known

    def beginning(self, *, ok: bool) -> tuple[StepTaken, ...]:
        """The steps with which a delegation begins."""
        return (StepTaken(Action.WRITE_METADATA, ok=ok), StepTaken(Action.WORK))

    def belongs(self, record: Record, session_id: str | None) -> bool:
        """Is it a record of that session?"""
        return session_id is None or self.session(record) == as_text(session_id)

    def session(self, record: Record) -> str | None:
        """The session of a record."""
        context = record.get("context")
        found = context.get("session_id") if isinstance(context, dict) else None
        return found if isinstance(found, str) else None

    def sessions(self, kind: str, records: list[Record]) -> int:
        """In how many sessions there are errors of that type."""
        found = {self.session(record) for record in records if record["type"] == kind}
        return len(found - {None})


def create(configuration: Configuration, files: Files | None = None, *, entropy: Entropy | None = None) -> ErrorLog:
    """The reference as the harness starts it: on real files, with the system's randomness, unless others are given."""
    return ErrorLog(configuration, files or RealFiles(), entropy or os.urandom)
