"""Mutants of the state file: LK-CB-01 to LK-CB-08."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from harness.systems.circuit_breaker.mutants.table import mutant, rewritten
from harness.systems.circuit_breaker.reference.breaker import CLOSED, HALF_OPEN, Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.records import InvalidFileError, Records, Sources, Stored
from harness.systems.circuit_breaker.reference.state_file import Found, StateFile
from harness.systems.circuit_breaker.reference.transitions import Event

STUMP = 255  # the longest file name
OWN_FIELDS = frozenset(Stored.__struct_fields__)


@mutant("one-record-for-all", "LK-CB-01", "all names share one record")
class OneRecordForAll(CircuitBreakers):
    def key(self, name: str) -> str:
        return "breaker"


@mutant("names-are-paths", "LK-CB-01", "of a name only what follows the last slash counts")
class NamesArePaths(CircuitBreakers):
    def key(self, name: str) -> str:
        return name.rpartition("/")[2]


@mutant("names-are-cut", "LK-CB-01", "names are cut at 255 characters, like file names")
class NamesAreCut(CircuitBreakers):
    def key(self, name: str) -> str:
        return name[:STUMP]


@mutant("names-end-at-nul", "LK-CB-01", "a name ends at its first NUL")
class NamesEndAtNul(CircuitBreakers):
    def key(self, name: str) -> str:
        return name.partition("\0")[0]


@mutant("names-are-folded", "LK-CB-01", "names that differ in case share a record")
class NamesAreFolded(CircuitBreakers):
    def key(self, name: str) -> str:
        return name.casefold()


@mutant("slashes-are-replaced", "LK-CB-01", "slashes in keys are written as underscores")
class SlashesAreReplaced(CircuitBreakers):
    def key(self, name: str) -> str:
        return name.replace("/", "_")


@mutant("state-is-never-saved", "LK-CB-01", "breakers live in memory only")
class StateIsNeverSaved(CircuitBreakers):
    def save(self, *_: Any, **__: Any) -> None:
        return


@mutant("state-is-elsewhere", "LK-CB-01", "the state file has another name")
class StateIsElsewhere(CircuitBreakers):
    state_path = "{home}/.loki/state/circuit_breakers.json"


@mutant("file-is-read-once", "LK-CB-01", "what another process has written since is never looked at")
class FileIsReadOnce(StateFile):
    def read(self) -> Found:
        return self._found if self._data is not None else super().read()


@mutant("other-records-are-dropped", "LK-CB-01", "the file is written with the changed record alone")
class OtherRecordsAreDropped(StateFile):
    def write(self, found: Found, changes: Mapping[str, Stored]) -> Found:
        return super().write(Found({}, {}), changes)


@mutant("failure-count-is-left-out", "LK-CB-02", "records have no failure_count")
class FailureCountIsLeftOut(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, failure_count=...)


@mutant("last-state-change-is-left-out", "LK-CB-02", "records have no last_state_change")
class LastStateChangeIsLeftOut(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, last_state_change=...)


@mutant("states-in-lower-case", "LK-CB-03", "states are written in lower case")
class StatesInLowerCase(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, state=record.state.lower())


@mutant("half-open-with-a-hyphen", "LK-CB-03", "HALF_OPEN is written with a hyphen")
class HalfOpenWithAHyphen(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, state=record.state.replace("_", "-"))


@mutant("counts-are-texts", "LK-CB-04", "counts are written as texts")
class CountsAreTexts(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, failure_count=str(record.failure_count), success_count=str(record.success_count))


@mutant("counts-are-booleans", "LK-CB-04", "a count of one is written as true")
class CountsAreBooleans(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, failure_count=True) if record.failure_count == 1 else super().source_of(record, before)


@mutant("successes-are-counted-down", "LK-CB-04", "success_count is what is still missing, below zero")
class SuccessesAreCountedDown(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        if record.state is not HALF_OPEN:
            return super().source_of(record, before)
        return rewritten(record, success_count=record.success_count - 3)


@mutant("successes-are-not-counted-on-disk", "LK-CB-04", "success_count stays 0 in the file")
class SuccessesAreNotCountedOnDisk(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, success_count=0)


@mutant("last-failure-is-a-number", "LK-CB-05", "last_failure_time is written in seconds since the epoch")
class LastFailureIsANumber(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        at = record.last_failure_time
        return rewritten(record, last_failure_time=None if at is None else at.timestamp())


@mutant("last-failure-has-no-offset", "LK-CB-05", "last_failure_time is written without an offset from UTC")
class LastFailureHasNoOffset(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, last_failure_time=_naive(record.last_failure_time))


@mutant("last-failure-is-the-first", "LK-CB-05", "last_failure_time is that of the first failure in the window")
class LastFailureIsTheFirst(Breaker):
    def note(self, now_us: int, error: str | None) -> None:
        super().note(self.failures[0] if self.failures else now_us, error)


@mutant("cooldown-is-a-number", "LK-CB-06", "cooldown_until is written as a number of seconds")
class CooldownIsANumber(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        at = record.cooldown_until
        return rewritten(record, cooldown_until=None if at is None else at.timestamp())


@mutant("window-start-has-no-offset", "LK-CB-06", "failure_window_start is written without an offset from UTC")
class WindowStartHasNoOffset(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return rewritten(record, failure_window_start=_naive(record.failure_window_start))


@mutant("window-start-is-empty", "LK-CB-06", "failure_window_start is an empty text where there is none")
class WindowStartIsEmpty(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return (
            rewritten(record, failure_window_start="")
            if record.failure_window_start is None
            else super().source_of(record, before)
        )


@mutant("every-failure-is-a-change", "LK-CB-07", "last_state_change moves with every failure")
class EveryFailureIsAChange(Breaker):
    def note(self, now_us: int, error: str | None) -> None:
        super().note(now_us, error)
        self.changed_us = now_us


@mutant("changes-are-not-stamped", "LK-CB-07", "last_state_change stays what it was at first")
class ChangesAreNotStamped(Breaker):
    def move(self, event: Event, at_us: int) -> None:
        before_us = self.changed_us
        super().move(event, at_us)
        self.changed_us = before_us


@mutant("last-state-change-is-null", "LK-CB-07", "last_state_change is null while CLOSED")
class LastStateChangeIsNull(StateFile):
    def source_of(self, record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
        return (
            rewritten(record, last_state_change=None) if record.state is CLOSED else super().source_of(record, before)
        )


@mutant("half-open-stamped-with-the-trip", "LK-CB-07", "the move to HALF_OPEN is stamped with the time of the trip")
class HalfOpenStampedWithTheTrip(Breaker):
    def cooled_us(self, now_us: int) -> int:
        return super().cooled_us(now_us) - self.pace.cooldown_us


@mutant("strange-fields-are-damage", "LK-CB-08", "a record with a field that nobody knows is damage")
class StrangeFieldsAreDamage(StateFile):
    def decoded(self, data: bytes) -> tuple[Records, Sources]:
        records, sources = super().decoded(data)
        for source in sources.values():
            if not msgspec.json.decode(source).keys() <= OWN_FIELDS:
                raise InvalidFileError("a field that nobody knows")
        return records, sources


def _naive(at: datetime | None) -> str | None:
    return None if at is None else at.replace(tzinfo=None).isoformat()
