"""The humans of a simulation: they decide about reviews, dead letters and plans in hours, late, or never."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from harness.core.event import Event
from harness.core.plan_events import PlanHalted
from harness.core.task_events import DeadLettersReviewed, ReviewRequested, ReviewsChecked
from harness.runtime.trial import Pause, Steps
from harness.simulation.virtual_time import TICKS_PER_S, Chance
from harness.systems.dead_letter.contract import AbandonArguments
from harness.systems.phase_runner.contract.words import Mode
from harness.systems.signals.contract import (
    APPROVED,
    REJECTED,
    CancelArguments,
    ClarifyArguments,
    DecideArguments,
)

APPROVES, REJECTS, CLARIFIES = 350, 50, 500  # of a thousand; the rest cancels
IN_TIME, LATE = 950, 30  # of a thousand requests; the rest is never answered
_HOUR = 3600 * TICKS_PER_S
_LOOKS_S = (120, 600)  # between two looks at what there is to decide
_IN_TIME_S = (300, 2 * 3600)
_LATE_H = (24, 40)
_ABANDONS_H = (6, 72)
_HALTED_S = (900, 6 * 3600)
RESUMES = 750  # of a thousand plans that are halted; another one begins instead of the rest


class Office(Protocol):
    """What humans work with."""

    @property
    def seed(self) -> int:
        """The simulation's."""
        ...

    @property
    def elapsed(self) -> int:
        """The ticks since the beginning, whatever clocks say."""
        ...

    def decided(self, decision: str, task: str, ask: Callable[[Any, float], bool]) -> bool:
        """A human decides, by asking systems at that time; tells it, and whether it could be written."""
        ...

    def decided_about_plan(self, decision: str) -> None:
        """A human decides about the plan that is halted."""
        ...


class Humans:
    """All of them."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._chance = Chance(office.seed, "humans")
        self._asked: dict[str, int] = {}  # by task: when it is decided about
        self._dead: dict[str, int] = {}
        self._plan: int | None = None  # when the plan that is halted is decided about
        self._is_decided = False  # there is a decision, which nobody has looked at yet

    def life(self) -> Steps[None]:
        """Decides for ever."""
        while True:
            yield Pause(self._chance.seconds(*_LOOKS_S) / TICKS_PER_S)
            now = self._office.elapsed
            for task in [task for task, due in self._asked.items() if due <= now]:
                self._decide(task)
            for task in [task for task, due in self._dead.items() if due <= now]:
                self._abandon(task)
            if self._plan is not None and self._plan <= now:
                self._plan = None
                decision = Mode.RESUME if self._chance.per_mille(RESUMES) else Mode.FRESH
                self._office.decided_about_plan(decision)

    def take(self, event: Event) -> None:
        """What they hear of."""
        now = self._office.elapsed
        if isinstance(event, ReviewRequested) and event.stored:
            self._ask(event.task, now)
        elif isinstance(event, ReviewsChecked):
            self._is_decided = False
            for task in (*event.timed_out, *event.resolved):
                self._asked.pop(task, None)
        elif isinstance(event, PlanHalted) and self._plan is None:
            self._plan = now + self._chance.seconds(*_HALTED_S)
        elif isinstance(event, DeadLettersReviewed):
            for task in event.notified:
                self._dead.setdefault(task, now + self._chance.between(*_ABANDONS_H) * _HOUR)
            for task, verdict in event.decided.items():
                if verdict in ("retried", "abandoned"):
                    self._dead.pop(task, None)

    def _ask(self, task: str, now: int) -> None:
        drawn = self._chance.below(1000)
        if drawn < IN_TIME:
            self._asked[task] = now + self._chance.seconds(*_IN_TIME_S)
        elif drawn < IN_TIME + LATE:
            self._asked[task] = now + self._chance.between(*_LATE_H) * _HOUR
        else:
            self._asked.pop(task, None)

    def _decide(self, task: str) -> None:
        """One decision at a time lies there: the next waits until somebody has looked at it."""
        if self._is_decided:
            return
        drawn = Chance(self._office.seed, "decision", task, self._asked[task]).below(1000)
        if drawn < APPROVES + REJECTS:
            decision = APPROVED if drawn < APPROVES else REJECTED
            done = self._is_decided = self._office.decided(decision, task, _deciding(task, decision))
        elif drawn < APPROVES + REJECTS + CLARIFIES:
            done = self._office.decided("clarified", task, _clarifying(task))
        else:
            done = self._office.decided("cancelled", task, _cancelling(task))
        if done:
            del self._asked[task]

    def _abandon(self, task: str) -> None:
        if self._office.decided("abandoned", task, _abandoning(task)):
            del self._dead[task]


Asking = Callable[[Any, float], bool]


def _deciding(task: str, decision: str) -> Asking:
    given = DecideArguments(msgspec.json.encode({"task_id": task, "decision": decision}).decode())
    return lambda systems, now_s: systems.signals.decide(given, now_s).written is True


def _clarifying(task: str) -> Asking:
    given = ClarifyArguments(task, "Only the tests of this task are meant.")
    return lambda systems, now_s: systems.signals.clarify(given, now_s).resolved is True


def _cancelling(task: str) -> Asking:
    return lambda systems, now_s: systems.signals.cancel(CancelArguments(task), now_s).resolved is True


def _abandoning(task: str) -> Asking:
    given = AbandonArguments(task, "the owner", "It is not worth more time.")
    return lambda systems, now_s: systems.dead_letters.abandon(given, now_s).abandoned is True
