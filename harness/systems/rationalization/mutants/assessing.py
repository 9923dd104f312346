"""Mutants of behaviours that no phrase shows: facts that are not minded, and excuses that do not count, or all do."""

from harness.systems.rationalization.contract import (
    AssessArguments,
    AssessResult,
    Behaviour,
    Scope,
    Verification,
)
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.watch import Claims, Watch


@mutant("growth-needs-no-justification", "LK-RAT-04", "scope that grew is no red flag")
class GrowthNeedsNoJustification(Watch):
    def of_scope(self, scope: Scope) -> Claims:
        return super().of_scope(scope)[1:]


@mutant("justified-growth-is-flagged", "LK-RAT-04", "scope that grew with a justification is a red flag")
class JustifiedGrowthIsFlagged(Watch):
    def of_scope(self, scope: Scope) -> Claims:
        return (Behaviour.UNJUSTIFIED_EXPANSION, scope.expanded, False), *super().of_scope(scope)[1:]


@mutant("any-word-about-scope-is-enough", "LK-RAT-04", "a justification makes up for undocumented limitations")
class AnyWordAboutScopeIsEnough(Watch):
    def of_scope(self, scope: Scope) -> Claims:
        said = scope.justified or scope.documented or scope.announced
        return tuple((behaviour, done, excused or said) for behaviour, done, excused in super().of_scope(scope))


@mutant("dismissed-checks-are-dismissed", "LK-RAT-05", "a failed check that is called irrelevant is no red flag")
class DismissedChecksAreDismissed(Watch):
    def of_verification(self, facts: Verification) -> Claims:
        return tuple(each for each in super().of_verification(facts) if each[0] is not Behaviour.DISMISSED_CHECK)


@mutant("tests-prove-everything", "LK-RAT-05", "that tests were run makes up for every claim")
class TestsProveEverything(Watch):
    def of_verification(self, facts: Verification) -> Claims:
        found = super().of_verification(facts)
        return tuple((behaviour, done, excused or facts.tests_run) for behaviour, done, excused in found)


@mutant("announced-scope-proves-claims", "LK-RAT-05", "who announces another scope needs no evidence")
class AnnouncedScopeProvesClaims(Watch):
    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        found = super().assess(arguments, now_s)
        is_proven = arguments.scope.announced
        left = (each for each in found.behaviours if not is_proven or each is not Behaviour.UNPROVEN_SUCCESS)
        return AssessResult(tuple(left), found.log)


@mutant("evidence-justifies-growth", "LK-RAT-04", "who shows evidence needs no justification")
class EvidenceJustifiesGrowth(Watch):
    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        found = super().assess(arguments, now_s)
        is_shown = arguments.verification.evidence_shown
        left = (each for each in found.behaviours if not is_shown or each is not Behaviour.UNJUSTIFIED_EXPANSION)
        return AssessResult(tuple(left), found.log)
