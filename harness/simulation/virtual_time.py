"""A clock that the simulation moves, and chance that is the same on every machine."""

from random import Random
from typing import Final

from harness.core.seed import derive
from harness.ports.clock import to_seconds

TICKS_PER_S: Final = 64  # 1/64 s: binary fractions and whole microseconds both hold it exactly, so nothing is rounded
START: Final = "2026-03-01T12:00:00Z"
_DAY_S: Final = 86_400
_NEVER: Final = 1 << 60


class VirtualClock:
    """Tells the time of the simulation. ``ticks`` count what has passed; setting it changes only what it says."""

    def __init__(self) -> None:
        self.ticks = 0
        self._start = round(to_seconds(START)) * TICKS_PER_S
        self._set_by = 0

    def now_s(self) -> float:
        """See Clock.now_s."""
        return (self._start + self.ticks + self._set_by) / TICKS_PER_S

    def set_by(self, ticks: int) -> None:
        """Somebody sets the clock, by so much."""
        self._set_by += ticks


def ticks(seconds: float) -> int:
    """So many seconds in ticks, rounded up: nobody wakes too early. What no simulation lives to see is _NEVER."""
    wished = seconds * TICKS_PER_S
    if not wished < _NEVER:  # nor is infinity, and what is no number
        return _NEVER
    whole = int(wished)
    return whole if whole >= wished else whole + 1


def days(count: int) -> int:
    """So many days in ticks."""
    return count * _DAY_S * TICKS_PER_S


class Chance:
    """Draws for the use called ``names``. Only whole numbers: they are the same on every machine and Python."""

    def __init__(self, seed: int, *names: str | int) -> None:
        self._bits = Random(derive(seed, *names)).getrandbits  # noqa: S311 - a simulation, no secret

    def below(self, bound: int) -> int:
        """A number from 0 to below ``bound``."""
        return self._bits(64) % bound

    def between(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def per_mille(self, share: int) -> bool:
        """True that many times in a thousand."""
        return self.below(1000) < share

    def seconds(self, low: int, high: int) -> int:
        """A length from ``low`` to ``high`` seconds, in ticks."""
        return self.between(low * TICKS_PER_S, high * TICKS_PER_S)

    def around(self, mean_s: int) -> int:
        """A length around a mean, in ticks: mostly shorter, now and then up to four times as long."""
        return max(1, self.seconds(1, 2 * mean_s) * self.between(1, 4) * 2 // 5)

    def raw(self, count: int) -> bytes:
        """So many bytes."""
        return self._bits(8 * count).to_bytes(count, "big") if count else b""
