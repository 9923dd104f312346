"""Mutants of the review gate written from document 000 alone, without a look at what judges them."""
# ruff: noqa: D101, D102 - each says in its decorator what is wrong

from collections.abc import Mapping
from typing import Final

import msgspec

from harness.systems.mutant import Mutant
from harness.systems.review_gate.contract import (
    MODEL,
    AnalysedArguments,
    Decision,
    Launch,
    LaunchKind,
    LogCode,
    ReportArguments,
    ReviewResult,
    Severity,
)
from harness.systems.review_gate.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.kept_state import KeptState
from harness.systems.review_gate.reference.state import ANALYSIS, DECIDED, NOTHING, Memory, Round
from harness.systems.trace import Trace

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

_NOT_REVIEWED: Final = ReviewResult(accepted=False, decision=Decision.PENDING)


@mutant("blind-old-analysis-opens-round", "LK-GEN-03", "the analysis of a round before launches this one's reviewers")
class OldAnalysis(ReviewGate):
    def analysed(self, arguments: AnalysedArguments, now_s: float) -> ReviewResult:
        def launched(memory: Memory, trace: Trace) -> tuple[Memory, ReviewResult]:
            found = memory.round_of(arguments.task)
            if found.stage != ANALYSIS or arguments.round > found.number:
                trace.warning(LogCode.REPORTED_LATE, f"no analysis of {arguments.task!r} is awaited in that round")
                return memory, self.refused(found)
            this = msgspec.structs.replace(arguments, round=found.number)
            return self.analysis_ended(memory, this, now_s)

        return self.changed(launched, _NOT_REVIEWED)


@mutant("blind-medium-of-analysis-passes", "LK-GEN-04", "what static analysis finds blocks only from high upwards")
class MediumOfAnalysis(ReviewGate):
    def analysis_ended(self, memory: Memory, arguments: AnalysedArguments, now_s: float) -> tuple[Memory, ReviewResult]:
        worse = tuple(each for each in arguments.issues if each.severity.lower() != Severity.MEDIUM)
        return super().analysis_ended(memory, msgspec.structs.replace(arguments, issues=worse), now_s)


@mutant("blind-empty-state-nothing-open", "LK-GEN-04", "an emptied state file says that nothing is open", level="L2")
class EmptyState(KeptState):
    def parsed(self, data: bytes) -> Memory:
        return super().parsed(data) if data.strip() else NOTHING


@mutant("blind-second-work-rides-on-review", "LK-REV-01", "a task that is begun once more keeps its earlier review")
class RidesOnReview(ReviewGate):
    def with_task(self, memory: Memory, task: str) -> Memory:
        if memory.round_of(task).has_passed:
            return msgspec.structs.replace(memory, last=task)
        return super().with_task(memory, task)


@mutant("blind-overdue-one-by-one", "LK-REV-02", "reviewers that are overdue are launched anew one after another")
class OneByOne(ReviewGate):
    def late(self, found: Round) -> tuple[str, ...]:
        return found.missing[:1]


@mutant("blind-next-rung-when-overdue", "LK-REV-03", "who is launched anew for some falls back to haiku")
class NextRung(ReviewGate):
    def launches(self, names: tuple[str, ...]) -> tuple[Launch, ...]:
        model = MODEL if names == self.reviewers else "haiku"
        return tuple(Launch(LaunchKind.REVIEWER, name, model) for name in names)


@mutant("blind-critical-decides-at-once", "LK-REV-04", "a critical finding blocks before the others have returned")
class CriticalDecides(ReviewGate):
    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        after = super().returned(found, arguments)
        is_critical = any(each.severity.lower() == Severity.CRITICAL for each in arguments.issues)
        return msgspec.structs.replace(after, stage=DECIDED) if is_critical else after


@mutant("blind-late-report-counts-now", "LK-REV-04", "a report of the round before counts as one of this round")
class LateCounts(ReviewGate):
    def why_not(self, found: Round, arguments: ReportArguments) -> LogCode | None:
        this = max(found.number, arguments.round)
        return super().why_not(found, msgspec.structs.replace(arguments, round=this))


@mutant("blind-medium-fix-unreviewed", "LK-REV-05", "after fixes of medium findings nothing is reviewed again")
class MediumFix(ReviewGate):
    def reopened(self, memory: Memory, task: str) -> tuple[Memory, ReviewResult]:
        before = memory.round_of(task)
        if any(each.severity.lower() != Severity.MEDIUM for each in before.issues):
            return super().reopened(memory, task)
        after = Round(before.number + 1, DECIDED)
        return memory.with_round(task, after), self.told(after)
