"""Which faults of the fault table can strike the signals, and where: one table. It asks no network and nobody.

What a channel, a handler and a gate do is scripted by the operations that meet them.
"""

from collections.abc import Iterator

from harness.systems import queue_files
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
    yield from _lines()
    yield from _documents()
    yield from _drift_files()
    yield from _other_files()
    yield from _directories()
    yield from _clocks()
    yield from _processes()
    yield from environments("surrounded", "everywhere")
    yield from _identifiers()


_LINES = (
    "torn_tail", "interleaved", "bom", "nul_bytes", "bad_utf8", "garbage_lines", "non_object_lines", "wrong_roles",
    "duplicate_keys", "nan", "huge_integer", "deep_nesting", "long_line", "blank_lines", "leap_second",
    "invalid_timestamps", "grown",
)  # fmt: skip


def _lines() -> Iterator[Row]:
    for kind in _LINES:
        yield row("drift", "logged", f"jsonl.{kind}", DRIFT_PATH)


_DOCUMENTS = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom", "huge_integer", "deep_nesting",
    "duplicate_keys", "nul_bytes", "nan", "wrong_types", "out_of_range",
)  # fmt: skip


def _documents() -> Iterator[Row]:
    for kind in _DOCUMENTS:
        yield row("reviews", "asked", f"json_document.{kind}", REVIEW_PATH)
    for kind in ("truncated", "wrong_types"):
        yield row("queue", "queued", f"json_document.{kind}", IN_PROGRESS)
    for kind in ("truncated", "wrong_types"):
        yield row("goal", "goal", f"json_document.{kind}", CURRENT_TASK_PATH)
    yield row("frictions", "mapped", "json_document.truncated", FRICTION_MAP_PATH)
    yield row("decision", "decided", "json_document.truncated", APPROVED_PATH)


# what can be got over by writing anew, and what stands in the way for good
_PASSING = ("missing", "empty", "garbled", "parent_missing")
_HARMLESS = ("aged", "leftover")
_STANDING = (
    "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "not_writable", "busy",
    "full_device",
)  # fmt: skip


def _drift_files() -> Iterator[Row]:
    for kind in _PASSING:
        yield row("drift", "emptied", f"filesystem.{kind}", DRIFT_PATH, "file")
    for kind in _HARMLESS:
        yield row("drift", "harmless", f"filesystem.{kind}", DRIFT_PATH)
    for kind in _STANDING:
        yield row("drift", "unlogged", f"filesystem.{kind}", DRIFT_PATH)
    for kind in ("vanishing", "growing"):
        yield row("drift", "unsteady", f"filesystem.{kind}", DRIFT_PATH)


def _other_files() -> Iterator[Row]:
    yield row("reviews", "asked", "filesystem.missing", REVIEW_PATH, "file")
    for kind in ("directory", "unreadable"):
        yield row("reviews", "unasked", f"filesystem.{kind}", REVIEW_PATH)
    for kind in ("missing", "directory", "unreadable"):
        yield row("queue", "queued", f"filesystem.{kind}", IN_PROGRESS, "file")
    yield row("dead-letter", "undead", "filesystem.directory", DEAD_LETTER)
    for kind in ("directory", "not_writable"):
        yield row("continuity", "unconsolidated", f"filesystem.{kind}", CONTINUITY_PATH)
    yield row("goal", "goal", "filesystem.fifo", CURRENT_TASK_PATH)
    yield row("decision", "undecided", "filesystem.directory", APPROVED_PATH)
    yield row("knowledge", "unknown", "filesystem.directory", KNOWLEDGE_PATH)


_OF_DIRECTORY = (
    "read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop", "dangling_link",
    "link_outside",
)  # fmt: skip


def _directories() -> Iterator[Row]:
    yield row("directory", "emptied", "filesystem.missing", SIGNALS_DIRECTORY)
    for kind in _OF_DIRECTORY:
        yield row("directory", "everything", f"filesystem.{kind}", SIGNALS_DIRECTORY)
    yield row("directory", "unsteady", "filesystem.vanishing", SIGNALS_DIRECTORY)
    yield from full("directory", "everything", SIGNALS_DIRECTORY, 0, 500)
    for kind in ("read_only", "missing"):
        yield row("queues", "queueless", f"filesystem.{kind}", QUEUES)


def _clocks() -> Iterator[Row]:
    yield from moves("moved", "forward-a-day", "to-1970")
    yield from clocks(lambda _: "moved")


def _processes() -> Iterator[Row]:
    yield from processes("surrounded", "everywhere", 300)
    yield from locks({"drift": DRIFT_PATH, "queue": IN_PROGRESS})
    yield from kills("killed")


def _identifiers() -> Iterator[Row]:
    yield from identifiers("task", "named", "task_id")
    yield from identifiers("task", "refused", "task_id", REFUSED_IDENTIFIERS)
    yield row("task", "named", "identifier.other_session", field="task_id", value=OTHER)
    yield row("name", "branches", "identifier.dot_dot", field="name")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
