"""Where document 003 puts things, its numbers, its words and its texts. Pure.

What the document leaves open and its facts answer (../shared/spec: phase-runner-facts.md) is taken from there: the
directories below .autobuild, the plan's columns, which phases run together, what resume does with each status.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

HOME: Final = "{home}"
STATE_DIRECTORY: Final = f"{HOME}/.autobuild"
PHASES_DIRECTORY: Final = f"{STATE_DIRECTORY}/phases"
LOGS_DIRECTORY: Final = f"{STATE_DIRECTORY}/logs"
CONFIG_PATH: Final = f"{STATE_DIRECTORY}/config.json"
EXECUTION_LOG_PATH: Final = f"{LOGS_DIRECTORY}/execution.log"
COMMITS_PATH: Final = f"{STATE_DIRECTORY}/commits.sh"  # when commits are only prepared
MAX_ATTEMPTS: Final = 2  # Single Retry Strategy
VERSION: Final = "1.0"  # of config.json
LOG_LINES: Final = 500  # of a phase log; longer ones keep so many at each end:
LOG_END_LINES: Final = 250
FINAL: Final = "Failed after maximum retries"  # Retry State Update
COLUMNS: Final = ("Phase", "Name", "Depends On", "Parallel With", "Estimate", "Status")


def normalised(raw: str) -> str:
    """The id of a phase as it is kept: without the word "Phase", lower-case, letters and digits only ("Phase 2-A": 2a).

    Empty when nothing is left. Letters and digits are those of ASCII, so that an id is a file name everywhere.
    """
    word = re.sub(r"^\s*phase\b", "", raw, count=1, flags=re.IGNORECASE)
    return "".join(each for each in word.lower() if each.isascii() and each.isalnum())


def phase_path(phase_id: str) -> str:
    """The record of the phase of that id."""
    return f"{PHASES_DIRECTORY}/phase-{phase_id}.json"


def log_path(phase_id: str) -> str:
    """The log of the phase of that id."""
    return f"{LOGS_DIRECTORY}/phase-{phase_id}.log"


class Status(StrEnum):
    """How a phase stands (AB-STA-04)."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    BLOCKED = "blocked"


class FailureType(StrEnum):
    """The twelve failure types, those that are retried first (Failure Classification)."""

    TEST_FAILURE = "test_failure"
    LINT_ERROR = "lint_error"
    TYPECHECK_ERROR = "typecheck_error"
    FORMAT_ERROR = "format_error"
    TASK_INCOMPLETE = "task_incomplete"
    VERIFICATION_MISMATCH = "verification_mismatch"
    TIMEOUT = "timeout"
    PARSE_ERROR = "parse_error"
    DEPENDENCY_MISSING = "dependency_missing"
    CIRCULAR_DEPENDENCY = "circular_dependency"
    FILE_CONFLICT = "file_conflict"
    PLAN_INVALID = "plan_invalid"


RETRYABLE: Final = frozenset(list(FailureType)[:8])


class Problem(StrEnum):
    """What is wrong with a plan; each ends the start as plan_invalid, but a cycle, which has a type of its own."""

    NO_TABLE = "no_table"
    SEVERAL_TABLES = "several_tables"
    NO_PHASES = "no_phases"
    MISSING_COLUMN = "missing_column"
    BAD_ID = "bad_id"  # nothing of it is left when it is normalised
    DUPLICATE_ID = "duplicate_id"
    UNKNOWN_ID = "unknown_id"
    SELF_DEPENDENCY = "self_dependency"
    CYCLE = "cycle"


class Mode(StrEnum):
    """What becomes of the state that is there. ``default`` resumes when there is one, and is new when there is none."""

    DEFAULT = "default"
    RESUME = "resume"
    FRESH = "fresh"


class CommitMode(StrEnum):
    """What becomes of the commit of a phase: it is made, written down only, or made at the end for all phases."""

    AUTO = "auto"
    MESSAGE_ONLY = "message-only"
    SINGLE = "single"


class Gate(StrEnum):
    """The quality gates of a phase."""

    LINT = "lint"
    FORMAT = "format"
    TYPECHECK = "typecheck"
    TEST = "test"


