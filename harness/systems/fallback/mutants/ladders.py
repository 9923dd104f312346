"""Mutants of what is tried next: LK-FB-01, LK-FB-02."""

from collections.abc import Sequence

from harness.systems.fallback.contract import ESCALATE, MODEL_LADDER, WORKFLOW_LADDER, Ladder, NextArguments, NextResult
from harness.systems.fallback.mutants.table import mutant
from harness.systems.fallback.reference import Fallback


def _is_models(rungs: Sequence[str]) -> bool:
    return rungs == MODEL_LADDER


@mutant("sonnet-skipped", "LK-FB-01", "haiku comes after opus")
class SonnetSkipped(Fallback):
    def rungs(self, ladder: Ladder) -> Sequence[str]:
        return ("sonnet", "opus", "haiku", ESCALATE) if ladder is Ladder.MODEL else super().rungs(ladder)


@mutant("models-from-the-bottom", "LK-FB-01", "the ladder of models is gone up")
class ModelsFromTheBottom(Fallback):
    def rungs(self, ladder: Ladder) -> Sequence[str]:
        return ("haiku", "sonnet", "opus", ESCALATE) if ladder is Ladder.MODEL else super().rungs(ladder)


@mutant("haiku-for-ever", "LK-FB-01", "haiku is the last rung")
class HaikuForEver(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        return current if current == "haiku" else super().below(rungs, current)


@mutant("opus-again", "LK-FB-01", "after haiku comes opus")
class OpusAgain(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        return "opus" if current == "haiku" else super().below(rungs, current)


@mutant("models-wrap-around", "LK-FB-01", "after the human comes opus")
class ModelsWrapAround(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        return rungs[0] if _is_models(rungs) and current == ESCALATE else super().below(rungs, current)


@mutant("two-models-at-once", "LK-FB-01", "one failure goes down two rungs of the ladder of models")
class TwoModelsAtOnce(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        below = super().below(rungs, current)
        return super().below(rungs, below) if _is_models(rungs) else below


@mutant("models-counted-by-itself", "LK-FB-01", "the rung is how often a model failed, whatever failed")
class ModelsCountedByItself(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        if not _is_models(rungs):
            return super().below(rungs, current)
        failed: int = self.__dict__.get("failed", 0) + 1
        self.__dict__["failed"] = failed
        return rungs[min(failed, len(rungs) - 1)]


@mutant("unknown-models-begin-anew", "LK-FB-01", "a model that is on no rung is followed by opus")
class UnknownModelsBeginAnew(Fallback):
    def unknown(self, rungs: Sequence[str]) -> str:
        return rungs[0] if _is_models(rungs) else super().unknown(rungs)


@mutant("escalation-of-models-raises", "LK-FB-01", "asking what comes after the human is an error")
class EscalationOfModelsRaises(Fallback):
    def next(self, arguments: NextArguments, now_s: float = 0.0) -> NextResult:
        if arguments.ladder is Ladder.MODEL and arguments.current == ESCALATE:
            raise IndexError(arguments.current)
        return super().next(arguments, now_s)


@mutant("minimal-before-simpler", "LK-FB-02", "the minimal approach comes before the simpler one")
class MinimalBeforeSimpler(Fallback):
    def rungs(self, ladder: Ladder) -> Sequence[str]:
        return ("complex", "minimal", "simpler", ESCALATE) if ladder is Ladder.WORKFLOW else super().rungs(ladder)


@mutant("minimal-for-ever", "LK-FB-02", "the minimal approach is the last rung")
class MinimalForEver(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        return current if current == "minimal" else super().below(rungs, current)


@mutant("simpler-escalates", "LK-FB-02", "the simpler approach is the last before the human")
class SimplerEscalates(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        return ESCALATE if current == "simpler" else super().below(rungs, current)


@mutant("workflows-wrap-around", "LK-FB-02", "after the human comes the complex approach")
class WorkflowsWrapAround(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        return rungs[0] if rungs == WORKFLOW_LADDER and current == ESCALATE else super().below(rungs, current)


@mutant("complex-again", "LK-FB-02", "the complex approach is tried twice")
class ComplexAgain(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        first = current == "complex" and not self.__dict__.get("tried", False)
        self.__dict__["tried"] = current == "complex"
        return current if first else super().below(rungs, current)


@mutant("workflows-take-models", "LK-FB-02", "an approach on no rung is followed by the minimal one")
class WorkflowsTakeModels(Fallback):
    def unknown(self, rungs: Sequence[str]) -> str:
        return "minimal" if rungs == WORKFLOW_LADDER else super().unknown(rungs)
