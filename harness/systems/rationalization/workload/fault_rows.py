"""Which faults of the fault table can strike the watch, and where: one table. It keeps one file, and asks nobody."""

from collections.abc import Iterator

from harness.systems.fault_kinds import (
    HARMLESS,
    IDENTIFIERS,
    NO_IDENTIFIERS,
    PASSING,
    STANDING,
    STANDING_ABOVE,
    UNSTEADY,
)
from harness.systems.fault_rows import Row, files, full, identifiers, lines, locks, row, surroundings, times
from harness.systems.file_faults import directory_of
from harness.systems.rationalization.contract import ATTEMPTS_PATH, EPISODIC_DIRECTORY
from harness.systems.rationalization.workload.watch_steps import OTHER_AGENT
from harness.systems.search import Places

MEMORY = directory_of(EPISODIC_DIRECTORY)


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from lines("attempts", "damaged", ATTEMPTS_PATH)
    yield from files("attempts", "damaged", ATTEMPTS_PATH, *PASSING, "parent_missing", suffix="file")
    yield from files("attempts", "harmless", ATTEMPTS_PATH, *HARMLESS)
    yield from files("attempts", "unlogged", ATTEMPTS_PATH, *STANDING)
    yield from files("attempts", "unlogged", ATTEMPTS_PATH, *UNSTEADY)
    yield from files("directory", "damaged", EPISODIC_DIRECTORY, "missing")
    yield from files("directory", "unlogged", EPISODIC_DIRECTORY, *STANDING_ABOVE)
    yield from files("directory", "unlogged", EPISODIC_DIRECTORY, "vanishing")
    yield from full("directory", "unlogged", EPISODIC_DIRECTORY, 0, 40)
    yield from files("memory", "unbegun", MEMORY, "file_for_directory", "not_writable")
    yield from surroundings(times("moved"), locks({"attempts": ATTEMPTS_PATH}), "unlogged", 100)
    yield from _identifiers()


def _identifiers() -> Iterator[Row]:
    for field in ("text", "agent", "action"):
        yield from identifiers(field, "named", field, IDENTIFIERS)
        yield from identifiers(field, "named", field, NO_IDENTIFIERS)
    yield row("agent", "named", "identifier.other_session", field="agent", value=OTHER_AGENT)


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
