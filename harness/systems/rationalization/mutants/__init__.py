"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of Watch, or of one of its parts (then the one attribute of the whole names
that part).
"""

from collections.abc import Mapping

from harness.systems.mutant import Mutant
from harness.systems.rationalization.mutants import assessing, enforcing, keeping, mentioning, saying, weather
from harness.systems.rationalization.mutants.table import TABLE

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (saying, mentioning, assessing, enforcing, keeping, weather)

MUTANTS: Mapping[str, Mutant] = TABLE.mutants
"""By name, in the order they were entered."""
create_mutant = TABLE.create
"""An implementation by its mutant's name, and a Configuration; UsageError when there is no such mutant."""
