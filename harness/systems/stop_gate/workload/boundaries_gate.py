"""The enumerated scenarios of the profile gate, level by level.

L1: each clause in its own simplest situation, and both sides of every limit. Every "must not" stands beside a "must":
checks of sessions with nothing wrong, one that is blocked and one that is approved, come first. L2: see gate_tours.
"""

from harness.core.scenario import Scenario
from harness.systems.stop_gate.workload.gate_analysis import analysis_boundaries
from harness.systems.stop_gate.workload.gate_inputs import input_boundaries
from harness.systems.stop_gate.workload.gate_sessions import session_boundaries
from harness.systems.stop_gate.workload.gate_tours import tours
from harness.systems.stop_gate.workload.level3_gate import level3_gate


def gate_boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of both levels for the profile gate, in a fixed order."""
    return (*input_boundaries(), *session_boundaries(), *analysis_boundaries(), *tours(), *level3_gate())
