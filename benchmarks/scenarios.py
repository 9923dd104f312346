"""Scenarios generated, and scenarios of the corpus played and judged, in this process: how many a second."""

import time
from functools import cache
from importlib import import_module
from itertools import islice
from random import Random

import msgspec

from benchmarks.machine import create
from benchmarks.measure import Figure
from harness.certify import corpus
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.explore.coverage import refused
from harness.explore.generate import named
from harness.explore.playing import play
from harness.faults import catalogue
from harness.systems import registry
from harness.targets.direct import DirectSession

ROUNDS = 5
COMPOSED = 100  # of each system, in a round
EVERY = 8  # of the corpus one scenario in so many is played in a round, so that all of it is after as many


def rates() -> list[tuple[str, Figure]]:
    """Scenarios a second of processor time, all systems together; and what judging costs beside playing."""
    composed = tuple(_composed(seed) for seed in range(ROUNDS))
    both = [_played(shift) for shift in range(EVERY)]
    return [
        ("composed", Figure(composed, "/s", "scenarios generated from a seed", "at least 100")),
        ("played", Figure(tuple(n / (p + j) for n, p, j in both), "/s", "corpus played and judged", "at least 200")),
        ("judging", Figure(tuple(j / p for _, p, j in both), "", "judging a scenario : playing it", "told, no goal")),
    ]


def _composed(seed: int) -> float:
    """As ``windtunnel generate`` composes candidates, before it plays them to choose."""
    names = [kind.name for kind in catalogue.EVERY]
    begun = time.process_time()
    for system in registry.every():
        room = import_module(f"{system.workload.__name__}.candidates")
        profile = system.served_profile
        stream = room.candidates(profile, Random(derive(seed, system.name)), names, calm=True)
        for number, candidate in enumerate(islice(stream, COMPOSED)):
            named(candidate, derive(seed, number))
    return len(registry.NAMES) * COMPOSED / (time.process_time() - begun)


def _played(shift: int) -> tuple[int, float, float]:
    """How many scenarios of that part of the corpus, and the seconds they took to play and to judge."""
    count, playing, judging = 0, 0.0, 0.0
    for system in registry.every():
        system.load()
        with DirectSession(system.served_profile, create(system.name)) as session:
            for scenario in islice(_level2(system.name), shift, None, EVERY):
                begun = time.process_time()
                history = _history(scenario, session, system)
                ended = time.process_time()
                if history is None:
                    continue
                system.judge(scenario, history, system.catalogue)
                judging += time.process_time() - ended
                playing += ended - begun
                count += 1
    return count, playing, judging


@cache
def _level2(name: str) -> tuple[Scenario, ...]:
    """What there is of L1 and L2 for the served profile; what waits for a real time-out at full length is left out."""
    profile = registry.get(name).served_profile
    return tuple(
        scenario
        for scenario in corpus.scenarios(name)
        if scenario.level != "L3" and scenario.profile == profile and not scenario.full_length
    )


def _history(scenario: Scenario, session: DirectSession, system: registry.System) -> History | None:
    """None of what cannot be played in this process: a fault it cannot meet, or arguments that a protocol refuses."""
    try:
        history = play(scenario, session, system.inputs_of)
    except msgspec.ValidationError:
        return None
    return None if refused(scenario, history) else history
