"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib
import functools

from harness.ports.clock import to_text
from harness.ports.files import RealFiles
from harness.systems.dead_letter.mutants.table import mutant
from harness.systems.dead_letter.reference.kept_queues import LAST_REVIEWED, DeadLetterQueues, KeptQueues
from harness.systems.dead_letter.reference.review import Course, Reviewer
from harness.systems.file_mistakes import PATIENCE_S, escaping_io_errors, hold_by_file, rename_unsynced, write_in_place
from harness.systems.queue_document import Entry
from harness.systems.queue_files import DEAD_LETTER
from harness.systems.queue_store import LOCK_PATH


@mutant("queues-written-in-place", "LK-DQ-23", "a queue file is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class QueuesWrittenInPlace(DeadLetterQueues):
    def _replace(self, path: str, data: bytes) -> None:
        write_in_place(self.files, path, data, functools.partial(super()._replace, path))


@mutant("queues-renamed-before-they-are-synced", "LK-DQ-23", "a new queue file is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class QueuesRenamedBeforeTheyAreSynced(DeadLetterQueues):
    def _replace(self, path: str, data: bytes) -> None:
        rename_unsynced(self.files, path, data, functools.partial(super()._replace, path))


@mutant("taken-out-first-and-put-back", "LK-DQ-23", "a task is in no queue while it is moved, and put back on errors",
        level="L3", under="syscall.killed")  # fmt: skip
class TakenOutFirstAndPutBack(DeadLetterQueues):
    def _write_destination_first(self, entry: Entry, source: str, destination: str) -> None:
        if self.unreadable or self._refused:
            super()._write_destination_first(entry, source, destination)
            return
        before, elsewhere = self._document(source), self._document(destination)
        self._documents[destination] = elsewhere.with_task(entry)
        self._take_out(source, str(entry.id()))
        try:
            self._write(destination, self._documents[destination])
        except OSError:
            self._documents[destination] = elsewhere
            self._write(source, before)
            raise


@mutant("queues-without-a-lock", "LK-DQ-23", "the queues are changed without the lock", level="L3", under="schedule")
class QueuesWithoutALock(KeptQueues):
    def _lock(self, stack: contextlib.ExitStack) -> None:
        path = f"{self.home}/{LOCK_PATH}"
        with self.files.lock(path, PATIENCE_S):
            return


@mutant("lock-survives-its-holder", "LK-DQ-09", "the lock is a file that is removed afterwards, if anybody is left to",
        level="L3", under="syscall.killed")  # fmt: skip
class LockSurvivesItsHolder(KeptQueues):
    def _lock(self, stack: contextlib.ExitStack) -> None:
        super()._lock(stack)
        hold_by_file(self.files, f"{self.home}/{LOCK_PATH}.held", stack)


@mutant("io-error-escapes", "LK-DQ-01", "of the errors that a queue can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(DeadLetterQueues):
    def _replace(self, path: str, data: bytes) -> None:
        with escaping_io_errors():
            super()._replace(path, data)


@mutant("last-reviewed-too-early", "LK-DQ-10", "last_reviewed is written first, and put right when a decision fails",
        level="L3", under="syscall.killed")  # fmt: skip
class LastReviewedTooEarly(Reviewer):
    def review(self, queues: DeadLetterQueues, course: Course) -> bool:
        if not isinstance(queues.files, RealFiles) or DEAD_LETTER in queues.unreadable or not queues.can_write:
            return super().review(queues, course)
        before = queues.metadata()
        if before:
            with contextlib.suppress(OSError):
                queues.set_metadata(DEAD_LETTER, **{LAST_REVIEWED: to_text(course.now_s)})
        done = super().review(queues, course)
        if before and not done:
            with contextlib.suppress(OSError):
                queues.set_metadata(DEAD_LETTER, **{LAST_REVIEWED: before.get(LAST_REVIEWED)})
        return done
