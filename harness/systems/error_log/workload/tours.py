"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes before anything else was done, or
after an error was logged and a task interrupted; then the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.error_log.contract import ErrorType
from harness.systems.error_log.workload.error_log_steps import SESSION, Story, calm, scenario
from harness.systems.error_log.workload.fault_rows import rows
from harness.systems.error_log.workload.legs import (
    ABORTS,
    BEGINS,
    CLASSIFIES,
    FAILS_TO_BUILD,
    FAR,
    FILTERS,
    GOES_ON,
    HANDLES,
    INTERRUPTED,
    LOGS,
    LOGS_ONCE,
    RECOVERS,
    SYNCS,
    TIMES_OUT,
    WHOLE,
)
from harness.systems.tours import AFRESH, Leg, Tour, toured


def _failed_before(story: Story) -> None:
    story.log("parse_error", severity="high").handle(ErrorType.DELEGATION_HANG, "high", FAR).read(SESSION)


def _struck(story: Story) -> None:
    """An error is logged, or lost on the way."""
    story.log("timeout").read()


def _looks(story: Story) -> None:
    story.read(SESSION).resume().read()


FAILED_BEFORE, STRUCK, LOOKS = Leg(_failed_before, ()), Leg(_struck, ()), Leg(_looks, ())
LOCKED_OUT = Leg(_struck, ("ER-LOG-01",))  # recorded, or said why not
_PLANNED = frozenset({"ER-PRG-03"})
_KEPT = frozenset({"ER-PRG-02", "ER-RES-01"})  # what only the metadata can hold
# of who says that storage fails, what it did beside that cannot be told
_UNTOLD = frozenset({"ER-AGG-01", "ER-DEL-03", "ER-PRG-03", "ER-RES-01"})
# and of what came and went while it was asked: what is left is what answers themselves show
_COME_AND_GO = frozenset(clause for leg in WHOLE for clause in leg.clauses) - {
    *CLASSIFIES.clauses, "ER-LOG-02", "ER-LOG-03", "ER-LOG-04", "ER-LOG-05",
}  # fmt: skip
_ALONE = (CLASSIFIES, LOGS_ONCE, BEGINS)

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour[Story]]] = {
    "damaged": {"": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE))},
    "emptied": {"": Tour((FAILED_BEFORE,), (LOOKS, LOGS, HANDLES, GOES_ON, TIMES_OUT, FAILS_TO_BUILD, FILTERS, ABORTS,
                                            INTERRUPTED), _PLANNED)},
    "progress": {"": Tour((FAILED_BEFORE,), (LOOKS, HANDLES, *RECOVERS))},
    "harmless": {"": Tour((FAILED_BEFORE,), WHOLE)},
    "standing": {
        "later": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE), _UNTOLD),
        "first": Tour((), (LOGS, HANDLES, GOES_ON, TIMES_OUT, FILTERS, ABORTS, INTERRUPTED), _UNTOLD),
    },
    "unsteady": {"": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE), _COME_AND_GO)},
    "metadata": {"": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE), _KEPT | {"ER-DEL-01", "ER-DEL-02", "ER-DEL-03"})},
    "plan": {"": Tour((), (HANDLES, TIMES_OUT), _PLANNED)},
    "unmarkable": {"": Tour((), (HANDLES, TIMES_OUT), _PLANNED | _KEPT)},
    "statuses": {"": Tour((), (LOGS, SYNCS, HANDLES), frozenset({"ER-SYN-01"}))},
    "everything": {
        "later": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE), _KEPT | _UNTOLD | {"ER-SYN-01"}),
        "first": Tour((), (LOGS, HANDLES, GOES_ON, FILTERS, ABORTS), _PLANNED | _KEPT | {"ER-AGG-01"}),
    },
    "everywhere": {"": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE), _KEPT | _UNTOLD | {"ER-SYN-01"})},
    "moved": {"": Tour((FAILED_BEFORE,), (LOOKS, *WHOLE))},
    "surrounded": {"": Tour((), WHOLE)},
    "restarted": {"": Tour((), (LOGS, AFRESH, HANDLES, AFRESH, GOES_ON, TIMES_OUT, AFRESH, SYNCS, FAILS_TO_BUILD,
                                AFRESH, FILTERS, ABORTS, AFRESH, INTERRUPTED, AFRESH, CLASSIFIES))},
    "locked": {"": Tour((FAILED_BEFORE,), (LOOKS, LOCKED_OUT))},
    "killed": {
        "logging": Tour((FAILED_BEFORE,), (STRUCK, LOOKS, *WHOLE)),
        "handling": Tour((FAILED_BEFORE,), (HANDLES, LOOKS, *WHOLE)),
    },
    "named": {"": Tour((), _ALONE)},
    "sessions": {"": Tour((FAILED_BEFORE,), (LOGS, INTERRUPTED))},
    "unasked": {"": Tour((FAILED_BEFORE,), (STRUCK, CLASSIFIES, BEGINS))},
}  # fmt: skip


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        clauses = tuple(each.clauses - each.tour.lost)
        yield scenario(each.name, each.title, clauses, each.story.read(), level="L2")
