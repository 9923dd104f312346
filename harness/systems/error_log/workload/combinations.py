"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Sequence

import msgspec

from harness.core.scenario import Scenario
from harness.systems.error_log.contract import ERRORS_PATH, METADATA_PATH, ErrorType
from harness.systems.error_log.workload.candidates import candidate
from harness.systems.error_log.workload.error_log_steps import SESSION, Story
from harness.systems.error_log.workload.fault_rows import PLACES
from harness.systems.error_log.workload.handling_boundaries import STOPS
from harness.systems.error_log.workload.legs import FAR, GOES_ON, LOGS, TIMES_OUT
from harness.systems.search import Combination
from harness.systems.tours import told


def _slot(path: str) -> str:
    """What a fault at that path strikes: the metadata, what is logged."""
    return "metadata" if path == METADATA_PATH else "errors"


COMBINATION = Combination(PLACES, ERRORS_PATH, _slot, preferred="metadata")
AT_CALLS, slots = COMBINATION.at_calls, COMBINATION.slots


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """An error and an interrupted task in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().log("parse_error").handle(ErrorType.DELEGATION_HANG, "high", FAR).read(SESSION)
    COMBINATION.strike(story, names)
    told(story, (LOGS, GOES_ON, TIMES_OUT))
    story.handle(ErrorType.VALIDATION_FAILED, "critical")
    return msgspec.structs.replace(candidate(story, STOPS), level="L2")
