"""Mutants of the gate that are sound in every scenario of L1: each is wrong only when one further thing goes wrong."""

import contextlib
import errno
import fcntl
import json
import os
import stat
import struct
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.systems.stop_gate.contract import CheckResult, Decision
from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference.config import ConfigReader
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.naming import Session
from harness.systems.stop_gate.reference.state import Store
from harness.systems.stop_gate.reference.trace import Trace

PROJECT_BEGAN_S = 1_600_000_000  # "no session can be older than the project"
DESCRIPTORS = 24  # nobody is short of so few
WATCHED_S = 0.06  # as long as a slow disk takes to read a transcript
TICK_S = 0.001
SMALL_BYTES = 65536


@mutant("blocks-counted-in-memory", "PS-LOOP-04", "the blocks of a session are forgotten when the process is restarted",
        level="L2", under="between-blocks")  # fmt: skip
class BlocksCountedInMemory(StopGate):
    def may_hold(self, case: Case) -> bool:
        held = self._held.get(case.session.blocks_name, 0) + 1
        self._held[case.session.blocks_name] = held
        return held <= self.block_limit


@mutant("past-clock-blocks", "PS-FO-01", "a clock before the project began is a reason to block",
        level="L2", under="moved-to-1970")  # fmt: skip
class PastClockBlocks(StopGate):
    def examine(self, case: Case) -> CheckResult:
        return blocked("clock") if case.now_s < PROJECT_BEGAN_S else super().examine(case)


@mutant("time-in-32-bits", "PS-PRM-02", "the time is packed into 32 bits, and who cannot do that approves",
        level="L2", under="moved-past-2038")  # fmt: skip
class TimeIn32Bits(StopGate):
    def examine(self, case: Case) -> CheckResult:
        struct.pack("<i", int(case.now_s))
        return super().examine(case)


@mutant("leftover-semaphore-counts", "PS-SES-02", "a backup file beside the semaphore passes for one",
        level="L2", under="semaphore-leftover")  # fmt: skip
class LeftoverSemaphoreCounts(Store):
    def already_ran(self, session: Session, now_s: float) -> bool:
        path = self.semaphore_path(session)
        return super().already_ran(session, now_s) or os.path.exists(path + ".bak")


@mutant("few-descriptors-block", "PS-FO-01", "files that cannot be opened for want of descriptors make it block",
        level="L2", under="process-few-descriptors")  # fmt: skip
class FewDescriptorsBlock(StopGate):
    def examine(self, case: Case) -> CheckResult:
        held = []
        try:
            held += [os.open(os.devnull, os.O_RDONLY) for _ in range(DESCRIPTORS)]
        except OSError:
            return blocked("descriptors")
        finally:
            for descriptor in held:
                os.close(descriptor)
        return super().examine(case)


@mutant("busy-summary-escapes", "PS-FS-02", "a summary that is a mount point breaks the check at its end",
        level="L2", under="summary-busy")  # fmt: skip
class BusySummaryEscapes(Store):
    def write_summary(self, session: Session, text: str) -> None:
        try:
            super().write_summary(session, text)
        except OSError as error:
            if error.errno == errno.EBUSY:
                raise SystemError("the summary is busy") from error
            raise


@mutant("no-inodes-blocks", "PS-FO-01", "a disk without room for another file makes it block",
        level="L2", under="runtime-no-inodes")  # fmt: skip
class NoInodesBlocks(StopGate):
    def examine(self, case: Case) -> CheckResult:
        with contextlib.suppress(OSError):
            found = os.statvfs(case.store.runtime)
            if found.f_files and not found.f_ffree and found.f_bavail:
                return blocked("inodes")
        return super().examine(case)


@mutant("device-as-transcript-blocks", "PS-TR-09", "a device in the transcript's place makes it block",
        level="L2", under="transcript-full-device")  # fmt: skip
class DeviceAsTranscriptBlocks(StopGate):
    def load(self, case: Case) -> bytes | CheckResult:
        with contextlib.suppress(OSError, ValueError):
            if stat.S_ISCHR(os.stat(case.arguments.transcript_path).st_mode):
                return blocked("device")
        return super().load(case)


@mutant("vanishing-transcript-blocks", "PS-FO-01", "a transcript that comes and goes makes it block",
        level="L2", under="transcript-vanishing")  # fmt: skip
class VanishingTranscriptBlocks(StopGate):
    def load(self, case: Case) -> bytes | CheckResult:
        seen = set()
        until = time.monotonic() + WATCHED_S
        while time.monotonic() < until:
            seen.add(os.path.lexists(case.arguments.transcript_path))
            time.sleep(TICK_S)
        return blocked("it comes and goes") if len(seen) > 1 else super().load(case)


@mutant("folder-of-transcript-missing-blocks", "PS-TR-01", "a transcript whose folder is gone makes it block",
        level="L2", under="transcript-parent-missing")  # fmt: skip
class FolderOfTranscriptMissingBlocks(StopGate):
    def missing(self, case: Case) -> CheckResult:
        folder = os.path.dirname(case.arguments.transcript_path)
        return super().missing(case) if os.path.isdir(folder) else blocked("no project")


@mutant("path-outside-ascii-blocks", "PS-FO-01", "a transcript path of other scripts makes it block",
        level="L2", under="path-unicode")  # fmt: skip
