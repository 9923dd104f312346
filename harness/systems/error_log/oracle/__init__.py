"""The oracle of an error log: a history becomes findings about clauses, in every permitted reading. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.clause import Catalogue
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems import stateless
from harness.systems.error_log.oracle.rules import RULES, View
from harness.systems.standing import withheld

__all__ = ["judge", "permitted"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not.

    When a fault of the scenario could not be proven, what the scenario is meant for is not established by it.
    """
    return withheld(RULES.judge(View(history), scenario, catalogue), scenario, history)


def permitted(
    scenario: Scenario, history: History, catalogue: Catalogue, alternatives: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """Those of ``alternatives`` in which the last operation may have ended; see stateless.permitted."""
    return stateless.permitted(judge, scenario, history, catalogue, alternatives)
