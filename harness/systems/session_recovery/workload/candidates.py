"""Candidates for scenarios nobody wrote down: work, operations, one fault and time, put together by chance.

The chance is a ``random.Random``, so the same seed composes the same candidates on every Python version. Whether a
candidate is worth keeping is for the caller to find out by playing it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any, TypeVar

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.session_recovery.workload import fault_places as places
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

T = TypeVar("T")
CALM_SHARE = 6  # one candidate in so many has no fault, where the caller names none
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
    """The two sides in calm weather: who always begins, or never does, fails one of them."""
    del profile
    return (candidate(calm().spawn(2, 2), BEGUN), candidate(calm().begin("minor", breaker=OPEN), NOT_BEGUN))


def without_place(profile: str, faults: Sequence[str]) -> tuple[str, ...]:
    """Those of ``faults`` that cannot strike a session."""
    del profile
    return tuple(name for name in faults if not places.of(name))


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate", allowed=allowed)


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
                story.claim(_one(rng, ("w1", "w2")))
            case 2:
                story.start(_one(rng, TASKS), _one(rng, (None, INTERFACE)))
            case 3:
                story.complete(_one(rng, TASKS)).ledger()
            case 4:
                story.checkpoint().lose_context()
            case 5:
                story.begin(_one(rng, ("major", "minor", "spawn")), breaker=_one(rng, (None, *BREAKERS)))
            case 6:
                story.spawn(*_one(rng, SPAWNS), implementing=rng.randrange(3) > 0)
            case 7:
                story.limit(_one(rng, BREAKERS), **_one(rng, LIMITS))
            case 8:
                story.fail_tests(**_one(rng, FAILURES))
            case _:
                story.later(_one(rng, (0.001, 61.0, 199.0, 86400.0)))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=_one(rng, places.of(name))))
        chance.story.claim("w3").lose_context()
    chance.go_on()
    story = chance.story.fail_tests(**_one(rng, FAILURES)).ledger()
    return candidate(story.spawn(2, 0, implementing=False).spawn(3, 1), ANY)


def _one(rng: Random, choices: Sequence[T]) -> T:
    return choices[rng.randrange(len(choices))]
