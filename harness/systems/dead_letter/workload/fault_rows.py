"""Which faults of the fault table can strike a dead-letter queue, and where: one table. It asks no network."""

from collections.abc import Iterator, Mapping

from harness.core.fault import Scalar
from harness.systems.dead_letter.contract import (
    ABANDONED_PATH,
    DEAD_LETTER_PATH,
    ESCALATIONS_PATH,
    IN_PROGRESS_PATH,
    PENDING_PATH,
    QUEUES_PATH,
)
from harness.systems.fault_rows import CLOCKS, YEAR_S, Row, kills, row


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _dead_letter_files()
    yield from _other_files()
    yield from _directories()
    yield from _clocks()
    yield from _processes()
    yield from _environments()
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
    for free_bytes in (0, 500):
        suffix = f"after-{free_bytes}-bytes"
        yield row("directory", "standing", "filesystem.full", QUEUES_PATH, suffix, free_bytes=free_bytes)


_MOVES_S: Mapping[str, float] = {
    "back-an-instant": -0.000001,
    "back-an-hour": -3600.0,
    "forward-a-day": 86400.0,
    "to-1970": -56 * YEAR_S,
    "past-2038": 13 * YEAR_S,
    "past-9990": 7970 * YEAR_S,  # only by the time of a call: under a clock of that year no Python starts
}


def _clocks() -> Iterator[Row]:
    for word, by_s in _MOVES_S.items():
        yield Row(f"moved-{word}", "moved", by_s=by_s)
    for kind, suffix, params in CLOCKS:
        yield row("clock", "moved", f"clock.{kind}", None, suffix, **params)


_PROCESSES: tuple[tuple[str, str, Mapping[str, Scalar]], ...] = (
    ("slow_disk", "", {"delay_ms": 1}),
    ("paused", "", {"for_ms": 2}),
    ("few_descriptors", "", {"count": 16}),
    ("file_size", "0", {"bytes": 0}),
    ("file_size", "64", {"bytes": 64}),
)


def _processes() -> Iterator[Row]:
    for kind, suffix, params in _PROCESSES:
        group = "standing" if kind in ("file_size", "few_descriptors") else "surrounded"
        yield row("process", group, f"process.{kind}", None, suffix, **params)
    yield row("process", "restarted", "process.restarted")
    yield row("process", "locked", "process.lock_held", DEAD_LETTER_PATH, "file")
    yield row("process", "locked", "process.lock_held", QUEUES_PATH, "directory")
    yield from kills("killed")


_ENVIRONMENTS = (
    "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path", "no_tmpdir", "nothing",
    "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
)  # fmt: skip


def _environments() -> Iterator[Row]:
    for kind in _ENVIRONMENTS:
        group = "standing" if kind in ("read_only_home", "odd_umask") else "surrounded"
        yield row("environment", group, f"environment.{kind}")


_REFUSED_IDENTIFIERS = ("absent", "null", "wrong_type")
_IDENTIFIERS = ("empty", "separators", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace")


def _identifiers() -> Iterator[Row]:
    for kind in (*_IDENTIFIERS, *_REFUSED_IDENTIFIERS):
        yield row("task", "named", f"identifier.{kind}", field="task_id")
    yield row("task", "named", "identifier.other_session", field="task_id", value="third")
