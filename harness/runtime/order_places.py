"""What the order rules of tasks remember of each task, and of each worker's session; see order_tasks.py. Pure."""

from collections.abc import Iterator

from harness.systems.signals.contract import REVIEW_TIMEOUT_S

FREE, HELD, BLOCKED, DEAD, ENDED = "free", "held", "blocked", "dead", "ended"
Broken = Iterator[str]
TOLERANCE_S = 1.0  # a request may say its time in whole seconds


class Known:
    """What is known of one task."""

    def __init__(self) -> None:
        self.place = FREE
        self.was_held = False  # so that it was in a queue, and nobody has only heard of it
        self.worker = ""  # who holds it, or held it last
        self.failures: int | None = 0  # in a row, as they were counted last; None when the last was not recorded
        self.is_counted = False  # or else it may have failed before anybody watched
        self.is_miscounted = False  # so that it does not die when it seems to
        self.requests: list[float] = []  # when a human was asked who has not decided yet
        self.drifts = 0  # that stand in the log
        self.has_lost_drifts = False
        self.is_uncertain = False  # where it is
        self.is_let_go = False
        self.is_decided = False  # a human has, and the next check makes the rest
        self.must_be_seen = False  # by a human, who was called in this attempt
        self.may_be_seen = False  # because one was called, if only by what failed beside the work
        self.must_ask = False
        self.is_paused = False
        self.is_done = False  # the last attempt succeeded
        self.operation = False  # a major operation has begun for it since

    def hold(self, worker: str) -> None:
        """A worker has it now; what was wanted of another one is over."""
        self.place, self.worker, self.was_held = HELD, worker, True
        self.is_uncertain = self.is_decided = self.must_be_seen = self.may_be_seen = self.must_ask = self.is_paused = (
            False
        )
        self.is_done = self.operation = self.is_let_go = False

    def is_held_by(self, worker: str) -> bool:
        """Does that worker have it, as far as is known?"""
        return self.place == HELD and self.worker == worker and not self.is_uncertain

    def begin_anew(self) -> None:
        """A dead letter is tried again: its failures may be forgotten, or not."""
        self.free()
        self.failures = None

    def free(self) -> None:
        """Whoever comes may claim it."""
        self.place = FREE
        self.requests.clear()

    def let_go(self) -> None:
        """It is in progress no longer, and in whatever queue it was put."""
        self.free()
        self.is_let_go = True

    def lose(self) -> None:
        """Who was told that it is finished does not know it: it may be anywhere."""
        self.free()
        self.is_uncertain = True

    def block(self) -> None:
        """A human has it."""
        self.place = BLOCKED
        self.is_uncertain = self.must_ask = self.must_be_seen = self.may_be_seen = False

    def die(self) -> None:
        """It is a dead letter."""
        self.place = DEAD
        self.requests.clear()
        self.is_uncertain = self.is_decided = self.must_ask = self.must_be_seen = self.may_be_seen = False

    def end(self) -> None:
        """It is finished, or given up."""
        self.place = ENDED
        self.requests.clear()

    def must_end(self, at_s: float) -> bool:
        """Has every request of it waited for more than 24 hours?"""
        return bool(self.requests) and at_s > self.requests[-1] + REVIEW_TIMEOUT_S + TOLERANCE_S

    def may_not_end(self, at_s: float) -> bool:
        """Has none of them waited as long?"""
        return bool(self.requests) and at_s < self.requests[0] + REVIEW_TIMEOUT_S - TOLERANCE_S

    def wait_no_longer(self) -> None:
        """A request that has waited too long is told once."""
        self.requests.clear()
        self.is_uncertain = True


class Tasks(dict[str, Known]):
    """Every task that was seen, by id; of those that have ended only that is kept."""

    def __init__(self) -> None:
        super().__init__()
        self._ended: set[str] = set()

    def __missing__(self, name: str) -> Known:
        task = self[name] = Known()
        if name in self._ended:
            task.end()
        return task

    def knows(self, name: str) -> bool:
        """Is it a task of the queues?"""
        return name in self or name in self._ended

    def tidy(self) -> None:
        """Forgets all about those that have ended but that they have."""
        for name in [name for name, task in self.items() if task.place == ENDED]:
            del self[name]
            self._ended.add(name)

    def waiting(self) -> tuple[str, ...]:
        """Those a human was asked about."""
        return tuple(name for name, task in self.items() if task.requests)

    def kept(self) -> set[str]:
        """Those that have to be in some queue."""
        return {
            name
            for name, task in self.items()
            if task.was_held and task.place != ENDED and not task.is_uncertain and not task.is_let_go
        }

    def doubt(self) -> None:
        """Where they are, and how often they have failed, is not known any more."""
        for task in self.values():
            if task.place != ENDED:
                task.is_uncertain, task.failures, task.must_ask = True, None, False


class Seat:
    """A worker in a session."""

    def __init__(self, worker: str, *, must_resume: bool) -> None:
        self.worker = worker
        self.must_resume = must_resume
        self.has_resumed = False
        self.has_claimed = False  # or wanted to
        self.has_reviewed = False  # the dead letters, or nothing was due
        self.has_checked = False  # the reviews
        self.started: set[str] = set()  # the tasks whose requirements were read
        self.must_list = False  # the queues, after a recovery
        self.left: set[str] = set()  # the tasks that it held, and has not taken up again
        self.call = ""  # the id of the last call or use
        self.trying = ""  # the task of an attempt that has no end yet
        self.is_reviewed = False  # a reviewer has been called since the last drift
        self.uncounted = ""  # the task of an attempt that failed and is not counted
        self.unasked = ""  # the task a human has to be asked about
        self.unfinished = ""  # the task of an attempt that succeeded, which is not put down

    def begin_anyhow(self) -> None:
        """What was left out at the beginning is told once."""
        self.must_resume = self.must_list = False
        self.left.clear()
        self.has_reviewed = self.has_checked = True

    def doubt(self) -> None:
        """What was due may have been answered by nobody."""
        self.begin_anyhow()
        self.trying = self.uncounted = self.unasked = self.unfinished = ""

    def forget(self, tasks: Tasks) -> None:
        """What was due after an attempt will not be seen."""
        if self.uncounted:
            tasks[self.uncounted].failures = None
        if self.unfinished:
            tasks[self.unfinished].is_uncertain = True
        self.uncounted = self.unasked = self.unfinished = ""

    def follow_up(self, tasks: Tasks) -> Broken:
        """What was due after an attempt, when something else is done."""
        due = (self.uncounted, "INT-36"), (self.unasked, "INT-37"), (self.unfinished, "INT-46")
        self.forget(tasks)
        yield from [rule for name, rule in due if name][:1]
