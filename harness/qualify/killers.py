"""What killed each mutant last time: it is begun with, so that showing it again is short. It decides nothing.

``python -m harness.qualify.kept`` keeps what a report says; what it says nothing of stays.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from harness.core.scenario import Scenario
from harness.explore.enumerated import explored_steps

FILE = "killers.json"
MOST_OF_A_SURVIVOR = 40
"""Scenarios; see ``short``."""

Killers = Mapping[str, str | None]
"""By SYSTEM/NAME, the id of a scenario or of a variant of one; None of what survived all of them."""


@cache
def known() -> Killers:
    """Those that are shipped."""
    return msgspec.json.decode(place().read_bytes(), type=dict[str, str | None])


def renewed(before: Killers, mutants: Mapping[str, Mapping[str, Any]]) -> dict[str, str | None]:
    """Those of before, with what became of these mutants of a qualify.json; errors tell nothing of one."""
    found = {name: fate["scenario"] for name, fate in mutants.items() if not fate["error"]}
    return dict(sorted({**before, **found}.items()))


def origin(scenarios: Iterable[Scenario], killer: str) -> Scenario | None:
    """The scenario that is that killer, or that it is a variant of; None when none of them is."""
    return max((each for each in scenarios if _is_of(killer, each)), key=lambda each: len(each.id), default=None)


def short(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Those that are played of what nothing killed last time: of what is explored none, which would take minutes.

    That it survives is the worst that can be said of a mutant.
    """
    return [each for each in scenarios if not explored_steps(each)][:MOST_OF_A_SURVIVOR]


def _is_of(killer: str, scenario: Scenario) -> bool:
    """Is that the id of the scenario, or of one of its variants?"""
    return killer == scenario.id or (killer.startswith(f"{scenario.id}-") and bool(explored_steps(scenario)))


def place() -> Path:
    """The file in which they are."""
    return Path(str(resources.files("harness.qualify").joinpath(FILE)))
