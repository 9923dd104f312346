"""The reference with one thing wrong, many times: at least once for every MUST clause."""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.mutant import Mutant
from harness.systems.rate_limit.contract import Configuration
from harness.systems.rate_limit.mutants import detection, strategy, weather  # noqa: F401 - importing enters them
from harness.systems.rate_limit.mutants.table import TABLE
from harness.systems.rate_limit.reference import RateLimit

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order of the document."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> RateLimit:
    """One that is wrong in one way; UsageError when there is no such mutant."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no rate limit mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, RateLimit)  # noqa: S101
    return made
