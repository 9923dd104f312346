"""What must hold of signals that are handed on, INT-44; see order_tasks.py. Pure.

Readings of ours. Nobody says how long a signal may lie there. When more than a few lie there that nobody has even
looked for, they are forgotten.
"""

from harness.core.task_events import SignalConsumed, SignalEmitted
from harness.runtime.order_places import Broken
from harness.systems.signals.contract import ROUTES, Signal

UNSEEN_AT_MOST = 10


class SignalOrder:
    """Watches the signals of all sessions of a project."""

    def __init__(self) -> None:
        self._raised: dict[tuple[str, str], bool] = {}  # and not handled: has its consumer looked for it?
        self._uncertain: set[tuple[str, str]] = set()  # of those: it may be handled
        self._untold = 0  # that may have been raised

    def doubt(self) -> None:
        """A session died while it raised or handled one: nobody told of it."""
        self._uncertain = set(self._raised)
        self._untold += 1

    def emitted(self, event: SignalEmitted) -> Broken:
        """A signal stands there, or could not be written."""
        if not event.written:
            return
        producers, _ = ROUTES[Signal(event.signal)]
        self._raised[event.signal, event.name] = False
        unseen = [at for at, is_seen in self._raised.items() if not is_seen]
        if event.by not in producers:
            yield "INT-44"
        elif len(unseen) > UNSEEN_AT_MOST:
            self._raised.update(dict.fromkeys(unseen, True))
            yield "INT-44"

    def consumed(self, event: SignalConsumed, *, is_full: bool) -> Broken:
        """Somebody looked for a signal."""
        at = (event.signal, event.name)
        _, consumer = ROUTES[Signal(event.signal)]
        was_there = at in self._raised
        if not event.handled and at in self._uncertain:
            self._raised.pop(at, None)
            was_there = False
        elif event.handled and not was_there and self._untold:
            self._untold -= 1
            was_there = True
        self._uncertain.discard(at)
        if event.handled:
            self._raised.pop(at, None)
        elif was_there:
            self._raised[at] = True
        is_wrong = event.handled is not was_there and (event.handled or not is_full)
        if is_wrong or (event.handled and event.by != consumer):
            yield "INT-44"
