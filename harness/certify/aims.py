"""What the scenarios of the suite aim at: every clause, under every fault there is, at every level. Pure.

A scenario aims at a cell when it names the clause, and its steps put that fault in place, or an operation of it scripts
the fault, or what is explored in it strikes file calls so. One without any fault aims at calm weather.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.certify.weather import TOGETHER
from harness.core.history import Entry, EntryType
from harness.core.scenario import Operation, Scenario, Step
from harness.core.verdict import L1, L2, L3
from harness.faults import catalogue
from harness.systems import registry

CALM = "calm"
LEVELS = (L1, L2, L3)
FAULTS = (CALM, *(kind.name for kind in catalogue.EVERY), TOGETHER)
"""The columns of the matrix: no fault at all, those of the catalogue, and operations that begin together."""
# what a kind of exploration strikes; losses of power are no fault of the catalogue, and told beside the level
_EXPLORED = {"errno": "syscall.errno", "killed": "syscall.killed", "torn": "syscall.torn", "schedule": TOGETHER}


class Cell(NamedTuple):
    """One clause of a system, as it shows in ``profile``, under ``fault``, one of FAULTS, at ``level``."""

    profile: str
    clause: str
    level: str
    fault: str


def faults_of(system: registry.System, scenario: Scenario) -> tuple[str, ...]:
    """The faults under which ``scenario`` shows what it names, in the order of FAULTS; CALM alone when nothing strikes.

    Those under which the workload is sure of nothing are left out: their scenarios only look for broken rules.

    What its operations script themselves counts where nothing else strikes. In a tour under a fault, or (beyond L1)
    under a clock that is moved, it is part of the tour, and of the control before it.
    """
    put, scripted = set(explored_by(scenario)), set[str]()
    moved = False
    for step in every_step(scenario.steps):
        moved = moved or (step.clock is not None and scenario.level > L1)
        if step.fault is not None and not step.fault.params.get("deleted"):
            put.add(step.fault.name)
        elif step.schedule is not None and len(step.schedule.together) > 1:
            put.add(TOGETHER)
        scripted |= _scripted_by(system, step)
    names = put or (set() if moved else scripted) or {CALM}
    return tuple(name for name in FAULTS if name in names - unsure_under(system, scenario.profile))


def scripted_in(system: registry.System, scenarios: Iterable[Scenario]) -> frozenset[str]:
    """The faults that operations of ``scenarios`` script themselves."""
    steps = (step for scenario in scenarios for step in every_step(scenario.steps))
    return frozenset(name for step in steps for name in _scripted_by(system, step))


def unsure_under(system: registry.System, profile: str) -> frozenset[str]:
    """The faults under which the workload lets a sound implementation do anything but break a rule, in that profile."""
    by_profile: Mapping[str, frozenset[str]] = getattr(system.workload, "NOTHING_SURE", {})
    return by_profile.get(profile, frozenset())


def every_step(steps: Sequence[Step]) -> Iterator[Step]:
    """Each of ``steps``, and those within repeats in the place of these."""
    for step in steps:
        if step.repeat is not None:
            yield from every_step(step.repeat.steps)
        else:
            yield step


def explored_by(scenario: Scenario) -> tuple[str, ...]:
    """The faults at file calls that are enumerated in ``scenario``."""
    kinds = {kind for step in scenario.steps if step.explore is not None for kind in step.explore.kinds}
    return tuple(fault for kind, fault in _EXPLORED.items() if kind in kinds)


def aimed(system: registry.System, scenarios: Iterable[Scenario]) -> Counter[Cell]:
    """How many of ``scenarios`` aim at each cell; a cell that is not in there has none."""
    found: Counter[Cell] = Counter()
    for scenario in scenarios:
        for fault in faults_of(system, scenario):
            found.update(Cell(scenario.profile, clause, scenario.level, fault) for clause in scenario.clauses)
    return found


def cells(system: registry.System) -> Iterator[Cell]:
    """Every cell of ``system``; a clause that shows in no profile has its cells in the one that is served."""
    for clause in system.catalogue:
        for profile in clause.profiles or (system.served_profile,):
            for level in LEVELS:
                yield from (Cell(profile, clause.id, level, fault) for fault in FAULTS)


def _scripted_by(system: registry.System, step: Step) -> set[str]:
    asked = (
        Entry(n=0, process=0, type=EntryType.INVOKE, op=operation.name, value=operation.args, now="")
        for operation in _operations(step)
    )
    return {name for entry in asked for name in system.scripted_faults(entry)}


def _operations(step: Step) -> tuple[Operation, ...]:
    if step.schedule is not None:
        return step.schedule.together
    return (step.op,) if step.op is not None else ()
