"""The seven flags, each with its default, from texts as an environment has them. Source: 001, Configuration Flags."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.systems.diagnosis.contract import FLAG_DEFAULTS, WHYS, Flag

ON = frozenset({"1", "true", "yes", "on"})
OFF = frozenset({"0", "false", "no", "off"})
LONGEST = 32  # characters of a number; Python refuses to read thousands of digits


class Settings(NamedTuple):
    """The flags in force. Depth is 0 to 5, tokens and attempts at least 0, the temperature finite and at least 0."""

    enabled: bool
    why_depth: int
    temperature: float
    max_tokens: int
    max_recovery_attempts: int
    fast_recovery: bool
    store_full: bool

    @property
    def recovers(self) -> bool:
        """Is any recovery tried before the user is asked?"""
        return self.max_recovery_attempts > 0


class Flags:
    """From texts to settings. A flag that is no flag's value has its default, and is told of."""

    defaults: Mapping[Flag, str] = FLAG_DEFAULTS

    def settings(self, given: Mapping[str, str]) -> tuple[Settings, tuple[str, ...]]:
        """The settings, and a sentence for each flag that was refused."""
        wrong: list[str] = []

        def value(flag: Flag, read: Callable[[str], Any]) -> Any:
            text = given.get(flag, "").strip()
            found = read(text) if text else None
            if text and found is None:
                wrong.append(f"{flag} is {text[:40]!r}, and its default is taken")
            return read(self.defaults[flag]) if found is None else found

        settings = Settings(
            enabled=value(Flag.ENABLED, self.switch),
            why_depth=value(Flag.WHY_DEPTH, self.depth),
            temperature=value(Flag.TEMPERATURE, self.amount),
            max_tokens=value(Flag.MAX_TOKENS, self.count),
            max_recovery_attempts=value(Flag.MAX_RECOVERY_ATTEMPTS, self.count),
            fast_recovery=value(Flag.FAST_RECOVERY, self.switch),
            store_full=value(Flag.STORE_FULL, self.switch),
        )
        return settings, tuple(wrong)

    def switch(self, text: str) -> bool | None:
        """On or off; None when it is neither."""
        word = text.casefold()
        return True if word in ON else False if word in OFF else None

    def count(self, text: str) -> int | None:
        """A whole number from zero; None when it is none."""
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST else None

    def depth(self, text: str) -> int | None:
        """How many whys are asked: what lies above five is five (our reading of DR-CFG-02)."""
        found = self.count(text)
        return None if found is None else min(found, len(WHYS))

    def amount(self, text: str) -> float | None:
        """A finite number from zero; None when it is none."""
        try:
            found = float(text)
        except ValueError:
            return None
        return found if math.isfinite(found) and found >= 0 else None
