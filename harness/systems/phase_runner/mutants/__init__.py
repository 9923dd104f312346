"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of PhaseRunner, or of a class that it, or one of its parts, is made of.
"""

from collections.abc import Mapping

from harness.systems.mutant import Mutant
from harness.systems.phase_runner.mutants import (
    clocks,
    conflicting,
    crashes,
    failing,
    halting,
    planning,
    recording,
    resuming,
    retrying,
    weather,
)
from harness.systems.phase_runner.mutants.table import TABLE

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (failing, retrying, recording, halting, conflicting, planning, resuming, weather, clocks, crashes)

MUTANTS: Mapping[str, Mutant] = TABLE.mutants
"""By name, in the order they were entered."""
create_mutant = TABLE.create
"""An implementation by its mutant's name, and a Configuration; UsageError when there is no such mutant."""
