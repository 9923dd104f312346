"""Does every observed failure stand in errors.json, once? The file is looked at, not what is told of it."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from harness.core.events import FailureObserved, FailureRecorded, NonBlockingFailed, SessionCut, SessionEvent
from harness.simulation.invariants import shapes
from harness.simulation.invariants.rules import LOGGED_ONCE, WHOLE
from harness.simulation.invariants.shapes import Data, Record
from harness.simulation.invariants.weather import Weather

_Failure = tuple[str, str]  # session and message
_ADDED = msgspec.json.Decoder(list[Record])
_END = b"\n]}\n"


class Failures:
    """The error log.

    A record is that of a failure when it has its session and message. The one that a full disk or a crash kept from
    being written is excused: it may be written later, once.
    """

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self._data: bytes = b""
        self._ids: set[str] = set()
        self._awaited: Counter[_Failure] = Counter()  # observed, and not in the file
        self._excused: Counter[_Failure] = Counter()  # of these so many may be missing
        self._last: dict[str, _Failure] = {}  # by session, until its next event

    def changed(self, data: Data | None) -> Iterator[str]:
        """The file says this now."""
        now = b"" if data is None else bytes(data)
        before, self._data = self._data, now
        kept = before[: -len(_END)]
        if kept and before.endswith(_END) and now.endswith(_END) and now.startswith(kept):
            added = _added(now[len(kept) : -len(_END)])
        else:
            added = None
        if added is None:
            records = shapes.errors(now) if now else []
            if records is None:
                self._data = before  # what stood there is judged when it is whole again
                yield WHOLE
                return
            ids = [record.id for record in records]
            if not self._ids.issubset(ids):
                yield LOGGED_ONCE
                self._ids.intersection_update(ids)
            if len(set(ids)) < len(ids):
                yield LOGGED_ONCE
            added = [record for record in records if record.id not in self._ids]
        yield from self._take(added)

    def _take(self, added: Sequence[Record]) -> Iterator[str]:
        for record in added:
            if record.id in self._ids:
                yield LOGGED_ONCE
            self._ids.add(record.id)
            failure = (record.context.session_id or "", record.message)
            if not self._awaited[failure]:
                del self._awaited[failure]
                yield LOGGED_ONCE
                continue
            self._awaited[failure] -= 1
            self._excused[failure] = min(self._excused[failure], self._awaited[failure])
            if not self._awaited[failure]:
                del self._awaited[failure], self._excused[failure]

    def archived(self) -> None:
        """The file is set aside, with its records."""
        self._data = b""
        self._ids.clear()

    def take(self, session: str, event: SessionEvent) -> Iterator[str]:
        """What this event, and what was written before it, break."""
        last = self._last.pop(session, None)
        if last is not None and self._awaited[last] > self._excused[last]:
            is_told = isinstance(event, FailureRecorded) and event.stored
            if is_told or not (self._weather.is_full or isinstance(event, SessionCut)):
                yield LOGGED_ONCE
            self._excused[last] = self._awaited[last]
        if isinstance(event, FailureObserved | NonBlockingFailed):
            failure = self._last[session] = (session, event.message)
            self._awaited[failure] += 1


def _added(tail: bytes) -> list[Record] | None:
    """The records that were added; None when it cannot be told."""
    try:
        return _ADDED.decode(b"[" + tail.removeprefix(b",") + b"]")
    except ValueError:
        return None
