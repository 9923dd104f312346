"""Candidates for scenarios nobody wrote down: drift, reviews, signals, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.search import Search, one
from harness.systems.signals.contract import HEALING, NAMED, Severity, Signal
from harness.systems.signals.workload.drift_boundaries import MEMORY
from harness.systems.signals.workload.fault_rows import PLACES
from harness.systems.signals.workload.healing_boundaries import payload
from harness.systems.signals.workload.legs import ASSESSES, EVERYTHING
from harness.systems.signals.workload.review_boundaries import ASKED, NOT_ASKED
from harness.systems.signals.workload.signal_steps import (
    ALSO_REVIEWED,
    ANY,
    CURRENT,
    DAY_S,
    OTHER,
    REVIEWED,
    WAITING,
    Allowed,
    Story,
    calm,
    decision,
    friction,
    scenario,
)

MOST_ACTIONS = 7  # before the fault, and after it
# what every implementation witnesses that survives, whichever permitted reading it takes
CLAUSES = (*ASSESSES.clauses, "LK-DR-04")
CALM_CLAUSES = tuple(sorted(EVERYTHING))
REVIEWABLE = (REVIEWED, ALSO_REVIEWED, CURRENT, *WAITING)
NAMES = ("auth", "api", "feature/auth", "../x")
_SEVERITIES = tuple(each.value for each in Severity)
_COST = {"cost_usd_per_hour": 100.01}


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always asks a human, or never does, fails one of them."""
    del profile
    return candidate(calm().assess(**_COST), ASKED), candidate(calm().assess(), NOT_ASKED)


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def _described(operation: Operation) -> str:
    about = (operation.args.get(field) for field in ("signal", "name", "task_id", "severity"))
    return " ".join([operation.name, *(each for each in about if isinstance(each, str))])


class _Chance:
    """A story by chance: tasks that drift, reviews that end one way or another, signals raised and handled."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()
        self._asked = [REVIEWED]

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        match rng.randrange(9):
            case 0:
                story.drifts(one(rng, (CURRENT, OTHER, None)))
            case 1:
                story.later(one(rng, (0.001, 61.0, DAY_S + 60.0)))
            case 2:
                self._asked.append(one(rng, REVIEWABLE))
                story.review(self._asked[-1]).reviews(self._asked[-1])
            case 3:
                story.decide(decision(one(rng, (None, *self._asked)))).check().reviews()
            case 4:
                about = one(rng, self._asked)
                one(rng, (story.clarify, story.cancel))(about).reviews(about)
            case 5:
                story.check(one(rng, ("ok", "fails", "hangs"))).reviews()
            case 6:
                self._hand()
            case 7:
                self._heal()
            case _:
                of = one(rng, (CURRENT, CURRENT, OTHER))
                story.drift(of, one(rng, _SEVERITIES), working_memory=MEMORY).drifts()

    def _hand(self) -> None:
        signal = one(self._rng, tuple(each for each in Signal if each not in HEALING))
        name = one(self._rng, NAMES) if signal in NAMED else None
        self.story.emit(signal, name).consume(signal, name, handler=one(self._rng, ("ok", "ok", "fails")))
        self.story.consume(signal, name)

    def _heal(self) -> None:
        signal = one(self._rng, tuple(each for each in Signal if each in HEALING))
        made = friction(self.story.named("friction")) if signal is Signal.FRICTION_DETECTED else payload(signal)
        facts: dict[str, Any] = {"gate": one(self._rng, ("passes", "fails")), "strict": bool(self._rng.randrange(2))}
        self.story.emit(signal, payload=made).heal(signal, **facts).drifts()


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
        chance.story.drift(working_memory=MEMORY).drifts()
    chance.go_on()
    story = chance.story.drifts()
    if rng.randrange(2):
        return candidate(story.assess(**_COST), ASKED)
    return candidate(story.assess(), NOT_ASKED)


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
