"""Candidates for scenarios nobody wrote down: tasks, reviews, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.review_gate.contract import REVIEWERS, TIME_LIMIT_S
from harness.systems.review_gate.workload.fault_rows import PLACES
from harness.systems.review_gate.workload.gate_steps import (
    ANY,
    BEGUN,
    EVERY,
    FIRST,
    NOT_BEGUN,
    SECOND,
    STOPPED,
    THIRD,
    Allowed,
    Story,
    calm,
    issue,
    scenario,
)
from harness.systems.search import Search, one

MOST_ACTIONS = 5  # before the fault, and after it
TASKS = (FIRST, SECOND, THIRD)
NUMBERS = (1, 1, 1, 2, 2, 3)
NAMES = (*REVIEWERS, *REVIEWERS, "reviewer-4")
SEVERITIES = ("low", "low", "medium", "high", "critical", "unheard of")
MOVES_S = (1.0, TIME_LIMIT_S - 1, TIME_LIMIT_S, TIME_LIMIT_S + 1, -60.0)


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who lets every task begin, or none, fails one of them."""
    del profile
    return candidate(calm().review().begin(SECOND), BEGUN), candidate(calm().launch().begin(SECOND), NOT_BEGUN)


def candidate(story: Story, allowed: Allowed = ANY) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def _described(operation: Operation) -> str:
    known = (operation.args.get(name) for name in ("task", "reviewer"))
    return " ".join((operation.name, *(str(each) for each in known if each)))


class _Chance:
    """A story by chance: a task is reviewed, more or less as it has to be."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _found(self) -> tuple[dict[str, Any], ...]:
        return tuple(issue(one(self._rng, SEVERITIES)) for _ in range(self._rng.randrange(3)))

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        task, number = one(rng, TASKS), one(rng, NUMBERS)
        match rng.randrange(9):
            case 0:
                story.review(task, *self._found())
            case 1:
                story.again(number, *self._found(), task=task)
            case 2:
                story.launch(task)
            case 3:
                story.begin(task)
            case 4:
                story.analyse(number, *self._found(), task=task)
            case 5:
                story.fix(task)
            case 6:
                story.later(one(rng, MOVES_S)).status(task)
            case _:
                story.report(one(rng, NAMES), number, *self._found(), task=task)


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.story.launch()
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
    chance.go_on()
    return candidate(chance.story.status().begin("task-next"))


SEARCH = Search(PLACES, _composed, _described, struck=STOPPED, calm=EVERY)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
