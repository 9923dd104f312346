"""The oracle of the stop gate: a history of either profile becomes findings about clauses. Pure."""

from importlib import import_module

from harness.core.clause import Catalogue
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.standing import withheld
from harness.systems.stop_gate.contract import GATE
from harness.systems.stop_gate.oracle.permitted import permitted
from harness.systems.stop_gate.oracle.weather import excuse

__all__ = ["excuse", "judge", "permitted"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not.

    When a fault of the scenario could not be proven, what the scenario is meant for is not established by it.
    """
    # Each profile's rules are loaded when first asked for: a run of one does not need the other.
    name = "gate" if scenario.profile == GATE else "stop_hook"
    room = import_module(f"harness.systems.stop_gate.oracle.{name}")
    return withheld(room.judge(scenario, history, catalogue), scenario, history)
