"""Mutants of the fallback system written from document 000 alone, without a look at what judges them."""

# ruff: noqa: D101, D102 -- each says what is wrong in its decorator, as the others do

from collections.abc import Mapping, Sequence

from harness.systems.fallback.contract import (
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    ESCALATE,
    MODEL_LADDER,
    RECOVERY_CONFIDENCE_LIMIT,
    WORKFLOW_LADDER,
    Decision,
    EscalationArguments,
)
from harness.systems.fallback.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.fallback.reference.fallback import Fallback
from harness.systems.mutant import Mutant

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

DEAD_LETTER_FAILURES = 5


@mutant("models-never-climb-back", "LK-FB-01", "a model that was gone below once is not tried again for another task")
class ModelsNeverClimbBack(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        following = super().below(rungs, current)
        if rungs is not MODEL_LADDER:
            return following
        lowest: str = getattr(self, "_lowest", following)
        self._lowest = max(lowest, following, key=rungs.index)
        return self._lowest


@mutant("workflow-begins-again", "LK-FB-02", "after the human the complex approach comes again")
class WorkflowBeginsAgain(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        if rungs is WORKFLOW_LADDER and current == ESCALATE:
            return rungs[0]
        return super().below(rungs, current)


@mutant("critical-like-recovery", "LK-FB-03", "on critical decisions the limit of recovery strategies, 0.30, applies")
class CriticalLikeRecovery(Fallback):
    def limit(self, decision: Decision) -> float:
        return CONFIDENCE_LIMIT if decision is Decision.GENERAL else RECOVERY_CONFIDENCE_LIMIT


@mutant("no-confidence-is-unknown", "LK-FB-03", "a confidence of zero is taken for one that was not told")
class NoConfidenceIsUnknown(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        if not facts.confidence:
            return False
        return super().is_unsure(facts)


@mutant("dead-letters-need-no-human", "LK-FB-04", "from the fifth failure on it is left to the dead letter queue")
class DeadLettersNeedNoHuman(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        return CONSECUTIVE_FAILURES <= facts.consecutive_failures < DEAD_LETTER_FAILURES


@mutant("recovering-forgives-failures", "LK-FB-04", "failures do not count where a recovery strategy is being chosen")
class RecoveringForgivesFailures(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        return facts.decision is not Decision.RECOVERY_STRATEGY and super().has_failed(facts)


@mutant("rollback-unknown-is-fine", "LK-FB-05", "an irreversible operation triggers only when a rollback is ruled out")
class RollbackUnknownIsFine(Fallback):
    def is_irreversible(self, facts: EscalationArguments) -> bool:
        return facts.irreversible and facts.rollback is False


@mutant("rollback-calms-security", "LK-FB-05", "a security-critical decision that has a rollback triggers nothing")
class RollbackCalmsSecurity(Fallback):
    def is_security_critical(self, facts: EscalationArguments) -> bool:
        return facts.security_critical and facts.rollback is not True
