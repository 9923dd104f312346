"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of DeadLetter, or of one of its parts (then the one attribute of the whole
names that part).
"""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.dead_letter.contract import Configuration
from harness.systems.dead_letter.mutants import crashes, deciding, escalating, letters, reviewing, weather
from harness.systems.dead_letter.mutants.table import TABLE
from harness.systems.dead_letter.reference.dead_letter import DeadLetter
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (letters, deciding, reviewing, escalating, weather, crashes)

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order they were entered."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> DeadLetter:
    """A dead-letter queue that is wrong in one way; UsageError when there is no such."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no dead-letter mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, DeadLetter)  # noqa: S101
    return made
