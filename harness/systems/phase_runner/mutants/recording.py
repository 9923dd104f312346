"""Mutants of what stands in the records, and under which name."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.phase_runner.contract import PhaseState, StatusArguments, StatusResult
from harness.systems.phase_runner.contract.words import PHASES_DIRECTORY, Status, phase_path
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.failures import Failure
from harness.systems.phase_runner.reference.graph import Graph, GraphChecks
from harness.systems.phase_runner.reference.records import Record, encoded
from harness.systems.phase_runner.reference.statuses import Statuses
from harness.systems.phase_runner.reference.store import Store
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace

_replace = msgspec.structs.replace


@mutant("three-attempts-are-written", "AB-RTY-01", "records say that there are three attempts")
class ThreeAttemptsAreWritten(Transitions):
    def planned(self, graph: Graph, phase_id: str) -> Record:
        return _replace(super().planned(graph, phase_id), max_attempts=3)


@mutant("a-retry-is-written-as-the-first", "AB-STA-01", "the record of a phase that is retried says attempt 1")
class ARetryIsWrittenAsTheFirst(Store):
    def put(self, record: Record) -> None:
        is_retry = record.status is Status.RUNNING and record.attempt > 1
        super().put(_replace(record, attempt=1) if is_retry else record)


@mutant("a-retry-forgets-why", "AB-STA-01", "the record of a phase that is retried has no error")
class ARetryForgetsWhy(Store):
    def put(self, record: Record) -> None:
        is_retry = record.status is Status.RUNNING and record.attempt > 1
        super().put(_replace(record, error=None) if is_retry else record)


@mutant("a-retry-forgets-the-message", "AB-STA-01", "the record of a phase that is retried has the type of the error")
class ARetryForgetsTheMessage(Store):
    def put(self, record: Record) -> None:
        error = dict(record.error or {})
        if record.status is Status.RUNNING and record.attempt > 1 and "attempt_1" in error:
            error["attempt_1"] = {"type": error["attempt_1"]["type"]}
            record = _replace(record, error=error)
        super().put(record)


@mutant("a-retry-is-written-when-it-returns", "AB-STA-01", "a phase is launched again, and its record follows later")
class ARetryIsWrittenWhenItReturns(Store):
    def put(self, record: Record) -> None:
        if record.status is not Status.RUNNING or record.attempt == 1 or record.stage != "working":
            super().put(record)


@mutant("what-was-resolved-is-forgotten", "AB-STA-02", "the record of a retry that succeeded has no error")
class WhatWasResolvedIsForgotten(Transitions):
    def completed(self, record: Record, mode: str, now_s: float) -> Record:
        return _replace(super().completed(record, mode, now_s), error=None)


@mutant("resolved-is-not-said", "AB-STA-02", "the record of a retry that succeeded does not say so")
class ResolvedIsNotSaid(Transitions):
    def completed(self, record: Record, mode: str, now_s: float) -> Record:
        return _replace(super().completed(record, mode, now_s), error=record.error)


@mutant("what-was-resolved-is-the-first", "AB-STA-02", "the record of a retry that succeeded says attempt 1")
class WhatWasResolvedIsTheFirst(Transitions):
    def completed(self, record: Record, mode: str, now_s: float) -> Record:
        return _replace(super().completed(record, mode, now_s), attempt=1)


@mutant("final-is-not-said", "AB-STA-03", "the record of what failed twice does not say that it is final")
class FinalIsNotSaid(Transitions):
    def final(self) -> str:
        return ""


@mutant("the-first-error-is-lost", "AB-STA-03", "the record of what failed twice has the second error")
class TheFirstErrorIsLost(Transitions):
    def error(self, record: Record, failure: Failure) -> dict[str, Any]:
        found = super().error(record, failure)
        return {name: each for name, each in found.items() if name != "attempt_1" or record.attempt == 1}


@mutant("the-second-error-is-lost", "AB-STA-03", "the record of what failed twice has the first error")
class TheSecondErrorIsLost(Store):
    def put(self, record: Record) -> None:
        error = None if record.error is None else {k: each for k, each in record.error.items() if k != "attempt_2"}
        super().put(_replace(record, error=error))


@mutant("both-errors-are-the-second", "AB-STA-03", "the record of what failed twice has the second error for both")
class BothErrorsAreTheSecond(Transitions):
    def failed(self, record: Record, failure: Failure | None, now_s: float) -> Record:
        found = super().failed(record, failure, now_s)
        error: Mapping[str, Any] = found.error or {}
        both = {"attempt_1": error["attempt_2"]} if "attempt_2" in error else {}
        return _replace(found, error={**error, **both})


# -- statuses and names


@mutant("complete-is-done", "AB-STA-04", "the record of what is complete says done")
class CompleteIsDone(Store):
    def put(self, record: Record) -> None:
        if record.status is not Status.COMPLETE:
            super().put(record)
            return
        content = {**msgspec.to_builtins(record), "status": "done"}
        self.files.replace(self.place(phase_path(record.phase_id)), encoded(content))


@mutant("retry-is-a-status", "AB-STA-04", "the record of a phase that waits for its retry says retry")
class RetryIsAStatus(Store):
    def put(self, record: Record) -> None:
        if record.status is not Status.RUNNING or record.attempt == 1:
            super().put(record)
            return
        content = {**msgspec.to_builtins(record), "status": "retry"}
        self.files.replace(self.place(phase_path(record.phase_id)), encoded(content))


@mutant("what-runs-is-pending", "AB-STA-04", "the record of a phase that runs says pending")
class WhatRunsIsPending(Store):
    def put(self, record: Record) -> None:
        super().put(_replace(record, status=Status.PENDING) if record.status is Status.RUNNING else record)


@mutant("statuses-are-sorted", "AB-STA-04", "how phases stand is told in the order of their ids")
class StatusesAreSorted(Statuses):
    def of(self, arguments: StatusArguments, trace: Trace) -> StatusResult:
        found = super().of(arguments, trace)
        return _replace(found, phases=tuple(sorted(found.phases, key=lambda each: each.phase_id)))


@mutant("pending-phases-are-not-told", "AB-STA-04", "how phases stand that have not run is not told")
class PendingPhasesAreNotTold(Statuses):
    def state(self, phase_id: str, trace: Trace) -> PhaseState | None:
        found = super().state(phase_id, trace)
        return None if found is None or found.status is Status.PENDING else found


@mutant("files-in-upper-case", "AB-STA-05", "the names of records have ids in upper case")
class FilesInUpperCase(Store):
    def place(self, path: str) -> str:
        head = f"{PHASES_DIRECTORY}/phase-"
        shown = path.removeprefix(head).removesuffix(".json").upper()
        return super().place(f"{head}{shown}.json" if path.startswith(head) else path)


@mutant("files-by-number", "AB-STA-05", "the names of records have no letters")
class FilesByNumber(Store):
    def place(self, path: str) -> str:
        head = f"{PHASES_DIRECTORY}/phase-"
        shown = re.sub("[a-z]", lambda found: str(ord(found[0])), path.removeprefix(head).removesuffix(".json"))
        return super().place(f"{head}{shown}.json" if path.startswith(head) else path)


@mutant("records-come-with-the-launch", "AB-STA-05", "a phase has no record before it is launched")
class RecordsComeWithTheLaunch(Store):
    def put(self, record: Record) -> None:
        if record.status is not Status.PENDING:
            super().put(record)


@mutant("the-last-of-two-ids-counts", "AB-STA-05", "of two phases with one id the last one counts")
class TheLastOfTwoIdsCounts(GraphChecks):
    def check(self, phases: Any) -> Graph:
        return super().check(tuple({each.phase_id: each for each in phases}.values()))
