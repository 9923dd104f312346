"""The operations of the dead-letter queue: typed arguments and results, its files, words and log codes. Pure.

One profile, ``queue``, which binds everybody. The harness plays the agents that fail, the sessions that begin, and what
a real system would ask a model, CI or a human (``TaskFacts``). What an implementation did is read from the queue files;
its answers have to say the same. Every operation is given the time of its call, and stamps with it (RFC 3339, UTC).

What holds for every operation:

- It never raises, whatever stands in the files: what is wrong is told in ``log``. It answers within a bounded time when
  another process holds a lock.
- Nothing is kept in memory between operations: what could not be written is answered as not done (``recorded``,
  ``stored``, ``reviewed``, ``abandoned``, false), and whoever asked may ask again.
- A queue file that is damaged (``queue_files.read`` gives None) is never replaced so that its bytes are gone: they stay
  where they are, or lie in a file beside it. Then the queue counts as empty. Who leaves the file in its place may
  answer that what had to be written there was not done.
- A task that stands in more than one queue file (a crash between two writes, LK-DQ-23) is in exactly one of them when
  the next operation is answered that could write; which copy stays is open, as long as no attempt that was acknowledged
  is lost. Any operation may finish a move that another began and did not end, also of a task whose failure_count is
  above FAILURES_AT_MOST in a queue of WORK_QUEUES; otherwise only record_failure, review, start_session and abandon
  move tasks.
- Lock files, temporary files, directories and other files beside the queues are nobody's concern.

Source: document 000, Dead Letter Queue (L376-537).
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments
from harness.systems.dead_letter.contract.files import (
    ABANDON_REASON,
    ATTEMPT_FIELDS,
    DATA_FIELDS,
    FIX_COMMIT,
    LINKED_TO,
    METADATA_FIELDS,
    RECOVERY_REASON,
    TASK_FIELDS,
    attempts_of,
    data_of,
    failure_count_of,
    failures_of,
    has_failed,
    normalised,
)
from harness.systems.dead_letter.contract.words import (
    ABANDONED_PATH,
    ATTEMPTS_AT_MOST,
    AWAITING,
    BLOCKED_PATH,
    COMPLETED_PATH,
    CONFIDENCE_AT_LEAST,
    DEAD_LETTER_PATH,
    ESCALATION_HEADINGS,
    ESCALATIONS_PATH,
    FAILURES_AT_MOST,
    IN_PROGRESS_PATH,
    IRREVERSIBLE,
    OPTION_WORDS_AT_LEAST,
    OPTIONS_AT_LEAST,
    PENDING_PATH,
    QUEUE_PATHS,
    QUEUES_PATH,
    SAME_ERROR_APPROACHES,
    SECURITY,
    SECURITY_WORDS,
    SHARED_CAUSE_TASKS,
    STALE_AFTER_S,
    WORK_QUEUES,
    ErrorType,
    Happening,
    LogCode,
    Priority,
    Strategy,
    Touch,
    Verdict,
)

__all__ = [
    "ABANDONED_PATH",
    "ABANDON_REASON",
    "ATTEMPTS_AT_MOST",
    "ATTEMPT_FIELDS",
    "AWAITING",
    "BLOCKED_PATH",
    "COMPLETED_PATH",
    "CONFIDENCE_AT_LEAST",
    "DATA_FIELDS",
    "DEAD_LETTER_PATH",
    "ESCALATIONS_PATH",
    "ESCALATION_HEADINGS",
    "FAILURES_AT_MOST",
    "FIX_COMMIT",
    "IN_PROGRESS_PATH",
    "IRREVERSIBLE",
    "LINKED_TO",
    "METADATA_FIELDS",
    "OPTIONS_AT_LEAST",
    "OPTION_WORDS_AT_LEAST",
    "PENDING_PATH",
    "QUEUES_PATH",
    "QUEUE_PATHS",
    "RECOVERY_REASON",
    "SAME_ERROR_APPROACHES",
    "SECURITY",
    "SECURITY_WORDS",
    "SHARED_CAUSE_TASKS",
    "STALE_AFTER_S",
    "TASK_FIELDS",
    "WORK_QUEUES",
    "ErrorType",
    "Happening",
    "LogCode",
    "Priority",
    "Strategy",
    "Touch",
    "Verdict",
    "attempts_of",
    "data_of",
    "failure_count_of",
    "failures_of",
    "has_failed",
    "normalised",
]

SYSTEM = "dead_letter"
QUEUE = "queue"
PROFILES = (QUEUE,)


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the directory that the paths above lie below."""

    home: str


