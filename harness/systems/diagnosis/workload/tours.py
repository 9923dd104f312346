"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes before anything else was done, or
when something was learned; then the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import Flag
from harness.systems.diagnosis.workload.diagnosis_steps import ANY, SILENT, Allowed, Story, calm, scenario
from harness.systems.diagnosis.workload.failures import GIT, READ, SLOW, UNKNOWN
from harness.systems.diagnosis.workload.fault_rows import rows
from harness.systems.diagnosis.workload.legs import (
    ASKED,
    ASKS_MODEL,
    CLASSIFIED,
    GIVES_UP,
    LEARNED,
    LEARNS,
    LIMIT,
    LOGS,
    LOOKS,
    MEMORIES,
    ODD,
    RECOVERS,
    TEMPLATES,
    TOLD,
    WHOLE,
)
from harness.systems.diagnosis.workload.model_texts import BROKEN, HANGS, HUNG_LIMIT_S, RAISES
from harness.systems.diagnosis.workload.model_texts import SLOW as SLOWLY
from harness.systems.diagnosis.workload.trigger_boundaries import SAID
from harness.systems.tours import AFRESH, Leg, toured

KEPT = 1  # previous actions that are supplied: one is enough, and files stay small


class Tour(NamedTuple):
    """What comes before the fault, and after it; ``lost`` are clauses that cannot be told from what the fault did.

    ``also`` are clauses that show beyond those of the legs after the fault.
    """

    before: tuple[Leg[Story], ...]
    after: tuple[Leg[Story], ...]
    lost: frozenset[str] = frozenset()
    allowed: Allowed = SILENT
    also: tuple[str, ...] = ()


def _struck(story: Story) -> None:
    """A failure whose record dies with the process."""
    story.fail(READ, "struck").ok()


def _struck_outcome(story: Story) -> None:
    story.tried(success=True, call="struck").ok()


def _struck_before(story: Story) -> None:
    story.fail(READ, "struck")


def _one_call(story: Story) -> None:
    """One failure, whatever its call is called; a call has a name of its own, so there is one of each."""
    story.fail(GIT, "odd").shown("odd").gave_up(2).report("odd")


def _refused(story: Story) -> None:
    """Arguments are no arguments any more: every operation is refused."""
    story.fail(GIT).gave_up(1).ok()


STRUCK, STRUCK_BEFORE, STRUCK_OUTCOME = Leg(_struck, ()), Leg(_struck_before, ()), Leg(_struck_outcome, ())
ONE_CALL = Leg(_one_call, ("DR-TRG-01", "DR-CLS-02", "DR-REC-02", "DR-REC-07", "DR-PRM-01", "DR-UI-01", *SAID))
REFUSED = Leg(_refused, ())
RESTARTS = (CLASSIFIED, AFRESH, ASKS_MODEL, ODD, LEARNS, AFRESH, LOOKS, RECOVERS, AFRESH, GIVES_UP)
_KEPT = frozenset({*MEMORIES, *LEARNED})
_EVERYTHING = frozenset({*_KEPT, *LOGS})
_RELEARNED = frozenset({*LEARNED, "DR-LRN-01"})
_FOLLOWED = frozenset({"DR-REC-02"})  # how strategies follow each other shows only where nothing was learned before
# there memories hold whole diagnoses; elsewhere not, since a history holds them again at each operation
_STORED = ("restarted", "harmless")
_BRIEF = {Flag.STORE_FULL.value: "0"}
_LONG = ("jsonl.deep_nesting", "jsonl.long_line")  # a history holds no file of that size

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour]] = {
    "damaged": {"": Tour((LEARNS,), (LOOKS, *WHOLE), _RELEARNED | _FOLLOWED)},
    "found": {"": Tour((LEARNS,), (AFRESH, LOOKS, *WHOLE), _RELEARNED | _FOLLOWED)},
    "harmless": {"": Tour((LEARNS,), (LOOKS, *WHOLE), _FOLLOWED)},
    "standing": {"": Tour((LEARNS,), (LOOKS, *WHOLE), _KEPT | _FOLLOWED)},
    "unlogged": {"": Tour((), WHOLE, frozenset(LOGS))},
    "homeless": {"": Tour((), WHOLE, _EVERYTHING)},
    # nobody knows whether something was learned before, so what is proposed may follow from that
    "hidden": {"": Tour((), WHOLE, _EVERYTHING | frozenset(TEMPLATES))},
    "timed": {"": Tour((LEARNS,), (LOOKS, *WHOLE), _FOLLOWED), "first": Tour((), (CLASSIFIED,))},
    "surrounded": {"": Tour((), WHOLE)},
    "restarted": {"": Tour((), RESTARTS)},
    "locked": {"": Tour((LEARNS,), (STRUCK_BEFORE, LOOKS), _EVERYTHING, ANY, also=("DR-TRG-01",))},
    "killed": {
        "observing": Tour((LEARNS,), (STRUCK, *WHOLE), _KEPT | _FOLLOWED),
        "telling": Tour((LEARNS, STRUCK_BEFORE), (STRUCK_OUTCOME, *WHOLE), _KEPT | frozenset(TEMPLATES)),
    },
    "called": {"": Tour((), (ONE_CALL,), allowed=ANY)},
    "unasked": {"": Tour((LEARNS,), (REFUSED,), allowed=ANY, also=("DR-MEM-04",))},
}


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, lambda: calm(KEPT)):
        clauses = {*each.clauses, *each.tour.also} - each.tour.lost
        if each.row.fault is not None and each.row.fault.name in _LONG:
            clauses.discard("DR-MEM-03")
        flags = None if each.row.group in _STORED else _BRIEF
        yield scenario(each.name, each.title, tuple(clauses), each.story, each.tour.allowed, flags=flags, level="L2")
    yield from _models()


def _models() -> Iterator[Scenario]:
    """The model there is fails: that is scripted by the operation itself, and each is a fault of the table."""
    clauses = ("DR-TRG-01", "DR-LLM-01", *SAID, *ASKED, *LIMIT, *TOLD, *LOGS)
    for word, model in (("raises", RAISES), ("slow", SLOWLY), ("hangs", HANGS), ("half", BROKEN[0][2])):
        story = calm(KEPT).fail(GIT, model=model).shown().fail(UNKNOWN[0])
        if word != "hangs":  # it is waited for in real time
            story.fail(SLOW, model=model).gave_up(2).fail(READ, model=model)
        yield scenario(
            f"l2-model-{word}", f"The model that is asked: {word}.", clauses if word == "raises" else ("DR-TRG-01",),
            story.ok(), SILENT, config={"model_limit_s": HUNG_LIMIT_S} if word == "hangs" else None, level="L2",
        )  # fmt: skip
