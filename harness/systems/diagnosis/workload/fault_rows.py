"""Which faults of the fault table can strike a diagnosis, and where: one table. Programs and networks it has none.

What a model does is scripted by the operation that asks it; see legs.
"""

from collections.abc import Iterator, Mapping

from harness.core.fault import Scalar
from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
from harness.systems.fault_rows import CLOCKS, YEAR_S, Row, kills, row

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
    yield from _environments()
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
    for free_bytes in (0, 100, 4096):
        yield row("home", "homeless", "filesystem.full", HOME, f"after-{free_bytes}-bytes", free_bytes=free_bytes)


_MOVES_S: Mapping[str, float] = {
    "back-an-instant": -0.000001,
    "back-an-hour": -3600.0,
    "forward-a-day": 86400.0,
    "to-1970": -56 * YEAR_S,
    "past-2038": 13 * YEAR_S,
}


def _clocks() -> Iterator[Row]:
    for word, by_s in _MOVES_S.items():
        yield Row(f"moved-{word}", "timed", by_s=by_s)
    for kind, suffix, params in CLOCKS:
        yield row("clock", "timed", f"clock.{kind}", None, suffix, **params)


_PROCESSES: tuple[tuple[str, str, Mapping[str, Scalar]], ...] = (
    ("slow_disk", "", {"delay_ms": 1}),
    ("paused", "", {"for_ms": 2}),
)
_LIMITS: tuple[tuple[str, str, Mapping[str, Scalar]], ...] = (
    ("few_descriptors", "", {"count": 16}),
    ("file_size", "0", {"bytes": 0}),
    ("file_size", "300", {"bytes": 300}),
)


def _processes() -> Iterator[Row]:
    for kind, suffix, params in _PROCESSES:
        yield row("process", "surrounded", f"process.{kind}", None, suffix, **params)
    for kind, suffix, params in _LIMITS:
        yield row("process", "homeless", f"process.{kind}", None, suffix, **params)
    yield row("process", "restarted", "process.restarted")
    yield row("process", "locked", "process.lock_held", SESSION_MEMORY_PATH, "session")
    yield row("process", "locked", "process.lock_held", EPISODIC_MEMORY_PATH, "episodic")
    yield from kills("killed")


_ENVIRONMENTS = (
    "no_home", "empty_home", "missing_home", "odd_locale", "no_path", "no_tmpdir", "nothing", "deleted_cwd",
    "stderr_closed", "stderr_full",
)  # fmt: skip


def _environments() -> Iterator[Row]:
    for kind in _ENVIRONMENTS:
        yield row("environment", "surrounded", f"environment.{kind}")
    for kind in ("read_only_home", "odd_umask"):
        yield row("environment", "homeless", f"environment.{kind}")


_REFUSED_IDENTIFIERS = ("absent", "null", "wrong_type")
_IDENTIFIERS = (
    "empty", "separators", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace",
)  # fmt: skip


def _identifiers() -> Iterator[Row]:
    for kind in _IDENTIFIERS:
        yield row("call", "called", f"identifier.{kind}", field="call")
    for kind in _REFUSED_IDENTIFIERS:
        yield row("call", "unasked", f"identifier.{kind}", field="call")
    yield row("call", "called", "identifier.other_session", field="call", value="another")
