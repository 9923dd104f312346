"""A simulation that breaks a rule, made as small as it goes: fewer agents, fewer incidents, earlier, over sooner.

What is left of it is a Case: everything that is not told in it goes well. Each try is a simulation of its own, which
ends as soon as the rule is broken; a case is never taken that breaks another rule instead.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from harness.simulation.incidents import MACHINE, Incident, Incidents
from harness.simulation.invariants import ENDS
from harness.simulation.providers import PROVIDER
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.virtual_time import days

TRIES: Final = 400  # simulations at most, each no longer than the first
ANY: Final = 1 << 62  # events: what ends too late is known at the end only
FEW: Final = 7  # incidents that are gathered
SAME: Final = 6  # that are tried in a row
MOST_NUMBERS: Final = 12  # of one incident that are tried
_SESSION: Final = "agent-"


class Case(NamedTuple):
    """A simulation in which only ``incidents`` happen."""

    plan: Plan
    incidents: tuple[Incident, ...]


class Shrunk(NamedTuple):
    """The smallest case that was found in ``tries``: it breaks ``rule`` at event number ``event``, after ``ticks``."""

    case: Case
    rule: str
    event: int
    ticks: int
    tries: int


Make = Callable[[Plan, Incidents], Simulation]
"""Makes a simulation of a plan in which those incidents happen, with whatever is simulated."""


class _Tries:
    """Asks whether cases break the rule, and keeps the smallest that did."""

    def __init__(self, make: Make, rule: str, most: int, interrupted: Callable[[], bool]) -> None:
        self._make = make
        self._rule = rule
        self._most = most
        self._interrupted = interrupted
        self.tries = 0
        self.best: Case | None = None
        self.event = self.ticks = 0

    def breaks(self, case: Case, events: int) -> bool:
        """Does it, within so many events?"""
        if self.tries >= self._most or self._interrupted():
            return False
        self.tries += 1
        case = case._replace(incidents=_apart(case.incidents))
        simulation = self._make(case.plan, Incidents(case.incidents))

        def is_over() -> bool:
            return self._rule in simulation.broken or simulation.events > events or self._interrupted()

        simulation.run(interrupted=is_over)
        first = simulation.first.get(self._rule)
        if first is None:
            return False
        self.best, self.event, self.ticks = case, first.event.number, simulation.clock.ticks
        return True


def shrink(
    plan: Plan, rule: str, event: int, make: Make, *, most: int = TRIES, interrupted: Callable[[], bool] = bool
) -> Shrunk | None:
    """The smallest case of that failure: ``rule`` was broken first by event number ``event`` of ``plan``.

    None when it does not come again. At most ``most`` simulations are tried.
    """
    recorded = Incidents(is_kept=True)
    simulation = make(plan, recorded)
    most_events = ANY if rule == ENDS else event
    simulation.run(interrupted=lambda: rule in simulation.broken or simulation.events > most_events or interrupted())
    tries = _Tries(make, rule, most, interrupted)
    told = tuple(each for each in recorded.happened if _is_before(each, simulation.clock.ticks))
    shortest = _shortened(plan, simulation.clock.ticks)
    # without its forks it is smaller; but what goes well is drawn from their seeds, too, and may be needed
    if not any(
        tries.breaks(Case(shortest._replace(forks=forks), told), ANY if rule == ENDS else event)
        for forks in dict.fromkeys(((), plan.forks))
    ):
        return None
    limit = ANY if rule == ENDS else event + event // 2
    if not _gathered(tries, limit, simulation.first[rule].event.session):
        _fewer_incidents(tries, limit)
    _fewer_agents(tries, limit)
    while _sooner(tries, limit) | _each_left_out(tries, limit):
        pass
    assert tries.best is not None  # noqa: S101 - the first try did
    best = tries.best._replace(plan=_shortened(tries.best.plan, tries.ticks))
    return Shrunk(best, rule, tries.event, tries.ticks, tries.tries)


def _apart(incidents: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """Of those that were moved to the same name, the last: it alone would happen."""
    return tuple({(each.who, each.kind, each.number): each for each in incidents}.values())


def _is_before(incident: Incident, ticks: int) -> bool:
    return incident.who != MACHINE or incident.number <= ticks


def _shortened(plan: Plan, ticks: int) -> Plan:
    needed = next(count for count in range(1, plan.days + 1) if days(count) >= ticks or count == plan.days)
    return plan._replace(days=needed)


def _gathered(tries: _Tries, limit: int, session: str) -> bool:
    """The last few, all in the first session of one agent, one after the other: often that is enough.

    First of those that happened in ``session``, where the rule was broken, then of all.
    """
    plan, told = _best(tries)
    whole = tuple(each for each in told if each.who == MACHINE)
    sources = (
        tuple(each for each in told if each.who == session),
        tuple(each for each in told if each.kind == PROVIDER),
        tuple(each for each in told if each.who.startswith(_SESSION)),
    )
    one = plan._replace(agents=1)
    if tries.breaks(Case(one, ()), limit):
        return True
    for count in range(1, FEW):
        for source in sources:
            if tries.breaks(Case(one, _in_a_row(source[-count:])), limit):
                return True
    if whole and tries.breaks(Case(one, whole), limit):
        return True
    return any(tries.breaks(Case(one, _in_a_row(same)), limit) for same in _repeated(sources[1]))


def _repeated(incidents: tuple[Incident, ...]) -> Iterator[tuple[Incident, ...]]:
    """The same trouble again and again, for each that there was."""
    for what in sorted({each.what for each in incidents}):
        yield tuple(Incident("", PROVIDER, number, what) for number in range(SAME))


def _in_a_row(incidents: tuple[Incident, ...]) -> tuple[Incident, ...]:
    numbers: Counter[str] = Counter()
    found = []
    for each in incidents:
        numbers[each.kind] += 1
        found.append(Incident(f"{_SESSION}0-1", each.kind, numbers[each.kind], each.what))
    return tuple(found)


def _fewer_incidents(tries: _Tries, limit: int) -> None:
    """The last few are often enough; then ever smaller parts are left out."""
    plan, all_of_them = _best(tries)
    count = 0
    while count < len(all_of_them):
        if tries.breaks(Case(plan, all_of_them[len(all_of_them) - count :]), limit):
            break
        count = max(1, 2 * count)
    for of in (_who, _kind):
        for value in sorted({of(each) for each in _best(tries).incidents}):
            rest = tuple(each for each in _best(tries).incidents if of(each) != value)
            tries.breaks(Case(plan, rest), limit)
    size = max(1, len(_best(tries).incidents) // 2)
    while size:
        at = 0
        while at < len(_best(tries).incidents):
            rest = _best(tries).incidents
            if not tries.breaks(Case(plan, rest[:at] + rest[at + size :]), limit):
                at += size
        size //= 2


def _fewer_agents(tries: _Tries, limit: int) -> None:
    """Only one, or those of the lowest numbers."""
    plan, incidents = _best(tries)
    for agents in range(1, plan.agents):
        for told in dict.fromkeys((_all_of_one_agent(incidents), incidents)):
            if tries.breaks(Case(plan._replace(agents=agents), told), limit):
                return


def _each_left_out(tries: _Tries, limit: int) -> bool:
    before = len(_best(tries).incidents)
    for incident in _best(tries).incidents:
        plan, incidents = _best(tries)
        tries.breaks(Case(plan, tuple(each for each in incidents if each != incident)), limit)
    return len(_best(tries).incidents) < before


def _sooner(tries: _Tries, limit: int) -> bool:
    """Everything happens in earlier sessions, and to the machine earlier."""
    found = False
    for earlier in _earlier(_best(tries)):
        if earlier != _best(tries) and tries.breaks(earlier, limit):
            found = True
            break
    for at in range(len(_best(tries).incidents)):
        plan, incidents = _best(tries)
        if at >= len(incidents) or incidents[at].who == MACHINE:
            continue
        for number in range(1, min(incidents[at].number, MOST_NUMBERS)):
            sooner = (*incidents[:at], _at(incidents[at], number), *incidents[at + 1 :])
            if tries.breaks(Case(plan, sooner), tries.event - 1):
                found = True
                break
    return found


def _earlier(case: Case) -> Iterator[Case]:
    sessions = sorted({_number(each.who) for each in case.incidents if each.who.startswith(_SESSION)})
    first = sessions[0] if sessions else 1
    for moved in dict.fromkeys((first - 1, (first - 1) // 2, 1)):
        if 0 < moved < first:
            yield case._replace(incidents=tuple(_session_moved(each, moved) for each in case.incidents))
    if any(each.who == MACHINE for each in case.incidents):
        for part in (4, 2):
            yield case._replace(
                incidents=tuple(
                    _at(each, each.number // part) if each.who == MACHINE else each for each in case.incidents
                )
            )


def _who(incident: Incident) -> str:
    return incident.who


def _kind(incident: Incident) -> str:
    return incident.kind


def _number(session: str) -> int:
    return int(session.rpartition("-")[2])


def _all_of_one_agent(incidents: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """Whatever happened to anybody's session, happens to the first agent's of that number."""
    return tuple(
        Incident(f"{_SESSION}0-{_number(each.who)}", each.kind, each.number, each.what)
        if each.who.startswith(_SESSION)
        else each
        for each in incidents
    )


def _session_moved(incident: Incident, by: int) -> Incident:
    if not incident.who.startswith(_SESSION):
        return incident
    agent, _, number = incident.who.rpartition("-")
    return Incident(f"{agent}-{int(number) - by}", incident.kind, incident.number, incident.what)


def _at(incident: Incident, number: int) -> Incident:
    return Incident(incident.who, incident.kind, number, incident.what)


def _best(tries: _Tries) -> Case:
    assert tries.best is not None  # noqa: S101 - the first try did
    return tries.best
