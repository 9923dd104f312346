"""Detection and exponential back-off. It keeps nothing but its tunables, and these in memory."""

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry, LogLevel
from harness.ports.files import Files
from harness.systems.rate_limit.contract import (
    RATE_LIMITED_STATUS,
    ClassifyArguments,
    ClassifyResult,
    Configuration,
    ConfigureArguments,
    ConfigureResult,
    DelayArguments,
    DelayResult,
    LogCode,
    Tunables,
)

LEAST_MULTIPLIER = 1.0
# the words, alone or in one of their forms; an underscore ends a word as a blank does, so that rate_limit_error counts
_WORDS = re.compile(r"(?<![^\W_])rate[\s_-]+limit(?:s|ed|ing)?(?![^\W_])", re.IGNORECASE)


class RateLimit:
    """What is a rate limit, and how long to wait before trying again. No jitter is added.

    Not for use by two threads at once.
    """

    def __init__(self, tunables: Tunables) -> None:
        self.tunables = tunables

    # -- operations

    def classify(self, arguments: ClassifyArguments, now_s: float = 0.0) -> ClassifyResult:
        """Whether a failure is a rate limit (LK-RL-01, LK-RL-02)."""
        del now_s
        return ClassifyResult(self.by_status(arguments.status) or self.by_message(arguments.message))

    def next_delay(self, arguments: DelayArguments, now_s: float = 0.0) -> DelayResult:
        """Whether that retry is made, and after which delay (LK-RL-04 to LK-RL-06)."""
        del now_s
        if arguments.retry < 1:
            return DelayResult(retry=False, log=(_warning(LogCode.RETRY_INVALID, f"no retry {arguments.retry}"),))
        if not self.may_retry(arguments.retry):
            return DelayResult(retry=False)
        return DelayResult(True, self.delay_s(arguments.retry))

    def configure(self, arguments: ConfigureArguments, now_s: float = 0.0) -> ConfigureResult:
        """Takes the tunables named, or none of them when one is no tunable."""
        del now_s
        wrong = self.wrong(arguments.tunables)
        if wrong:
            told = tuple(_warning(LogCode.TUNABLE_INVALID, text) for text in wrong)
            return ConfigureResult(accepted=False, tunables=self.tunables, log=told)
        self.tunables = msgspec.structs.replace(self.tunables, **arguments.tunables)
        return ConfigureResult(accepted=True, tunables=self.tunables)

    # -- detection

    def by_status(self, status: int | None) -> bool:
        """Is that HTTP status a rate limit's (LK-RL-01)?"""
        return status == RATE_LIMITED_STATUS

    def by_message(self, message: str | None) -> bool:
        """Does that message speak of one (LK-RL-02)?"""
        return message is not None and _WORDS.search(message) is not None

    # -- strategy

    def may_retry(self, retry: int) -> bool:
        """Is there a retry of that number (LK-RL-06)?"""
        return retry <= self.tunables.max_retries

    def delay_s(self, retry: int) -> float:
        """The delay before that retry, in seconds."""
        return self.capped(self.nominal_s(retry))

    def nominal_s(self, retry: int) -> float:
        """The delay before that retry when nothing bounds it (LK-RL-04); infinite when no float can hold it."""
        try:
            return self.tunables.initial_delay_s * self.tunables.multiplier ** (retry - 1)
        except OverflowError:
            return math.inf

    def capped(self, nominal_s: float) -> float:
        """That delay, or the longest (LK-RL-05)."""
        return min(nominal_s, self.tunables.max_delay_s)

    # -- tunables

    def wrong(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """What is wrong with these tunables, a sentence each."""
        return tuple(
            f"{name} is unknown" if name not in Tunables.__struct_fields__ else f"{name} is no {_shown(value)}"
            for name, value in given.items()
            if name not in Tunables.__struct_fields__ or not self.is_tunable(name, value)
        )

    def is_tunable(self, name: str, value: object) -> bool:
        """May the tunable of that name have that value?"""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if name == "max_retries":
            return isinstance(value, int) and value >= 0
        least = value >= LEAST_MULTIPLIER if name == "multiplier" else value > 0
        return least and _is_finite(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False


def _shown(value: object) -> str:
    return repr(value)[:80]


def _warning(code: LogCode, message: str) -> LogEntry:
    return LogEntry(LogLevel.WARNING, code.value, message)


def create(configuration: Configuration, files: Files | None = None) -> RateLimit:
    """A reference; msgspec.ValidationError when one of the configuration's tunables is none."""
    return made(RateLimit, configuration, files)


def made(kind: type[RateLimit], configuration: Configuration, files: Files | None = None) -> RateLimit:
    """One of that class, the reference's or derived from it, with that configuration; as ``create``."""
    del files  # it keeps nothing
    found = kind(Tunables())
    wrong = RateLimit.wrong(found, configuration.tunables)
    if wrong:
        raise msgspec.ValidationError("; ".join(wrong))
    found.tunables = msgspec.structs.replace(found.tunables, **configuration.tunables)
    return found
