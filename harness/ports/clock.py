"""Time as a port: what the machine's clock says, or what a scenario says."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time. Pure code takes a time as an argument; only shells hold a Clock."""

    def now_s(self) -> float:
        """Seconds since the epoch, UTC."""
        ...


class Waiter(Protocol):
    """Lets time pass."""

    def wait(self, for_s: float) -> None:
        """Comes back ``for_s`` seconds later."""
        ...


class RealClock:
    """The machine's clock."""

    def now_s(self) -> float:
        """Seconds since the epoch, UTC."""
        return time.time()


class FakeClock:
    """A clock that only moves when it is told to."""

    def __init__(self, now_s: float) -> None:
        self._now_s = now_s

    def now_s(self) -> float:
        """Seconds since the epoch, UTC."""
        return self._now_s

    def move(self, by_s: float) -> None:
        """Moves the clock by that many seconds; negative is backwards."""
        self._now_s += by_s


class RealWaiter:
    """Sleeps."""

    def wait(self, for_s: float) -> None:
        """See Waiter.wait."""
        time.sleep(for_s)


class FakeWaiter:
    """Moves a fake clock instead of sleeping."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def wait(self, for_s: float) -> None:
        """See Waiter.wait."""
        self._clock.move(for_s)


def to_text(now_s: float) -> str:
    """The time as RFC 3339 in UTC, to the microsecond."""
    return datetime.fromtimestamp(now_s, UTC).isoformat().replace("+00:00", "Z")


def to_seconds(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 time; ValueError when it is none or has no offset."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset from UTC")
    return moment.timestamp()
