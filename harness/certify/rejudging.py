"""A stored run judged again: the same histories, today's oracles, and what then becomes of every clause.

The oracle never sees an implementation, so whoever has the events of a run can check its verdicts without running it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from harness.certify import corpus
from harness.certify.closing import End, Varied, footer
from harness.certify.events import (
    Event,
    ImplementationMet,
    OperationExplored,
    RunFinished,
    RunStarted,
    ScenarioJudged,
    SearchFinished,
    SystemSimulated,
    VariantsAlike,
)
from harness.certify.explored import POWER, Explored, counted, is_power
from harness.certify.exploring import SCHEDULE
from harness.certify.flaky import FLAKY
from harness.certify.plan import RunPlan, in_scope, runs_for
from harness.certify.reach import Reach
from harness.certify.weather import weather
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.core.verdict import ClauseVerdict, SystemResult
from harness.errors import HarnessFault
from harness.explore.enumerated import explored_steps
from harness.faults import syscall
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots

DERIVED = ("outcome", "exit_code", "strict", "complete", "certificate", "fail_open", "ledger")
"""What of a run's verdict follows from what is stored, beside its counts and its systems."""


class Parted(NamedTuple):
    """One check, or what stood against a scenario, that is not as it is stored: each in words; "" for none."""

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
    met: tuple[ImplementationMet, ...]
    explored: tuple[Explored, ...]
    finished: RunFinished

    @property
    def declared(self) -> dict[str, str]:
        """The clauses that the implementation declared as not implemented, and why."""
        return {clause: why for event in self.met for clause, why in event.not_implemented.items()}


def stored(events: Sequence[Event]) -> Stored:
    """A run by its events, RunStarted first and RunFinished last; HarnessFault when it is otherwise."""
    started, finished = events[0], events[-1]
    if not isinstance(started, RunStarted) or not isinstance(finished, RunFinished):
        raise HarnessFault("a run begins with its header and ends with its verdict")
    return Stored(
        started,
        tuple(event for event in events if isinstance(event, ScenarioJudged) and event.origin != "explored"),
        tuple(_varied(events)),
        tuple(event for event in events if isinstance(event, SearchFinished)),
        tuple(event for event in events if isinstance(event, SystemSimulated)),
        tuple(event for event in events if isinstance(event, ImplementationMet)),
        tuple(event.facts for event in events if isinstance(event, OperationExplored)),
        finished,
    )


def _varied(events: Sequence[Event]) -> Iterator[ScenarioJudged]:
    for event in events:
        if isinstance(event, VariantsAlike):
            yield from event.judged()
        elif isinstance(event, ScenarioJudged) and event.origin == "explored":
            yield event


def judged_again(run: Stored) -> Iterator[Parted]:
    """Every check of a stored history that comes out otherwise today, and what stood against it.

    A check that failed once and not again may come out in any way, and is INCONCLUSIVE. Of a scenario that has variants
    one history of two is stored, and what stood against it hangs on the variants, too: only its checks are compared.
    """
    for event in run.judged:
        system = registry.get(event.scenario.system)
        history = History(event.history)
        findings = system.judge(event.scenario, history, system.catalogue)
        if explored_steps(event.scenario):
            yield from _parted(event.scenario.id, event.findings, counted(findings, met=True))
            continue
        yield from _parted(event.scenario.id, event.findings, findings)
        if weather(system, event.scenario, history, event.findings) != event.weather:
            yield Parted(event.scenario.id, "what stood against it", "otherwise", "something else")


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
            if found is None and due and not (explored_steps(scenario) and _is_unexplorable(run, scenario)):
                yield f"{scenario.id} was not played"


def _is_unexplorable(run: Stored, scenario: Scenario) -> bool:
    """Was it right to leave that scenario of L3 out: did a clause deviate before, or can nothing be supervised there?

    Neither makes a run conformant: what is told here is held against it by the verdict that is made again.
    """
    deviates = any(
        found.verdict is ClauseVerdict.DEVIATES
        for result in run.finished.systems.values()
        for found in result.clauses.values()
    )
    refused = [facts for facts in run.finished.explored if facts.scenario == scenario.id]
    return (deviates and not run.varied) or (bool(refused) and all(facts.cut for facts in refused))


