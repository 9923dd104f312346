"""Mutants of what happens when something else fails: storage that refuses, a lock that is held, clocks far off."""

import contextlib
from collections.abc import Iterator, Sequence

from harness.systems.phase_runner.contract import StatusArguments, StatusResult
from harness.systems.phase_runner.contract.words import Event, LogCode
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.logs import Logs
from harness.systems.phase_runner.reference.records import Record
from harness.systems.phase_runner.reference.statuses import Statuses
from harness.systems.phase_runner.reference.store import Store
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace


@mutant("write-failures-escape", "AB-NRT-05", "a record that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailuresEscape(Store):
    def put(self, record: Record) -> None:
        try:
            super().put(record)
        except OSError as error:
            raise RuntimeError("the record cannot be written") from error


@mutant("log-failures-escape", "AB-HLT-01", "an execution log that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class LogFailuresEscape(Logs):
    def tell(self, at: str, events: Sequence[tuple[Event, str]], trace: Trace) -> None:
        own = Trace()
        super().tell(at, events, own)
        trace.entries += own.entries
        if any(entry.code == LogCode.LOG_WRITE_FAILED for entry in own.entries):
            raise RuntimeError("the log cannot be written")


@mutant("held-locks-escape", "AB-NRT-05", "a lock that is held ends the operation",
        level="L2", under="process.lock_held")  # fmt: skip
class HeldLocksEscape(Store):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(super().locked())
            except OSError as error:
                raise RuntimeError("the state is locked") from error
            yield


@mutant("status-needs-every-record", "AB-STA-04", "how phases stand is not told when a record cannot be read",
        level="L2", under="filesystem")  # fmt: skip
class StatusNeedsEveryRecord(Statuses):
    def of(self, arguments: StatusArguments, trace: Trace) -> StatusResult:
        found = super().of(arguments, trace)
        if any(entry.code == LogCode.STATE_UNREADABLE for entry in found.log):
            raise RuntimeError("a record cannot be read")
        return found


@mutant("times-in-32-bits", "AB-NRT-05", "times after January 2038 cannot be written",
        level="L2", under="clock")  # fmt: skip
class TimesIn32Bits(Transitions):
    def launched(self, record: Record, batch: int, now_s: float) -> Record:
        return super().launched(record, batch, now_s if now_s < 1 << 31 else float("nan"))
