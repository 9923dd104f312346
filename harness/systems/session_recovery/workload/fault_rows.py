"""Which faults of the fault table can strike a session, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator

from harness.systems.fault_rows import (
    REFUSED_IDENTIFIERS,
    Row,
    clocks,
    environments,
    full,
    identifiers,
    kills,
    locks,
    moves,
    processes,
    row,
)
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
    yield from _clocks()
    yield from _processes()
    yield from environments("surrounded", "everywhere")
    yield from _identifiers()


_DOCUMENTS = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom", "huge_integer", "deep_nesting",
    "duplicate_keys", "nul_bytes", "nan", "wrong_types", "out_of_range",
)  # fmt: skip
_SOME_DOCUMENTS = ("truncated", "bad_utf8", "wrong_types")


def _documents() -> Iterator[Row]:
    for kind in _DOCUMENTS:
        yield row("pending", "queued", f"json_document.{kind}", PENDING_PATH)
    for place, group, path in (
        ("in-progress", "at-work", IN_PROGRESS_PATH), ("orchestrator", "phased", ORCHESTRATOR_PATH),
        ("breakers", "tripped", BREAKERS_PATH), ("checkpoint", "saved", CHECKPOINT_PATH),
    ):  # fmt: skip
        for kind in _SOME_DOCUMENTS:
            yield row(place, group, f"json_document.{kind}", path)


_STANDING = ("directory", "fifo", "symlink_loop", "unreadable", "not_writable", "busy", "full_device")


def _queues() -> Iterator[Row]:
    for kind in ("missing", "empty", "garbled"):
        yield row("pending", "queued", f"filesystem.{kind}", PENDING_PATH, "file")
        yield row("in-progress", "at-work", f"filesystem.{kind}", IN_PROGRESS_PATH, "file")
    yield row("pending", "queues-gone", "filesystem.parent_missing", PENDING_PATH)
    for kind in ("aged", "leftover"):
        yield row("pending", "harmless", f"filesystem.{kind}", PENDING_PATH)
    for kind in (*_STANDING, "dangling_link", "link_outside"):
        yield row("pending", "queue-standing", f"filesystem.{kind}", PENDING_PATH)
    for kind in ("directory", "unreadable"):
        yield row("in-progress", "queue-standing", f"filesystem.{kind}", IN_PROGRESS_PATH)
    for kind in ("vanishing", "growing"):
        yield row("pending", "queue-unsteady", f"filesystem.{kind}", PENDING_PATH)


def _read_only_files() -> Iterator[Row]:
    for kind in ("missing", "garbled", "directory", "fifo", "unreadable", "vanishing"):
        yield row("continuity", "forgotten", f"filesystem.{kind}", CONTINUITY_PATH)
    for kind in ("missing", "unreadable"):
        yield row("orchestrator", "phased", f"filesystem.{kind}", ORCHESTRATOR_PATH, "file")
        yield row("breakers", "tripped", f"filesystem.{kind}", BREAKERS_PATH, "file")


def _written_files() -> Iterator[Row]:
    for kind in ("missing", "empty", "garbled"):
        yield row("checkpoint", "saved", f"filesystem.{kind}", CHECKPOINT_PATH, "file")
    for kind in ("directory", "fifo", "not_writable", "full_device"):
        yield row("checkpoint", "unsavable", f"filesystem.{kind}", CHECKPOINT_PATH)
    for kind in ("missing", "directory", "unreadable", "full_device"):
        yield row("ledger", "ledger", f"filesystem.{kind}", LEDGER_PATH)
    for kind in ("read_only", "full"):
        yield row("ledgers", "recorded", f"filesystem.{kind}", LEDGER_DIRECTORY)
    for kind in ("missing", "directory"):
        yield row("specification", "specified", f"filesystem.{kind}", SPECIFICATION_PATH)


_OF_DIRECTORY = ("read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop")


def _directories() -> Iterator[Row]:
    for kind in _OF_DIRECTORY:
        yield row("queues", "queue-standing", f"filesystem.{kind}", QUEUE_DIRECTORY)
        yield row("state", "state-standing", f"filesystem.{kind}", STATE_DIRECTORY)
    yield row("queues", "queues-gone", "filesystem.missing", QUEUE_DIRECTORY, "directory")
    for kind in ("missing", "garbled", "dangling_link"):
        yield row("state", "state-gone", f"filesystem.{kind}", STATE_DIRECTORY, "directory")
    yield row("state", "state-unsteady", "filesystem.vanishing", STATE_DIRECTORY)
    yield row("state", "harmless", "filesystem.leftover", STATE_DIRECTORY)
    yield row("ledgers", "ledger", "filesystem.file_for_directory", LEDGER_DIRECTORY)
    yield from full("queues", "queue-standing", QUEUE_DIRECTORY, 0)
    yield from full("state", "state-standing", STATE_DIRECTORY, 0, 300)


def _clocks() -> Iterator[Row]:
    yield from moves("moved", "back-an-hour", "forward-a-day", "past-9990")
    yield from clocks(lambda _: "moved")


def _processes() -> Iterator[Row]:
    yield from processes("surrounded", "everywhere")
    yield from locks({"queues": QUEUE_DIRECTORY})
    yield from locks({"state": STATE_DIRECTORY}, "unlocked")
    yield from kills("killed")


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "asked-for", "task_id")
    yield from identifiers("worker", "unasked", "worker", REFUSED_IDENTIFIERS)
    yield row("task", "asked-for", "identifier.other_session", field="task_id", value="task-404")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
