"""Do requests for review, and escalations, stand in their files until they are decided?"""

from collections.abc import Callable, Iterator

from harness.core.events import SessionEvent, SystemSilent
from harness.core.task_events import DeadLettersReviewed, HumanDecided, ReviewRequested, ReviewsChecked
from harness.simulation.invariants.rules import ESCALATION_WRITTEN, REVIEW_STAYS
from harness.simulation.invariants.tasks import Tasks
from harness.simulation.invariants.weather import Weather
from harness.systems.queue_files import ABANDONED, BLOCKED, COMPLETED, DEAD_LETTER, IN_PROGRESS, PENDING

HUMAN = "human"  # the verdict on a dead letter that is left to one


class Reviews:
    """HUMAN_REVIEW_NEEDED. ``escalated`` says whether there is an escalation file of a task."""

    def __init__(self, weather: Weather, tasks: Tasks, escalated: Callable[[str], bool]) -> None:
        self._weather = weather
        self._tasks = tasks
        self._escalated = escalated
        self._requests: set[str] = set()
        self._vanished: set[str] = set()  # since the last event

    def changed(self, requests: set[str]) -> None:
        """The file has the requests of these tasks now."""
        self._vanished |= self._requests - requests
        self._vanished -= requests
        self._requests = requests

    def take(self, event: SessionEvent) -> Iterator[str]:
        """What this event, and what was written before it, break."""
        if self._vanished:
            if not all(self._may_vanish(task, event) for task in self._vanished):
                yield REVIEW_STAYS
            self._vanished.clear()
        if isinstance(event, ReviewRequested):
            yield from self._requested(event)
        elif isinstance(event, DeadLettersReviewed):
            left = (task for task, verdict in event.decided.items() if verdict == HUMAN)
            if any(task not in event.unstored and not self._escalated(task) for task in left):
                yield ESCALATION_WRITTEN

    def _may_vanish(self, task: str, event: SessionEvent) -> bool:
        if self._weather.cut or isinstance(event, SystemSilent):
            return True
        if isinstance(event, HumanDecided):
            return event.done and event.task == task
        if isinstance(event, ReviewsChecked):
            is_over = any(self._tasks.has(task, queue) for queue in (COMPLETED, ABANDONED, DEAD_LETTER))
            return is_over or task in event.resolved or task in event.timed_out
        return False

    def _requested(self, event: ReviewRequested) -> Iterator[str]:
        if event.stored:
            if event.task not in self._requests or (event.blocked and not self._tasks.has(event.task, BLOCKED)):
                yield REVIEW_STAYS
        if not (event.stored and event.blocked) and not self._weather.is_full:
            at_work = self._tasks.has(event.task, PENDING) or self._tasks.has(event.task, IN_PROGRESS)
            if at_work or not event.stored:
                yield REVIEW_STAYS
