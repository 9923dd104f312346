"""The oracle of the stop gate: a history of either profile becomes findings about clauses. Pure."""

from importlib import import_module

from harness.core.clause import Catalogue
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import GATE
from harness.systems.stop_gate.oracle.permitted import permitted
from harness.systems.stop_gate.oracle.weather import unproven

__all__ = ["judge", "permitted"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not.

    When a fault of the scenario could not be proven, what the scenario is meant for is not established by it.
    """
    # Each profile's rules are loaded when first asked for: a run of one does not need the other.
    name = "gate" if scenario.profile == GATE else "stop_hook"
    room = import_module(f"harness.systems.stop_gate.oracle.{name}")
    findings: tuple[Finding, ...] = room.judge(scenario, history, catalogue)
    why = unproven(history)
    return tuple(_withheld(finding, scenario, why) for finding in findings) if why else findings


def _withheld(finding: Finding, scenario: Scenario, why: str) -> Finding:
    if finding.clause not in scenario.clauses or finding.verdict in (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR):
        return finding
    return Finding(finding.clause, CheckVerdict.INCONCLUSIVE, reason=why)
