"""The boundaries of the profile stop_hook: each clause in its own simplest situation, for any hook in any language.

A hook is known by two sessions of its owner, a finished and an unfinished one. Every scenario shows both in calm
weather first, then begins afresh with one thing wrong. Unfinished sessions come first, and under an id of their own,
so that no memory of an approval speaks for them.
"""

from collections.abc import Iterator

from harness.core.fault import Scalar
from harness.core.scenario import FileSpec, Scenario, Schedule, Step
from harness.systems.stop_gate.contract import Stdin
from harness.systems.stop_gate.workload.boundaries_steering import steering_boundaries
from harness.systems.stop_gate.workload.level2_steering import level2_steering
from harness.systems.stop_gate.workload.level2_stop_hook import level2
from harness.systems.stop_gate.workload.level3_stop_hook import level3_stop_hook
from harness.systems.stop_gate.workload.recorded_stops import recorded_stops
from harness.systems.stop_gate.workload.stop_steps import (
    CALM,
    EITHER,
    FINISHED,
    FINISHED_PATH,
    FOLDER,
    OPEN,
    RESET,
    UNFINISHED,
    UNFINISHED_PATH,
    again,
    control,
    fault,
    operation,
    scenario,
    stop,
    storage,
)

__all__ = ["stop_hook_boundaries"]

# name, what is wrong with the transcript, the fault, its parameters, clauses beyond OPEN
BROKEN_TRANSCRIPTS: tuple[tuple[str, str, str, dict[str, Scalar], tuple[str, ...]], ...] = (
    ("missing", "is not there", "filesystem.missing", {}, ("PS-TR-01",)),
    ("empty", "has no bytes", "filesystem.empty", {}, ("PS-TR-02",)),
    ("directory", "is a directory", "filesystem.directory", {}, ("SH-04", "PS-TR-09")),
    ("fifo", "is a pipe nobody writes to", "filesystem.fifo", {}, ("SH-04", "PS-TR-09")),
    ("symlink-loop", "is a link to itself", "filesystem.symlink_loop", {}, ("SH-04", "PS-TR-09")),
    ("unreadable", "may not be read", "filesystem.unreadable", {}, ("SH-04", "PS-TR-09")),
    ("nul-bytes", "has lines with NUL bytes", "jsonl.nul_bytes", {}, ()),
    ("bad-utf8", "has a line that is no UTF-8", "jsonl.bad_utf8", {}, ("PS-TR-09",)),
    ("eleven-invalid", "has eleven lines that are no JSON", "jsonl.garbage_lines", {"count": 11}, ()),
    ("duplicate-keys", "has an object that names a key twice", "jsonl.duplicate_keys", {}, ()),
    ("nan", "has a NaN", "jsonl.nan", {}, ()),
    ("huge-integer", "has an integer of 5,000 digits", "jsonl.huge_integer", {}, ("SH-04",)),
    ("deep-nesting", "has a line nested 100,000 deep", "jsonl.deep_nesting", {}, ("SH-04",)),
    ("long-line", "has a line of 10 MiB", "jsonl.long_line", {}, ("SH-04",)),
)
# the session is as it was beside this damage; only blank lines bind every hook to block it still, the rest may approve
ADDED_LINES: tuple[tuple[str, str, str, dict[str, Scalar], tuple[str, ...]], ...] = (
    ("bom", "begins with a byte order mark", "jsonl.bom", {}, ()),
    ("blank-lines", "has a dozen blank lines", "jsonl.blank_lines", {}, ()),
    ("garbage", "has three lines that are no JSON", "jsonl.garbage_lines", {"count": 3}, ()),
    ("non-objects", "has JSON lines that are no objects", "jsonl.non_object_lines", {}, ("PS-TR-09",)),
    ("wrong-roles", "has messages without a known role", "jsonl.wrong_roles", {}, ()),
)
LOST_LINES = (
    ("torn-tail", "ends in the middle of a line", "jsonl.torn_tail"),
    ("interleaved", "has two lines spliced into each other", "jsonl.interleaved"),
)
DAMAGED_CONFIGS = (
    ("truncated", "is cut in its middle", ()),
    ("not_json", "is no JSON", ()),
    ("list", "is a list", ()),
    ("null", "is null", ()),
    ("bad_utf8", "is no UTF-8", ()),
    ("deep_nesting", "is nested 100,000 deep", ("SH-04",)),
)
UNREADABLE_CONFIGS = (
    ("directory", "is a directory"),
    ("fifo", "is a pipe nobody writes to"),
    ("unreadable", "may not be read"),
)
BROKEN_STATE = (
    ("runtime", "fifo", "its directory is a pipe nobody writes to"),
    ("runtime", "file_for_directory", "its directory is a file"),
    ("runtime", "symlink_loop", "its directory is a link to itself"),
    ("runtime", "unreadable", "its directory may not be entered"),
    ("semaphore", "fifo", "its semaphore is a pipe nobody writes to"),
    ("semaphore", "directory", "its semaphore is a directory"),
)
LOST_FIELDS = ("permission_mode", "last_assistant_message", "hook_event_name")
WRONG_TYPES = (
    {"session_id": 7},
    {"session_id": ["x"]},
    {"transcript_path": 7},
    {"transcript_path": None},
    {"cwd": 7},
    {"stop_hook_active": "yes"},
    {"hook_event_name": None},
)
HOSTILE_IDS = ("../../../../outside/x", "/../../../../../outside/x", "a/b", "..", ".", "a\0b", "x" * 300, "ключ-✓")
NOISE = '{"type": "summary", "summary": "no message"}\n\n{"role": "wizard", "content": "x"}\n{"content": "x"}\n'


