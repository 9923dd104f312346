"""The reference with one thing wrong, many times: at least once for every MUST clause."""

from collections.abc import Mapping

from harness.systems.fallback.mutants import escalation, ladders, weather  # noqa: F401 - importing enters them
from harness.systems.fallback.mutants.table import TABLE
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

MUTANTS: Mapping[str, Mutant] = TABLE.mutants
"""By name, in the order of the document."""
create_mutant = TABLE.create
"""An implementation by its mutant's name, and a Configuration; UsageError when there is no such mutant."""
