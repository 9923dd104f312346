"""Candidates for scenarios nobody wrote down: failures, reviews, one fault and time, put together by chance.

The chance is a ``random.Random``, so the same seed composes the same candidates on every Python version. Whether a
candidate is worth keeping is for the caller to find out by playing it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any, TypeVar

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.dead_letter.workload import fault_places as places
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
from harness.systems.dead_letter.workload.legs import FACTS, WORLD
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING

T = TypeVar("T")
CALM_SHARE = 6  # one candidate in so many has no fault, where the caller names none
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


def candidates(profile: str, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
    """Candidates without end, one of ``faults`` in each, in turn; with ``calm`` now and then none.

    They have no id, no title and no clauses yet; see ``title`` and ``meant``.
    """
    del profile
    names = [name for name in faults if places.of(name)]
    usable = [names.pop(rng.randrange(len(names))) for _ in range(len(names))]
    for position, name in enumerate(cycle(usable or [""])):
        if not usable and not calm:
            return
        yield _composed(rng, None if not usable or (calm and position % CALM_SHARE == 0) else name)


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always moves a task, or never does, fails one of them."""
    del profile
    return candidate(calm().fail(CONTROL_FOURTH), MOVED), candidate(calm().fail(CONTROL_NEW), NOT_MOVED)


def without_place(profile: str, faults: Sequence[str]) -> tuple[str, ...]:
    """Those of ``faults`` that cannot strike a dead-letter queue."""
    del profile
    return tuple(name for name in faults if not places.of(name))


def candidate(story: Story, allowed: Allowed = ANY) -> Scenario:
    """The story as a scenario without id, title and clauses, in the world of the tours."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, files=WORLD, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def meant(scenario: Scenario) -> tuple[str, ...]:
    """The clauses that a scenario of these may be meant for; of these it is for those that the reference witnesses."""
    return CLAUSES if any(step.fault for step in scenario.steps) else CALM_CLAUSES


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def unsteady(name: str) -> bool:
    """May two runs under the fault of that name rightly end differently?"""
    return places.unsteady(name)


def title(scenario: Scenario) -> str:
    """What happens in the scenario after its control, in a line."""
    resets = [number for number, step in enumerate(scenario.steps) if step.op is not None and step.op.name == "reset"]
    words: list[str] = []
    for step in scenario.steps[resets[-1] + 1 if resets else 0 :]:
        words += _words(step)
    return "Found: " + "; ".join(dict.fromkeys(words))


def _words(step: Step) -> list[str]:
    if step.op is not None:
        return [_described(step.op)]
    if step.fault is not None:
        place = (step.fault.path or "").rpartition("/")[2]
        return [f"{step.fault.name} at {place}" if place else step.fault.name]
    return [] if step.clock is None else [f"{step.clock.by_s:+g} s"]


def _described(operation: Operation) -> str:
    what = operation.args.get("task_id") or operation.args.get("queue") or ", ".join(operation.args.get("facts", ()))
    return f"{operation.name} {what}".rstrip()


def facts_of(rng: Random, count: int) -> dict[str, Mapping[str, Any]]:
    """Facts about some letters, each its own or another's, so that every trigger meets every task."""
    kinds = tuple(FACTS.values())
    return {_one(rng, LETTER_IDS): _one(rng, kinds) for _ in range(count)}


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
                story.list(_one(rng, (PENDING, DEAD_LETTER, ABANDONED)))
            case 1:
                story.later(_one(rng, (0.25, 61.0, DAY_S, DAY_S + 1)))
            case 2:
                story.abandon(_one(rng, (*LETTER_IDS, "nobody"))).look()
            case 3:
                story.session(facts_of(rng, rng.randrange(5))).look()
            case 4:
                story.review(facts_of(rng, rng.randrange(5))).look()
            case _:
                id_ = _one(rng, (*WORKING, *WORKING, "fixed", "approach"))
                story.fail(id_, _one(rng, KINDS), _one(rng, APPROACHES))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=_one(rng, places.of(name))))
        chance.story.fail("third").review(facts_of(rng, 3))
    chance.go_on()
    return candidate(chance.story.look())


def _one(rng: Random, choices: Sequence[T]) -> T:
    return choices[rng.randrange(len(choices))]
