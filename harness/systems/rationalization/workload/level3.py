"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

What was logged before is there afterwards, and what is excused after is, too. Whatever fails, the action stops.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from harness.core.scenario import ExploreKind, Operation, Scenario
from harness.systems.rationalization.workload.behaviour_boundaries import OF_SCOPE, OF_VERIFICATION
from harness.systems.rationalization.workload.legs import ASSESSES, WHOLE
from harness.systems.rationalization.workload.watch_steps import (
    BEHAVIOUR,
    BOTH,
    ENFORCED,
    EVERY_FAMILY,
    EXCUSE,
    FLAG,
    Story,
    calm,
    scenario,
)
from harness.systems.tours import told

CALLS: Final[tuple[ExploreKind, ...]] = ("errno", "killed", "torn")
STATES: Final[tuple[ExploreKind, ...]] = (*CALLS, "power")
ORDERS: Final[tuple[ExploreKind, ...]] = ("schedule",)


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    story = calm().explore(*STATES).enforce(BOTH).attempts().enforce().attempts()
    yield _struck("first", "The first attempt ever is struck at every call; another follows.", ENFORCED, story)
    story = calm().enforce().enforce(FLAG).explore(*STATES).enforce(BOTH).attempts().restart().enforce().attempts()
    yield _struck("third", "The third attempt is struck: the first two stay, and another follows.", ENFORCED, story)
    story = calm().enforce().explore(*CALLS).attempts().enforce(FLAG).attempts()
    yield _struck("attempts", "The question for the attempts is struck.", ENFORCED, story)
    story = calm().enforce().explore(*CALLS).scan(EVERY_FAMILY)
    yield _struck("scan", "A scan is struck; then everything else is asked for.", told(story, WHOLE), story)
    story = calm().explore("killed").enforce()
    yield _struck("everything-after", "An attempt is killed at each of its calls; then everything is asked for.",
                  told(story, WHOLE), story)  # fmt: skip
    story = calm().explore(*CALLS).assess(dict.fromkeys(OF_SCOPE, True), dict.fromkeys(OF_VERIFICATION, True))
    yield _struck("assess", "An assessment is struck; another follows.", told(story, (ASSESSES,)), story, BEHAVIOUR)
    yield from _orders()


def _struck(name: str, title: str, clauses: Sequence[str], story: Story, group: str | None = None) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, level="L3", group=group)


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order."""
    story = calm()
    story.explore(*ORDERS).together(story.excused(), story.excused(FLAG))
    yield _struck("order-first", "Two processes log the first attempts, in every order: none is lost.", ENFORCED,
                  story.attempts().enforce(BOTH).attempts())  # fmt: skip
    story = calm().enforce()
    story.explore(*ORDERS).together(*(story.excused(text) for text in (EXCUSE, FLAG, BOTH)))
    yield _struck("order-three", "Three processes log attempts, in every order: none is lost.", ENFORCED,
                  story.attempts().enforce().attempts())  # fmt: skip
    story = calm().enforce()
    story.explore(*ORDERS).together(story.excused(), Operation("attempts"))
    yield _struck("order-told", "The attempts are asked for while one is logged, in every order.", ENFORCED,
                  story.attempts().enforce(FLAG).attempts())  # fmt: skip
