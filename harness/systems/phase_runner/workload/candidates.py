"""Candidates for scenarios nobody wrote down: plans, results, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.phase_runner.contract.words import CommitMode, FailureType, Mode
from harness.systems.phase_runner.workload.course import Course
from harness.systems.phase_runner.workload.fault_rows import PLACES
from harness.systems.phase_runner.workload.legs import REFUSES, RETRIES
from harness.systems.phase_runner.workload.phase_steps import ANY, Allowed, Story, calm, scenario
from harness.systems.phase_runner.workload.plans import CHAIN, DIAMONDS, EXAMPLE, FORK, ONE, PAIR, batch, layered
from harness.systems.phase_runner.workload.results import changes, claimed, failed
from harness.systems.search import Search, one

MOST_ACTIONS = 6  # before the fault, and after it
AWAITED: Allowed = ({"accepted": True},)
NOT_AWAITED: Allowed = ({"accepted": False},)
# what every implementation witnesses that survives, whichever permitted reading it takes
CLAUSES = tuple(f"AB-{clause}" for clause in REFUSES.clauses)
CALM_CLAUSES = tuple(sorted({*CLAUSES, *(f"AB-{clause}" for clause in RETRIES.clauses)}))
PLANS = (ONE, CHAIN, PAIR, PAIR, EXAMPLE, DIAMONDS, FORK, batch(3))
KINDS = tuple(
    kind
    for kind in FailureType
    if kind not in (FailureType.CIRCULAR_DEPENDENCY, FailureType.FILE_CONFLICT, FailureType.PLAN_INVALID)
)
"""Those that an attempt can end in."""
SHARED = "src/shared.ts"  # what several phases change now and then


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who takes every report, or none, fails one of them."""
    del profile
    awaited = calm().start(ONE).report("0", failed())
    return candidate(awaited, AWAITED), candidate(calm().start(ONE).report("9", failed()), NOT_AWAITED)


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed=allowed, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def _described(operation: Operation) -> str:
    known = [operation.args.get(name) for name in ("phase_id", "attempt", "commit_mode")]
    return " ".join((operation.name, *(str(each) for each in (*known, *operation.args.get("modes", ())) if each)))


class _Chance:
    """A story by chance: a run whose phases succeed or fail, and what interrupts it now and then."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._plan = layered(rng, rng.randrange(2, 9), 3) if rng.randrange(2) else one(rng, PLANS)
        self._course = Course(self._plan)
        self._mode = one(rng, tuple(CommitMode)).value
        self.story = calm().start(self._plan, commit_mode=self._mode)

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        match rng.randrange(9):
            case 0:
                story.look(self._plan)
            case 1:
                story.later(one(rng, (0.001, 61.0, 599.0, 86_400.0)))
            case 2:
                modes = one(rng, ((), (Mode.RESUME,), (Mode.RESUME,), (Mode.FRESH,)))
                self._course = Course(self._plan, () if Mode.FRESH in modes else self._course.done)
                story.start(self._plan, *modes, commit_mode=self._mode).look(self._plan)
            case 3:
                stray = one(rng, (*self._plan.ids, "99"))
                told: tuple[Callable[[str], Story], ...] = (story.complete, story.fail, story.verify, story.mismatch)
                one(rng, told)(stray)
            case _:
                self._next_batch()

    def _next_batch(self) -> None:
        """What is launched now ends: most succeed at once, some on their retry, some never."""
        members = self._course.next()
        bad = [each for each in members if self._rng.randrange(3) == 0]
        hopeless = [each for each in bad if self._rng.randrange(4) == 0]
        for phase_id in bad:
            self.story.fail(phase_id, one(self._rng, KINDS))
        shared: dict[str, Any] = {"modified": changes(SHARED)} if self._rng.randrange(6) == 0 else {}
        good = [each for each in members if each not in bad]
        self.story.claim(*good, **shared).verify(*good).complete(
            *(each for each in bad if each not in hopeless), attempt=2
        )
        for phase_id in hopeless:
            self.story.fail(phase_id, one(self._rng, KINDS), 2)
        self.story.look(self._plan)
        self._course.done.update(each for each in members if each not in hopeless)


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
    chance.go_on()
    story = chance.story
    REFUSES.tell(story)
    RETRIES.tell(story)
    story.start(ONE, Mode.FRESH)
    if name is not None:
        return candidate(story.report("0", claimed("0")), ANY)
    if rng.randrange(2):
        return candidate(story.report("0", claimed("0")), AWAITED)
    return candidate(story.report("1", claimed("1")), NOT_AWAITED)


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
