"""Document 002 as tables: severity and response, type and procedure, and what the document leaves open (ours)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from harness.systems.error_log.contract import (
    LOGGING_FAILURE,
    METRIC_FAILURE,
    Action,
    ErrorType,
    RecoveryOutcome,
    Response,
    Severity,
)

UNKNOWN = "unknown"  # our word where none of the categories fits

# Severity Levels, Response
RESPONSE_OF: Mapping[str, Response] = {
    Severity.CRITICAL: Response.STOP,
    Severity.HIGH: Response.RECOVER,
    Severity.MEDIUM: Response.WORKAROUND,
    Severity.LOW: Response.IGNORE,
}


class Default(NamedTuple):
    """What a record says of an error whose giver did not; the document has no such table, so this one is ours."""

    severity: Severity
    suggested_action: str
    auto_recoverable: bool


ANY_DEFAULT = Default(Severity.MEDIUM, "Read the message, remove the cause and run the command again", False)

DEFAULT_OF: Mapping[str, Default] = {
    ErrorType.DELEGATION_HANG: Default(Severity.HIGH, "Run the command again to resume", True),
    ErrorType.TIMEOUT: Default(Severity.HIGH, "Run the command again to resume", True),
    ErrorType.VALIDATION_FAILED: Default(Severity.MEDIUM, "Correct the input and run the command again", False),
    ErrorType.STATUS_SYNC_FAILURE: Default(Severity.MEDIUM, "Sync TODO.md and state.json to the newer one", True),
    ErrorType.FILE_NOT_FOUND: Default(Severity.MEDIUM, "Restore the file and run the command again", False),
    ErrorType.PARSE_ERROR: Default(Severity.MEDIUM, "Repair the file and run the command again", False),
    ErrorType.GIT_COMMIT_FAILURE: Default(Severity.LOW, "Commit by hand when git works again", True),
    ErrorType.BUILD_ERROR: Default(Severity.HIGH, "Fix what the build reports and run the command again", False),
    ErrorType.TOOL_UNAVAILABLE: Default(Severity.MEDIUM, "Start the tool, or use another one", False),
    ErrorType.MCP_ABORT_ERROR: Default(Severity.MEDIUM, "Retry once after five seconds", True),
    ErrorType.DELEGATION_INTERRUPTED: Default(Severity.HIGH, "Run command again to resume", True),
    ErrorType.JQ_PARSE_FAILURE: Default(Severity.MEDIUM, 'Retry with the "| not" pattern', True),
    METRIC_FAILURE: Default(Severity.LOW, "Nothing: metrics go on with the next one", True),
    LOGGING_FAILURE: Default(Severity.LOW, "Nothing: the log goes on with the next entry", True),
}


class When(StrEnum):
    """Conditions of a step."""

    ALWAYS = "always"
    PHASE_FAILED = "phase_failed"  # it is known which one
    RETRY_WORKED = "retry_worked"
    RETRY_FAILED = "retry_failed"
    OTHER_TOOL = "other_tool"  # the retry failed, and there is another tool
    OTHER_WORKED = "other_worked"
    NOTHING_WORKED = "nothing_worked"
    NOT_RECOVERED = "not_recovered"


class Planned(NamedTuple):
    """One step of a procedure."""

    action: Action
    when: When = When.ALWAYS


class Procedure(NamedTuple):
    """Steps in order, and how it ends when nothing in it recovers (``otherwise``)."""

    steps: tuple[Planned, ...]
    otherwise: RecoveryOutcome = RecoveryOutcome.PARTIAL


_LOGGED = Planned(Action.LOG)
_PRESERVED = Planned(Action.PRESERVE)
_MARKED = Planned(Action.MARK_PARTIAL, When.PHASE_FAILED)
_RESUMABLE = Planned(Action.ENABLE_RESUME)
_REPORTED = Planned(Action.REPORT)

# Error Response Pattern
GENERAL = Procedure((_LOGGED, _PRESERVED, _MARKED, _RESUMABLE, _REPORTED))
STOPPED = Procedure((_LOGGED, _PRESERVED, _MARKED, _RESUMABLE, Planned(Action.ALERT), _REPORTED))
# Non-Blocking Errors: log and continue, report at end. What there is, is kept all the same.
NON_BLOCKING = Procedure((_LOGGED, _PRESERVED, Planned(Action.CONTINUE)), RecoveryOutcome.RECOVERED)

HANDLING: Mapping[Response, Procedure] = {
    Response.STOP: STOPPED,
    Response.RECOVER: GENERAL,
    Response.WORKAROUND: GENERAL,
    Response.IGNORE: GENERAL,
    Response.CONTINUE: NON_BLOCKING,
}

# Recovery Strategies. What they do not name (keeping progress, the report) stands where the general pattern has it.
PROCEDURES: Mapping[str, Procedure] = {
    ErrorType.TIMEOUT: Procedure((_LOGGED, _PRESERVED, _MARKED, Planned(Action.COMMIT), _RESUMABLE, _REPORTED)),
    ErrorType.STATUS_SYNC_FAILURE: Procedure(
        (
            _LOGGED,
            _PRESERVED,
            Planned(Action.READ_TODO),
            Planned(Action.READ_STATE),
            Planned(Action.BLAME),
            Planned(Action.SYNC),
            Planned(Action.LOG_RESOLUTION),
            Planned(Action.REPORT, When.NOT_RECOVERED),
        ),
        RecoveryOutcome.FAILED,
    ),
    ErrorType.BUILD_ERROR: Procedure(
        (Planned(Action.CAPTURE_OUTPUT), _LOGGED, _PRESERVED, _MARKED, _RESUMABLE, _REPORTED), RecoveryOutcome.FAILED
    ),
    ErrorType.JQ_PARSE_FAILURE: Procedure(
        (
            Planned(Action.CAPTURE_OUTPUT),
            _LOGGED,
            _PRESERVED,
            Planned(Action.RETRY),
            Planned(Action.LOG_RESOLUTION, When.RETRY_WORKED),
            Planned(Action.MARK_PARTIAL, When.RETRY_FAILED),
            Planned(Action.ENABLE_RESUME, When.RETRY_FAILED),
            Planned(Action.REPORT, When.RETRY_FAILED),
        ),
        RecoveryOutcome.FAILED,
    ),
    ErrorType.MCP_ABORT_ERROR: Procedure(
        (
            _LOGGED,
            _PRESERVED,
            Planned(Action.WAIT),
            Planned(Action.RETRY),
            Planned(Action.ALTERNATIVE, When.OTHER_TOOL),
            Planned(Action.WRITE_METADATA, When.NOTHING_WORKED),
            Planned(Action.CONTINUE, When.OTHER_WORKED),
            Planned(Action.MARK_PARTIAL, When.NOTHING_WORKED),
            Planned(Action.RETURN_PARTIAL, When.NOTHING_WORKED),
            Planned(Action.REPORT, When.NOTHING_WORKED),
        ),
    ),
    ErrorType.DELEGATION_INTERRUPTED: Procedure(
        (
            Planned(Action.CHECK_METADATA),
            Planned(Action.EXTRACT_PROGRESS),
            _LOGGED,
            _PRESERVED,
            _MARKED,
            _RESUMABLE,
            Planned(Action.GUIDANCE),
            _REPORTED,
        ),
    ),
    ErrorType.GIT_COMMIT_FAILURE: NON_BLOCKING,
    METRIC_FAILURE: NON_BLOCKING,
    LOGGING_FAILURE: NON_BLOCKING,
}
