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
from harness.systems.fault_rows import (
    IDENTIFIERS,
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


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _dead_letter_files()
    yield from _other_files()
    yield from _directories()
    yield from _clocks()
    yield from _processes()
    yield from environments("surrounded", "standing")
    yield from _identifiers()


_DOCUMENTS = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom", "huge_integer", "deep_nesting",
    "duplicate_keys", "nul_bytes", "nan", "wrong_types", "out_of_range",
)  # fmt: skip


def _documents() -> Iterator[Row]:
    for kind in _DOCUMENTS:
        yield row("letters", "damaged", f"json_document.{kind}", DEAD_LETTER_PATH)
    for field in ("tasks", "metadata"):
        yield row("letters", "damaged", "json_document.wrong_types", DEAD_LETTER_PATH, field, field=field)
    for kind in ("truncated", "list"):
        yield row("pending", "unpended", f"json_document.{kind}", PENDING_PATH)
    yield row("pending", "unpended", "json_document.wrong_types", PENDING_PATH, "tasks", field="tasks")


_STANDING = (
    "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "not_writable", "busy",
    "full_device",
)  # fmt: skip


def _dead_letter_files() -> Iterator[Row]:
    for kind in ("missing", "empty", "garbled"):
        yield row("letters", "damaged", f"filesystem.{kind}", DEAD_LETTER_PATH, "file")
    yield row("letters", "emptied", "filesystem.parent_missing", DEAD_LETTER_PATH)
    for kind in ("aged", "leftover"):
        yield row("letters", "harmless", f"filesystem.{kind}", DEAD_LETTER_PATH)
    for kind in _STANDING:
        yield row("letters", "standing", f"filesystem.{kind}", DEAD_LETTER_PATH)
    for kind in ("vanishing", "growing"):
        yield row("letters", "unsteady", f"filesystem.{kind}", DEAD_LETTER_PATH)


def _other_files() -> Iterator[Row]:
    for kind in ("missing", "garbled"):
        yield row("pending", "unpended", f"filesystem.{kind}", PENDING_PATH)
    for kind in ("directory", "unreadable", "busy"):
        yield row("pending", "standing", f"filesystem.{kind}", PENDING_PATH)
    yield row("running", "standing", "filesystem.unreadable", IN_PROGRESS_PATH)
    yield row("abandoned", "standing", "filesystem.directory", ABANDONED_PATH)
    for kind in ("file_for_directory", "not_writable", "symlink_loop"):
        yield row("escalations", "unasked", f"filesystem.{kind}", ESCALATIONS_PATH)


_OF_DIRECTORY = (
    "read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop", "dangling_link",
    "link_outside",
)  # fmt: skip


def _directories() -> Iterator[Row]:
    yield row("directory", "emptied", "filesystem.missing", QUEUES_PATH)
    yield row("directory", "harmless", "filesystem.leftover", QUEUES_PATH)
    for kind in _OF_DIRECTORY:
        yield row("directory", "standing", f"filesystem.{kind}", QUEUES_PATH)
    yield row("directory", "unsteady", "filesystem.vanishing", QUEUES_PATH)
    yield from full("directory", "standing", QUEUES_PATH, 0, 500)


def _clocks() -> Iterator[Row]:
    yield from moves("moved", "back-an-instant", "back-an-hour", "forward-a-day", "to-1970", "past-2038", "past-9990")
    yield from clocks(lambda _: "moved")


def _processes() -> Iterator[Row]:
    yield from processes("surrounded", "standing")
    yield from locks({"file": DEAD_LETTER_PATH, "directory": QUEUES_PATH})
    yield from kills("killed")


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "named", "task_id", (*IDENTIFIERS, *REFUSED_IDENTIFIERS))
    yield row("task", "named", "identifier.other_session", field="task_id", value="third")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
