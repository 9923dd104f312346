"""The operations of an agent's session: typed arguments and results, its files, words and log codes. Pure.

One profile, ``session``. The harness plays the outside that a procedure meets (tests, commits, tries against a
provider, subagents): what happens there goes in as arguments, and what the implementation did comes out as the steps
that its adapter saw it take, in order. The world's clock stands still during an operation: who waits says so in a step
and goes on. Words that are not in Action are the implementation's own, and nothing is concluded from them, wherever
they stand. What was read comes back as content, which nobody can tell who did not read.

Every operation answers, whatever it finds: what is damaged, missing or cannot be written is told of in ``log``, with a
code of LogCode, at the level warning or error. A move of a task writes its new queue before the old one is rewritten:
at every instant there is one copy at least, and after the next operation that edits queues exactly one. A finished task
is in the ledger, or kept where the implementation likes. What an operation did that was never answered, because it was
killed, is open: all of it, nothing, or the part of a move that leaves two copies; who keeps a journal does the rest
next time, with the next edit of a queue at the latest. Nobody puts back a task that is in progress.
Source: document 000, Common Issues, Red Flags and Recovery Procedures.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments, queue_files
from harness.systems.session_recovery.contract.files import (
    Checkpoint,
    LedgerLine,
    Orchestrator,
    SpecificationLine,
)
from harness.systems.session_recovery.contract.words import (
    BACKOFF_MULTIPLIER,
    BREAKERS_PATH,
    CHECKPOINT_PATH,
    CONTINUITY_PATH,
    COOLDOWN_S,
    FULL_AGENTS,
    HALF_OPEN_INTERVAL_S,
    HOME,
    IN_PROGRESS_PATH,
    INITIAL_DELAY_S,
    LEDGER_DIRECTORY,
    LEDGER_PATH,
    MAX_DELAY_S,
    MAX_RETRIES,
    ORCHESTRATOR_PATH,
    PENDING_PATH,
    QUEUE_DIRECTORY,
    QUEUE_LOCK_PATH,
    REDUCED_AGENTS,
    SHOWN_CHARACTERS,
    SPECIFICATION_PATH,
    STATE_DIRECTORY,
    Action,
    Claimed,
    Failure,
    Finished,
    Kind,
    LogCode,
    Outcome,
    Reason,
)

__all__ = [
    "BACKOFF_MULTIPLIER",
    "BREAKERS_PATH",
    "CHECKPOINT_PATH",
    "CONTINUITY_PATH",
    "COOLDOWN_S",
    "FULL_AGENTS",
    "HALF_OPEN_INTERVAL_S",
    "HOME",
    "INITIAL_DELAY_S",
    "IN_PROGRESS_PATH",
    "LEDGER_DIRECTORY",
    "LEDGER_PATH",
    "MAX_DELAY_S",
    "MAX_RETRIES",
    "ORCHESTRATOR_PATH",
    "PENDING_PATH",
    "QUEUE_DIRECTORY",
    "QUEUE_LOCK_PATH",
    "REDUCED_AGENTS",
    "SHOWN_CHARACTERS",
    "SPECIFICATION_PATH",
    "STATE_DIRECTORY",
    "Action",
    "Checkpoint",
    "Claimed",
    "Failure",
    "Finished",
    "Kind",
    "LedgerLine",
    "LogCode",
    "Orchestrator",
    "Outcome",
    "Reason",
    "SpecificationLine",
]

SYSTEM = "session_recovery"
SESSION = "session"
PROFILES = (SESSION,)


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the directory that ``.loki`` lies in."""

    home: str


class StepTaken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step; Action says what ``ok``, ``detail``, ``wait_s`` (seconds, 0 or more) and ``count`` mean for each."""

    action: str
    ok: bool = True
    detail: str = ""
    wait_s: float | None = None
    count: int | None = None


class BeginTurnArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A turn of the agent begins. ``tree`` is its decision tree: the next action in each phase."""

    tree: Mapping[str, str] = msgspec.field(default_factory=dict)


class BeginTurnResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, read_continuity first whether there is such a file or not (LK-GEN-01).

    ``continuity`` is the text of CONTINUITY.md, at least its first SHOWN_CHARACTERS, null when there is none that can
    be read; of bytes that are no UTF-8 it may be anything. Of a turn that begins with no task in in-progress.json
    (LK-GEN-07), ``phase`` is that of orchestrator.json and ``action`` what the tree has for it, chosen after
    read_orchestrator and told of by decide; null when there is no phase, or the tree has none of that name. What is
    done with a task in progress is the implementation's own: there ``phase`` is null or that of the file, ``action``
    anything.
    """

    steps: tuple[StepTaken, ...]
    continuity: str | None = None
    phase: str | None = None
    action: str | None = None
    log: tuple[LogEntry, ...] = ()


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a Recovery Procedure meets outside; a context loss meets nothing.

    Rate limit: ``breaker`` is the name of the breaker that guards what was limited, ``agents`` how many run at once (1
    or more), ``failing_tries`` how many of the tries that follow are limited again (0 or more); the next one passes.
    Test failure: ``output`` is what the tests said. ``reruns`` is what running the failed test again, unchanged, gives,
    each time: one that passes makes it flaky, none of at least one makes it real; of no reruns nothing is known.
    ``last_passing_commit`` is null when there is none. ``rollback_needed``: the fix cannot be made on what there is; it
    is false for a flaky test. ``suite`` is what the whole suite gives after each fix; the last goes on for ever.
    """

    breaker: str = "api/claude"
    agents: int = FULL_AGENTS
    failing_tries: int = 0
    output: str = ""
    reruns: tuple[bool, ...] = (False,)
    last_passing_commit: str | None = None
    rollback_needed: bool = False
    suite: tuple[bool, ...] = (True,)


class ResumeArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The session is recovered by the procedure for that reason."""

    reason: Reason
    facts: Facts = Facts()


class ResumeResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, how it ended, and what was read; fields of the two other procedures stay null or empty.

    Context loss (LK-RC-01): read_continuity, read_orchestrator, read_in_progress, resume_from_checkpoint, in this
    order, all four whether there is anything to read or not. ``continuity`` is as in BeginTurnResult, ``phase`` that of
    orchestrator.json or null. ``interrupted`` has the ids of the tasks of in-progress.json, each once, in any order;
    one that another queue has as well may be left out. ``checkpoint`` is the name of the last checkpoint that was
    stored (by checkpoint, or within begin_operation), by whichever process, by the order of their making and not by
    any time; ``state`` is what was handed over with it. Both are null when there is none. One that is damaged, or gone
    with .loki/state, counts as none, or an older one comes back where the implementation keeps more; one that nobody
    made never does. The detail of resume_from_checkpoint is that name. ``outcome`` is recovered, and failed only when
    files could not be read, or are damaged, which the log says. The tasks stay in in-progress.json.

    Rate limit (LK-RC-02): check_breaker, wait, reduce_agents, retry as often as needed, in this order. While the
    breaker is OPEN and ``cooldown_until`` is to come, ``wait_s`` is what is left of it (a second more at most), or all
    of COOLDOWN_S; where more than that is left another clock wrote it, and everything from COOLDOWN_S to what is left
    will do. In HALF_OPEN, or when the time is not known, it is from 0 to COOLDOWN_S. In CLOSED, for a breaker nobody
    has used (no file, or none of that name), and for OPEN whose time has come, nothing is waited for: no wait, or
    0 s; who always waits for the whole does that here, too. A damaged file tells nothing, and any wait up to
    COOLDOWN_S will do. ``agents`` is the count of reduce_agents: REDUCED_AGENTS for FULL_AGENTS, otherwise fewer than
    before and at least 1; REDUCED_AGENTS and fewer may stay as they are. The tries come after 5, 10, 20, 40 ...
    seconds, never more than MAX_DELAY_S, or the first at once and the others after 5, 10, 20 ...; ``ok`` is as the
    facts say. After the try that passes there is none, and the outcome is recovered; after 4 to 6 that did not there
    is give_up, and it is failed.

    Test failure (LK-RC-03): read_output, classify, rollback, fix, rerun_all, in this order. ``failure`` is the word of
    classify. rollback comes when it is needed and there is a commit, and never otherwise. A flaky test is fixed, too.
    fix and rerun_all may come again while the suite fails, with ``ok`` as the facts say, as often as the
    implementation likes; the last is rerun_all, and the outcome is recovered when that passed, and failed when not.
    """

    steps: tuple[StepTaken, ...]
    outcome: Outcome
    continuity: str | None = None
    phase: str | None = None
    interrupted: tuple[str, ...] = ()
    checkpoint: str | None = None
    state: Mapping[str, Any] | None = None
    agents: int | None = None
    failure: Failure | None = None
    log: tuple[LogEntry, ...] = ()


class ClaimArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A worker, of that name, wants a task to work on."""

    worker: str


class ClaimResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``task`` is the task that is this worker's now, null unless the outcome is claimed.

    It is one of pending.json, whichever, with every field it has there (the implementation may add some of its own, and
    change those), and has been moved to in-progress.json when the answer comes; everything else in both files stays.
    A task whose id is in in-progress.json or completed.json too is none to claim, and of two of one id in pending.json
    only one is handed out. One that blocked.json, dead-letter.json or abandoned.json has as well may be handed out or
    not: it may have come from there. Copies of a task that is in several queues may be taken away but for one. An
    entry without a task_id is none to claim, and stays.
    The outcome is failed when the files could not be read, written or locked: then nothing was claimed, and the task is
    still there. When only pending.json cannot be rewritten, it may be claimed as well, and a copy stays there as long,
    of which the log tells; nobody is handed that out. So with complete and in-progress.json. A damaged pending.json has
    no tasks, and its content is not written over: it is kept, in its place or aside. So is that of in-progress.json. Of
    a number that no float holds anything may be left.
    """

    outcome: Claimed
    task: Mapping[str, Any] | None = None
    log: tuple[LogEntry, ...] = ()


class StartTaskArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Work on a task begins. ``interface`` is the interface as it will be, null when none changes."""

    task_id: str
    interface: str | None = None


class StartTaskResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, and whether implementing began: then implement is among them, otherwise not.

    read_requirements comes before implement, and ``requirements`` is a text that has the task's ``description`` in it,
    wherever in the queue files the task is (in-progress.json first), at least its first SHOWN_CHARACTERS (LK-GEN-08). A
    task that no queue has is not begun, and one that is not in progress may be refused. What is done about one whose
    description is no text, or empty, is the implementation's own. With an interface, specify comes before implement,
    and ``specification`` is the path, below the home, of a file that has the text of it since (LK-GEN-06); when it
    could not be written, nothing is begun. A path is relative, with slashes: ``.loki/specs/interfaces.jsonl``.
    """

    steps: tuple[StepTaken, ...]
    started: bool
    requirements: str | None = None
    specification: str | None = None
    log: tuple[LogEntry, ...] = ()


class CompleteArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The worker has finished that task."""

    worker: str
    task_id: str


class CompleteResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether this call finished the task: it was in in-progress.json and no longer is, and everything else stays.

    The outcome is unknown when it was not there; of several that finish one task at once only one is told completed.
    What happens to the task of another worker is the implementation's own: completed or unknown. ``recorded`` is true
    when the ledger has it (LK-GEN-05), and ``ledger`` is the path, below the home, of the file that holds it. When the
    ledger cannot be written, either the task stays and the outcome is failed, or it is completed and not recorded;
    both say so in the log. Where a finished task is kept beside, as in completed.json, is the implementation's own.
    """

    outcome: Finished
    recorded: bool = False
    ledger: str | None = None
    log: tuple[LogEntry, ...] = ()


class LedgerArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has been finished?"""


class LedgerResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The ids of the tasks the ledger has, each once, in the order in which they were first recorded."""

    task_ids: tuple[str, ...]
    log: tuple[LogEntry, ...] = ()


class CheckpointArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state is checkpointed; ``name`` is new. ``state`` is handed back as it is by resume, after a context loss."""

    name: str
    state: Mapping[str, Any]


class CheckpointResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``stored``: it is on disk, and outlives the process. ``path``, below the home, is the file that holds it."""

    stored: bool
    path: str | None = None
    log: tuple[LogEntry, ...] = ()


class BeginOperationArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An operation is to begin; ``name`` is new, and that of its checkpoint, whose ``state`` is the one given.

    For a spawn, ``agents`` (1 or more) subagents are to run at the same time; those of earlier operations have ended.
    ``implementing``: they change code; otherwise they only read, as reviewers do. ``worktrees`` is how many worktrees
    there are for them beside the main checkout. ``breaker`` names the circuit breaker that guards the operation, null
    when none does.
    """

    name: str
    kind: Kind
    state: Mapping[str, Any] = msgspec.field(default_factory=dict)
    agents: int = 1
    implementing: bool = False
    worktrees: int = 0
    breaker: str | None = None


class BeginOperationResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The steps taken, and whether the operation began: then perform (or spawn, with its count) is among them.

    Before a major operation and before a spawn, a checkpoint of that name was stored, and ``checkpoint`` is the path,
    below the home, of the file that holds it (LK-SYS-04); when it could not be, nothing begins. A minor operation needs
    none, and may have one, as may one that does not begin: the step checkpoint, with ``ok``, tells that it was stored,
    and then it counts as the last. A guarded operation has check_breaker before it; while the breaker is OPEN and its
    ``cooldown_until`` is to come it does not begin (LK-SYS-05); CLOSED, or one that nobody has used, lets it begin.
    HALF_OPEN, OPEN whose time has come or is not known, and a damaged file: it may begin or not. A file that cannot be
    read opens nothing: what is OPEN in it forbids, and is not told to be CLOSED. Breakers belong to circuit_breaker:
    who moves one makes legal moves only; who waited for a cooldown, as the step wait tells, may find it HALF_OPEN. What
    begins begins once, and no more agents run than were asked for. Implementing agents that run at the same time have a
    worktree each (LK-SYS-01). When there are too few of them, the operation does not begin, or fewer run at a time: the
    count of spawn is how many do. In all other situations an operation begins, and with as many agents as asked for.
    """

    steps: tuple[StepTaken, ...]
    performed: bool
    checkpoint: str | None = None
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "begin_turn": (BeginTurnArguments, BeginTurnResult),
    "resume": (ResumeArguments, ResumeResult),
    "claim": (ClaimArguments, ClaimResult),
    "start_task": (StartTaskArguments, StartTaskResult),
    "complete": (CompleteArguments, CompleteResult),
    "ledger": (LedgerArguments, LedgerResult),
    "checkpoint": (CheckpointArguments, CheckpointResult),
    "begin_operation": (BeginOperationArguments, BeginOperationResult),
}

GROUPS: Mapping[str, str] = {}

FILES: Mapping[str, Any] = {
    ORCHESTRATOR_PATH: Orchestrator,
    CHECKPOINT_PATH: Checkpoint,
    LEDGER_PATH: LedgerLine,
    SPECIFICATION_PATH: SpecificationLine,
}
"""What stands in the files, by path; in those whose names end in jsonl, on each line."""


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins.

    The queues have their own names as labels (pending, in-progress, ...).
    """
    del operation, args
    queues = {queue: f"{HOME}/{queue_files.path_of(queue)}" for queue in queue_files.QUEUES}
    return {
        "continuity": CONTINUITY_PATH,
        "orchestrator": ORCHESTRATOR_PATH,
        "breakers": BREAKERS_PATH,
        "checkpoint": CHECKPOINT_PATH,
        "ledger": LEDGER_PATH,
        "specification": SPECIFICATION_PATH,
        **queues,
    }


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)
