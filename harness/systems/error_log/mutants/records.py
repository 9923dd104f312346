"""Mutants of the records in errors.json: ER-LOG-01 to ER-LOG-09."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from harness.systems.error_log.contract import ErrorGiven
from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.errors_file import Contents, ErrorsFile, new_contents
from harness.systems.error_log.reference.kept_records import KeptRecords
from harness.systems.error_log.reference.records import Occasion, Record, RecordMaker
from harness.systems.error_log.reference.texts import as_text
from harness.systems.trace import Trace


def leaving_out(field: str) -> type[RecordMaker]:
    """Records that lack one field."""

    def record(
        self: RecordMaker, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace
    ) -> Record:
        found = RecordMaker.record(self, error, occasion, taken, trace)
        del found[field]
        return found

    return type(f"Without{field.title().replace('_', '')}", (RecordMaker,), {"record": record})


for _field in ("timestamp", "message", "context"):
    mutant(f"{_field}-is-left-out", "ER-LOG-02", f"records have no {_field}")(leaving_out(_field))
mutant("severity-is-left-out", "ER-LOG-02", "records have no severity")(leaving_out("severity"))
mutant("fix-status-is-left-out", "ER-LOG-02", "records have no fix_status")(leaving_out("fix_status"))


@mutant("records-are-never-written", "ER-LOG-01", "records live in memory only")
class RecordsAreNeverWritten(KeptRecords):
    def write(self, contents: Contents) -> None:
        return


@mutant("records-are-elsewhere", "ER-LOG-01", "errors.json lies beside the specs")
class RecordsAreElsewhere(ErrorLog):
    errors_path = "{home}/errors.json"


@mutant("last-record-only", "ER-LOG-01", "the file has the last record alone")
class LastRecordOnly(ErrorsFile):
    def joined(self, contents: Contents, sources: Sequence[bytes]) -> bytes:
        return super().joined(new_contents(), sources)


@mutant("low-errors-are-not-logged", "ER-LOG-01", "what is low is not worth a record")
class LowErrorsAreNotLogged(KeptRecords):
    def write(self, contents: Contents) -> None:
        self.pending[:] = [each for each in self.pending if each["severity"] != "low"]
        super().write(contents)


@mutant("records-under-another-name", "ER-LOG-01", "the records stand under `records`")
class RecordsUnderAnotherName(ErrorsFile):
    def put(self, data: bytes) -> None:
        super().put(data.replace(b'{"errors":[', b'{"records":[', 1))


@mutant("timestamp-is-a-number", "ER-LOG-02", "timestamps are seconds since the epoch")
class TimestampIsANumber(RecordMaker):
    def timestamp(self, now_s: float) -> str:
        return now_s  # type: ignore[return-value]  # that is what is wrong


@mutant("timestamp-is-a-day-late", "ER-LOG-02", "timestamps are a day late")
class TimestampIsADayLate(RecordMaker):
    def timestamp(self, now_s: float) -> str:
        return super().timestamp(now_s + 86_400)


@mutant("messages-are-cut", "ER-LOG-02", "messages are cut after 100 characters")
class MessagesAreCut(RecordMaker):
    def message(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        return super().message(error, invalid)[:100]


@mutant("messages-have-one-line", "ER-LOG-02", "of a message the first line is kept")
class MessagesHaveOneLine(RecordMaker):
    def message(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        return super().message(error, invalid).partition("\n")[0]


@mutant("types-in-capitals", "ER-LOG-02", "the type is written in capitals")
class TypesInCapitals(RecordMaker):
    def type(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        return super().type(error, invalid).upper()


@mutant("ids-in-one-tick-are-the-same", "ER-LOG-03", "the id is the time, and two errors in one tick share it")
class IdsInOneTickAreTheSame(RecordMaker):
    def id(self, now_s: float, taken: Collection[str]) -> str:
        return super().id(now_s, taken).rpartition("_")[0]


@mutant("ids-have-another-prefix", "ER-LOG-03", "ids begin with error_")
class IdsHaveAnotherPrefix(RecordMaker):
    def id(self, now_s: float, taken: Collection[str]) -> str:
        return super().id(now_s, taken).replace("err_", "error_")


@mutant("ids-are-counted", "ER-LOG-03", "ids are numbers that follow each other")
class IdsAreCounted(RecordMaker):
    def id(self, now_s: float, taken: Collection[str]) -> str:
        return f"err_{len(taken) + 1}"


@mutant("ids-have-no-time", "ER-LOG-03", "ids have nothing but letters that were drawn")
class IdsHaveNoTime(RecordMaker):
    def id(self, now_s: float, taken: Collection[str]) -> str:
        return "err_x" + super().id(now_s, taken).rpartition("_")[2]


@mutant("severities-in-capitals", "ER-LOG-04", "severities are written in capitals")
class SeveritiesInCapitals(RecordMaker):
    def record(self, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace) -> Record:
        found = super().record(error, occasion, taken, trace)
        return {**found, "severity": found["severity"].upper()}


@mutant("severity-is-as-given", "ER-LOG-04", "a severity that is none is written as it was given")
class SeverityIsAsGiven(RecordMaker):
    def record(self, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace) -> Record:
        found = super().record(error, occasion, taken, trace)
        return found if error.severity is None else {**found, "severity": as_text(error.severity)}


@mutant("severity-is-null", "ER-LOG-04", "an error that comes without a severity gets null")
class SeverityIsNull(RecordMaker):
    def record(self, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace) -> Record:
        found = super().record(error, occasion, taken, trace)
        return {**found, "severity": None} if error.severity is None else found


@mutant("critical-is-high", "ER-LOG-04", "what is given as critical is written as high")
class CriticalIsHigh(RecordMaker):
    def record(self, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace) -> Record:
        found = super().record(error, occasion, taken, trace)
        return {**found, "severity": "high"} if found["severity"] == "critical" else found


def _context(name: str, description: str, **fields: Any) -> None:
    """A context in which the fields given are what the functions make of them."""

    def context(self: RecordMaker, error: ErrorGiven, occasion: Occasion, invalid: dict[str, Any]) -> dict[str, Any]:
        found = RecordMaker.context(self, error, occasion, invalid)
        for field, change in fields.items():
            if found.get(field) is not None:
                found[field] = change(found[field])
        return found

    mutant(name, "ER-LOG-05", description)(type("Context", (RecordMaker,), {"context": context}))


_context("task-is-a-text", "the task is written as a text", task=str)
_context("phase-is-counted-from-zero", "the phase is one less than what was given", phase=lambda phase: phase - 1)
_context("checkpoint-is-dropped", "the checkpoint is never kept", checkpoint=lambda _: None)
_context("command-has-no-slash", "the command is written without its slash", command=lambda text: text.lstrip("/"))


@mutant("context-is-flat", "ER-LOG-05", "the context's fields stand in the record itself")
class ContextIsFlat(RecordMaker):
    def record(self, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace) -> Record:
        found = super().record(error, occasion, taken, trace)
        session_id = found["context"]["session_id"]
        return {**found, "context": {"session_id": session_id}, **found["context"]}


@mutant("ill-typed-tasks-are-kept", "ER-LOG-05", "a task that is no number is written as it was given")
class IllTypedTasksAreKept(RecordMaker):
    def context(self, error: ErrorGiven, occasion: Occasion, invalid: dict[str, Any]) -> dict[str, Any]:
        found = super().context(error, occasion, invalid)
        return {**found, "task": invalid["context.task"]} if "context.task" in invalid else found


@mutant("paths-are-reversed", "ER-LOG-07", "the innermost comes first")
class PathsAreReversed(RecordMaker):
    def trajectory(self, error: ErrorGiven, occasion: Occasion, invalid: dict[str, Any]) -> dict[str, Any] | None:
        found = super().trajectory(error, occasion, invalid)
        return found and {**found, "delegation_path": found["delegation_path"][::-1]}


@mutant("paths-are-texts", "ER-LOG-07", "the path is one text with arrows")
class PathsAreTexts(RecordMaker):
    def trajectory(self, error: ErrorGiven, occasion: Occasion, invalid: dict[str, Any]) -> dict[str, Any] | None:
        found = super().trajectory(error, occasion, invalid)
        return found and {**found, "delegation_path": " > ".join(found["delegation_path"])}


@mutant("impossible-depths-are-kept", "ER-LOG-07", "an index beyond the path is written as it was given")
class ImpossibleDepthsAreKept(RecordMaker):
    def depth(self, path: list[str], given: dict[str, Any], invalid: dict[str, Any]) -> int:
        asked = given.get("failed_at_depth")
        found = super().depth(path, given, invalid)
        return asked if isinstance(asked, int) else found


@mutant("every-depth-is-the-outermost", "ER-LOG-07", "failed_at_depth is 0, whatever was given")
class EveryDepthIsTheOutermost(RecordMaker):
    def depth(self, path: list[str], given: dict[str, Any], invalid: dict[str, Any]) -> int:
        super().depth(path, given, invalid)
        return 0


@mutant("auto-recoverable-is-a-word", "ER-LOG-08", "auto_recoverable is yes or no")
class AutoRecoverableIsAWord(RecordMaker):
    def recovery(self, error: ErrorGiven, invalid: dict[str, Any]) -> dict[str, Any]:
        found = super().recovery(error, invalid)
        return {**found, "auto_recoverable": "yes" if found["auto_recoverable"] else "no"}


@mutant("nothing-recovers-by-itself", "ER-LOG-08", "auto_recoverable is false, whatever was given")
class NothingRecoversByItself(RecordMaker):
    def recovery(self, error: ErrorGiven, invalid: dict[str, Any]) -> dict[str, Any]:
        return {**super().recovery(error, invalid), "auto_recoverable": False}


@mutant("actions-are-lists", "ER-LOG-08", "suggested_action is a list of texts")
class ActionsAreLists(RecordMaker):
    def recovery(self, error: ErrorGiven, invalid: dict[str, Any]) -> dict[str, Any]:
        found = super().recovery(error, invalid)
        return {**found, "suggested_action": [found["suggested_action"]]}


@mutant("ill-typed-recoveries-are-kept", "ER-LOG-08", "a recovery of other types is written as it was given")
class IllTypedRecoveriesAreKept(RecordMaker):
    def recovery(self, error: ErrorGiven, invalid: dict[str, Any]) -> dict[str, Any]:
        found = super().recovery(error, invalid)
        prefix = "recovery."
        given = {field.removeprefix(prefix): each for field, each in invalid.items() if field.startswith(prefix)}
        return {**found, **given}


@mutant("new-records-are-in-progress", "ER-LOG-09", "a new record is in_progress")
class NewRecordsAreInProgress(RecordMaker):
    def fix_status(self, error: ErrorGiven) -> str:
        return "in_progress"


@mutant("recoverable-errors-are-fixed", "ER-LOG-09", "a new record of what recovers by itself is fixed")
class RecoverableErrorsAreFixed(RecordMaker):
    def fix_status(self, error: ErrorGiven) -> str:
        return "fixed" if self.recovery(error, {})["auto_recoverable"] else super().fix_status(error)


@mutant("every-record-is-fixed-at-once", "ER-LOG-09", "with one record all are fixed")
class EveryRecordIsFixedAtOnce(KeptRecords):
    def change(self, name: str, fields: Mapping[str, Any], now_s: float, trace: Trace) -> tuple[Record | None, bool]:
        if "fix_status" in fields:
            self.changes.update({id_: dict(fields) for id_ in self.read(trace).contents.ids})
        return super().change(name, fields, now_s, trace)


@mutant("fix-status-stays", "ER-LOG-09", "fix_status never changes")
class FixStatusStays(KeptRecords):
    def change(self, name: str, fields: Mapping[str, Any], now_s: float, trace: Trace) -> tuple[Record | None, bool]:
        kept = {field: value for field, value in fields.items() if field != "fix_status"}
        return super().change(name, kept, now_s, trace)
