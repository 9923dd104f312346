"""Where every task is, write by write, and what became of those that are finished."""

from collections.abc import Iterator, Sequence

from harness.core.events import SessionEvent
from harness.core.plan_events import PhaseBegun
from harness.core.recent import Recent
from harness.core.task_events import (
    SessionResumed,
    TaskAdopted,
    TaskAttempted,
    TaskClaimed,
    TaskCompleted,
    TaskStarted,
)
from harness.simulation.invariants.rules import FINISHED_ONCE, NEVER_LOST, ONE_PLACE
from harness.simulation.invariants.weather import Weather
from harness.systems.queue_files import COMPLETED, IN_PROGRESS, QUEUES
from harness.systems.session_recovery.contract import Finished, Outcome

_WORK = (TaskClaimed, TaskAdopted, TaskStarted, TaskAttempted, PhaseBegun)


class Tasks:
    """The queue files and the ledger.

    A task that is new since the last event may be taken out again: whoever makes one may have to undo it.
    """

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self._in: dict[str, frozenset[str]] = dict.fromkeys(QUEUES, frozenset())
        self._twice: dict[str, frozenset[str]] = dict.fromkeys(QUEUES, frozenset())  # within one file
        self._copies: dict[str, int] = {}  # files that have it
        self._several: set[str] = set()  # tasks of which there is more than one copy
        self._excused: set[str] = set()  # those of them that a crash left behind, or that were told of
        self._new: set[str] = set()
        self._put_down: set[str] = set()  # in completed.json since the last event, or longer when elsewhere too
        self._finished = Recent()
        self._told = Recent()  # to be completed
        self._recorded = Recent()  # in the ledger

    def has(self, task: str, queue: str) -> bool:
        """Is it in that queue?"""
        return task in self._in[queue]

    # -- the files

    def changed(self, queue: str, ids: Sequence[str]) -> Iterator[str]:
        """The file of a queue has these tasks now."""
        now = frozenset(ids)
        before, self._in[queue] = self._in[queue], now
        twice = frozenset(task for task in now if ids.count(task) > 1) if len(now) < len(ids) else frozenset()
        if twice != self._twice[queue]:
            self._several |= twice
            self._twice[queue] = twice
        for task in now - before:
            yield from self._added(task, queue)
        for task in before - now:
            yield from self._taken_out(task, queue)

    def _added(self, task: str, queue: str) -> Iterator[str]:
        copies = self._copies.get(task, 0)
        self._copies[task] = copies + 1
        if not copies:
            self._new.add(task)
        else:
            self._several.add(task)
        if queue == COMPLETED:
            self._put_down.add(task)
        if task in self._finished:
            yield FINISHED_ONCE

    def _taken_out(self, task: str, queue: str) -> Iterator[str]:
        self._copies[task] -= 1
        if not self._copies[task]:
            del self._copies[task]
            if task not in self._new:
                yield NEVER_LOST
        if queue == COMPLETED:
            self._put_down.discard(task)
            if task in self._finished:
                yield FINISHED_ONCE

    def recorded(self, tasks: Sequence[str | None], *, stays: bool) -> Iterator[str]:
        """Lines were added to the ledger; what stood there is still there, or is not."""
        if not stays:
            yield FINISHED_ONCE
        for task in tasks:
            if task is None:
                continue
            if task in self._recorded:
                yield FINISHED_ONCE
            self._recorded.add(task)

    def archived(self, queue: str) -> None:
        """What that file has is set aside. A task that a crash left in another one, too, lives on there."""
        before, self._in[queue] = self._in[queue], frozenset()
        self._twice[queue] = frozenset()
        for task in before:
            self._copies[task] -= 1
            if self._copies[task]:
                self._put_down.discard(task)
                continue
            del self._copies[task]
            if task in self._put_down:
                self._finished.add(task)

    # -- events

    def take(self, event: SessionEvent) -> Iterator[str]:
        """What this event, and what was written before it, break."""
        self._new.clear()
        if self._several:
            yield from self._in_several(event)
        if self._put_down:
            done = self._put_down - self._several
            self._finished.update(done)
            self._put_down -= done
        if isinstance(event, TaskClaimed) and not self.has(event.task, IN_PROGRESS):
            yield ONE_PLACE
        if isinstance(event, _WORK):
            if event.task in self._finished and not (isinstance(event, TaskStarted) and not event.started):
                yield FINISHED_ONCE
        elif isinstance(event, TaskCompleted) and event.outcome == Finished.COMPLETED:
            yield from self._completed(event)

    def _in_several(self, event: SessionEvent) -> Iterator[str]:
        twice = frozenset().union(*self._twice.values())
        self._several = {task for task in self._several if self._copies.get(task, 0) > 1 or task in twice}
        self._excused &= self._several
        if self._weather.cut:
            self._excused |= self._several
        is_recovered = isinstance(event, SessionResumed) and event.outcome == Outcome.RECOVERED
        if is_recovered and not self._weather.is_full:
            self._excused.clear()
        if self._several - self._excused:
            self._excused |= self._several
            yield ONE_PLACE

    def _completed(self, event: TaskCompleted) -> Iterator[str]:
        is_recorded = event.task in self._recorded
        is_missing = not is_recorded and (event.recorded or not self._weather.is_full)
        if event.task in self._told or not self.has(event.task, COMPLETED) or is_missing:
            yield FINISHED_ONCE
        self._told.add(event.task)
