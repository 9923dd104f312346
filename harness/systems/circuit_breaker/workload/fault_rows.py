"""Which faults of the fault table can strike a breaker, and where: one table. Network and collaborators it has none."""

from collections.abc import Iterator, Mapping

from harness.core.fault import Scalar
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH
from harness.systems.circuit_breaker.workload.breaker_steps import LOG_DIRECTORY, NAME, STATE_DIRECTORY
from harness.systems.fault_rows import CLOCKS, YEAR_S, Row, kills, row

LOKI = STATE_DIRECTORY.rpartition("/")[0]


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _documents()
    yield from _state_files()
    yield from _directories()
    yield from _logs()
    yield from _clocks()
    yield from _processes()
    yield from _environments()
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
    for free_bytes in (0, 100):
        suffix = f"after-{free_bytes}-bytes"
        yield row("directory", "standing", "filesystem.full", STATE_DIRECTORY, suffix, free_bytes=free_bytes)
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


_MOVES_S: Mapping[str, float] = {
    "back-an-instant": -0.000001,
    "back-a-minute": -60.0,
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
        # whoever asks the machine's clock instead of taking the time of the call is told no time of ours
        group = "everywhere" if kind in ("frozen", "jump") else "clock"
        yield row("clock", group, f"clock.{kind}", None, suffix, **params)


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
    yield row("process", "locked", "process.lock_held", STATE_PATH, "file")
    yield row("process", "locked", "process.lock_held", STATE_DIRECTORY, "directory")
    yield from kills("killed")


_ENVIRONMENTS = (
    "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path", "no_tmpdir", "nothing",
    "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
)  # fmt: skip


def _environments() -> Iterator[Row]:
    for kind in _ENVIRONMENTS:
        group = "everywhere" if kind in ("read_only_home", "odd_umask") else "surrounded"
        yield row("environment", group, f"environment.{kind}")


_REFUSED_IDENTIFIERS = ("absent", "null", "wrong_type", "empty")
_IDENTIFIERS = ("separators", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace")

_OF_NAMES = tuple(kind for kind in _IDENTIFIERS if kind != "absolute")  # it is another path on the way to a breaker


def _identifiers() -> Iterator[Row]:
    for field, group in (("name", "named"), ("call", "called")):
        for kind in _IDENTIFIERS if field == "call" else _OF_NAMES:
            yield row(field, group, f"identifier.{kind}", field=field)
        for kind in _REFUSED_IDENTIFIERS:
            yield row(field, "unasked", f"identifier.{kind}", field=field)
    yield row("name", "named", "identifier.other_session", field="name", value="api/another")