class PathOutsideAsciiBlocks(StopGate):
    def missing(self, case: Case) -> CheckResult:
        ours = case.arguments.transcript_path.isascii()
        return super().missing(case) if ours else blocked("no such session")


@mutant("id-of-white-space-blocks", "PS-FO-01", "a session id of white space makes it block",
        level="L2", under="id-whitespace")  # fmt: skip
class IdOfWhiteSpaceBlocks(StopGate):
    def examine(self, case: Case) -> CheckResult:
        empty = (case.arguments.session_id or "x").isspace()
        return blocked("nobody") if empty else super().examine(case)


@mutant("leap-second-is-damage", "PS-PRM-02", "a message of a leap second makes the transcript one that is given up",
        level="L2", under="jsonl.leap_second")  # fmt: skip
class LeapSecondIsDamage(StopGate):
    def load(self, case: Case) -> bytes | CheckResult:
        data = super().load(case)
        for line in data.splitlines() if isinstance(data, bytes) and len(data) < SMALL_BYTES else ():
            with contextlib.suppress(json.JSONDecodeError, UnicodeDecodeError, RecursionError, OverflowError):
                found = json.loads(line) if b'"timestamp"' in line else None
                if isinstance(found, dict) and not _is_time(found.get("timestamp")):
                    return approve("too_many_invalid_lines")
        return data


def _is_time(value: object) -> bool:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return True


@mutant("nan-in-config-switches-off", "PS-PRM-02", "a configuration with NaN in it switches the gate off",
        level="L2", under="config-nan")  # fmt: skip
class NanInConfigSwitchesOff(ConfigReader):
    def decode(self, data: bytes, trace: Trace) -> Mapping[str, Any]:
        return {"enabled": False} if b"NaN" in data else super().decode(data, trace)


@mutant("others-in-turn-are-held", "PS-FO-01", "while another session is checked this one may not end",
        level="L2", under="-at-once")  # fmt: skip
class OthersInTurnAreHeld(StopGate):
    def examine(self, case: Case) -> CheckResult:
        """Each check says for a moment which session it is for; it is sound while all are of one."""
        folder = os.path.join(self.home, ".checks")
        own = os.path.join(folder, f"{os.getpid()}.{case.arguments.session_id}"[:200].replace("/", "_"))
        with contextlib.suppress(OSError, ValueError):
            os.makedirs(folder, exist_ok=True)
            os.close(os.open(own, os.O_CREAT))
            time.sleep(WATCHED_S)
            sessions = {name.partition(".")[2] for name in os.listdir(folder)}
            os.unlink(own)
            if len(sessions) > 1:
                return blocked("another session")
        return super().examine(case)


@mutant("locked-semaphore-blocks", "PS-FO-01", "a semaphore that another process has locked makes it block",
        level="L2", under="lock-held-semaphore")  # fmt: skip
class LockedSemaphoreBlocks(StopGate):
    def already_ran(self, case: Case) -> CheckResult | None:
        result = super().already_ran(case)
        path = case.store.semaphore_path(case.session)
        with contextlib.suppress(OSError, ValueError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return blocked("locked")
            finally:
                os.close(descriptor)
        return result


@mutant("killed-check-blocks-the-next", "PS-PRM-02", "the note of a check that was killed makes the next one block",
        level="L2", under="killed-sigkill-at-0")  # fmt: skip
class KilledCheckBlocksTheNext(StopGate):
    def analysed(self, case: Case) -> CheckResult:
        path = os.path.join(case.store.runtime, f".{case.session.name}_under_way")
        with contextlib.suppress(OSError):
            if os.path.exists(path):
                return blocked("broken off")
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        try:
            return super().analysed(case)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(path)


@mutant("no-temporary-folder-blocks", "PS-FO-01", "without a temporary folder the session is held",
        level="L2", under="environment.no_tmpdir")  # fmt: skip
class NoTemporaryFolderBlocks(StopGate):
    def examine(self, case: Case) -> CheckResult:
        folder = os.environ.get("TMPDIR", "/")
        return super().examine(case) if os.path.isdir(folder) else blocked("no room to work")


@mutant("garbled-counters-block", "PS-FO-01", "counters that are no counters make it block",
        level="L2", under="filesystem.garbled")  # fmt: skip
class GarbledCountersBlock(StopGate):
    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        done = super().conclude(case, result)
        garbled = any("begin at zero" in entry.message for entry in done.log)
        return blocked("counters") if garbled and done.decision is Decision.APPROVE else done


@mutant("leftover-keeps-the-summary-away", "PS-FS-03", "where a temporary file of a summary was left, none is written",
        level="L2", under="summary-leftover")  # fmt: skip
class LeftoverKeepsTheSummaryAway(Store):
    def write_summary(self, session: Session, text: str) -> None:
        path = self.summary_path(session)
        if not os.path.exists(path + ".tmp"):
            super().write_summary(session, text)


@mutant("read-only-home-blocks", "PS-FO-01", "a home that cannot be written makes it block",
        level="L2", under="environment.read_only_home")  # fmt: skip
class ReadOnlyHomeBlocks(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        result = super().let_go(case, failed)
        if os.path.isdir(self.home) and not os.access(self.home, os.W_OK):
            return blocked("home")
        return result
