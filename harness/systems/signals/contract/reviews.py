"""What is asked about human review: arguments and results. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems.signals.contract.steps import StepTaken
from harness.systems.signals.contract.words import Channel


class AssessArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Does this need a human? What is not named is not known, and asks for nobody.

    ``confidence`` is in [0, 1] and counts where the decision is ``critical``. ``security_critical``: credentials of
    production, rotation of keys. ``irreversible`` with ``rollback`` false or unknown needs one.
    ``consecutive_failures`` are those of the one task. ``ambiguous`` requirements need one where they ``block``
    progress. ``cost_usd_per_hour`` is what the decision costs. What lies outside these ranges is judged by no clause,
    nor is a confidence below the limit on a decision that is not critical.
    """

    confidence: float | None = None
    critical: bool = False
    security_critical: bool = False
    irreversible: bool = False
    rollback: bool | None = None
    consecutive_failures: int = 0
    ambiguous: bool = False
    blocks: bool = False
    cost_usd_per_hour: float | None = None


class AssessResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether HUMAN_REVIEW_NEEDED is to be raised, and every reason for it, each once, in any order (words of Reason).

    A word of the implementation's own may stand beside them; with ``review`` false there is none.
    """

    review: bool
    reasons: tuple[str, ...] = ()
    log: tuple[LogEntry, ...] = ()


class ReviewArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """HUMAN_REVIEW_NEEDED is raised (LK-HR-01, LK-HR-05). Fields are those of the request, of any shape when hostile.

    A request whose task_id or reason is no text, or empty, is refused: nothing is stored or moved, and
    review_invalid is logged. One whose task_id cannot be part of a file name (separators, dots, NUL, 300
    characters) may be refused as well. All else is kept as given. With ``blocking`` false the task may go on:
    whether it is blocked is open. A second request for a task of which one is pending takes its place or stands
    beside it; its task stays blocked.
    """

    task_id: Any
    reason: Any
    context: Any
    severity: Any
    blocking: Any
    agent: Any = None
    alternatives_considered: Any = None


class ReviewResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``record`` is the request as made, null when none was; ``stored``: is it in the signal files?

    ``steps``: stop, log, block, in that order, then continue with another task if there is one. ``blocked``: is the
    task one that nobody claims any more? It then stands once among the queues: in blocked.json, or where it was with
    the status ``blocked``; with its other fields, and its order of no consequence. Of a task that is in no queue
    nothing is demanded but that its request is kept. ``goes_on_with`` is the task of ``continue``: one of pending.json
    that is not blocked, or another one of in-progress.json; it may be null only when pending.json has none.

    What could not be stored leaves the task stopped, and is told: ``stored`` false. A request is stored before its task
    is blocked, so that no task is blocked that nobody is asked about.
    """

    record: Mapping[str, Any] | None
    stored: bool
    blocked: bool
    steps: tuple[StepTaken, ...]
    goes_on_with: str | None = None
    log: tuple[LogEntry, ...] = ()


class ReviewsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The pending requests, of one task or of all when it is null."""

    task_id: str | None = None


class ReviewsResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """They, in any order, with all their fields: what was asked for and neither resolved nor timed out (LK-HR-08).

    Only a second request for a task changes the ``timestamp`` of its first. When none is left, HUMAN_REVIEW_NEEDED is
    gone, or an empty list.
    """

    pending: tuple[Mapping[str, Any], ...]
    log: tuple[LogEntry, ...] = ()


class DecideArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A human creates HUMAN_APPROVED with this text: the adapter itself writes it, as UTF-8, over what stands there.

    The implementation is not told; it finds the file at the next check_reviews.
    """

    text: str


class DecideResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Could the file be written?"""

    written: bool
    log: tuple[LogEntry, ...] = ()


class ClarifyArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A human updates the task with a clarification, a text that is not empty (LK-HR-06)."""

    task_id: str
    clarification: str


class CancelArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A human cancels the task (LK-HR-06)."""

    task_id: str


class ResolveResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``resolved``: was a review of that task pending, and is it no more?

    A clarified task goes back to the queue it came from, or to pending.json, without the status ``blocked``, and the
    clarification stands somewhere in it, as it is. A cancelled one stands in no queue from which it would be claimed:
    it is gone, or in abandoned.json, completed.json, or dead-letter.json, or has the status ``cancelled``. An unknown
    task is not resolved, and task_unknown is logged.
    """

    resolved: bool
    log: tuple[LogEntry, ...] = ()


class CheckArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Somebody looks after the reviews: is there a decision, has one waited for 24 hours? ``alert`` is of Channel."""

    alert: Channel = Channel.OK


class Resolved(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A review that a decision resolved; ``decision`` is the text of HUMAN_APPROVED, as it is."""

    task_id: str
    decision: str


class Alert(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An alert that was sent through the channel for that task, and whether the channel took it."""

    task_id: str
    ok: bool


class CheckResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What came of it.

    Decisions first: HUMAN_APPROVED that resolves a review is deleted, the request is no longer pending, and its task
    goes back to the queue it came from, or to pending.json, without the status ``blocked``; with the decision
    ``rejected`` it does not go where it would be claimed; after other words than these two either. Of ``approved`` in
    other letters, or with blanks around it, it is open.

    HUMAN_APPROVED that names no task resolves the one review that is pending, in one reading; with several pending it
    resolves none. What resolves nothing (malformed, ambiguous, of a task nobody asked about) changes no review and no
    task, is logged, and is left, set aside or deleted.

    ``timed_out``: a blocking request that waited longer than 24 hours by its ``timestamp`` is no longer pending, its
    task leaves the queue it was in and stands once in dead-letter.json, as the document has its tasks there (title in
    ``task_data``, ``original_queue``, its attempts, this one with an ``error_type``), and an alert is sent for it. At
    24 hours to the second, or with a decision in the same check, either is permitted. Requests from the future wait,
    and so do those whose timestamp nobody can read. Of a task that is in no queue, or of a request that does not block,
    it is open what becomes of it, and whether an alert is sent. A task is in dead-letter.json before its request is
    gone: a check that is struck is made up for by the next.

    An alert that fails changes none of that: ``alerts`` has it with ``ok`` false, alert_failed is logged, and it may be
    sent again by a later check.
    """

    resolved: tuple[Resolved, ...] = ()
    timed_out: tuple[str, ...] = ()
    alerts: tuple[Alert, ...] = ()
    log: tuple[LogEntry, ...] = ()
