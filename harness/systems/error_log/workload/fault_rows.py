"""Which faults of the fault table can strike an error log, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator

from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
)
from harness.systems.error_log.workload.error_log_steps import SPECS
from harness.systems.fault_kinds import (
    HARMLESS,
    IDENTIFIERS,
    NO_IDENTIFIERS,
    PASSING,
    STANDING,
    STANDING_ABOVE,
    UNSTEADY,
)
from harness.systems.fault_rows import Row, documents, files, full, identifiers, locks, row, surroundings, times
from harness.systems.search import Places


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _errors_files()
    yield from _other_files()
    yield from _directories()
    timed = times("moved", "back-an-instant", "back-an-hour", "forward-a-day", "to-1970", "past-2038", "past-9990")
    yield from surroundings(timed, locks({"file": ERRORS_PATH, "directory": SPECS}), "everywhere")
    yield from _identifiers()


def _documents() -> Iterator[Row]:
    yield from documents("errors", "damaged", ERRORS_PATH)
    for kind in ("wrong_types", "out_of_range"):
        yield row("errors", "damaged", f"json_document.{kind}", ERRORS_PATH, "of-one", field="errors")
    yield from documents("metadata", "progress", METADATA_PATH)
    for field in ("status", "partial_progress"):
        yield row(
            "metadata", "progress", "json_document.wrong_types", METADATA_PATH, field.replace("_", "-"), field=field
        )


def _errors_files() -> Iterator[Row]:
    yield from files("errors", "damaged", ERRORS_PATH, *PASSING, suffix="file")
    yield from files("errors", "emptied", ERRORS_PATH, "parent_missing")
    yield from files("errors", "harmless", ERRORS_PATH, *HARMLESS)
    yield from files("errors", "standing", ERRORS_PATH, *STANDING)
    yield from files("errors", "unsteady", ERRORS_PATH, *UNSTEADY)


_OF_OTHERS = ("directory", "fifo", "symlink_loop", "unreadable", "not_writable", "busy", "full_device")
_OF_STATUSES = ("missing", "empty", "unreadable", "directory", "fifo", "not_writable")


def _other_files() -> Iterator[Row]:
    for kind in PASSING:
        yield from files("metadata", "progress", METADATA_PATH, kind, suffix="file")
        yield from files("plan", "plan", PLAN_PATH, kind)
    for kind in _OF_OTHERS:
        yield from files("metadata", "metadata", METADATA_PATH, kind)
        yield from files("plan", "unmarkable", PLAN_PATH, kind)
    yield from files("metadata", "unsteady", METADATA_PATH, "vanishing")
    yield from files("plan", "unsteady", PLAN_PATH, "vanishing")
    for place, path in (("todo", TODO_PATH), ("state", STATE_PATH)):
        yield from files(place, "statuses", path, *_OF_STATUSES)
    yield from files("source", "harmless", SOURCE_PATH, "not_writable", "missing")


def _directories() -> Iterator[Row]:
    yield from files("directory", "emptied", SPECS, "garbled", "missing")
    yield from files("directory", "harmless", SPECS, "leftover")
    yield from files("directory", "everything", SPECS, *STANDING_ABOVE)
    yield from files("directory", "unsteady", SPECS, "vanishing")
    yield from full("directory", "everything", SPECS, 0, 500)


def _identifiers() -> Iterator[Row]:
    for kind in IDENTIFIERS:
        yield row("name", "named", f"identifier.{kind}", field="name")
        yield row("session", "sessions", f"identifier.{kind}", field="session_id")
    yield from identifiers("name", "unasked", "name", NO_IDENTIFIERS)
    yield row("name", "named", "identifier.other_session", field="name", value="control")
    yield row("session", "sessions", "identifier.other_session", field="session_id", value="sess_1772366460_d4e5f6")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
