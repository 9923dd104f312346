"""All rules of a simulation: the order in which mechanisms fire, and what holds of the whole at every instant."""

from collections.abc import Mapping

from harness.runtime.order import ORDER, Rule
from harness.simulation.invariants import INVARIANTS

RULES: Mapping[str, Rule] = {**ORDER, **INVARIANTS}
"""By id: INT of runtime, INV of the simulation."""
