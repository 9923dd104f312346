"""Candidates for scenarios nobody wrote down: drift, reviews, signals, one fault and time, put together by chance.

The chance is a ``random.Random``, so the same seed composes the same candidates on every Python version. Whether a
candidate is worth keeping is for the caller to find out by playing it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any, TypeVar

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.signals.contract import HEALING, NAMED, Severity, Signal
from harness.systems.signals.workload import fault_places as places
from harness.systems.signals.workload.drift_boundaries import MEMORY
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

T = TypeVar("T")
CALM_SHARE = 6  # one candidate in so many has no fault, where the caller names none
MOST_ACTIONS = 7  # before the fault, and after it
# what every implementation witnesses that survives, whichever permitted reading it takes
CLAUSES = (*ASSESSES.clauses, "LK-DR-04")
CALM_CLAUSES = tuple(sorted(EVERYTHING))
REVIEWABLE = (REVIEWED, ALSO_REVIEWED, CURRENT, *WAITING)
NAMES = ("auth", "api", "feature/auth", "../x")
_SEVERITIES = tuple(each.value for each in Severity)
_COST = {"cost_usd_per_hour": 100.01}


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
    """The two sides in calm weather: who always asks a human, or never does, fails one of them."""
    del profile
    return candidate(calm().assess(**_COST), ASKED), candidate(calm().assess(), NOT_ASKED)


def without_place(profile: str, faults: Sequence[str]) -> tuple[str, ...]:
    """Those of ``faults`` that cannot strike the signals."""
    del profile
    return tuple(name for name in faults if not places.of(name))


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, level="L2" if struck else "L1")
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
                story.drifts(_one(rng, (CURRENT, OTHER, None)))
            case 1:
                story.later(_one(rng, (0.001, 61.0, DAY_S + 60.0)))
            case 2:
                self._asked.append(_one(rng, REVIEWABLE))
                story.review(self._asked[-1]).reviews(self._asked[-1])
            case 3:
                story.decide(decision(_one(rng, (None, *self._asked)))).check().reviews()
            case 4:
                about = _one(rng, self._asked)
                _one(rng, (story.clarify, story.cancel))(about).reviews(about)
            case 5:
                story.check(_one(rng, ("ok", "fails", "hangs"))).reviews()
            case 6:
                self._hand()
            case 7:
                self._heal()
            case _:
                of = _one(rng, (CURRENT, CURRENT, OTHER))
                story.drift(of, _one(rng, _SEVERITIES), working_memory=MEMORY).drifts()

    def _hand(self) -> None:
        signal = _one(self._rng, tuple(each for each in Signal if each not in HEALING))
        name = _one(self._rng, NAMES) if signal in NAMED else None
        self.story.emit(signal, name).consume(signal, name, handler=_one(self._rng, ("ok", "ok", "fails")))
        self.story.consume(signal, name)

    def _heal(self) -> None:
        signal = _one(self._rng, tuple(each for each in Signal if each in HEALING))
        made = friction(self.story.named("friction")) if signal is Signal.FRICTION_DETECTED else payload(signal)
        facts: dict[str, Any] = {"gate": _one(self._rng, ("passes", "fails")), "strict": bool(self._rng.randrange(2))}
        self.story.emit(signal, payload=made).heal(signal, **facts).drifts()


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=_one(rng, places.of(name))))
        chance.story.drift(working_memory=MEMORY).drifts()
    chance.go_on()
    story = chance.story.drifts()
    if rng.randrange(2):
        return candidate(story.assess(**_COST), ASKED)
    return candidate(story.assess(), NOT_ASKED)


def _one(rng: Random, choices: Sequence[T]) -> T:
    return choices[rng.randrange(len(choices))]
