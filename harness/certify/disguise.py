"""Scenarios on another day: what is published can be learned by heart, so a part of it is asked once more, moved.

For each MUST clause the shortest scenarios of L1 that aim at it are played a second time with every date in them moved
by so many days, drawn anew for each run. For an implementation that looks at what it is asked nothing changes.
"""

import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

import msgspec

from harness.core.clause import Catalogue, Level
from harness.core.scenario import Scenario
from harness.core.verdict import L1
from harness.explore.enumerated import explored_steps

SUFFIX = "another-day"
AGAIN = 3  # scenarios a clause: one can be guessed
EARLIEST, LATEST = -2_000, 15_000  # days: from 1970 on, and before what 32 bits hold of seconds ends for nobody's clock
_DATE = re.compile(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])")
_NEAR = timedelta(days=400)  # a date further from the scenario's own is there for itself, such as the end of an epoch


def any_day() -> int:
    """By how many days what is asked again is moved: drawn, so that nobody can know it before."""
    return EARLIEST + secrets.randbelow(LATEST - EARLIEST) or 1


def disguised(scenarios: Iterable[Scenario], catalogue: Catalogue, profile: str, days: int) -> tuple[Scenario, ...]:
    """What is played again of these, moved by so many days, each with an id of its own."""
    mine = [each for each in scenarios if each.profile == profile and each.system == catalogue.system]
    wanted = {clause.id for clause in catalogue if clause.level is Level.MUST}
    return tuple(filter(None, (moved(scenario, days) for scenario in chosen(mine, wanted))))


def chosen(scenarios: Sequence[Scenario], clauses: Collection[str]) -> tuple[Scenario, ...]:
    """For each of these clauses the shortest scenarios of L1 that can be moved, in the order of their ids."""
    counts: Counter[str] = Counter()
    found: dict[str, Scenario] = {}
    for scenario in sorted(scenarios, key=lambda each: (len(each.steps), each.id)):
        open_ = [clause for clause in scenario.clauses if clause in clauses and counts[clause] < AGAIN]
        if open_ and is_movable(scenario):
            counts.update(open_)
            found[scenario.id] = scenario
    return tuple(sorted(found.values(), key=lambda each: each.id))


def is_movable(scenario: Scenario) -> bool:
    """Is it in its simplest form, and are all its dates about the time at which it begins?"""
    if scenario.level != L1 or scenario.full_length or explored_steps(scenario):
        return False
    own = _read(scenario.world.clock[:10])
    dates = [_read(text) for text in _DATE.findall(_text(scenario))]
    return own is not None and all(each is not None and abs(each - own) <= _NEAR for each in dates)


def moved(scenario: Scenario, days: int) -> Scenario | None:
    """The scenario with all its dates moved; None where that makes none of it."""

    def later(found: re.Match[str]) -> str:
        day = _read(found[0])
        return found[0] if day is None else (day + timedelta(days=days)).isoformat()

    try:
        made = msgspec.json.decode(_DATE.sub(later, _text(scenario)), type=Scenario)
    except (msgspec.ValidationError, OverflowError):
        return None
    return msgspec.structs.replace(made, id=f"{scenario.id}-{SUFFIX}", title=f"{scenario.title} Some other day.")


def _text(scenario: Scenario) -> str:
    return msgspec.json.encode(scenario).decode()


def _read(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
