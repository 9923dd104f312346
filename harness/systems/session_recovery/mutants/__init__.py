"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of SessionRecovery, or of one of its parts (then the one attribute of the
whole names that part).
"""

from collections.abc import Mapping

from harness.systems.mutant import Mutant
from harness.systems.session_recovery.mutants import crashes, operations, queues, recoveries, turns, weather
from harness.systems.session_recovery.mutants.table import TABLE

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (turns, queues, operations, recoveries, weather, crashes)

MUTANTS: Mapping[str, Mutant] = TABLE.mutants
"""By name, in the order they were entered."""
create_mutant = TABLE.create
"""An implementation by its mutant's name, and a Configuration; UsageError when there is no such mutant."""
