"""Mutants that are sound in every scenario of L1: each is wrong only when one further thing goes wrong."""

import contextlib
import os

from harness.systems.rate_limit.contract import DelayArguments, DelayResult
from harness.systems.rate_limit.mutants.table import mutant
from harness.systems.rate_limit.reference import RateLimit

LAST_OF_32_BITS_S = 2**31 - 60
PLACE = "/tmp"  # noqa: S108 - what is there in every sandbox
NOTE = b"status\n"


@mutant(
    "status-read-by-time-zone", "LK-RL-01", "429 is no rate limit east of everybody", "L2", "clock.time_zone"
)  # fmt: skip
class StatusReadByTimeZone(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return super().by_status(status) and os.environ.get("TZ") != "Pacific/Kiritimati"


@mutant("words-of-its-language-only", "LK-RL-02", "messages are read in languages it knows", "L2", "odd_locale")
class WordsOfItsLanguageOnly(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return super().by_message(message) and not os.environ.get("LC_ALL", "").startswith("xx")


@mutant("no-delay-after-2038", "LK-RL-04", "when 32 bits are full, delays are zero", "L2", "clock.year_2038")
class NoDelayAfter2038(RateLimit):
    def next_delay(self, arguments: DelayArguments, now_s: float = 0.0) -> DelayResult:
        result = super().next_delay(arguments, now_s)
        long = result.delay_s is not None and result.delay_s >= self.tunables.max_delay_s
        return DelayResult(True, 0.0) if result.retry and not long and now_s > LAST_OF_32_BITS_S else result


@mutant("bound-kept-in-a-place", "LK-RL-05", "without a place for notes nothing is bounded", "L2", "no_tmpdir")
class BoundKeptInAPlace(RateLimit):
    def capped(self, nominal_s: float) -> float:
        return super().capped(nominal_s) if os.path.isdir(os.environ.get("TMPDIR", PLACE)) else nominal_s


@mutant("retries-counted-in-a-file", "LK-RL-06", "where retries cannot be noted there is no last", "L2", "file_size")
class RetriesCountedInAFile(RateLimit):
    def may_retry(self, retry: int) -> bool:
        try:
            with open(f"{PLACE}/retries", "ab") as noted:
                noted.write(b"+")
        except OSError:
            return True
        return super().may_retry(retry)


@mutant("retries-read-from-a-file", "LK-RL-06", "a note that cannot be read allows every retry", "L3", "syscall.errno")
class RetriesReadFromAFile(RateLimit):
    def may_retry(self, retry: int) -> bool:
        try:
            with open(f"{PLACE}/retries", "rb") as noted:
                noted.read()
        except FileNotFoundError:
            return super().may_retry(retry)
        except OSError:
            return True
        return super().may_retry(retry)


@mutant("status-noted-half", "LK-RL-01", "whoever dies while noting a 429 leaves a note that hides it", "L3", "torn")
class StatusNotedHalf(RateLimit):
    def by_status(self, status: int | None) -> bool:
        note = f"{PLACE}/statuses"
        with contextlib.suppress(OSError), open(note, "rb") as noted:
            if len(noted.read()) % len(NOTE):
                return False
        with contextlib.suppress(OSError), open(note, "ab", buffering=0) as noted:
            noted.write(NOTE)
        return super().by_status(status)
