"""The oracle of the stop gate: a history of either profile becomes findings about clauses. Pure."""

from importlib import import_module

from harness.core.clause import Catalogue
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import GATE

__all__ = ["judge"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not."""
    # Each profile's rules are loaded when first asked for: a run of one does not need the other.
    name = "gate" if scenario.profile == GATE else "stop_hook"
    room = import_module(f"harness.systems.stop_gate.oracle.{name}")
    return room.judge(scenario, history, catalogue)  # type: ignore[no-any-return]  # rooms are found by name
