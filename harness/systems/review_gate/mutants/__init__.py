"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of ReviewGate, or of its state (then the one attribute of the gate names
that part).
"""

from collections.abc import Mapping

from harness.systems.mutant import Mutant
from harness.systems.review_gate.mutants import beginning, crashes, deciding, forgetting, launching, weather
from harness.systems.review_gate.mutants.table import TABLE

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (beginning, launching, deciding, forgetting, weather, crashes)

MUTANTS: Mapping[str, Mutant] = TABLE.mutants
"""By name, in the order they were entered."""
create_mutant = TABLE.create
"""An implementation by its mutant's name, and a Configuration; UsageError when there is no such mutant."""
