"""Mutants for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between."""

import contextlib

from harness.ports.files import RealFiles
from harness.systems.file_mistakes import tells_io_error, write_in_place, write_source_first
from harness.systems.queue_store import Queues
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.drift_log import DriftLog, Record
from harness.systems.signals.reference.frictions import FrictionMap
from harness.systems.signals.reference.handoffs import Handoffs
from harness.systems.signals.reference.kept_file import KeptFile, SignalsLock
from harness.systems.signals.reference.requests import Decision, Request, Requests
from harness.systems.signals.reference.reviews import Reviews
from harness.systems.trace import Trace


class _InPlace(KeptFile):
    def put(self, data: bytes) -> None:
        write_in_place(self.files, self.path, data, super().put)


@mutant("requests-written-in-place", "LK-HR-06", "HUMAN_REVIEW_NEEDED is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class RequestsWrittenInPlace(Requests):
    file_class = _InPlace


@mutant("signals-written-in-place", "LK-SG-03", "the file of a signal is cut, then written",
        level="L3", under="syscall.killed")  # fmt: skip
class SignalsWrittenInPlace(Handoffs):
    file_class = _InPlace


@mutant("map-written-in-place", "LK-HL-03", "the friction map is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class MapWrittenInPlace(FrictionMap):
    file_class = _InPlace


@mutant("tasks-leave-before-they-arrive", "LK-HR-05", "a task is taken out of its queue before it is in the next one",
        level="L3", under="syscall.killed")  # fmt: skip
class TasksLeaveBeforeTheyArrive(Queues):
    _write_destination_first = write_source_first


@mutant("decisions-are-deleted-first", "LK-HR-06", "a decision is deleted before it is carried out",
        level="L3", under="syscall.killed")  # fmt: skip
class DecisionsAreDeletedFirst(Reviews):
    def carried_out(self, task_id: str, decision: Decision, trace: Trace) -> bool:
        try:
            self.approvals.file.remove()
        except OSError:
            return super().carried_out(task_id, decision, trace)
        done = super().carried_out(task_id, decision, trace)
        if not done:
            with contextlib.suppress(OSError):
                self.approvals.file.put(decision.data)
        return done


@mutant("signals-without-a-lock", "LK-HR-08", "requests are added without the lock", level="L3", under="schedule")
class SignalsWithoutALock(SignalsLock):
    def taken(self, stack: contextlib.ExitStack, trace: Trace) -> bool:
        return True


@mutant("io-error-escapes", "LK-DR-04", "of the errors the drift log can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class IoErrorEscapes(DriftLog):
    def append(self, record: Record, trace: Trace) -> bool:
        stored = super().append(record, trace)
        if tells_io_error(trace.entries):
            raise RuntimeError("the disk is broken")
        return stored


@mutant("log-is-rewritten-in-place", "LK-SG-02", "with each drift the log is cut, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class LogIsRewrittenInPlace(DriftLog):
    def append(self, record: Record, trace: Trace) -> bool:
        with contextlib.suppress(OSError):
            before = self.file.read() if isinstance(self.file.files, RealFiles) else None
            if before:
                with open(self.file.path, "wb") as opened:
                    opened.write(before)
        return super().append(record, trace)


@mutant("unasked-reviews-block", "LK-HR-05", "a task is blocked although its request could not be stored",
        level="L3", under="syscall.errno")  # fmt: skip
class UnaskedReviewsBlock(Reviews):
    def raised(self, record: Request, trace: Trace) -> tuple[bool, bool]:
        stored, blocked = super().raised(record, trace)
        if not stored and self.rules.blocks(record):
            blocked = self.tasks.block((str(record["task_id"]),), trace)
        return stored, blocked
