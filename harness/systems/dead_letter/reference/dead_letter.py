"""The operations of the dead-letter queue of one project."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from harness.ports.files import Files, RealFiles
from harness.systems.dead_letter.contract import (
    ESCALATIONS_PATH,
    WORK_QUEUES,
    AbandonArguments,
    AbandonResult,
    AttemptGiven,
    Configuration,
    Escalation,
    EscalationsArguments,
    EscalationsResult,
    Happening,
    ListArguments,
    ListResult,
    LogCode,
    RecordFailureArguments,
    RecordFailureResult,
    SessionArguments,
    SessionResult,
    failure_count_of,
)
from harness.systems.dead_letter.reference.deciding import Decider
from harness.systems.dead_letter.reference.escalations import Escalations, EscalationText, Listed, listed
from harness.systems.dead_letter.reference.failures import Analyst, Task
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues, KeptQueues
from harness.systems.dead_letter.reference.letters import Letters
from harness.systems.dead_letter.reference.review import FAILURES, Course, Reviewer
from harness.systems.dead_letter.reference.texts import one_line
from harness.systems.dead_letter.reference.trace import Trace
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, QUEUES, answerable
from harness.systems.queue_store import QueuesLockedError


class DeadLetter:
    """Document 000 on the files below ``home``. Each operation takes the time of its call, in s since the epoch.

    Nothing raises, whatever stands in the files: it is told in the result's log. Nothing is kept between operations.
    Not for use by two threads at once; by any number of processes.
    """

    store_class = KeptQueues
    analyst_class = Analyst
    letters_class = Letters
    decider_class = Decider
    text_class = EscalationText
    escalations_class = Escalations
    reviewer_class = Reviewer

    def __init__(self, configuration: Configuration, files: Files, listing: Listed) -> None:
        directory = ESCALATIONS_PATH.replace("{home}", configuration.home)
        analyst = self.analyst_class()
        self.store = self.store_class(files, configuration.home)
        self.letters = self.letters_class(analyst)
        self.decider = self.decider_class(analyst)
        self.escalation_files = self.escalations_class(directory, files, listing)
        self.reviewer = self.reviewer_class(
            analyst, self.decider, self.letters, self.text_class(analyst), self.escalation_files
        )

    # -- operations

    def record_failure(self, arguments: RecordFailureArguments, now_s: float) -> RecordFailureResult:
        """An attempt failed; five failures make a dead letter (L378)."""
        trace, task = Trace(), None
        with self.opened(trace) as queues:
            place = self.place(queues, arguments.task_id)
            if place is None:
                trace.warning(LogCode.TASK_UNKNOWN, f"no task {one_line(arguments.task_id)!r} is worked at")
            else:
                self.check(arguments.attempt, trace)
                try:
                    task = self.enter(queues, place, arguments, now_s)
                except FAILURES as error:
                    trace.error(LogCode.QUEUE_WRITE_FAILED, "the attempt is not recorded", error)
        if task is None:
            return RecordFailureResult(recorded=False, moved=False, failure_count=None, log=trace.told())
        moved = self.letters.is_dead(task)
        return RecordFailureResult(recorded=True, moved=moved, failure_count=failure_count_of(task), log=trace.told())

    def start_session(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        """A session begins: the daily review, then new work (LK-DQ-09)."""
        course = Course(arguments.facts, now_s)
        with self.opened(course.trace) as queues:
            reviewed = self.reviewer.is_due(queues, course) and self.reviewer.review(queues, course)
        self.work(course)
        return self.session(course, reviewed=reviewed)

    def review(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        """Somebody asks for a review."""
        course = Course(arguments.facts, now_s)
        with self.opened(course.trace) as queues:
            reviewed = self.reviewer.review(queues, course)
        return self.session(course, reviewed=reviewed)

    def abandon(self, arguments: AbandonArguments, now_s: float) -> AbandonResult:
        """A human gives a task up (L462)."""
        del now_s
        trace, abandoned = Trace(), False
        with self.opened(trace) as queues:
            place = queues.place(arguments.task_id)
            try:
                if place == DEAD_LETTER:
                    self.give_up(queues, arguments)
                abandoned = place in (DEAD_LETTER, ABANDONED) and queues.is_settled(arguments.task_id)
            except FAILURES as error:
                trace.error(LogCode.QUEUE_WRITE_FAILED, "the task is not abandoned", error)
            if place not in (DEAD_LETTER, ABANDONED):
                trace.warning(LogCode.TASK_UNKNOWN, f"no task {one_line(arguments.task_id)!r} is a dead letter")
        return AbandonResult(abandoned, trace.told())

    def list(self, arguments: ListArguments, now_s: float) -> ListResult:
        """The tasks of a queue."""
        del now_s
        trace = Trace()
        tasks: tuple[Task, ...] = ()
        with self.opened(trace) as queues:
            if arguments.queue in QUEUES and arguments.queue not in queues.unreadable:
                tasks = queues.tasks(arguments.queue)
        return ListResult(tuple(map(answerable, tasks)), trace.told())

    def escalations(self, arguments: EscalationsArguments, now_s: float) -> EscalationsResult:
        """The escalation files."""
        del arguments, now_s
        trace = Trace()
        found: list[Escalation] = []
        with self.opened(trace):
            names = self.escalation_names(trace)
            for name in names:
                try:
                    found.append(Escalation(name, self.escalation_files.read(name)))
                except OSError as error:
                    trace.error(LogCode.ESCALATION_WRITE_FAILED, f"{one_line(name)} cannot be read", error)
        return EscalationsResult(tuple(found), trace.told())

    # -- parts

    @contextmanager
    def opened(self, trace: Trace) -> Iterator[DeadLetterQueues]:
        """The queues under their lock; where that cannot be had they can be read, and nothing is written."""
        with contextlib.ExitStack() as stack:
            try:
                queues = stack.enter_context(self.store.held())
            except QueuesLockedError as error:
                trace.error(LogCode.LOCK_FAILED, "nothing can be changed", error)
                queues = self.store.seen()
            try:
                yield cast("DeadLetterQueues", queues)  # what the store's queues_class is
            finally:
                for report in queues.reports:
                    trace.report(report)

    def place(self, queues: DeadLetterQueues, task_id: str) -> str | None:
        """The queue of those that are worked at that has the task."""
        found = queues.place(task_id)
        return found if found in WORK_QUEUES else None

    def check(self, given: AttemptGiven, trace: Trace) -> None:
        """Tells which fields of an attempt are no texts; they are recorded as what can be made of them."""
        odd = [name for name in given.__struct_fields__ if not isinstance(getattr(given, name), str)]
        if odd:
            trace.warning(LogCode.ATTEMPT_INVALID, f"no text: {', '.join(odd)}")

    def enter(self, queues: DeadLetterQueues, place: str, arguments: RecordFailureArguments, now_s: float) -> Task:
        """Adds the failure to the task, where it is or in dead-letter, in the one write that moves it; gives it."""
        found = queues.read(place).find(arguments.task_id)
        failed = self.letters.failed(found or {}, arguments.attempt, now_s)
        if self.letters.is_dead(failed):
            return queues.move(arguments.task_id, place, DEAD_LETTER, lambda _: self.letters.dead(failed, place))
        return queues.move(arguments.task_id, place, place, lambda _: failed)

    def give_up(self, queues: DeadLetterQueues, arguments: AbandonArguments) -> None:
        """Moves the task, with who says so and why."""
        reason = f"abandoned by {one_line(arguments.by)}: {arguments.reason}"
        queues.move(arguments.task_id, DEAD_LETTER, ABANDONED, lambda task: self.letters.abandoned(task, reason))

    def work(self, course: Course) -> None:
        """The session may now claim new work (L536)."""
        course.order.append(Happening.WORK)

    def session(self, course: Course, *, reviewed: bool) -> SessionResult:
        """What is told of a session or review."""
        return SessionResult(
            reviewed, tuple(course.decisions), tuple(course.order), tuple(course.notified), course.trace.told()
        )

    def escalation_names(self, trace: Trace) -> tuple[str, ...]:
        """The names of the escalation files; none when the directory cannot be read."""
        try:
            return tuple(self.escalation_files.names())
        except OSError as error:
            trace.error(LogCode.ESCALATION_WRITE_FAILED, "the escalations cannot be read", error)
            return ()


def create(configuration: Configuration, files: Files | None = None, *, listing: Listed | None = None) -> DeadLetter:
    """The reference as the harness starts it: on real files and directories, unless others are given."""
    return DeadLetter(configuration, files or RealFiles(), listing or listed)