class AttemptGiven(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One attempt that failed, of any types when hostile; its number and timestamp are the implementation's.

    ``approach``: what was tried; ``error_type``: a word of ErrorType, or another failure's (a crash, a rate limit), see
    LK-DQ-06; ``error_message``: the full error text; ``agent_id``: who tried.
    """

    approach: Any = None
    error_type: Any = None
    error_message: Any = None
    agent_id: Any = None


class RecordFailureArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attempt at that task failed. The task is looked for in WORK_QUEUES."""

    task_id: str
    attempt: AttemptGiven


class RecordFailureResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The attempt is the last of the task's attempts, and its failure_count one higher (L378, LK-DQ-01, LK-DQ-05).

    ``recorded`` is false when that was not done: there is no such task in WORK_QUEUES, its queue could not be read or
    written, or a field of the attempt is of a type that nothing can be made of; then nothing has changed,
    ``failure_count`` is null and ``moved`` false. An attempt that lacks fields, or whose error_type is no text or no
    word of ErrorType, may be recorded with something in their place, or not recorded: but what is answered is so.
    ``failure_count`` is the new count. ``moved`` says whether the task is in dead-letter now, as it has to be when the
    count is above FAILURES_AT_MOST; its fields are then those of TASK_FIELDS. A task that is not moved stays where it
    is, or goes from in-progress or blocked to pending. A task that moves may be escalated at once: then it is in
    ``notified`` (task ids), has an escalation file, and the strategy requires_human_review.
    """

    recorded: bool
    moved: bool
    failure_count: int | None
    notified: tuple[str, ...] = ()
    log: tuple[LogEntry, ...] = ()


class Scope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reduced scope: the title and description of the new task, word for word (L449)."""

    title: str
    description: str


class TaskFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a model, CI or a human says about one task when the review asks. What is not given is not so.

    The first four are the retry conditions (L441-450): ``dependency_available``; ``new_approach``, in words that become
    the ``approach`` of a new last entry of attempts; ``simpler_scope``; ``fixed_by``, the commit that fixed the
    blocking bug. The next two are abandon criteria (L460-461): ``dependency_never`` (it will never be available) and
    ``irrelevant`` (the scope is). The others are what a human is needed for (L479-484): ``touches``, words of Touch;
    ``rollback_failed``, meant for a deletion or migration; ``root_cause``, a text that tasks with the same cause share;
    ``confidence``, 0 to 1, that the recovery strategy is right, null for not asked; ``needs``, API keys, credentials
    and third-party actions, one text each; ``readings``, how many valid interpretations the spec has.
    """

    dependency_available: bool = False
    new_approach: str | None = None
    simpler_scope: Scope | None = None
    fixed_by: str | None = None
    dependency_never: bool = False
    irrelevant: bool = False
    touches: tuple[str, ...] = ()
    rollback_failed: bool = False
    root_cause: str | None = None
    confidence: float | None = None
    needs: tuple[str, ...] = ()
    readings: int = 1


class SessionArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A session begins, or somebody asks for a review; ``facts`` by task id, those of other tasks are not used."""

    facts: Mapping[str, TaskFacts] = msgspec.field(default_factory=dict)


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What became of one task of the dead-letter queue.

    ``decision`` is a word of Verdict, taken in its order: retried when any retry condition is met, else abandoned when
    any criterion is (ten attempts, the same error in three approaches, or as the facts say), else human when any
    trigger is, else left. ``reason`` says why, in words, not empty. ``strategy`` is the recovery_strategy that the
    stored task has from now on: requires_human_review for human, permanent_abandon for abandoned; for left
    dependency_blocked when every failed attempt is a ``dependency``, retry_with_simpler_approach when none is, either
    otherwise (LK-DQ-24); for retried dependency_resolved where a dependency became available, else any or null.
    ``created`` is the id of the task of reduced scope, new in all queues, when one was made. ``stored`` is false when
    what follows from the decision could not be written: the task is then as it was before, and is decided about by the
    next review.

    What retried means on disk: the task is in pending, in no other queue, with its attempts, its data, a recovery
    reason and for each condition that was taken up the document's action: recovery_strategy dependency_resolved;
    failure_count 0 and the new approach as last attempt, error_type and error_message null; the commit. Of several
    conditions that are met at once at least one is taken up, and a new approach always is when the task itself goes to
    pending; without one the count stays. Where ``simpler_scope`` is taken up a new task with that title and description
    is in pending, the original's id in one of its fields, and the original is where the reading of LK-DQ-15 has it; one
    that stays in dead-letter names the new task's id in one of its fields, and later reviews make no second one but
    leave it.
    """

    task_id: str
    decision: str
    reason: str
    strategy: str | None = None
    created: str | None = None
    stored: bool = True


class SessionResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``start_session``: when last_reviewed is more than STALE_AFTER_S old, missing or no time, the queue is reviewed.

    ``review`` reviews it always. ``reviewed``: it was, and to its end: every task of dead-letter that has a task_id is
    in ``decisions`` once, in the order of the file, and last_reviewed is the time of the call; when a decision could
    not be stored, or last_reviewed not be written, it is false, and last_reviewed is what it was. Without a dead-letter
    file, or with no task in it, both answers are right. ``order`` has the words of Happening in the order in which it
    all happened: review, decided once for each decision, last_reviewed; ``start_session`` ends with work, whether
    reviewed or not, ``review`` does not. ``notified`` are the ids of the tasks that a human was told of in this call.
    """

    reviewed: bool
    decisions: tuple[Decision, ...] = ()
    order: tuple[str, ...] = ()
    notified: tuple[str, ...] = ()
    log: tuple[LogEntry, ...] = ()


class AbandonArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A human, ``by``, says that this task of the dead-letter queue is given up, and why (L462); no text is empty."""

    task_id: str
    by: str
    reason: str


class AbandonResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``abandoned``: is the task in abandoned.json, and nowhere else, now?

    The given reason is part of a text of the stored task. A task that is already there stays as it is. One that stands
    in another queue than dead-letter may be abandoned or refused; one that is nowhere cannot.
    """

    abandoned: bool
    log: tuple[LogEntry, ...] = ()


class ListArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tasks stand in that queue, a word of queue_files.QUEUES?"""

    queue: str


class ListResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """They as they are stored, in the order of the file; none of an unknown queue, or of one that cannot be read."""

    tasks: tuple[Mapping[str, Any], ...]
    log: tuple[LogEntry, ...] = ()


class EscalationsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which escalations lie in ESCALATIONS_PATH?"""


class Escalation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file there: its path below ESCALATIONS_PATH, with "/", and its content, null when it is no UTF-8.

    The harness compares the content with what it sees of the file.
    """

    name: str
    text: str | None


class EscalationsResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All regular files whose names end in ".md" and begin with no ".", in the directory or below it, in any order.

    Temporary files are not among them. An adapter may read the directory itself.
    """

    files: tuple[Escalation, ...]
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "record_failure": (RecordFailureArguments, RecordFailureResult),
    "start_session": (SessionArguments, SessionResult),
    "review": (SessionArguments, SessionResult),
    "abandon": (AbandonArguments, AbandonResult),
    "list": (ListArguments, ListResult),
    "escalations": (EscalationsArguments, EscalationsResult),
}

GROUPS: Mapping[str, str] = {}


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The queue files, by the queue's name: what a history records the state of when any operation begins."""
    del operation, args
    return QUEUE_PATHS


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)
