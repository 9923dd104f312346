"""What the gate keeps below ``<home>/.amplihack/.claude/runtime/power-steering``, through the Files port only.

Every path is resolved before it is read or written and refused when it leaves the runtime directory (PS-FS-04); the
last step of each write does not follow links either. Between the test and the use of a directory a race remains,
which only openat2 could close.

Killed at any call, a check leaves what the next one reads as something that happened, or as nothing: a semaphore is
made in one step and after the summary, a file is replaced whole, a line that was torn is ended before the next.
"""

import contextlib
import os
import posixpath
from typing import Literal

from harness.ports.files import Files, Status
from harness.systems.stop_gate.contract import (
    RUNTIME_DIRECTORY,
    SEMAPHORE_LIFETIME_S,
    SEMAPHORE_NAME,
    SUMMARY_NAME,
    LogCode,
)
from harness.systems.stop_gate.reference import metrics
from harness.systems.stop_gate.reference.naming import Session
from harness.systems.stop_gate.reference.trace import Trace, describe

SKEW_S = 60.0  # a semaphore dated further ahead than clocks differ says nothing (our reading of PS-SES-05)
LOCK_S = 3.0  # a check holds it for a few milliseconds; who holds it longer hangs, and is not waited for
COUNTERS_LIMIT_BYTES = 4 * 1024 * 1024  # 512 checks and 64 checkers fit many times
BLOCKS_LIMIT_BYTES = 64 * 1024  # a block is a line of 15 bytes, and 20 of them are the most
LOG_LIMIT_BYTES = 4 * 1024 * 1024  # then the log begins anew


class OutsideRootError(Exception):
    """A path leads out of the directory it belongs to (the document's security error)."""