def stop_hook_boundaries() -> tuple[Scenario, ...]:
    """Every boundary scenario of the profile: level L1, then L2, each with those of the group power_steering last."""
    return (
        *_calm(),
        *_loops(),
        *_transcripts(),
        *recorded_stops(),
        *_configurations(),
        *_states(),
        *_inputs(),
        *_identifiers(),
        *_surroundings(),
        *steering_boundaries(),
        *level2(),
        *level2_steering(),
        *level3_stop_hook(),
    )


def _calm() -> Iterator[Scenario]:
    yield scenario(
        "hook-calm",
        "In calm weather the unfinished session is blocked and the finished one may end",
        ("SH-07", "SH-08", "PS-PRM-02"),
        (control(UNFINISHED), control(FINISHED)),
    )
    spaced = f"{FOLDER}/with a space, 'quotes' and ünïcode"
    finished, unfinished = (f"{spaced}/{name}.jsonl" for name in ("finished", "unfinished"))
    variations = (
        {"event": "SubagentStop"},
        {"permission_mode": "plan"},
        {"permission_mode": "bypassPermissions"},
        {"last_assistant_message": 'Done: "it\'s" in — naïve façade & all.\n' * 40},
    )
    yield scenario(
        "hook-calm-variations",
        "In calm weather what a host may say otherwise changes nothing: event, mode, last message, odd but legal paths",
        ("SH-08", "PS-PRM-02"),
        (
            *(step for change in variations for step in (RESET, control(UNFINISHED, **change))),
            RESET,
            control(UNFINISHED, transcript_path=unfinished),
            *(control(FINISHED, **change) for change in variations),
            control(FINISHED, transcript_path=finished),
        ),
        files={finished: FileSpec(sample="approve"), unfinished: FileSpec(sample="block")},
    )
    done_meanwhile = {"session_id": UNFINISHED.session_id, "stop_hook_active": True}
    yield scenario(
        "hook-calm-finished-after-block",
        "A blocked session does what was left, and stops again with stop_hook_active set",
        ("SH-08", "PS-PRM-02"),
        (control(UNFINISHED), control(FINISHED, **done_meanwhile)),
    )
    yield scenario(
        "hook-calm-sessions-apart",
        "A session is stopped until it is let go; another one is unfinished too",
        ("SH-08", "PS-PRM-02"),
        (*CALM, stop(UNFINISHED), again(UNFINISHED), control(UNFINISHED, session_id="session-3"), control(FINISHED)),
    )


