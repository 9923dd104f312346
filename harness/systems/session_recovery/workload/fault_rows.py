"""Which faults of the fault table can strike a session, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator, Mapping

from harness.core.fault import Scalar
from harness.systems.fault_rows import CLOCKS, YEAR_S, Row, kills, row
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
    yield from _environments()
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
    for place, group, path in (
        ("queues", "queue-standing", QUEUE_DIRECTORY),
        ("state", "state-standing", STATE_DIRECTORY),
    ):
        yield row(place, group, "filesystem.full", path, "after-0-bytes", free_bytes=0)
    yield row("state", "state-standing", "filesystem.full", STATE_DIRECTORY, "after-300-bytes", free_bytes=300)


_MOVES_S: Mapping[str, float] = {
    "back-an-hour": -3600.0,
    "forward-a-day": 86400.0,
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
        group = "everywhere" if kind in ("file_size", "few_descriptors") else "surrounded"
        yield row("process", group, f"process.{kind}", None, suffix, **params)
    yield row("process", "restarted", "process.restarted")
    yield row("process", "locked", "process.lock_held", QUEUE_DIRECTORY, "queues")
    yield row("process", "unlocked", "process.lock_held", STATE_DIRECTORY, "state")
    yield from kills("killed")


_ENVIRONMENTS = (
    "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path", "no_tmpdir", "nothing",
    "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
)  # fmt: skip


def _environments() -> Iterator[Row]:
    for kind in _ENVIRONMENTS:
        group = "everywhere" if kind in ("read_only_home", "odd_umask") else "surrounded"
        yield row("environment", group, f"environment.{kind}")


_REFUSED_IDENTIFIERS = ("absent", "null", "wrong_type")
_IDENTIFIERS = ("empty", "separators", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace")


def _identifiers() -> Iterator[Row]:
    for kind in _IDENTIFIERS:
        yield row("task", "asked-for", f"identifier.{kind}", field="task_id")
    for kind in _REFUSED_IDENTIFIERS:
        yield row("worker", "unasked", f"identifier.{kind}", field="worker")
    yield row("task", "asked-for", "identifier.other_session", field="task_id", value="task-404")
