"""Mutants of delays, retries and tunables: LK-RL-04 to LK-RL-06."""

import msgspec

from harness.systems.rate_limit.contract import ConfigureArguments, ConfigureResult, DelayArguments, DelayResult
from harness.systems.rate_limit.mutants.table import mutant
from harness.systems.rate_limit.reference import RateLimit

COUNT = "max_retries"


@mutant("doubled-before-the-first", "LK-RL-04", "the first delay is 10 s")
class DoubledBeforeTheFirst(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return super().nominal_s(retry + 1)


@mutant("first-retry-at-once", "LK-RL-04", "the first retry is made without a delay, the second after 5 s")
class FirstRetryAtOnce(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return 0.0 if retry == 1 else super().nominal_s(retry - 1)


@mutant("linear-delays", "LK-RL-04", "delays grow by 5 s each")
class LinearDelays(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return self.tunables.initial_delay_s * retry


@mutant("same-delay-always", "LK-RL-04", "every delay is the first one")
class SameDelayAlways(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return min(super().nominal_s(retry), self.tunables.initial_delay_s)


@mutant("multiplier-is-two", "LK-RL-04", "delays double whatever the multiplier is")
class MultiplierIsTwo(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return min(super().nominal_s(retry) * 1e300, self.tunables.initial_delay_s * 2.0 ** min(retry - 1, 1000))


@mutant("jitter-unstated", "LK-RL-04", "a tenth is added to delays, and is not stated")
class JitterUnstated(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return super().nominal_s(retry) * 1.1


@mutant("jitter-taken-away", "LK-RL-04", "delays are shorter by a tenth, stated as a jitter below zero")
class JitterTakenAway(RateLimit):
    def next_delay(self, arguments: DelayArguments, now_s: float = 0.0) -> DelayResult:
        result = super().next_delay(arguments, now_s)
        if result.delay_s is None or result.delay_s >= self.tunables.max_delay_s:
            return result
        return DelayResult(True, result.delay_s * 0.9, result.delay_s * -0.1)


@mutant("jitter-as-long-as-it-likes", "LK-RL-04", "a jitter is stated that is longer than the delay itself")
class JitterAsLongAsItLikes(RateLimit):
    def next_delay(self, arguments: DelayArguments, now_s: float = 0.0) -> DelayResult:
        result = super().next_delay(arguments, now_s)
        if result.delay_s is None or result.delay_s * 2.5 >= self.tunables.max_delay_s:
            return result
        return DelayResult(True, result.delay_s * 2.5, result.delay_s * 1.5)


@mutant("delays-of-tuned-starts-lost", "LK-RL-04", "a tuned first delay is accepted and not used")
class DelaysOfTunedStartsLost(RateLimit):
    def configure(self, arguments: ConfigureArguments, now_s: float = 0.0) -> ConfigureResult:
        before = self.tunables
        result = super().configure(arguments, now_s)
        self.tunables = msgspec.structs.replace(self.tunables, initial_delay_s=before.initial_delay_s)
        return result


@mutant("unbounded-delays", "LK-RL-05", "delays double without a bound")
class UnboundedDelays(RateLimit):
    def capped(self, nominal_s: float) -> float:
        return nominal_s if nominal_s < 1e300 else super().capped(nominal_s)


@mutant("bound-looked-at-once-too-late", "LK-RL-05", "a delay is bounded when the one before it was above the bound")
class BoundLookedAtOnceTooLate(RateLimit):
    def capped(self, nominal_s: float) -> float:
        before_s = nominal_s / self.tunables.multiplier
        return nominal_s if before_s < self.tunables.max_delay_s else super().capped(nominal_s)


@mutant("a-millisecond-above-the-bound", "LK-RL-05", "a delay may be a millisecond longer than the longest")
class AMillisecondAboveTheBound(RateLimit):
    def capped(self, nominal_s: float) -> float:
        return min(nominal_s, self.tunables.max_delay_s + 0.001)


@mutant("bound-is-300-always", "LK-RL-05", "delays are bounded by 300 s, however the longest delay is tuned")
class BoundIs300Always(RateLimit):
    def capped(self, nominal_s: float) -> float:
        return min(nominal_s, 300.0)


@mutant("jitter-above-the-bound", "LK-RL-05", "a stated jitter makes the longest delay longer")
class JitterAboveTheBound(RateLimit):
    def next_delay(self, arguments: DelayArguments, now_s: float = 0.0) -> DelayResult:
        result = super().next_delay(arguments, now_s)
        if result.delay_s is None or result.delay_s < self.tunables.max_delay_s:
            return result
        return DelayResult(True, result.delay_s + 1.0, 1.0)


@mutant("many-retries-overflow", "LK-RL-05", "after a thousand retries the delay cannot be computed")
class ManyRetriesOverflow(RateLimit):
    def nominal_s(self, retry: int) -> float:
        return self.tunables.initial_delay_s * float(self.tunables.multiplier) ** (retry - 1)


@mutant("one-retry-more", "LK-RL-06", "six retries are made")
class OneRetryMore(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return retry <= self.tunables.max_retries + 1


@mutant("two-retries-fewer", "LK-RL-06", "three retries are made")
class TwoRetriesFewer(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return retry < self.tunables.max_retries - 1


@mutant("retries-without-end", "LK-RL-06", "every retry is made")
class RetriesWithoutEnd(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return True


@mutant("no-retries", "LK-RL-06", "no retry is made")
class NoRetries(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return False


@mutant("five-retries-always", "LK-RL-06", "five retries are made, however many are tuned")
class FiveRetriesAlways(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return retry <= 5


@mutant("large-numbers-wrap", "LK-RL-06", "the number of a retry is held in 16 bits")
class LargeNumbersWrap(RateLimit):
    def may_retry(self, retry: int) -> bool:
        return super().may_retry(retry if self.tunables.max_retries > 1000 else retry % 65536)
