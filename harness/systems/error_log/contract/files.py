"""What stands in the files of the error log. Pure."""

from typing import Any

import msgspec

from harness.systems.error_log.contract.words import (
    Severity,
)


class Context(msgspec.Struct, frozen=True, omit_defaults=True):
    """Log the Error, context; null where it does not apply."""

    session_id: str | None
    command: str | None
    task: int | None
    phase: int | None
    checkpoint: str | None


class Trajectory(msgspec.Struct, frozen=True):
    """Log the Error, trajectory: outermost first, and an index into it."""

    delegation_path: tuple[str, ...]
    failed_at_depth: int


class Recovery(msgspec.Struct, frozen=True):
    """Log the Error, recovery."""

    suggested_action: str
    auto_recoverable: bool


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One record of errors.json; more fields may follow."""

    id: str
    timestamp: str
    type: str
    severity: Severity
    message: str
    context: Context
    fix_status: str
    trajectory: Trajectory | None = None
    recovery: Recovery | None = None


class ErrorsFile(msgspec.Struct, frozen=True):
    """errors.json as an object; a bare list of records is permitted as well."""

    errors: tuple[Record, ...]


class PartialProgress(msgspec.Struct, frozen=True):
    """The resume point of a task: the phase it goes on with, and whatever tells how far that was."""

    stage: str
    details: Any = None


class Metadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """The metadata file: ``status`` is in_progress while an agent works, partial when it left off; more may follow."""

    status: str
    task: int | None = None
    task_status: str | None = None
    completed: tuple[str, ...] = ()
    partial_progress: PartialProgress | None = None
