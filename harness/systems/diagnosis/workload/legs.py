"""The legs of a tour: what is done with failures so that every clause shows once more, one leg after the other.

Each leg makes calls of its own, and ends with an operation that finds what it appended.
"""

from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.workload.diagnosis_steps import Story
from harness.systems.diagnosis.workload.failures import FIRST, GIT, READ, SLOW, missing
from harness.systems.diagnosis.workload.model_texts import RAISES, RIGHT
from harness.systems.diagnosis.workload.trigger_boundaries import SAID
from harness.systems.diagnosis.workload.type_boundaries import CLAUSE_OF
from harness.systems.tours import Leg

TEMPLATES = ("DR-REC-01", "DR-REC-02", "DR-REC-03", "DR-REC-04", "DR-REC-05")
PLANS = ("DR-OUT-08", "DR-OUT-10", "DR-REC-06")
MEMORIES = ("DR-MEM-01", "DR-MEM-02", "DR-MEM-03", "DR-LRN-01", "DR-CFG-07")
LOGS = ("DR-LOG-01", "DR-LOG-02")
LEARNED = ("DR-LRN-02", "DR-CFG-06")
ASKED = ("DR-IN-01", "DR-IN-02", "DR-IN-03", "DR-CFG-03", "DR-CFG-04")
TOLD = ("DR-PRM-01", "DR-UI-01", "DR-TRG-02", "DR-TRG-03")
HOSTILE_WORD = "x$(touch pwned)y"
LIMIT = ("DR-REC-07", "DR-CFG-05", "DR-TRG-04")


def _classified(story: Story) -> None:
    story.ok()
    for kind in ErrorType:
        if kind in FIRST:
            story.fail(FIRST[kind])
    story.ok()


def _asks_model(story: Story) -> None:
    story.fail(READ, model=RIGHT).shown().fail(SLOW, model=RAISES).ok()


def _odd(story: Story) -> None:
    story.fail(missing("git", f"git clone https://example.com/{HOSTILE_WORD}")).fail(READ, where=None).ok()


def _recovers(story: Story) -> None:
    story.fail(READ).shown().gave_up(1).ok().tried(success=True).report().ok()


def _gives_up(story: Story) -> None:
    story.fail(SLOW).gave_up(2).report().ok()


def _learns(story: Story) -> None:
    story.recovered(GIT, 3).fail(GIT).ok()


def _looks(story: Story) -> None:
    """Something happened, and what was there is found."""
    story.ok().fail(GIT).ok()


CLASSIFIED = Leg(
    _classified, ("DR-TRG-01", "DR-CFG-01", "DR-CFG-02", *SAID, *CLAUSE_OF.values(), *TEMPLATES, *PLANS, *LOGS)
)
ASKS_MODEL = Leg(_asks_model, (*ASKED, *TOLD, "DR-LLM-01", "DR-MET-02"))
ODD = Leg(_odd, ("DR-REC-08", "DR-IN-04"))
RECOVERS = Leg(_recovers, (*TOLD, *MEMORIES, *LOGS))
GIVES_UP = Leg(_gives_up, (*LIMIT, *MEMORIES))
LEARNS = Leg(_learns, (*LEARNED, *MEMORIES))
LOOKS = Leg(_looks, ())

# in this order: how strategies follow each other shows only where nothing was learned yet
WHOLE = (CLASSIFIED, ASKS_MODEL, ODD, LEARNS, RECOVERS, GIVES_UP)