def _loops() -> Iterator[Scenario]:
    bounded = ("SH-03", "PS-LOOP-04")
    yield scenario(
        "hook-loop-identical",
        "The unfinished session is stopped again and again, unchanged",
        bounded,
        (*CALM, stop(UNFINISHED), again(UNFINISHED)),
    )
    yield scenario(
        "hook-loop-grown",
        "The unfinished session is stopped again and again, and uses tools in between",
        bounded,
        (*CALM, stop(UNFINISHED), again(UNFINISHED, fault("jsonl.grown", UNFINISHED_PATH))),
    )
    for name, what, change in (
        ("no-id", "has no id", {"drop": ("session_id",)}),
        ("hostile-id", "has an id that is no file name", {"session_id": "../../../../outside/x"}),
    ):
        yield scenario(
            f"hook-loop-{name}",
            f"An unfinished session that {what} is stopped again and again",
            ("SH-05",),
            (*CALM, stop(UNFINISHED, **change), again(UNFINISHED, **change)),
        )
    for name, what in (("aged", "an hour passes between the stops"), ("garbled", "its files are damaged in between")):
        faults = tuple(fault(f"filesystem.{name}", place) for place in ("{runtime}",))
        yield scenario(
            f"hook-loop-{name}",
            f"The unfinished session is stopped again and again, and {what}",
            bounded,
            (*CALM, stop(UNFINISHED), again(UNFINISHED, *faults)),
        )
    for kind, what in (("read_only", "read-only"), ("full", "full")):
        broken = storage(f"filesystem.{kind}")
        yield scenario(
            f"hook-loop-{what}",
            f"After the first block every disk is {what}, and the session is stopped again and again",
            bounded,
            (*CALM, stop(UNFINISHED), *broken, again(UNFINISHED)),
        )
        yield scenario(
            f"hook-storage-{what}",
            f"Every disk is {what} from the beginning",
            (*OPEN, "SH-04", "PS-FS-01", "PS-TST-01"),
            (*CALM, *broken, stop(UNFINISHED), again(UNFINISHED), stop(FINISHED)),
        )


def _transcripts() -> Iterator[Scenario]:
    common = (*OPEN, "PS-TST-01")
    for name, what, kind, params, more in BROKEN_TRANSCRIPTS:
        steps = (*CALM, fault(kind, FINISHED_PATH, **params), stop(FINISHED))
        yield scenario(f"hook-transcript-{name}", f"The transcript {what}", (*common, *more), steps)
    for name, what, kind, params, more in ADDED_LINES:
        faults = (fault(kind, UNFINISHED_PATH, **params), fault(kind, FINISHED_PATH, **params))
        yield scenario(
            f"hook-transcript-{name}",
            f"The transcript {what}",
            (*common, *(("SH-08",) if name == "blank-lines" else ()), *more),
            (*CALM, *faults, stop(UNFINISHED), stop(FINISHED)),
        )
    for name, what, kind in LOST_LINES:
        deleted = (fault(kind, FINISHED_PATH, deleted=True), control(FINISHED, deserves=None), RESET)
        yield scenario(
            f"hook-transcript-{name}",
            f"The transcript {what}",
            common,
            (*CALM, *deleted, fault(kind, FINISHED_PATH), stop(FINISHED)),
            allowed=EITHER,  # what was lost may have been the reason to let it end
        )
    noise = f"{FOLDER}/noise.jsonl"
    yield scenario(
        "hook-transcript-noise",
        "The transcript has lines, but no message",
        ("PS-TR-02",),
        (*CALM, stop(FINISHED, transcript_path=noise)),
        files={noise: FileSpec(text=NOISE)},
    )


def _configurations() -> Iterator[Scenario]:
    for kind, what, more in DAMAGED_CONFIGS:
        yield scenario(
            f"hook-config-{kind.replace('_', '-')}",
            f"The configuration {what}",
            (*OPEN, *more),
            (*CALM, fault(f"json_document.{kind}", "{config}"), stop(UNFINISHED), stop(FINISHED)),
        )
    for kind, what in UNREADABLE_CONFIGS:
        yield scenario(
            f"hook-config-{kind}",
            f"The configuration {what}",
            (*OPEN, "SH-04"),
            (*CALM, fault(f"filesystem.{kind}", "{config}"), stop(FINISHED)),
        )


def _states() -> Iterator[Scenario]:
    for place, kind, what in BROKEN_STATE:
        yield scenario(
            f"hook-{place}-{kind.replace('_', '-')}",
            f"What the hook remembers cannot be read: {what}",
            (*OPEN, "SH-04"),
            (*CALM, fault(f"filesystem.{kind}", f"{{{place}}}"), stop(UNFINISHED), again(UNFINISHED), stop(FINISHED)),
        )


