"""The oracle of the profile ``gate``: findings from a history of checks, prompts and metrics. Pure."""

from harness.core.clause import Catalogue
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.stop_gate.oracle import (  # noqa: F401 - importing the rules registers them
    gate_answers,
    gate_checkers,
    gate_config,
    gate_files,
    gate_general,
    gate_session,
    gate_transcript,
)
from harness.systems.stop_gate.oracle.gate_rules import RULES
from harness.systems.stop_gate.oracle.gate_view import GateView


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not."""
    return RULES.judge(GateView(scenario, history), scenario, catalogue)
