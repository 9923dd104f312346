"""Which faults of the fault table can strike a breaker, and where: one table. Network and collaborators it has none."""

from collections.abc import Iterator

from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH
from harness.systems.circuit_breaker.workload.breaker_steps import LOG_DIRECTORY, NAME, STATE_DIRECTORY
from harness.systems.fault_kinds import (
    HARMLESS,
    IDENTIFIERS,
    NO_DOCUMENTS,
    NO_IDENTIFIERS,
    STANDING,
    STANDING_ABOVE,
    UNSTEADY,
    WRONG_VALUES,
)
from harness.systems.fault_rows import Row, clocks, documents, files, full, identifiers, locks, moves, row, surroundings
from harness.systems.search import Places

LOKI = STATE_DIRECTORY.rpartition("/")[0]


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _state_files()
    yield from _directories()
    yield from _logs()
    yield from surroundings(_clocks(), locks({"file": STATE_PATH, "directory": STATE_DIRECTORY}), "everywhere")
    yield from _identifiers()


def _documents() -> Iterator[Row]:
    yield from documents("state", "damaged", STATE_PATH, *NO_DOCUMENTS)
    for kind in WRONG_VALUES:
        yield from documents("state", "damaged", STATE_PATH, kind)
        yield row("state", "damaged", f"json_document.{kind}", STATE_PATH, "of-one", field=NAME)


def _state_files() -> Iterator[Row]:
    yield from files("file", "damaged", STATE_PATH, "missing", "empty", "parent_missing", "garbled")
    yield from files("file", "harmless", STATE_PATH, *HARMLESS)
    yield from files("file", "standing", STATE_PATH, *STANDING, *UNSTEADY)


def _directories() -> Iterator[Row]:
    yield from files("directory", "damaged", STATE_DIRECTORY, "garbled", "missing")
    yield from files("directory", "harmless", STATE_DIRECTORY, "leftover")
    yield from files("directory", "standing", STATE_DIRECTORY, *STANDING_ABOVE, "vanishing")
    yield from full("directory", "standing", STATE_DIRECTORY, 0, 100)
    yield from files("above", "standing", LOKI, "file_for_directory", "read_only", "symlink_loop")


_OF_LOG = (
    "directory", "fifo", "symlink_loop", "dangling_link", "unreadable", "not_writable", "busy", "full_device",
    "vanishing",
)  # fmt: skip
_OF_LOG_DIRECTORY = ("file_for_directory", "read_only", "full", "not_writable", "symlink_loop")


def _logs() -> Iterator[Row]:
    yield from files("log", "harmless", RECOVERY_LOG_PATH, "leftover")
    yield from files("log", "log", RECOVERY_LOG_PATH, *_OF_LOG)
    yield from files("log-directory", "log", LOG_DIRECTORY, *_OF_LOG_DIRECTORY)


def _clocks() -> Iterator[Row]:
    yield from moves("moved")
    # whoever asks the machine's clock instead of taking the time of the call is told no time of ours
    yield from clocks(lambda kind: "everywhere" if kind in ("frozen", "jump") else "clock")


_OTHERS = tuple(kind for kind in IDENTIFIERS if kind != "empty")  # an empty name is refused as none is
_OF_NAMES = tuple(kind for kind in _OTHERS if kind != "absolute")  # it is another path on the way to a breaker


def _identifiers() -> Iterator[Row]:
    for field, group in (("name", "named"), ("call", "called")):
        yield from identifiers(field, group, field, _OTHERS if field == "call" else _OF_NAMES)
        yield from identifiers(field, "unasked", field, (*NO_IDENTIFIERS, "empty"))
    yield row("name", "named", "identifier.other_session", field="name", value="api/another")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
