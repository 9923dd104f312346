"""Mutants of the pattern learning: DR-LRN-01, DR-LRN-02."""

from collections.abc import Iterable
from typing import Any

from harness.systems.diagnosis.mutants.table import mutant
from harness.systems.diagnosis.reference.composing import Composing
from harness.systems.diagnosis.reference.learning import Counts, Learning
from harness.systems.diagnosis.reference.memories import Trace
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.steps import Strategy
from harness.systems.diagnosis.reference.taxonomy import Verdict


@mutant("always-nine-tenths-sure", "DR-LRN-01", "the confidence of a pattern is always 0.9")
class AlwaysNineTenthsSure(Learning):
    def confidence(self, counts: Counts) -> float:
        return 0.9


@mutant("failures-do-not-count", "DR-LRN-01", "only successes count for the confidence of a pattern")
class FailuresDoNotCount(Learning):
    def confidence(self, counts: Counts) -> float:
        return round((counts[0] + 1) / (counts[0] + 2), 4)


@mutant("failures-raise-the-confidence", "DR-LRN-01", "each attempt raises the confidence, failures as well")
class FailuresRaiseTheConfidence(Learning):
    def confidence(self, counts: Counts) -> float:
        return round((counts[1] + 1) / (counts[1] + 2), 4)


@mutant("nothing-is-learned", "DR-MEM-01", "no pattern is stored with a recovery that worked")
class NothingIsLearned(Composing):
    def session_record(self, *arguments: Any, full: bool) -> dict[str, Any]:
        found = super().session_record(*arguments, full=full)
        return {name: value for name, value in found.items() if name != "learned_pattern"}


@mutant("never-fast", "DR-LRN-02", "what was learned never spares a full reflection")
class NeverFast(Learning):
    def learned(self, trigger: str, alternatives: Iterable[Strategy]) -> str | None:
        return None


@mutant("fast-without-experience", "DR-LRN-02", "the first alternative is taken at once, though nothing was learned")
class FastWithoutExperience(Learning):
    def learned(self, trigger: str, alternatives: Iterable[Strategy]) -> str | None:
        return next((each.name for each in alternatives if not each.asks), None)


@mutant("fast-after-failures-only", "DR-LRN-02", "a strategy that only failed before is taken at once")
class FastAfterFailuresOnly(Learning):
    def learned(self, trigger: str, alternatives: Iterable[Strategy]) -> str | None:
        failed = (each.name for each in alternatives if self.counts(trigger, each.name)[1] and not each.asks)
        return next((name for name in failed if not self.counts(trigger, name)[0]), None)


@mutant("one-pattern-for-all", "DR-LRN-02", "what was learned of one error is applied to all others")
class OnePatternForAll(Learning):
    def learned(self, trigger: str, alternatives: Iterable[Strategy]) -> str | None:
        worked = any(counts[0] for counts in self._counts.values())
        return next((each.name for each in alternatives if not each.asks), None) if worked else None


@mutant("patterns-are-not-read", "DR-LRN-02", "what a process before learned is not read")
class PatternsAreNotRead(Learning):
    def catch_up(self, trace: Trace) -> None:
        return


@mutant("patterns-by-iteration", "DR-LRN-02", "a pattern is only found in the iteration it was learned in")
class PatternsByIteration(Learning):
    def trigger(self, failure: Failure, verdict: Verdict) -> str:
        return f"{super().trigger(failure, verdict)}_{failure.iteration}_{len(failure.previous)}_{len(self._counts)}"
