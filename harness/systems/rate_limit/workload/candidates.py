"""Candidates for scenarios nobody wrote down; see stateless_search."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from harness.core.scenario import Operation, Scenario
from harness.systems import stateless_search as search
from harness.systems.rate_limit.contract import BACKOFF, SYSTEM
from harness.systems.rate_limit.workload.boundaries import LONGER_WORDS, ODD_TUNABLES, SAYING, SILENT
from harness.systems.rate_limit.workload.levels import own_rows
from harness.systems.rate_limit.workload.steps import (
    LIMITED,
    MUSTS,
    NO_LIMIT,
    NO_RETRY,
    REACHES_LONGEST,
    WHOLE,
    classify,
    classifying,
)
from harness.systems.stateless_faults import rows
from harness.systems.stateless_search import Room, one, unsteady

__all__ = ["allowed", "candidates", "controls", "meant", "title", "unsteady", "without_place"]

STATUSES = (None, None, 200, 400, 428, 429, 429, 430, 500, 503)
MESSAGES = (None, None, *SAYING, *SILENT, *LONGER_WORDS)
RETRIES = (1, 2, 3, 4, 5, 5, 6, 6, 7, 0, -1, 1030, 10**9)
TUNED: tuple[Mapping[str, Any], ...] = (
    REACHES_LONGEST, {"initial_delay_s": 37.5}, {"multiplier": 1.0}, {"max_retries": 2}, {"max_delay_s": 60.0},
)  # fmt: skip
ODD_VALUES = tuple(pair for values in ODD_TUNABLES.values() for pair in values)
DELAYS_S = (5.0, 10.0, 20.0, 40.0, 80.0, 60.0, 75.0, 150.0, 300.0, 37.5)


def _operation(rng: Random) -> Operation:
    drawn = rng.randrange(8)
    if drawn == 0:
        name, value = one(rng, ODD_VALUES)
        return Operation("configure", {"tunables": {name: value}})
    if drawn == 1:
        return Operation("configure", {"tunables": dict(one(rng, TUNED))})
    if drawn < 5:
        return Operation("next_delay", {"retry": one(rng, RETRIES)})
    return classifying(one(rng, STATUSES), one(rng, MESSAGES))


def _results(operation: Operation) -> search.Results:
    if operation.name == "classify":
        return (LIMITED, NO_LIMIT)
    if operation.name == "next_delay":
        made = ({"retry": True, "delay_s": delay_s} for delay_s in DELAYS_S)
        return (*made, {**NO_RETRY, "delay_s": None})
    return ({"accepted": True}, {"accepted": False})


ROOM = Room(SYSTEM, BACKOFF, (*rows(), *own_rows()), WHOLE, _operation, _results, MUSTS, TUNED)


def candidates(profile: str, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
    """Candidates without end; see stateless_search.candidates."""
    del profile
    return search.candidates(ROOM, rng, faults, calm=calm)


def controls(profile: str) -> tuple[Scenario, ...]:
    """Both sides in calm weather: who always says yes, or always no, fails one of them."""
    del profile
    return tuple(search.composed(ROOM, (*WHOLE, last), {}) for last in (classify(429), classify(404)))


def without_place(profile: str, faults: Sequence[str]) -> tuple[str, ...]:
    """Those of ``faults`` that cannot strike anything here."""
    del profile
    return tuple(name for name in faults if not search.places(ROOM, name))


def meant(scenario: Scenario) -> tuple[str, ...]:
    """The clauses that a scenario of these may be meant for."""
    del scenario
    return MUSTS


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> search.Results:
    """What the last operation may end in."""
    return search.allowed(ROOM, scenario, permitted)


def title(scenario: Scenario) -> str:
    """What happens in the scenario after its control, in a line."""
    return search.title(scenario)
