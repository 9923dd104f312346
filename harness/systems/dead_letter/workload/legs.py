"""The legs of a tour: what is done so that every clause shows once more, one leg after the other.

They work on the tasks of ``LETTERS`` and ``WORK``, each on its own, so that they can follow each other in any order; a
tour ends with a look at every file.
"""

from typing import Any, Final

from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, IN_PROGRESS_PATH, PENDING_PATH
from harness.systems.dead_letter.workload.dead_letter_steps import (
    DAY_S,
    MOVED,
    Files,
    Story,
    attempts,
    dead,
    letters,
    pending,
    queue,
    task,
)
from harness.systems.dead_letter.workload.review_boundaries import APPROACH, DEPENDENCY, FIXED, SIMPLER
from harness.systems.queue_files import ABANDONED, PENDING
from harness.systems.tours import Leg

# one failure each, as who was no human's answer has: a hundred worlds hold these; "fixed" has the five of others
_SAME = attempts(3, ("timeout",), ("by hand", "by a script", "by a service"), ("no answer",))
FEW = (
    dead("waits", 1, attempts=attempts(1, ("dependency",)), recovery_strategy="dependency_blocked"),
    dead("approach", 1), dead("scope", 1), dead("fixed"), dead("irrelevant", 1), dead("auth", 1),
    dead("dropped", 1, owner="bob"), dead("../odd", 1, task_data={"title": "Write a part"}),
)  # fmt: skip
LETTERS = (
    *FEW, dead("stays", 1), dead("dependency", 1), dead("ten", 10), dead("same", 3, attempts=_SAME), dead("never", 1),
    dead("deletion", 1), dead("cause-1", 1), dead("cause-2", 1), dead("cause-3", 1), dead("unsure", 1),
    dead("needy", 1),
)  # fmt: skip
FACTS: Final[dict[str, dict[str, Any]]] = {
    "dependency": dict(DEPENDENCY), "approach": dict(APPROACH), "scope": dict(SIMPLER), "fixed": dict(FIXED),
    "never": {"dependency_never": True}, "irrelevant": {"irrelevant": True}, "auth": {"touches": ["auth"]},
    "deletion": {"touches": ["deletion"], "rollback_failed": True}, "unsure": {"confidence": 0.2},
    "needy": {"needs": ["an API key"]}, "stays": {"confidence": 0.9}, "../odd": {"readings": 2},
    **{f"cause-{number}": {"root_cause": "the cache is stale"} for number in (1, 2, 3)},
}  # fmt: skip
WORLD: Final[Files] = {
    PENDING_PATH: pending(task("one")),
    IN_PROGRESS_PATH: queue(task("running", 4), task("third", 3), task("slow", 1, owner="bob")),
    DEAD_LETTER_PATH: letters(*LETTERS),
}
"""The world of a tour: a dead letter for every decision, and tasks at work."""
SMALL_WORLD: Final[Files] = {**WORLD, DEAD_LETTER_PATH: letters(*FEW)}
"""That of a tour which shows no clause of the decisions: a dead letter for each way that one may go."""

ESCALATES = (
    "LK-DQ-21", "LK-ES-01", "LK-ES-02", "LK-ES-03", "LK-ES-04", "LK-ES-05", "LK-ES-06", "LK-ES-07", "LK-ES-08",
)  # fmt: skip
DECIDES = (
    "LK-DQ-10", "LK-DQ-11", "LK-DQ-12", "LK-DQ-13", "LK-DQ-14", "LK-DQ-15", "LK-DQ-16", "LK-DQ-17", "LK-DQ-18",
    "LK-DQ-19", "LK-DQ-20", "LK-DQ-24",
)  # fmt: skip


def _fails(story: Story) -> None:
    story.fail("fourth").fail("new", "timeout").list(PENDING).fail("running", "validation").look().fail("third")


def _begins(story: Story) -> None:
    """A session begins, and another one soon after."""
    story.session(FACTS).look().list(PENDING).session().list(ABANDONED)


def _reviews(story: Story) -> None:
    story.review(FACTS).look().list(ABANDONED)


def _abandons(story: Story) -> None:
    story.abandon("dropped", "Nobody asked for it").look()


def _looks(story: Story) -> None:
    story.look().list(PENDING)


def _next_day(story: Story) -> None:
    story.later(DAY_S + 1).session({"waits": dict(DEPENDENCY)}).look()


def _before(story: Story) -> None:
    """Something was done in calm weather, so that there is something to lose."""
    story.fail("one").fail("slow").list()


FAILS = Leg(_fails, (*MOVED, "LK-DQ-23"))
BEGINS = Leg(_begins, ("LK-DQ-09", *DECIDES, *ESCALATES))
REVIEWS = Leg(_reviews, (*DECIDES, *ESCALATES))
ABANDONS = Leg(_abandons, ("LK-DQ-19", "LK-DQ-20"))
NEXT_DAY = Leg(_next_day, ("LK-DQ-09", "LK-DQ-13", "LK-DQ-22"))
LOOKS = Leg(_looks, ())
BEFORE = Leg(_before, ())
WHOLE = (FAILS, BEGINS, ABANDONS, NEXT_DAY)


def _starts_over(story: Story) -> None:
    """The dead letters there were may be gone: new ones come, and are decided about."""
    story.look().fail("fourth").fail("running", "dependency").fails("third", 2).look()
    story.review({"fourth": dict(FIXED), "running": {"touches": ["auth"]}, "third": {"irrelevant": True}}).look()
    story.list(PENDING).later(DAY_S + 1).session({"running": dict(APPROACH)}).look()


STARTS_OVER = Leg(
    _starts_over,
    (*MOVED, "LK-DQ-09", "LK-DQ-10", "LK-DQ-11", "LK-DQ-12", "LK-DQ-14", "LK-DQ-16", "LK-DQ-19", "LK-DQ-20",
     "LK-DQ-21", "LK-DQ-23", "LK-ES-01", "LK-ES-06", "LK-ES-07"),
)  # fmt: skip
