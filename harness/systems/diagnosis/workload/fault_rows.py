"""Which faults of the fault table can strike a diagnosis, and where: one table. Programs and networks it has none.

What a model does is scripted by the operation that asks it; see legs.
"""

from collections.abc import Iterator, Mapping

from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
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

HOME = SESSION_MEMORY_PATH.rpartition("/")[0]
_PLACES: Mapping[str, str] = {
    "session": SESSION_MEMORY_PATH,
    "episodic": EPISODIC_MEMORY_PATH,
    "log": CONTEXT_LOG_PATH,
}


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _lines()
    yield from _files()
    yield from _directories()
    yield from _clocks()
    yield from _processes()
    yield from environments("surrounded", "homeless")
    yield from _identifiers()


_LINES = (
    "torn_tail", "interleaved", "bom", "nul_bytes", "bad_utf8", "garbage_lines", "non_object_lines", "wrong_roles",
    "duplicate_keys", "nan", "huge_integer", "deep_nesting", "long_line", "blank_lines", "leap_second",
    "invalid_timestamps", "grown",
)  # fmt: skip
_OF_LOG_LINES = ("torn_tail", "garbage_lines", "long_line", "bad_utf8")


def _lines() -> Iterator[Row]:
    """Lines of the session memory are damaged while it is in use, those of the episodic one before it is opened."""
    for kind in _LINES:
        yield row("session", "damaged", f"jsonl.{kind}", SESSION_MEMORY_PATH)
        yield row("episodic", "found", f"jsonl.{kind}", EPISODIC_MEMORY_PATH)
    for kind in _OF_LOG_LINES:
        yield row("log", "damaged", f"jsonl.{kind}", CONTEXT_LOG_PATH)


# what can be got over by writing anew, and what stands in the way for good
_PASSING = ("missing", "empty", "garbled")
_HARMLESS = ("aged", "leftover")
_STANDING = (
    "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "not_writable", "busy",
    "full_device", "vanishing", "growing",
)  # fmt: skip
_OF_LOG = ("directory", "dangling_link", "not_writable", "full_device", "vanishing")


def _files() -> Iterator[Row]:
    for place in ("session", "episodic"):
        for kind in _PASSING:
            yield row(place, "damaged", f"filesystem.{kind}", _PLACES[place])
        for kind in _HARMLESS:
            yield row(place, "harmless", f"filesystem.{kind}", _PLACES[place])
        for kind in _STANDING:
            yield row(place, "standing", f"filesystem.{kind}", _PLACES[place])
    for kind in _PASSING:
        yield row("log", "damaged", f"filesystem.{kind}", CONTEXT_LOG_PATH)
    for kind in _OF_LOG:
        yield row("log", "unlogged", f"filesystem.{kind}", CONTEXT_LOG_PATH)


# the files lie in a root of the sandbox, which can be neither removed nor be a file
_OF_DIRECTORY = ("read_only", "no_inodes", "not_writable")


def _directories() -> Iterator[Row]:
    for kind in _OF_DIRECTORY:
        yield row("home", "homeless", f"filesystem.{kind}", HOME)
    yield row("home", "hidden", "filesystem.unreadable", HOME)
    yield from full("home", "homeless", HOME, 0, 100, 4096)


def _clocks() -> Iterator[Row]:
    yield from moves("timed", "back-an-instant", "back-an-hour", "forward-a-day", "to-1970", "past-2038")
    yield from clocks(lambda _: "timed")


def _processes() -> Iterator[Row]:
    yield from processes("surrounded", "homeless", 300)
    yield from locks({"session": SESSION_MEMORY_PATH, "episodic": EPISODIC_MEMORY_PATH})
    yield from kills("killed")


def _identifiers() -> Iterator[Row]:
    yield from identifiers("call", "called", "call")
    yield from identifiers("call", "unasked", "call", REFUSED_IDENTIFIERS)
    yield row("call", "called", "identifier.other_session", field="call", value="another")


PLACES = Places(rows)
"""Where each fault can strike, read from the table."""
