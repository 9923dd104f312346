"""Candidates for scenarios nobody wrote down: worlds, calls, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    DIRECTORIES,
    INSTANT_S,
    INTERVAL_S,
    NAME,
    OTHER,
    PERMITTED,
    REFUSED,
    WINDOW_S,
    Allowed,
    Story,
    calm,
    scenario,
)
from harness.systems.circuit_breaker.workload.fault_rows import PLACES
from harness.systems.circuit_breaker.workload.machine_breaker import TUNABLES
from harness.systems.search import Search, one

MOST_ACTIONS = 6  # before the fault, and after it
THRESHOLD = 3
# what every breaker witnesses that survives, whichever permitted reading it takes: state it kept may be another
CLAUSES = ("LK-CB-03", "LK-CB-22", "LK-RP-01")
CALM_CLAUSES = (
    *CLAUSES, "LK-CB-01", "LK-CB-02", "LK-CB-09", "LK-CB-10", "LK-CB-11", "LK-CB-12", "LK-CB-13", "LK-CB-14",
    "LK-CB-16", "LK-CB-17", "LK-CB-19", "LK-RP-02", "LK-RP-03", "LK-RP-04",
)  # fmt: skip


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always permits, or always refuses, fails one of them."""
    del profile
    return (
        candidate(calm().ok().ask(), PERMITTED),
        candidate(calm().trip().ask(), REFUSED),
    )


def candidate(story: Story, allowed: Allowed = (), tunables: Mapping[str, Any] | None = None) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    files = DIRECTORIES if struck else {}
    made = scenario("", "", (), story, allowed, files=files, tunables=tunables, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says, else those alternatives that are ``permitted``."""
    return scenario.allowed or tuple(permitted((*PERMITTED, *REFUSED)))


def _described(operation: Operation) -> str:
    name = str(operation.args.get("name", ""))
    if operation.name == "record":
        return f"a {operation.args['outcome']} of {name}"
    return f"{operation.name} {name}".strip()


class _Chance:
    """A story by chance. It knows whether its breaker may be OPEN, so that it tells no result of a refused call."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()
        self._failures = 0
        self._open = False

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            if self._open:
                self._while_open()
            else:
                self._while_closed()

    def get_over(self) -> None:
        """Whatever happened: the breaker is asked for, and after a long time closed by successes."""
        self.story.look().ask()
        if self._rng.randrange(2):
            self.story.later(2 * COOLDOWN_S).healed().look()
            self._failures, self._open = 0, False

    def _while_closed(self) -> None:
        story = self.story
        match self._rng.randrange(6):
            case 0:
                story.look()
            case 1:
                story.capacity(one(self._rng, (5, 1, 8)))
            case 2:
                story.fail(OTHER) if self._rng.randrange(2) else story.ok(OTHER)
            case 3 if not self._failures:
                story.ok()
            case 4:
                by_s = one(self._rng, (1.0, 61.0, 600.0))
                story.later(by_s)
                self._failures = self._failures if by_s <= WINDOW_S else 0
            case _:
                story.fail()
                self._failures += 1
                self._open = self._failures >= THRESHOLD

    def _while_open(self) -> None:
        story = self.story
        match self._rng.randrange(5):
            case 0:
                story.look()
            case 1:
                story.capacity(one(self._rng, (5, 1, 8)))
            case 2:
                story.later(1.0).ask(urgent=bool(self._rng.randrange(2)))
            case 3:
                story.later(COOLDOWN_S).ok().later(INTERVAL_S - INSTANT_S).ask().later(INTERVAL_S).fail()
            case _:
                story.later(COOLDOWN_S).healed()
                self._failures, self._open = 0, False


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    tunables: Mapping[str, Any] = {}
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
        chance.get_over()
    elif rng.randrange(3) == 0:
        tunables = one(rng, [each for each in TUNABLES if "threshold" not in each])
    chance.go_on()
    return candidate(chance.story.ask(NAME), tunables=tunables)


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
