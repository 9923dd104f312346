"""Which faults of the fault table apply to a gate, where each strikes, and what it takes from a tour: one table."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.core.fault import Fault, Scalar
from harness.core.scenario import FileSpec, Step
from harness.systems.stop_gate.contract import CONFIG_PATH, RUNTIME_DIRECTORY
from harness.systems.stop_gate.workload.gate_legs import EDITED, MIXED, NOBODY, PROMPTED
from harness.systems.stop_gate.workload.gate_steps import FOLDER, TRANSCRIPT, config, fault, later

RUNTIME = RUNTIME_DIRECTORY
SESSION_DIRECTORY = f"{RUNTIME}/session-2"  # of the session that a tour lets go
SUMMARY = f"{SESSION_DIRECTORY}/summary.md"
SEMAPHORE = f"{RUNTIME}/.session-2_completed"
DAMAGED_FILES = (TRANSCRIPT, MIXED, PROMPTED, NOBODY, EDITED)
YEAR_S = 365 * 24 * 3600
NOTHING_SURE = {"gate": frozenset({"identifier.wrong_type"})}
"""By profile, faults under which a sound gate may do anything but break a rule: every operation may be refused."""
HOSTILE = ("paths", "considerations")
# met at the limits too, which takes two seconds each
AT_EXTREMES = (
    "transcript-grown", "config-truncated", "runtime-full", "moved-back-an-hour", "clock-forward", "process-paused",
    "process-few-descriptors", "environment-no-home", "git-missing", "network-refused",
)  # fmt: skip
# so many checks at once, under that fault
TOGETHER: Mapping[int, str] = {
    2: "transcript-torn-tail",
    3: "config-truncated",
    4: "runtime-read-only",
    5: "runtime-full",
    6: "moved-forward-a-day",
    7: "process-slow-disk",
    8: "transcript-grown",
}


class Row(NamedTuple):
    """One fault at one place: the steps that put it there, the group whose tours meet it, and what it needs to stand.

    ``name`` says what goes wrong; it is part of the scenario's name.
    """

    name: str
    group: str
    steps: tuple[Step, ...] = ()
    files: Mapping[str, FileSpec] = {}

    @property
    def title(self) -> str:
        """What goes wrong, in words."""
        words = self.name.replace("-", " ")
        return words[0].upper() + words[1:]


def rows() -> Iterator[Row]:
    """The whole table, in a fixed order."""
    yield from _transcript()
    yield from _config()
    yield from _identifiers()
    yield from _storage()
    yield from _clock()
    yield from _process()
    yield from _surroundings()
    for name in HOSTILE:
        yield Row(f"hostile-{name}", f"hostile-{name}")
    known = {
        row.name: row for row in (*_transcript(), *_config(), *_storage(), *_clock(), *_process(), *_surroundings())
    }
    for name in AT_EXTREMES:
        yield _once(known[name], "extremes")
    for count, name in TOGETHER.items():
        yield _once(known[name], f"together-{count}")


def _row(place: str, group: str, kind: str, path: str | None = None, suffix: str = "", **params: Scalar) -> Row:
    """The row of one fault; its name is made of the place, the fault's kind and ``suffix``."""
    word = kind.partition(".")[2].replace("_", "-")
    name = "-".join(part for part in (place, word, suffix) if part)
    return Row(name, group, (Step(fault=Fault(kind, path, params)),))


def _once(row: Row, group: str) -> Row:
    """The row with its first step only, for tours without the other files that it strikes."""
    return row._replace(group=group, steps=row.steps[:1])


# -- the transcript

# what only adds lines, or takes some: the session's decision shows in what is left
_ADDING: tuple[tuple[str, str, dict[str, Scalar]], ...] = (
    ("blank_lines", "", {"count": 30}),
    ("grown", "", {}),
    ("non_object_lines", "", {}),
    ("wrong_roles", "", {}),
    ("leap_second", "", {}),
    ("invalid_timestamps", "", {}),
)
_DAMAGING: tuple[tuple[str, str, dict[str, Scalar]], ...] = (
    ("garbage_lines", "10", {"count": 10}),
    ("garbage_lines", "11", {"count": 11}),
    ("torn_tail", "", {}),
    ("interleaved", "", {}),
    ("bom", "", {}),
    ("nul_bytes", "", {}),
    ("bad_utf8", "", {}),
    ("duplicate_keys", "", {}),
    ("nan", "", {}),
    ("huge_integer", "", {}),
    ("deep_nesting", "", {}),
    ("long_line", "", {}),
)
_NO_TRANSCRIPT = (
    "missing", "empty", "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable",
    "parent_missing", "full_device",
)  # fmt: skip
_STILL_READABLE = ("not_writable", "leftover")
_MOVING = ("vanishing", "growing")
_STRUCK_PLACES = {"long_line": (TRANSCRIPT,), "interleaved": (TRANSCRIPT, EDITED)}  # elsewhere it changes nothing


