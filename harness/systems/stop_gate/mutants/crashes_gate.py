"""Mutants of the gate for L3: sound under every fault of L2, and wrong when one call fails, dies or comes in between.

What they keep is a state of their own beside the reference's; what is wrong about it is one of the classical mistakes.
"""

import contextlib
import errno
import os
from collections.abc import Sequence
from typing import Literal

from harness.systems.stop_gate.contract import CheckResult, Decision, LogCode
from harness.systems.stop_gate.mutants.table import blocked, logged, mutant, take
from harness.systems.stop_gate.reference import metrics
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.naming import Session
from harness.systems.stop_gate.reference.state import OutsideRootError, Store

Claim = Literal["claimed", "spent", "unrecorded"]


def _read(path: str) -> str:
    """The count in a file of the mutant's own; that of a session that was never held is 0."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except FileNotFoundError:
        return "0"


def _next(text: str) -> str:
    return str(int(text) + 1) if text.isdigit() else "1"


def _is_spent(text: str, limit: int) -> bool:
    return text.isdigit() and int(text) >= limit


@mutant("count-cut-before-it-is-written", "PS-LOOP-04", "the count of blocks is cut in place, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class CountCutBeforeItIsWritten(Store):
    def claim_block(self, session: Session, now_s: float, limit: int, held_before: bool | None) -> Claim:
        path = f"{self.blocks_path(session)}.count"
        try:
            text = _read(path)
            if _is_spent(text, limit):
                return "spent"
            if text:  # else somebody is about to write it
                os.makedirs(self.runtime, exist_ok=True)
                with open(path, "w", encoding="ascii") as file:
                    file.write(_next(text))
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.unlink(path)
            return super().claim_block(session, now_s, limit, held_before)
        return "claimed"


@mutant("count-renamed-before-it-is-synced", "PS-LOOP-04", "the new count of blocks is renamed without fsync",
        level="L3", under="syscall.power")  # fmt: skip
class CountRenamedBeforeItIsSynced(Store):
    def claim_block(self, session: Session, now_s: float, limit: int, held_before: bool | None) -> Claim:
        path = f"{self.blocks_path(session)}.count"
        try:
            text = _read(path)
            if _is_spent(text, limit):
                return "spent"
            if text:
                os.makedirs(self.runtime, exist_ok=True)
                with open(f"{path}.new", "w", encoding="ascii") as file:
                    file.write(_next(text))
                os.replace(f"{path}.new", path)
        except (OSError, ValueError):
            return super().claim_block(session, now_s, limit, held_before)
        return "claimed"


@mutant("count-named-before-its-directory-is-synced", "PS-LOOP-04",
        "each count of blocks is a file of its own, synced, and so is what names the latest; their directory is not",
        level="L3", under="syscall.power")  # fmt: skip
class CountNamedBeforeItsDirectoryIsSynced(Store):
    def claim_block(self, session: Session, now_s: float, limit: int, held_before: bool | None) -> Claim:
        path = f"{self.blocks_path(session)}.count"
        try:
            latest = _read(path)
            if _is_spent(latest, limit):
                return "spent"
            if latest == "0" or os.path.exists(f"{path}-{latest}"):  # else it is named, so it is being written
                os.makedirs(self.runtime, exist_ok=True)
                _write_synced(f"{path}-{_next(latest)}", "held")
                _write_synced(f"{path}.new", _next(latest))
                os.replace(f"{path}.new", path)
        except (OSError, ValueError):
            return super().claim_block(session, now_s, limit, held_before)
        return "claimed"


def _write_synced(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@mutant("busy-count-holds-for-ever", "PS-LOOP-04", "a count that was busy when it was replaced is given up for ever",
        level="L3", under="gate-l3-held")  # fmt: skip
class BusyCountHoldsForEver(Store):
    def claim_block(self, session: Session, now_s: float, limit: int, held_before: bool | None) -> Claim:
        path = f"{self.blocks_path(session)}.count"
        try:
            if os.path.exists(f"{path}.broken"):
                return "claimed"
            text = _read(path)
            if _is_spent(text, limit):
                return "spent"
            os.makedirs(self.runtime, exist_ok=True)
            _write_synced(f"{path}.new", _next(text))
            _put(f"{path}.new", path)
        except (OSError, ValueError):
            return super().claim_block(session, now_s, limit, held_before)
        return "claimed"


def _put(new: str, path: str) -> None:
    """Renames; where the place is busy a marker tells that, for ever."""
    try:
        os.replace(new, path)
    except OSError as error:
        if error.errno == errno.EBUSY:
            os.close(os.open(f"{path}.broken", os.O_WRONLY | os.O_CREAT))
        raise


@mutant("count-appended-to-a-torn-line", "PS-LOOP-04", "a line is added behind one that was torn, and both are lost",
        level="L3", under="syscall.torn")  # fmt: skip
class CountAppendedToATornLine(Store):
    def claim_block(self, session: Session, now_s: float, limit: int, held_before: bool | None) -> Claim:
        try:
            path = self.safe(self.blocks_path(session))
            recent = 0
            for line in self.recorded_blocks(path).decode(errors="replace").splitlines():
                if line.count(".") > 1:
                    break  # not one of ours: what follows is none either
                recent += 1
            if recent >= limit:
                return "spent"
            self.files.append(path, b"%.3f\n" % now_s)
        except (OSError, ValueError, OutsideRootError):
            return super().claim_block(session, now_s, limit, held_before)
        return "claimed"


@mutant("marker-of-a-killed-check-holds", "PS-LOOP-04", "while a marker says that a block is counted, none is",
        level="L3", under="syscall.killed")  # fmt: skip
class MarkerOfAKilledCheckHolds(Store):
    def claim_block(self, session: Session, now_s: float, limit: int, held_before: bool | None) -> Claim:
        marker = f"{self.blocks_path(session)}.counting"
        try:
            os.makedirs(self.runtime, exist_ok=True)
            os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return "claimed"
        except (OSError, ValueError):
            return super().claim_block(session, now_s, limit, held_before)
        try:
            return super().claim_block(session, now_s, limit, held_before)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(marker)


@mutant("counters-cut-before-they-are-written", "PS-MON-01", "the counters are cut in place, then written anew",
        level="L3", under="syscall.killed")  # fmt: skip
class CountersCutBeforeTheyAreWritten(Store):
    def count(self, counting: metrics.Counting, now_s: float | None) -> None:
        self.lock()
        path = f"{self.runtime}/counters.json"
        try:
            data = metrics.encode(counting.add(self.tally(path), self.trace.entries, now_s))
            with open(path, "wb") as file:
                file.write(data)
        except (OSError, ValueError):
            super().count(counting, now_s)


@mutant("counters-without-a-lock", "PS-MON-01", "of two checks that count at once one is lost",
        level="L3", under="schedule")  # fmt: skip
class CountersWithoutALock(Store):
    def count(self, counting: metrics.Counting, now_s: float | None) -> None:
        self.unlock()
        try:
            path = self.safe(f"{self.runtime}/counters.json")
            self.files.replace(path, metrics.encode(counting.add(self.tally(path), self.trace.entries, now_s)))
        except (OSError, ValueError, OutsideRootError):
            super().count(counting, now_s)


@mutant("stale-lock-taken-over-by-two", "PS-MON-01", "a lock file that is old is removed by whoever saw that it is",
        level="L3", under="order-counted")  # fmt: skip
class StaleLockTakenOverByTwo(StopGate):
    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        if case.recorded:
            case.store.keep_log(case.now_s)  # so that the lock comes last: few orders, and the wrong ones among them
            _count_behind_a_lock_file(case, self.counting_class())
            case.recorded = False
        return super().conclude(case, result)


def _count_behind_a_lock_file(case: Case, counting: metrics.Counting) -> None:
    store = case.store
    store.unlock()
    lock = f"{store.runtime}.lock"
    try:
        path = store.safe(f"{store.runtime}/counters.json")
        os.makedirs(store.runtime, exist_ok=True)
        take(lock)
        try:
            store.files.replace(path, metrics.encode(counting.add(store.tally(path), case.trace.entries, case.now_s)))
        finally:
            with contextlib.suppress(OSError):
                os.unlink(lock)
    except (OSError, ValueError, OutsideRootError):
        store.count(counting, case.now_s)


@mutant("semaphore-looked-for-then-made", "PS-SES-03", "a semaphore is looked for before it is made, unlocked",
        level="L3", under="order-finished")  # fmt: skip
class SemaphoreLookedForThenMade(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        path = case.store.semaphore_path(case.session)
        if os.path.lexists(path) or not os.path.isdir(case.store.runtime):
            return super().let_go(case, failed)
        result = approve(self.reason(failed), self.summary(case, failed))
        case.store.keep_summary(case.session, result.summary or "")
        self.conclude(case, result)  # so that the semaphore comes last: few orders, and the wrong ones among them
        case.store.unlock()
        case.recorded = False
        if not os.path.lexists(path):
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                raise
            except (OSError, ValueError):
                return super().let_go(case, failed)
            with contextlib.suppress(OSError):
                os.utime(path, (case.now_s, case.now_s))
        return result


@mutant("semaphore-io-error-escapes", "PS-FS-01", "of the errors a semaphore can meet an I/O error was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class SemaphoreIoErrorEscapes(Store):
    def mark(self, session: Session, now_s: float) -> None:
        try:
            self.write_semaphore(session, now_s)
        except OutsideRootError as error:
            self.refused(error)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.EIO:
                raise
            self.trace.error(LogCode.SEMAPHORE_WRITE_FAILED, f"no semaphore: {error}", error=error)


@mutant("summary-quota-escapes", "PS-FS-02", "of the errors a summary can meet a quota was forgotten",
        level="L3", under="syscall.errno")  # fmt: skip
class SummaryQuotaEscapes(Store):
    def keep_summary(self, session: Session, text: str) -> None:
        try:
            self.write_summary(session, text)
        except OutsideRootError as error:
            self.refused(error)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.EDQUOT:
                raise
            self.trace.error(LogCode.SUMMARY_WRITE_FAILED, f"no summary: {error}", error=error)


@mutant("config-io-error-escapes", "PS-CFG-02", "of the errors a configuration can meet an I/O error was forgotten",
        level="L3", under="gate-l3-configured")  # fmt: skip
class ConfigIoErrorEscapes(StopGate):
    def disabled(self, case: Case) -> CheckResult | None:
        path = self.config_path(case)
        try:
            if self.files.status(path) is not None:
                self.files.read(path, 1)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.EIO:
                raise
        return super().disabled(case)


@mutant("counters-io-error-blocks", "PS-FO-01", "counters that meet an I/O error are a reason to hold the session",
        level="L3", under="gate-l3-finished")  # fmt: skip
class CountersIoErrorBlocks(StopGate):
    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        concluded = super().conclude(case, result)
        if concluded.decision is Decision.APPROVE and logged(case, LogCode.COUNTERS_WRITE_FAILED):
            told = [entry.message for entry in case.trace.entries if entry.code == LogCode.COUNTERS_WRITE_FAILED]
            if any(os.strerror(errno.EIO) in message for message in told):
                return blocked("the counters are broken")
        return concluded


@mutant("temporary-semaphore-counts", "PS-SES-02", "what is to become a semaphore passes for one before it is",
        level="L3", under="gate-l3-finished")  # fmt: skip
class TemporarySemaphoreCounts(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        path = f"{case.store.semaphore_path(case.session)}.new"
        with contextlib.suppress(OSError, ValueError):
            if os.path.exists(path):
                return approve("already_ran")
        with contextlib.suppress(OSError, ValueError), open(path, "x", encoding="ascii"):
            pass
        result = super().let_go(case, failed)
        with contextlib.suppress(OSError, ValueError):
            os.unlink(path)
        return result
