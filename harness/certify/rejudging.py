"""A stored run judged again: the same histories, today's oracles, and what then becomes of every clause.

The oracle never sees an implementation, so whoever has the events of a run can check its verdicts without running it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.certify import corpus
from harness.certify.closing import End, Varied, footer
from harness.certify.events import (
    Event,
    ImplementationMet,
    RunFinished,
    RunStarted,
    ScenarioJudged,
    SearchFinished,
    SystemSimulated,
    VariantsAlike,
)
from harness.certify.flaky import FLAKY
from harness.certify.plan import RunPlan, in_scope, runs_for
from harness.certify.reach import Reach
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.verdict import SystemResult
from harness.errors import HarnessFault
from harness.explore.enumerated import explored_steps
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots

COUNTED = ("scenarios", "variants", "checks_passed", "checks_failed", "checks_inconclusive", "witnesses", "faults")
"""What of a run's counts follows from what is stored."""


class Parted(NamedTuple):
    """One check whose finding is not what is stored: the verdicts, "" where there is none."""

    scenario: str
    clause: str
    stored: str
    now: str


class Stored(NamedTuple):
    """The events of a run, by kind."""

    started: RunStarted
    judged: tuple[ScenarioJudged, ...]
    varied: tuple[ScenarioJudged, ...]
    """The variants, those that are stored as alike too."""
    searches: tuple[SearchFinished, ...]
    simulated: tuple[SystemSimulated, ...]
    declared: dict[str, str]
    finished: RunFinished


def stored(events: Sequence[Event]) -> Stored:
    """A run by its events, RunStarted first and RunFinished last; HarnessFault when it is otherwise."""
    started, finished = events[0], events[-1]
    if not isinstance(started, RunStarted) or not isinstance(finished, RunFinished):
        raise HarnessFault("a run begins with its header and ends with its verdict")
    declared: dict[str, str] = {}
    for event in events:
        if isinstance(event, ImplementationMet):
            declared.update(event.not_implemented)
    return Stored(
        started,
        tuple(event for event in events if isinstance(event, ScenarioJudged) and event.origin != "explored"),
        tuple(_varied(events)),
        tuple(event for event in events if isinstance(event, SearchFinished)),
        tuple(event for event in events if isinstance(event, SystemSimulated)),
        declared,
        finished,
    )


def _varied(events: Sequence[Event]) -> Iterator[ScenarioJudged]:
    for event in events:
        if isinstance(event, VariantsAlike):
            yield from event.judged()
        elif isinstance(event, ScenarioJudged) and event.origin == "explored":
            yield event


def told_by_their_histories(run: Stored) -> list[ScenarioJudged]:
    """What one stored history decides: no variant, and no scenario whose variants were judged with it."""
    return [event for event in run.judged if not explored_steps(event.scenario)]


def judged_again(run: Stored) -> Iterator[Parted]:
    """Every check of a stored history that comes out otherwise today, but for one that failed once and not again."""
    for event in told_by_their_histories(run):
        system = registry.get(event.scenario.system)
        findings = system.judge(event.scenario, History(event.history), system.catalogue)
        yield from _parted(event.scenario.id, event.findings, findings)


def misplayed(run: Stored) -> Iterator[str]:
    """Scenarios of the suite that its scope has and the run has not, or has otherwise than the suite.

    Which of them need paths that a hook declares, a run does not tell: these may be missing.
    """
    plan = _plan(run.started)
    played = {event.scenario.id: event.scenario for event in run.judged if event.origin == "plan"}
    for name in plan.names:
        for scenario in corpus.scenarios(name):
            found = played.get(scenario.id)
            if found is not None and found != scenario:
                yield f"{scenario.id} was played otherwise than the suite has it"
            due = in_scope(scenario, plan.level) and any(runs_for(scenario, reach) for reach in plan.reaches)
            if found is None and due:
                yield f"{scenario.id} was not played"


def _parted(scenario: str, before: Sequence[Finding], now: Sequence[Finding]) -> Iterator[Parted]:
    flaky = {finding.clause for finding in before if finding.reason == FLAKY}
    was = {finding.clause: finding.verdict.value for finding in before}
    is_ = {finding.clause: finding.verdict.value for finding in now}
    for clause in sorted({*was, *is_} - flaky):
        if was.get(clause) != is_.get(clause):
            yield Parted(scenario, clause, was.get(clause, ""), is_.get(clause, ""))


def rolled_up_again(run: Stored) -> dict[str, SystemResult]:
    """The systems' results from the stored findings alone."""
    return dict(_footer(run).systems)


def counted_again(run: Stored) -> dict[str, int]:
    """The counts of the run that follow from what is stored."""
    counts = _footer(run).counts
    return {name: counts[name] for name in COUNTED}


def _footer(run: Stored) -> RunFinished:
    plan = _plan(run.started)
    end = End()
    if not run.finished.complete:
        end.cut = run.finished.message or "it was cut short"
    varied = Varied(run.varied, run.finished.explored)
    return footer(plan, run.judged, end, run.declared, run.searches, varied, run.simulated)


def unlike(before: dict[str, SystemResult], now: dict[str, SystemResult]) -> Iterator[str]:
    """What of the results is not the same, a sentence each."""
    for name in sorted({*before, *now}):
        if name not in before or name not in now:
            yield f"{name} is in only one of them"
            continue
        old, new = before[name], now[name]
        if old.level != new.level:
            yield f"{name} reached {old.level or 'no level'}, by its checks {new.level or 'no level'}"
        for clause in sorted({*old.clauses, *new.clauses}):
            was, is_ = old.clauses.get(clause), new.clauses.get(clause)
            if was is None or is_ is None:
                yield f"{clause} is in only one of them"
            elif was.verdict is not is_.verdict:
                yield f"{clause} is told to be {was.verdict.value}, by its checks it is {is_.verdict.value}"
            elif was.reading != is_.reading:
                yield f"{clause} is told in the reading {was.reading}, by its checks {is_.reading}"


def _plan(started: RunStarted) -> RunPlan:
    systems = tuple(map(registry.get, started.systems))
    reaches = tuple(
        Reach(_system_of(systems, profile), profile, carrier, groups, {}, (), "", _no_session)
        for (profile, groups), carrier in zip(started.profiles.items(), _carriers(started), strict=True)
    )
    return RunPlan(
        systems, started.target, started.replay, reaches, (), started.level, started.seed, started.cases,
        started.budget_s, 1, started.only,
    )  # fmt: skip


def _carriers(started: RunStarted) -> Sequence[str]:
    last = started.carriers[-1] if started.carriers else ""
    return (*started.carriers, *[last] * len(started.profiles))[: len(started.profiles)]


def _system_of(systems: Sequence[registry.System], profile: str) -> registry.System:
    found = [system for system in systems if any(profile in clause.profiles for clause in system.catalogue)]
    if not found:
        raise HarnessFault(f"no system of the run has the profile {profile}")
    return found[0]


def _no_session(slots: Slots) -> Session:
    del slots
    raise HarnessFault("a stored run is not played")
