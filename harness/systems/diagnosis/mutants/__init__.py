"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of DiagnosticReflection, or of one of its parts (then the one attribute of
the whole names that part).
"""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.diagnosis.contract import Configuration
from harness.systems.diagnosis.mutants import (
    classifying,
    configured,
    crashes,
    learned,
    output,
    recovering,
    reflecting,
    remembering,
    telling,
    weather,
)
from harness.systems.diagnosis.mutants.table import TABLE
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection
from harness.systems.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (
    reflecting, output, classifying, recovering, telling, remembering, learned, configured, weather, crashes,
)  # fmt: skip

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order they were entered."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> DiagnosticReflection:
    """A reflection that is wrong in one way; UsageError when there is no such."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no mutant {name!r} of the diagnosis")
    made = found.factory(configuration, files)
    assert isinstance(made, DiagnosticReflection)  # noqa: S101
    return made
