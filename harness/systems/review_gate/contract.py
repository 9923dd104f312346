"""The operations of a review gate: typed arguments and results, what is launched, where its state lies. Pure.

One profile, ``gate``. The harness plays static analysis and reviewers: what an answer launches it runs, and reports. A
round is one static analysis and one review by three reviewers of one task; the first of a task has the number 1, and
every other one the number after the last. Source: document 000, Common Issues and Red Flags.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments

SYSTEM: Final = "review_gate"
GATE: Final = "gate"
PROFILES: Final = (GATE,)
HOME: Final = "{home}"
STATE_DIRECTORY: Final = f"{HOME}/.loki/state"
GATE_PATH: Final = f"{STATE_DIRECTORY}/review-gate.json"  # ours: the document names no file
REVIEWERS: Final = ("reviewer-1", "reviewer-2", "reviewer-3")  # three, Always Do These; the names are ours
MODEL: Final = "sonnet"  # the same
TIME_LIMIT_S: Final = 600.0  # ours: nothing is said of a reviewer that never returns


class Severity(StrEnum):
    """How bad a finding is, the worst first; all but the last block (LK-GEN-04)."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Decision(StrEnum):
    """How a review stands."""

    PENDING = "pending"  # something that was launched has not returned
    BLOCKED = "blocked"  # findings that block are open: they have to be fixed, and everything reviewed again
    PASSED = "passed"


class LaunchKind(StrEnum):
    """What is launched."""

    STATIC_ANALYSIS = "static_analysis"
    REVIEWER = "reviewer"


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    NOT_REVIEWED = "not_reviewed"  # the task before has no review that passed
    NOT_OPEN = "not_open"  # nothing of that task is being reviewed
    REVIEWER_UNKNOWN = "reviewer_unknown"  # nobody of that name was launched in that round
    REPORTED_TWICE = "reported_twice"
    REPORTED_LATE = "reported_late"  # for a round that is over
    REPORTED_EARLY = "reported_early"  # before static analysis was complete, or before anything was launched
    REVIEWER_OVERDUE = "reviewer_overdue"
    STATE_UNREADABLE = "state_unreadable"
    STATE_INVALID = "state_invalid"
    STATE_WRITE_FAILED = "state_write_failed"


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the working directory."""

    home: str


class Launch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that is to run now. A reviewer has a ``name`` of REVIEWERS, under which it returns, and a ``model``."""

    kind: LaunchKind
    name: str
    model: str | None = None


class Issue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that a reviewer, or static analysis, found.

    A severity is one of the four words, in any case; what is none of them blocks as the worst.
    """

    severity: str
    message: str = ""


class BeginTaskArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A task is to be begun, after those that were begun before."""

    task: str


class BeginTaskResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Did it begin? Only when no task was begun before, or the review of the last one passed (LK-REV-01, LK-GEN-04).

    Who asks again for the task that was begun last is told that it began. One that was begun earlier may be begun once
    more: then it is one more task, and what its review found before lets nothing pass; its rounds are counted on. When
    what is known of the reviews is damaged or cannot be read, nothing begins; where there is no file nothing was begun.
    """

    begun: bool
    log: tuple[LogEntry, ...] = ()


class OpenArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That task, which was begun, is done: its review begins."""

    task: str


class FixedArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The findings of the last round are fixed: everything is reviewed again."""

    task: str


class AnalysedArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Static analysis of that round has ended, with these findings."""

    task: str
    round: int
    issues: tuple[Issue, ...] = ()


class ReportArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The reviewer of that name has returned, in that round, with these findings."""

    task: str
    round: int
    reviewer: str
    issues: tuple[Issue, ...] = ()


class StatusArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How does the review of that task stand?"""

    task: str


class ReviewResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is launched by this operation, together, and how the review stands after it.

    ``open`` and ``fixed`` launch static analysis, and no reviewer. When it is complete, whatever it found, just the
    three REVIEWERS are launched by one answer, each with the model sonnet (LK-GEN-03, LK-REV-02, LK-REV-03); who blocks
    at once on what static analysis found launches none, and reviews all after the fix. ``decision`` is pending until
    all three have returned; then it is blocked when a finding of this round, static analysis included, is critical,
    high or medium, and passed otherwise (LK-REV-04, LK-GEN-04). ``issues`` are just what blocks, of static analysis and
    of all reviewers, and empty when the decision is another one. ``round`` is the number of the last round, 0 where
    there was none. ``accepted``: the operation was one for this review at this time; what is not accepted changes
    nothing, launches nothing, and is told how the review stands all the same. ``status`` is for every review that was
    opened.

    A reviewer is overdue when more than TIME_LIMIT_S have passed since it was launched, or launched anew: then
    ``status`` may launch all that are missing anew, in one answer, under their names. It never passes a round; in the
    reading gives_up of LK-REV-04 it may say that the round is blocked, which is then reviewed again as a whole when it
    is said to be ``fixed``, after it was waited for, and launched anew, as often as one likes. A review that passed may
    be opened again; until it passes once more no other task begins.
    """

    accepted: bool
    decision: Decision
    round: int = 0
    launch: tuple[Launch, ...] = ()
    issues: tuple[Issue, ...] = ()
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "begin_task": (BeginTaskArguments, BeginTaskResult),
    "open": (OpenArguments, ReviewResult),
    "analysed": (AnalysedArguments, ReviewResult),
    "report": (ReportArguments, ReviewResult),
    "fixed": (FixedArguments, ReviewResult),
    "status": (StatusArguments, ReviewResult),
}

GROUPS: Mapping[str, str] = {}


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins."""
    del operation, args
    return {"gate": GATE_PATH}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)
