"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of SessionRecovery, or of one of its parts (then the one attribute of the
whole names that part).
"""

from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.files import Files
from harness.systems.mutant import Mutant
from harness.systems.session_recovery.contract import Configuration
from harness.systems.session_recovery.mutants import crashes, operations, queues, recoveries, turns, weather
from harness.systems.session_recovery.mutants.table import TABLE
from harness.systems.session_recovery.reference.session import SessionRecovery

__all__ = ["MUTANTS", "Mutant", "create_mutant"]

_ROOMS = (turns, queues, operations, recoveries, weather, crashes)

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order they were entered."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> SessionRecovery:
    """A session that is wrong in one way; UsageError when there is no such."""
    found = MUTANTS.get(name)
    if found is None:
        raise UsageError(f"there is no session recovery mutant {name!r}")
    made = found.factory(configuration, files)
    assert isinstance(made, SessionRecovery)  # noqa: S101
    return made