def _parted(scenario: str, before: Sequence[Finding], now: Sequence[Finding]) -> Iterator[Parted]:
    was = {finding.clause: finding for finding in before}
    is_ = {finding.clause: finding for finding in now}
    for clause in sorted({*was, *is_}):
        stored_, found = was.get(clause), is_.get(clause)
        if stored_ is not None and stored_.reason == FLAKY:
            if stored_.verdict is not CheckVerdict.INCONCLUSIVE:
                yield Parted(scenario, clause, f"flaky and {stored_.verdict.value}", "no verdict")
        elif _told(stored_) != _told(found):
            yield Parted(scenario, clause, _in_words(stored_), _in_words(found))


def _told(finding: Finding | None) -> object:
    return finding and (finding.verdict, finding.readings, finding.witnesses)


def _in_words(finding: Finding | None) -> str:
    if finding is None:
        return ""
    readings = f" in {', '.join(finding.readings)}" if finding.readings else ""
    return f"{finding.verdict.value}{readings}, {finding.witnesses} times met"


def finished_again(run: Stored) -> RunFinished:
    """The verdict of the run, from what is stored; its digest is of more than that."""
    plan = _plan(run.started)
    end = End()
    if not run.finished.complete:
        end.cut = run.finished.message or "it was cut short"
    varied = Varied(run.varied, run.finished.explored)
    return footer(plan, run.judged, end, run.declared, run.searches, varied, run.simulated)


def recounted(run: Stored, again: RunFinished) -> Iterator[str]:
    """Counts of the run that are not those of what is stored; operations of variants are stored nowhere."""
    before, now = run.finished.counts, again.counts
    for name in sorted({*before, *now} - ({"operations"} if run.varied else set())):
        if before.get(name) != now.get(name):
            yield f"{name} {_number(before.get(name))}, stored {_number(now.get(name))}"


def _number(count: int | None) -> str:
    return "none" if count is None else f"{count:,}"


def unlike(run: Stored, again: RunFinished) -> Iterator[str]:
    """What of the verdict does not follow from what is stored, a sentence each."""
    before, now = run.finished.systems, again.systems
    for name in sorted({*before, *now}):
        if name not in before or name not in now:
            yield f"{name} is in only one of them"
        elif before[name] != now[name]:
            yield from _of_system(name, before[name], now[name])
    for field in DERIVED:
        if getattr(run.finished, field) != getattr(again, field):
            yield f"its {field} does not follow from its checks"


def _of_system(name: str, old: SystemResult, new: SystemResult) -> Iterator[str]:
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
        elif was != is_:
            yield f"what is told of {clause} does not follow from its checks"
    if old.clauses == new.clauses and old.level == new.level:
        yield f"what is told of {name} beside its clauses does not follow from its checks"


def unexplored(run: Stored) -> Iterator[str]:
    """What is told of operations that were explored, and is not so by the variants that are stored."""
    told = Counter(msgspec.json.encode(facts) for facts in run.finished.explored if _planned(facts))
    if told != Counter(msgspec.json.encode(facts) for facts in run.explored):
        yield "the operations that were explored are not those of which its events tell"
    places = {(event.scenario.id, event.scenario.profile): len(explored_steps(event.scenario)) for event in run.judged}
    played = Counter((facts.scenario, facts.profile) for facts in run.finished.explored)
    refused = {(facts.scenario, facts.profile) for facts in run.finished.explored if facts.cut} - places.keys()
    if {place: count for place, count in played.items() if place not in refused} != +Counter(places):
        yield "not every operation of the scenarios of L3 was explored"
    for facts in run.finished.explored:
        if facts != facts.closed():
            yield f"{facts.scenario} is told to be explored to its end, and was not"
    stored_ = Counter(_kind(event.scenario) for event in run.varied)
    kinds = {kind for facts in run.finished.explored for kind in facts.kinds}
    for kind in sorted({*kinds, *stored_} - {SCHEDULE}):  # of orders that fail alike one is told
        met = [facts.kinds[kind] for facts in run.finished.explored if kind in facts.kinds]
        count = sum(each.fired + each.not_met for each in met)
        if count != stored_[kind]:
            yield f"{count:,} variants of the kind {kind} are told, and {stored_[kind]:,} are stored"


def _planned(facts: Explored) -> int:
    return sum(kind.planned for kind in facts.kinds.values())


def _kind(scenario: Scenario) -> str:
    """The kind of a variant, by what was put into its scenario."""
    if is_power(scenario):
        return POWER
    fault = next(
        (step.fault for step in scenario.steps if step.fault is not None and step.fault.family == syscall.FAMILY), None
    )
    return SCHEDULE if fault is None else fault.name.partition(".")[2]


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
