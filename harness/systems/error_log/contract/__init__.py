"""The operations of the error log: typed arguments and results, its files, words and log codes. Pure.

One profile, ``log``. The harness plays the command that runs the phases of a task, and the outside that a recovery
meets (git, jq, an MCP tool): what happened goes in as arguments, and what the implementation did comes out as the steps
that its adapter saw it take, in order. An error is *named* by who logs it, so that scenarios can speak of records whose
ids nobody foresees. Records and responses come back as the JSON objects of document 002, as they are; the oracle judges
their fields, one clause each. Source: document 002.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments
from harness.systems.error_log.contract.files import (
    Context,
    ErrorsFile,
    Metadata,
    PartialProgress,
    Record,
    Recovery,
    Trajectory,
)
from harness.systems.error_log.contract.words import (
    ERRORS_PATH,
    LOGGING_FAILURE,
    MCP_ABORTED,
    MCP_RETRY_DELAY_S,
    METADATA_PATH,
    METRIC_FAILURE,
    NON_BLOCKING,
    PARTIAL_MARK,
    PLAN_PATH,
    RESUME_GUIDANCE,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
    Action,
    ErrorType,
    LogCode,
    RecoveryOutcome,
    Response,
    Severity,
    Status,
)

__all__ = [
    "ERRORS_PATH",
    "LOGGING_FAILURE",
    "MCP_ABORTED",
    "MCP_RETRY_DELAY_S",
    "METADATA_PATH",
    "METRIC_FAILURE",
    "NON_BLOCKING",
    "PARTIAL_MARK",
    "PLAN_PATH",
    "RESUME_GUIDANCE",
    "SOURCE_PATH",
    "STATE_PATH",
    "TODO_PATH",
    "Action",
    "Context",
    "ErrorType",
    "ErrorsFile",
    "LogCode",
    "Metadata",
    "PartialProgress",
    "Record",
    "Recovery",
    "RecoveryOutcome",
    "Response",
    "Severity",
    "Status",
    "Trajectory",
]

SYSTEM = "error_log"
LOG = "log"
PROFILES = (LOG,)


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the directory that the paths above lie below."""

    home: str


