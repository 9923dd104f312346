"""The tunables: which values are some, and what they come to in microseconds. Pure."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from harness.systems.circuit_breaker.contract import Tunables

COUNTS = ("threshold", "recovery_threshold")
NAMES = Tunables.__struct_fields__


class Pace(NamedTuple):
    """Tunables as decisions use them: counts, and times in microseconds."""

    threshold: int
    window_us: int
    cooldown_us: int
    interval_us: int
    recovery_threshold: int


class TuningError(ValueError):
    """A tunable that is none, or a value that none can have."""


class Tuning:
    """Which tunables are accepted: above zero, counts whole, times finite; others are refused (our LK-CB-25)."""

    def tuned(self, tunables: Tunables, changes: Mapping[str, Any]) -> Tunables:
        """``tunables`` with these values; TuningError, and nothing is changed, when one of them is none."""
        for name, value in changes.items():
            if name not in NAMES:
                raise TuningError(f"there is no tunable {name[:80]!r}")
            if not (self.is_count(value) if name in COUNTS else self.is_time(value)):
                raise TuningError(f"a {type(value).__name__} that is no value for {name}")
        return msgspec.structs.replace(tunables, **{name: self.value(name, value) for name, value in changes.items()})

    def is_count(self, value: Any) -> bool:
        """A whole number above zero; true is none, and 3.5 neither."""
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole and not isinstance(value, bool) and value > 0

    def is_time(self, value: Any) -> bool:
        """A finite number of seconds above zero."""
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 and _is_finite(value)

    def value(self, name: str, value: float) -> float:
        """The value as it is kept: counts are integers, times are not."""
        return int(value) if name in COUNTS else float(value)

    def pace(self, tunables: Tunables) -> Pace:
        """The tunables in microseconds; what is shorter than one is one."""
        return Pace(
            tunables.threshold,
            _microseconds(tunables.window_s),
            _microseconds(tunables.cooldown_s),
            _microseconds(tunables.half_open_interval_s),
            tunables.recovery_threshold,
        )


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _microseconds(seconds: float) -> int:
    return max(1, round(seconds * 1_000_000))
