"""Where document 002 puts things, its numbers, and its words. Pure.

What stands in the files that scenarios bring along; the document leaves it open, and this is ours:

- plan.md: a phase is a Markdown heading ``### Phase 2: Build [IN PROGRESS]``. The phase of an error is the heading with
  its name, or else with its number ("phase2" is "Phase 2"). Its mark is the last [..] of the heading, or stands in the
  lines below it, up to the next heading. All other lines are somebody's work and stay byte for byte.
- TODO.md: a task is a line ``- [ ] 259: title [IMPLEMENTING]``; the words compare without regard to case, and "_", "-"
  and a space are the same.
- state.json: ``{"tasks": {"259": "implementing"}}``, or an object with a ``status`` in place of the word.
"""

from enum import StrEnum

# The document names errors.json, a metadata file, TODO.md and state.json, and phases of a plan; the places are ours.
ERRORS_PATH = "{home}/specs/errors.json"
METADATA_PATH = "{home}/specs/.return-meta.json"
PLAN_PATH = "{home}/specs/plan.md"
TODO_PATH = "{home}/specs/TODO.md"
STATE_PATH = "{home}/specs/state.json"
SOURCE_PATH = "{home}/src/main.py"  # the source that a build failure leaves as it is

MCP_ABORTED = -32001  # MCP Abort Error Recovery, L154
MCP_RETRY_DELAY_S = 5.0
RESUME_GUIDANCE = "Run command again to resume"
PARTIAL_MARK = "[PARTIAL]"


class ErrorType(StrEnum):
    """Error Categories."""

    DELEGATION_HANG = "delegation_hang"
    TIMEOUT = "timeout"
    VALIDATION_FAILED = "validation_failed"
    STATUS_SYNC_FAILURE = "status_sync_failure"
    FILE_NOT_FOUND = "file_not_found"
    PARSE_ERROR = "parse_error"
    GIT_COMMIT_FAILURE = "git_commit_failure"
    BUILD_ERROR = "build_error"
    TOOL_UNAVAILABLE = "tool_unavailable"
    MCP_ABORT_ERROR = "mcp_abort_error"
    DELEGATION_INTERRUPTED = "delegation_interrupted"
    JQ_PARSE_FAILURE = "jq_parse_failure"


# Non-Blocking Errors: kinds that have no name among the categories are called so here.
METRIC_FAILURE = "metric_failure"
LOGGING_FAILURE = "logging_failure"  # of a log that is not critical
NON_BLOCKING = frozenset({ErrorType.GIT_COMMIT_FAILURE, METRIC_FAILURE, LOGGING_FAILURE})


class Severity(StrEnum):
    """Severity Levels."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Status(StrEnum):
    """Report Clearly."""

    FAILED = "failed"
    PARTIAL = "partial"


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    ERRORS_INVALID = "errors_invalid"  # errors.json is none; it is kept aside
    ERRORS_UNREADABLE = "errors_unreadable"
    ERRORS_WRITE_FAILED = "errors_write_failed"
    METADATA_INVALID = "metadata_invalid"
    METADATA_WRITE_FAILED = "metadata_write_failed"
    PLAN_INVALID = "plan_invalid"
    PLAN_WRITE_FAILED = "plan_write_failed"
    LOCK_FAILED = "lock_failed"
    ERROR_INVALID = "error_invalid"  # a field of the given error is missing or of another type
    NAME_UNKNOWN = "name_unknown"
    SYNC_FAILED = "sync_failed"


class Action(StrEnum):
    """A step that an implementation took, as its adapter saw it. Words for the four steps and the six procedures."""

    LOG = "log"  # a record went into errors.json
    # completed work and partial results were kept: into the metadata file, and if that could not be written, with what
    # the same process writes there next
    PRESERVE = "preserve"
    ENABLE_RESUME = "enable_resume"  # a resume point was stored
    REPORT = "report"
    ALERT = "alert"
    MARK_PARTIAL = "mark_partial"  # the phase, in the plan; if that could not be written, with the next mark
    COMMIT = "commit"  # git commit; ``ok`` says whether it succeeded
    READ_TODO = "read_todo"
    READ_STATE = "read_state"
    BLAME = "blame"  # git blame, of both files
    SYNC = "sync"  # ``detail`` is the file that was taken: todo or state
    LOG_RESOLUTION = "log_resolution"
    CAPTURE_OUTPUT = "capture_output"  # ``detail`` is the output of the build, or what jq said
    RETRY = "retry"  # ``detail`` is what was run; ``ok`` says whether it succeeded
    WAIT = "wait"  # ``wait_s``
    ALTERNATIVE = "alternative"  # ``detail`` is the tool; ``ok`` says whether it succeeded
    WRITE_METADATA = "write_metadata"
    CHECK_METADATA = "check_metadata"
    EXTRACT_PROGRESS = "extract_progress"  # ``detail`` is the resume point
    GUIDANCE = "guidance"  # ``detail`` is what is displayed
    CONTINUE = "continue"  # with the information there is
    RETURN_PARTIAL = "return_partial"
    WORK = "work"  # the substantive work of a delegation begins


class Response(StrEnum):
    """Severity Levels, Response. ``stop``: nothing goes on before a manual fix."""

    STOP = "stop"
    RECOVER = "recover"
    WORKAROUND = "workaround"
    IGNORE = "ignore"
    CONTINUE = "continue"  # a non-blocking error, of whatever severity


class RecoveryOutcome(StrEnum):
    """How a procedure ended. ``partial``: what there is was kept, and the next invocation goes on."""

    RECOVERED = "recovered"
    PARTIAL = "partial"
    FAILED = "failed"
