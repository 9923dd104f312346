"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. Then something is done in calm weather, the fault
strikes, and the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.core.scenario import Scenario
from harness.systems.dead_letter.workload.dead_letter_steps import Files, Story, calm, scenario
from harness.systems.dead_letter.workload.fault_rows import rows
from harness.systems.dead_letter.workload.legs import (
    ABANDONS,
    BEFORE,
    BEGINS,
    FAILS,
    LOOKS,
    NEXT_DAY,
    REVIEWS,
    SMALL_WORLD,
    STARTS_OVER,
    WHOLE,
    WORLD,
)
from harness.systems.tours import AFRESH, Leg, toured

KEPT = frozenset({"LK-DQ-23"})
NOTHING_SURE = {"queue": frozenset({"filesystem.parent_missing"})}
"""By profile, faults under which a sound queue may do anything but break a rule: there, no queue is left."""
_REVIEWED = "LK-DQ-09"  # what a session does hangs on the time it is told, and under this it is told another one
_JUMP = "clock.jump"


class Tour(NamedTuple):
    """What is done under the fault, in which world, and the clauses that can be told; None: all that its legs show."""

    after: tuple[Leg[Story], ...]
    shown: frozenset[str] | None = None
    world: Files = WORLD

    @property
    def before(self) -> tuple[Leg[Story], ...]:
        """What is done in calm weather."""
        return (BEFORE,)


_SHOWN_OVER = frozenset(STARTS_OVER.clauses)

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour]] = {
    "damaged": {"": Tour((LOOKS, STARTS_OVER, ABANDONS, LOOKS), _SHOWN_OVER, SMALL_WORLD)},
    "emptied": {"": Tour((LOOKS, FAILS, BEGINS, LOOKS), KEPT, SMALL_WORLD)},
    "unpended": {"": Tour((LOOKS, BEGINS, ABANDONS, NEXT_DAY))},
    "harmless": {"": Tour(WHOLE)},
    "standing": {"": Tour((LOOKS, *WHOLE, LOOKS), KEPT, SMALL_WORLD)},
    "unsteady": {"": Tour((LOOKS, *WHOLE, LOOKS), KEPT, SMALL_WORLD)},
    "unasked": {"": Tour((FAILS, BEGINS, ABANDONS, LOOKS), KEPT | {"LK-DQ-01", "LK-DQ-12", "LK-DQ-20"}, SMALL_WORLD)},
    "moved": {"": Tour((FAILS, REVIEWS, ABANDONS)), "beginning": Tour((BEGINS, NEXT_DAY))},
    "surrounded": {"": Tour(WHOLE)},
    "restarted": {"": Tour((FAILS, AFRESH, BEGINS, AFRESH, ABANDONS, AFRESH, NEXT_DAY))},
    "locked": {"": Tour((LOOKS, FAILS, ABANDONS), KEPT, SMALL_WORLD)},
    "killed": {
        "failing": Tour((FAILS, LOOKS, *WHOLE[1:])),
        "beginning": Tour((BEGINS, LOOKS, REVIEWS, ABANDONS), KEPT, SMALL_WORLD),
    },
    "named": {"": Tour((FAILS, ABANDONS, REVIEWS), KEPT | set(REVIEWS.clauses))},
}


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        shown = each.clauses if each.tour.shown is None else each.tour.shown
        if each.row.fault is not None and each.row.fault.name == _JUMP:
            shown -= {_REVIEWED}
        yield scenario(each.name, each.title, shown, each.story.list(), files=each.tour.world, level="L2")
