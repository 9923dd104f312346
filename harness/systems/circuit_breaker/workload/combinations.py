"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH
from harness.systems.circuit_breaker.workload.breaker_steps import LOG_DIRECTORY, OTHER, Story
from harness.systems.circuit_breaker.workload.candidates import candidate
from harness.systems.circuit_breaker.workload.fault_rows import PLACES
from harness.systems.circuit_breaker.workload.legs import ASKED_WHILE_OPEN, HEALS, LONG_AFTER, OPENS
from harness.systems.search import Combination
from harness.systems.tours import told

STORAGE = "storage"


def _slot(path: str) -> str:
    """What a fault at that path strikes: what is written about breakers, the log of recoveries."""
    return LOG_DIRECTORY if path in (LOG_DIRECTORY, RECOVERY_LOG_PATH) else STORAGE


COMBINATION = Combination(PLACES, STATE_PATH, _slot)
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Both sides in calm weather, then all of these faults at once; it has no id, title or clauses yet."""
    del profile
    story = Story().control()
    told(story, (OPENS,))
    COMBINATION.strike(story, names)
    told(story, (ASKED_WHILE_OPEN, LONG_AFTER, HEALS))
    return msgspec.structs.replace(candidate(story.trip().ask(OTHER).ask(), ()), level="L2")
