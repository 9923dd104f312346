"""The operations of a stop gate: typed arguments and results, files on disk, log codes. Pure.

Two profiles. ``gate`` (stdio, in process) has the operations ``check``, ``continuation_prompt`` and ``metrics``.
``stop_hook`` (one process a call) has ``stop``: what a coding agent's host does when its agent wants to end.
Source: document 004 and stop-hook-contract.md.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import msgspec

from harness.core.fault import Absent

SYSTEM = "stop_gate"
PROFILES = ("gate", "stop_hook")
GATE = "gate"
STOP_HOOK = "stop_hook"

# Where document 004 puts things, below the world's roots.
CONFIG_PATH = "{project}/.claude/tools/amplihack/.power_steering_config"  # 4.1
RUNTIME_DIRECTORY = "{home}/.amplihack/.claude/runtime/power-steering"  # 5.1
SEMAPHORE_NAME = ".{session_id}_completed"  # 2.2
SUMMARY_NAME = "summary.md"  # 5.2, below <runtime>/<session_id>/
SKIP_VARIABLE = "AMPLIHACK_SKIP_POWER_STEERING"  # Recovery Procedures

TRANSCRIPT_LIMIT_BYTES = 10 * 1024 * 1024  # 1.4
INVALID_LINES_TOLERATED = 10  # 1.3
SEMAPHORE_LIFETIME_S = 3600  # 2.3
CHECKER_LIMIT_S = 5.0  # 3.3
ANALYSIS_LIMIT_S = 30.0  # 3.4
TIMEOUT_SECONDS_RANGE = (1, 300)  # 4.4
SUMMARY_LIMIT_CHARACTERS = 100_000  # 9.3
SUMMARY_CUT_MARK = "\n\n... (truncated)"  # 9.3
PROMPT_MARK = "The session appears incomplete"  # 7.2
PROMPT_WITHOUT_FAILURES = "Session appears complete. If you see this, please report a bug."  # 8.1
UNKNOWN_OBJECTIVE = ("Unknown objective (no user messages)", "Unknown objective")  # 6.2, 9.1
NO_FILES_TEXT = "No files were modified (informational session)"  # 9.2


class Decision(StrEnum):
    """May the session end?"""

    APPROVE = "approve"
    BLOCK = "block"


class Severity(StrEnum):
    """Only a failed blocker blocks; anything else that failed is a warning (8.2)."""

    BLOCKER = "blocker"
    WARNING = "warning"


class CheckerOutcome(StrEnum):
    """What the scripted checker of a consideration does when it is called.

    ``missing``: there is no such checker. ``keyless``: the consideration names no checker at all. ``raises``: an
    ordinary exception. ``exits`` / ``interrupts`` / ``recurses``: it asks the process to exit, raises what Ctrl-C
    raises, exhausts the stack (or the nearest its language has). ``hangs`` for ever; ``hangs_swallowing`` does so
    and catches every exception thrown at it. ``slow`` takes ``seconds`` (scaled like the limits), then fails.
    ``network_error``: what it asks is unreachable. ``prints`` garbage on standard output, and is satisfied.
    """

    SATISFIED = "satisfied"
    FAILED = "failed"
    MISSING = "missing"
    KEYLESS = "keyless"
    RAISES = "raises"
    EXITS = "exits"
    INTERRUPTS = "interrupts"
    RECURSES = "recurses"
    HANGS = "hangs"
    HANGS_SWALLOWING = "hangs_swallowing"
    SLOW = "slow"
    NETWORK_ERROR = "network_error"
    PRINTS = "prints"


class Consideration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One scripted question of the analysis. Without a ``severity`` it is no blocker (8.2)."""

    id: str
    outcome: CheckerOutcome
    severity: Severity | None = None
    seconds: float = 0.0


class CheckArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """May this session stop?

    A semaphore made by a check carries the time of the call (``now``), not the machine's. ``session_id`` may be
    missing (null) or hostile; the two paths are absolute; ``considerations`` replaces the
    implementation's own list, null keeps it; ``environment`` stands for the process's environment variables;
    ``off_main_thread`` asks for the check to run on a thread that is not the main one (3.3).
    """

    transcript_path: str
    project_root: str
    session_id: str | None = None
    considerations: tuple[Consideration, ...] | None = None
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    off_main_thread: bool = False


