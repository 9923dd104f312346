"""Where document 000 puts things, its numbers, and the words of the steps. Pure.

What the document names it names; of the rest the places are ours, and an implementation may have others where a
clause's readings say so. What stands in the files that scenarios bring along:

- CONTINUITY.md: any text, as UTF-8.
- orchestrator.json: ``{"phase": "DEVELOPMENT", ...}``; the phase is a text that is not empty, whatever else is there.
- pending.json and the other queues: see harness.systems.queue_files. The requirements of a task are the text of its
  ``description``.
- circuit-breakers.json: as the contract of circuit_breaker has it, by the breaker's name.
"""

from enum import StrEnum
from typing import Final

from harness.systems import queue_files

HOME: Final = "{home}"
CONTINUITY_PATH: Final = f"{HOME}/.loki/CONTINUITY.md"
STATE_DIRECTORY: Final = f"{HOME}/.loki/state"
ORCHESTRATOR_PATH: Final = f"{STATE_DIRECTORY}/orchestrator.json"
BREAKERS_PATH: Final = f"{STATE_DIRECTORY}/circuit-breakers.json"
QUEUE_DIRECTORY: Final = f"{HOME}/{queue_files.QUEUE_DIRECTORY}"
PENDING_PATH: Final = f"{HOME}/{queue_files.path_of(queue_files.PENDING)}"
IN_PROGRESS_PATH: Final = f"{HOME}/{queue_files.path_of(queue_files.IN_PROGRESS)}"
# Ours: the document asks for a checkpoint, a ledger and a specification, and says of none of them where it lies.
QUEUE_LOCK_PATH: Final = f"{QUEUE_DIRECTORY}/.lock"  # flock, exclusive, over every queue file
CHECKPOINT_PATH: Final = f"{STATE_DIRECTORY}/checkpoint.json"  # the last one
LEDGER_DIRECTORY: Final = f"{HOME}/.loki/memory/ledgers"
LEDGER_PATH: Final = f"{LEDGER_DIRECTORY}/tasks.jsonl"  # a line for each finished task
SPECIFICATION_PATH: Final = f"{HOME}/.loki/specs/interfaces.jsonl"  # a line for each specified interface

REDUCED_AGENTS: Final = 2  # Recovery Protocol 3: from 5 to 2
FULL_AGENTS: Final = 5
COOLDOWN_S: Final = 300.0  # Rate Limit Handling, circuit_breaker
INITIAL_DELAY_S: Final = 5.0  # Rate Limit Handling, strategy, with the next three
BACKOFF_MULTIPLIER: Final = 2
MAX_DELAY_S: Final = 300.0
MAX_RETRIES: Final = 5
HALF_OPEN_INTERVAL_S: Final = 10.0  # Configuration Tuning
SHOWN_CHARACTERS: Final = 4_096  # of a text that was read, an answer shows at least so many from its beginning


class Reason(StrEnum):
    """Why a session has to be recovered: the three Recovery Procedures."""

    CONTEXT_LOSS = "context_loss"
    RATE_LIMIT = "rate_limit"
    TEST_FAILURE = "test_failure"


class Kind(StrEnum):
    """What is begun. ``minor`` needs no checkpoint, ``major`` and ``spawn`` (of subagents) do (LK-SYS-04)."""

    MAJOR = "major"
    MINOR = "minor"
    SPAWN = "spawn"


class Claimed(StrEnum):
    """What became of a claim: a task was claimed, there was none to claim, or none could be (the log says why)."""

    CLAIMED = "claimed"
    NONE = "none"
    FAILED = "failed"


class Finished(StrEnum):
    """What became of the end of a task: it left in-progress, it was not there, or it could not (the log says why)."""

    COMPLETED = "completed"
    UNKNOWN = "unknown"
    FAILED = "failed"


class Outcome(StrEnum):
    """How a Recovery Procedure ended: the work goes on, or it does not."""

    RECOVERED = "recovered"
    FAILED = "failed"


class Failure(StrEnum):
    """What a test failure is: the same code passed and failed (flaky), or never passed (real)."""

    FLAKY = "flaky"
    REAL = "real"


class Action(StrEnum):
    """A step that an implementation took, as its adapter saw it."""

    # reads; ``ok`` says whether there was anything to read
    READ_CONTINUITY = "read_continuity"
    READ_ORCHESTRATOR = "read_orchestrator"  # ``detail`` is the phase
    READ_PENDING = "read_pending"
    READ_IN_PROGRESS = "read_in_progress"
    READ_OUTPUT = "read_output"  # ``detail`` is the output of the tests, or its first SHOWN_CHARACTERS at least
    READ_REQUIREMENTS = "read_requirements"  # ``detail`` is the task's id
    CHECK_BREAKER = "check_breaker"  # ``detail`` is the state: CLOSED, OPEN, HALF_OPEN, or empty when it is not known
    # acts
    DECIDE = "decide"  # the next action was chosen; ``detail`` is it
    RESUME_FROM_CHECKPOINT = "resume_from_checkpoint"  # ``detail`` is its name; ``ok`` false when there is none
    WAIT = "wait"  # for the cooldown: ``wait_s``
    REDUCE_AGENTS = "reduce_agents"  # to ``count``
    RETRY = "retry"  # one try, after ``wait_s`` seconds of backoff, without jitter; ``ok`` says whether it passed
    GIVE_UP = "give_up"  # no further try
    CLASSIFY = "classify"  # ``detail`` is a word of Failure
    ROLLBACK = "rollback"  # ``detail`` is the commit
    FIX = "fix"
    RERUN_ALL = "rerun_all"  # the whole suite; ``ok`` says whether it passed
    CHECKPOINT = "checkpoint"  # was written; ``detail`` is its name, ``ok`` false when it could not be
    PERFORM = "perform"  # the major or minor operation
    SPAWN = "spawn"  # ``count`` subagents that run at the same time
    SPECIFY = "specify"  # the interface change was written down; ``ok`` false when it could not be
    IMPLEMENT = "implement"  # the first change to code


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    CONTINUITY_UNREADABLE = "continuity_unreadable"
    ORCHESTRATOR_INVALID = "orchestrator_invalid"  # no object with a phase, or not to be read
    QUEUE_INVALID = "queue_invalid"  # a queue file is none; it is kept aside or left as it is
    QUEUE_UNREADABLE = "queue_unreadable"
    QUEUE_WRITE_FAILED = "queue_write_failed"
    LOCK_FAILED = "lock_failed"
    BREAKERS_INVALID = "breakers_invalid"  # no breakers, or not to be read
    CHECKPOINT_INVALID = "checkpoint_invalid"  # what was kept is none, or not to be read
    CHECKPOINT_WRITE_FAILED = "checkpoint_write_failed"
    LEDGER_INVALID = "ledger_invalid"  # a line is none, or it is not to be read
    LEDGER_WRITE_FAILED = "ledger_write_failed"
    SPECIFICATION_WRITE_FAILED = "specification_write_failed"
    TASK_UNKNOWN = "task_unknown"
    NOT_ISOLATED = "not_isolated"  # parallel implementation without a worktree for each
    BREAKER_OPEN = "breaker_open"
