"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of CircuitBreakers, or of one of its parts (then the one attribute of the
whole names that part).
"""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.circuit_breaker.contract import Configuration
from harness.systems.circuit_breaker.mutants import (
    closed,
    crashes,
    half_open,
    kept_file,
    open_state,
    recovery,
    weather,
    whole,
)
from harness.systems.circuit_breaker.mutants.table import TABLE
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (whole, kept_file, closed, open_state, half_open, recovery, weather, crashes)

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order they were entered."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> CircuitBreakers:
    """Breakers that are wrong in one way; UsageError when there are no such breakers."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no circuit breaker mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, CircuitBreakers)  # noqa: S101
    return made
