"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib
import functools
from collections.abc import Iterator

from harness.systems.file_mistakes import (
    escaping_io_errors,
    hold_by_file,
    rename_unsynced,
    tells_io_error,
    write_in_place,
)
from harness.systems.phase_runner.contract import StatusArguments, StatusResult
from harness.systems.phase_runner.contract.words import LogCode, phase_path
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.records import Record, Turn, encoded
from harness.systems.phase_runner.reference.starting import Starter
from harness.systems.phase_runner.reference.statuses import Statuses
from harness.systems.phase_runner.reference.store import StateError, Store
from harness.systems.trace import Trace


@mutant("records-written-in-place", "AB-STA-06", "a record is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class RecordsWrittenInPlace(Store):
    def put(self, record: Record) -> None:
        path = self.place(phase_path(record.phase_id))
        write_in_place(self.files, path, encoded(record), functools.partial(self.files.replace, path))


@mutant("records-renamed-before-they-are-synced", "AB-STA-06", "a new record is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class RecordsRenamedBeforeTheyAreSynced(Store):
    def put(self, record: Record) -> None:
        path = self.place(phase_path(record.phase_id))
        rename_unsynced(self.files, path, encoded(record), functools.partial(self.files.replace, path))


@mutant("turns-written-in-place", "AB-STA-06", "who changed the run last is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class TurnsWrittenInPlace(Store):
    def put_turn(self, turn: Turn) -> None:
        write_in_place(self.files, self.turn_path, encoded(turn), functools.partial(self.files.replace, self.turn_path))


@mutant("records-without-a-lock", "AB-RTY-01", "a run is changed without the lock", level="L3", under="schedule")
class RecordsWithoutALock(Store):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with super().locked():
            pass
        yield


@mutant("lock-survives-its-holder", "AB-STA-06", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(Store):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with super().locked(), contextlib.ExitStack() as held:
            hold_by_file(self.files, f"{self.directory}.held", held)
            yield


@mutant("io-errors-escape", "AB-ERR-05", "of the errors that a record can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorsEscape(Store):
    def put(self, record: Record) -> None:
        with escaping_io_errors():
            super().put(record)


@mutant("a-fresh-start-is-not-begun-again", "AB-FRS-01", "after a fresh start that was cut off there is no other",
        level="L3", under="syscall.killed")  # fmt: skip
class AFreshStartIsNotBegunAgain(Starter):
    def turn(self, *, fresh: bool) -> Turn:
        found = super().turn(fresh=fresh)
        if found.clearing:
            raise StateError(LogCode.STATE_CORRUPT, "a fresh start is on its way")
        return found


@mutant("io-errors-hide-how-phases-stand", "AB-STA-04", "how phases stand is not told when the disk is broken",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorsHideHowPhasesStand(Statuses):
    def of(self, arguments: StatusArguments, trace: Trace) -> StatusResult:
        found = super().of(arguments, trace)
        if tells_io_error(found.log):
            raise RuntimeError("the disk is broken")
        return found
