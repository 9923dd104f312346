"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib
import errno
import os
import time
from collections.abc import Callable

from harness.ports.files import RealFiles
from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.errors_file import ErrorsFile
from harness.systems.error_log.reference.kept_file import KeptFile
from harness.systems.error_log.reference.kept_records import KeptRecords, Make
from harness.systems.error_log.reference.metadata import Entry, KeptMetadata
from harness.systems.error_log.reference.plan import KeptPlan
from harness.systems.error_log.reference.records import Record
from harness.systems.error_log.reference.trace import Trace

PATIENCE_S = 0.3
TICK_S = 0.002


def _in_place(file: KeptFile, data: bytes, safe: Callable[[bytes], None]) -> None:
    """Cuts the file, then writes it anew; where that is refused it is done as it should be."""
    if not isinstance(file.files, RealFiles):
        safe(data)
        return
    try:
        os.makedirs(os.path.dirname(file.path), exist_ok=True)
        with open(file.path, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError:
        safe(data)


@mutant("errors-written-in-place", "ER-LOG-10", "errors.json is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class ErrorsWrittenInPlace(ErrorsFile):
    def put(self, data: bytes) -> None:
        _in_place(self, data, super().put)


@mutant("errors-renamed-before-they-are-synced", "ER-LOG-10", "the new errors.json is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class ErrorsRenamedBeforeTheyAreSynced(ErrorsFile):
    def put(self, data: bytes) -> None:
        if not isinstance(self.files, RealFiles):
            super().put(data)
            return
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(f"{self.path}.new", "wb") as opened:
                opened.write(data)
            os.replace(f"{self.path}.new", self.path)
        except OSError:
            super().put(data)


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
        path = f"{self.path}.held"
        super().lock(held)
        if not isinstance(self.files, RealFiles):
            return
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                break
            except FileExistsError:
                if time.monotonic() > until:
                    raise TimeoutError(path) from None
                time.sleep(TICK_S)
        held.callback(os.unlink, path)


@mutant("io-error-escapes", "ER-LOG-01", "of the errors errors.json can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(ErrorsFile):
    def put(self, data: bytes) -> None:
        try:
            super().put(data)
        except OSError as error:
            if error.errno == errno.EIO:
                raise RuntimeError("the disk is broken") from error
            raise


class _InPlace(KeptFile):
    def put(self, data: bytes) -> None:
        _in_place(self, data, super().put)


@mutant("metadata-written-in-place", "ER-PRG-02", "the metadata file is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class MetadataWrittenInPlace(KeptMetadata):
    file_class = _InPlace


@mutant("plan-written-in-place", "ER-PRG-03", "the plan is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class PlanWrittenInPlace(KeptPlan):
    file_class = _InPlace


@mutant("metadata-io-error-escapes", "ER-RES-01", "of the errors the metadata can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class MetadataIoErrorEscapes(KeptMetadata):
    def change(self, task: int, action: Callable[[Entry], Entry], now_s: float, trace: Trace) -> bool:
        changed = super().change(task, action, now_s, trace)
        if any(f"[Errno {errno.EIO}]" in entry.message for entry in trace.entries):
            raise RuntimeError("the disk is broken")
        return changed


@mutant("progress-without-a-lock", "ER-PRG-02", "progress is kept without the lock", level="L3", under="schedule")
class ProgressWithoutALock(KeptMetadata):
    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        return True
