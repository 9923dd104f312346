"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes after attempts were logged; then texts
are scanned and actions are excused in whatever weather is left. Who has the group behaviour assesses facts then, too.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from harness.core.scenario import Scenario
from harness.systems.rationalization.workload.fault_rows import rows
from harness.systems.rationalization.workload.legs import ASSESSES, ENFORCES, SCANS, WHOLE
from harness.systems.rationalization.workload.watch_steps import (
    BEHAVIOUR,
    BOTH,
    EXCUSE,
    FLAG,
    LOGGED,
    NEUTRAL,
    Story,
    calm,
    scenario,
)
from harness.systems.tours import AFRESH, Leg, Tour, toured


def _logged_before(story: Story) -> None:
    story.enforce(FLAG).enforce(BOTH).attempts()


def _looks(story: Story) -> None:
    story.attempts()


def _one_excuse(story: Story) -> None:
    story.enforce(EXCUSE).attempts()


def _one_text(story: Story) -> None:
    story.scan(EXCUSE).enforce(NEUTRAL)


LOGGED_BEFORE, LOOKS = Leg(_logged_before, ()), Leg(_looks, ())
ONE_EXCUSE, ONE_TEXT = Leg(_one_excuse, ()), Leg(_one_text, ())
BEFORE = (LOGGED_BEFORE,)
_UNLOGGED = frozenset({LOGGED})  # of a log that cannot be written, or read
TOURS: Final[Mapping[str, Mapping[str, Tour[Story]]]] = {
    "damaged": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "harmless": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "unlogged": {"": Tour(BEFORE, (LOOKS, *WHOLE), _UNLOGGED)},
    "unbegun": {"": Tour((), (LOOKS, *WHOLE), _UNLOGGED)},
    "moved": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "surrounded": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "restarted": {"": Tour((), (ENFORCES, AFRESH, SCANS, AFRESH, ENFORCES, AFRESH, LOOKS))},
    "locked": {"": Tour(BEFORE, (LOOKS, *WHOLE), _UNLOGGED)},
    "killed": {
        "logging": Tour(BEFORE, (ONE_EXCUSE, LOOKS, *WHOLE)),
        "scanning": Tour(BEFORE, (ONE_TEXT, LOOKS, *WHOLE)),
    },
    "named": {"": Tour(BEFORE, (ONE_TEXT, ONE_EXCUSE, *WHOLE))},
}
"""The tours of each group of rows, by a word for each where there is more than one."""
_ASSESSED: Final = frozenset(("moved", "surrounded", "restarted", "unlogged", "damaged"))


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        clauses = tuple(each.clauses - each.tour.lost)
        yield scenario(each.name, each.title, clauses, each.story.attempts(), level="L2")
    assessed = {group: {BEHAVIOUR: Tour(BEFORE, (ASSESSES,))} for group in _ASSESSED}
    for each in toured((row for row in rows() if row.group in _ASSESSED), assessed, calm):
        yield scenario(each.name, each.title, tuple(each.clauses), each.story, level="L2", group=BEHAVIOUR)
