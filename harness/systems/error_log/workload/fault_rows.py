"""Which faults of the fault table can strike an error log, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator, Mapping

from harness.core.fault import Scalar
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
)
from harness.systems.error_log.workload.error_log_steps import SPECS
from harness.systems.fault_rows import CLOCKS, YEAR_S, Row, kills, row


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _errors_files()
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
        yield row("errors", "damaged", f"json_document.{kind}", ERRORS_PATH)
    for kind in ("wrong_types", "out_of_range"):
        yield row("errors", "damaged", f"json_document.{kind}", ERRORS_PATH, "of-one", field="errors")
    for kind in _DOCUMENTS:
        yield row("metadata", "progress", f"json_document.{kind}", METADATA_PATH)
    for field in ("status", "partial_progress"):
        yield row(
            "metadata", "progress", "json_document.wrong_types", METADATA_PATH, field.replace("_", "-"), field=field
        )


# what can be got over by writing anew, and what stands in the way for good
_PASSING = ("missing", "empty", "garbled")
_HARMLESS = ("aged", "leftover")
_STANDING = (
    "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "not_writable", "busy",
    "full_device",
)  # fmt: skip


def _errors_files() -> Iterator[Row]:
    for kind in _PASSING:
        yield row("errors", "damaged", f"filesystem.{kind}", ERRORS_PATH, "file")
    yield row("errors", "emptied", "filesystem.parent_missing", ERRORS_PATH)
    for kind in _HARMLESS:
        yield row("errors", "harmless", f"filesystem.{kind}", ERRORS_PATH)
    for kind in _STANDING:
        yield row("errors", "standing", f"filesystem.{kind}", ERRORS_PATH)
    for kind in ("vanishing", "growing"):
        yield row("errors", "unsteady", f"filesystem.{kind}", ERRORS_PATH)


_OF_OTHERS = ("directory", "fifo", "symlink_loop", "unreadable", "not_writable", "busy", "full_device")


def _other_files() -> Iterator[Row]:
    for kind in ("missing", "empty", "garbled"):
        yield row("metadata", "progress", f"filesystem.{kind}", METADATA_PATH, "file")
        yield row("plan", "plan", f"filesystem.{kind}", PLAN_PATH)
    for kind in _OF_OTHERS:
        yield row("metadata", "metadata", f"filesystem.{kind}", METADATA_PATH)
        yield row("plan", "unmarkable", f"filesystem.{kind}", PLAN_PATH)
    yield row("metadata", "unsteady", "filesystem.vanishing", METADATA_PATH)
    yield row("plan", "unsteady", "filesystem.vanishing", PLAN_PATH)
    for place, path in (("todo", TODO_PATH), ("state", STATE_PATH)):
        for kind in ("missing", "empty", "unreadable", "directory", "fifo", "not_writable"):
            yield row(place, "statuses", f"filesystem.{kind}", path)
    for kind in ("not_writable", "missing"):
        yield row("source", "harmless", f"filesystem.{kind}", SOURCE_PATH)


_OF_DIRECTORY = (
    "read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop", "dangling_link",
    "link_outside",
)  # fmt: skip


def _directories() -> Iterator[Row]:
    for kind in ("garbled", "missing"):
        yield row("directory", "emptied", f"filesystem.{kind}", SPECS)
    yield row("directory", "harmless", "filesystem.leftover", SPECS)
    for kind in _OF_DIRECTORY:
        yield row("directory", "everything", f"filesystem.{kind}", SPECS)
    yield row("directory", "unsteady", "filesystem.vanishing", SPECS)
    for free_bytes in (0, 500):
        suffix = f"after-{free_bytes}-bytes"
        yield row("directory", "everything", "filesystem.full", SPECS, suffix, free_bytes=free_bytes)


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
        group = "everywhere" if kind in ("file_size", "few_descriptors") else "surrounded"
        yield row("process", group, f"process.{kind}", None, suffix, **params)
    yield row("process", "restarted", "process.restarted")
    yield row("process", "locked", "process.lock_held", ERRORS_PATH, "file")
    yield row("process", "locked", "process.lock_held", SPECS, "directory")
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
        yield row("name", "named", f"identifier.{kind}", field="name")
        yield row("session", "sessions", f"identifier.{kind}", field="session_id")
    for kind in _REFUSED_IDENTIFIERS:
        yield row("name", "unasked", f"identifier.{kind}", field="name")
    yield row("name", "named", "identifier.other_session", field="name", value="control")
    yield row("session", "sessions", "identifier.other_session", field="session_id", value="sess_1772366460_d4e5f6")
