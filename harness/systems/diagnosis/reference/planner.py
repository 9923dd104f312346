"""Which strategy is in force, what comes after it, and when the user is asked. Source: 001, Open Questions 2."""

from typing import Any, NamedTuple

from harness.systems.diagnosis.reference.steps import Step, Strategy

HIGHEST_PRIORITY = 1


class Attempt(NamedTuple):
    """A strategy that was tried, and the iterations it took."""

    strategy: str
    success: bool
    iterations: int


class Plan(NamedTuple):
    """The strategy in force and those left after it, in order; the last of all asks the user."""

    strategy: Strategy
    rest: tuple[Strategy, ...]

    def as_json(self) -> dict[str, Any]:
        """The recoveryPlan of a diagnosis."""
        return {
            "priority": HIGHEST_PRIORITY,
            "strategy": self.strategy.name,
            "steps": [_step(step) for step in self.strategy.steps],
            "fallbackChain": [strategy.name for strategy in self.rest],
        }


class Planner:
    """Plans from alternatives, as many attempts as are allowed for a failure (our reading of DR-REC-07)."""

    def first(self, alternatives: tuple[Strategy, ...], preferred: str | None, most_attempts: int) -> Plan:
        """The plan to begin with: the preferred alternative or the first; to ask when no attempt is allowed."""
        chosen = next((each for each in alternatives if each.name == preferred), alternatives[0])
        if most_attempts <= 0 or chosen.asks:
            return self.asking(alternatives)
        return Plan(chosen, self.others(chosen, alternatives))

    def others(self, chosen: Strategy, alternatives: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
        """The fallback chain: the other alternatives in their order."""
        return tuple(each for each in alternatives if each is not chosen)

    def after_failure(self, plan: Plan, attempts: list[Attempt], most_attempts: int) -> Plan:
        """The plan to go on with after the strategy in force has failed."""
        if self.is_over(attempts, most_attempts) or not plan.rest:
            return self.asking((plan.strategy, *plan.rest))
        return Plan(plan.rest[0], plan.rest[1:])

    def is_over(self, attempts: list[Attempt], most_attempts: int) -> bool:
        """Have as many attempts failed as are allowed?"""
        return sum(not attempt.success for attempt in attempts) >= most_attempts

    def asking(self, alternatives: tuple[Strategy, ...]) -> Plan:
        """The plan of asking the user."""
        return Plan(alternatives[-1], ())


def _step(step: Step) -> dict[str, Any]:
    return {"action": step.action, "tool": step.tool, "args": dict(step.args), "expectedOutcome": step.expected}
