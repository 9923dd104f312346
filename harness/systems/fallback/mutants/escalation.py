"""Mutants of when a human is called: LK-FB-03 to LK-FB-05."""

from collections.abc import Iterator

import msgspec

from harness.systems.fallback.contract import Decision, EscalationArguments, EscalationResult, Trigger
from harness.systems.fallback.mutants.table import mutant
from harness.systems.fallback.reference import Fallback


@mutant("limit-included", "LK-FB-03", "a confidence of exactly 0.40 calls a human")
class LimitIncluded(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        return super().is_unsure(facts) or facts.confidence == self.limit(facts.decision)


@mutant("limit-rounded", "LK-FB-03", "a confidence is rounded to six digits before it is compared")
class LimitRounded(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        known = facts.confidence is not None
        return super().is_unsure(
            msgspec.structs.replace(facts, confidence=round(facts.confidence or 0, 6)) if known else facts
        )


@mutant("low-limit-everywhere", "LK-FB-03", "the limit is 0.30 whatever is decided")
class LowLimitEverywhere(Fallback):
    def limit(self, decision: Decision) -> float:
        return 0.30


@mutant("high-limit-everywhere", "LK-FB-03", "the limit is 0.40 for recovery strategies too")
class HighLimitEverywhere(Fallback):
    def limit(self, decision: Decision) -> float:
        return 0.40


@mutant("critical-like-recovery", "LK-FB-03", "critical decisions have the limit of recovery strategies")
class CriticalLikeRecovery(Fallback):
    def limit(self, decision: Decision) -> float:
        return super().limit(Decision.GENERAL if decision is Decision.GENERAL else Decision.RECOVERY_STRATEGY)


@mutant("confidence-ignored", "LK-FB-03", "no confidence calls a human")
class ConfidenceIgnored(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        return False


@mutant("zero-is-unknown", "LK-FB-03", "a confidence of zero counts as none told")
class ZeroIsUnknown(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        return bool(facts.confidence) and super().is_unsure(facts)


@mutant("unknown-confidence-calls", "LK-FB-03", "without a confidence a human is called")
class UnknownConfidenceCalls(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        return facts.confidence is None or super().is_unsure(facts)


@mutant("two-failures-suffice", "LK-FB-04", "the second failure in a row calls a human")
class TwoFailuresSuffice(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        return facts.consecutive_failures >= 2


@mutant("more-than-three-failures", "LK-FB-04", "the fourth failure in a row is the first to call a human")
class MoreThanThreeFailures(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        return facts.consecutive_failures > 3


@mutant("third-failure-only", "LK-FB-04", "only the third failure in a row calls a human, no later one")
class ThirdFailureOnly(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        return facts.consecutive_failures == 3


@mutant("five-failures", "LK-FB-04", "a human is called when the dead letter queue takes the task")
class FiveFailures(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        return facts.consecutive_failures >= 5


@mutant("askings-counted", "LK-FB-04", "every third question about failures calls a human")
class AskingsCounted(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        asked = self.__dict__.get("asked", 0) + 1 if facts.consecutive_failures else 0
        self.__dict__["asked"] = asked
        return super().has_failed(facts) or asked >= 3


@mutant("security-ignored", "LK-FB-05", "a security-critical decision calls nobody")
class SecurityIgnored(Fallback):
    def is_security_critical(self, facts: EscalationArguments) -> bool:
        return False


@mutant(
    "security-only-when-irreversible", "LK-FB-05", "a security-critical decision that can be taken back calls nobody"
)
class SecurityOnlyWhenIrreversible(Fallback):
    def is_security_critical(self, facts: EscalationArguments) -> bool:
        return facts.security_critical and facts.irreversible


@mutant("rollback-ignored", "LK-FB-05", "an irreversible operation with a clear rollback calls a human")
class RollbackIgnored(Fallback):
    def is_irreversible(self, facts: EscalationArguments) -> bool:
        return facts.irreversible


@mutant("unknown-rollback-is-clear", "LK-FB-05", "a rollback that nobody knows of counts as a clear one")
class UnknownRollbackIsClear(Fallback):
    def is_irreversible(self, facts: EscalationArguments) -> bool:
        return facts.irreversible and facts.rollback is False


@mutant("reversible-needs-a-rollback", "LK-FB-05", "without a rollback every operation calls a human")
class ReversibleNeedsARollback(Fallback):
    def is_irreversible(self, facts: EscalationArguments) -> bool:
        return super().is_irreversible(facts) or facts.rollback is False


@mutant("danger-hides-behind-failures", "LK-FB-05", "a trigger is named only when none before it is")
class DangerHidesBehindFailures(Fallback):
    def triggers(self, facts: EscalationArguments) -> Iterator[Trigger]:
        found = list(super().triggers(facts))
        dangers = (Trigger.SECURITY_CRITICAL, Trigger.IRREVERSIBLE)
        yield from (each for each in found if each not in dangers or found[0] in dangers)


@mutant("named-and-not-called", "LK-FB-05", "what cannot be taken back is named, and nobody called")
class NamedAndNotCalled(Fallback):
    def escalation(self, arguments: EscalationArguments, now_s: float = 0.0) -> EscalationResult:
        result = super().escalation(arguments, now_s)
        quiet = result.triggers == (Trigger.IRREVERSIBLE,)
        return EscalationResult(False, result.triggers, result.log) if quiet else result
