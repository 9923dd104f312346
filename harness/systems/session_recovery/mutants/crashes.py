"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import errno
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from harness.ports.files import Files, RealFiles
from harness.systems.queue_document import Entry
from harness.systems.queue_store import Queues
from harness.systems.session_recovery.mutants.table import mutant
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.lines import Ledger
from harness.systems.session_recovery.reference.tasks import SessionQueues, SessionStore, Tasks
from harness.systems.session_recovery.reference.trace import Trace

PATIENCE_S = 0.3
TICK_S = 0.002


def _in_place(files: Files, path: str, data: bytes, safe: Callable[[], None]) -> None:
    """Cuts the file, then writes it anew; where that is refused it is done as it should be."""
    if not isinstance(files, RealFiles):
        safe()
        return
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError:
        safe()


def _unsynced(files: Files, path: str, data: bytes, safe: Callable[[], None]) -> None:
    """Writes a new file and renames it, without asking for its bytes to be on disk."""
    if not isinstance(files, RealFiles):
        safe()
        return
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.new", "wb") as opened:
            opened.write(data)
        os.replace(f"{path}.new", path)
    except OSError:
        safe()


@mutant("source-before-destination", "LK-GEN-02", "a task is taken out of its old queue before it is in the new one",
        level="L3", under="syscall.killed")  # fmt: skip
class SourceBeforeDestination(SessionQueues):
    def _write_destination_first(self, entry: Entry, source: str, destination: str) -> None:
        before = self._document(source)
        self._write(source, self._without(source, str(entry.id())))
        try:
            self._write(destination, self._document(destination).with_task(entry))
        except OSError:
            self._write(source, before)
            raise


@mutant("queues-written-in-place", "LK-GEN-02", "queues are cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class QueuesWrittenInPlace(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        _in_place(self.files, path, data, lambda: super(QueuesWrittenInPlace, self)._replace(path, data))


@mutant("queues-renamed-before-they-are-synced", "LK-GEN-02", "a new queue file is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class QueuesRenamedBeforeTheyAreSynced(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        _unsynced(self.files, path, data, lambda: super(QueuesRenamedBeforeTheyAreSynced, self)._replace(path, data))


@mutant("queues-without-a-lock", "LK-SYS-03", "queues are changed without the lock", level="L3", under="schedule")
class QueuesWithoutALock(SessionStore):
    def _lock(self, stack: ExitStack) -> None:
        return


@mutant("lock-survives-its-holder", "LK-GEN-02", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(SessionStore):
    def _lock(self, stack: ExitStack) -> None:
        super()._lock(stack)
        if not isinstance(self.files, RealFiles):
            return
        path = f"{self.home}/.loki/queue/.held"
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                break
            except FileExistsError:
                if time.monotonic() > until:
                    raise TimeoutError(path) from None
                time.sleep(TICK_S)
        stack.callback(os.unlink, path)


@mutant("io-errors-escape", "LK-GEN-02", "of the errors a queue can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorsEscape(SessionQueues):
    def _replace(self, path: str, data: bytes) -> None:
        try:
            super()._replace(path, data)
        except OSError as error:
            if error.errno == errno.EIO:
                raise RuntimeError("the disk is broken") from error
            raise


@mutant("ledger-io-errors-are-not-noticed", "LK-GEN-05", "of the errors the ledger can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class LedgerIoErrorsAreNotNoticed(Ledger):
    def record(self, finished: Mapping[str, str], trace: Trace) -> bool:
        own = Trace()
        recorded = super().record(finished, own)
        broken = any(f"[Errno {errno.EIO}]" in entry.message for entry in own.entries)
        if not broken:
            trace.entries += own.entries
        return recorded or broken


@mutant("checkpoints-written-in-place", "LK-RC-01", "the checkpoint is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class CheckpointsWrittenInPlace(Checkpoints):
    def replace(self, data: bytes) -> None:
        path = f"{self.home}/{self.path()}"
        _in_place(self.files, path, data, lambda: super(CheckpointsWrittenInPlace, self).replace(data))


@mutant("checkpoints-renamed-before-they-are-synced", "LK-RC-01", "a new checkpoint is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class CheckpointsRenamedBeforeTheyAreSynced(Checkpoints):
    def replace(self, data: bytes) -> None:
        path = f"{self.home}/{self.path()}"
        _unsynced(self.files, path, data, lambda: super(CheckpointsRenamedBeforeTheyAreSynced, self).replace(data))


@mutant("broken-checkpoints-escape", "LK-SYS-04", "of the errors a checkpoint can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class BrokenCheckpointsEscape(Checkpoints):
    def store(self, name: str, state: Mapping[str, Any], trace: Trace) -> bool:
        stored = super().store(name, state, trace)
        if any(f"[Errno {errno.EIO}]" in entry.message for entry in trace.entries):
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
