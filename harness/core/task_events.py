"""The words of workers and humans: what becomes of the tasks of the queues, of reviews, drifts and signals."""

from collections.abc import Mapping

from harness.core.event import Event


class WorkerBegun(Event, frozen=True, kw_only=True, tag="worker_begun"):
    """A session begins to work on tasks of the queues, as the worker of that name."""

    worker: str


class SessionResumed(Event, frozen=True, kw_only=True, tag="session_resumed"):
    """The procedure after a context loss ended, recovered or failed.

    ``interrupted`` are the tasks that were in progress, ``checkpoint`` is the name of the last one, null for none.
    """

    outcome: str
    interrupted: tuple[str, ...]
    checkpoint: str | None


class QueuesListed(Event, frozen=True, kw_only=True, tag="queues_listed"):
    """Where every task is, after a recovery: its id once for each copy, by the name of the queue."""

    queues: Mapping[str, tuple[str, ...]]


class DeadLettersReviewed(Event, frozen=True, kw_only=True, tag="dead_letters_reviewed"):
    """The dead letters were asked whether a review is due: ``reviewed`` says that there was one, to its end.

    ``decided`` has the verdict of each task (retried, abandoned, human, left), ``unstored`` those of which nothing
    could be written; of ``notified`` a human was told, and ``created`` are new tasks of a reduced scope.
    """

    reviewed: bool
    decided: Mapping[str, str]
    unstored: tuple[str, ...]
    notified: tuple[str, ...]
    created: tuple[str, ...]


class ReviewsChecked(Event, frozen=True, kw_only=True, tag="reviews_checked"):
    """The reviews were looked after: the decision of each that is resolved, and who waited too long.

    ``alerts`` says of each alert that was sent whether the channel took it.
    """

    resolved: Mapping[str, str]
    timed_out: tuple[str, ...]
    alerts: Mapping[str, bool]


class TaskClaimed(Event, frozen=True, kw_only=True, tag="task_claimed"):
    """The task is this session's worker's now."""

    task: str


class NothingClaimed(Event, frozen=True, kw_only=True, tag="nothing_claimed"):
    """A worker wanted a task and has none: ``outcome`` is none when there was none, failed when none could be had."""

    outcome: str


class TaskAdopted(Event, frozen=True, kw_only=True, tag="task_adopted"):
    """A task that is in progress is gone on with by this session's worker: its own from before, or nobody's."""

    task: str


class TaskReleased(Event, frozen=True, kw_only=True, tag="task_released"):
    """The worker has the task no longer: it is no more in progress."""

    task: str


class TaskStarted(Event, frozen=True, kw_only=True, tag="task_started"):
    """The requirements of the task were read, or ``started`` is false, and it is not worked on."""

    task: str
    started: bool


class TaskAttempted(Event, frozen=True, kw_only=True, tag="task_attempted"):
    """The worker has tried the task: did it succeed?"""

    task: str
    succeeded: bool


class FailureCounted(Event, frozen=True, kw_only=True, tag="failure_counted"):
    """The dead letters were told that an attempt at the task failed.

    ``recorded``: they have it, and the task has failed ``failure_count`` times; ``moved``: it is a dead letter now.
    """

    task: str
    recorded: bool
    failure_count: int | None
    moved: bool


class ReviewRequested(Event, frozen=True, kw_only=True, tag="review_requested"):
    """A human was asked to review the task, for these reasons (words of the signals' Reason, or others).

    ``stored``: the request is on disk; ``blocked``: nobody claims the task any more.
    """

    task: str
    reasons: tuple[str, ...]
    stored: bool
    blocked: bool


class HumanDecided(Event, frozen=True, kw_only=True, tag="human_decided"):
    """A human decided about a task: ``decision`` is approved, rejected, clarified, cancelled or abandoned.

    ``done`` says that what he did could be written; of the first two the next check of the reviews makes the rest.
    """

    task: str
    decision: str
    done: bool


class DriftReported(Event, frozen=True, kw_only=True, tag="drift_reported"):
    """The worker diverged from its task, and these actions were taken, in words of the signals' Action."""

    task: str
    severity: str
    stored: bool
    actions: tuple[str, ...]


class DriftReviewed(Event, frozen=True, kw_only=True, tag="drift_reviewed"):
    """A reviewer has looked at a paused task: with ``passed`` it is gone on with."""

    task: str
    passed: bool


class OperationBegun(Event, frozen=True, kw_only=True, tag="operation_begun"):
    """A major operation of that name begins for a task, after its checkpoint; ``performed`` is false when it cannot."""

    task: str
    name: str
    checkpointed: bool
    performed: bool


class TaskCompleted(Event, frozen=True, kw_only=True, tag="task_completed"):
    """The worker said that the task is finished: completed, unknown or failed; ``recorded`` when the ledger has it."""

    task: str
    outcome: str
    recorded: bool


class SignalEmitted(Event, frozen=True, kw_only=True, tag="signal_emitted"):
    """A signal was raised by a role; ``written`` says that it stands there."""

    signal: str
    name: str
    by: str
    written: bool


class SignalConsumed(Event, frozen=True, kw_only=True, tag="signal_consumed"):
    """A role looked for a signal; ``handled`` says that it was there, is handled and deleted."""

    signal: str
    name: str
    by: str
    handled: bool


TaskEvent = (
    WorkerBegun
    | SessionResumed
    | QueuesListed
    | DeadLettersReviewed
    | ReviewsChecked
    | TaskClaimed
    | NothingClaimed
    | TaskAdopted
    | TaskReleased
    | TaskStarted
    | TaskAttempted
    | FailureCounted
    | ReviewRequested
    | HumanDecided
    | DriftReported
    | DriftReviewed
    | OperationBegun
    | TaskCompleted
    | SignalEmitted
    | SignalConsumed
)
