"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import CONFIG_PATH, LOGS_DIRECTORY, PHASES_DIRECTORY
from harness.systems.phase_runner.workload.candidates import candidate
from harness.systems.phase_runner.workload.fault_rows import PLACES
from harness.systems.phase_runner.workload.legs import BATCHES, GOES_ON, HALTS, REFUSES, RETRIES
from harness.systems.phase_runner.workload.phase_steps import ANY, Story
from harness.systems.phase_runner.workload.plans import CHAIN
from harness.systems.search import Combination
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the records, the logs, the rest of the state."""
    if path.startswith(PHASES_DIRECTORY):
        return "records"
    return "logs" if path.startswith(LOGS_DIRECTORY) else "state"


COMBINATION = Combination(PLACES, CONFIG_PATH, _slot, preferred="records")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """A complete phase and one that is retried in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().start(CHAIN).complete("0").fail("1").look(CHAIN)
    COMBINATION.strike(story, names)
    told(story, (GOES_ON, REFUSES, RETRIES, HALTS, BATCHES))
    return msgspec.structs.replace(candidate(story.look(CHAIN), ANY), level="L2")
