"""The reference with one thing wrong, many times: at least once for every MUST clause."""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.fallback.contract import Configuration
from harness.systems.fallback.mutants import escalation, ladders, weather  # noqa: F401 - importing enters them
from harness.systems.fallback.mutants.table import TABLE
from harness.systems.fallback.reference import Fallback
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order of the document."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> Fallback:
    """One that is wrong in one way; UsageError when there is no such mutant."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no fallback mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, Fallback)  # noqa: S101
    return made
