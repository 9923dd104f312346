"""Does a decision need a human? When to Create (LK-HR-02 to LK-HR-04). Pure."""

from collections.abc import Iterator

from harness.systems.signals.contract import (
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    COST_LIMIT_USD_PER_HOUR,
    AssessArguments,
    AssessResult,
    Reason,
)


class Assessor:
    """The six reasons, one method each."""

    def assess(self, facts: AssessArguments) -> AssessResult:
        """Every reason that holds."""
        reasons = tuple(self.reasons(facts))
        return AssessResult(bool(reasons), reasons)

    def reasons(self, facts: AssessArguments) -> Iterator[Reason]:
        """They, in the order of the document."""
        held = {
            Reason.LOW_CONFIDENCE: self.is_unsure(facts.confidence, critical=facts.critical),
            Reason.SECURITY_DECISION: self.is_security(critical=facts.security_critical),
            Reason.IRREVERSIBLE_OPERATION: self.is_irreversible(facts.rollback, irreversible=facts.irreversible),
            Reason.REPEATED_FAILURES: self.has_failed(facts.consecutive_failures),
            Reason.AMBIGUOUS_REQUIREMENTS: self.is_ambiguous(ambiguous=facts.ambiguous, blocks=facts.blocks),
            Reason.COST: self.is_expensive(facts.cost_usd_per_hour),
        }
        return (reason for reason, holds in held.items() if holds)

    def is_unsure(self, confidence: float | None, *, critical: bool) -> bool:
        """A confidence in [0, 1] below the limit, on a critical decision."""
        return critical and confidence is not None and confidence < CONFIDENCE_LIMIT

    def is_security(self, *, critical: bool) -> bool:
        """A security-critical operation."""
        return critical

    def is_irreversible(self, rollback: bool | None, *, irreversible: bool) -> bool:
        """An irreversible operation without a clear rollback: one that nobody knows of is none."""
        return irreversible and rollback is not True

    def has_failed(self, consecutive_failures: int) -> bool:
        """Three or more consecutive failures on the task."""
        return consecutive_failures >= CONSECUTIVE_FAILURES

    def is_ambiguous(self, *, ambiguous: bool, blocks: bool) -> bool:
        """Ambiguous requirements that block progress."""
        return ambiguous and blocks

    def is_expensive(self, cost_usd_per_hour: float | None) -> bool:
        """A cost above the limit, in USD per hour."""
        return cost_usd_per_hour is not None and cost_usd_per_hour > COST_LIMIT_USD_PER_HOUR
