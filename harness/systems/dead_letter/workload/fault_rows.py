"""Which faults of the fault table can strike a dead-letter queue, and where: one table. It asks no network."""

from collections.abc import Iterator

from harness.systems.dead_letter.contract import (
    ABANDONED_PATH,
    DEAD_LETTER_PATH,
    ESCALATIONS_PATH,
    IN_PROGRESS_PATH,
    PENDING_PATH,
    QUEUES_PATH,
)
from harness.systems.fault_kinds import HARMLESS, NO_IDENTIFIERS, PASSING, STANDING, STANDING_ABOVE, UNSTEADY
from harness.systems.fault_rows import Row, documents, files, full, identifiers, locks, row, surroundings, times
from harness.systems.search import Places


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _dead_letter_files()
    yield from _other_files()
    yield from _directories()
    timed = times("moved", "back-an-instant", "back-an-hour", "forward-a-day", "to-1970", "past-2038", "past-9990")
    yield from surroundings(timed, locks({"file": DEAD_LETTER_PATH, "directory": QUEUES_PATH}), "standing")
    yield from _identifiers()


def _documents() -> Iterator[Row]:
    yield from documents("letters", "damaged", DEAD_LETTER_PATH)
    for field in ("tasks", "metadata"):
        yield row("letters", "damaged", "json_document.wrong_types", DEAD_LETTER_PATH, field, field=field)
    yield from documents("pending", "unpended", PENDING_PATH, "truncated", "list")
    yield row("pending", "unpended", "json_document.wrong_types", PENDING_PATH, "tasks", field="tasks")


def _dead_letter_files() -> Iterator[Row]:
    yield from files("letters", "damaged", DEAD_LETTER_PATH, *PASSING, suffix="file")
    yield from files("letters", "emptied", DEAD_LETTER_PATH, "parent_missing")
    yield from files("letters", "harmless", DEAD_LETTER_PATH, *HARMLESS)
    yield from files("letters", "standing", DEAD_LETTER_PATH, *STANDING)
    yield from files("letters", "unsteady", DEAD_LETTER_PATH, *UNSTEADY)


def _other_files() -> Iterator[Row]:
    yield from files("pending", "unpended", PENDING_PATH, "missing", "garbled")
    yield from files("pending", "standing", PENDING_PATH, "directory", "unreadable", "busy")
    yield from files("running", "standing", IN_PROGRESS_PATH, "unreadable")
    yield from files("abandoned", "standing", ABANDONED_PATH, "directory")
    yield from files("escalations", "unasked", ESCALATIONS_PATH, "file_for_directory", "not_writable", "symlink_loop")


def _directories() -> Iterator[Row]:
    yield from files("directory", "emptied", QUEUES_PATH, "missing")
    yield from files("directory", "harmless", QUEUES_PATH, "leftover")
    yield from files("directory", "standing", QUEUES_PATH, *STANDING_ABOVE)
    yield from files("directory", "unsteady", QUEUES_PATH, "vanishing")
    yield from full("directory", "standing", QUEUES_PATH, 0, 500)


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "named", "task_id")
    yield from identifiers("task", "named", "task_id", NO_IDENTIFIERS)
    yield row("task", "named", "identifier.other_session", field="task_id", value="third")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
