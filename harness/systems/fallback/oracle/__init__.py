"""The oracle of fallbacks: findings from a history of rungs asked for and of facts that may call a human. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.clause import Catalogue
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems import stateless
from harness.systems.fallback.contract import OPERATIONS
from harness.systems.fallback.oracle import escalation, ladders  # noqa: F401 - importing the rules registers them
from harness.systems.fallback.oracle.rules import RULES
from harness.systems.standing import withheld

__all__ = ["judge", "permitted"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not.

    When a fault of the scenario could not be proven, what the scenario is meant for is not established by it.
    """
    view = tuple(call for call in stateless.calls(history, OPERATIONS) if call.binds)
    return withheld(RULES.judge(view, scenario, catalogue), scenario, history)


def permitted(
    scenario: Scenario, history: History, catalogue: Catalogue, alternatives: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """Those of ``alternatives`` in which the last operation may have ended; see stateless.permitted."""
    return stateless.permitted(judge, scenario, history, catalogue, alternatives)