class ErrorGiven(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An error as it occurs, of any shape when hostile; what is not given, the log fills in.

    ``context``, ``trajectory`` and ``recovery`` are those of the record. ``partial_progress`` is what an interrupted
    delegation left.
    """

    type: Any
    message: Any
    severity: Any = None
    context: Any = None
    trajectory: Any = None
    recovery: Any = None
    partial_progress: Any = None


class LogArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error occurred; ``name`` is new."""

    name: str
    error: ErrorGiven


class LogResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``record`` is the record as made; ``stored`` is false when it could not be written and is only kept in memory.

    A record that is kept goes into the file with the next one that can be written.
    """

    record: Mapping[str, Any] | None
    stored: bool
    log: tuple[LogEntry, ...] = ()


class ReadArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The records of one session, or of all when it is null."""

    session_id: str | None = None


class ReadResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """They, in the order in which they were logged."""

    records: tuple[Mapping[str, Any], ...]
    log: tuple[LogEntry, ...] = ()


class PatternsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which errors recur across operations?"""


class Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A type, how many records have it, and in how many sessions (records without one count as none)."""

    type: str
    count: int
    sessions: int


class PatternsResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One pattern for each type that has more than one record, in any order."""

    patterns: tuple[Pattern, ...]
    log: tuple[LogEntry, ...] = ()


class SetFixStatusArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody works on the error of that name: ``status`` is in_progress or fixed."""

    name: str
    status: str


class SetFixStatusResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``record`` as it is now, null when the name is unknown."""

    record: Mapping[str, Any] | None
    stored: bool
    log: tuple[LogEntry, ...] = ()


class Incident(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What happened, before anybody gave it a type.

    ``source`` is where: mcp_tool, delegation, operation, validation, file, json, yaml, jq, git, build or status.
    ``code`` is an MCP error code. ``responded``: did the tool or agent answer at all; ``aborted``, ``timed_out``,
    ``ended``: how it stopped; ``metadata_status`` is the status its metadata says; ``missing``: the file is not there.
    """

    source: str
    code: int | None = None
    responded: bool = True
    aborted: bool = False
    timed_out: bool = False
    ended: bool = False
    metadata_status: str | None = None
    missing: bool = False


class ClassifyArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which type is it?"""

    incident: Incident


class ClassifyResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A word of ErrorType, or another of the implementation's own."""

    type: str
    log: tuple[LogEntry, ...] = ()


class StepTaken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step, of Action; other words are the implementation's own, and nothing is concluded from them."""

    action: str
    ok: bool = True
    detail: str = ""
    wait_s: float | None = None


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How far a task is: its phases in order, the completed ones, the one it failed at, what that had produced."""

    task: int
    phases: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    failed_at: str | None = None
    partial: Any = None


class HandleArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error occurs while a task runs: the whole Error Response Pattern; ``name`` is new."""

    name: str
    error: ErrorGiven
    progress: Progress


class HandleResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, what is done about it, whether the execution goes on, and the returned error of the document.

    What could not be kept in the files, nor marked in the plan, is told of in ``log``, kept in memory, and written with
    the next operation that can. The same holds for recover.
    """

    steps: tuple[StepTaken, ...]
    response: str
    continues: bool
    returned: Mapping[str, Any] | None = None
    log: tuple[LogEntry, ...] = ()


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a recovery procedure meets outside.

    ``commit_succeeds``, ``retry_succeeds``, ``alternative_succeeds``: how git, the retried command or tool and the
    alternative end. ``alternative`` is another tool there is, null when there is none. ``todo_changed`` and
    ``state_changed`` are what git blame says (RFC 3339), null for edits that are not committed. ``command`` is the
    failed command, for jq with its filter, or the tool; ``output`` is what the build, jq or tool said.
    """

    commit_succeeds: bool = True
    retry_succeeds: bool = True
    alternative: str | None = None
    alternative_succeeds: bool = True
    todo_changed: str | None = None
    state_changed: str | None = None
    command: str = ""
    output: str = ""


class RecoverArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The procedure for the error's type is carried out; ``name`` is new, the procedure logs the error itself."""

    name: str
    error: ErrorGiven
    progress: Progress
    facts: Facts = Facts()


class RecoverResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, how it ended, and the task's status afterwards where the procedure has one (researching ...)."""

    steps: tuple[StepTaken, ...]
    outcome: str
    task_status: str | None = None
    returned: Mapping[str, Any] | None = None
    log: tuple[LogEntry, ...] = ()


class BeginArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A delegation for a task begins: ``status`` is the task's, researching or implementing."""

    task: int
    session_id: str
    agent: str
    delegation_path: tuple[str, ...]
    status: str


class BeginResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, the last of which is the work's beginning."""

    steps: tuple[StepTaken, ...]
    log: tuple[LogEntry, ...] = ()


class ResumeArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The next invocation of the command for that task begins."""

    task: int


class ResumeResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where it goes on, null for the beginning, and what is completed and left as it is."""

    resume_at: str | None
    completed: tuple[str, ...] = ()
    partial: Any = None
    log: tuple[LogEntry, ...] = ()


class FinishArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The execution ends: what did not stop it is reported."""


class Reported(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One non-blocking error in the report at the end."""

    name: str
    type: str
    message: str


class FinishResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """They, in the order in which they occurred, since the process began or the last report.

    Those that were logged by ``log`` and those that were handled; one that occurred within a procedure, as a commit
    that fails, by the name of the error whose procedure it was.
    """

    reported: tuple[Reported, ...]
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "log": (LogArguments, LogResult),
    "read": (ReadArguments, ReadResult),
    "patterns": (PatternsArguments, PatternsResult),
    "set_fix_status": (SetFixStatusArguments, SetFixStatusResult),
    "classify": (ClassifyArguments, ClassifyResult),
    "handle": (HandleArguments, HandleResult),
    "recover": (RecoverArguments, RecoverResult),
    "begin": (BeginArguments, BeginResult),
    "resume": (ResumeArguments, ResumeResult),
    "finish": (FinishArguments, FinishResult),
}

GROUPS: Mapping[str, str] = {}


FILES: Mapping[str, Any] = {ERRORS_PATH: ErrorsFile, METADATA_PATH: Metadata}
"""What stands in the files, by path."""


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins."""
    del args
    found = {"errors": ERRORS_PATH, "metadata": METADATA_PATH, "plan": PLAN_PATH}
    if operation in ("recover", "read", "finish"):  # the latter two show what a recovery left of them
        found |= {"todo": TODO_PATH, "state": STATE_PATH, "source": SOURCE_PATH}
    return found


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)
