"""Every row of the fault table that a stop hook can meet: which faults, where they strike, and the tour through them.

Faults at ``{config}``, ``{runtime}`` and ``{semaphore}`` are for hooks that declare these places; all others for any.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.core.fault import Scalar
from harness.core.scenario import FileSpec
from harness.systems.stop_gate.workload.stop_tours import (
    ALWAYS,
    BOUNDED,
    EVERYWHERE,
    TRANSCRIPTS,
    Strike,
    Tour,
    around,
    each,
    midway,
    once,
    struck,
    through,
    twice,
)

HOUR_S = 3600
TOOLS = ("jq", "git", "date")  # what hooks call by name
PROGRAMS = (*TOOLS, "node", "python3")  # the last two may be what runs the hook itself: then it only may not start


class Row(NamedTuple):
    """One scenario: the end of its name, what is wrong in words, the faults, the tour, and the clauses it witnesses."""

    name: str
    what: str
    strikes: tuple[Strike, ...]
    tour: Tour
    clauses: tuple[str, ...] = ALWAYS
    files: Mapping[str, FileSpec] = {}


def rows() -> Iterator[Row]:
    """The whole table, family by family."""
    yield from _lines()
    yield from _transcript_places()
    yield from _configurations()
    yield from _identifiers()
    yield from _storage()
    yield from _declared_storage()
    yield from _clocks()
    yield from _processes()
    yield from _environments()
    yield from _collaborators()
    yield from _networks()


CHAOS = (*ALWAYS, "PS-TST-01")
# kind, what the transcript has then, parameters, clauses beyond CHAOS
LINES: tuple[tuple[str, str, Mapping[str, Scalar], tuple[str, ...]], ...] = (
    ("bom", "begins with a byte order mark", {}, ()),
    ("nul_bytes", "has lines with NUL bytes", {}, ("PS-TR-09",)),
    ("bad_utf8", "has a line that is no UTF-8", {}, ("PS-TR-09",)),
    ("garbage_lines", "has ten lines that are no JSON", {"count": 10}, ()),
    ("non_object_lines", "has JSON lines that are no objects", {}, ("PS-TR-09",)),
    ("wrong_roles", "has messages without a known role", {}, ()),
    ("duplicate_keys", "has an object that names a key twice", {}, ()),
    ("nan", "has a NaN", {}, ()),
    ("huge_integer", "has an integer of 5,000 digits", {}, ("SH-04",)),
    ("deep_nesting", "has a line nested 100,000 deep", {}, ("SH-04",)),
    ("long_line", "has a line of 10 MiB", {}, ("SH-04",)),
    ("blank_lines", "has a dozen blank lines", {}, ()),
    ("leap_second", "has the time of a leap second", {}, ()),
    ("invalid_timestamps", "has times that are none", {}, ()),
)


def _lines() -> Iterator[Row]:
    for kind, what, params, more in LINES:
        strikes = _one(f"jsonl.{kind}", TRANSCRIPTS, params)
        yield Row(f"transcript-{_dashed(kind)}", f"The transcript {what}", strikes, twice, (*CHAOS, *more))
    eleven = _one("jsonl.garbage_lines", TRANSCRIPTS, {"count": 11})
    yield Row("transcript-eleven-invalid", "The transcript has eleven lines that are no JSON", eleven, twice, CHAOS)
    # what the damage took away may have been the reason to let a session end, so little can be said of any hook
    lost = ("PS-PRM-02", "SH-05", "SH-07", "SH-08")
    for kind, what in (
        ("torn_tail", "ends in the middle of a line"),
        ("interleaved", "has two lines spliced into each other"),
    ):
        strikes = _one(f"jsonl.{kind}", TRANSCRIPTS)
        yield Row(f"transcript-{_dashed(kind)}", f"The transcript {what}", strikes, through, lost)


def _transcript_places() -> Iterator[Row]:
    refused = (*CHAOS, "PS-TR-09", "SH-04")
    for kind, what, clauses in (
        ("missing", "is not there", (*CHAOS, "PS-TR-01")),
        ("empty", "has no bytes", (*CHAOS, "PS-TR-02")),
        ("directory", "is a directory", refused),
        ("fifo", "is a pipe nobody writes to", refused),
        ("symlink_loop", "is a link to itself", refused),
        ("unreadable", "may not be read", refused),
        ("full_device", "is a device that never ends", CHAOS),
        ("vanishing", "comes and goes while it is read", CHAOS),
        ("growing", "grows while it is read", tuple(clause for clause in CHAOS if clause != "SH-02")),  # no damage
    ):
        strikes = _one(f"filesystem.{kind}", TRANSCRIPTS)
        yield Row(f"transcript-{_dashed(kind)}", f"The transcript {what}", strikes, twice, clauses)
    for name, what, kinds in (
        (
            "elsewhere",
            "is a link to nothing or a directory, or gone",
            ("dangling_link", "link_outside", "parent_missing"),
        ),
        ("crowded", "is a mount, not to be written, or beside left-overs", ("busy", "not_writable", "leftover")),
    ):
        strikes = tuple(Strike(f"filesystem.{kind}", TRANSCRIPTS) for kind in kinds)
        yield Row(f"transcript-{name}", f"The transcript {what}", strikes, each, CHAOS)


def _configurations() -> Iterator[Row]:
    documents: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("torn", "is torn or no JSON", ("truncated", "not_json", "bad_utf8", "nul_bytes")),
        ("other", "is JSON, but no object", ("list", "scalar", "null", "nan", "duplicate_keys")),
        ("hostile", "is more than a parser takes", ("huge_integer", "deep_nesting", "bom")),
    )
    for name, what, kinds in documents:
        strikes = tuple(Strike(f"json_document.{kind}", "{config}") for kind in kinds)
        yield Row(f"config-{name}", f"The configuration {what}", strikes, each)
    for kind, what in (("wrong_types", "of wrong types"), ("out_of_range", "out of range")):
        strikes = tuple(
            Strike(f"json_document.{kind}", "{config}", {"field": name}) for name in ("enabled", "timeout_seconds")
        )
        yield Row(f"config-{_dashed(kind)}", f"The configuration has values {what}", strikes, each)
    places: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("no-file", "is empty or no file", ("empty", "directory", "fifo", "symlink_loop", "unreadable")),
        ("moving", "comes and goes, or is beside left-overs", ("missing", "parent_missing", "vanishing", "leftover")),
    )
    for name, what, kinds in places:
        strikes = tuple(Strike(f"filesystem.{kind}", "{config}") for kind in kinds)
        yield Row(f"config-{name}", f"The configuration {what}", strikes, each)


def _identifiers() -> Iterator[Row]:
    no_id = ("PS-SES-01",)
    outside = ("PS-SES-07", "SH-06")
    for kind, what, more in (
        ("absent", "is left out", no_id),
        ("empty", "is empty", no_id),
        ("null", "is null", no_id),
        ("wrong_type", "is no text", ()),
        ("separators", "has separators", outside),
        ("dot_dot", "leads upwards", outside),
        ("absolute", "is an absolute path", outside),
        ("nul", "has a NUL", outside),
        ("long", "is longer than a file name can be", outside),
        ("unicode", "has letters of other scripts", ()),
        ("whitespace", "is white space", ()),
    ):
        strikes = _one(f"identifier.{kind}")
        tour = through if kind in ("absent", "nul", "separators", "long") else twice
        yield Row(f"session-id-{_dashed(kind)}", f"The session id {what}", strikes, tour, (*ALWAYS, *more))
    for name, what, kinds in (
        ("missing", "is not named", ("absent", "empty", "null", "wrong_type")),
        ("odd", "is named by no path that exists", ("dot_dot", "nul", "long", "unicode", "whitespace")),
    ):
        field = {"field": "transcript_path"}
        strikes = tuple(Strike(f"identifier.{kind}", None, field) for kind in kinds)
        yield Row(f"transcript-path-{name}", f"The transcript {what}", strikes, each)


def _storage() -> Iterator[Row]:
    unwritable = (*CHAOS, *BOUNDED, "PS-FS-01", "SH-04")
    for name, what, kind, params in (
        ("read-only", "read-only", "read_only", {}),
        ("full", "full", "full", {}),
        ("nearly-full", "full but for one page", "full", {"free_bytes": 4096}),
        ("no-inodes", "out of inodes", "no_inodes", {}),
        ("not-writable", "not for this user to write", "not_writable", {}),
    ):
        strikes = _one(f"filesystem.{kind}", EVERYWHERE, params)
        clauses = unwritable if name != "nearly-full" else (*CHAOS, *BOUNDED)
        title = f"Every disk is {what}, after the first block and before it"
        yield Row(f"storage-{name}", title, strikes, around, clauses)


def _declared_storage() -> Iterator[Row]:
    made = {"{runtime}": FileSpec(kind="directory")}
    for kind, what in (
        ("read_only", "is read-only"),
        ("full", "is full"),
        ("no_inodes", "has no inodes left"),
        ("not_writable", "may not be written"),
        ("unreadable", "may not be entered"),
        ("file_for_directory", "is a file"),
        ("symlink_loop", "is a link to itself"),
        ("dangling_link", "is a link to nothing"),
        ("link_outside", "is a link that leads out"),
        ("parent_missing", "is gone with its directory"),
        ("vanishing", "comes and goes"),
        ("garbled", "holds garbage"),
    ):
        links = ("SH-06",) if "link" in kind and kind != "symlink_loop" else ()
        strikes = _one(f"filesystem.{kind}", "{runtime}")
        clauses = (*CHAOS, *BOUNDED, *links) if kind != "garbled" else (*ALWAYS, *BOUNDED)
        yield Row(f"runtime-{_dashed(kind)}", f"Where the hook remembers {what}", strikes, midway, clauses, made)
    for name, what, kinds in (
        ("no-file", "is no file", ("directory", "fifo", "symlink_loop", "unreadable")),
        ("links", "is a link that leads out", ("dangling_link", "link_outside")),
        ("writes", "cannot be written", ("full_device", "busy", "leftover", "vanishing")),
    ):
        strikes = tuple(Strike(f"filesystem.{kind}", "{semaphore}") for kind in kinds)
        yield Row(f"semaphore-{name}", f"The semaphore {what}", strikes, each, CHAOS)


def _clocks() -> Iterator[Row]:
    for name, what, kind, params in (
        ("back-hour", "goes back by an hour", "back", {"by_s": HOUR_S}),
        ("forward-hour", "goes forward by an hour and a second", "forward", {"by_s": HOUR_S + 1}),
        ("frozen", "stands still", "frozen", {}),
        ("jump-back", "goes back by an hour while a stop runs", "jump", {"by_s": -HOUR_S}),
        ("jump-forward", "goes forward by an hour while a stop runs", "jump", {"by_s": HOUR_S}),
        ("year-1970", "says 1970", "year_1970", {}),
        ("year-2038", "says 2038", "year_2038", {}),
        ("year-9999", "says 9999", "year_9999", {}),
        ("zone-dst", "is in a zone with daylight saving time", "time_zone", {"name": "America/New_York"}),
        ("zone-skipped-day", "is in a zone that skipped a day", "time_zone", {"name": "Pacific/Apia"}),
    ):
        strikes = _one(f"clock.{kind}", None, params)
        yield Row(f"clock-{name}", f"After the first block the clock {what}", strikes, midway, (*ALWAYS, *BOUNDED))


def _processes() -> Iterator[Row]:
    for signal in ("SIGKILL", "SIGTERM"):
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            strikes = _one("process.killed", None, {"signal": signal, "at": share})
            yield Row(
                f"killed-{signal.lower()}-{round(share * 100)}",
                f"A stop is ended by {signal} after {round(share * 100)} % of its time, and the next ones are calm",
                strikes, struck, ("PS-PRM-02", "SH-07", "SH-08"),
            )  # fmt: skip
    for name, what, kind, params in (
        ("slow-disk", "The disk is slow", "slow_disk", {"delay_ms": 1}),
        ("paused", "A stop is paused for a while", "paused", {"for_ms": 100}),
        ("few-descriptors", "Hardly any file can be open", "few_descriptors", {"count": 10}),
        ("file-size-0", "No file may grow", "file_size", {"bytes": 0}),
        ("file-size-small", "Files may have one byte", "file_size", {"bytes": 1}),
    ):
        tour = around if kind == "file_size" else midway
        # an interpreter without descriptors, or over its limit, may die by a signal: then it has no exit code or output
        dies = kind in ("few_descriptors", "file_size")
        clauses = tuple(clause for clause in ALWAYS if not (dies and clause in ("SH-02", "SH-05")))
        yield Row(name, what, _one(f"process.{kind}", None, params), tour, (*clauses, *BOUNDED))
    held = _one("process.lock_held", "{runtime}")
    made = {"{runtime}": FileSpec(kind="directory")}
    yield Row("lock-held", "Another process holds the hook's lock", held, midway, (*ALWAYS, *BOUNDED), made)


def _environments() -> Iterator[Row]:
    for kind, what in (
        ("no_home", "HOME is unset"),
        ("empty_home", "HOME is empty"),
        ("missing_home", "HOME names nothing"),
        ("read_only_home", "The home is read-only"),
        ("odd_locale", "The language is one nobody has"),
        ("no_path", "PATH is empty"),
        ("no_tmpdir", "There is no temporary directory"),
        ("nothing", "There are no variables at all"),
        ("deleted_cwd", "The directory it runs in is gone"),
        ("odd_umask", "The umask takes every right"),
    ):
        strikes = _one(f"environment.{kind}")
        yield Row(f"environment-{_dashed(kind)}", what, strikes, midway, (*ALWAYS, *BOUNDED))
    for kind, what in (
        ("stdin_closed", "Standard input is closed"),
        ("stdout_closed", "Standard output is closed"),
        ("stderr_closed", "Standard error is closed"),
        ("stdout_full", "Standard output takes nothing"),
        ("stderr_full", "Standard error takes nothing"),
        ("stdout_slow", "Standard output is a full pipe that is drained late"),
    ):
        warned = Strike("jsonl.garbage_lines", TRANSCRIPTS, {"count": 3})  # so that there is something to warn of
        strikes = (*((warned,) if kind.startswith("stderr") else ()), Strike(f"environment.{kind}"))
        unheard = kind in ("stdout_closed", "stdout_full")  # then nothing can be said of what it said
        clauses = tuple(clause for clause in ALWAYS if not (unheard and clause == "SH-05"))
        yield Row(f"environment-{_dashed(kind)}", what, strikes, through, (*clauses, "SH-04"))


def _collaborators() -> Iterator[Row]:
    for kind, what in (
        ("missing", "is missing"),
        ("raises", "dies by a signal"),
        ("exits", "fails"),
        ("garbage", "prints garbage"),
    ):
        programs = TOOLS if kind == "garbage" else PROGRAMS
        strikes = tuple(Strike(f"collaborator.{kind}", None, {"program": name}) for name in programs)
        yield Row(f"collaborator-{kind}", f"A program that a hook may call {what}", strikes, each)
    strikes = tuple(Strike("collaborator.missing", None, {"program": name}) for name in PROGRAMS)
    yield Row("collaborators-missing", "No program that a hook may call is there", strikes, midway, (*ALWAYS, *BOUNDED))
    for kind, what in (("hangs", "hangs"), ("slow", "takes long")):
        for program in TOOLS:
            strikes = _one(f"collaborator.{kind}", None, {"program": program})
            title = f"The program {program} {what}"
            yield Row(f"collaborator-{kind}-{program}", title, strikes, once, (*ALWAYS, "SH-04"))


def _networks() -> Iterator[Row]:
    for name, what, kinds in (
        ("silent", "refuses or says nothing", ("refused", "timeout")),
        ("limited", "says that it was too much", ("rate_limited", "rate_limited_retry_after")),
        ("broken", "answers with errors and garbage", ("server_error", "garbage")),
    ):
        strikes = tuple(Strike(f"network.{kind}") for kind in kinds)
        yield Row(f"network-{name}", f"The network {what}", strikes, each)
    down = _one("network.refused")
    yield Row("network-down", "After the first block the network is down", down, midway, (*ALWAYS, *BOUNDED))


def _one(name: str, place: str | None = None, params: Mapping[str, Scalar] | None = None) -> tuple[Strike, ...]:
    return (Strike(name, place, params or {}),)


def _dashed(kind: str) -> str:
    return kind.replace("_", "-")