def _transcript() -> Iterator[Row]:
    for group, kinds in {"transcript": _ADDING, "damaged": _DAMAGING}.items():
        for kind, suffix, params in kinds:
            places = _STRUCK_PLACES.get(kind, DAMAGED_FILES)
            steps = tuple(fault(f"jsonl.{kind}", path, **params) for path in places)
            yield Row("-".join(part for part in ("transcript", kind.replace("_", "-"), suffix) if part), group, steps)
    for kind in _NO_TRANSCRIPT:
        yield _row("transcript", "gone", f"filesystem.{kind}", TRANSCRIPT)
    yield _row("transcript-folder", "gone", "filesystem.file_for_directory", FOLDER)
    for kind in _STILL_READABLE:
        yield _row("transcript", "transcript", f"filesystem.{kind}", TRANSCRIPT)
    yield _row("transcript-folder", "transcript", "filesystem.read_only", FOLDER)
    yield _row("transcript-folder", "transcript", "filesystem.full", FOLDER, free_bytes=0)
    for kind in _MOVING:
        yield _row("transcript", "moving", f"filesystem.{kind}", TRANSCRIPT)


# -- the configuration

_UNUSABLE_DOCUMENTS = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "nul_bytes",
)  # fmt: skip
_DOUBTFUL_DOCUMENTS = ("bom", "huge_integer", "deep_nesting", "duplicate_keys", "nan")
_UNUSABLE_FILES = ("directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "full_device")


def _config() -> Iterator[Row]:
    for row in (*_config_documents(), *_config_files()):
        yield row._replace(files=config({"enabled": True, "timeout_seconds": 30}))


def _config_documents() -> Iterator[Row]:
    for kind in _UNUSABLE_DOCUMENTS:
        yield _row("config", "config", f"json_document.{kind}", CONFIG_PATH)
    for kind in _DOUBTFUL_DOCUMENTS:
        yield _row("config", "config", f"json_document.{kind}", CONFIG_PATH)
    for field in ("enabled", "timeout_seconds"):
        yield _row("config", "config", "json_document.wrong_types", CONFIG_PATH, field.partition("_")[0], field=field)
    yield _row("config", "config", "json_document.out_of_range", CONFIG_PATH, field="timeout_seconds")


def _config_files() -> Iterator[Row]:
    for kind in (*_UNUSABLE_FILES, "empty", "missing", "parent_missing", "not_writable", "leftover", "vanishing"):
        yield _row("config-file", "config", f"filesystem.{kind}", CONFIG_PATH)
    yield _row("config-folder", "config", "filesystem.file_for_directory", CONFIG_PATH.rpartition("/")[0])


# -- identifiers

_KINDS_OF_ID = (
    "absent", "empty", "null", "wrong_type", "separators", "dot_dot", "absolute", "nul", "long", "unicode",
    "whitespace",
)  # fmt: skip
_KINDS_OF_PATH = ("empty", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace", "wrong_type")


def _identifiers() -> Iterator[Row]:
    for kind in _KINDS_OF_ID:
        yield _row("id", "unasked" if kind == "wrong_type" else "id", f"identifier.{kind}", field="session_id")
    yield _row("id", "id", "identifier.other_session", field="session_id", value="done")
    for kind in _KINDS_OF_PATH:
        group = "unasked" if kind == "wrong_type" else "id"
        yield _row("path", group, f"identifier.{kind}", field="transcript_path")


# -- the runtime directory

_RUNTIME_KINDS = (
    "read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop", "dangling_link",
    "link_outside", "missing", "parent_missing", "garbled", "aged", "leftover", "vanishing",
)  # fmt: skip
_SESSION_KINDS = (
    "file_for_directory", "read_only", "not_writable", "symlink_loop", "dangling_link", "link_outside", "vanishing",
)  # fmt: skip
_SUMMARY_KINDS = ("full_device", "directory", "busy", "fifo", "leftover", "not_writable", "vanishing")
_SEMAPHORE_KINDS = ("full_device", "busy", "fifo", "directory", "symlink_loop", "leftover", "vanishing")
_STALE = FileSpec(text="", age_s=7200.0)  # a semaphore that is looked at, and renewed


def _storage() -> Iterator[Row]:
    for suffix, free_bytes in {"": 0, "after-100-bytes": 100}.items():
        yield _row("runtime", "storage", "filesystem.full", RUNTIME, suffix, free_bytes=free_bytes)
    for place, path, kinds, files in (
        ("runtime", RUNTIME, _RUNTIME_KINDS, {}),
        ("above", "{home}/.amplihack", ("file_for_directory", "read_only"), {}),
        ("session-directory", SESSION_DIRECTORY, _SESSION_KINDS, {SESSION_DIRECTORY: FileSpec("directory")}),
        ("summary", SUMMARY, _SUMMARY_KINDS, {SUMMARY: FileSpec(text="an older one\n")}),
        ("semaphore", SEMAPHORE, _SEMAPHORE_KINDS, {SEMAPHORE: _STALE}),
    ):
        for kind in kinds:
            group = "storage" if place in ("runtime", "above") else "own-storage"
            yield _row(place, group, f"filesystem.{kind}", path)._replace(files=files)


# -- time

_MOVES_S = {
    "back-an-hour": -3600.0,
    "forward-a-day": 86400.0,
    "to-1970": -56 * YEAR_S,
    "past-2038": 13 * YEAR_S,
    "past-9990": 7970 * YEAR_S,  # only by the time of a call: under a clock of that year no Python starts
}
_CLOCKS: tuple[tuple[str, str, dict[str, Scalar]], ...] = (
    ("back", "", {"by_s": 3600}),
    ("forward", "", {"by_s": 7200}),
    ("frozen", "", {}),
    ("jump", "forward", {"by_s": 7200}),
    ("jump", "back", {"by_s": -7200}),
    ("year_1970", "", {}),
    ("year_2038", "", {}),
    ("time_zone", "east", {"name": "Pacific/Kiritimati"}),
    ("time_zone", "daylight-saving", {"name": "America/New_York"}),
)


def _clock() -> Iterator[Row]:
    for name, by_s in _MOVES_S.items():
        yield Row(f"moved-{name}", "moved", (later(by_s),))
    for kind, suffix, params in _CLOCKS:
        yield _row("clock", "clock", f"clock.{kind}", None, suffix, **params)


# -- the process

_PROCESS: tuple[tuple[str, str, dict[str, Scalar]], ...] = (
    ("slow_disk", "", {"delay_ms": 2}),
    ("paused", "", {"for_ms": 50}),
    ("few_descriptors", "", {"count": 16}),
    ("file_size", "0", {"bytes": 0}),
    ("file_size", "64", {"bytes": 64}),
    ("restarted", "", {}),
)
_FRACTIONS = (0.0, 0.3, 0.7)


def _process() -> Iterator[Row]:
    for kind, suffix, params in _PROCESS:
        yield _row("process", "process", f"process.{kind}", None, suffix, **params)
    yield Row("process-restarted-between-blocks", "restarted")
    yield _row("process", "process", "process.lock_held", SEMAPHORE, "semaphore")
    yield _row("process", "locked", "process.lock_held", RUNTIME, "runtime")
    for signal in ("SIGKILL", "SIGTERM"):
        for at in _FRACTIONS:
            word = f"{signal.lower()}-at-{int(at * 100)}"
            yield _row("process", "killed", "process.killed", None, word, signal=signal, at=at)


# -- what surrounds it

_ENVIRONMENT = (
    "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path", "no_tmpdir", "nothing",
    "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
)  # fmt: skip
_COLLABORATORS = ("missing", "hangs", "raises", "exits", "garbage", "slow")
_NETWORK = ("refused", "timeout", "rate_limited", "rate_limited_retry_after", "server_error", "garbage")


def _surroundings() -> Iterator[Row]:
    for kind in _ENVIRONMENT:
        group = "read-only-home" if kind == "read_only_home" else "environment"
        yield _row("environment", group, f"environment.{kind}")
    # a program that is not there, and a network that is none, cost no time: these meet everything
    for kind in _COLLABORATORS:
        yield _row("git", "environment" if kind == "missing" else "outside", f"collaborator.{kind}", program="git")
    for kind in _NETWORK:
        yield _row("network", "environment" if kind == "refused" else "outside", f"network.{kind}")
