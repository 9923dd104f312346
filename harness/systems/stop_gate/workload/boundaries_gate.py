"""The boundaries of the profile gate: each clause in its own simplest situation, and both sides of every limit.

Every "must not" stands beside a "must": checks of sessions with nothing wrong, one that is blocked and one that is
approved, come first.
"""

from harness.core.scenario import Scenario
from harness.systems.stop_gate.workload.gate_analysis import analysis_boundaries
from harness.systems.stop_gate.workload.gate_inputs import input_boundaries
from harness.systems.stop_gate.workload.gate_sessions import session_boundaries


def gate_boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of level L1 for the profile gate, in a fixed order."""
    return (*input_boundaries(), *session_boundaries(), *analysis_boundaries())
