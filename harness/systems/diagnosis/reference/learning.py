"""What worked before: when-error-X-try-Y, trusted as far as it succeeded. Source: document 001, Pattern Learning.

The rule: after s successes in n attempts the confidence is (s + 1) / (n + 2), so that one success is no certainty. A
pattern is taken without a full reflection from 0.6 on (one success is 0.67), and a strategy below 0.4 (one failure is
0.33) is not what a plan begins with. All counts come from the episodic memory, so that other
processes' experience counts as well.
"""

import re
import zlib
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from harness.ports.files import Files
from harness.systems.diagnosis.contract import ErrorEncountered, ErrorType, LogCode, ReusablePattern
from harness.systems.diagnosis.reference.memories import NewLines, Trace
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.steps import Strategy
from harness.systems.diagnosis.reference.taxonomy import Verdict

ENOUGH: Final = 0.6
TOO_LITTLE: Final = 0.4
MOST_UNREAD: Final = 4096  # lines of our own that are known before they are read
_BY_SUBJECT: Final = (ErrorType.TOOL_NOT_FOUND, ErrorType.COMMAND_NOT_FOUND, ErrorType.ENVIRONMENT_MISSING)


class Experience(msgspec.Struct, frozen=True):
    """What is read of a line of the episodic memory, whoever wrote it."""

    reusable_pattern: ReusablePattern
    error_encountered: ErrorEncountered
    successful_recovery: dict[str, Any] | None = None


_DECODER = msgspec.json.Decoder(Experience)

Counts = tuple[int, int]  # successes, attempts


class Learning:
    """The patterns of one episodic memory."""

    def __init__(self, path: str, files: Files) -> None:
        self.lines = NewLines(path, files)
        self._counts: dict[tuple[str, str], Counts] = {}
        self._own: set[bytes] = set()

    def trigger(self, failure: Failure, verdict: Verdict) -> str:
        """What a pattern is known by: the type, and what is missing or else the tool that failed."""
        subject = verdict.subject if verdict.kind in _BY_SUBJECT else failure.tool
        plain = re.sub(r"[^a-z0-9_.+-]", "_", subject.casefold())[:60]
        mark = "" if plain == subject else f"_{zlib.crc32(subject.encode()):08x}"
        return f"{plain}{mark}_{verdict.kind.value}"

    def catch_up(self, trace: Trace) -> None:
        """Takes in what is new in the memory."""
        try:
            lines, anew = self.lines.read()
        except OSError as error:
            trace.error(LogCode.MEMORY_UNREADABLE, "the episodic memory cannot be read", error)
            return
        if anew:
            self._counts.clear()
        junk = sum(not self.take(line) for line in lines if line.strip() and not self.is_own(line))
        if junk:
            trace.warning(LogCode.MEMORY_INVALID, f"{junk} lines of the episodic memory are no records")

    def know(self, line: bytes) -> None:
        """Takes in a line of this process, whether it could be written yet or not."""
        if len(self._own) < MOST_UNREAD and self.take(line):
            self._own.add(line.rstrip(b"\n"))

    def is_own(self, line: bytes) -> bool:
        """Was the line taken in when it was made?"""
        if line not in self._own:
            return False
        self._own.remove(line)
        return True

    def take(self, line: bytes) -> bool:
        """Counts the attempt that a line tells of; False when it tells of none."""
        try:
            found = _DECODER.decode(line)
        except (ValueError, RecursionError):  # msgspec.DecodeError is a ValueError
            return False
        self.count(found.reusable_pattern.trigger, found.reusable_pattern.action, found.successful_recovery is not None)
        return True

    def count(self, trigger: str, strategy: str, success: bool) -> None:
        """One more attempt."""
        successes, attempts = self.counts(trigger, strategy)
        self._counts[trigger, strategy] = (successes + success, attempts + 1)

    def counts(self, trigger: str, strategy: str) -> Counts:
        """Successes and attempts so far."""
        return self._counts.get((trigger, strategy), (0, 0))

    def confidence(self, counts: Counts) -> float:
        """How far a strategy with these counts is trusted (our reading of DR-LRN-01)."""
        successes, attempts = counts
        return round((successes + 1) / (attempts + 2), 4)

    def success_rate(self, counts: Counts) -> float:
        """The share of successes as observed."""
        successes, attempts = counts
        return round(successes / attempts, 4) if attempts else 0.0

    def learned(self, trigger: str, alternatives: Iterable[Strategy]) -> str | None:
        """The alternative that worked best and is trusted enough to begin with at once; None when there is none."""
        best, found = 0.0, None
        for strategy in alternatives:
            counts = self.counts(trigger, strategy.name)
            confidence = self.confidence(counts)
            if counts[0] and not strategy.asks and confidence > best and self.is_enough(confidence):
                best, found = confidence, strategy.name
        return found

    def is_enough(self, confidence: float) -> bool:
        """Is a pattern trusted enough to be taken without a full reflection?"""
        return confidence >= ENOUGH

    def promising(self, trigger: str, alternatives: Iterable[Strategy]) -> str | None:
        """The first that has not failed too often before (our reading of DR-TRG-04); asking the user is always one."""

        def may_begin(strategy: Strategy) -> bool:
            return strategy.asks or self.confidence(self.counts(trigger, strategy.name)) >= TOO_LITTLE

        return next((strategy.name for strategy in alternatives if may_begin(strategy)), None)
