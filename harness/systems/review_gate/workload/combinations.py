"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.review_gate.contract import GATE_PATH
from harness.systems.review_gate.workload.candidates import candidate
from harness.systems.review_gate.workload.fault_rows import PLACES
from harness.systems.review_gate.workload.gate_steps import Story
from harness.systems.review_gate.workload.legs import BLOCKS, FIXES, HOLDS
from harness.systems.search import Combination
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the file, its directory."""
    return "file" if path == GATE_PATH else "directory"


COMBINATION = Combination(PLACES, GATE_PATH, _slot, preferred="directory")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """A review that blocks in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control()
    told(story, (BLOCKS,))
    COMBINATION.strike(story, names)
    told(story, (HOLDS, FIXES))
    return msgspec.structs.replace(candidate(story.status()), level="L2")
