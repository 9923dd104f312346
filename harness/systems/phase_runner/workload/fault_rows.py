"""Which faults of the fault table can strike a phase runner, and where: one table. It asks no network and nobody."""

from collections.abc import Iterator

from harness.systems.fault_kinds import HARMLESS, NO_DOCUMENTS, NO_IDENTIFIERS, STANDING, STANDING_ABOVE, WRONG_VALUES
from harness.systems.fault_rows import (
    Row,
    clocks,
    documents,
    files,
    full,
    identifiers,
    locks,
    moves,
    row,
    surroundings,
)
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    LOGS_DIRECTORY,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
    phase_path,
)
from harness.systems.search import Places

RECORD, NEXT_RECORD, RETRIED_RECORD = (phase_path(each) for each in ("1", "2", "10"))
_BOM = "bom"  # some readers skip it
_OF_OUTSIDE = "link_outside"


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _records()
    yield from _other_files()
    yield from _directories()
    timed = (*moves("moved"), *clocks(lambda _: "clocked"))
    held = locks({"state": STATE_DIRECTORY, "beside": f"{STATE_DIRECTORY}.lock", "config": CONFIG_PATH})
    yield from surroundings(timed, held, "everywhere", 300)
    yield from _identifiers()


def _documents() -> Iterator[Row]:
    damaging = (kind for kind in (*NO_DOCUMENTS, *WRONG_VALUES) if kind != _BOM)
    yield from documents("record", "damaged", RECORD, *damaging)
    yield from documents("record", "configured", RECORD, _BOM)
    yield from documents("config", "configured", CONFIG_PATH, "truncated", "empty", "bad_utf8", "wrong_types")


def _records() -> Iterator[Row]:
    yield from files("record", "removed", RECORD, "missing", suffix="file")
    yield from files("record", "damaged", RECORD, "empty", "garbled", suffix="file")
    yield from files("record", "configured", RECORD, "parent_missing", suffix="file")
    yield from files("record", "harmless", RECORD, *HARMLESS)
    yield from files("record", "standing", RECORD, *STANDING)
    yield from files("record", "unsteady", RECORD, "vanishing", "growing")
    yield from files("next-record", "next", NEXT_RECORD, "busy", "directory")
    yield from files("retried-record", "retrying", RETRIED_RECORD, "busy", "directory")


def _other_files() -> Iterator[Row]:
    yield from files("config", "configured", CONFIG_PATH, "missing", suffix="file")
    yield from files("config", "standing", CONFIG_PATH, "directory", "unreadable", "full_device")
    yield from files("log", "configured", EXECUTION_LOG_PATH, "missing", "garbled", suffix="file")
    yield from files("log", "standing", EXECUTION_LOG_PATH, "directory", "fifo", "not_writable", "full_device")
    yield from files("commits", "written-down", COMMITS_PATH, "missing", "directory", "not_writable")


def _directories() -> Iterator[Row]:
    yield from files("state", "gone", STATE_DIRECTORY, "missing", suffix="directory")
    yield from files("state", "everything", STATE_DIRECTORY, *(each for each in STANDING_ABOVE if each != _OF_OUTSIDE))
    yield from files("state", "led-outside", STATE_DIRECTORY, _OF_OUTSIDE)
    yield from files("state", "unsteady", STATE_DIRECTORY, "vanishing")
    yield from full("state", "everything", STATE_DIRECTORY, 0, 2_000)
    yield from files("records", "everything", PHASES_DIRECTORY, "read_only", "file_for_directory", _OF_OUTSIDE)
    yield from files("logs", "standing", LOGS_DIRECTORY, "read_only", "file_for_directory")


def _identifiers() -> Iterator[Row]:
    yield from identifiers("phase", "named", "phase_id")
    yield from identifiers("phase", "named", "phase_id", NO_IDENTIFIERS)
    yield row("phase", "named", "identifier.other_session", field="phase_id", value="2")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
