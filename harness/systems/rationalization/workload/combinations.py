"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.rationalization.contract import ATTEMPTS_PATH
from harness.systems.rationalization.workload.candidates import candidate
from harness.systems.rationalization.workload.enforcing_boundaries import STOPPED
from harness.systems.rationalization.workload.fault_rows import PLACES
from harness.systems.rationalization.workload.legs import WHOLE
from harness.systems.rationalization.workload.watch_steps import Story
from harness.systems.search import Combination
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the log, or what it lies in."""
    return "log" if path == ATTEMPTS_PATH else "directory"


COMBINATION = Combination(PLACES, ATTEMPTS_PATH, _slot, preferred="directory")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Attempts in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().enforce().attempts()
    COMBINATION.strike(story, names)
    told(story, WHOLE)
    return msgspec.structs.replace(candidate(story.enforce(), STOPPED), level="L2")
