"""Breakers as the state file and this process's memory have them: read without a lock, changed under it.

Whatever the storage does, an operation answers: with what the file says, else with what this process knows, else as if
the breaker had to be tested. What could not be saved is saved by the next operation that can.

A recovery is first put into the state file, marked ``unlogged``, and then appended to the recovery log. So its line is
never lost: whoever finds the mark looks for the line, and adds it where it is missing. Logged first, it would be told
twice when the process dies in between and the breaker is tested again.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from harness.core.log import LogEntry
from harness.ports.files import Files
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH, Configuration, LogCode, Tunables
from harness.systems.circuit_breaker.reference.breaker import Breaker
from harness.systems.circuit_breaker.reference.memory import Memory
from harness.systems.circuit_breaker.reference.pace import Tuning, TuningError
from harness.systems.circuit_breaker.reference.records import Filing, InvalidFileError, Stored
from harness.systems.circuit_breaker.reference.recovery_log import RecoveryLog
from harness.systems.circuit_breaker.reference.state_file import Found, StateFile
from harness.systems.trace import Trace

UNREADABLE = Found({}, {})
INVALID = Found({}, {})

T = TypeVar("T")


def is_unknown(found: Found) -> bool:
    """Could the file not be read, or is it none? Then there may be breakers in it that nobody here knows."""
    return found is UNREADABLE or found is INVALID


class KeptBreakers:
    """The breakers of one working directory. Not for use by two threads at once; by any number of processes."""

    breaker_class = Breaker
    filing_class = Filing
    file_class = StateFile
    log_class = RecoveryLog
    tuning_class = Tuning
    memory_class = Memory
    state_path = STATE_PATH
    recovery_log_path = RECOVERY_LOG_PATH

    def __init__(self, configuration: Configuration, files: Files) -> None:
        home = configuration.home
        self.file = self.file_class(self.state_path.replace("{home}", home), files)
        self.recovery_log = self.log_class(self.recovery_log_path.replace("{home}", home), files)
        self.filing = self.filing_class()
        self.tuning = self.tuning_class()
        self.memory = self.memory_class()
        self.tunables = Tunables()
        self._breakers: dict[str, Breaker] = {}
        self._earlier: list[LogEntry] = []
        self.tune(configuration.tunables, Trace(self._earlier))

    def begin(self) -> Trace:
        """A new operation's log; the first one's also has what was wrong with the configuration."""
        earlier, self._earlier = self._earlier, []
        return Trace(earlier)

    def tune(self, changes: Mapping[str, Any], trace: Trace) -> bool:
        """Puts tunables in force; False, with a warning, when one is none (our reading of LK-CB-25)."""
        try:
            self.tunables = self.tuning.tuned(self.tunables, changes)
        except TuningError as error:
            trace.warning(LogCode.TUNABLE_INVALID, str(error))
            return False
        for breaker in self._breakers.values():
            breaker.pace = self.tuning.pace(self.tunables)
        return True

    # -- reading

    def look(self, name: str, now_us: int, trace: Trace) -> Breaker | None:
        """The breaker as it is, without the lock; None when there is something to be written first."""
        found = self.read(now_us, trace)
        if self.must_write(found):
            return None
        breaker = self.filled(name, found, now_us, trace)
        return None if self.memory.unsaved else breaker

    def read(self, now_us: int, trace: Trace) -> Found:
        """The file, and what it says taken into the memory."""
        try:
            found = self.file.read()
        except InvalidFileError as error:
            trace.error(LogCode.STATE_INVALID, f"{self.file.path} is no state file", error)
            self.memory.doubt(self.filing.quarantined(now_us))
            return INVALID
        except OSError as error:
            trace.error(LogCode.STATE_UNREADABLE, "the state file cannot be read", error)
            return UNREADABLE
        vanished = self.memory.read(found.records)
        if vanished:
            trace.warning(
                LogCode.STATE_INVALID, f"{len(vanished)} records vanished from the state file, and are put back"
            )
        return found

    def must_write(self, found: Found) -> bool:
        """Is there something that was not written yet, or a bad file to be moved aside?"""
        return found is INVALID or bool(self.memory.unsaved) or bool(self.memory.pending)

    def filled(self, name: str, found: Found, now_us: int, trace: Trace) -> Breaker:
        """The breaker as the file and the memory have it."""
        breaker = self._breakers.get(name)
        if breaker is None:
            breaker = self._breakers[name] = self.breaker_class(self.tuning.pace(self.tunables))
        record = self.record_of(name, found, now_us, trace)
        if record is None:
            breaker.begin()
            return breaker
        self.filing.fill(breaker, record)
        if self.memory.is_logged(name, record.last_state_change):
            breaker.unlogged = False
        return breaker

    def record_of(self, name: str, found: Found, now_us: int, trace: Trace) -> Stored | None:
        """The record of a breaker; None when nobody has used it, one in quarantine when that cannot be known."""
        record = self.memory.known.get(name)
        if record is not None or (found is UNREADABLE and name in self.memory.known):
            return record
        try:
            doubtful = is_unknown(found) or self.file.is_suspect()
        except OSError as error:
            trace.error(LogCode.STATE_UNREADABLE, "nobody can tell whether there was a bad state file", error)
            doubtful, found = True, UNREADABLE
        if not doubtful:
            self.memory.known[name] = None
            return None
        record = self.filing.quarantined(self.memory.doubted.setdefault(name, now_us))
        if found is not UNREADABLE:
            self.memory.keep(name, record)
        return record

    # -- writing

    def change(self, name: str, now_us: int, trace: Trace, action: Callable[[Breaker], T]) -> tuple[Breaker, T]:
        """Does something to a breaker under the lock, and saves what comes of it."""
        with contextlib.ExitStack() as held:
            locked = self.locked(held, trace)
            found = self.read(now_us, trace)
            breaker = self.filled(name, found, now_us, trace)
            if breaker.settle(now_us):
                trace.warning(LogCode.CLOCK_STEPPED, f"times of {name[:80]!r} lay too far ahead of the clock")
            result = action(breaker)
            if breaker.unsaved:
                self.keep(name, breaker)
            self.save(found, now_us, trace, locked=locked)
            self.log_recoveries(trace, locked=locked)
        return breaker, result

    def catch_up(self, now_us: int, trace: Trace) -> None:
        """Writes what was not written yet."""
        with contextlib.ExitStack() as held:
            locked = self.locked(held, trace)
            self.save(self.read(now_us, trace), now_us, trace, locked=locked)
            self.log_recoveries(trace, locked=locked)

    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        """Takes the lock until ``held`` ends; False when it cannot be had, and then nothing is written."""
        try:
            self.file.lock(held)
        except OSError as error:
            trace.error(LogCode.LOCK_FAILED, "the state file cannot be locked", error)
            return False
        return True

    def keep(self, name: str, breaker: Breaker) -> None:
        """Puts a decision into the memory."""
        record = self.filing.record(breaker)
        self.memory.keep(name, record)
        if record.extra.unlogged:
            self.memory.recovered(name, record.last_state_change)

    def save(self, found: Found, now_us: int, trace: Trace, *, locked: bool) -> None:
        """Writes what the file lacks, in place of what was found under the lock.

        What could not be read is not overwritten: it may have breakers that nobody here knows.
        """
        changes = self.memory.changes()
        if not changes and found is not INVALID:
            return
        if not locked or found is UNREADABLE:
            trace.warning(LogCode.STATE_WRITE_FAILED, f"{len(changes)} changes are only in memory")
            return
        try:
            if found is INVALID:
                self.file.set_aside(now_us / 1_000_000)
            self.memory.saved(self.file.write(found, changes).records)
        except (OSError, ValueError) as error:
            trace.error(LogCode.STATE_WRITE_FAILED, f"{len(changes)} changes are only in memory", error)

    def log_recoveries(self, trace: Trace, *, locked: bool) -> None:
        """Adds the lines that the recovery log lacks; what others may be adding just now only under the lock."""
        for (name, at), doubtful in list(self.memory.pending.items()):
            if doubtful and not locked:
                continue
            try:
                if doubtful:
                    self.recovery_log.restore(name, at)
                else:
                    self.recovery_log.add(name, at)
            except OSError as error:
                self.memory.pending[name, at] = True  # for all we know the line is there
                trace.error(LogCode.LOG_WRITE_FAILED, "a recovery is not in the recovery log", error)
            else:
                self.memory.logged(name, at)
