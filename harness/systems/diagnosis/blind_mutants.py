"""Mutants of the diagnostic reflection written from document 001 alone, without a look at what judges them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ulid import ULID

from harness.systems.diagnosis.contract import ErrorType, Severity
from harness.systems.diagnosis.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.diagnosis.reference.composing import Composing
from harness.systems.diagnosis.reference.context_log import ContextLog
from harness.systems.diagnosis.reference.flags import Flags
from harness.systems.diagnosis.reference.indications import WORDS
from harness.systems.diagnosis.reference.planner import Attempt, Plan, Planner
from harness.systems.diagnosis.reference.prompt import Prompt
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.reflection import ENTROPY_BYTES, DiagnosticReflection
from harness.systems.diagnosis.reference.steps import Case, Strategy
from harness.systems.diagnosis.reference.strategies import Strategies
from harness.systems.diagnosis.reference.taxonomy import Taxonomy
from harness.systems.mutant import Mutant

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

TRUSTED = 0.8


@mutant("refused-connection-is-refused-access", "DR-CLS-09", "takes ECONNREFUSED for an access that was denied")
class RefusedConnectionIsRefusedAccess(Taxonomy):
    """Reads "refused" as refused access to a resource."""

    words: Mapping[str, ErrorType] = {**WORDS, "ECONNREFUSED": ErrorType.PERMISSION_DENIED}


@mutant("empty-allowlist-allows-all", "DR-CLS-03", "takes an empty list of available tools for one that nobody gave")
class EmptyAllowlistAllowsAll(Taxonomy):
    """An empty list is falsy."""

    def is_available(self, failure: Failure) -> bool:
        """May the tool be used?"""
        return not failure.available or failure.tool in failure.available


@mutant("ulid-tail-from-the-clock", "DR-OUT-01", "gives two diagnoses of one millisecond the same id")
class UlidTailFromTheClock(DiagnosticReflection):
    """The rest of the ULID follows from the time."""

    def ulid(self, at_ms: int) -> str:
        """A ULID of that time."""
        tail = hashlib.sha256(str(at_ms).encode()).digest()[:ENTROPY_BYTES]
        return str(ULID(at_ms.to_bytes(6, "big") + tail))


@mutant("any-alternative-recovers", "DR-OUT-05", "says canRecover where all that is left is to ask the user")
class AnyAlternativeRecovers(Composing):
    """Counts the alternatives without a look at their tools."""

    def can_recover(self, alternatives: Sequence[Strategy], severity: Severity) -> bool:
        """Is there a strategy?"""
        return severity is not Severity.FATAL and len(alternatives) > 0


@mutant("few-tools-few-alternatives", "DR-OUT-06", "gives fewer than three alternatives where tools are scarce")
class FewToolsFewAlternatives(Strategies):
    """Asks the user in one way only."""

    def of(self, case: Case) -> tuple[Strategy, ...]:
        """Those of the template that tools can take, and to ask."""
        found = [strategy for strategy in self.named(case) if not self.repeats(strategy, case)]
        return (*found, self.asking(case)[-1])


@mutant("second-chance-for-trusted", "DR-TRG-04", "proposes a promising strategy again after it has failed")
class SecondChanceForTrusted(Planner):
    """A strategy of high confidence is tried twice."""

    def after_failure(self, plan: Plan, attempts: list[Attempt], most_attempts: int) -> Plan:
        """The plan to go on with."""
        tried = [attempt for attempt in attempts if attempt.strategy == plan.strategy.name]
        if len(tried) == 1 and plan.strategy.confidence >= TRUSTED and not self.is_over(attempts, most_attempts):
            return plan
        return super().after_failure(plan, attempts, most_attempts)


@mutant("attempts-counted-in-iterations", "DR-REC-07", "counts the iterations of recoveries as so many attempts")
class AttemptsCountedInIterations(Planner):
    """One recovery that took two iterations uses up two attempts."""

    def is_over(self, attempts: list[Attempt], most_attempts: int) -> bool:
        """Have as many attempts failed as are allowed?"""
        return sum(max(attempt.iterations, 1) for attempt in attempts if not attempt.success) >= most_attempts


@mutant("prompt-hides-who-to-ask", "DR-PRM-01", "leaves the alternatives that ask the user out of the prompt")
class PromptHidesWhoToAsk(Prompt):
    """Lists only what the agent can do itself."""

    def reflection(self, diagnosis: Mapping[str, Any], plan: Plan) -> str:
        """What the next reflection reads."""
        asking = tuple(f"  - {each['strategy']}: " for each in diagnosis["alternatives"] if not each["tools"])
        lines = super().reflection(diagnosis, plan).split("\n")
        return "\n".join(each for each in lines if not each.startswith(asking))


@mutant("event-names-top-alternative", "DR-LOG-02", "names the first alternative in the event, not the plan's strategy")
class EventNamesTopAlternative(ContextLog):
    """They differ once something was learned, and when no attempt is allowed."""

    def metadata(self, diagnosis: Mapping[str, Any], tool: str) -> dict[str, Any]:
        """What the diagnosis says, in short."""
        return {
            **super().metadata(diagnosis, tool),
            "recovery_strategy": diagnosis["alternatives"][0]["strategy"],
        }


@mutant("episode-keeps-the-estimate", "DR-MEM-02", "stores the iterations that were estimated, not those it took")
class EpisodeKeepsTheEstimate(Composing):
    """Takes iterations_to_success from the strategy."""

    def episode(
        self,
        diagnosis: Mapping[str, Any],
        tool: str,
        trigger: str,
        strategy: Strategy,
        attempt: Attempt,
        trust: tuple[float, float],
    ) -> dict[str, Any]:
        """A line of the episodic memory."""
        estimated = attempt._replace(iterations=strategy.iterations)
        return super().episode(diagnosis, tool, trigger, strategy, estimated, trust)


@mutant("rule-told-when-it-works", "DR-LRN-01", "does not tell what was learned with a failure that lowers its trust")
class RuleToldWhenItWorks(Composing):
    """The confidence in the memory stays what it was after the last success."""

    def session_record(
        self,
        diagnosis: Mapping[str, Any],
        attempts: Sequence[Attempt],
        learned: Mapping[str, Any] | None,
        *,
        full: bool,
    ) -> dict[str, Any]:
        """A line of the session memory."""
        told = learned if attempts and attempts[-1].success else None
        return super().session_record(diagnosis, attempts, told, full=full)


@mutant("depth-of-none-is-default", "DR-CFG-02", "takes a depth of 0 for one that is not set")
class DepthOfNoneIsDefault(Flags):
    """Zero is falsy."""

    def depth(self, text: str) -> int | None:
        """How many whys are asked."""
        return super().depth(text) or None
