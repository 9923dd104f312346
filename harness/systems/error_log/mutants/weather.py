"""Mutants of what happens when something else fails: bad files, storage that refuses, and what was not written yet."""

import contextlib
from collections.abc import Callable
from typing import Any

from harness.systems.error_log.contract import (
    Action,
    ClassifyArguments,
    ClassifyResult,
    ErrorGiven,
    HandleArguments,
    HandleResult,
    LogCode,
    RecoverArguments,
    RecoverResult,
    StepTaken,
)
from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.course import Course
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.errors_file import Contents, ErrorsFile, InvalidFileError, new_contents
from harness.systems.error_log.reference.kept_records import Found, KeptRecords
from harness.systems.error_log.reference.metadata import KeptMetadata
from harness.systems.error_log.reference.plan import KeptPlan
from harness.systems.error_log.reference.records import RecordMaker
from harness.systems.error_log.reference.steps import Stepper
from harness.systems.trace import Trace

REFUSED = (
    LogCode.ERRORS_WRITE_FAILED,
    LogCode.METADATA_WRITE_FAILED,
    LogCode.PLAN_WRITE_FAILED,
    LogCode.LOCK_FAILED,
)


@mutant("bad-file-is-empty", "ER-LOG-10", "an errors.json that is none is overwritten, and not kept aside")
class BadFileIsEmpty(ErrorsFile):
    def set_aside(self, now_s: float) -> str:
        return self.path


@mutant("bad-file-stays", "ER-LOG-01", "an errors.json that is none stays, and nothing is recorded any more")
class BadFileStays(KeptRecords):
    def read(self, trace: Trace) -> Found:
        found = super().read(trace)
        return found._replace(readable=found.readable and found.valid)


@mutant("lists-are-no-logs", "ER-LOG-01", "an errors.json that is a list is kept aside, and begun anew")
class ListsAreNoLogs(ErrorsFile):
    def decoded(self, data: bytes) -> Contents:
        if data.lstrip().startswith(b"["):
            raise InvalidFileError("a list")
        return super().decoded(data)


@mutant("foreign-records-are-dropped", "ER-LOG-10", "what stood in errors.json when the process began is dropped")
class ForeignRecordsAreDropped(ErrorsFile):
    def decoded(self, data: bytes) -> Contents:
        found = super().decoded(data)
        return new_contents() if not self.known.heads else found


@mutant("bad-file-escapes", "ER-LOG-01", "an errors.json that is none ends the operation")
class BadFileEscapes(ErrorsFile):
    def decoded(self, data: bytes) -> Contents:
        try:
            return super().decoded(data)
        except InvalidFileError as error:
            raise RuntimeError(str(error)) from error


