"""The operations of a phase runner: typed arguments and results. Pure.

One profile, ``runner``. The harness plays the sub-agents, the fresh verifications and git: what an answer launches it
runs, what it commits it commits, and what came of it it reports, in any order. Texts in answers are for people, facts
are what is judged. Source: document 003, and the facts it relies on.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments
from harness.systems.phase_runner.contract.records import ConfigRecord, PhaseRecord
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    MAX_ATTEMPTS,
    CommitMode,
    FailureType,
    Gate,
    LaunchKind,
    LogCode,
    Mode,
    Problem,
    Status,
    normalised,
    phase_path,
)

SYSTEM = "phase_runner"
RUNNER = "runner"
PROFILES = (RUNNER,)
__all__ = ["LogCode"]  # beside what stands here
RECORDS_SEEN = 64  # of one operation: a plan may have thousands


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the working directory, in which .autobuild lies."""

    home: str


class Commands(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The commands of the project, which fill the placeholders of the guidance; null where it has none."""

    lint: str | None = None
    lint_fix: str | None = None
    format: str | None = None
    typecheck: str | None = None
    test: str | None = None


class StartArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A run begins, or goes on.

    ``plan`` is the text of the file ``plan_path``: Markdown with one table that has the columns of COLUMNS, in any
    order and case, others beside them; a hyphen, or nothing, means none; a bar within a cell has a backslash before it.
    Ids are normalised: see normalised. ``modes`` says what becomes of the state that is there; resume and fresh
    together are for AB-FRS-03.
    """

    plan: str
    plan_path: str = "docs/feature-plan.md"
    modes: tuple[Mode, ...] = ()
    commit_mode: CommitMode = CommitMode.AUTO
    commands: Commands = Commands()


class PlanError(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why no phase of a plan runs.

    ``phases`` are the ids it is about, ``edges`` those of a cycle: (phase, depends on).
    """

    type: FailureType
    problem: Problem
    message: str
    phases: tuple[str, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()


class RetryContext(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """What a retry is told of the attempt before (AB-RTY-05). ``retry_guidance`` has no placeholder left."""

    previous_error_type: str
    previous_error_message: str
    previous_error_details: str
    tasks_completed: int
    tasks_total: int
    retry_guidance: str


class Launch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that is to run now, together with all others of its answer. ``context`` is that of a retry."""

    kind: LaunchKind
    phase_id: str
    attempt: int = 1
    context: RetryContext | None = None


class Commit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A commit that is to be made now: of those phases, with that subject."""

    phases: tuple[str, ...]
    subject: str


class CompletedPhase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A phase that is complete; ``commit`` is the subject of its commit, null when it has none."""

    phase_id: str
    name: str
    commit: str | None = None


class FailedPhase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A phase that failed. ``user_actions`` are those of its type, empty where the document has none (AB-ERR-06)."""

    phase_id: str
    name: str
    attempts: int
    error_type: str
    details: str
    max_attempts: int = MAX_ATTEMPTS
    user_actions: tuple[str, ...] = ()


class BlockedPhase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A phase downstream of one that failed, and which that is (AB-HLT-04)."""

    phase_id: str
    name: str
    blocked_by: tuple[str, ...]


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines ``first`` to ``last``, from 1, both included."""

    first: int
    last: int


class ConflictSide(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A phase that changed a file, and where; no lines are known of a file that was created or deleted."""

    phase_id: str
    lines: tuple[Range, ...] = ()


class Conflict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A file that several phases of a batch changed, by its normalised path, and how that is resolved (AB-NRT-04)."""

    file: str
    sides: tuple[ConflictSide, ...]
    options: tuple[str, ...]


class Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why a run halted, and how things stand (AB-HLT-03, AB-HLT-05). ``text`` has all of it for people.

    ``state_files`` is how many phase records there are. ``resume_command`` repeats the path of the plan and the commit
    mode and adds --resume; ``fresh_command`` has --fresh instead. ``resume_steps`` begin with what is to be fixed.
    ``missing_package`` and ``required_by`` are those of a missing dependency, ``install_step`` is what installs it.
    """

    reason: str
    completed: tuple[CompletedPhase, ...]
    failed: tuple[FailedPhase, ...]
    blocked: tuple[BlockedPhase, ...]
    state_directory: str
    state_files: int
    log_directory: str
    resume_command: str
    fresh_command: str
    resume_steps: tuple[str, ...]
    text: str
    pending: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    missing_package: str | None = None
    required_by: str | None = None
    install_step: str | None = None


class RunnerResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is launched and committed now, and how the run stands.

    ``accepted``: the operation was one for this run at this time; what is not accepted changes nothing, and launches
    nothing. ``error`` is what is wrong with the plan; then no phase runs. ``halting``: a halt was triggered, and what
    runs is waited for; no phase is launched any more, but what is claimed by then may still be verified. ``halted``: it
    is over, with its ``summary``. ``completed``: every phase is complete. A run that is neither halted nor completed
    has something running, or launches it.
    """

    accepted: bool
    launch: tuple[Launch, ...] = ()
    commits: tuple[Commit, ...] = ()
    halting: bool = False
    halted: bool = False
    completed: bool = False
    error: PlanError | None = None
    summary: Summary | None = None
    log: tuple[LogEntry, ...] = ()


class ReportArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The sub-agent of a phase has ended, in that attempt.

    ``said`` is all it said: JSON of a SubagentResult if it is sound (AB-ERR-07). It is null when it gave no answer in
    time: ``elapsed_s`` is how long it had, ``last_activity`` what it did last, null when nobody knows (AB-ERR-04).
    """

    phase_id: str
    attempt: int
    said: str | None = None
    elapsed_s: float | None = None
    last_activity: str | None = None


class GateFailure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One case that a gate found: a test with its message, a rule that is broken, types that do not meet."""

    file: str
    message: str = ""
    name: str | None = None  # of a test
    rule: str | None = None  # of a linter
    line: int | None = None
    expected: str | None = None  # of a type checker, with the next
    actual: str | None = None


class GateResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a gate: it passed with ``exit_code`` 0 and no failures. null: its command is not there."""

    exit_code: int | None
    command: str = ""
    output_summary: str = ""
    failures: tuple[GateFailure, ...] = ()


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that was changed, by its path below the project, as the sub-agent wrote it, and in which lines."""

    path: str
    lines: tuple[Range, ...] = ()


class Missing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A package that is not installed, what needs it, and how it is installed (AB-NRT-01)."""

    package: str
    required_by: str
    install: str


class SubagentResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a sub-agent says of its phase.

    It claims success, or gives ``message`` and ``details`` of what failed. Which type that is follows from the facts: a
    dependency that is missing; tasks that are not done; the first gate that failed, in the order of Gate.
    """

    success: bool
    tasks_total: int
    tasks_completed: int
    gates: Mapping[Gate, GateResult] = {}
    created: tuple[Change, ...] = ()
    modified: tuple[Change, ...] = ()
    deleted: tuple[Change, ...] = ()
    commit_subject: str = ""
    message: str = ""
    details: str = ""
    missing: Missing | None = None


class VerifiedArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The fresh verification of what a phase claimed has ended, with what its gates found (AB-ERR-05)."""

    phase_id: str
    attempt: int
    gates: Mapping[Gate, GateResult]


class StatusArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How do these phases stand, by normalised ids; all when none is named? The harness reads the records of those."""

    of: tuple[str, ...] = ()


class PhaseState(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How one phase stands. ``error_type`` is that of its last failure."""

    phase_id: str
    status: Status
    attempt: int = 0
    error_type: str | None = None


class StatusResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The phases that were asked for, in the order of the plan; none when there is no run."""

    phases: tuple[PhaseState, ...]
    halted: bool = False
    completed: bool = False
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "start": (StartArguments, RunnerResult),
    "report": (ReportArguments, RunnerResult),
    "verified": (VerifiedArguments, RunnerResult),
    "status": (StatusArguments, StatusResult),
}

GROUPS: Mapping[str, str] = {}

FILES: Mapping[str, Any] = {phase_path("<id>"): PhaseRecord, CONFIG_PATH: ConfigRecord}
"""What stands in the files, by path."""


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: config, execution log and commits, and the records of the phases it names.

    Of the phases of a plan the first RECORDS_SEEN; a record has the label ``record <id>``.
    """
    named: list[str] = []
    if operation == "start":
        named = ids_in(args.get("plan"))
    elif operation == "status":
        named = [each for each in args.get("of") or () if isinstance(each, str)]
    elif isinstance(args.get("phase_id"), str):
        named = [args["phase_id"]]
    ids = [each for each in named if each and each == normalised(each)][:RECORDS_SEEN]
    records = {f"record {each}": phase_path(each) for each in ids}
    return {"config": CONFIG_PATH, "execution_log": EXECUTION_LOG_PATH, "commits": COMMITS_PATH, **records}


def ids_in(plan: object) -> list[str]:
    """What may be ids of phases in the text of a plan: every first cell of a line, normalised, each once."""
    if not isinstance(plan, str):
        return []
    cells = (line.strip().removeprefix("|").partition("|") for line in plan.splitlines() if "|" in line)
    return list(dict.fromkeys(found for cell, _, _ in cells if (found := normalised(cell))))


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)
