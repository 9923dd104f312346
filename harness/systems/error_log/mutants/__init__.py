"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of ErrorLog, or of one of its parts (then the one attribute of the whole
names that part).
"""

from collections.abc import Mapping

from harness.systems.error_log.mutants import (
    categories,
    crashes,
    handling,
    procedures,
    progress,
    records,
    sessions,
    weather,
)
from harness.systems.error_log.mutants.table import TABLE
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (categories, records, sessions, progress, handling, procedures, weather, crashes)

MUTANTS: Mapping[str, Mutant] = TABLE.mutants
"""By name, in the order they were entered."""
create_mutant = TABLE.create
"""An implementation by its mutant's name, and a Configuration; UsageError when there is no such mutant."""
