"""What must hold before a session claims its first task, INT-33, INT-34, INT-40 and INT-43; see order_tasks.py. Pure.

A review of the dead letters is due when the last one that was seen is more than a day ago; of one before nothing is
known. Of what a recovery finds in progress, a worker goes on with what it held itself; what others held may be theirs.
"""

from harness.core.task_events import DeadLettersReviewed, QueuesListed, ReviewsChecked, SessionResumed
from harness.runtime.order_places import BLOCKED, DEAD, HELD, TOLERANCE_S, Broken, Seat, Tasks
from harness.systems import queue_files
from harness.systems.dead_letter.contract import STALE_AFTER_S
from harness.systems.session_recovery.contract import Outcome
from harness.systems.signals.contract import APPROVED

_QUEUES = {HELD: queue_files.IN_PROGRESS, BLOCKED: queue_files.BLOCKED, DEAD: queue_files.DEAD_LETTER}


class BeginningOrder:
    """Watches how the sessions of a project begin."""

    def __init__(self, tasks: Tasks) -> None:
        self.is_full = False
        self.cut: set[str] = set()  # workers whose last session did not end by itself
        self._tasks = tasks
        self._reviewed_at_s: float | None = None

    def doubt(self) -> None:
        """There may have been a review that nobody told of."""
        self._reviewed_at_s = None

    def resumed(self, seat: Seat, event: SessionResumed, at_s: float) -> Broken:
        """The procedure after a context loss."""
        seat.must_resume, seat.has_resumed = False, True
        self.cut.discard(seat.worker)
        if event.outcome != Outcome.FAILED.value and not seat.has_claimed:
            seat.must_list = True
            seat.left = {name for name in event.interrupted if self._tasks[name].is_held_by(seat.worker)}
        yield from ()

    def listed(self, seat: Seat, event: QueuesListed, at_s: float) -> Broken:
        """Where every task is."""
        seat.must_list = False
        if self.is_full:
            return
        found = [task for tasks in event.queues.values() for task in tasks]
        where = {task: queue for queue, tasks in event.queues.items() for task in tasks}
        kept = self._tasks.kept()
        if len(found) > len(set(found)) or any(self._is_elsewhere(seat, name, where.get(name)) for name in kept):
            yield "INT-43"

    def _is_elsewhere(self, seat: Seat, name: str, queue: str | None) -> bool:
        """What was interrupted may have been put back."""
        task = self._tasks[name]
        if queue is None or (task.place == HELD and task.worker in {seat.worker, *self.cut}):
            return queue is None
        return queue != _QUEUES.get(task.place, queue)

    def letters(self, seat: Seat, event: DeadLettersReviewed, at_s: float) -> Broken:
        """The dead letters were looked after."""
        seat.has_reviewed = True
        for name, verdict in event.decided.items():
            task = self._tasks[name]
            if verdict == "retried":
                task.begin_anew()
            elif verdict == "abandoned" and name not in event.unstored:
                task.end()
        if self.is_full:
            return
        last_s, self._reviewed_at_s = self._reviewed_at_s, at_s if event.reviewed else self._reviewed_at_s
        if not event.reviewed and last_s is not None and at_s > last_s + STALE_AFTER_S + TOLERANCE_S:
            self._reviewed_at_s = at_s
            yield "INT-34"

    def checked(self, seat: Seat, event: ReviewsChecked, at_s: float) -> Broken:
        """The reviews were looked after."""
        seat.has_checked = True
        for name, decision in event.resolved.items():
            task = self._tasks[name]
            if decision.strip().casefold() == APPROVED:
                task.free()
            else:
                task.end()
        yield from self._overdue(event, at_s)

    def _overdue(self, event: ReviewsChecked, at_s: float) -> Broken:
        late = [name for name in self._tasks.waiting() if self._tasks[name].must_end(at_s)]
        if not self.is_full and not set(late) <= set(event.timed_out):
            for name in late:
                self._tasks[name].wait_no_longer()
            yield "INT-40"
        elif any(self._tasks[name].may_not_end(at_s) or name not in event.alerts for name in event.timed_out):
            yield "INT-40"
        for name in event.timed_out:
            self._tasks[name].die()

    def claiming(self, seat: Seat) -> Broken:
        """New work is wanted: was everything done that comes before?"""
        seat.has_claimed = True
        for missing, rule in (
            (seat.must_resume, "INT-33"),
            (seat.must_list, "INT-43"),
            (bool(seat.left), "INT-33"),
            (not seat.has_reviewed, "INT-34"),
            (not seat.has_checked, "INT-40"),
        ):
            if missing:
                seat.begin_anyhow()
                yield rule
                return
