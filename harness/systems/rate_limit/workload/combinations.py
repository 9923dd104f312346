"""Worlds in which several faults stand at once: what pairs of faults are covered with; see stateless_search."""

from collections.abc import Sequence

from harness.core.scenario import Scenario
from harness.systems import stateless_search as search
from harness.systems.rate_limit.workload.candidates import ROOM


def slots(profile: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The faults by what they strike; see stateless_search.slots."""
    del profile
    return search.slots(ROOM, names)


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """The control in calm weather, then under all of these faults at once."""
    del profile
    return search.combined(ROOM, names)