class LogLevel(StrEnum):
    """As in the document's samples."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    TRANSCRIPT_MISSING = "transcript_missing"
    EMPTY_TRANSCRIPT = "empty_transcript"
    INVALID_JSON_LINE = "invalid_json_line"
    TOO_MANY_INVALID_LINES = "too_many_invalid_lines"
    TRANSCRIPT_TOO_LARGE = "transcript_too_large"
    TRANSCRIPT_UNREADABLE = "transcript_unreadable"
    INVALID_MESSAGE = "invalid_message"
    SESSION_ID_MISSING = "session_id_missing"
    ALREADY_COMPLETE = "already_complete"
    SEMAPHORE_STALE = "semaphore_stale"
    SEMAPHORE_IN_FUTURE = "semaphore_in_future"
    SEMAPHORE_WRITE_FAILED = "semaphore_write_failed"
    SUMMARY_WRITE_FAILED = "summary_write_failed"
    COUNTERS_WRITE_FAILED = "counters_write_failed"
    PATH_OUTSIDE_ROOT = "path_outside_root"
    CHECKER_MISSING = "checker_missing"
    CHECKER_RAISED = "checker_raised"
    CHECKER_TIMED_OUT = "checker_timed_out"
    ANALYSIS_TIMED_OUT = "analysis_timed_out"
    NETWORK_UNREACHABLE = "network_unreachable"
    CONFIG_MISSING = "config_missing"
    CONFIG_INVALID = "config_invalid"
    CONFIG_UNKNOWN_KEYS = "config_unknown_keys"
    CONFIG_INVALID_VALUE = "config_invalid_value"
    PROMPT_WITHOUT_FAILURES = "prompt_without_failures"
    CHECK_FAILED = "check_failed"


class LogEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One log entry of a call.

    ``line`` is the physical line number (blanks counted, from 1) of an invalid JSON line; ``keys`` names configuration
    keys; ``checker`` a consideration's id; ``traceback`` tells that a stack trace was logged; ``session_id`` and
    ``transcript_path`` are the context errors carry (Monitoring). ``code`` is a LogCode, or another word of the
    implementation's own, which nothing is concluded from.
    """

    level: LogLevel
    code: str
    message: str = ""
    line: int | None = None
    keys: tuple[str, ...] = ()
    checker: str | None = None
    traceback: bool = False
    session_id: str | None = None
    transcript_path: str | None = None


class CheckResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer: ``continuation_prompt`` goes to the model on a block; ``summary`` is null when none was made."""

    decision: Decision
    reasons: tuple[str, ...]
    continuation_prompt: str | None
    summary: str | None
    log: tuple[LogEntry, ...] = ()


class PromptArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Ask for the continuation prompt of an analysis with these failed considerations (8.1)."""

    failed: tuple[Consideration, ...] = ()


class PromptResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The prompt's text."""

    prompt: str
    log: tuple[LogEntry, ...] = ()


class MetricsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for the counters and alerts as of now (Monitoring & Alerting)."""


class Alert(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``kind`` is error_rate, timeout_rate or checker_crashes; ``checker`` names the one that crashes repeatedly."""

    kind: Literal["error_rate", "timeout_rate", "checker_crashes"]
    checker: str | None = None


class MetricsResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counters by name since the workdir was fresh, and the alerts standing now."""

    counters: Mapping[str, int]
    alerts: tuple[Alert, ...] = ()
    log: tuple[LogEntry, ...] = ()


COUNTERS = (
    "power_steering_errors",
    "power_steering_timeouts",
    "power_steering_transcript_errors",
    "power_steering_checker_crashes",
)


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every specified time limit (5 s a checker, 30 s or ``timeout_seconds`` the whole) is multiplied by ``scale``."""

    scale: float = 1.0


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the directory that stands for the user's home, and the scale of limits."""

    home: str
    limits: Limits = Limits()


class Stdin(StrEnum):
    """What the hook finds on standard input."""

    OBJECT = "object"  # one JSON object on one line, then end of file
    KEPT_OPEN = "kept_open"  # the object and a newline, then silence: no end of file
    EMPTY = "empty"
    GARBAGE = "garbage"  # bytes that are no JSON
    NOT_AN_OBJECT = "not_an_object"  # JSON, but a list
    HUGE_INTEGER = "huge_integer"  # the object, with a number of 5,000 digits in it
    DEEP_NESTING = "deep_nesting"  # the object, with a value nested 100,000 deep in it
    LONG = "long"  # the object, with a text of 8 MiB in it


class StopArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One stop as a host makes it (profile stop_hook).

    The JSON object on standard input has the fields of stop-hook-contract.md; ``drop`` leaves some out, ``replace``
    gives some another value (of any type), ``camel_case`` writes their names in camelCase. ``deserves`` is what the
    session in the transcript deserves, as the target file's samples state it; null when nobody stated it.
    """

    session_id: str = "session-1"
    transcript_path: str = "{home}/.claude/projects/demo/transcript.jsonl"
    event: str = "Stop"
    stop_hook_active: bool = False
    permission_mode: str = "default"
    last_assistant_message: str = ""
    stdin: Stdin = Stdin.OBJECT
    drop: tuple[str, ...] = ()
    replace: Mapping[str, Any] = msgspec.field(default_factory=dict)
    camel_case: bool = False
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    close_stdout: bool = False
    close_stderr: bool = False
    deserves: Decision | None = None
    role: Literal["control", "subject", "repeat"] = "subject"


class StopResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was seen of one hook process, and what its host would have done with it.

    ``decision`` is the host's: approve (the session ends) or block; ``means`` is how a block was said: json, exit_2 or
    nothing. ``output`` is the kind of its standard output: empty, object (exactly one JSON object of the host
    format), text, mixed (an object and something else), or several. ``stdout_excerpt`` and ``stderr_excerpt`` are
    at most 2,000 characters, paths hidden. ``start_error`` is an errno name when it could not be started.
    """

    decision: Decision
    means: Literal["json", "exit_2", "nothing"]
    output: Literal["empty", "object", "text", "mixed", "several"]
    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    flooded: bool = False
    children_left: tuple[str, ...] = ()
    stdout_excerpt: str = ""
    stderr_excerpt: str = ""
    start_error: str = ""


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "check": (CheckArguments, CheckResult),
    "continuation_prompt": (PromptArguments, PromptResult),
    "metrics": (MetricsArguments, MetricsResult),
    "stop": (StopArguments, StopResult),
}

