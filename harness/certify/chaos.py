"""Plays the simulations of L4: the systems as one machine, one of them exchanged for what is certified."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from harness.certify.events import SystemSimulated
from harness.certify.plan import RunPlan, Simulate
from harness.certify.reach import reference
from harness.core.chaos import RuleBroken, SeedPlayed, Simulated
from harness.errors import HarnessFault
from harness.simulation.exchange import StoppedError, WatchedAssembly, spared, stand_in
from harness.simulation.invariants import UNWATCHED
from harness.simulation.profiles import HOSTILE
from harness.simulation.rules import RULES
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import REFERENCE, StandIn
from harness.simulation.telling import replay_command
from harness.targets.session import Session
from harness.targets.slots import Slots

ENDED_EARLY = "it was ended early"


class _Ran(NamedTuple):
    """One simulation, and what was asked meanwhile."""

    simulation: Simulation
    assembly: WatchedAssembly
    cut: str


class Chaos:
    """Plays one simulation after the other; used by many workers at once. ``is_over`` ends the one at hand."""

    def __init__(
        self, plan: RunPlan, slots: Slots, put: Callable[[SystemSimulated], object], is_over: Callable[[], bool]
    ) -> None:
        self._plan = plan
        self._slots = slots
        self._put = put
        self._is_over = is_over

    def play(self, item: Simulate, session: Session) -> None:
        """That simulation, and where a rule is broken in it the same again, and with the reference in its place."""
        if not item.exchanged:
            self._together(item)
            return
        system = item.reach.system.name
        ran = self._ran(item, {system: stand_in(item.reach.system, session, self._plan.target)})
        flaky: tuple[str, ...] = ()
        broken: tuple[str, ...] = tuple(ran.simulation.broken)
        control: tuple[str, ...] | None = None
        if broken and ran.cut != ENDED_EARLY:
            again = self._ran(item, {system: stand_in(item.reach.system, session, self._plan.target)})
            held = [rule for rule in broken if rule not in again.simulation.broken]
            flaky = tuple(held if again.cut != ENDED_EARLY else ())
            broken = tuple(rule for rule in broken if rule not in flaky)
            control = self._control(item) if broken else None
        put = self._played(item, ran, system, broken)
        self._tell(item, system, item.reach.profile, put(flaky, control), spared(session))

    def _together(self, item: Simulate) -> None:
        """All systems are the references, in this process: one simulation shows each of them."""
        ran = self._ran(item, {})
        for system in self._plan.systems:
            put = self._played(item, ran, system.name, tuple(ran.simulation.broken))
            self._tell(item, system.name, system.served_profile, put((), tuple(ran.simulation.broken) or None), ())

    def _control(self, item: Simulate) -> tuple[str, ...] | None:
        """The rules that the reference breaks, reached in the same way; None when that did not come to its end."""
        system = item.reach.system
        ways = reference(system, timeout_scale=1.0)
        way = next((way for way in ways if way.profile == item.reach.profile), None)
        if way is None:
            raise HarnessFault(f"{system.name} has no reference in profile {item.reach.profile}")
        with way.open(self._slots) as session:
            ran = self._ran(item, {system.name: stand_in(system, session, REFERENCE)})
        if ran.cut == ENDED_EARLY:
            return None
        return (*ran.simulation.broken, *([ran.cut] if ran.cut else []))

    def _ran(self, item: Simulate, stand_ins: dict[str, StandIn]) -> _Ran:
        scope = self._plan.chaos
        assembly = WatchedAssembly(HOME, stand_ins, item.seed, is_over=self._is_over)
        simulation = Simulation(Plan(scope.days, scope.agents, item.seed, HOSTILE), assembly)
        try:
            whole = simulation.run(interrupted=self._is_over)
        except StoppedError as error:
            return _Ran(simulation, assembly, ENDED_EARLY if self._is_over() else str(error))
        return _Ran(simulation, assembly, "" if whole else ENDED_EARLY)

    def _played(
        self, item: Simulate, ran: _Ran, system: str, broken: tuple[str, ...]
    ) -> Callable[[tuple[str, ...], tuple[str, ...] | None], SeedPlayed]:
        told = tuple(self._rule(item, ran, system, rule) for rule in sorted(broken, key=tuple(RULES).index))

        def played(flaky: tuple[str, ...], control: tuple[str, ...] | None) -> SeedPlayed:
            return SeedPlayed(
                seed=item.seed,
                digest=ran.simulation.digest,
                events=ran.simulation.events,
                sessions=ran.simulation.sessions,
                questions=dict(sorted(ran.assembly.questions[system].items())),
                unanswered=ran.assembly.unanswered[system],
                cut=ran.cut,
                broken=told,
                flaky=flaky,
                control=control,
            )

        return played

    def _rule(self, item: Simulate, ran: _Ran, system: str, rule: str) -> RuleBroken:
        number = ran.simulation.first[rule].event.number
        where = self._plan.chaos.where
        targets = (f"{system}={where}",) if item.exchanged and where else ()
        text = RULES[rule]
        command = replay_command(ran.simulation.plan, targets, number)
        return RuleBroken(rule, text.says, text.rests_on, ran.simulation.broken[rule], number, command)

    def _tell(self, item: Simulate, system: str, profile: str, played: SeedPlayed, left: tuple[str, ...]) -> None:
        carrier = item.reach.carrier if item.exchanged else REFERENCE
        self._put(SystemSimulated(system=system, profile=profile, carrier=carrier, played=played, spared=left))


def rolled_up(plan: RunPlan, system: str, events: Sequence[SystemSimulated]) -> tuple[Simulated, ...]:
    """What was simulated of a system, by profile."""
    found: dict[str, list[SystemSimulated]] = {}
    for event in sorted(events, key=lambda each: (each.profile, each.played.seed)):
        if event.system == system:
            found.setdefault(event.profile, []).append(event)
    return tuple(_simulated(plan, system, each) for each in found.values())


def _simulated(plan: RunPlan, system: str, events: list[SystemSimulated]) -> Simulated:
    unwatched = UNWATCHED.get(system, ()) if events[0].spared else ()
    watched = tuple(rule for rule in RULES if rule not in unwatched)
    broken: Counter[str] = Counter()
    for event in events:
        broken.update(each.rule for each in event.played.broken)
        broken.update(event.played.flaky)
    return Simulated(
        profile=events[0].profile,
        carrier=events[0].carrier,
        days=plan.chaos.days,
        agents=plan.chaos.agents,
        weather=HOSTILE,
        seeds=tuple(event.played for event in events),
        rules=watched,
        held=tuple(rule for rule in watched if rule not in broken),
        spared=events[0].spared,
    )


def defect(events: Sequence[SystemSimulated]) -> HarnessFault | None:
    """A rule that the reference breaks as well is a defect of ours, and says nothing of the implementation."""
    for event in events:
        for broken in event.played.broken if event.played.control else ():
            return HarnessFault(
                f"{broken.rule} is broken in a simulation, and with the reference in its place "
                f"{event.played.control[0] if event.played.control else ''} is, too, so that is a defect of ours; "
                f"please report it with `{broken.replay}`"
            )
    return None
