"""What to run, and the work that follows from it."""

from typing import NamedTuple

import msgspec

from harness.certify.reach import Reach
from harness.core.scenario import Scenario
from harness.core.verdict import L1, L2
from harness.systems import registry

SEARCH_SHARDS = 2  # fixed, so that the cases do not depend on the number of jobs


class RunPlan(NamedTuple):
    """What to run: one system, the ways to the implementation, the materialised scenarios, and how much search."""

    system: registry.System
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


class Probe(NamedTuple):
    """One call in calm weather: is this an implementation that runs at all?"""

    reach: Reach


class Play(NamedTuple):
    """One scenario against one way to the implementation."""

    scenario: Scenario
    reach: Reach


class Search(NamedTuple):
    """One shard of fresh search, of so many cases."""

    reach: Reach
    shard: int
    cases: int


Work = Probe | Play | Search


def runs_for(scenario: Scenario, reach: Reach) -> bool:
    """Is this scenario meant for that implementation: its profile, its groups, and the paths it declares?"""
    if scenario.profile != reach.profile or scenario.group not in (None, *reach.groups):
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
    """The plan's work, in the order in which it is begun: probes, scenarios, searches."""
    scenarios = [scenario for scenario in plan.scenarios if in_scope(scenario, plan.level)]
    pairs = [Play(s, reach) for s in scenarios for reach in plan.reaches if runs_for(s, reach)]
    # the full-length runs only wait: begun first, they are over when the rest is
    pairs.sort(key=lambda work: not work.scenario.full_length)
    work: list[Work] = [Probe(reach) for reach in plan.reaches if reach.probe is not None]
    work += pairs
    for reach in plan.reaches:
        for shard in range(SEARCH_SHARDS if plan.cases else 0):
            share = plan.cases // SEARCH_SHARDS + (shard < plan.cases % SEARCH_SHARDS)
            if share:
                work.append(Search(reach, shard, share))
    return work
