"""What to run, and the work that follows from it."""

from typing import NamedTuple

import msgspec

from harness.certify.disguise import disguised
from harness.certify.reach import Reach
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.core.verdict import L1, L2, L4
from harness.explore.enumerated import LIMIT, explored_steps
from harness.explore.operation_orders import SCHEDULES
from harness.systems import registry
from harness.targets.player import Head

SEARCH_SHARDS = 2  # fixed, so that the cases do not depend on the number of jobs


class ChaosScope(NamedTuple):
    """How much is simulated at L4: of each system that is certified so many seeds, each so many virtual days.

    ``where`` says how `simulate --target SYSTEM=` names what is certified, "" when it cannot. ``together``: all
    systems are the references, so that one simulation shows each of them.
    """

    days: int = 2
    agents: int = 3
    seeds: int = 2
    where: str = ""
    together: bool = False


class RunPlan(NamedTuple):
    """What to run: the systems, the ways to the implementation, the materialised scenarios, and how much search."""

    systems: tuple[registry.System, ...]
    target: str
    replay: str
    reaches: tuple[Reach, ...]
    scenarios: tuple[Scenario, ...]
    level: str
    seed: int
    cases: int
    budget_s: float | None
    jobs: int
    only: tuple[
        str, ...
    ] = ()  # the clauses that were picked, none for all: with some there is no level and no certificate
    unsafe: bool = False  # go on where the command cannot be contained
    explore_limit: int = LIMIT  # variants of one operation
    schedules: int = SCHEDULES  # orders of operations begun together
    one_variant_in: int = 1  # of L3 one in so many is played: for `reached` only, as no report tells of the rest
    chaos: ChaosScope = ChaosScope()
    baselined: bool = False  # beside known deviations
    days: int = 0  # by which a part is played again on another day: see disguise; 0 for nothing

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(system.name for system in self.systems)

    def system_of(self, scenario: Scenario) -> registry.System:
        """The system of one of its scenarios."""
        return next(system for system in self.systems if system.name == scenario.system)

    def profiles_of(self, system: registry.System) -> dict[str, tuple[str, ...]]:
        """The profiles in which one of its systems is judged, each with the groups declared for it."""
        return {reach.profile: reach.groups for reach in self.reaches if reach.system.name == system.name}


class Probe(NamedTuple):
    """One call in calm weather: is this an implementation that runs at all?"""

    reach: Reach


class Play(NamedTuple):
    """One scenario against one way to the implementation."""

    scenario: Scenario
    reach: Reach


class Learn(NamedTuple):
    """One scenario of L3: played as it is, while what it does to files is recorded, and turned into its variants."""

    scenario: Scenario
    reach: Reach


class Vary(NamedTuple):
    """One variant of it; ``parent`` is its id and the place of the step that is explored.

    ``head`` is what was played already: see explore.playing.
    """

    scenario: Scenario
    reach: Reach
    parent: tuple[str, int]
    kind: str
    head: Head


class Order(NamedTuple):
    """Every order of the operations that a scenario of L3 begins together, after the step at ``place``."""

    scenario: Scenario
    reach: Reach
    place: int
    head: Head


class Search(NamedTuple):
    """One shard of fresh search, of so many cases."""

    reach: Reach
    shard: int
    cases: int


class Simulate(NamedTuple):
    """One simulation; what ``reach`` leads to takes the place of the reference, if it is ``exchanged``."""

    reach: Reach
    seed: int
    exchanged: bool = True


Work = Probe | Play | Learn | Vary | Order | Simulate | Search


def runs_for(scenario: Scenario, reach: Reach) -> bool:
    """Is this scenario meant for that implementation: its profile, its groups, and the paths it declares?"""
    if (scenario.system, scenario.profile) != (reach.system.name, reach.profile):
        return False
    if scenario.group not in (None, *reach.groups):
        return False
    text = msgspec.json.encode(scenario)
    wanted = {name for name in ("config", "semaphore", "runtime") if f"{{{name}}}".encode() in text}
    return wanted <= set(reach.declared)


def in_scope(scenario: Scenario, level: str) -> bool:
    """Is this scenario run on the way to ``level``? Each level needs the one before."""
    return scenario.level <= level


def level_of_found(scenario: Scenario) -> str:
    """The level at which a scenario that search found counts: with a fault or a schedule in it, nothing is simple."""
    return L2 if any(step.fault is not None or step.schedule is not None for step in scenario.steps) else L1


def planned(plan: RunPlan) -> list[Work]:
    """The plan's work, in the order in which it is begun: probes, scenarios, those to be explored, searches."""
    scenarios = [scenario for scenario in plan.scenarios if in_scope(scenario, plan.level)]
    # the full-length runs only wait: begun first, they are over when the rest is
    scenarios.sort(key=lambda scenario: not scenario.full_length)
    pairs = [(scenario, reach) for scenario in scenarios for reach in plan.reaches if runs_for(scenario, reach)]
    work: list[Work] = [Probe(reach) for reach in plan.reaches if reach.probe is not None]
    work += [Play(*pair) for pair in pairs if not explored_steps(pair[0])]
    # a hook has clocks of its own, and is not asked again
    for reach in (each for each in plan.reaches if plan.days and each.carrier != "hook"):
        mine = [scenario for scenario, way in pairs if way is reach]
        work += [Play(again, reach) for again in disguised(mine, reach.system.catalogue, reach.profile, plan.days)]
    work += [Learn(*pair) for pair in pairs if explored_steps(pair[0])]
    if plan.level >= L4:
        work += _simulations(plan)
    for reach in plan.reaches:
        for shard in range(SEARCH_SHARDS if plan.cases else 0):
            share = plan.cases // SEARCH_SHARDS + (shard < plan.cases % SEARCH_SHARDS)
            if share:
                work.append(Search(reach, shard, share))
    return work


def _simulations(plan: RunPlan) -> list[Simulate]:
    """Those of L4; every system meets the same seeds, which are derived from that of the run."""
    seeds = [derive(plan.seed, "chaos", number) for number in range(plan.chaos.seeds)]
    alone = [reach for reach in plan.reaches if not plan.chaos.together or reach.carrier == "hook"]
    work = [Simulate(plan.reaches[0], seed, exchanged=False) for seed in seeds] if plan.chaos.together else []
    return work + [Simulate(reach, seed) for reach in alone for seed in seeds]


def name_of(item: Work) -> str:
    """What a person is told of an item that is waited for."""
    if isinstance(item, Play | Learn | Vary | Order):
        return item.scenario.id
    if isinstance(item, Search):
        return f"search {item.shard + 1} in profile {item.reach.profile}"
    if isinstance(item, Simulate):
        who = f"{item.reach.system.name} in profile {item.reach.profile}" if item.exchanged else "all systems"
        return f"the simulation of {who} under seed {item.seed}"
    return f"the first call in profile {item.reach.profile}"
