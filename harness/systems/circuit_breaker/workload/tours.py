"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes before anything else was done, or
while a breaker is OPEN, or while it is probed; then the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    DIRECTORIES,
    EITHER,
    INTERVAL_S,
    PERMITTED,
    REFUSED,
    Allowed,
    Story,
    calm,
    scenario,
)
from harness.systems.circuit_breaker.workload.fault_rows import rows
from harness.systems.circuit_breaker.workload.legs import (
    ALONE,
    ASKED_WHILE_OPEN,
    FILE_FIELDS,
    HEALS,
    HEALS_ALONE,
    LOAD,
    LONG_AFTER,
    OPENS,
    PROBED,
    RECOVERS,
    REOPENS,
    SPREADS,
    TUNED,
    WAITS,
    WHOLE,
)
from harness.systems.fault_rows import Row
from harness.systems.tours import AFRESH, Leg, toured

HOURS_AFTER_S = 3 * 3600.0  # after whatever a clock was moved by in a row


class Tour(NamedTuple):
    """What comes before the fault, and after it; ``allowed`` is what the call that ends it may be answered with."""

    before: tuple[Leg[Story], ...]
    after: tuple[Leg[Story], ...]
    allowed: Allowed = PERMITTED
    also: tuple[str, ...] = ()  # clauses beyond those of the legs after the fault
    lost: frozenset[str] = frozenset()  # and those that cannot be told from what the fault did


def _third(story: Story) -> None:
    """Two failures are counted, and a third call is in flight."""
    story.fail(times=2).ask(call="struck")


def _struck(story: Story) -> None:
    """The third call fails, or its failure is lost."""
    story.failed("struck").look().ask().look()


def _probe_in_flight(story: Story) -> None:
    story.cooled().ok().later(INTERVAL_S).ok().later(INTERVAL_S).ask(call="struck")


def _closes(story: Story) -> None:
    story.succeeded("struck").look()


def _hours_after(story: Story) -> None:
    story.later(HOURS_AFTER_S)


def _asked_for_load(story: Story) -> None:
    """Arguments are no arguments any more: all is refused, but what has none of them."""
    story.ask().ok().look().capacity(5, 8)


def _one_call(story: Story) -> None:
    """One call, whatever it is called, is the probe."""
    story.later(COOLDOWN_S - 100).ask(call="odd").succeeded("odd").look()


def _tripped(story: Story) -> None:
    story.trip().look().capacity(5).later(COOLDOWN_S)


TWO_FAILURES, STRUCK = Leg(_third, ()), Leg(_struck, ())
PROBE_IN_FLIGHT, CLOSES = Leg(_probe_in_flight, ()), Leg(_closes, ())
HOURS_AFTER = Leg(_hours_after, ())
ASKED_FOR_LOAD = Leg(_asked_for_load, LOAD)
ONE_CALL = Leg(_one_call, ("LK-CB-14", "LK-CB-16"))
RESTARTS = (OPENS, AFRESH, SPREADS, PROBED, AFRESH, RECOVERS, REOPENS, TUNED)
_HEALED = (HEALS, *WHOLE)
_LOGS = frozenset({"LK-RP-06"})
_TIMED = frozenset({"LK-RP-05"})
_STEPPED = "LK-CB-28"
_WRITTEN = frozenset({*FILE_FIELDS, "LK-RP-06"})
# where nothing can be kept nothing can be asked for but answers, from what the process knows
_ANSWERED = (HEALS, Leg(_tripped, ("LK-CB-09", "LK-CB-10", "LK-CB-12", "LK-CB-14", "LK-CB-22", "LK-RP-01")))
_REMEMBERS = Tour(
    (OPENS,), (ASKED_WHILE_OPEN, LONG_AFTER, HEALS, OPENS, WAITS, PROBED, RECOVERS), EITHER, lost=_WRITTEN
)

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour]] = {
    "damaged": {
        "": Tour((OPENS,), (ASKED_WHILE_OPEN, LONG_AFTER, *_HEALED), also=("LK-CB-26",), lost=_LOGS),
    },
    "harmless": {"": Tour((OPENS,), (ASKED_WHILE_OPEN, LONG_AFTER, *_HEALED))},
    "standing": {
        "while-open": _REMEMBERS,
        "first": Tour((), _ANSWERED, EITHER),
    },
    "everywhere": {
        "while-open": _REMEMBERS._replace(lost=_WRITTEN | _TIMED),
        "first": Tour((), _ANSWERED, EITHER),
    },
    "log": {"": Tour((), WHOLE, lost=_LOGS)},
    "moved": {
        "while-open": Tour((OPENS,), (ASKED_WHILE_OPEN, HOURS_AFTER, *_HEALED), also=(_STEPPED,)),
        "while-counted": Tour((TWO_FAILURES,), (STRUCK, HOURS_AFTER, HEALS, OPENS, SPREADS), REFUSED, also=(_STEPPED,)),
        "while-probed": Tour(
            (PROBE_IN_FLIGHT,), (CLOSES, HOURS_AFTER, HEALS, OPENS, SPREADS), REFUSED, also=(_STEPPED,)
        ),
    },
    "clock": {"": Tour((OPENS,), (ASKED_WHILE_OPEN, HOURS_AFTER, *_HEALED), also=(_STEPPED,))},
    "surrounded": {"": Tour((), WHOLE)},
    "restarted": {"": Tour((), RESTARTS)},
    "locked": {"": Tour((), (ASKED_WHILE_OPEN,), EITHER, also=("LK-CB-22",))},
    "killed": {
        "counting": Tour((TWO_FAILURES,), (STRUCK, LONG_AFTER, *_HEALED), lost=_LOGS),
        "closing": Tour((PROBE_IN_FLIGHT,), (CLOSES, LONG_AFTER, *_HEALED), lost=_LOGS),
    },
    "named": {"": Tour((), (HEALS_ALONE, *ALONE))},
    "called": {"": Tour((OPENS,), (ONE_CALL,), EITHER)},
    "unasked": {"": Tour((OPENS,), (ASKED_FOR_LOAD,))},
}


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        row, tour = each.row, each.tour
        clauses = {*each.clauses, *tour.also} - tour.lost
        if not row.goes_back:
            clauses.discard(_STEPPED)
        if row.goes_far:
            clauses -= _TIMED
        allowed = _ended(each.story, row, tour)
        files = {} if tour.before else DIRECTORIES
        yield scenario(each.name, each.title, tuple(clauses), each.story, allowed, files=files, level="L2")


def _ended(story: Story, row: Row, tour: Tour) -> Allowed:
    if row.group == "unasked":
        return ({"agents": 2},)
    if row.group == "called":
        story.look()
        return ({},)
    story.ask()
    return tour.allowed
