"""Mutants of what is a rate limit: LK-RL-01, LK-RL-02."""

import re

from harness.systems.rate_limit.mutants.table import mutant
from harness.systems.rate_limit.reference import RateLimit


@mutant("status-ignored", "LK-RL-01", "only the message is looked at")
class StatusIgnored(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return False


@mutant("status-430-too", "LK-RL-01", "the status after 429 is a rate limit too")
class Status430Too(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return status in (429, 430)


@mutant("status-428-too", "LK-RL-01", "the status before 429 is a rate limit too")
class Status428Too(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return status in (428, 429)


@mutant("every-client-error-is-one", "LK-RL-01", "every status of 400 to 499 is a rate limit")
class EveryClientErrorIsOne(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return status is not None and status // 100 == 4


@mutant("no-status-is-one", "LK-RL-01", "a failure without a status is a rate limit")
class NoStatusIsOne(RateLimit):
    def by_status(self, status: int | None) -> bool:
        return status is None or super().by_status(status)


@mutant("message-ignored", "LK-RL-02", "only the status is looked at")
class MessageIgnored(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return False


@mutant("small-letters-only", "LK-RL-02", "the words are found in small letters only")
class SmallLettersOnly(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return super().by_message(message) and message is not None and "rate" in message and "limit" in message


@mutant("blank-between-only", "LK-RL-02", "a hyphen between the words hides them")
class BlankBetweenOnly(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and super().by_message(message.replace("-", ""))


@mutant("no-underscore-between", "LK-RL-02", "an underscore between the words hides them")
class NoUnderscoreBetween(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and super().by_message(message.replace("_", ""))


@mutant("singular-only", "LK-RL-02", "rate limits and rate limited are no rate limit")
class SingularOnly(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and re.search(r"\brate[ _-]limit(?![a-z])", message, re.IGNORECASE) is not None


@mutant("beginning-of-the-message-only", "LK-RL-02", "only the first 1,000 characters are looked at")
class BeginningOfTheMessageOnly(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and super().by_message(message[:1000])


@mutant("message-ends-at-nul", "LK-RL-02", "what stands after a NUL is not looked at")
class MessageEndsAtNul(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and super().by_message(message.partition("\0")[0])


@mutant("limit-alone-suffices", "LK-RL-02", "every message with the word limit is a rate limit")
class LimitAloneSuffices(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and "limit" in message.lower()


@mutant("words-anywhere", "LK-RL-02", "both words suffice, however far apart")
class WordsAnywhere(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and {"rate", "limit"} <= set(re.findall(r"\w+", message.lower()))


@mutant("longer-words-now-and-then", "LK-RL-02", "longer words hold the two in the plural only")
class LongerWordsNowAndThen(RateLimit):
    def by_message(self, message: str | None) -> bool:
        return message is not None and (super().by_message(message) or "rate limits" in message.lower())
