"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.search import Combination
from harness.systems.signals.contract import DRIFT_PATH, REVIEW_PATH
from harness.systems.signals.workload.candidates import candidate
from harness.systems.signals.workload.fault_rows import PLACES
from harness.systems.signals.workload.legs import ASKS, DRIFTS, HANDS
from harness.systems.signals.workload.review_boundaries import ASKED
from harness.systems.signals.workload.signal_steps import CURRENT, Story
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the requests, the drift log and all else that is stored."""
    return "reviews" if path == REVIEW_PATH else "drift"


COMBINATION = Combination(PLACES, DRIFT_PATH, _slot, preferred="reviews")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """A drift and a request in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().drift().review(CURRENT).reviews(CURRENT)
    COMBINATION.strike(story, names)
    told(story, (DRIFTS, ASKS, HANDS))
    story.assess(cost_usd_per_hour=100.01)
    return msgspec.structs.replace(candidate(story, ASKED), level="L2")
