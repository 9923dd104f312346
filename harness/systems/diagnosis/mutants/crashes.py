"""Mutants of how lines are added: wrong when a writer dies, when a call fails, or when another comes between."""

import contextlib
from collections.abc import Iterator

from harness.ports.files import RealFiles
from harness.systems.diagnosis.mutants.table import mutant
from harness.systems.diagnosis.reference.memories import CHUNK, Lines, Trace
from harness.systems.file_mistakes import escaping_io_errors

_MOST = 256 * CHUNK


@mutant("lines-are-glued-to-torn-ones", "DR-MEM-04", "a line is added behind one that was torn")
class LinesAreGluedToTornOnes(Lines):
    def append(self, data: bytes) -> None:
        self.files.append(self.path, data)


@mutant("session-memory-is-rewritten", "DR-MEM-04", "the whole memory is read, cut and written anew for each line",
        level="L3", under="syscall.killed")  # fmt: skip
class SessionMemoryIsRewritten(Lines):
    def append(self, data: bytes) -> None:
        if not isinstance(self.files, RealFiles):
            super().append(data)
            return
        try:
            before = self.files.read(self.path, _MOST)
            ended = b"\n" if before and not before.endswith(b"\n") else b""
            with open(self.path, "wb") as file:
                file.write(before + ended + data)
        except OSError:
            super().append(data)


@mutant("unlocked-lines-in-two-writes", "DR-MEM-01", "lines are added in two writes, without a lock",
        level="L3", under="schedule")  # fmt: skip
class UnlockedLinesInTwoWrites(Lines):
    def write(self, trace: Trace) -> None:
        while self.unwritten:
            data = self.unwritten[0]
            half = len(data) // 2
            try:
                self.files.append_lines(self.path, data[:half])
                self.files.append(self.path, data[half:])
            except OSError as error:
                trace.error(self.failed, "lines are kept for the next write", error)
                return
            del self.unwritten[0]


@mutant("io-error-escapes", "DR-TRG-01", "of the errors a memory can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(Lines):
    def append(self, data: bytes) -> None:
        with escaping_io_errors():
            super().append(data)


@mutant("a-lock-that-cannot-be-had-escapes", "DR-TRG-01", "a lock that cannot be had ends the operation",
        level="L3", under="syscall.errno")  # fmt: skip
class ALockThatCannotBeHadEscapes(Lines):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        try:
            with contextlib.ExitStack() as held:
                self.lock(held)
                yield
        except OSError as error:
            raise RuntimeError("there is no lock") from error
