"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import SESSION_MEMORY_PATH
from harness.systems.diagnosis.workload.candidates import KEPT, candidate
from harness.systems.diagnosis.workload.diagnosis_steps import calm
from harness.systems.diagnosis.workload.failures import GIT, SLOW
from harness.systems.diagnosis.workload.fault_rows import PLACES
from harness.systems.diagnosis.workload.legs import LEARNS, LOOKS, RECOVERS
from harness.systems.search import Combination
from harness.systems.tours import told


def _slot(path: str) -> str:
    """Every file is like the others."""
    del path
    return "files"


COMBINATION = Combination(PLACES, SESSION_MEMORY_PATH, _slot)
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Both sides in calm weather, then all of these faults at once; it has no id, title or clauses yet."""
    del profile
    story = calm(KEPT)
    told(story, (LEARNS,))
    COMBINATION.strike(story, names)
    told(story, (LOOKS, RECOVERS))
    return msgspec.structs.replace(candidate(story.fail(SLOW).fail(GIT).ok(), ()), level="L2")
