"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib
from collections.abc import Iterator

import msgspec

from harness.systems.file_mistakes import escaping_io_errors, hold_by_file, rename_unsynced, write_in_place
from harness.systems.review_gate.mutants.table import mutant
from harness.systems.review_gate.reference.kept_state import KeptState
from harness.systems.review_gate.reference.state import Memory


@mutant("state-written-in-place", "LK-REV-01", "the state file is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class StateWrittenInPlace(KeptState):
    def write(self, memory: Memory) -> None:
        data = msgspec.json.encode(memory)
        write_in_place(self.files, self.path, data, lambda _: super(StateWrittenInPlace, self).write(memory))


@mutant("state-renamed-before-it-is-synced", "LK-REV-01", "a new state file is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class StateRenamedBeforeItIsSynced(KeptState):
    def write(self, memory: Memory) -> None:
        data = msgspec.json.encode(memory)
        rename_unsynced(self.files, self.path, data, lambda _: super(StateRenamedBeforeItIsSynced, self).write(memory))


@mutant("state-without-a-lock", "LK-REV-04", "the state is changed without the lock", level="L3", under="schedule")
class StateWithoutALock(KeptState):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with super().locked():
            pass
        yield


@mutant("lock-survives-its-holder", "LK-REV-01", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(KeptState):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with super().locked(), contextlib.ExitStack() as held:
            hold_by_file(self.files, f"{self.path}.held", held)
            yield


@mutant("io-error-escapes", "LK-REV-01", "of the errors that a state can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(KeptState):
    def write(self, memory: Memory) -> None:
        with escaping_io_errors():
            super().write(memory)
