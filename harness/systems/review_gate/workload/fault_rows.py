"""Which faults of the fault table can strike a review gate, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator

from harness.systems.fault_kinds import HARMLESS, NO_IDENTIFIERS, PASSING, STANDING, STANDING_ABOVE, UNSTEADY
from harness.systems.fault_rows import Row, documents, files, full, identifiers, locks, row, surroundings, times
from harness.systems.review_gate.contract import GATE_PATH, STATE_DIRECTORY
from harness.systems.search import Places


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _files()
    yield from _directories()
    timed = times("moved", "back-an-instant", "back-an-hour", "forward-a-day", "to-1970", "past-2038", "past-9990")
    locked = locks({"file": GATE_PATH, "directory": STATE_DIRECTORY})
    yield from surroundings(timed, locked, "standing")
    yield from _identifiers()


def _files() -> Iterator[Row]:
    yield from documents("gate", "damaged", GATE_PATH)
    for field in ("last", "version"):
        yield row("gate", "damaged", "json_document.wrong_types", GATE_PATH, field, field=field)
    for kind in PASSING:
        yield from files("gate", "gone" if kind == "missing" else "damaged", GATE_PATH, kind, suffix="file")
    yield from files("gate", "gone", GATE_PATH, "parent_missing")
    yield from files("gate", "harmless", GATE_PATH, *HARMLESS)
    yield from files("gate", "standing", GATE_PATH, *STANDING)
    yield from files("gate", "unsteady", GATE_PATH, *UNSTEADY)


def _directories() -> Iterator[Row]:
    yield from files("state", "standing", STATE_DIRECTORY, *STANDING_ABOVE)
    yield from files("state", "gone", STATE_DIRECTORY, "missing", suffix="directory")
    yield from files("state", "damaged", STATE_DIRECTORY, "garbled", suffix="directory")
    yield from files("state", "harmless", STATE_DIRECTORY, "leftover")
    yield from files("state", "unsteady", STATE_DIRECTORY, "vanishing")
    yield from full("state", "standing", STATE_DIRECTORY, 0, 100)


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "asked-for", "task")
    yield row("task", "asked-for", "identifier.other_session", field="task", value="task-404")
    yield from identifiers("reviewer", "named", "reviewer")
    yield from identifiers("reviewer", "unnamed", "reviewer", NO_IDENTIFIERS)


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
