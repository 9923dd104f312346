"""The configuration flags as they may be read: every permitted value of what was set. Pure.

Source: document 001, Configuration Flags.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from harness.systems.diagnosis.contract import FLAG_DEFAULTS, WHYS, Flag

# the readings of DR-CFG-01, DR-CFG-06 and DR-CFG-07: which words are off
READINGS: Final = ("words", "words_or_unset", "only_zero", "only_one")
_OFF: Final = frozenset(("0", "false", "off", "no"))
_WHOLE: Final = re.compile(r"[0-9]{1,15}")
_DECIMAL: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")
_NEGATIVE: Final = re.compile(r"-[0-9]{1,15}(\.[0-9]{1,15})?")
HOTTEST: Final = 2.0  # no model takes more


class Flags:
    """The flags of one scenario, as environment variables: texts by name."""

    def __init__(self, configured: object) -> None:
        self._set: dict[str, Any] = dict(configured) if isinstance(configured, Mapping) else {}

    def text(self, flag: Flag) -> str | None:
        """What the variable was set to, None when it was not."""
        value = self._set.get(flag)
        return None if value is None else str(value)

    def is_default(self, flag: Flag) -> bool:
        """Is it not set, or set to its default?"""
        return self.text(flag) in (None, FLAG_DEFAULTS[flag])

    def on(self, flag: Flag) -> Mapping[str, bool]:
        """Whether that flag is on, by reading. All of them have a default that is on."""
        text = self.text(flag)
        if text is None:
            return dict.fromkeys(READINGS, True)
        word = text.strip().lower()
        return {
            "words": word not in _OFF and word != "",
            "words_or_unset": word not in _OFF,
            "only_zero": text != "0",
            "only_one": text == "1",
        }

    def surely(self, flag: Flag) -> bool | None:
        """Whether that flag is on, None where the readings differ."""
        found = set(self.on(flag).values())
        return found.pop() if len(found) == 1 else None

    @property
    def enabled(self) -> bool | None:
        """Is the reflection on? None where the readings differ."""
        return self.surely(Flag.ENABLED)

    @property
    def fast(self) -> bool | None:
        """Is the fast path on? None where the readings differ."""
        return self.surely(Flag.FAST_RECOVERY)

    @property
    def attempts(self) -> int | None:
        """How many recoveries are tried before the user is asked; None where several numbers are permitted."""
        found = self.numbers(Flag.MAX_RECOVERY_ATTEMPTS)
        return int(min(found)) if found is not None and len(found) == 1 else None

    def numbers(self, flag: Flag) -> frozenset[float] | None:
        """Every permitted value of a flag that is a number; None where nothing is said of such a text."""
        default = float(FLAG_DEFAULTS[flag])
        text = self.text(flag)
        if text is None:
            return frozenset({default})
        if (_DECIMAL if flag is Flag.TEMPERATURE else _WHOLE).fullmatch(text):
            return self._within(flag, float(text), default)
        if _NEGATIVE.fullmatch(text):
            return frozenset({default, 0.0})
        return None if _is_number(text) else frozenset({default})

    @staticmethod
    def _within(flag: Flag, value: float, default: float) -> frozenset[float]:
        if flag is Flag.WHY_DEPTH:
            return frozenset({min(value, float(len(WHYS)))})
        if flag is Flag.TEMPERATURE and value > HOTTEST:
            return frozenset({value, HOTTEST, default})
        return frozenset({value})


def _is_number(text: str) -> bool:
    """Would somebody take it for a number, in a form of its own?"""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