class Store:
    """The runtime directory as one call sees it."""

    def __init__(self, home: str, files: Files, trace: Trace) -> None:
        self.home = home
        self.files = files
        self.trace = trace
        self.runtime = RUNTIME_DIRECTORY.replace("{home}", home)
        self._root: str | None = None
        self._locks = contextlib.ExitStack()
        self._refusal: Exception | None = None
        self._tried = False

    # -- one at a time

    def lock(self) -> None:
        """Takes the runtime directory's lock until ``unlock``, before anything is written there.

        Checks at once then write one after the other. Whoever does not get it in time writes all the same, but for the
        counters: everything else is made so that two writers do no harm.
        """
        if not self._tried:
            self._tried = True
            try:
                self._locks.enter_context(self.files.lock(self.own("counters.lock"), LOCK_S))
            except (OSError, ValueError, OutsideRootError) as error:
                self._refusal = error

    def unlock(self) -> None:
        """Gives the lock back; the next ``lock`` takes it anew."""
        self._locks.close()
        self._tried, self._refusal = False, None

    # -- paths

    def safe(self, path: str) -> str:
        """``path`` with every link followed; OutsideRootError when it leaves the runtime directory (PS-FS-04)."""
        return self.followed(self.root(), path.removeprefix(self.runtime))

    def root(self) -> str:
        """The runtime directory, resolved once a call; OutsideRootError when it leaves the home."""
        if self._root is None:
            self._root = self.followed(self.resolved(self.home), self.runtime.removeprefix(self.home))
        return self._root

    def followed(self, root: str, below: str) -> str:
        """The path ``below`` the resolved ``root`` with every link followed; OutsideRootError when one leaves it."""
        place, exists = root, True
        for name in filter(None, below.replace(os.sep, "/").split("/")):
            place = posixpath.join(place, name)
            found = self.files.look(place) if exists else None
            exists = found is not None
            if found is not None and found.kind == "link":
                place = self.resolved(place)
                if not self.is_within(place, root):
                    raise OutsideRootError(f"{below!r} leads out of {root!r}")
        return place

    def own(self, name: str) -> str:
        """A file of the gate's own right in the runtime directory, for calls that follow no link in the last place."""
        return posixpath.join(self.root(), name)

    def resolved(self, path: str) -> str:
        """The path with every link followed."""
        return self.files.resolve(path)

    def is_within(self, path: str, root: str) -> bool:
        """Whether ``path`` is ``root`` or below it; the separator keeps a sibling with the same beginning out."""
        return path == root or path.startswith(root.rstrip(os.sep) + os.sep)

    def semaphore_path(self, session: Session) -> str:
        """Where completion is recorded (PS-SES-02)."""
        return posixpath.join(self.runtime, SEMAPHORE_NAME.format(session_id=session.name))

    def summary_path(self, session: Session) -> str:
        """Where the summary is written (PS-FS-03)."""
        return posixpath.join(self.runtime, session.name, SUMMARY_NAME)

    def blocks_path(self, session: Session) -> str:
        """Where the blocks of a session are counted: one line each, the second it happened."""
        return posixpath.join(self.runtime, f".{session.blocks_name}_blocks")

    # -- the semaphore

    def already_ran(self, session: Session, now_s: float) -> bool:
        """Whether a semaphore says that the session was let go within the last hour (PS-SES-04)."""
        try:
            found = self.semaphore(session)
        except OutsideRootError as error:
            self.refused(error)
            return False
        except OSError as error:
            self.trace.warning(LogCode.SEMAPHORE_STALE, f"the semaphore cannot be looked at: {describe(error)}")
            return False
        return found is not None and self.counts(now_s - found.mtime_s)

    def semaphore(self, session: Session) -> Status | None:
        """The semaphore's status, one question so that it cannot vanish in between; None without one (PS-SES-06)."""
        path = self.semaphore_path(session)
        found = self.files.look(self.own(posixpath.basename(path)))
        if found is not None and found.kind == "link":
            found = self.files.status(self.safe(path))
        return found if found is not None and found.kind == "file" else None

    def counts(self, age_s: float) -> bool:
        """Whether a semaphore of that age counts; why not is logged."""
        if self.is_stale(age_s):
            self.trace.warning(LogCode.SEMAPHORE_STALE, f"the semaphore is {age_s:.0f} s old and ignored")
            return False
        if self.is_in_future(age_s):
            self.trace.warning(LogCode.SEMAPHORE_IN_FUTURE, f"the semaphore lies {-age_s:.0f} s ahead and is ignored")
            return False
        return True

    def is_stale(self, age_s: float) -> bool:
        """Older than an hour; exactly an hour is not (PS-SES-04)."""
        return age_s > SEMAPHORE_LIFETIME_S

    def is_in_future(self, age_s: float) -> bool:
        """Further ahead than clocks may differ (PS-SES-05)."""
        return age_s < -SKEW_S

    def mark(self, session: Session, now_s: float) -> None:
        """Records completion: the first wins, only a stale record is renewed (PS-SES-03). It never fails (PS-FS-01)."""
        try:
            self.write_semaphore(session, now_s)
        except OutsideRootError as error:
            self.refused(error)
        except OSError as error:
            self.trace.error(LogCode.SEMAPHORE_WRITE_FAILED, f"no semaphore: {describe(error)}", error=error)

    def write_semaphore(self, session: Session, now_s: float) -> None:
        """Creates the semaphore in one step, or renews a stale one (PS-SES-03)."""
        path = self.safe(self.semaphore_path(session))
        if self.files.create(path, b"", now_s):
            return
        found = self.files.status(path)
        if found is not None and found.kind == "file" and self.is_stale(now_s - found.mtime_s):
            self.files.set_time(path, now_s)
        else:
            self.trace.info(LogCode.ALREADY_COMPLETE, "another check recorded this session's completion first")

    # -- the summary

    def keep_summary(self, session: Session, text: str) -> None:
        """Writes the summary; a failure is logged and changes nothing (PS-FS-02)."""
        try:
            self.write_summary(session, text)
        except OutsideRootError as error:
            self.refused(error)
        except OSError as error:
            self.trace.error(LogCode.SUMMARY_WRITE_FAILED, f"no summary: {describe(error)}", error=error)

    def write_summary(self, session: Session, text: str) -> None:
        """Puts the summary in its place, whole or not at all."""
        self.files.replace(self.safe(self.summary_path(session)), text.encode())

    def refused(self, error: OutsideRootError) -> None:
        """Logs that a path was left alone (PS-FS-05)."""
        self.trace.error(LogCode.PATH_OUTSIDE_ROOT, f"refused: {error}", error=error)

    # -- blocks

    def claim_block(
        self, session: Session, now_s: float, limit: int, held_before: bool | None
    ) -> Literal["claimed", "spent", "unrecorded"]:
        """One more block of this session within an hour: written and read back before anybody is held (PS-LOOP-04).

        ``spent``: there were ``limit`` already. ``unrecorded``: the count cannot be kept, or was lost: the host says
        that the session was held before (``held_before``), and there is no count of it.
        """
        self.lock()
        try:
            path = self.safe(self.blocks_path(session))
            data = self.recorded_blocks(path)
            before = self.blocks(data, now_s)
            if self.is_often_enough(before, limit):
                return "spent"
            if held_before and before == 0:
                self.trace.warning(LogCode.COUNTERS_WRITE_FAILED, "the count of the blocks before this one was lost")
                return "unrecorded"
            if before == 0:
                self.forget_blocks(path, data)
            # added, never rewritten: of two stops at once neither takes away what the other has counted
            self.files.append_lines(path, b"%.3f\n" % now_s)
            return "claimed" if self.is_recorded(path, before, now_s) else "unrecorded"
        except OutsideRootError as error:
            self.refused(error)
        except OSError as error:
            self.trace.warning(LogCode.COUNTERS_WRITE_FAILED, f"a block cannot be counted: {describe(error)}")
        return "unrecorded"

    def is_often_enough(self, blocks: int, limit: int) -> bool:
        """Was a session held so often that it may end? No document says how often that is."""
        return blocks >= limit

    def is_recorded(self, path: str, before: int, now_s: float) -> bool:
        """Is there one block more when it is read back? Something else may stand in the place of the file."""
        return self.blocks(self.recorded_blocks(path), now_s) > before

    def forget_blocks(self, path: str, data: bytes) -> None:
        """Empties a file of blocks that are all an hour old, before it is too long to be read."""
        if len(data) > BLOCKS_LIMIT_BYTES // 2:
            self.files.replace(path, b"")

    def recorded_blocks(self, path: str) -> bytes:
        """The lines recorded; none when there is no such file."""
        try:
            return self.files.read(path, BLOCKS_LIMIT_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return b""

    def blocks(self, data: bytes, now_s: float) -> int:
        """The blocks recorded in the last hour; more than any limit when a line is no number: damage holds nobody.

        What is left of a torn line is a number still, of a time long ago; a loss of power may leave zeros after it.
        """
        recent = 0
        for line in filter(None, (line.rstrip(b"\0") for line in data.splitlines())):
            try:
                recent += not now_s - float(line) > SEMAPHORE_LIFETIME_S  # so that nan counts too
            except ValueError:
                return BLOCKS_LIMIT_BYTES
        return recent

    # -- log and counters

    def keep_log(self, now_s: float) -> None:
        """Appends the call's entries to the log file; whatever stands in the way is left alone (it is only a log)."""
        text = self.trace.text(now_s)
        if text:
            with contextlib.suppress(OSError, ValueError, OutsideRootError):
                path = self.own("power_steering.log")
                found = self.files.status(path)
                if found is not None and found.kind == "file" and found.size > LOG_LIMIT_BYTES:
                    self.files.replace(path, b"")
                self.files.append_lines(path, text.encode("utf-8", "replace"))

    def count(self, counting: metrics.Counting, now_s: float | None) -> None:
        """Adds the call to the counters, one writer at a time; a failure is a warning."""
        self.lock()
        try:
            if self._refusal is not None:
                raise self._refusal
            path = self.safe(posixpath.join(self.runtime, "counters.json"))
            tally = counting.add(self.tally(path), self.trace.entries, now_s)
            self.files.replace(path, metrics.encode(tally))
        except (OSError, ValueError, OutsideRootError) as error:
            self.trace.warning(LogCode.COUNTERS_WRITE_FAILED, f"the counters stay as they were: {describe(error)}")

    def stored_tally(self) -> metrics.Tally:
        """The counters as they are now; empty ones, with a warning, when they cannot be read."""
        try:
            return self.tally(self.safe(posixpath.join(self.runtime, "counters.json")))
        except (OSError, ValueError, OutsideRootError) as error:
            self.trace.warning(LogCode.COUNTERS_WRITE_FAILED, f"the counters cannot be read: {describe(error)}")
            return metrics.Tally()

    def tally(self, path: str) -> metrics.Tally:
        """The stored tally; a damaged one is reported and begun anew."""
        try:
            return metrics.decode(self.files.read(path, COUNTERS_LIMIT_BYTES))
        except (FileNotFoundError, NotADirectoryError):
            return metrics.Tally()
        except ValueError as error:
            self.trace.warning(LogCode.COUNTERS_WRITE_FAILED, f"the counters begin at zero: {error}")
            return metrics.Tally()
