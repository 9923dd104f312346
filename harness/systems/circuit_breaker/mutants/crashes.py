"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib
from collections.abc import Iterator
from datetime import datetime

from harness.systems.circuit_breaker.contract import (
    AcquireArguments,
    AcquireResult,
    RecordArguments,
    RecordResult,
)
from harness.systems.circuit_breaker.mutants.table import mutant
from harness.systems.circuit_breaker.reference.breaker import Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.recovery_log import LIMIT_BYTES, RecoveryLog
from harness.systems.circuit_breaker.reference.state_file import Found, StateFile
from harness.systems.file_mistakes import escaping_io_errors, hold_by_file, rename_unsynced, write_in_place
from harness.systems.trace import Trace


@mutant("state-written-in-place", "LK-CB-01", "the state file is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class StateWrittenInPlace(StateFile):
    def put(self, data: bytes) -> None:
        write_in_place(self.files, self.path, data, super().put)


@mutant("state-renamed-before-it-is-synced", "LK-CB-01", "the new state file is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class StateRenamedBeforeItIsSynced(StateFile):
    def put(self, data: bytes) -> None:
        rename_unsynced(self.files, self.path, data, super().put)


@mutant("failures-without-a-lock", "LK-CB-27", "results are taken into account without the lock",
        level="L3", under="schedule")  # fmt: skip
class FailuresWithoutALock(CircuitBreakers):
    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        with _unlocked(self.file):
            return super().record(arguments, now_s)


@mutant("probes-without-a-lock", "LK-CB-16", "who asks as the cooldown ends does not take the lock",
        level="L3", under="schedule")  # fmt: skip
class ProbesWithoutALock(CircuitBreakers):
    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        with _unlocked(self.file):
            return super().acquire(arguments, now_s)


@contextlib.contextmanager
def _unlocked(file: StateFile) -> Iterator[None]:
    file.lock = lambda held: None  # type: ignore[method-assign]  # for as long as this operation takes
    try:
        yield
    finally:
        del file.lock


@mutant("lock-survives-its-holder", "LK-CB-01", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(StateFile):
    def lock(self, held: contextlib.ExitStack) -> None:
        super().lock(held)
        hold_by_file(self.files, f"{self.path}.held", held)


@mutant("recovery-logged-before-it-is-saved", "LK-RP-06", "the line is written first, and again when the state was not",
        level="L3", under="syscall.killed")  # fmt: skip
class RecoveryLoggedBeforeItIsSaved(CircuitBreakers):
    def save(self, found: Found, now_us: int, trace: Trace, *, locked: bool) -> None:
        self.log_recoveries(trace, locked=locked)
        super().save(found, now_us, trace, locked=locked)


@mutant("killed-recovery-is-not-logged", "LK-RP-06", "nothing tells the next process that a line is missing",
        level="L3", under="syscall.killed")  # fmt: skip
class KilledRecoveryIsNotLogged(CircuitBreakers):
    def filled(self, name: str, found: Found, now_us: int, trace: Trace) -> Breaker:
        self.memory.pending = {key: doubtful for key, doubtful in self.memory.pending.items() if not doubtful}
        return super().filled(name, found, now_us, trace)


@mutant("recovery-glued-to-a-torn-line", "LK-RP-06", "a line is added behind one that was torn",
        level="L3", under="syscall.torn")  # fmt: skip
class RecoveryGluedToATornLine(RecoveryLog):
    def restore(self, name: str, recovered: datetime) -> None:
        line = f"{self.line(name, recovered)}\n".encode()
        try:
            data = self.files.read(self.path, LIMIT_BYTES)
        except FileNotFoundError:
            data = b""
        if line not in data:
            self.files.append(self.path, line)


@mutant("io-error-escapes", "LK-CB-10", "of the errors a state file can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(StateFile):
    def put(self, data: bytes) -> None:
        with escaping_io_errors():
            super().put(data)
