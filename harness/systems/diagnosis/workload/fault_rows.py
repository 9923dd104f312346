"""Which faults of the fault table can strike a diagnosis, and where: one table. Programs and networks it has none.

What a model does is scripted by the operation that asks it; see legs.
"""

from collections.abc import Iterator

from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
from harness.systems.fault_kinds import HARMLESS, LINES, NO_IDENTIFIERS, PASSING, STANDING, UNSTEADY
from harness.systems.fault_rows import Row, files, full, identifiers, lines, locks, row, surroundings, times
from harness.systems.search import Places

HOME = SESSION_MEMORY_PATH.rpartition("/")[0]


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _lines()
    yield from _files()
    yield from _directories()
    timed = times("timed", "back-an-instant", "back-an-hour", "forward-a-day", "to-1970", "past-2038")
    locked = locks({"session": SESSION_MEMORY_PATH, "episodic": EPISODIC_MEMORY_PATH})
    yield from surroundings(timed, locked, "homeless", 300)
    yield from _identifiers()


def _lines() -> Iterator[Row]:
    """Lines of the session memory are damaged while it is in use, those of the episodic one before it is opened."""
    for kind in LINES:
        yield from lines("session", "damaged", SESSION_MEMORY_PATH, kind)
        yield from lines("episodic", "found", EPISODIC_MEMORY_PATH, kind)
    yield from lines("log", "damaged", CONTEXT_LOG_PATH, "torn_tail", "garbage_lines", "long_line", "bad_utf8")


_OF_LOG = ("directory", "dangling_link", "not_writable", "full_device", "vanishing")


def _files() -> Iterator[Row]:
    for place, path in (("session", SESSION_MEMORY_PATH), ("episodic", EPISODIC_MEMORY_PATH)):
        yield from files(place, "damaged", path, *PASSING)
        yield from files(place, "harmless", path, *HARMLESS)
        yield from files(place, "standing", path, *STANDING, *UNSTEADY)
    yield from files("log", "damaged", CONTEXT_LOG_PATH, *PASSING)
    yield from files("log", "unlogged", CONTEXT_LOG_PATH, *_OF_LOG)


def _directories() -> Iterator[Row]:
    """The files lie in a root of the sandbox, which can be neither removed nor be a file."""
    yield from files("home", "homeless", HOME, "read_only", "no_inodes", "not_writable")
    yield from files("home", "hidden", HOME, "unreadable")
    yield from full("home", "homeless", HOME, 0, 100, 4096)


def _identifiers() -> Iterator[Row]:
    yield from identifiers("call", "called", "call")
    yield from identifiers("call", "unasked", "call", NO_IDENTIFIERS)
    yield row("call", "called", "identifier.other_session", field="call", value="another")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
