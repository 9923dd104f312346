"""Defects that no system shows alone, planted into the wiring or into one system, and hunted by simulations.

Each is hunted as a campaign would: short hostile days, one seed after the other, forks of those that showed something
new. What is found is shrunk. A defect is found when any rule of a simulation is broken; the sound ones break none in
the same weather, which tests and campaigns show.
"""

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import repeat
from typing import Final, NamedTuple

from harness.runtime.mutants import MUTANTS
from harness.runtime.session import Session
from harness.simulation.campaign import Steering, told, watched
from harness.simulation.incidents import Incidents
from harness.simulation.session import HOME
from harness.simulation.shrinking import TRIES, Shrunk, shrink
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly
from harness.systems import registry

WIRING: Final = "wiring"
MOST_RUNS: Final = 40  # of one hunt
MOST_INCIDENTS: Final = 10  # of a defect that was shrunk
PLAN: Final = Plan(days=1, agents=3, seed=0, profile="hostile")

IN_WIRING: Final = (
    *("refusal-counted", "refusal-told", "told-after-diagnosis", "delay-not-waited", "retries-carried-over"),
    *("fell-back-early", "success-does-not-reset", "escalation-ignored", "polling", "told-ahead", "facts-untold"),
    *("never-asked", "stopped-by-commit", "strategy-repeated", "failure-kept", "adopts-others"),
    *("interrupted-forgotten", "failure-counted-twice", "not-paused", "checked-ahead", "worked-after-halt"),
    *("plan-not-resumed", "conflict-unseen", "review-overtaken"),
)
"""Names of harness.runtime.mutants."""
IN_SYSTEMS: Final = (
    *("stop_gate/missing-transcript-blocks", "circuit_breaker/always-permits", "circuit_breaker/late-success-closes"),
    *("circuit_breaker/old-cooldown-is-kept", "fallback/five-failures", "fallback/simpler-escalates"),
    *("error_log/last-record-only", "session_recovery/finished-tasks-stay", "diagnosis/gives-up-after-three"),
    *("dead_letter/lock-failure-escapes", "signals/tasks-are-not-blocked", "signals/tasks-leave-before-they-arrive"),
    *("session_recovery/source-before-destination", "session_recovery/ledger-is-not-written"),
    *("phase_runner/three-attempts", "review_gate/analysis-beside-reviewers"),
)
"""Of each a system and the name of one of its mutants."""


class Planted(NamedTuple):
    """A defect: the ``system`` it is in, or WIRING, and the name of the mutant there."""

    system: str
    mutant: str

    @property
    def description(self) -> str:
        """What is wrong, in a sentence."""
        if self.system == WIRING:
            return MUTANTS[self.mutant].description
        found: str = registry.get(self.system).mutants.MUTANTS[self.mutant].description
        return found


PLANTED: Final[tuple[Planted, ...]] = (
    *(Planted(WIRING, mutant) for mutant in IN_WIRING),
    *(Planted(*named.split("/")) for named in IN_SYSTEMS),
)


class Hunted(NamedTuple):
    """How a hunt ended: the rule that was broken (empty: none), after how many runs, and the smallest case of it.

    ``cpu_s`` is the processor time of the hunt and ``shrinking_s`` that of the shrinking, in seconds.
    """

    planted: Planted
    rule: str
    runs: int
    cpu_s: float
    shrunk: Shrunk | None
    shrinking_s: float

    @property
    def is_small(self) -> bool:
        """Was it found, and shrunk to few incidents?"""
        return self.shrunk is not None and len(self.shrunk.case.incidents) <= MOST_INCIDENTS


def hunt(planted: Planted, seed: int = 0, runs: int = MOST_RUNS, tries: int = TRIES) -> Hunted:
    """Plays simulations with that defect until one breaks a rule, ``runs`` at most, and shrinks that one."""
    began = time.process_time()
    steering = Steering(PLAN._replace(seed=seed), runs, steers=True)
    played = 0
    while plans := steering.round():
        finished = []
        for plan in plans:
            played += 1
            simulation = made(planted, plan)
            watching = watched(simulation)
            simulation.run(interrupted=partial(_is_broken, simulation))
            if simulation.broken:
                return _shrunk(planted, simulation, played, began, tries)
            finished.append(told(simulation, *watching))
        steering.take(finished)
    return Hunted(planted, "", played, time.process_time() - began, None, 0.0)


def _is_broken(simulation: Simulation) -> bool:
    return bool(simulation.broken)


def _shrunk(planted: Planted, simulation: Simulation, runs: int, began: float, tries: int) -> Hunted:
    found = time.process_time()
    rule = next(iter(simulation.first))

    def make(plan: Plan, incidents: Incidents) -> Simulation:
        return made(planted, plan, incidents)

    shrunk = shrink(simulation.plan, rule, simulation.first[rule].event.number, make, most=tries)
    return Hunted(planted, rule, runs, found - began, shrunk, time.process_time() - found)


def made(planted: Planted, plan: Plan, incidents: Incidents | None = None) -> Simulation:
    """A simulation with that defect."""
    if planted.system == WIRING:
        return Simulation(plan, Assembly(HOME, seed=plan.seed), MUTANTS[planted.mutant].session, incidents)
    assembly = Assembly(HOME, seed=plan.seed, planted={planted.system: planted.mutant})
    return Simulation(plan, assembly, Session, incidents)


def hunt_all(wanted: tuple[Planted, ...], jobs: int, seed: int = 0) -> Iterator[Hunted]:
    """All of them, so many at a time, in their order."""
    if jobs == 1:
        yield from (hunt(planted, seed) for planted in wanted)
        return

    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(hunt, wanted, repeat(seed))
