"""Candidates for scenarios nobody wrote down: work, operations, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.search import Search, one
from harness.systems.session_recovery.workload.fault_rows import PLACES
from harness.systems.session_recovery.workload.session_steps import (
    ANY,
    CLOSED,
    COMMIT,
    FIRST,
    HALF_OPEN,
    INTERFACE,
    OPEN,
    SECOND,
    UNKNOWN,
    Allowed,
    Story,
    calm,
    scenario,
)

MOST_ACTIONS = 6  # before the fault, and after it
BEGUN: Allowed = ({"performed": True},)
NOT_BEGUN: Allowed = ({"performed": False},)
# what every session witnesses that survives, whichever permitted reading it takes
CLAUSES = ("LK-RC-03", "LK-SYS-01")
CALM_CLAUSES = (*CLAUSES, "LK-GEN-08", "LK-RC-01", "LK-RC-02", "LK-SYS-02", "LK-SYS-03", "LK-SYS-04", "LK-SYS-05")
TASKS = (FIRST, FIRST, SECOND, UNKNOWN)
BREAKERS = (CLOSED, OPEN, HALF_OPEN, "api/nobody")
LIMITS: tuple[Mapping[str, Any], ...] = (
    {}, {"agents": 1}, {"agents": 2}, {"agents": 3, "failing_tries": 1}, {"failing_tries": 4}, {"failing_tries": 9},
)  # fmt: skip
FAILURES: tuple[Mapping[str, Any], ...] = (
    {}, {"reruns": [True]}, {"reruns": [False, True]}, {"reruns": [False, False], "suite": [False, True]},
    {"rollback_needed": True, "last_passing_commit": COMMIT}, {"rollback_needed": True}, {"suite": [False]},
    {"last_passing_commit": COMMIT},
)  # fmt: skip
SPAWNS = ((1, 0), (2, 0), (2, 1), (2, 2), (3, 2), (5, 5))  # agents, worktrees


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always begins, or never does, fails one of them."""
    del profile
    return (candidate(calm().spawn(2, 2), BEGUN), candidate(calm().begin("minor", breaker=OPEN), NOT_BEGUN))


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate", allowed=allowed)


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def _described(operation: Operation) -> str:
    known = (operation.args.get(name) for name in ("reason", "kind", "task_id", "breaker"))
    return " ".join((operation.name, *(str(each) for each in known if each)))


class _Chance:
    """A story by chance: tasks are claimed and finished, operations begin, and something goes wrong now and then."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        match rng.randrange(10):
            case 0:
                story.turn()
            case 1:
                story.claim(one(rng, ("w1", "w2")))
            case 2:
                story.start(one(rng, TASKS), one(rng, (None, INTERFACE)))
            case 3:
                story.complete(one(rng, TASKS)).ledger()
            case 4:
                story.checkpoint().lose_context()
            case 5:
                story.begin(one(rng, ("major", "minor", "spawn")), breaker=one(rng, (None, *BREAKERS)))
            case 6:
                story.spawn(*one(rng, SPAWNS), implementing=rng.randrange(3) > 0)
            case 7:
                story.limit(one(rng, BREAKERS), **one(rng, LIMITS))
            case 8:
                story.fail_tests(**one(rng, FAILURES))
            case _:
                story.later(one(rng, (0.001, 61.0, 199.0, 86400.0)))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
        chance.story.claim("w3").lose_context()
    chance.go_on()
    story = chance.story.fail_tests(**one(rng, FAILURES)).ledger()
    return candidate(story.spawn(2, 0, implementing=False).spawn(3, 1), ANY)


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
