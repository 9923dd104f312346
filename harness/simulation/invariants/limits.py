"""How often anything is tried again: counts of events, and of what the records of phases say."""

from collections import Counter
from collections.abc import Iterator

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    CallBegun,
    ErrorsReported,
    FellBack,
    RecoveryEnded,
    RetryScheduled,
    SessionCut,
    SessionEvent,
    UseBegun,
)
from harness.core.plan_events import PhaseBegun, PhaseLaunched, PlanBegun
from harness.core.task_events import DeadLettersReviewed, FailureCounted, ReviewsChecked, TaskClaimed, TaskStarted
from harness.simulation.invariants.rules import FIVE_FAILURES, FIVE_RETRIES, ONE_RETRY, TWO_RECOVERIES
from harness.simulation.invariants.shapes import Phase
from harness.simulation.invariants.tasks import Tasks
from harness.simulation.invariants.weather import Weather
from harness.systems.queue_files import DEAD_LETTER

RETRIES, RECOVERIES, ATTEMPTS, FAILURES = 5, 2, 2, 5
_PHASE = "phase"  # what is launched to be worked on


class _Trial:
    """A call or a use of a session."""

    def __init__(self) -> None:
        self.trying = ("", "", "")
        self.retries = 0
        self.failed = 0  # recoveries


class Limits:
    """All of them. What an operation that was cut off did to dead letters, no event tells: their file does."""

    def __init__(self, weather: Weather, tasks: Tasks) -> None:
        self._weather = weather
        self._tasks = tasks
        self._trials: dict[str, _Trial] = {}
        self._begun: Counter[str] = Counter()  # attempts by phase, in this run
        self._failures: Counter[str] = Counter()  # by task, since it was last a dead letter
        self._dead: set[str] = set()

    def written(self, phase: Phase) -> Iterator[str]:
        """The record of a phase says this now."""
        if phase.attempt > ATTEMPTS or phase.max_attempts > ATTEMPTS:
            yield ONE_RETRY

    def take(self, session: str, event: SessionEvent) -> Iterator[str]:
        """What this event breaks."""
        yield from self._of_a_trial(session, event)
        yield from self._of_a_phase(event)
        yield from self._of_a_task(event)

    def _of_a_trial(self, session: str, event: SessionEvent) -> Iterator[str]:
        if isinstance(event, CallBegun | UseBegun):
            self._trials[session] = _Trial()
            return
        if isinstance(event, SessionCut | ErrorsReported):
            self._trials.pop(session, None)
            return
        trial = self._trials.get(session)
        if trial is None:
            return
        if isinstance(event, AttemptStarted):
            trying = (event.model, event.approach, event.strategy)
            if trying != trial.trying:
                trial.trying, trial.retries = trying, 0
            if event.strategy and trial.failed >= RECOVERIES:
                yield TWO_RECOVERIES
        elif isinstance(event, RetryScheduled):
            trial.retries += 1
            if trial.retries > RETRIES:
                yield FIVE_RETRIES
        elif isinstance(event, RecoveryEnded):
            trial.retries, trial.failed = 0, 0 if event.succeeded else trial.failed + 1
            if trial.failed > RECOVERIES:
                yield TWO_RECOVERIES
        elif isinstance(event, FellBack):
            trial.retries = 0
        elif isinstance(event, AttemptSucceeded):
            trial.retries = trial.failed = 0

    def _of_a_phase(self, event: SessionEvent) -> Iterator[str]:
        if isinstance(event, PlanBegun):
            if event.accepted:
                self._begun.clear()
        elif isinstance(event, PhaseLaunched):
            if event.kind == _PHASE and event.attempt > ATTEMPTS:
                yield ONE_RETRY
        elif isinstance(event, PhaseBegun):
            self._begun[event.phase] += 1
            if self._begun[event.phase] > ATTEMPTS:
                yield ONE_RETRY

    def _of_a_task(self, event: SessionEvent) -> Iterator[str]:
        if self._weather.cut:
            self._dead = {task for task in self._dead if self._tasks.has(task, DEAD_LETTER)}
            for task in [task for task in self._failures if self._tasks.has(task, DEAD_LETTER)]:
                del self._failures[task]
                self._dead.add(task)
        elif isinstance(event, FailureCounted):
            self._failures[event.task] += event.recorded
            if self._failures[event.task] >= FAILURES and not event.moved:
                yield FIVE_FAILURES
            if event.moved:
                del self._failures[event.task]
                self._dead.add(event.task)
        elif isinstance(event, TaskClaimed) or (isinstance(event, TaskStarted) and event.started):
            if event.task in self._dead:
                yield FIVE_FAILURES
        elif isinstance(event, DeadLettersReviewed):
            self._dead.difference_update(
                task for task, verdict in event.decided.items() if verdict != "human" and task not in event.unstored
            )
        elif isinstance(event, ReviewsChecked):
            for task in event.timed_out:
                self._failures.pop(task, None)
