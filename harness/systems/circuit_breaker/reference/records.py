"""Records of the state file as they are stored, and what they are to a breaker. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec

from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.reference.breaker import HALF_OPEN, OPEN, Breaker

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
EARLIEST_US = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LATEST_US = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
COUNTS = ("failure_count", "success_count")

Count = Annotated[int, msgspec.Meta(ge=0)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class Extra(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the document has no field for; whoever does not know it may leave it alone (LK-CB-08).

    ``failures`` are those of the sliding window, ``probes`` the calls in flight, ``cooldown_s`` is how long this
    cooldown is, ``unlogged`` says that the recovery log may still lack the line of ``recovered``.
    """

    period: int = 0
    last_error: str | None = None
    failures: tuple[Moment, ...] = ()
    cooldown_s: float | None = None
    probes: tuple[str, ...] = ()
    probe_started: Moment | None = None
    recovered: Moment | None = None
    unlogged: bool = False


NOTHING = Extra()


class Stored(msgspec.Struct, frozen=True):
    """One record: the seven fields of the document, and one of ours. Source: 000, JSON Schema, Example File."""

    state: State
    failure_count: Count
    last_failure_time: Moment | None
    last_state_change: Moment
    success_count: Count = 0
    cooldown_until: Moment | None = None
    failure_window_start: Moment | None = None
    extra: Extra = NOTHING


class InvalidFileError(ValueError):
    """The file is no state file, or a record in it is none."""


Records = dict[str, Stored]
Sources = dict[str, msgspec.Raw]

_RECORDS = msgspec.json.Decoder(Records)
_SOURCES = msgspec.json.Decoder(Sources)
_ENCODER = msgspec.json.Encoder()
_OWN = frozenset(Stored.__struct_fields__)


def decoded(data: bytes) -> tuple[Records, Sources]:
    """The records of a file and how each is written there; InvalidFileError when one is none."""
    try:
        text = data.decode()
        try:
            return _RECORDS.decode(text), _SOURCES.decode(text)
        except msgspec.ValidationError:
            document = _with_integers(msgspec.json.decode(text, type=dict[str, Any]))
            return msgspec.convert(document, Records), _SOURCES.decode(text)
    except (ValueError, RecursionError) as error:  # msgspec.DecodeError is a ValueError
        raise InvalidFileError(str(error) or type(error).__name__) from error


def encoded(sources: Mapping[str, msgspec.Raw]) -> bytes:
    """The file that has these records."""
    return _ENCODER.encode(sources)


def source_of(record: Stored, before: msgspec.Raw | None) -> msgspec.Raw:
    """How the record is written; fields that others added to the one before are kept."""
    if before is None:
        return msgspec.Raw(_ENCODER.encode(record))
    fields: dict[str, Any] = msgspec.json.decode(before)
    if fields.keys() <= _OWN:
        return msgspec.Raw(_ENCODER.encode(record))
    fields.update({name: getattr(record, name) for name in Stored.__struct_fields__})
    return msgspec.Raw(_ENCODER.encode(fields))


def _with_integers(document: dict[str, Any]) -> dict[str, Any]:
    """3.0 is an integer to JSON Schema, and true is none (LK-CB-04)."""
    for record in document.values():
        for name in COUNTS if isinstance(record, dict) else ():
            value = record.get(name)
            if isinstance(value, float) and value.is_integer():
                record[name] = int(value)
    return document


def microseconds(now_s: float) -> int:
    """Seconds since the epoch as the reference counts them, within what a date can say."""
    return min(max(round(now_s * 1_000_000), EARLIEST_US), LATEST_US)


def moment(at_us: int) -> datetime:
    """That time as a date."""
    return EPOCH + MICROSECOND * min(at_us, LATEST_US)


def since_epoch_us(at: datetime) -> int:
    """That date in microseconds since the epoch."""
    return min(max((at - EPOCH) // MICROSECOND, EARLIEST_US), LATEST_US)


class Filing:
    """From a record to a breaker and back."""

    def fill(self, breaker: Breaker, record: Stored) -> None:
        """Makes the breaker what the record says. What a foreign record leaves out is taken in the strictest way."""
        extra = record.extra
        breaker.begin()
        breaker.state = record.state
        breaker.period = extra.period
        breaker.failure_count = record.failure_count
        breaker.success_count = record.success_count
        breaker.changed_us = since_epoch_us(record.last_state_change)
        breaker.last_failure_us = _optional_us(record.last_failure_time)
        breaker.last_error = extra.last_error
        breaker.failures = self.failures(record)
        if record.state is OPEN:
            breaker.cooldown_us = None if extra.cooldown_s is None else round(extra.cooldown_s * 1_000_000)
            until_us = _optional_us(record.cooldown_until)
            breaker.cooldown_until_us = breaker.changed_us + breaker.pace.cooldown_us if until_us is None else until_us
        breaker.probes = list(extra.probes)
        breaker.probe_us = _optional_us(extra.probe_started)
        breaker.recovered_us = _optional_us(extra.recovered)
        breaker.unlogged = extra.unlogged

    def failures(self, record: Stored) -> list[int]:
        """The times of the failures counted; a record of others only has the first and the last."""
        times = record.extra.failures
        if not times and record.failure_count:
            last = record.last_failure_time or record.last_state_change
            first = record.failure_window_start or last
            times = (first, *(last,) * min(record.failure_count - 1, 1000))
        return [since_epoch_us(each) for each in times]

    def record(self, breaker: Breaker) -> Stored:
        """The breaker as a record."""
        return Stored(
            state=breaker.state,
            failure_count=breaker.failure_count,
            last_failure_time=_optional(breaker.last_failure_us),
            last_state_change=moment(breaker.changed_us or 0),
            success_count=breaker.success_count,
            cooldown_until=_optional(breaker.cooldown_until_us),
            failure_window_start=self.window_start(breaker),
            extra=self.beside(breaker),
        )

    def window_start(self, breaker: Breaker) -> datetime | None:
        """The first failure of those counted."""
        return _optional(breaker.failures[0] if breaker.failures else None)

    def beside(self, breaker: Breaker) -> Extra:
        """What the document has no field for."""
        return Extra(
            period=breaker.period,
            last_error=breaker.last_error,
            failures=tuple(map(moment, breaker.failures)),
            cooldown_s=None if breaker.cooldown_us is None else breaker.cooldown_us / 1_000_000,
            probes=tuple(breaker.probes),
            probe_started=_optional(breaker.probe_us),
            recovered=_optional(breaker.recovered_us),
            unlogged=breaker.unlogged,
        )

    def quarantined(self, now_us: int) -> Stored:
        """A breaker of which nothing can be known: it is tested before it is used (our reading of LK-CB-26)."""
        return Stored(HALF_OPEN, 0, None, moment(now_us))


def _optional(at_us: int | None) -> datetime | None:
    return None if at_us is None else moment(at_us)


def _optional_us(at: datetime | None) -> int | None:
    return None if at is None else since_epoch_us(at)
