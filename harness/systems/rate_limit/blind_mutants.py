"""Mutants of rate limit handling written from document 000 alone, without a look at what judges them."""

# ruff: noqa: D101, D102 -- each says what is wrong in its decorator, as the others do

import math
import re
from collections.abc import Mapping

from harness.systems.mutant import Mutant
from harness.systems.rate_limit.contract import (
    RATE_LIMITED_STATUS,
    ClassifyArguments,
    ClassifyResult,
    Tunables,
)
from harness.systems.rate_limit.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.rate_limit.reference.backoff import RateLimit

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants


@mutant("message-overrules-status", "LK-RL-01", "the status only tells where there is no message")
class MessageOverrulesStatus(RateLimit):
    def classify(self, arguments: ClassifyArguments, now_s: float = 0.0) -> ClassifyResult:
        del now_s
        if arguments.message:
            return ClassifyResult(self.by_message(arguments.message))
        return ClassifyResult(self.by_status(arguments.status))


@mutant("calm-status-too", "LK-RL-01", "the status 420, which one service once used, is a rate limit too")
class CalmStatusToo(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return status in (420, RATE_LIMITED_STATUS)


@mutant("underscore-is-a-letter", "LK-RL-02", "words end where a regular expression says: not at an underscore")
class UnderscoreIsALetter(RateLimit):
    def by_message(self, message: str | None) -> bool:
        words = r"\brate[\s_-]+limit(?:s|ed|ing)?\b"
        return message is not None and re.search(words, message, re.IGNORECASE) is not None


@mutant("first-line-of-the-message", "LK-RL-02", "only the first line of a message is looked at")
class FirstLineOfTheMessage(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return super().by_message(None if message is None else message.partition("\n")[0])


@mutant("delay-in-whole-seconds", "LK-RL-04", "delays lose what they have beside whole seconds")
class DelayInWholeSeconds(RateLimit):
    def nominal_s(self, retry: int) -> float:
        nominal_s = super().nominal_s(retry)
        return float(int(nominal_s)) if 1 < nominal_s < math.inf else nominal_s


@mutant("doubles-the-delay-before", "LK-RL-04", "each delay is twice the one last given out, whoever that was for")
class DoublesTheDelayBefore(RateLimit):
    def nominal_s(self, retry: int) -> float:
        before_s: float = getattr(self, "_before_s", self.tunables.initial_delay_s)
        self._before_s = self.tunables.initial_delay_s if retry == 1 else before_s * self.tunables.multiplier
        return self._before_s


@mutant("capped-before-it-doubles", "LK-RL-05", "the delay is bounded and then multiplied once more")
class CappedBeforeItDoubles(RateLimit):
    def delay_s(self, retry: int) -> float:
        if retry == 1:
            return self.capped(self.nominal_s(retry))
        return self.capped(self.nominal_s(retry - 1)) * self.tunables.multiplier


@mutant("no-retries-means-the-default", "LK-RL-06", "zero as max_retries is taken, and five retries are made")
class NoRetriesMeansTheDefault(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return retry <= (self.tunables.max_retries or Tunables().max_retries)
