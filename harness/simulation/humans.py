"""The humans of a simulation: they decide about reviews, dead letters and plans in hours, late, or never."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import msgspec

from harness.core.event import Event
from harness.core.events import SystemSilent
from harness.core.plan_events import PhaseBegun, PlanHalted
from harness.core.task_events import DeadLettersReviewed, ReviewRequested, ReviewsChecked, TaskCompleted
from harness.runtime.ports import UnansweredError
from harness.runtime.trial import Pause, Steps
from harness.simulation.incidents import WHOLE, Fate
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
LATE_SHARE, NEVER_SHARE = 45, 20  # of a thousand requests; the rest is answered in time
ANSWER, DECISION, HALT = "answer", "decision", "halt"  # kinds of incidents
LATE, NEVER = "late", "never"
CLARIFIED, CANCELLED, ABANDONED = "clarified", "cancelled", "abandoned"
_ASKED: Final[Mapping[str, tuple[str, str]]] = {
    APPROVED: ("signals", "decide"),
    REJECTED: ("signals", "decide"),
    CLARIFIED: ("signals", "clarify"),
    CANCELLED: ("signals", "cancel"),
    ABANDONED: ("dead_letter", "abandon"),
}
"""The system and the operation of it by which a human decides so."""
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
        """The simulation's, at this time."""
        ...

    @property
    def elapsed(self) -> int:
        """The ticks since the beginning, whatever clocks say."""
        ...

    def fate(self, who: str) -> Fate:
        """What the humans of that task, or of the plans, meet with."""
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
        self._looks = Chance(office.seed, "humans")
        self._plans = office.fate("plans")
        self._fates: dict[str, Fate] = {}  # by task
        self._drawings: dict[str, int] = {}
        self._decisions: dict[str, str] = {}  # that could not be written yet
        self._asked: dict[str, int] = {}  # by task: when it is decided about
        self._dead: dict[str, int] = {}
        self._plan: int | None = None  # when the plan that is halted is decided about
        self._is_worked_on = False  # a phase, since a plan was decided about
        self._is_decided = False  # there is a decision, which nobody has looked at yet

    def life(self) -> Steps[None]:
        """Decides for ever."""
        while True:
            yield Pause(self._looks.seconds(*_LOOKS_S) / TICKS_PER_S)
            now = self._office.elapsed
            for task in [task for task, due in self._asked.items() if due <= now]:
                self._decide(task)
            for task in [task for task, due in self._dead.items() if due <= now]:
                self._abandon(task)
            if self._plan is not None and self._plan <= now:
                self._plan = None
                is_hopeless = not self._is_worked_on  # it was resumed, and halted again before anything was done
                self._is_worked_on = False
                resumes = Mode.FRESH if is_hopeless else Mode.RESUME
                self._office.decided_about_plan(self._plans.meets(HALT, _halt) or resumes)

    def take(self, event: Event) -> None:
        """What they hear of."""
        now = self._office.elapsed
        if isinstance(event, ReviewRequested) and event.stored:
            self._ask(event.task, now)
        elif isinstance(event, ReviewsChecked):
            self._is_decided = False
            for task in (*event.timed_out, *event.resolved):
                self._asked.pop(task, None)
        elif isinstance(event, PhaseBegun):
            self._is_worked_on = True
        elif isinstance(event, PlanHalted) and self._plan is None:
            self._plan = now + self._drawn("halted", "plans").seconds(*_HALTED_S)
        elif isinstance(event, DeadLettersReviewed):
            for task in event.notified:
                if task not in self._dead:
                    self._dead[task] = now + self._drawn("abandons", task).between(*_ABANDONS_H) * _HOUR
            for task, verdict in event.decided.items():
                if verdict in ("retried", "abandoned"):
                    self._dead.pop(task, None)
                if verdict == "abandoned":
                    self._forget(task)
        elif isinstance(event, TaskCompleted):
            self._forget(event.task)

    def _ask(self, task: str, now: int) -> None:
        word, _, hours = self.fate_of(task).meets(ANSWER, _answer).partition(" ")
        if word == NEVER:
            self._asked.pop(task, None)
        elif word == LATE:
            self._asked[task] = now + int(hours) * _HOUR
        else:
            self._asked[task] = now + self._drawn("answers", task).seconds(*_IN_TIME_S)

    def _decide(self, task: str) -> None:
        """One decision at a time lies there: the next waits until somebody has looked at it."""
        if self._is_decided:
            return
        decision = self._decisions.get(task)
        if decision is None:  # it is his, however often it could not be written
            decision = self._decisions[task] = self.fate_of(task).meets(DECISION, _decision) or APPROVED
        if decision in (APPROVED, REJECTED):
            done = self._is_decided = self._office.decided(decision, task, _deciding(task, decision))
        elif decision == CLARIFIED:
            done = self._office.decided(decision, task, _clarifying(task))
        else:
            done = self._office.decided(decision, task, _cancelling(task))
        if done:
            del self._asked[task], self._decisions[task]
            if decision == CANCELLED:
                self._forget(task)

    def fate_of(self, task: str) -> Fate:
        """What that task meets with, whoever works on it, and its human."""
        if task not in self._fates:
            self._fates[task] = self._office.fate(task)
        return self._fates[task]

    def _drawn(self, what: str, name: str) -> Chance:
        self._drawings[name] = self._drawings.get(name, 0) + 1
        return Chance(self._office.seed, what, name, self._drawings[name])

    def _forget(self, task: str) -> None:
        for kept in (self._fates, self._drawings, self._decisions):
            kept.pop(task, None)

    def _abandon(self, task: str) -> None:
        if self._office.decided(ABANDONED, task, _abandoning(task)):
            del self._dead[task]
            self._forget(task)


def heard(decision: str, at: str, ask: Callable[[], bool]) -> tuple[bool, SystemSilent | None]:
    """Was what a human decided written? Without an answer it was not, and that is told (INT-21)."""
    try:
        return ask(), None
    except UnansweredError as error:
        system, operation = _ASKED[decision]
        return False, SystemSilent(at=at, correlation_id="", system=system, operation=operation, why=str(error))


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


def _answer(chance: Chance) -> str:
    drawn = chance.below(1000)
    if drawn < LATE_SHARE:
        return f"{LATE} {chance.between(*_LATE_H)}"
    return NEVER if drawn < LATE_SHARE + NEVER_SHARE else WHOLE


def _decision(chance: Chance) -> str:
    drawn = chance.below(1000)
    if drawn < APPROVES:
        return WHOLE
    if drawn < APPROVES + REJECTS:
        return REJECTED
    return CLARIFIED if drawn < APPROVES + REJECTS + CLARIFIES else CANCELLED


def _halt(chance: Chance) -> str:
    return WHOLE if chance.per_mille(RESUMES) else Mode.FRESH.value
