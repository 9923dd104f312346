"""No rule of plans is kept for want of an occasion: in bad weather each meets what would break it. Issue 8, Build 6."""

from playing import played

from harness.core.events import StopRequested
from harness.core.plan_events import (
    ClaimWeighed,
    CodeReviewed,
    PhaseBegun,
    PhaseLaunched,
    PhaseReported,
    PhaseVerified,
    PlanBegun,
    PlanDecided,
    PlanHalted,
)
from harness.core.task_events import FailureCounted, ReviewRequested, TaskCompleted

NAMES = {
    PhaseLaunched: lambda event: f"INT-47 {event.kind} {event.attempt}",
    PhaseBegun: lambda event: f"INT-48 attempt {event.attempt}",
    ReviewRequested: lambda event: f"INT-48 a human has it: {_is_phase(event)}",
    PhaseReported: lambda event: f"INT-49 answered {event.answered}, claimed {event.claimed}",
    ClaimWeighed: lambda event: f"INT-50 proceeds {event.proceeds}",
    PhaseVerified: lambda event: f"INT-51 passed {event.passed}",
    CodeReviewed: lambda event: f"INT-52 {event.operation}, accepted {event.accepted}",
    TaskCompleted: lambda event: f"INT-56 a phase is done: {_is_phase(event)}",
    FailureCounted: lambda event: f"INT-57 a phase has failed {event.failure_count}: {_is_phase(event)}",
}
EXPECTED = {
    *("INT-47 phase 1", "INT-47 phase 2", "INT-47 verification 1", "INT-47 verification 2"),
    *("INT-48 attempt 1", "INT-48 attempt 2", "INT-48 a human has it: True"),
    *("INT-49 answered True, claimed True", "INT-49 answered True, claimed False"),
    "INT-49 answered False, claimed False",
    *("INT-50 proceeds True", "INT-50 proceeds False"),
    *("INT-51 passed True", "INT-51 passed False"),
    *(f"INT-52 {operation}, accepted True" for operation in ("open", "analysed", "report", "fixed", "status")),
    "INT-52 analysed, accepted False",  # of a round that is left over
    *("INT-53 begun after resume", "INT-53 begun after fresh"),
    "INT-54 asked to stop after a halt",
    "INT-55 gone on with",
    "INT-56 a phase is done: True",
    *(f"INT-57 a phase has failed {number}: True" for number in (1, 2, 3)),
}


def _is_phase(event):
    return event.task.startswith("plan-")


def occasions(events):
    """What there was, by a name."""
    named = {NAMES[type(event)](event) for _, event in events if type(event) in NAMES}
    return named | set(sequences(events))


def sequences(events):
    """What followed what."""
    halted_in, last = "", None
    for session, event in events:
        if isinstance(event, StopRequested) and session == halted_in:
            yield "INT-54 asked to stop after a halt"
        elif isinstance(event, PlanHalted):
            halted_in = session
        elif isinstance(event, PlanBegun) and isinstance(last, PlanDecided):
            yield f"INT-53 begun after {last.decision}"
        elif isinstance(event, PlanBegun) and last is not None and last.plan == event.plan:
            yield "INT-55 gone on with"
        if isinstance(event, PlanBegun | PlanDecided):
            last = event


def test_every_rule_of_plans_has_its_occasions_in_bad_weather():
    found = set()
    for seed in range(3):
        found |= occasions(played(days=2, seed=seed, profile="hostile")[1])
    assert found >= EXPECTED


def test_every_rule_of_plans_is_among_them():
    assert {each.partition(" ")[0] for each in EXPECTED} == {f"INT-{number}" for number in range(47, 58)}