CONFIG_DEFAULTS: Mapping[str, Any] = {"enabled": True, "timeout_seconds": 30}

GROUPS: Mapping[str, str] = {
    "power_steering": "a hook that follows document 004 in its configuration, semaphore, skip variable and limits",
}


_SCRIPTED: Mapping[str, str] = {
    CheckerOutcome.MISSING: "collaborator.missing",
    CheckerOutcome.KEYLESS: "collaborator.missing",
    CheckerOutcome.RAISES: "collaborator.raises",
    CheckerOutcome.INTERRUPTS: "collaborator.raises",
    CheckerOutcome.RECURSES: "collaborator.raises",
    CheckerOutcome.EXITS: "collaborator.exits",
    CheckerOutcome.HANGS: "collaborator.hangs",
    CheckerOutcome.HANGS_SWALLOWING: "collaborator.hangs",
    CheckerOutcome.SLOW: "collaborator.slow",
    CheckerOutcome.NETWORK_ERROR: "network.refused",
    CheckerOutcome.PRINTS: "collaborator.garbage",
}


def scripted_faults(operation: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """The faults of the fault table that these arguments themselves script, by name; args may be of any shape."""
    names: list[str] = []
    if operation == "check":
        asked = args.get("considerations") or ()
        outcomes = [item.get("outcome") for item in asked if isinstance(item, Mapping)]
        names += [_SCRIPTED[outcome] for outcome in outcomes if isinstance(outcome, str) and outcome in _SCRIPTED]
        names += _odd_id(args["session_id"] if args.get("session_id") is not None else _ABSENT)
    elif operation == "stop":
        replaced = args.get("replace") or {}
        dropped = "session_id" in (args.get("drop") or ())
        names += _odd_id(_ABSENT if dropped else replaced.get("session_id", args.get("session_id", "session-1")))
        names += ["environment.stdout_closed"] * bool(args.get("close_stdout"))
        names += ["environment.stderr_closed"] * bool(args.get("close_stderr"))
    return tuple(dict.fromkeys(names))


_ABSENT = object()
_LONG_ID_CHARACTERS = 255


def _odd_id(given: object) -> list[str]:
    """The faults of the family identifier that a session id is."""
    if given is _ABSENT:
        return ["identifier.absent"]
    if not isinstance(given, str):
        return ["identifier.null" if given is None else "identifier.wrong_type"]
    marks = {"/": "separators", "\\": "separators", "..": "dot_dot", "\0": "nul"}
    kinds = [kind for mark, kind in marks.items() if mark in given]
    kinds += ["absolute"] * given.startswith("/") + ["long"] * (len(given) >= _LONG_ID_CHARACTERS)
    kinds += ["unicode"] * (not given.isascii()) + ["empty"] * (not given) + ["whitespace"] * (given != given.strip())
    return [f"identifier.{kind}" for kind in kinds]


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation is given to read, by label: what a history records the beginning state of.

    A path that is not absolute, or no text, says nothing of where to look, so nothing is recorded of it.
    """
    given: dict[str, Any] = {}
    if operation == "check":
        root = args.get("project_root", "{project}")
        given = {"transcript": args.get("transcript_path", ""), "config": CONFIG_PATH.replace("{project}", str(root))}
    if operation == "stop":
        given = {"transcript": args.get("transcript_path", StopArguments().transcript_path), "config": CONFIG_PATH}
    return {label: path for label, path in given.items() if isinstance(path, str) and path.startswith(("{", "/"))}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``, of any type, or left out when it is ABSENT.

    An operation that has no such argument keeps its own.
    """
    if operation == "stop":
        drop = tuple(name for name in args.get("drop", ()) if name != field)
        replace = {name: given for name, given in args.get("replace", {}).items() if name != field}
        if isinstance(value, Absent):
            return {**args, "drop": (*drop, field), "replace": replace}
        return {**args, "drop": drop, "replace": {**replace, field: value}}
    kind = OPERATIONS[operation][0] if operation in OPERATIONS else None
    if kind is None or field not in kind.__struct_fields__:  # type: ignore[attr-defined]  # they are all structs
        return dict(args)
    if isinstance(value, Absent):
        return {name: given for name, given in args.items() if name != field}
    return {**args, field: value}
