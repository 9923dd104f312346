"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of ErrorLog, or of one of its parts (then the one attribute of the whole
names that part).
"""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.error_log.contract import Configuration
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
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (categories, records, sessions, progress, handling, procedures, weather, crashes)

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order they were entered."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> ErrorLog:
    """An error log that is wrong in one way; UsageError when there is no such."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no error log mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, ErrorLog)  # noqa: S101
    return made
