"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, PENDING_PATH
from harness.systems.dead_letter.workload.candidates import candidate
from harness.systems.dead_letter.workload.dead_letter_steps import Story
from harness.systems.dead_letter.workload.fault_rows import PLACES
from harness.systems.dead_letter.workload.legs import BEFORE, FACTS, FAILS
from harness.systems.search import Combination
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the pending queue, the dead letters."""
    return "pending" if path == PENDING_PATH else "letters"


COMBINATION = Combination(PLACES, DEAD_LETTER_PATH, _slot, preferred="pending")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Two failures in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control()
    told(story, (BEFORE,))
    COMBINATION.strike(story, names)
    told(story, (FAILS,))
    story.review(FACTS).look().abandon("dropped").look()
    return msgspec.structs.replace(candidate(story), level="L2")
