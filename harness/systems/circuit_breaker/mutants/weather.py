"""Mutants of what happens when something else fails: bad files, storage that refuses, clocks that step."""

import contextlib
from datetime import datetime, timedelta
from typing import Any

import msgspec

from harness.core.log import LogLevel
from harness.systems.circuit_breaker.contract import CapacityArguments, CapacityResult
from harness.systems.circuit_breaker.mutants.table import mutant
from harness.systems.circuit_breaker.reference.breaker import CLOSED, OPEN, Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.kept import UNREADABLE
from harness.systems.circuit_breaker.reference.memory import Memory
from harness.systems.circuit_breaker.reference.records import (
    Filing,
    InvalidFileError,
    Records,
    Sources,
    Stored,
)
from harness.systems.circuit_breaker.reference.state_file import Found, StateFile
from harness.systems.trace import Trace


@mutant("bad-file-is-empty", "LK-CB-26", "a file that is no state file is taken for one without breakers")
class BadFileIsEmpty(StateFile):
    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        try:
            return super().decoded(data)
        except InvalidFileError:
            return {}, {}


@mutant("empty-file-is-new", "LK-CB-26", "a file of no bytes is taken for one without breakers")
class EmptyFileIsNew(StateFile):
    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        return super().decoded(data or b"{}")


@mutant("bad-records-are-skipped", "LK-CB-26", "of a bad file the good records count, and the others are CLOSED")
class BadRecordsAreSkipped(StateFile):
    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        try:
            return super().decoded(data)
        except InvalidFileError:
            return _good_records(data)


def _good_records(data: bytes) -> tuple[Records, Sources]:
    sources = {}
    with contextlib.suppress(ValueError, RecursionError):
        sources = msgspec.json.decode(data, type=Sources)
    records: Records = {}
    for name, source in list(sources.items()):
        try:
            records[name] = msgspec.json.decode(source, type=Stored)
        except (ValueError, RecursionError):
            del sources[name]
    return records, sources


@mutant("bad-file-escapes", "LK-CB-26", "a file that is no state file ends the operation")
class BadFileEscapes(StateFile):
    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        try:
            return super().decoded(data)
        except InvalidFileError as error:
            raise RuntimeError(str(error)) from error


@mutant("states-in-any-case-are-read", "LK-CB-26", "a state that is none is CLOSED")
class StatesThatAreNoneAreClosed(StateFile):
    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        for word in (b'"open"', b'"half_open"', b'"half-open"'):
            data = data.replace(word, b'"CLOSED"')
        return super().decoded(data)


@mutant("set-back-clock-closes", "LK-CB-28", "a breaker that opens in the future is CLOSED")
class SetBackClockCloses(Breaker):
    def settle(self, now_us: int) -> bool:
        if self.state is not CLOSED and self.changed_us is not None and self.changed_us > now_us:
            self.begin()
            self.unsaved = True
            return True
        return super().settle(now_us)


@mutant("set-back-clock-makes-waits-negative", "LK-CB-28", "a wait that is too long for a cooldown is told as negative")
class SetBackClockMakesWaitsNegative(Breaker):
    def settle(self, now_us: int) -> bool:
        if self.cooldown_until_us is not None and self.cooldown_until_us - now_us > self.pace.cooldown_us:
            self.cooldown_until_us = now_us
        return super().settle(now_us)