def _inputs() -> Iterator[Scenario]:
    yield scenario(
        "hook-stdin-kept-open",
        "Standard input has its object and then stays open",
        (*OPEN, "SH-04"),
        (*CALM, stop(FINISHED, stdin=Stdin.KEPT_OPEN)),
    )
    broken = (Stdin.EMPTY, Stdin.GARBAGE, Stdin.NOT_AN_OBJECT)
    yield scenario(
        "hook-stdin-no-object",
        "Standard input is empty, no JSON, or no object",
        OPEN,
        (*CALM, *(stop(FINISHED, stdin=stdin) for stdin in broken)),
    )
    yield scenario(
        "hook-stdin-camel-case",
        "The host writes its fields in camelCase, which a hook of another host need not understand",
        OPEN,
        (*CALM, stop(FINISHED, camel_case=True)),
    )
    yield scenario(
        "hook-stdin-optional-missing",
        "The host leaves out every field but the needed ones",
        (*OPEN, "SH-08"),
        (*CALM, stop(UNFINISHED, drop=LOST_FIELDS), stop(FINISHED, drop=LOST_FIELDS)),
    )
    yield scenario(
        "hook-stdin-fields-missing",
        "Standard input does not name the transcript, or the directory, or whether a block came before",
        OPEN,
        (*CALM, *(stop(FINISHED, drop=(name,)) for name in ("transcript_path", "cwd", "stop_hook_active"))),
    )
    yield scenario(
        "hook-stdin-wrong-types",
        "Standard input has fields of types that no host gives them",
        OPEN,
        (*CALM, *(stop(FINISHED, replace=replace) for replace in WRONG_TYPES)),
    )


def _identifiers() -> Iterator[Scenario]:
    no_id = ({"drop": ("session_id",)}, {"replace": {"session_id": None}}, {"session_id": ""})
    yield scenario(
        "hook-session-id-missing",
        "The session has no id: missing, null, or empty",
        (*OPEN, "PS-SES-01"),
        (*CALM, *(stop(FINISHED, **change) for change in no_id)),
    )
    absolute = stop(FINISHED, replace={"session_id": "{outside}/x"})
    yield scenario(
        "hook-session-id-hostile",
        "A finished session has an id that leads out of a directory, or is no file name",
        (*OPEN, "SH-06", "PS-SES-07"),
        (*CALM, *(stop(FINISHED, session_id=name) for name in HOSTILE_IDS), absolute),
    )
    steps = [step for name in HOSTILE_IDS[:7] for step in (RESET, stop(UNFINISHED, session_id=name))]
    yield scenario(
        "hook-session-id-hostile-unfinished",
        "An unfinished session has an id that leads out of a directory, or is no file name",
        ("SH-06", "PS-SES-07"),
        (*CALM[:-1], *steps),
        allowed=EITHER,
    )
    for name, kind, path in (
        ("runtime", "link_outside", "{runtime}/session-1"),
        ("semaphore", "dangling_link", "{semaphore}"),
    ):
        yield scenario(
            f"hook-link-{name}",
            f"Where the hook keeps its {name} a link leads out",
            ("SH-01", "SH-06", "PS-FO-01"),
            (*CALM, fault(f"filesystem.{kind}", path), stop(FINISHED)),
        )


def _surroundings() -> Iterator[Scenario]:
    warned = tuple(fault("jsonl.garbage_lines", path, count=3) for path in (UNFINISHED_PATH, FINISHED_PATH))
    yield scenario(
        "hook-stderr-closed",
        "Standard error is closed when there is something to warn of",
        (*OPEN, "SH-04"),
        (*CALM, *warned, stop(UNFINISHED, close_stderr=True), stop(FINISHED, close_stderr=True)),
    )
    yield scenario(
        "hook-stdout-closed",
        "Standard output is closed, and then standard error too",
        ("SH-01", "SH-02", "SH-04", "PS-FO-01"),
        (*CALM, stop(FINISHED, close_stdout=True), stop(FINISHED, close_stdout=True, close_stderr=True)),
    )
    for name, what, variables in (
        ("no-home", "HOME names nothing", {"HOME": "/nonexistent"}),
        ("empty-home", "HOME is empty", {"HOME": ""}),
        (
            "odd",
            "the temporary directory, the project directory and the language name nothing",
            {"TMPDIR": "/nonexistent", "CLAUDE_PROJECT_DIR": "/nonexistent", "LC_ALL": "xx_XX.none"},
        ),
    ):
        yield scenario(
            f"hook-environment-{name}",
            f"In the environment {what}",
            OPEN,
            (*CALM, stop(FINISHED, environment=variables)),
        )
    together = Schedule(tuple(operation(FINISHED) for _ in range(3)))
    yield scenario(
        "hook-together",
        "A finished session is stopped three times at once",
        ("PS-TST-01",),
        (*CALM, Step(schedule=together)),
    )
