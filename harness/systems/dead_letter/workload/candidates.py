"""Candidates for scenarios nobody wrote down: failures, reviews, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.dead_letter.workload.dead_letter_steps import (
    ANY,
    APPROACHES,
    CONTROL_FOURTH,
    CONTROL_NEW,
    DAY_S,
    Allowed,
    Story,
    calm,
    scenario,
)
from harness.systems.dead_letter.workload.fault_rows import PLACES
from harness.systems.dead_letter.workload.legs import FACTS, WORLD
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING
from harness.systems.search import Search, one

MOST_ACTIONS = 6  # before the fault, and after it
CLAUSES = ("LK-DQ-23",)
# what every queue witnesses in calm weather, whichever permitted reading it takes
CALM_CLAUSES = (
    *CLAUSES, "LK-DQ-01", "LK-DQ-05", "LK-DQ-06", "LK-DQ-09", "LK-DQ-10", "LK-DQ-11", "LK-DQ-12", "LK-DQ-13",
    "LK-DQ-14", "LK-DQ-15", "LK-DQ-16", "LK-DQ-17", "LK-DQ-18", "LK-DQ-19", "LK-DQ-20", "LK-DQ-21", "LK-ES-01",
    "LK-ES-02", "LK-ES-03", "LK-ES-04", "LK-ES-05", "LK-ES-06", "LK-ES-07",
)  # fmt: skip
WORKING = ("new", "one", "third", "fourth", "running", "slow")
LETTER_IDS = ("waits", "stays", "ten", *FACTS)
KINDS = ("test_failure", "timeout", "dependency", "validation", "crash")
MOVED: Allowed = ({"moved": True},)
NOT_MOVED: Allowed = ({"moved": False},)


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always moves a task, or never does, fails one of them."""
    del profile
    return candidate(calm().fail(CONTROL_FOURTH), MOVED), candidate(calm().fail(CONTROL_NEW), NOT_MOVED)


def candidate(story: Story, allowed: Allowed = ANY) -> Scenario:
    """The story as a scenario without id, title and clauses, in the world of the tours."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, files=WORLD, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def _described(operation: Operation) -> str:
    what = operation.args.get("task_id") or operation.args.get("queue") or ", ".join(operation.args.get("facts", ()))
    return f"{operation.name} {what}".rstrip()


def facts_of(rng: Random, count: int) -> dict[str, Mapping[str, Any]]:
    """Facts about some letters, each its own or another's, so that every trigger meets every task."""
    kinds = tuple(FACTS.values())
    return {one(rng, LETTER_IDS): one(rng, kinds) for _ in range(count)}


class _Chance:
    """A story by chance: tasks that fail, are reviewed, come back, and fail again."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        match rng.randrange(8):
            case 0:
                story.list(one(rng, (PENDING, DEAD_LETTER, ABANDONED)))
            case 1:
                story.later(one(rng, (0.25, 61.0, DAY_S, DAY_S + 1)))
            case 2:
                story.abandon(one(rng, (*LETTER_IDS, "nobody"))).look()
            case 3:
                story.session(facts_of(rng, rng.randrange(5))).look()
            case 4:
                story.review(facts_of(rng, rng.randrange(5))).look()
            case _:
                id_ = one(rng, (*WORKING, *WORKING, "fixed", "approach"))
                story.fail(id_, one(rng, KINDS), one(rng, APPROACHES))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
        chance.story.fail("third").review(facts_of(rng, 3))
    chance.go_on()
    return candidate(chance.story.look())


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
