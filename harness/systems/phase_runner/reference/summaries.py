"""What is said when a run halts. Pure."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from harness.systems.phase_runner.contract import BlockedPhase, CompletedPhase, Conflict, FailedPhase, Missing, Summary
from harness.systems.phase_runner.contract.words import (
    LOGS_DIRECTORY,
    MAX_ATTEMPTS,
    STATE_DIRECTORY,
    USER_ACTIONS,
    FailureType,
    Status,
)
from harness.systems.phase_runner.reference.conflicts import joined
from harness.systems.phase_runner.reference.failures import UNKNOWN, FailureRules
from harness.systems.phase_runner.reference.records import Record

RULE: Final = "-" * 64
DOTS: Final = 44  # characters of a phase's name, with what leads to its status


class Command(NamedTuple):
    """How the runner was called."""

    home: str
    plan_path: str
    commit_mode: str

    def line(self, flag: str) -> str:
        """The call with that flag (AB-HLT-05)."""
        return f"/autobuild {shlex.quote(self.plan_path)} --commit={self.commit_mode} {flag}"


class Summaries:
    """Says how a run stands, from the records of its phases."""

    rules_class = FailureRules

    def __init__(self) -> None:
        self.rules = self.rules_class()

    def of(
        self, records: Sequence[Record], command: Command, stopped: str | None = None, files: int | None = None
    ) -> Summary:
        """The summary; ``stopped`` is a reason beside failed phases, ``files`` how many records there are if not these.

        AB-HLT-03, AB-HLT-05, AB-HLT-06.
        """
        failed = self.with_status(records, Status.FAILED)
        missing = next((found for found in map(missing_of, failed) if found is not None), None)
        found = Summary(
            reason=stopped or self.reason(failed),
            completed=tuple(map(self.completed, self.with_status(records, Status.COMPLETE))),
            failed=tuple(map(self.failed, failed)),
            blocked=tuple(map(self.blocked, self.with_status(records, Status.BLOCKED))),
            pending=tuple(each.phase_id for each in records if each.status in (Status.PENDING, Status.RUNNING)),
            state_directory=STATE_DIRECTORY.replace("{home}", command.home),
            state_files=len(records) if files is None else files,
            log_directory=LOGS_DIRECTORY.replace("{home}", command.home),
            resume_command=command.line("--resume"),
            fresh_command=command.line("--fresh"),
            resume_steps=self.steps(failed, stopped, command),
            text="",
            conflicts=joined(
                (conflict for each in failed for conflict in conflicts_of(each)),
                (each.phase_id for each in records),
            ),
            missing_package=missing.package if missing else None,
            required_by=missing.required_by if missing else None,
            install_step=missing.install if missing else None,
        )
        names = {each.phase_id: each.phase_name for each in records}
        return msgspec.structs.replace(found, text=text_of(found, names))

    def with_status(self, records: Iterable[Record], status: Status) -> list[Record]:
        """Those that have it."""
        return [each for each in records if each.status is status]

    def reason(self, failed: Sequence[Record]) -> str:
        """Every phase that failed, and how (AB-PAR-04, ``all``)."""
        return "; ".join(map(self.reason_of, failed))

    def reason_of(self, record: Record) -> str:
        """One of them."""
        type_ = str(last_error(record).get("type", UNKNOWN))
        if not self.rules.is_retryable(type_):
            return f"Phase {record.phase_id.upper()} failed: {type_}"
        how = "after retry" if record.attempt >= MAX_ATTEMPTS else "and is not retried, because the run halts"
        return f"Phase {record.phase_id.upper()} failed {how}"

    def completed(self, record: Record) -> CompletedPhase:
        """A phase that is complete, with the subject of its commit."""
        return CompletedPhase(record.phase_id, record.phase_name, record.commit.message if record.commit else None)

    def failed(self, record: Record) -> FailedPhase:
        """A phase that failed, with what a person can do (AB-ERR-06)."""
        error = last_error(record)
        type_ = str(error.get("type", UNKNOWN))
        parts = dict.fromkeys(str(error.get(name, "")) for name in ("message", "details"))
        return FailedPhase(
            record.phase_id,
            record.phase_name,
            record.attempt,
            type_,
            " - ".join(part for part in parts if part),
            user_actions=self.user_actions(type_),
        )

    def user_actions(self, type_: str) -> tuple[str, ...]:
        """What a person can do about that."""
        return USER_ACTIONS.get(FailureType(type_), ()) if type_ in tuple(FailureType) else ()

    def blocked(self, record: Record) -> BlockedPhase:
        """A phase that waits for others that failed."""
        by = (record.error or {}).get("blocked_by")
        return BlockedPhase(record.phase_id, record.phase_name, tuple(by) if isinstance(by, list) else ())

    def steps(self, failed: Sequence[Record], stopped: str | None, command: Command) -> tuple[str, ...]:
        """What is to be fixed, and how it goes on then."""
        fixes = [] if stopped is None else [f"Fix what stopped the run: {stopped}"]
        fixes += dict.fromkeys(step for each in failed for step in self.fixes(each))
        return (*fixes, f"Run: {command.line('--resume')}", f"To start fresh: {command.line('--fresh')}")

    def fixes(self, record: Record) -> list[str]:
        """What is to be fixed of one phase."""
        missing = missing_of(record)
        if missing is not None:
            return [f"Install missing dependency: {missing.install}"]
        conflicts = conflicts_of(record)
        if conflicts:
            return [f"Resolve the conflict in {each.file}: {'; '.join(each.options)}" for each in conflicts]
        found = self.failed(record)
        return [f"Fix phase {found.phase_id.upper()} ({found.error_type}): {found.details}"]


def last_error(record: Record) -> Mapping[str, Any]:
    """The error of the last attempt that failed; empty when none did."""
    for name in ("attempt_2", "attempt_1"):
        found = (record.error or {}).get(name)
        if isinstance(found, dict):
            return found
    return {}


def missing_of(record: Record) -> Missing | None:
    """The package that a phase lacked; None when it lacked none."""
    found: Missing | None = _converted(last_error(record).get("missing"), Missing)
    return found


def conflicts_of(record: Record) -> tuple[Conflict, ...]:
    """The files over which a phase failed."""
    captured = last_error(record).get("captured")
    found = captured.get("conflicts") if isinstance(captured, dict) else None
    conflicts: tuple[Conflict, ...] | None = _converted(found, tuple[Conflict, ...])
    return conflicts or ()


def _converted(value: Any, type_: Any) -> Any:
    """The value as that type; None when it is none."""
    try:
        return None if value is None else msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return None


def text_of(summary: Summary, names: Mapping[str, str]) -> str:
    """All of it, for people."""
    sections = [
        ("AUTOBUILD HALTED", [f"Reason: {summary.reason}"]),
        ("COMPLETED PHASES", [line for each in summary.completed for line in completed_lines(each)]),
        ("FAILED PHASE" + "S" * (len(summary.failed) > 1), [x for each in summary.failed for x in failed_lines(each)]),
        ("MISSING DEPENDENCY", missing_lines(summary)),
        ("FILE CONFLICTS", [line for each in summary.conflicts for line in conflict_lines(each)]),
        ("BLOCKED PHASES", [line for each in summary.blocked for line in blocked_lines(each)]),
        ("PENDING PHASES", [phase_line(each, names[each], "pending") for each in summary.pending]),
        (
            "STATE PRESERVED",
            [
                f"Directory: {summary.state_directory}",
                f"State files: {summary.state_files} phases",
                f"Logs: {summary.log_directory}",
            ],
        ),
        ("RESUME INSTRUCTIONS", [f"{number}. {step}" for number, step in enumerate(summary.resume_steps, 1)]),
    ]
    return "\n".join(line for title, lines in sections if lines for line in (RULE, title, RULE, *lines)) + "\n"


def phase_line(phase_id: str, name: str, status: str) -> str:
    """A phase and its status."""
    return f"{f'Phase {phase_id.upper()}: {name} ':.<{DOTS}} {status}"


def completed_lines(phase: CompletedPhase) -> list[str]:
    """A phase that is complete."""
    commit = [] if phase.commit is None else [f"  Commit: {phase.commit}"]
    return [phase_line(phase.phase_id, phase.name, "complete"), *commit]


def failed_lines(phase: FailedPhase) -> list[str]:
    """A phase that failed."""
    return [
        phase_line(phase.phase_id, phase.name, "FAILED"),
        f"  Attempts: {phase.attempts}/{phase.max_attempts}",
        f"  Error: {phase.error_type}",
        f"  Details: {phase.details}",
        *(f"  - {action}" for action in phase.user_actions),
    ]


def missing_lines(summary: Summary) -> list[str]:
    """A package that is missing."""
    if summary.missing_package is None:
        return []
    return [
        f"Package: {summary.missing_package}",
        f"Required by: {summary.required_by}",
        f"Install missing dependency: {summary.install_step}",
    ]


def conflict_lines(conflict: Conflict) -> list[str]:
    """A file that several phases changed."""
    sides = []
    for side in conflict.sides:
        lines = ", ".join(f"{each.first}-{each.last}" for each in side.lines)
        where = f" lines {lines}" if lines else ""
        sides.append(f"  Phase {side.phase_id.upper()} changed it{':' if where else ''}{where}")
    return [f"File: {conflict.file}", *sides, *(f"  - {option}" for option in conflict.options)]


def blocked_lines(phase: BlockedPhase) -> list[str]:
    """A phase that waits for one that failed."""
    by = ", ".join(each.upper() for each in phase.blocked_by)
    return [phase_line(phase.phase_id, phase.name, "blocked"), f"  Blocked by: {by}"]
