"""Mutants of what happens when something else fails: files, storage, clocks, kills, other processes."""

import msgspec

from harness.systems.file_mistakes import tells_io_error, write_in_place
from harness.systems.rationalization.contract import Attempt, EnforceArguments, EnforceResult
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.attempts import Attempts
from harness.systems.rationalization.reference.watch import Watch
from harness.systems.trace import Trace

LATEST = "2038-01-19T03:14:07Z"


@mutant("unlogged-attempts-proceed", "LK-RAT-06", "an attempt that cannot be logged goes on",
        level="L2", under="filesystem")  # fmt: skip
class UnloggedAttemptsProceed(Watch):
    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        found = super().enforce(arguments, now_s)
        return found if found.proceeds or found.logged else msgspec.structs.replace(found, proceeds=True)


@mutant("log-failure-escapes", "LK-RAT-06", "a log that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class LogFailureEscapes(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        if not super().add(attempt, trace):
            raise OSError("the attempt cannot be logged")
        return True


@mutant("unlogged-attempts-are-said-to-be-logged", "LK-RAT-07", "an unwritten attempt is said to be logged",
        level="L2", under="filesystem")  # fmt: skip
class UnloggedAttemptsAreSaidToBeLogged(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        super().add(attempt, trace)
        return True


@mutant("unlogged-attempts-are-not-told", "LK-RAT-07", "nothing is said of an attempt that could not be written",
        level="L2", under="filesystem")  # fmt: skip
class UnloggedAttemptsAreNotTold(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        return super().add(attempt, Trace())


@mutant("unreadable-attempts-are-none", "LK-RAT-07", "attempts that cannot be read are told as none",
        level="L2", under="filesystem")  # fmt: skip
class UnreadableAttemptsAreNone(Attempts):
    def data(self) -> bytes:
        try:
            return super().data()
        except OSError:
            return b""


@mutant(
    "bad-utf8-escapes", "LK-RAT-07", "a log that is no UTF-8 ends the operation", level="L2", under="jsonl.bad_utf8"
)
class BadUtf8Escapes(Attempts):
    def attempts(self, data: bytes, trace: Trace) -> tuple[Attempt, ...]:
        return super().attempts(data.decode().encode(), trace)


@mutant("attempt-times-in-32-bits", "LK-RAT-07", "times of attempts after January 2038 are cut to 32 bits",
        level="L2", under="clock")  # fmt: skip
class AttemptTimesIn32Bits(Attempts):
    def line(self, attempt: Attempt) -> bytes:
        return super().line(msgspec.structs.replace(attempt, timestamp=min(attempt.timestamp, LATEST)))


@mutant("log-is-rewritten-in-place", "LK-RAT-07", "with each attempt the log is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class LogIsRewrittenInPlace(Attempts):
    def write(self, data: bytes) -> None:
        before = self.data()
        torn = before and not before.endswith(b"\n")
        whole = before + b"\n" + data if torn else before + data
        write_in_place(self.files, self.path, whole, lambda _: super(LogIsRewrittenInPlace, self).write(data))


@mutant("io-error-escapes", "LK-RAT-06", "of the errors the log can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        logged = super().add(attempt, trace)
        if tells_io_error(trace.entries):
            raise RuntimeError("the disk is broken")
        return logged


@mutant("log-is-read-and-put-back", "LK-RAT-07", "the log is read, and put back with one more, whoever wrote meanwhile",
        level="L3", under="schedule")  # fmt: skip
class LogIsReadAndPutBack(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        try:
            before = self.data()
            torn = before and not before.endswith(b"\n")
            self.files.replace(self.path, before + (b"\n" if torn else b"") + self.line(attempt))
        except OSError:
            return super().add(attempt, trace)
        return True
