"""Which faults of the fault table can strike a breaker, and where: one table. Network and collaborators it has none."""

from collections.abc import Iterator

from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH
from harness.systems.circuit_breaker.workload.breaker_steps import LOG_DIRECTORY, NAME, STATE_DIRECTORY
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

LOKI = STATE_DIRECTORY.rpartition("/")[0]


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _state_files()
    yield from _directories()
    yield from _logs()
    yield from _clocks()
    yield from _processes()
    yield from environments("surrounded", "everywhere")
    yield from _identifiers()


_DOCUMENTS = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom", "huge_integer", "deep_nesting",
    "duplicate_keys", "nul_bytes", "nan",
)  # fmt: skip


def _documents() -> Iterator[Row]:
    for kind in _DOCUMENTS:
        yield row("state", "damaged", f"json_document.{kind}", STATE_PATH)
    for kind in ("wrong_types", "out_of_range"):
        yield row("state", "damaged", f"json_document.{kind}", STATE_PATH)
        yield row("state", "damaged", f"json_document.{kind}", STATE_PATH, "of-one", field=NAME)


# what can be got over by writing anew, and what stands in the way for good
_PASSING = ("missing", "empty", "parent_missing", "garbled")
_HARMLESS = ("aged", "leftover")
_STANDING = (
    "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "not_writable", "busy",
    "full_device", "vanishing", "growing",
)  # fmt: skip


def _state_files() -> Iterator[Row]:
    for kind in _PASSING:
        yield row("file", "damaged", f"filesystem.{kind}", STATE_PATH)
    for kind in _HARMLESS:
        yield row("file", "harmless", f"filesystem.{kind}", STATE_PATH)
    for kind in _STANDING:
        yield row("file", "standing", f"filesystem.{kind}", STATE_PATH)


_OF_DIRECTORY = (
    "read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop", "dangling_link",
    "link_outside", "vanishing",
)  # fmt: skip


def _directories() -> Iterator[Row]:
    for kind in ("garbled", "missing"):
        yield row("directory", "damaged", f"filesystem.{kind}", STATE_DIRECTORY)
    yield row("directory", "harmless", "filesystem.leftover", STATE_DIRECTORY)
    for kind in _OF_DIRECTORY:
        yield row("directory", "standing", f"filesystem.{kind}", STATE_DIRECTORY)
    yield from full("directory", "standing", STATE_DIRECTORY, 0, 100)
    for kind in ("file_for_directory", "read_only", "symlink_loop"):
        yield row("above", "standing", f"filesystem.{kind}", LOKI)


_OF_LOG = (
    "directory", "fifo", "symlink_loop", "dangling_link", "unreadable", "not_writable", "busy", "full_device",
    "vanishing",
)  # fmt: skip


def _logs() -> Iterator[Row]:
    yield row("log", "harmless", "filesystem.leftover", RECOVERY_LOG_PATH)
    for kind in _OF_LOG:
        yield row("log", "log", f"filesystem.{kind}", RECOVERY_LOG_PATH)
    for kind in ("file_for_directory", "read_only", "full", "not_writable", "symlink_loop"):
        yield row("log-directory", "log", f"filesystem.{kind}", LOG_DIRECTORY)


def _clocks() -> Iterator[Row]:
    yield from moves("moved")
    # whoever asks the machine's clock instead of taking the time of the call is told no time of ours
    yield from clocks(lambda kind: "everywhere" if kind in ("frozen", "jump") else "clock")


def _processes() -> Iterator[Row]:
    yield from processes("surrounded", "everywhere")
    yield from locks({"file": STATE_PATH, "directory": STATE_DIRECTORY})
    yield from kills("killed")


_OTHERS = tuple(kind for kind in IDENTIFIERS if kind != "empty")  # an empty name is refused as none is
_OF_NAMES = tuple(kind for kind in _OTHERS if kind != "absolute")  # it is another path on the way to a breaker


def _identifiers() -> Iterator[Row]:
    for field, group in (("name", "named"), ("call", "called")):
        yield from identifiers(field, group, field, _OTHERS if field == "call" else _OF_NAMES)
        yield from identifiers(field, "unasked", field, (*REFUSED_IDENTIFIERS, "empty"))
    yield row("name", "named", "identifier.other_session", field="name", value="api/another")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
