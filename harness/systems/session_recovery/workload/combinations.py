"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.search import Combination
from harness.systems.session_recovery.contract import PENDING_PATH, QUEUE_DIRECTORY, STATE_DIRECTORY
from harness.systems.session_recovery.workload.candidates import candidate
from harness.systems.session_recovery.workload.fault_rows import PLACES
from harness.systems.session_recovery.workload.legs import FAILS_TESTS, GUARDS, LIMITED, WORK
from harness.systems.session_recovery.workload.session_steps import ANY, Story
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the queues, the state, other files."""
    if path.startswith(QUEUE_DIRECTORY):
        return "queues"
    return "state" if path.startswith(STATE_DIRECTORY) else "others"


COMBINATION = Combination(PLACES, PENDING_PATH, _slot, preferred="state")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """A claimed task and a checkpoint in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().claim("w1").checkpoint().lose_context()
    COMBINATION.strike(story, names)
    told(story, (*WORK, GUARDS, LIMITED, FAILS_TESTS))
    return msgspec.structs.replace(candidate(story.spawn(2, 0), ANY), level="L2")
