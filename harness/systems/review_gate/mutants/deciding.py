"""Mutants of what is decided, when, and of what."""

import msgspec

from harness.systems.review_gate.contract import (
    AnalysedArguments,
    Issue,
    Launch,
    LogCode,
    ReportArguments,
    ReviewResult,
    Severity,
)
from harness.systems.review_gate.mutants.table import mutant
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.state import ANALYSIS, DECIDED, REVIEWING, Memory, Round, Stage

Issues = tuple[Issue, ...]


@mutant("medium-passes", "LK-GEN-04", "a finding of severity medium does not block")
class MediumPasses(ReviewGate):
    def blocking(self, issues: Issues) -> Issues:
        return tuple(each for each in super().blocking(issues) if each.severity.lower() != Severity.MEDIUM)


@mutant("only-critical-blocks", "LK-GEN-04", "only critical findings block")
class OnlyCriticalBlocks(ReviewGate):
    def blocking(self, issues: Issues) -> Issues:
        return tuple(each for each in issues if each.severity.lower() == Severity.CRITICAL)


@mutant("low-blocks", "LK-GEN-04", "a finding of severity low blocks")
class LowBlocks(ReviewGate):
    def blocking(self, issues: Issues) -> Issues:
        return issues


@mutant("unknown-severities-pass", "LK-GEN-04", "what is none of the four severities does not block")
class UnknownSeveritiesPass(ReviewGate):
    def blocking(self, issues: Issues) -> Issues:
        known = frozenset(Severity)
        return tuple(each for each in super().blocking(issues) if each.severity.lower() in known)


@mutant("severities-in-one-case", "LK-GEN-04", "LOW is not low")
class SeveritiesInOneCase(ReviewGate):
    def blocking(self, issues: Issues) -> Issues:
        return tuple(each for each in issues if each.severity != Severity.LOW)


@mutant("analysis-finds-nothing", "LK-GEN-04", "what static analysis found does not block")
class AnalysisFindsNothing(ReviewGate):
    def analysis_ended(self, memory: Memory, arguments: AnalysedArguments, now_s: float) -> tuple[Memory, ReviewResult]:
        return super().analysis_ended(memory, msgspec.structs.replace(arguments, issues=()), now_s)


@mutant("the-last-reviewer-decides", "LK-GEN-04", "only the findings of the reviewer that returns last count")
class TheLastReviewerDecides(ReviewGate):
    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        return super().returned(msgspec.structs.replace(found, issues=()), arguments)


@mutant("findings-are-not-told", "LK-GEN-04", "it is not told what blocks")
class FindingsAreNotTold(ReviewGate):
    def told(self, found: Round, launch: tuple[Launch, ...] = ()) -> ReviewResult:
        return msgspec.structs.replace(super().told(found, launch), issues=())


@mutant("one-finding-is-told", "LK-GEN-04", "of what blocks one finding is told")
class OneFindingIsTold(ReviewGate):
    def told(self, found: Round, launch: tuple[Launch, ...] = ()) -> ReviewResult:
        answer = super().told(found, launch)
        return msgspec.structs.replace(answer, issues=answer.issues[:1])


@mutant("findings-outlive-their-fix", "LK-GEN-04", "what was fixed still blocks")
class FindingsOutliveTheirFix(ReviewGate):
    def analysis_ended(self, memory: Memory, arguments: AnalysedArguments, now_s: float) -> tuple[Memory, ReviewResult]:
        left = (Issue(Severity.HIGH, "It was so before"),) if arguments.round > 1 else ()
        return super().analysis_ended(
            memory, msgspec.structs.replace(arguments, issues=(*arguments.issues, *left)), now_s
        )


@mutant("two-decide", "LK-REV-04", "a round is decided when two have returned")
class TwoDecide(ReviewGate):
    def stage_after(self, missing: tuple[str, ...]) -> Stage:
        return REVIEWING if len(missing) > 1 else DECIDED


@mutant("nothing-is-ever-decided", "LK-REV-04", "a round is never decided")
class NothingIsEverDecided(ReviewGate):
    def stage_after(self, missing: tuple[str, ...]) -> Stage:
        return REVIEWING


@mutant("the-first-finding-decides", "LK-REV-04", "a round is blocked as soon as somebody finds what blocks")
class TheFirstFindingDecides(ReviewGate):
    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        after = super().returned(found, arguments)
        return msgspec.structs.replace(after, stage=DECIDED, missing=()) if after.issues else after


@mutant("returns-are-counted", "LK-REV-04", "three returns decide, whoever they are from")
class ReturnsAreCounted(ReviewGate):
    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        return super().returned(found, msgspec.structs.replace(arguments, reviewer=found.missing[0]))


@mutant("who-returns-again-is-heard-again", "LK-REV-04", "a reviewer may return a second time, with other findings")
class WhoReturnsAgainIsHeardAgain(ReviewGate):
    def why_not(self, found: Round, arguments: ReportArguments) -> LogCode | None:
        code = super().why_not(found, arguments)
        return None if code == LogCode.REPORTED_TWICE and found.stage == REVIEWING else code


@mutant("strangers-return", "LK-REV-04", "somebody who was not launched returns, and is heard")
class StrangersReturn(ReviewGate):
    def why_not(self, found: Round, arguments: ReportArguments) -> LogCode | None:
        code = super().why_not(found, arguments)
        return None if code == LogCode.REVIEWER_UNKNOWN else code


@mutant("returns-of-any-round", "LK-REV-04", "what is reported of the round before counts in this one")
class ReturnsOfAnyRound(ReviewGate):
    def why_not(self, found: Round, arguments: ReportArguments) -> LogCode | None:
        return super().why_not(found, msgspec.structs.replace(arguments, round=found.number))


@mutant("early-returns-count", "LK-REV-04", "a reviewer may return before static analysis has ended")
class EarlyReturnsCount(ReviewGate):
    def why_not(self, found: Round, arguments: ReportArguments) -> LogCode | None:
        code = super().why_not(found, arguments)
        return None if code == LogCode.REPORTED_EARLY and found.stage == ANALYSIS else code


@mutant("findings-are-told-early", "LK-REV-04", "what was found is told before all have returned")
class FindingsAreToldEarly(ReviewGate):
    def told(self, found: Round, launch: tuple[Launch, ...] = ()) -> ReviewResult:
        return msgspec.structs.replace(super().told(found, launch), issues=found.issues)


@mutant("minor-findings-pass", "LK-GEN-04", "what sounds harmless does not block")
class MinorFindingsPass(ReviewGate):
    def blocking(self, issues: Issues) -> Issues:
        harmless = ("minor", "trivial", "note", "none")
        return tuple(each for each in super().blocking(issues) if each.severity.lower() not in harmless)


@mutant("analysis-finds-nothing-again", "LK-GEN-04", "what static analysis found after a fix does not block")
class AnalysisFindsNothingAgain(ReviewGate):
    def analysis_ended(self, memory: Memory, arguments: AnalysedArguments, now_s: float) -> tuple[Memory, ReviewResult]:
        heard = arguments if arguments.round == 1 else msgspec.structs.replace(arguments, issues=())
        return super().analysis_ended(memory, heard, now_s)
