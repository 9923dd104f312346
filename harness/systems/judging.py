"""An oracle, made of a system's rules: how a history is judged, and how its last operation may have ended. Pure."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from harness.core.clause import Catalogue
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems import stateless
from harness.systems.rules import Rules
from harness.systems.standing import withheld

Permitted = Callable[[Scenario, History, Catalogue, Sequence[Mapping[str, Any]]], tuple[Mapping[str, Any], ...]]
"""What gives those of some alternatives in which the last operation of a history may have ended."""
V = TypeVar("V")


def judging(rules: Rules[V], view: Callable[[Scenario, History], V]) -> stateless.Judge:
    """What gives one finding for each clause a history witnessed, as ``view`` shows the history to these rules.

    It is INCONCLUSIVE for those that the history was meant to witness and did not. When a fault of the scenario could
    not be proven, what the scenario is meant for is not established by it.
    """

    def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
        return withheld(rules.judge(view(scenario, history), scenario, catalogue), scenario, history)

    return judge


def permitting(judge: stateless.Judge) -> Permitted:
    """That of an oracle, by what it judges; see stateless.permitted."""
    return partial(stateless.permitted, judge)
