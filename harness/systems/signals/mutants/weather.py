"""Mutants of what happens when something else fails: damaged files, storage that refuses, clocks that step."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.systems.queue_document import Document
from harness.systems.signals.contract import LogCode
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.drift_log import Continuity, CurrentTask, DriftLog, Record
from harness.systems.signals.reference.drifts import DriftRules
from harness.systems.signals.reference.handoffs import Handoffs
from harness.systems.signals.reference.healing import Healing
from harness.systems.signals.reference.kept_file import KeptFile
from harness.systems.signals.reference.requests import Request, Requests
from harness.systems.signals.reference.reviews import Reviews
from harness.systems.trace import Trace

LATEST_S = 2**31 - 1


@mutant("damaged-requests-stay", "LK-HR-01", "HUMAN_REVIEW_NEEDED that is none stays, and nobody is asked any more")
class DamagedRequestsStay(Requests):
    def open(self, trace: Trace) -> None:
        found, _ = self.read()
        if found is None:
            raise OSError("no list of requests")
        super().open(trace)


@mutant("drift-failure-escapes", "LK-DR-04", "a log that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class DriftFailureEscapes(DriftLog):
    def append(self, record: Record, trace: Trace) -> bool:
        if not super().append(record, trace):
            raise OSError("the drift cannot be logged")
        return True


@mutant("unlogged-drifts-are-said-to-be-stored", "LK-DR-04", "a drift that could not be written is said to be stored",
        level="L2", under="filesystem")  # fmt: skip
class UnloggedDriftsAreSaidToBeStored(DriftLog):
    def append(self, record: Record, trace: Trace) -> bool:
        super().append(record, trace)
        return True


@mutant("continuity-failure-escapes", "LK-DR-04", "a CONTINUITY.md that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class ContinuityFailureEscapes(Continuity):
    def consolidate(self, memory: str, trace: Trace) -> bool:
        if not super().consolidate(memory, trace):
            raise OSError("memory cannot be consolidated")
        return True


@mutant("unstored-requests-are-said-to-be-stored", "LK-HR-01", "an unwritten request is said to be stored",
        level="L2", under="filesystem")  # fmt: skip
class UnstoredRequestsAreSaidToBeStored(Reviews):
    def raised(self, record: Request, trace: Trace) -> tuple[bool, bool]:
        _, blocked = super().raised(record, trace)
        return True, blocked


@mutant("unreadable-requests-are-begun-anew", "LK-HR-08", "requests that cannot be read are overwritten",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class UnreadableRequestsAreBegunAnew(Requests):
    def read(self) -> tuple[Document | None, bytes]:
        try:
            return super().read()
        except OSError:
            return Document(None, ()), b""


@mutant("unraised-signals-are-said-to-be-raised", "LK-SG-03", "a signal that could not be written is said to be raised",
        level="L2", under="filesystem")  # fmt: skip
class UnraisedSignalsAreSaidToBeRaised(Handoffs):
    def written(self, file: KeptFile, payload: Mapping[str, Any], trace: Trace) -> bool:
        super().written(file, payload, trace)
        return True


@mutant("signals-that-stay-are-said-to-be-handled", "LK-SG-01", "a signal that cannot be deleted is said to be handled",
        level="L2", under="filesystem")  # fmt: skip
class SignalsThatStayAreSaidToBeHandled(Handoffs):
    def deleted(self, file: KeptFile, trace: Trace) -> bool:
        super().deleted(file, trace)
        return True


@mutant("unrecorded-frictions-are-gone", "LK-HL-03", "a friction that could not be recorded is said to be processed",
        level="L2", under="filesystem")  # fmt: skip
class UnrecordedFrictionsAreGone(Healing):
    def recorded(self, action: Callable[[], None], trace: Trace) -> bool:
        super().recorded(action, trace)
        return True


@mutant("locked-reviews-escape", "LK-HR-01", "a lock that cannot be had ends a request for a review",
        level="L2", under="process.lock_held")  # fmt: skip
class LockedReviewsEscape(Reviews):
    def raised(self, record: Request, trace: Trace) -> tuple[bool, bool]:
        found = super().raised(record, trace)
        if any(entry.code == LogCode.LOCK_FAILED for entry in trace.entries):
            raise TimeoutError("the signals are locked")
        return found


@mutant("goal-is-remembered", "LK-DR-03", "original_goal is what current-task.json held before it was damaged",
        level="L2", under="json_document")  # fmt: skip
class GoalIsRemembered(CurrentTask):
    def read(self, trace: Trace) -> Record | None:
        found: Record | None = super().read(trace) or vars(self).get("remembered")
        vars(self)["remembered"] = found
        return found


@mutant("drift-times-in-32-bits", "LK-DR-01", "times of drifts after January 2038 are cut to 32 bits",
        level="L2", under="clock")  # fmt: skip
class DriftTimesIn32Bits(DriftRules):
    def timestamp(self, now_s: float) -> str:
        return super().timestamp(min(now_s, LATEST_S))