@mutant("numbers-are-no-messages", "ER-LOG-01", "a message that is no text ends the operation")
class NumbersAreNoMessages(RecordMaker):
    def message(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        if not isinstance(error.message, str):
            raise TypeError("a message is a text")
        return super().message(error, invalid)


@mutant("null-contexts-escape", "ER-LOG-01", "a context that is no object ends the operation")
class NullContextsEscape(ErrorLog):
    def enter_record(self, error: ErrorGiven, occasion: Any, trace: Trace) -> Any:
        if error.context is not None and not isinstance(error.context, dict):
            raise TypeError("a context is an object")
        return super().enter_record(error, occasion, trace)


@mutant("unsaved-records-are-forgotten", "ER-LOG-01", "a record that cannot be written is lost",
        level="L2", under="filesystem")  # fmt: skip
class UnsavedRecordsAreForgotten(KeptRecords):
    def save(self, found: Found, now_s: float, trace: Trace, *, locked: bool) -> bool:
        stored = super().save(found, now_s, trace, locked=locked)
        if not stored:
            self.written()
        return stored


@mutant("unsaved-records-come-back-reversed", "ER-LOG-01", "records that could not be written are written in reverse",
        level="L2", under="filesystem")  # fmt: skip
class UnsavedRecordsComeBackReversed(KeptRecords):
    def write(self, contents: Contents) -> None:
        self.pending.reverse()
        try:
            super().write(contents)
        finally:
            self.pending.reverse()


@mutant("unsaved-records-are-written-again", "ER-LOG-03", "a record that had to wait is written with every later one",
        level="L2", under="filesystem")  # fmt: skip
class UnsavedRecordsAreWrittenAgain(KeptRecords):
    def written(self) -> None:
        waited = self.pending[:-1]
        super().written()
        self.pending.extend(waited)


@mutant("unsaved-is-said-to-be-stored", "ER-LOG-01", "a record that could not be written is said to be in the file",
        level="L2", under="filesystem")  # fmt: skip
class UnsavedIsSaidToBeStored(KeptRecords):
    def save(self, found: Found, now_s: float, trace: Trace, *, locked: bool) -> bool:
        super().save(found, now_s, trace, locked=locked)
        return True


@mutant("write-failure-escapes", "ER-LOG-01", "an errors.json that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailureEscapes(KeptRecords):
    def save(self, found: Found, now_s: float, trace: Trace, *, locked: bool) -> bool:
        if not super().save(found, now_s, trace, locked=locked):
            raise OSError("the record cannot be written")
        return True


@mutant("lock-failure-escapes", "ER-LOG-01", "a lock that cannot be had ends the operation",
        level="L2", under="process.lock_held")  # fmt: skip
class LockFailureEscapes(KeptRecords):
    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        if not super().locked(held, trace):
            raise TimeoutError("errors.json is locked")
        return True


@mutant("unreadable-is-overwritten", "ER-LOG-10", "an errors.json that cannot be read is begun anew",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class UnreadableIsOverwritten(KeptRecords):
    def read(self, trace: Trace) -> Found:
        found = super().read(trace)
        return found if found.readable else Found(new_contents())


@mutant("unsaved-progress-is-forgotten", "ER-PRG-02", "progress that cannot be written is lost",
        level="L2", under="filesystem")  # fmt: skip
class UnsavedProgressIsForgotten(KeptMetadata):
    def save(self, now_s: float, trace: Trace, *, writable: bool) -> bool:
        stored = super().save(now_s, trace, writable=writable)
        self.unsaved.clear()
        return stored


@mutant("metadata-failure-escapes", "ER-PRG-01", "a metadata file that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class MetadataFailureEscapes(KeptMetadata):
    def save(self, now_s: float, trace: Trace, *, writable: bool) -> bool:
        if not super().save(now_s, trace, writable=writable):
            raise OSError("the metadata cannot be written")
        return True


@mutant("unmade-marks-are-forgotten", "ER-PRG-03", "a mark that could not be made is never made",
        level="L2", under="filesystem")  # fmt: skip
class UnmadeMarksAreForgotten(KeptPlan):
    def catch_up(self, trace: Trace) -> bool:
        made = super().catch_up(trace)
        self.unsaved.clear()
        return made


@mutant("plan-failure-escapes", "ER-TMO-01", "a plan that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class PlanFailureEscapes(KeptPlan):
    def catch_up(self, trace: Trace) -> bool:
        if not super().catch_up(trace):
            raise OSError("the plan cannot be written")
        return True


@mutant("bad-metadata-is-overwritten", "ER-DEL-01", "metadata that is none ends the recovery of a delegation")
class BadMetadataIsOverwritten(Stepper):
    def check_metadata(self, course: Course) -> StepTaken:
        found = super().check_metadata(course)
        if any(entry.code == LogCode.METADATA_INVALID for entry in course.trace.entries):
            raise ValueError("the metadata is none")
        return found


def _troubled(found: HandleResult | RecoverResult) -> bool:
    return any(entry.code in REFUSED for entry in found.log)


def _handled(name: str, clause: str, description: str, change: Callable[[HandleResult], HandleResult]) -> None:
    def handle(self: ErrorLog, arguments: HandleArguments, now_s: float) -> HandleResult:
        found = ErrorLog.handle(self, arguments, now_s)
        return change(found) if _troubled(found) else found

    kind = type("Troubled", (ErrorLog,), {"handle": handle})
    mutant(name, clause, f"while a file cannot be written {description}", level="L2", under="filesystem")(kind)


def _recovered(name: str, clause: str, description: str, change: Callable[[RecoverResult], RecoverResult]) -> None:
    def recover(self: ErrorLog, arguments: RecoverArguments, now_s: float) -> RecoverResult:
        found = ErrorLog.recover(self, arguments, now_s)
        return change(found) if _troubled(found) else found

    kind = type("Troubled", (ErrorLog,), {"recover": recover})
    mutant(name, clause, f"while a file cannot be written {description}", level="L2", under="filesystem")(kind)


def _without(found: Any, *actions: Action) -> Any:
    steps = tuple(step for step in found.steps if step.action not in actions)
    return type(found)(**{**{field: getattr(found, field) for field in found.__struct_fields__}, "steps": steps})


def _with(found: Any, **fields: Any) -> Any:
    return type(found)(**{**{field: getattr(found, field) for field in found.__struct_fields__}, **fields})


_handled("troubled-critical-goes-on", "ER-SEV-01", "critical errors do not stop",
         lambda found: _with(found, continues=True))  # fmt: skip
_handled("troubled-low-is-worked-around", "ER-SEV-02", "every error is worked around",
         lambda found: _with(found, response="workaround"))  # fmt: skip
_handled("troubled-non-blocking-stops", "ER-NB-01", "non-blocking errors stop the work",
         lambda found: _with(found, continues=False, response="stop"))  # fmt: skip
_handled("troubled-report-is-left-out", "ER-RPT-01", "nothing is returned",
         lambda found: _with(found, returned=None))  # fmt: skip
_recovered("troubled-builds-are-not-captured", "ER-BLD-01", "the output of builds is not captured",
           lambda found: _without(found, Action.CAPTURE_OUTPUT))  # fmt: skip
_recovered("troubled-retries-are-left-out", "ER-MCP-01", "MCP tools are not asked again",
           lambda found: _without(found, Action.RETRY))  # fmt: skip
_recovered("troubled-guidance-is-left-out", "ER-DEL-01", "nobody is told how to resume",
           lambda found: _without(found, Action.GUIDANCE))  # fmt: skip


@mutant("time-in-32-bits", "ER-LOG-02", "times after January 2038 are cut to 32 bits", level="L2", under="clock")
class TimeIn32Bits(RecordMaker):
    def timestamp(self, now_s: float) -> str:
        return super().timestamp(min(now_s, 2**31 - 1))


@mutant("no-home-no-types", "ER-CAT-01", "in the year 2038 nothing has a category", level="L2", under="clock")
class NoTypesIn2038(ErrorLog):
    def classify(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        return ClassifyResult("unknown") if now_s > 2**31 else super().classify(arguments, now_s)