@mutant("write-failure-escapes", "LK-CB-10", "a state file that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailureEscapes(CircuitBreakers):
    def save(self, found: Found, now_us: int, trace: Trace, *, locked: bool) -> None:
        super().save(found, now_us, trace, locked=locked)
        if self.memory.unsaved:
            raise OSError("the state cannot be saved")


@mutant("lock-failure-escapes", "LK-CB-10", "a lock that cannot be had ends the operation",
        level="L2", under="process.lock_held")  # fmt: skip
class LockFailureEscapes(CircuitBreakers):
    def locked(self, held: contextlib.ExitStack, trace: Trace) -> bool:
        if not super().locked(held, trace):
            raise TimeoutError("the state file is locked")
        return True


@mutant("read-failure-escapes", "LK-CB-13", "a state file that cannot be read ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class ReadFailureEscapes(CircuitBreakers):
    def read(self, now_us: int, trace: Trace) -> Found:
        found = super().read(now_us, trace)
        if found is UNREADABLE:
            raise OSError("the state cannot be read")
        return found


@mutant("unreadable-is-closed", "LK-CB-13", "while the state file cannot be read every breaker is CLOSED",
        level="L2", under="filesystem")  # fmt: skip
class UnreadableIsClosed(CircuitBreakers):
    def record_of(self, name: str, found: Found, now_us: int, trace: Trace) -> Stored | None:
        return None if found is UNREADABLE else super().record_of(name, found, now_us, trace)


@mutant("unreadable-is-open", "LK-CB-14", "while the state file cannot be read no cooldown ends",
        level="L2", under="filesystem")  # fmt: skip
class UnreadableStaysOpen(CircuitBreakers):
    def record_of(self, name: str, found: Found, now_us: int, trace: Trace) -> Stored | None:
        record = super().record_of(name, found, now_us, trace)
        if record is None or found is not UNREADABLE or record.state is not OPEN:
            return record
        return msgspec.structs.replace(
            record, cooldown_until=datetime.max.replace(tzinfo=record.last_state_change.tzinfo)
        )


@mutant("full-capacity-while-unreadable", "LK-RP-02", "while the state file cannot be read or written all agents run",
        level="L2", under="filesystem")  # fmt: skip
class FullCapacityWhileUnreadable(CircuitBreakers):
    def capacity(self, arguments: CapacityArguments, now_s: float) -> CapacityResult:
        found = super().capacity(arguments, now_s)
        return (
            CapacityResult(arguments.agents, found.background, found.queue_non_urgent, found.log)
            if _troubled(found)
            else found
        )


@mutant("background-while-unreadable", "LK-RP-03", "while the state file cannot be read or written background runs",
        level="L2", under="filesystem")  # fmt: skip
class BackgroundWhileUnreadable(CircuitBreakers):
    def capacity(self, arguments: CapacityArguments, now_s: float) -> CapacityResult:
        found = super().capacity(arguments, now_s)
        return CapacityResult(found.agents, True, found.queue_non_urgent, found.log) if _troubled(found) else found


@mutant("no-queue-while-unreadable", "LK-RP-04", "while the state file cannot be read or written nothing is queued",
        level="L2", under="filesystem")  # fmt: skip
class NoQueueWhileUnreadable(CircuitBreakers):
    def capacity(self, arguments: CapacityArguments, now_s: float) -> CapacityResult:
        found = super().capacity(arguments, now_s)
        return CapacityResult(found.agents, found.background, False, found.log) if _troubled(found) else found


def _troubled(found: CapacityResult) -> bool:
    return any(entry.level is LogLevel.ERROR for entry in found.log)


def _forgetting(**fields: Any) -> type[CircuitBreakers]:
    """Breakers whose memory of what could not be saved lacks something."""

    def save(self: CircuitBreakers, found: Found, now_us: int, trace: Trace, *, locked: bool) -> None:
        CircuitBreakers.save(self, found, now_us, trace, locked=locked)
        for name in self.memory.unsaved:
            self.memory.known[name] = _changed(self.memory.known[name], fields)

    return type("Forgets" + "".join(map(str.title, fields)).replace("_", ""), (CircuitBreakers,), {"save": save})


def _changed(record: Stored | None, fields: dict[str, Any]) -> Stored | None:
    if record is None:
        return None
    own = {name: value for name, value in fields.items() if name in Stored.__struct_fields__}
    extra = {name: value for name, value in fields.items() if name not in own}
    return msgspec.structs.replace(record, **own, extra=msgspec.structs.replace(record.extra, **extra))


def _forgets(name: str, clause: str, description: str, **fields: Any) -> None:
    mutant(name, clause, f"while the state cannot be saved {description}", level="L2", under="filesystem")(
        _forgetting(**fields)
    )


_forgets("unsaved-failures-are-forgotten", "LK-CB-10", "failures are not counted", failure_count=0, failures=())
_forgets("unsaved-errors-are-forgotten", "LK-CB-13", "the last error is lost", last_error=None)
_forgets("unsaved-probes-are-forgotten", "LK-CB-18", "a probe in flight is forgotten", probe_started=None)
_forgets("unsaved-successes-are-forgotten", "LK-CB-19", "successes are not counted", success_count=0)
_forgets("unsaved-ramps-are-forgotten", "LK-RP-05", "all agents run as soon as it is CLOSED", recovered=None)


@mutant("unlogged-ramps-are-skipped", "LK-RP-05", "while a recovery cannot be logged all agents run at once",
        level="L2", under="breaker-l2-log")  # fmt: skip
class UnloggedRampsAreSkipped(CircuitBreakers):
    def capacity(self, arguments: CapacityArguments, now_s: float) -> CapacityResult:
        found = super().capacity(arguments, now_s)
        if found.queue_non_urgent or not self.memory.pending:
            return found
        return CapacityResult(arguments.agents, found.background, found.queue_non_urgent, found.log)


@mutant("unsaved-recoveries-are-not-logged", "LK-RP-06", "a recovery that cannot be saved is not logged either",
        level="L2", under="filesystem")  # fmt: skip
class UnsavedRecoveriesAreNotLogged(CircuitBreakers):
    def log_recoveries(self, trace: Trace, *, locked: bool) -> None:
        if self.memory.unsaved:
            self.memory.pending.clear()
        super().log_recoveries(trace, locked=locked)


@mutant("local-time-is-called-utc", "LK-CB-05", "times are those of the machine's zone, with a Z",
        level="L2", under="environment")  # fmt: skip
class LocalTimeIsCalledUtc(Filing):
    def record(self, breaker: Breaker) -> Stored:
        record = super().record(breaker)
        at = record.last_failure_time
        offset = None if at is None else at.astimezone().utcoffset()
        return msgspec.structs.replace(record, last_failure_time=at and at + (offset or timedelta(0)))


@mutant("time-in-32-bits", "LK-CB-12", "times after January 2038 are cut to 32 bits", level="L2", under="clock")
class TimeIn32Bits(Breaker):
    def begin_cooldown(self, now_us: int) -> None:
        super().begin_cooldown(min(now_us, 2**31 * 1_000_000))


@mutant("vanished-file-closes", "LK-CB-13", "what vanished from the file is CLOSED", level="L2", under="filesystem")
class VanishedFileCloses(Memory):
    def read(self, records: Records) -> list[str]:
        if not records:
            self.known = {}
            self.unsaved = {}
        return super().read(records)
