"""Which faults of the fault table can strike a session, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator

from harness.systems.fault_kinds import HARMLESS, NO_IDENTIFIERS, PASSING, UNSTEADY
from harness.systems.fault_rows import Row, documents, files, full, identifiers, locks, row, surroundings, times
from harness.systems.search import Places
from harness.systems.session_recovery.contract import (
    BREAKERS_PATH,
    CHECKPOINT_PATH,
    CONTINUITY_PATH,
    IN_PROGRESS_PATH,
    LEDGER_DIRECTORY,
    LEDGER_PATH,
    ORCHESTRATOR_PATH,
    PENDING_PATH,
    QUEUE_DIRECTORY,
    SPECIFICATION_PATH,
    STATE_DIRECTORY,
)


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _queues()
    yield from _read_only_files()
    yield from _written_files()
    yield from _directories()
    timed = times("moved", "back-an-hour", "forward-a-day", "past-9990")
    locked = (*locks({"queues": QUEUE_DIRECTORY}), *locks({"state": STATE_DIRECTORY}, "unlocked"))
    yield from surroundings(timed, locked, "everywhere")
    yield from _identifiers()


def _documents() -> Iterator[Row]:
    yield from documents("pending", "queued", PENDING_PATH)
    for place, group, path in (
        ("in-progress", "at-work", IN_PROGRESS_PATH), ("orchestrator", "phased", ORCHESTRATOR_PATH),
        ("breakers", "tripped", BREAKERS_PATH), ("checkpoint", "saved", CHECKPOINT_PATH),
    ):  # fmt: skip
        yield from documents(place, group, path, "truncated", "bad_utf8", "wrong_types")


_STANDING = ("directory", "fifo", "symlink_loop", "unreadable", "not_writable", "busy", "full_device")


def _queues() -> Iterator[Row]:
    for kind in PASSING:
        yield from files("pending", "queued", PENDING_PATH, kind, suffix="file")
        yield from files("in-progress", "at-work", IN_PROGRESS_PATH, kind, suffix="file")
    yield from files("pending", "queues-gone", PENDING_PATH, "parent_missing")
    yield from files("pending", "harmless", PENDING_PATH, *HARMLESS)
    yield from files("pending", "queue-standing", PENDING_PATH, *_STANDING, "dangling_link", "link_outside")
    yield from files("in-progress", "queue-standing", IN_PROGRESS_PATH, "directory", "unreadable")
    yield from files("pending", "queue-unsteady", PENDING_PATH, *UNSTEADY)


_OF_CONTINUITY = ("missing", "garbled", "directory", "fifo", "unreadable", "vanishing")


def _read_only_files() -> Iterator[Row]:
    yield from files("continuity", "forgotten", CONTINUITY_PATH, *_OF_CONTINUITY)
    for kind in ("missing", "unreadable"):
        yield from files("orchestrator", "phased", ORCHESTRATOR_PATH, kind, suffix="file")
        yield from files("breakers", "tripped", BREAKERS_PATH, kind, suffix="file")


def _written_files() -> Iterator[Row]:
    yield from files("checkpoint", "saved", CHECKPOINT_PATH, *PASSING, suffix="file")
    yield from files("checkpoint", "unsavable", CHECKPOINT_PATH, "directory", "fifo", "not_writable", "full_device")
    yield from files("ledger", "ledger", LEDGER_PATH, "missing", "directory", "unreadable", "full_device")
    yield from files("ledgers", "recorded", LEDGER_DIRECTORY, "read_only", "full")
    yield from files("specification", "specified", SPECIFICATION_PATH, "missing", "directory")


_OF_DIRECTORY = ("read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop")


def _directories() -> Iterator[Row]:
    for kind in _OF_DIRECTORY:
        yield from files("queues", "queue-standing", QUEUE_DIRECTORY, kind)
        yield from files("state", "state-standing", STATE_DIRECTORY, kind)
    yield from files("queues", "queues-gone", QUEUE_DIRECTORY, "missing", suffix="directory")
    yield from files("state", "state-gone", STATE_DIRECTORY, "missing", "garbled", "dangling_link", suffix="directory")
    yield from files("state", "state-unsteady", STATE_DIRECTORY, "vanishing")
    yield from files("state", "harmless", STATE_DIRECTORY, "leftover")
    yield from files("ledgers", "ledger", LEDGER_DIRECTORY, "file_for_directory")
    yield from full("queues", "queue-standing", QUEUE_DIRECTORY, 0)
    yield from full("state", "state-standing", STATE_DIRECTORY, 0, 300)


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "asked-for", "task_id")
    yield from identifiers("worker", "unasked", "worker", NO_IDENTIFIERS)
    yield row("task", "asked-for", "identifier.other_session", field="task_id", value="task-404")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
