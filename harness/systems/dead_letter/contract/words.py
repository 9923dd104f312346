"""Where document 000 puts things, its numbers, and its words. Pure.

Paths begin with ``{home}``, the directory of ``Configuration.home``. The names of the queues and what a file of them
looks like are those of ``harness.systems.queue_files``.
"""

from enum import StrEnum
from typing import Final

from harness.systems.queue_files import (
    ABANDONED,
    BLOCKED,
    COMPLETED,
    DEAD_LETTER,
    IN_PROGRESS,
    PENDING,
    QUEUE_DIRECTORY,
    QUEUES,
    path_of,
)

QUEUE_PATHS: Final = {queue: f"{{home}}/{path_of(queue)}" for queue in QUEUES}
"""The file of each queue, by the queue's name; these names are the labels of ``inputs_of``, too."""

QUEUES_PATH: Final = f"{{home}}/{QUEUE_DIRECTORY}"
DEAD_LETTER_PATH: Final = QUEUE_PATHS[DEAD_LETTER]
ABANDONED_PATH: Final = QUEUE_PATHS[ABANDONED]
PENDING_PATH: Final = QUEUE_PATHS[PENDING]
IN_PROGRESS_PATH: Final = QUEUE_PATHS[IN_PROGRESS]
BLOCKED_PATH: Final = QUEUE_PATHS[BLOCKED]
COMPLETED_PATH: Final = QUEUE_PATHS[COMPLETED]
ESCALATIONS_PATH: Final = "{home}/.loki/escalations"

WORK_QUEUES: Final = (PENDING, IN_PROGRESS, BLOCKED)
"""Where a task that fails may stand: ``record_failure`` looks in these, and in no other."""

FAILURES_AT_MOST: Final = (
    4  # failures that a task may have and still be tried again; at five it is a dead letter (L378)
)
ATTEMPTS_AT_MOST: Final = 9  # attempts that a dead letter may have and not be abandoned for it; ten are too many (L458)
SAME_ERROR_APPROACHES: Final = 3  # different approaches with the same error that abandon a task (L459)
SHARED_CAUSE_TASKS: Final = 3  # tasks with one root cause that need a human (L481)
CONFIDENCE_AT_LEAST: Final = 0.30  # below it, and not at it, a human is needed (L482)
STALE_AFTER_S: Final = 24 * 3600.0  # a review older than this, and not as old, is stale (L428)
OPTIONS_AT_LEAST: Final = 2  # recommended options in an escalation (L505-507)
OPTION_WORDS_AT_LEAST: Final = 5  # what an option with its tradeoffs cannot be said in fewer words than

ESCALATION_HEADINGS: Final = (
    "## Escalation:",
    "**Task ID:**",
    "**Failure Count:**",
    "**Trigger:**",
    "### Failure Summary",
    "### Attempts Log",
    "### Agent Analysis",
    "### Recommended Options",
    "### Awaiting",
)
"""How lines of an escalation begin, in their order (L490-509). After each but the last is its text: behind it for the
first four, on the lines below it for the others."""
AWAITING: Final = "Human decision on recovery path."  # what stands below the last heading (L510)

SECURITY_WORDS: Final = frozenset({
    "auth", "authentication", "authorization", "authorisation", "authenticate", "authorize", "oauth",
    "secret", "secrets", "permission", "permissions",
})  # fmt: skip
"""Words of a title or description, in whatever case, that show that the task touches auth, secrets or permissions.

A word is a longest run of letters and digits. These are what the reading ``words`` of LK-ES-01 finds; an implementation
may find more in a text that has "auth", "secret" or "permission" within longer words, and nothing is concluded from it.
"""


class Touch(StrEnum):
    """What a task touches, as ``TaskFacts.touches`` says it (L479-480)."""

    AUTH = "auth"
    SECRETS = "secrets"
    PERMISSIONS = "permissions"
    DELETION = "deletion"
    MIGRATION = "migration"


SECURITY: Final = frozenset({Touch.AUTH, Touch.SECRETS, Touch.PERMISSIONS})
IRREVERSIBLE: Final = frozenset({Touch.DELETION, Touch.MIGRATION})


class ErrorType(StrEnum):
    """error_type of an attempt (L403)."""

    TEST_FAILURE = "test_failure"
    TIMEOUT = "timeout"
    DEPENDENCY = "dependency"
    VALIDATION = "validation"


class Strategy(StrEnum):
    """recovery_strategy (L408, L466-473); DEPENDENCY_RESOLVED only on a task that went back to pending (L447)."""

    RETRY_WITH_SIMPLER_APPROACH = "retry_with_simpler_approach"
    DEPENDENCY_BLOCKED = "dependency_blocked"
    REQUIRES_HUMAN_REVIEW = "requires_human_review"
    PERMANENT_ABANDON = "permanent_abandon"
    DEPENDENCY_RESOLVED = "dependency_resolved"


class Priority(StrEnum):
    """priority of task_data (L413)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Verdict(StrEnum):
    """What a review decides about a task, tested in this order (L518-532)."""

    RETRIED = "retried"  # a retry condition is met: the task goes to pending, or a simpler one is made there
    ABANDONED = "abandoned"  # an abandon criterion is met: it goes to abandoned
    HUMAN = "human"  # it needs a human: an escalation file, a notice, and it stays with requires_human_review
    LEFT = "left"  # it stays for the next review


class Happening(StrEnum):
    """A word of SessionResult.order; other words are the implementation's own, and nothing is concluded from them."""

    REVIEW = "review"  # the review of the dead-letter queue begins
    DECIDED = "decided"  # one task was decided about, and what follows from it is done: one word a task
    LAST_REVIEWED = "last_reviewed"  # metadata.last_reviewed was written
    WORK = "work"  # normal processing goes on: the session may now claim new work


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these; none is demanded."""

    QUEUE_DAMAGED = "queue_damaged"  # a queue file is no queue; it is kept aside, or stays as it is
    QUEUE_UNREADABLE = "queue_unreadable"
    QUEUE_WRITE_FAILED = "queue_write_failed"
    ESCALATION_WRITE_FAILED = "escalation_write_failed"
    LOCK_FAILED = "lock_failed"
    DUPLICATE_REMOVED = "duplicate_removed"
    TASK_UNKNOWN = "task_unknown"  # no task of that id is where it is looked for
    ATTEMPT_INVALID = "attempt_invalid"  # a field of the given attempt has a type it cannot have