GATE_FAILURES: Final[Mapping[Gate, FailureType]] = {
    Gate.LINT: FailureType.LINT_ERROR,
    Gate.FORMAT: FailureType.FORMAT_ERROR,
    Gate.TYPECHECK: FailureType.TYPECHECK_ERROR,
    Gate.TEST: FailureType.TEST_FAILURE,
}


class LaunchKind(StrEnum):
    """What is launched: the sub-agent of a phase, or the fresh verification of what it claims (AB-ERR-05)."""

    PHASE = "phase"
    VERIFICATION = "verification"


class Event(StrEnum):
    """The events of the execution log, one line each."""

    START = "START"
    CONFIG = "CONFIG"
    BATCH = "BATCH"
    PHASE_START = "PHASE_START"
    PHASE_COMPLETE = "PHASE_COMPLETE"
    PHASE_FAIL = "PHASE_FAIL"
    RETRY = "RETRY"
    VERIFY = "VERIFY"
    COMMIT = "COMMIT"
    HALT = "HALT"
    COMPLETE = "COMPLETE"


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    STATE_CORRUPT = "state_corrupt"  # the message names the file
    STATE_UNREADABLE = "state_unreadable"
    STATE_WRITE_FAILED = "state_write_failed"
    STATE_NEWER = "state_newer"  # of a version that is not known
    PLAN_CHANGED = "plan_changed"  # records and plan disagree
    PHASE_UNKNOWN = "phase_unknown"
    NOT_LAUNCHED = "not_launched"  # what was reported is not awaited
    ALREADY_REPORTED = "already_reported"
    NOT_STARTED = "not_started"
    COMMITS_REMAIN = "commits_remain"  # fresh undoes no commit (AB-FRS-02)
    NOT_A_DIRECTORY = "not_a_directory"  # .autobuild leads elsewhere, and is not followed
    LOG_WRITE_FAILED = "log_write_failed"


GUIDANCE: Final[Mapping[FailureType, str]] = {
    FailureType.TEST_FAILURE: "Fix the failing tests. The errors are in {FILES}. Common issues: incorrect assertions,"
    " missing mocks, async timing.",
    FailureType.LINT_ERROR: "Fix linting errors. Run `{LINT_COMMAND}` to see current errors. Most are auto-fixable with"
    " `{LINT_FIX_COMMAND}`.",
    FailureType.TYPECHECK_ERROR: "Fix type errors. Run `{TYPECHECK_COMMAND}` to see current errors. Check that function"
    " signatures match usage.",
    FailureType.TIMEOUT: "Previous attempt timed out. Focus on completing tasks efficiently. If tests are slow,"
    " consider running targeted tests only.",
    FailureType.VERIFICATION_MISMATCH: "Previous sub-agent reported success but verification failed. Run ALL quality"
    " gates after EVERY change. Ensure tests pass at the end, not just during development.",
}
"""Retry guidance (Error Type Handling), with single spaces for line breaks. Three retryable types have none there."""

USER_ACTIONS: Final[Mapping[FailureType, tuple[str, ...]]] = {
    FailureType.TEST_FAILURE: (
        "Review test failures manually",
        "Check if tests are flaky",
        "Verify test assumptions match implementation",
    ),
    FailureType.LINT_ERROR: (
        "Review lint rules",
        "Consider disabling problematic rules",
        "Check for conflicting lint configurations",
    ),
    FailureType.TYPECHECK_ERROR: (
        "Review type definitions",
        "Check for missing @types packages",
        "Verify tsconfig/mypy configuration",
    ),
    FailureType.TIMEOUT: (
        "Increase timeout (if justified)",
        "Break phase into smaller phases",
        "Check for infinite loops or hanging operations",
    ),
    FailureType.VERIFICATION_MISMATCH: (
        "Review sub-agent logs",
        "Check for race conditions",
        "Verify no external state changes",
    ),
}
"""User action if retry fails (the same)."""

CONFLICT_OPTIONS: Final = (
    "Manually merge the changes",
    "Modify plan to make these phases sequential",
    "Split the shared file to avoid conflicts",
)
"""Resolution options of a file conflict (Non-Retryable Errors)."""
