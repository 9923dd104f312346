"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import functools
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from harness.systems.file_mistakes import (
    escaping_io_errors,
    hold_by_file,
    rename_unsynced,
    tells_io_error,
    write_in_place,
    write_source_first,
)
from harness.systems.queue_store import Queues
from harness.systems.session_recovery.mutants.table import mutant
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.lines import Ledger
from harness.systems.session_recovery.reference.tasks import SessionQueues, SessionStore, Tasks
from harness.systems.session_recovery.reference.trace import Trace


@mutant("source-before-destination", "LK-GEN-02", "a task is taken out of its old queue before it is in the new one",
        level="L3", under="syscall.killed")  # fmt: skip
class SourceBeforeDestination(SessionQueues):
    _write_destination_first = write_source_first


@mutant("queues-written-in-place", "LK-GEN-02", "queues are cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class QueuesWrittenInPlace(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        write_in_place(self.files, path, data, functools.partial(super()._replace, path))


@mutant("queues-renamed-before-they-are-synced", "LK-GEN-02", "a new queue file is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class QueuesRenamedBeforeTheyAreSynced(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        rename_unsynced(self.files, path, data, functools.partial(super()._replace, path))


@mutant("queues-without-a-lock", "LK-SYS-03", "queues are changed without the lock", level="L3", under="schedule")
class QueuesWithoutALock(SessionStore):
    def _lock(self, stack: ExitStack) -> None:
        return


@mutant("lock-survives-its-holder", "LK-GEN-02", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(SessionStore):
    def _lock(self, stack: ExitStack) -> None:
        super()._lock(stack)
        hold_by_file(self.files, f"{self.home}/.loki/queue/.held", stack)


@mutant("io-errors-escape", "LK-GEN-02", "of the errors a queue can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorsEscape(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        with escaping_io_errors():
            super()._replace(path, data)


@mutant("ledger-io-errors-are-not-noticed", "LK-GEN-05", "of the errors the ledger can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class LedgerIoErrorsAreNotNoticed(Ledger):
    def record(self, finished: Mapping[str, str], trace: Trace) -> bool:
        own = Trace()
        recorded = super().record(finished, own)
        broken = tells_io_error(own.entries)
        if not broken:
            trace.entries += own.entries
        return recorded or broken


@mutant("checkpoints-written-in-place", "LK-RC-01", "the checkpoint is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class CheckpointsWrittenInPlace(Checkpoints):
    def replace(self, data: bytes) -> None:
        write_in_place(self.files, f"{self.home}/{self.path()}", data, super().replace)


@mutant("checkpoints-renamed-before-they-are-synced", "LK-RC-01", "a new checkpoint is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class CheckpointsRenamedBeforeTheyAreSynced(Checkpoints):
    def replace(self, data: bytes) -> None:
        rename_unsynced(self.files, f"{self.home}/{self.path()}", data, super().replace)


@mutant("broken-checkpoints-escape", "LK-SYS-04", "of the errors a checkpoint can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class BrokenCheckpointsEscape(Checkpoints):
    def store(self, name: str, state: Mapping[str, Any], trace: Trace) -> bool:
        stored = super().store(name, state, trace)
        if tells_io_error(trace.entries):
            raise RuntimeError("the disk is broken")
        return stored


@mutant("read-before-the-lock", "LK-SYS-03", "what the queues said before the lock was taken is written back",
        level="L3", under="schedule")  # fmt: skip
class ReadBeforeTheLock(Tasks):
    def edit(self, action: Any, trace: Trace) -> Any:
        before = self.store.seen()
        known = {queue: before._documents[queue] for queue in before._documents}  # noqa: SLF001 - what a mutant is for

        def on_old(queues: Queues) -> Any:
            queues._documents.update(known)  # noqa: SLF001 - the same
            return action(queues)

        return super().edit(on_old, trace)
