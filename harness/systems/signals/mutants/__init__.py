"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of Signals, or of one of its parts (then the one attribute of the whole
names that part).
"""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.mutant import Mutant
from harness.systems.signals.contract import Configuration
from harness.systems.signals.mutants import (
    asking,
    crashes,
    deciding,
    drifting,
    handing,
    healing,
    weather,
)
from harness.systems.signals.mutants.table import TABLE
from harness.systems.signals.reference.signals import Signals

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (drifting, asking, deciding, handing, healing, weather, crashes)

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order they were entered."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> Signals:
    """Signals that are wrong in one way; UsageError when there is no such."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no signals mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, Signals)  # noqa: S101
    return made
