"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib
from collections.abc import Callable

from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.errors_file import ErrorsFile
from harness.systems.error_log.reference.kept_file import KeptFile
from harness.systems.error_log.reference.kept_records import KeptRecords, Make
from harness.systems.error_log.reference.metadata import Entry, KeptMetadata
from harness.systems.error_log.reference.plan import KeptPlan
from harness.systems.error_log.reference.records import Record
from harness.systems.file_mistakes import (
    escaping_io_errors,
    hold_by_file,
    rename_unsynced,
    tells_io_error,
    write_in_place,
)
from harness.systems.trace import Trace


@mutant("errors-written-in-place", "ER-LOG-10", "errors.json is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class ErrorsWrittenInPlace(ErrorsFile):
    def put(self, data: bytes) -> None:
        write_in_place(self.files, self.path, data, super().put)


@mutant("errors-renamed-before-they-are-synced", "ER-LOG-10", "the new errors.json is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class ErrorsRenamedBeforeTheyAreSynced(ErrorsFile):
    def put(self, data: bytes) -> None:
        rename_unsynced(self.files, self.path, data, super().put)


@mutant("records-without-a-lock", "ER-LOG-10", "records are added without the lock", level="L3", under="schedule")
class RecordsWithoutALock(ErrorsFile):
    def lock(self, held: contextlib.ExitStack) -> None:
        return


@mutant("errors-read-before-the-lock", "ER-LOG-10", "what was read before the lock was taken is written back",
        level="L3", under="schedule")  # fmt: skip
class ErrorsReadBeforeTheLock(KeptRecords):
    def add(self, make: Make, now_s: float, trace: Trace) -> tuple[Record, bool]:
        found = self.read(trace)
        self.read = lambda trace: found  # type: ignore[method-assign]  # for as long as this operation takes
        try:
            return super().add(make, now_s, trace)
        finally:
            del self.read


@mutant("lock-survives-its-holder", "ER-LOG-01", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(ErrorsFile):
    def lock(self, held: contextlib.ExitStack) -> None:
        super().lock(held)
        hold_by_file(self.files, f"{self.path}.held", held)


@mutant("io-error-escapes", "ER-LOG-01", "of the errors errors.json can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(ErrorsFile):
    def put(self, data: bytes) -> None:
        with escaping_io_errors():
            super().put(data)


class _InPlace(KeptFile):
    def put(self, data: bytes) -> None:
        write_in_place(self.files, self.path, data, super().put)


@mutant("metadata-written-in-place", "ER-PRG-02", "the metadata file is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class MetadataWrittenInPlace(KeptMetadata):
    file_class = _InPlace


@mutant("plan-written-in-place", "ER-PRG-02", "the plan is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class PlanWrittenInPlace(KeptPlan):
    file_class = _InPlace


@mutant("metadata-io-error-escapes", "ER-PRG-01", "of the errors the metadata can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class MetadataIoErrorEscapes(KeptMetadata):
    def change(self, task: int, action: Callable[[Entry], Entry], now_s: float, trace: Trace) -> bool:
        changed = super().change(task, action, now_s, trace)
        if tells_io_error(trace.entries):
            raise RuntimeError("the disk is broken")
        return changed


@mutant("progress-without-a-lock", "ER-PRG-02", "progress is kept without the lock", level="L3", under="schedule")
class ProgressWithoutALock(KeptMetadata):
    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        return True
