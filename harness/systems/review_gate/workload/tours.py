"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. A review blocks, the fault strikes, and the legs follow,
in whatever weather is left. Where the state is damaged or cannot be read or written, all that shows for certain is that
nothing begins.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.review_gate.workload.fault_rows import rows
from harness.systems.review_gate.workload.gate_steps import STOPPED, Story, calm, scenario
from harness.systems.review_gate.workload.legs import (
    BLOCKS,
    ENDS,
    FIXES,
    FOLLOWS,
    HOLDS,
    NAMES_ODDLY,
    ONE_RETURNED,
    PASSES,
    RACED,
    RESTARTED,
    RETURNS_ODDLY,
    STARTS_OVER,
    UNDER_WAY,
    WHOLE,
)
from harness.systems.tours import Tour, toured

_BUT_STOPPED = frozenset(clause for leg in WHOLE for clause in leg.clauses) - frozenset(STOPPED)
NOTHING_SURE = {
    "gate": frozenset(("filesystem.vanishing", "filesystem.growing", "filesystem.file_for_directory")),
}
"""By profile, faults under which a sound gate may do anything but break a rule; their control shows the rest."""
_NOT_WITHOUT_AN_ANSWER = frozenset({"LK-REV-05"})  # in some surroundings no process can be begun

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour[Story]]] = {
    "damaged": {"": Tour((BLOCKS,), (HOLDS, FIXES, STARTS_OVER), _BUT_STOPPED)},
    "gone": {"": Tour((BLOCKS,), (STARTS_OVER,))},
    "harmless": {"": Tour((BLOCKS,), RACED)},
    "standing": {"": Tour((BLOCKS,), WHOLE, _BUT_STOPPED)},
    "unsteady": {"": Tour((BLOCKS,), (FOLLOWS, STARTS_OVER, HOLDS), _BUT_STOPPED)},
    "moved": {"": Tour((BLOCKS,), WHOLE)},
    "surrounded": {"": Tour((BLOCKS,), RACED, _NOT_WITHOUT_AN_ANSWER)},
    "restarted": {"": Tour((BLOCKS,), RESTARTED)},
    "locked": {"": Tour((BLOCKS,), (HOLDS, FIXES, ENDS), _BUT_STOPPED)},
    "killed": {
        "fixing": Tour((BLOCKS,), (UNDER_WAY, FOLLOWS)),
        "asking": Tour((BLOCKS,), WHOLE),
    },
    "asked-for": {"": Tour((BLOCKS, PASSES), (NAMES_ODDLY,))},
    "named": {"": Tour((BLOCKS, ONE_RETURNED), (RETURNS_ODDLY,))},
    "unnamed": {"": Tour((BLOCKS, ONE_RETURNED), (RETURNS_ODDLY,))},
}


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        yield scenario(each.name, each.title, each.clauses - each.tour.lost, each.story.status(), level="L2")
