"""Mutants of what happens when something else fails: bad files, storage that refuses, and other processes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from harness.systems.dead_letter.contract import (
    Decision,
    RecordFailureArguments,
)
from harness.systems.dead_letter.mutants.table import mutant
from harness.systems.dead_letter.reference.dead_letter import DeadLetter
from harness.systems.dead_letter.reference.deciding import Choice
from harness.systems.dead_letter.reference.escalations import Escalations
from harness.systems.dead_letter.reference.failures import Task
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues
from harness.systems.dead_letter.reference.letters import Letters
from harness.systems.dead_letter.reference.review import FAILURES, Course, Reviewer
from harness.systems.dead_letter.reference.trace import Trace
from harness.systems.queue_document import EMPTY, Document, Entry


@mutant("bad-file-is-empty", "LK-DQ-23", "a queue file that is damaged is overwritten, and not kept aside")
class BadFileIsEmpty(DeadLetterQueues):
    def _set_aside(self, queue: str, data: bytes) -> None:
        return


@mutant("bad-file-escapes", "LK-DQ-01", "a queue file that is damaged ends the operation")
class BadFileEscapes(DeadLetterQueues):
    def _set_aside(self, queue: str, data: bytes) -> None:
        raise ValueError(f"{queue} is no queue")


@mutant("duplicates-stay", "LK-DQ-23", "a task that stands in two files stays in both")
class DuplicatesStay(DeadLetterQueues):
    def _remove_duplicates(self) -> None:
        return


@mutant("others-are-dropped", "LK-DQ-23", "of a queue file only the last task is kept")
class OthersAreDropped(DeadLetterQueues):
    def _write_destination_first(self, entry: Entry, source: str, destination: str) -> None:
        self._documents[destination] = replace(self._document(destination), entries=())
        super()._write_destination_first(entry, source, destination)


@mutant("odd-attempts-escape", "LK-DQ-01", "an attempt that is no object ends the operation")
class OddAttemptsEscape(Letters):
    def entries(self, task: Task) -> list[Any]:
        found = super().entries(task)
        if not all(isinstance(each, dict) for each in found):
            raise TypeError("attempts are objects")
        return found


@mutant("source-before-destination", "LK-DQ-23", "a task is taken out of its queue, then written to the other one",
        level="L2", under="filesystem")  # fmt: skip
class SourceBeforeDestination(DeadLetterQueues):
    def _write_destination_first(self, entry: Entry, source: str, destination: str) -> None:
        before = self._document(destination)
        self._documents[destination] = before.with_task(entry)
        self._take_out(source, str(entry.id()))
        try:
            self._write(destination, self._documents[destination])
        except OSError:
            self._documents[destination] = before
            raise


@mutant("unrecorded-is-said-to-be-recorded", "LK-DQ-01", "a failure that could not be written is said to be recorded",
        level="L2", under="filesystem")  # fmt: skip
class UnrecordedIsSaidToBeRecorded(DeadLetter):
    def enter(self, queues: DeadLetterQueues, place: str, arguments: RecordFailureArguments, now_s: float) -> Task:
        try:
            return super().enter(queues, place, arguments, now_s)
        except FAILURES:
            found = queues.read(place).find(arguments.task_id)
            return self.letters.failed(found or {}, arguments.attempt, now_s)


@mutant("write-failure-escapes", "LK-DQ-01", "a queue that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailureEscapes(DeadLetter):
    def enter(self, queues: DeadLetterQueues, place: str, arguments: RecordFailureArguments, now_s: float) -> Task:
        try:
            return super().enter(queues, place, arguments, now_s)
        except FAILURES as error:
            raise RuntimeError("the failure cannot be recorded") from error


@mutant("lock-failure-escapes", "LK-DQ-09", "a lock that cannot be had ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class LockFailureEscapes(DeadLetter):
    @contextmanager
    def opened(self, trace: Trace) -> Iterator[DeadLetterQueues]:
        with super().opened(trace) as queues:
            if not queues.can_write:
                raise RuntimeError("the queues are locked")
            yield queues


@mutant("unreadable-is-overwritten", "LK-DQ-23", "a queue that cannot be read is begun anew",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class UnreadableIsOverwritten(DeadLetterQueues):
    def _load(self, queue: str) -> None:
        super()._load(queue)
        if self.unreadable.pop(queue, None) is not None:
            self._documents[queue] = EMPTY


@mutant("failed-decisions-are-reviewed", "LK-DQ-10", "last_reviewed is written although a decision was not stored",
        level="L2", under="filesystem")  # fmt: skip
class FailedDecisionsAreReviewed(Reviewer):
    def review(self, queues: DeadLetterQueues, course: Course) -> bool:
        if super().review(queues, course):
            return True
        return bool(course.decisions) and self.conclude(queues, course)


@mutant("unstored-is-said-to-be-stored", "LK-DQ-12", "a retry that could not be written is said to be stored",
        level="L2", under="filesystem")  # fmt: skip
class UnstoredIsSaidToBeStored(Reviewer):
    def decide(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        super().decide(queues, choice, course)
        last = course.decisions[-1]
        if not last.stored:
            course.decisions[-1] = Decision(
                last.task_id, last.decision, last.reason, last.strategy, f"{last.task_id}-simpler"
            )


@mutant("unwritten-escalations-are-notified", "LK-DQ-21", "a human is told of an escalation that could not be written",
        level="L2", under="filesystem")  # fmt: skip
class UnwrittenEscalationsAreNotified(Escalations):
    def write(self, name: str, text: str) -> None:
        try:
            super().write(name, text)
        except OSError:
            return


@mutant("time-in-32-bits", "LK-DQ-05", "times after January 2038 are cut to 32 bits", level="L2", under="clock")
class TimeIn32Bits(Letters):
    def timestamp(self, now_s: float) -> str:
        return super().timestamp(min(now_s, 2.0**31 - 1))


@mutant("documents-without-entries", "LK-DQ-23", "entries that are no tasks are dropped")
class DocumentsWithoutEntries(DeadLetterQueues):
    def _write(self, queue: str, document: Document) -> None:
        super()._write(queue, replace(document, entries=tuple(each for each in document.entries if each.id())))
