"""Candidates for scenarios nobody wrote down; see stateless_search."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any

from harness.core.scenario import Operation, Scenario
from harness.systems import stateless_search as search
from harness.systems.fallback.contract import (
    ESCALATE,
    LADDER,
    MODEL_LADDER,
    SYSTEM,
    WORKFLOW_LADDER,
    Decision,
    Trigger,
)
from harness.systems.fallback.workload.boundaries import STRANGERS
from harness.systems.fallback.workload.levels import own_rows
from harness.systems.fallback.workload.steps import MUSTS, WHOLE, asking, facts, telling
from harness.systems.stateless_faults import rows
from harness.systems.stateless_search import Room, one, unsteady

__all__ = ["allowed", "candidates", "controls", "meant", "title", "unsteady", "without_place"]

RUNGS = (*MODEL_LADDER, *WORKFLOW_LADDER)
CONFIDENCES = (0.0, 0.2999999, 0.3, 0.35, 0.3999999, 0.4, 0.4000001, 0.9, None)
FACTS: Mapping[str, tuple[Any, ...]] = {
    "confidence": CONFIDENCES,
    "decision": tuple(decision.value for decision in Decision),
    "consecutive_failures": (0, 1, 2, 3, 4, 10**9),
    "security_critical": (True, False),
    "irreversible": (True, False),
    "rollback": (True, False, None),
}


def _operation(rng: Random) -> Operation:
    if rng.randrange(2):
        return asking(one(rng, ("model", "workflow")), one(rng, (*RUNGS, *RUNGS, *STRANGERS)))
    return telling(**{name: one(rng, values) for name, values in FACTS.items() if rng.randrange(3) == 0})


def _results(operation: Operation) -> search.Results:
    if operation.name == "next":
        return tuple({"next": rung} for rung in dict.fromkeys((*RUNGS, ESCALATE)))
    some = (chosen for count in range(len(Trigger) + 1) for chosen in combinations([*Trigger], count))
    return tuple({"escalate": bool(chosen), "triggers": [each.value for each in chosen]} for chosen in some)


ROOM = Room(SYSTEM, LADDER, (*rows(), *own_rows()), WHOLE, _operation, _results, MUSTS)


def candidates(profile: str, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
    """Candidates without end; see stateless_search.candidates."""
    del profile
    return search.candidates(ROOM, rng, faults, calm=calm)


def controls(profile: str) -> tuple[Scenario, ...]:
    """Both sides in calm weather: who always says yes, or always no, fails one of them."""
    del profile
    lasts = (facts(consecutive_failures=3), facts(consecutive_failures=2))
    return tuple(search.composed(ROOM, (*WHOLE, last), {}) for last in lasts)


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
