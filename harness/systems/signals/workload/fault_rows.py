"""Which faults of the fault table can strike the signals, and where: one table. It asks no network and nobody.

What a channel, a handler and a gate do is scripted by the operations that meet them.
"""

from collections.abc import Iterator

from harness.systems import queue_files
from harness.systems.fault_kinds import HARMLESS, NO_IDENTIFIERS, PASSING, STANDING, STANDING_ABOVE, UNSTEADY
from harness.systems.fault_rows import Row, documents, files, full, identifiers, lines, locks, row, surroundings, times
from harness.systems.file_faults import directory_of
from harness.systems.search import Places
from harness.systems.signals.contract import (
    APPROVED_PATH,
    CONTINUITY_PATH,
    CURRENT_TASK_PATH,
    DRIFT_PATH,
    FRICTION_MAP_PATH,
    KNOWLEDGE_PATH,
    QUEUE_PATHS,
    REVIEW_PATH,
    SIGNALS_DIRECTORY,
)
from harness.systems.signals.workload.signal_steps import OTHER, QUEUES

IN_PROGRESS = QUEUE_PATHS[queue_files.IN_PROGRESS]
DEAD_LETTER = QUEUE_PATHS[queue_files.DEAD_LETTER]


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from lines("drift", "logged", DRIFT_PATH)
    yield from _documents()
    yield from _drift_files()
    yield from _other_files()
    yield from _directories()
    timed = times("moved", "forward-a-day", "to-1970")
    yield from surroundings(timed, locks({"drift": DRIFT_PATH, "queue": IN_PROGRESS}), "everywhere", 300)
    yield from _identifiers()


def _documents() -> Iterator[Row]:
    yield from documents("reviews", "asked", REVIEW_PATH)
    yield from documents("queue", "queued", IN_PROGRESS, "truncated", "wrong_types")
    yield from documents("goal", "goal", CURRENT_TASK_PATH, "truncated", "wrong_types")
    yield from documents("frictions", "mapped", FRICTION_MAP_PATH, "truncated")
    yield from documents("decision", "decided", APPROVED_PATH, "truncated")


def _drift_files() -> Iterator[Row]:
    yield from files("drift", "emptied", DRIFT_PATH, *PASSING, "parent_missing", suffix="file")
    yield from files("drift", "harmless", DRIFT_PATH, *HARMLESS)
    yield from files("drift", "unlogged", DRIFT_PATH, *STANDING)
    yield from files("drift", "unsteady", DRIFT_PATH, *UNSTEADY)


def _other_files() -> Iterator[Row]:
    yield from files("reviews", "asked", REVIEW_PATH, "missing", suffix="file")
    yield from files("reviews", "unasked", REVIEW_PATH, "directory", "unreadable")
    yield from files("queue", "queued", IN_PROGRESS, "missing", "directory", "unreadable", suffix="file")
    yield from files("dead-letter", "undead", DEAD_LETTER, "directory")
    yield from files("continuity", "unconsolidated", CONTINUITY_PATH, "directory", "not_writable")
    yield from files("goal", "goal", CURRENT_TASK_PATH, "fifo")
    yield from files("decision", "undecided", APPROVED_PATH, "directory")
    yield from files("frictions", "unmapped", FRICTION_MAP_PATH, "directory")
    yield from files("frictions", "unhealed", directory_of(FRICTION_MAP_PATH), "not_writable", suffix="directory")
    yield from files("knowledge", "unknown", KNOWLEDGE_PATH, "directory")


def _directories() -> Iterator[Row]:
    yield from files("directory", "emptied", SIGNALS_DIRECTORY, "missing")
    yield from files("directory", "everything", SIGNALS_DIRECTORY, *STANDING_ABOVE)
    yield from files("directory", "unsteady", SIGNALS_DIRECTORY, "vanishing")
    yield from full("directory", "everything", SIGNALS_DIRECTORY, 0, 500)
    yield from files("queues", "queueless", QUEUES, "read_only", "missing")


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "named", "task_id")
    yield from identifiers("task", "refused", "task_id", NO_IDENTIFIERS)
    yield row("task", "named", "identifier.other_session", field="task_id", value=OTHER)
    yield row("name", "branches", "identifier.dot_dot", field="name")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
