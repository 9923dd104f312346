"""The words of whoever drives a plan: what becomes of its phases, of what is claimed of them, and of their reviews."""

from harness.core.event import Event


class PlanBegun(Event, frozen=True, kw_only=True, tag="plan_begun"):
    """The phase runner was told to begin or go on with a plan, in these modes (words of the phase runner's Mode).

    ``accepted``: it does; ``error`` is the type of what is wrong with the plan, empty when nothing is.
    """

    plan: str
    modes: tuple[str, ...]
    accepted: bool
    error: str


class PhaseLaunched(Event, frozen=True, kw_only=True, tag="phase_launched"):
    """The phase runner wants something to run: ``kind`` is phase, in that attempt, or verification of its claim."""

    phase: str
    attempt: int
    kind: str


class PhaseBegun(Event, frozen=True, kw_only=True, tag="phase_begun"):
    """Somebody works on a phase now, in that attempt; ``task`` is the task of the queues that it is."""

    task: str
    phase: str
    attempt: int


class PhaseReported(Event, frozen=True, kw_only=True, tag="phase_reported"):
    """The phase runner was told what its sub-agent said: ``claimed`` success, or a failure.

    ``answered`` is false when it said nothing in time; ``accepted`` is the runner's word for a report that it awaited.
    """

    phase: str
    attempt: int
    answered: bool
    claimed: bool
    accepted: bool


class PhaseVerified(Event, frozen=True, kw_only=True, tag="phase_verified"):
    """The phase runner was told what a fresh verification found: ``passed`` when each gate did.

    ``complete``: so is the phase now. It is not when what it changed is in conflict with what another one changed.
    """

    phase: str
    attempt: int
    passed: bool
    accepted: bool
    complete: bool


class PlanHalted(Event, frozen=True, kw_only=True, tag="plan_halted"):
    """The run is halted, with its phases that are complete, failed and blocked."""

    plan: str
    reason: str
    completed: tuple[str, ...]
    failed: tuple[str, ...]
    blocked: tuple[str, ...]


class PlanCompleted(Event, frozen=True, kw_only=True, tag="plan_completed"):
    """Every phase of the plan is complete."""

    plan: str


class PlanDecided(Event, frozen=True, kw_only=True, tag="plan_decided"):
    """A human decided about a plan that is halted: ``decision`` is resume, or fresh for another one in its place."""

    plan: str
    decision: str


class ClaimWeighed(Event, frozen=True, kw_only=True, tag="claim_weighed"):
    """What an agent says before it does ``action`` was looked at: ``phrases`` are the rationalisations in it.

    ``proceeds``: there is none; ``logged``: the attempt stands in the log.
    """

    action: str
    phrases: tuple[str, ...]
    proceeds: bool
    logged: bool


class CodeReviewBegun(Event, frozen=True, kw_only=True, tag="code_review_begun"):
    """The review gate was asked whether a task may be begun, after those before it."""

    task: str
    begun: bool


class CodeReviewed(Event, frozen=True, kw_only=True, tag="code_reviewed"):
    """The review gate was told something of the review of a task, and says how it stands.

    ``operation`` is one of its contract; ``reviewer`` is who has returned, empty for none; ``launched`` are the names
    of what is to run now, and ``decision`` is pending, blocked or passed.
    """

    task: str
    operation: str
    round: int
    reviewer: str
    accepted: bool
    launched: tuple[str, ...]
    decision: str


PlanEvent = (
    PlanBegun
    | PhaseLaunched
    | PhaseBegun
    | PhaseReported
    | PhaseVerified
    | PlanHalted
    | PlanCompleted
    | PlanDecided
    | ClaimWeighed
    | CodeReviewBegun
    | CodeReviewed
)
