"""The oracle of a circuit breaker: a history becomes findings about clauses, in every permitted reading. Pure."""

from harness.core.clause import Catalogue
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.oracle.rules import RULES, follow
from harness.systems.judging import permitting
from harness.systems.linearizable import BeyondBoundError
from harness.systems.standing import withheld

__all__ = ["judge", "permitted"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not.

    When a fault of the scenario could not be proven, or more operations overlap than can be put in order, what the
    scenario is meant for is not established by it.
    """
    try:
        view = follow(scenario, history)
    except BeyondBoundError as error:
        return tuple(Finding(name, CheckVerdict.INCONCLUSIVE, reason=str(error)) for name in scenario.clauses)
    return withheld(RULES.judge(view, scenario, catalogue), scenario, history)


permitted = permitting(judge)
"""Those alternatives in which the last operation may have ended."""
