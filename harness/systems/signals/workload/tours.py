"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes after a task drifted, a review was
asked for and a friction was found; then the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.signals.contract import Signal
from harness.systems.signals.workload.fault_rows import rows
from harness.systems.signals.workload.legs import (
    ASKS,
    ASSESSES,
    DRIFTS,
    EVERYTHING,
    HANDS,
    HEALS,
    NAMES,
    TIMES_OUT,
    WHOLE,
)
from harness.systems.signals.workload.signal_steps import CURRENT, Story, calm, friction, scenario
from harness.systems.tours import AFRESH, Leg, Tour, toured


def _drifted_before(story: Story) -> None:
    story.drift("task-before", "low").drift("task-before").drifts()


def _current_before(story: Story) -> None:
    story.drift(CURRENT, "low").drifts(CURRENT)


def _asked_before(story: Story) -> None:
    story.review(CURRENT).reviews(CURRENT)


def _decided_before(story: Story) -> None:
    story.review(CURRENT).reviews(CURRENT).decide('{"task_id": "task-042", "decision": "approved"}')


def _looks_after_decision(story: Story) -> None:
    story.check().reviews(CURRENT).drifts()


def _found_before(story: Story) -> None:
    story.emit(Signal.FRICTION_DETECTED, payload=friction("friction-before")).heal(Signal.FRICTION_DETECTED).drifts()


def _raised_before(story: Story) -> None:
    story.emit(Signal.FEATURE_READY, "before")


def _handles_raised(story: Story) -> None:
    story.consume(Signal.FEATURE_READY, "before").consume(Signal.FEATURE_READY, "before")


def _looks(story: Story) -> None:
    story.drifts().reviews().check()


def _one_drift(story: Story) -> None:
    story.drift("task-before", "low").drifts()


def _one_review(story: Story) -> None:
    story.review().reviews()


DRIFTED_BEFORE, ASKED_BEFORE = Leg(_drifted_before, ()), Leg(_asked_before, ())
CURRENT_BEFORE = Leg(_current_before, ())
DECIDED_BEFORE, FOUND_BEFORE = Leg(_decided_before, ()), Leg(_found_before, ())
RAISED_BEFORE, HANDLED = Leg(_raised_before, ()), Leg(_handles_raised, ())
LOOKS, DECIDED = Leg(_looks, ()), Leg(_looks_after_decision, ())
ONE_DRIFT, ONE_REVIEW = Leg(_one_drift, ()), Leg(_one_review, ())
REFUSED = Leg(_one_drift, ("LK-SG-02",))
BEFORE = (DRIFTED_BEFORE, ASKED_BEFORE)
_ANSWERED = frozenset(ASSESSES.clauses)  # what shows in answers alone
_LOGGED = frozenset(DRIFTS.clauses)
_FILED = EVERYTHING - _ANSWERED
# of a log that cannot be written, or read: what the responses to a drift still show
_RESPONDED = _LOGGED - {"LK-DR-04", "LK-DR-08"}
_FIRST = frozenset({"LK-DR-05"})  # whether a drift is a task's first is not known of a log that was damaged
_UNSEEN = frozenset({"LK-DR-06", "LK-SG-02"})  # a history holds no file of that size
_LONG = "jsonl.long_line"
_QUEUED = frozenset({"LK-HR-05", "LK-HR-06", "LK-HR-07"})

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour[Story]]] = {
    "logged": {"": Tour(BEFORE, (LOOKS, *WHOLE), _FIRST)},
    "asked": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "queued": {"": Tour(BEFORE, (LOOKS, *WHOLE), _QUEUED)},
    "goal": {"": Tour((*BEFORE, CURRENT_BEFORE), (LOOKS, DRIFTS, ASSESSES), frozenset({"LK-DR-03"}))},
    "mapped": {"": Tour((FOUND_BEFORE,), (LOOKS, HEALS, ASSESSES))},
    "decided": {"": Tour((DECIDED_BEFORE,), (DECIDED, ASKS, ASSESSES))},
    "emptied": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "harmless": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "unlogged": {"": Tour(BEFORE, (LOOKS, *WHOLE), _RESPONDED)},
    "unasked": {"": Tour(BEFORE, (LOOKS, *WHOLE), frozenset((*ASKS.clauses, *TIMES_OUT.clauses)) - {"LK-SG-01"})},
    "undead": {"": Tour(BEFORE, (LOOKS, ASKS, TIMES_OUT, DRIFTS), frozenset({"LK-HR-07"}))},
    "unconsolidated": {"": Tour((), WHOLE, frozenset({"LK-DR-07"}))},
    "undecided": {"": Tour(BEFORE, (ASKS, HANDS, DRIFTS), frozenset({"LK-SG-05"}))},
    "unmapped": {"": Tour((FOUND_BEFORE,), (LOOKS, HEALS, HANDS, ASSESSES), frozenset({"LK-HL-03"}))},
    "unhealed": {"": Tour((FOUND_BEFORE,), (LOOKS, HEALS, HANDS, ASSESSES), frozenset({"LK-HL-03", "LK-HL-04"}))},
    "unknown": {"": Tour((FOUND_BEFORE,), (HEALS, HANDS), frozenset({"LK-HL-04"}))},
    "unsteady": {"": Tour(BEFORE, (LOOKS, *WHOLE), _FILED)},
    "everything": {"": Tour((*BEFORE, RAISED_BEFORE), (HANDLED, LOOKS, *WHOLE), _FILED)},
    "everywhere": {"": Tour(BEFORE, (LOOKS, *WHOLE), _FILED)},
    "queueless": {"": Tour((DRIFTED_BEFORE,), (LOOKS, *WHOLE), _QUEUED | {"LK-DR-03", "LK-SG-05", "LK-HR-08"})},
    "moved": {"": Tour(BEFORE, (LOOKS, *WHOLE))},
    "surrounded": {"": Tour((), WHOLE)},
    "restarted": {"": Tour((), (DRIFTS, AFRESH, ASKS, AFRESH, HANDS, AFRESH, HEALS, AFRESH, NAMES, ASSESSES, AFRESH,
                                TIMES_OUT, AFRESH, DRIFTS))},
    "locked": {"": Tour(BEFORE, (LOOKS, ONE_DRIFT, ONE_REVIEW, ASSESSES))},
    "killed": {
        "drifting": Tour(BEFORE, (ONE_DRIFT, LOOKS, *WHOLE)),
        "asking": Tour(BEFORE, (ONE_REVIEW, LOOKS, *WHOLE)),
    },
    "named": {"": Tour((DRIFTED_BEFORE,), (ONE_DRIFT, ONE_REVIEW, ASSESSES))},
    "branches": {"": Tour((DRIFTED_BEFORE,), (NAMES, ASSESSES))},
    "refused": {"": Tour((DRIFTED_BEFORE,), (REFUSED, ASSESSES))},
}  # fmt: skip


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        unseen = _UNSEEN if each.row.fault is not None and each.row.fault.name == _LONG else frozenset()
        clauses = tuple(each.clauses - each.tour.lost - unseen)
        yield scenario(each.name, each.title, clauses, each.story.drifts(), level="L2")
