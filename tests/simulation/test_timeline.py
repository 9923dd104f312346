"""What happened when, in lines that a person reads. Source: issue 10."""

import itertools

from told import HOUR, PLAN, made, shortened

from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    ClockStepped,
    EscalationRaised,
    FailureObserved,
    MachineRestarted,
    SessionCut,
    StorageChanged,
)
from harness.core.plan_events import PlanCompleted, PlanHalted
from harness.core.task_events import FailureCounted, TaskCompleted
from harness.simulation.incidents import Incidents
from harness.simulation.timeline import LEGEND, MOST_LINES, Timeline

NAMES = ("api/claude", "api/other")


def told(kind, /, **fields):
    return kind(at="2026-03-01T12:00:00Z", correlation_id="c", **fields)


ATTEMPT = told(AttemptStarted, tool="m", attempt=1)
FAILED = told(FailureObserved, tool="m", kind="exit", message="no")
DEAD = told(FailureCounted, task="t", recorded=True, failure_count=5, moved=True)


def lines(*events, days=1, agents=2):
    """The lines of a timeline of those events, each with its hour and session, without legend and heads."""
    timeline = Timeline(days, agents, NAMES)
    for hour, session, event in events:
        timeline.take(int(hour * HOUR), session, event)
    found = list(timeline.lines())
    assert list(LEGEND) == found[: len(LEGEND)]
    return found[len(LEGEND) + 2 :]


def cells(line):
    """By column: when, the machine, two breakers, two agents, plans."""
    edges = [0, 9, 18, 31, 44, 57, 70, len(line) + 70]
    return [line[one:other].strip() for one, other in itertools.pairwise(edges)]


def test_the_heads_name_breakers_agents_and_plans():
    head = list(Timeline(1, 2, NAMES).lines())[len(LEGEND) + 1]
    assert ["day hour", "machine", "api/claude", "api/other", "agent-0", "agent-1", "plans"] == cells(head)


def test_each_hour_is_a_line_also_one_in_which_nothing_happened():
    found = lines((0, "agent-0-1", ATTEMPT), (2.5, "agent-0-1", ATTEMPT), (25, "agent-0-1", ATTEMPT), days=2)
    assert ["1   00", "1   01", "1   02"] == [cells(line)[0] for line in found[:3]]
    assert "2   01" == cells(found[-1])[0]
    assert ["1", "-", "1"] == [cells(line)[4] for line in found[:3]]


def test_what_agents_did_is_counted_each_in_its_column():
    own = [
        ATTEMPT,
        ATTEMPT,
        FAILED,
        told(EscalationRaised, task="t", triggers=(), consecutive_failures=3),
        told(TaskCompleted, task="t", outcome="completed", recorded=True),
        DEAD,
        told(SessionCut),
    ]
    (line,) = lines(*((0, "agent-1-17", event) for event in own), (0, "agent-0-1", ATTEMPT))
    assert ["1", "2 1f1!1+1D1x"] == cells(line)[4:6]


def test_a_failure_that_makes_no_dead_letter_is_no_mark():
    kept = told(FailureCounted, task="t", recorded=True, failure_count=1, moved=False)
    (line,) = lines((0, "agent-0-1", kept))
    assert "-" == cells(line)[4]


def test_a_breaker_shows_every_state_of_its_hour_and_keeps_the_last():
    found = lines(
        (0, "agent-0-1", told(BreakerMoved, provider="api/claude", before="CLOSED", after="OPEN")),
        (1, "agent-0-1", ATTEMPT),
        (2, "agent-0-1", told(BreakerMoved, provider="api/claude", before="OPEN", after="HALF_OPEN")),
        (2, "agent-0-1", told(BreakerMoved, provider="api/claude", before="HALF_OPEN", after="OPEN")),
    )
    assert ["cO", "O", "Oh"] == [cells(line)[2] for line in found]
    assert ["c", "c", "c"] == [cells(line)[3] for line in found]


def test_a_disk_shows_as_full_in_every_hour_in_which_it_was():
    found = lines(
        (0, "", told(StorageChanged, full=True)),
        (2, "", told(StorageChanged, full=False)),
        (3, "", told(ClockStepped, by_s=3.0)),
        (3, "", told(MachineRestarted)),
    )
    assert ["F", "F", "F", "CR"] == [cells(line)[1] for line in found]


def test_plans_that_end_are_marked():
    halted = told(PlanHalted, plan="p", reason="r", completed=(), failed=("1",), blocked=())
    (line,) = lines((0, "agent-0-1", halted), *((0, "agent-0-1", told(PlanCompleted, plan="p")) for _ in range(2)))
    assert "++H" == cells(line)[6]


def test_a_long_simulation_has_a_line_for_several_hours():
    """A day more is played, in which everything ends."""
    for days in (1, 16, 17, 365, 3650):
        timeline = Timeline(days, 1, NAMES)
        assert timeline.hours == max(1, -(-days * 24 // MOST_LINES))
    found = lines((0, "agent-0-1", ATTEMPT), (47, "agent-0-1", ATTEMPT), days=30)
    assert ["1   00", "1   02"] == [cells(line)[0] for line in found[:2]]
    assert "2   22" == cells(found[-1])[0]


def test_the_timeline_of_a_simulation_counts_what_its_events_count(monkeypatch):
    shortened(monkeypatch)
    simulation = made(PLAN, Incidents())
    timeline = Timeline(PLAN.days, PLAN.agents, NAMES)
    simulation.watchers.append(lambda session, event: timeline.take(simulation.elapsed, session, event))
    assert simulation.run()
    rows = [cells(line) for line in list(timeline.lines())[len(LEGEND) + 2 :]]
    attempts = sum(int(cell.split()[0]) for row in rows for cell in row[4:6] if cell != "-")
    assert simulation.counts["attempt_started"] == attempts
    assert len(rows) >= 6
