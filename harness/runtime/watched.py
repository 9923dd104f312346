"""The events of sessions as they happen: written down, counted, and checked against the order in which parts fire."""

from collections import Counter, deque
from collections.abc import Callable

import msgspec

from harness.core.events import SessionEvent
from harness.runtime.order import Order

BEFORE = 30  # events that are told with the one that broke a rule


class Entry(msgspec.Struct, frozen=True):
    """An event, its number (from 1), and the session it happened in; a line of events.jsonl."""

    number: int
    session: str
    event: SessionEvent


class FirstBreach(msgspec.Struct, frozen=True):
    """The first event that broke a rule, and those before it."""

    event: Entry
    before: tuple[Entry, ...]


class Watched:
    """``write`` is given each line, ``show`` each event; what they raise ends the run where it is."""

    def __init__(self, write: Callable[[bytes], object], show: Callable[[SessionEvent], object]) -> None:
        self.count = 0
        self.counts: Counter[str] = Counter()
        self.broken: dict[str, FirstBreach] = {}
        self._write = write
        self._show = show
        self._order = Order()
        self._latest: deque[Entry] = deque(maxlen=BEFORE + 1)

    def take(self, session: str, event: SessionEvent) -> None:
        """It has happened."""
        self.count += 1
        self.counts[str(type(event).__struct_config__.tag)] += 1
        entry = Entry(self.count, session, event)
        self._latest.append(entry)
        for rule in self._order.take(session, event):
            self._note(rule)
        self._write(msgspec.json.encode(entry) + b"\n")
        self._show(event)

    def end(self, session: str) -> None:
        """The session has ended by itself."""
        for rule in self._order.end(session):
            self._note(rule)

    def _note(self, rule: str) -> None:
        *before, event = self._latest
        self.broken.setdefault(rule, FirstBreach(event, tuple(before)))
