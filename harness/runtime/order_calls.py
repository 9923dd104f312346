"""The order rules of calls to models, INT-04..16 and 20..22; see order.py. Pure.

After a rule is broken the watcher goes on from what it saw, so that one defect breaks one rule.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from harness.core.event import Event
from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    BreakerTold,
    CallBegun,
    CallEnded,
    CallPermitted,
    CallRefused,
    Diagnosed,
    EscalationRaised,
    FailureClassified,
    FailureObserved,
    FailureRecorded,
    FellBack,
    RecoveryEnded,
    RetriesEnded,
    RetryScheduled,
    SystemSilent,
    WaitBegun,
)
from harness.core.task_events import TaskClaimed
from harness.runtime.order_rung import Rung
from harness.systems.circuit_breaker.contract import Outcome, State
from harness.systems.fallback.contract import (
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    ESCALATE,
    MODEL_LADDER,
    RECOVERY_CONFIDENCE_LIMIT,
    WORKFLOW_LADDER,
    Decision,
    Trigger,
)

_LADDERS = {"model": MODEL_LADDER, "workflow": WORKFLOW_LADDER}
_NEXT = {name: dict(pairwise(rungs)) for name, rungs in _LADDERS.items()}
_TOLERANCE_S = 1e-6  # times are told to the microsecond
Broken = Iterator[str]


class CallOrder:
    """Watches the calls of one session. ``elapsed_s`` is a time that nobody sets."""

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}  # by task, since its last success, as they were stated last
        self._escalated: set[str] = set()
        self._uncertain: set[str] = set()  # tasks whose failures nobody can know, because something was not told
        self._all_uncertain = False
        self._call, self._open = "", False
        self._begin("", {})
        self._takes: Mapping[type[Event], Callable[[Any, float], Broken]] = {
            CallBegun: self._begun,
            CallEnded: self._ended,
            CallPermitted: self._permission,
            CallRefused: self._refusal,
            WaitBegun: self._waiting,
            AttemptStarted: self._started,
            AttemptSucceeded: self._succeeded,
            FailureObserved: self._failed,
            BreakerTold: self._told,
            FailureClassified: self._classified,
            Diagnosed: self._diagnosed,
            RetryScheduled: self._scheduled,
            RetriesEnded: self._retries_over,
            FellBack: self._fell,
            EscalationRaised: self._raised,
            SystemSilent: self._silent,
            TaskClaimed: self._claimed,
        }

    def _begin(self, task: str, rungs: dict[str, str], *, calls_for_human: bool = False) -> None:
        self._lenient = False  # what follows cannot be understood
        self._task, self._rungs, self._calls_for_human = task, rungs, calls_for_human
        self._permitted: str | None = None  # the provider whose breaker has just let an attempt through
        self._running: str | None = None  # the provider an attempt is running at
        self._untold: tuple[str, str] | None = None  # the provider and the outcome no breaker was told of yet
        self._late = False  # that was told too late, so it may still come
        self._refused = False  # since the failures were stated last
        self._unstated = False  # a step was taken without a word, so the failures are known when they are stated next
        self._succeeded_last = False
        self._at_end = False
        self._rung = Rung()

    def take(self, event: Event, elapsed_s: float) -> Broken:
        """The rules that this event breaks."""
        kind = type(event)
        if kind in _OF_A_CALL and not self._lenient:
            if self._open and event.correlation_id != self._call:
                yield "INT-20"
            elif not self._open and kind in _ONLY_IN_A_CALL:
                self._lenient = True  # a call whose beginning was not told
                self._all_uncertain = self._all_uncertain or kind is not CallEnded
                yield "INT-20"
        take = self._takes.get(kind)
        if take is not None and (not self._lenient or kind in (CallBegun, CallEnded, SystemSilent, TaskClaimed)):
            yield from take(event, elapsed_s)

    def end(self) -> Broken:
        """The rules that are broken by an end here."""
        if self._untold is not None:
            yield "INT-05"
        if self._open:
            yield "INT-20"

    def _begun(self, event: CallBegun, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        if self._open:
            self._uncertain.add(self._task)
            yield "INT-20"
        if event.task in self._escalated:
            yield "INT-15"
        self._call, self._open = event.correlation_id, True
        rungs = {"model": event.model, "workflow": event.approach}
        self._begin(event.task, rungs, calls_for_human=_calls_for_human(event))

    def _ended(self, event: CallEnded, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        if not self._lenient:
            done = event.outcome == "done"
            if not self._open or done is not self._succeeded_last:
                yield "INT-20"
            elif not done and self._task not in self._escalated:
                yield "INT-15"
            elif self._open:
                yield from self._counted(event.consecutive_failures, 0 if done else self._count)
        self._open, self._lenient = False, False

    def _everything_told(self) -> Broken:
        if self._untold is not None:
            self._untold, self._late = None, True
            yield "INT-05"

    @property
    def _count(self) -> int:
        """The task's consecutive failures when the rung is left now."""
        return self._failures.get(self._task, 0) + (1 if self._rung.failed else 0)

    def _counted(self, stated: int, expected: int) -> Broken:
        """The session says how many there are; what it says is gone on with."""
        if stated != expected and not self._is_uncertain:
            yield "INT-08" if stated > expected and self._refused else "INT-14"
        self._failures[self._task] = stated
        self._refused = self._unstated = False

    @property
    def _is_uncertain(self) -> bool:
        return self._all_uncertain or self._unstated or self._task in self._uncertain

    def _waiting(self, event: WaitBegun, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        self._rung.waiting = True
        yield from self._counted(event.consecutive_failures, self._failures.get(self._task, 0))

    def _permission(self, event: CallPermitted, elapsed_s: float) -> Broken:
        yield from self._asked(elapsed_s)
        self._permitted = event.provider

    def _refusal(self, event: CallRefused, elapsed_s: float) -> Broken:
        yield from self._asked(elapsed_s)
        self._permitted = None
        self._refused = self._rung.refused = True
        if event.state == State.OPEN and event.wait_s is not None:
            self._rung.open_until_s = elapsed_s + event.wait_s

    def _asked(self, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        rung = self._rung
        if self._calls_for_human:
            self._calls_for_human = False
            yield "INT-22"
        if rung.is_finished:
            yield rung.what_is_missing
            self._rung, self._unstated = Rung(), True
            return
        if rung.due_s is not None and elapsed_s < rung.due_s - _TOLERANCE_S:
            yield "INT-10"
        if rung.open_until_s is not None and elapsed_s < rung.open_until_s - _TOLERANCE_S:
            yield "INT-16"
        rung.asked_again()

    def _started(self, event: AttemptStarted, elapsed_s: float) -> Broken:
        if not event.provider:  # a local tool: no model, no breaker
            return
        yield from self._everything_told()
        if self._permitted != event.provider:
            yield "INT-04"
        here = {"model": event.model, "workflow": event.approach}
        if self._at_end or self._task in self._escalated:
            yield "INT-15"
        elif here != self._rungs and not self._unstated:
            yield "INT-13"
        self._rungs = here
        self._permitted, self._running = None, event.provider
        self._rung.begin_attempt()
        self._late = self._succeeded_last = False

    def _succeeded(self, event: AttemptSucceeded, elapsed_s: float) -> Broken:
        if self._running is not None:
            self._untold = (self._running, Outcome.SUCCESS)
            self._running, self._succeeded_last = None, True
            self._rung.failed = False
        yield from ()

    def _failed(self, event: FailureObserved, elapsed_s: float) -> Broken:
        if self._running is not None:
            self._untold = (self._running, Outcome.FAILURE)
            self._running = None
            self._rung.fail()
        elif self._open:
            yield "INT-08" if self._rung.refused else "INT-20"

    def _told(self, event: BreakerTold, elapsed_s: float) -> Broken:
        if self._untold is None:
            if not self._late:
                yield "INT-08" if self._rung.refused else "INT-06"
            self._late = False
            return
        provider, outcome = self._untold
        self._untold = None
        if event.provider != provider:
            yield "INT-07"
        elif event.outcome != outcome:
            yield "INT-05"

    def _classified(self, event: FailureClassified, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        if not self._rung.failed or self._rung.refused:
            yield "INT-08" if self._rung.refused else "INT-09"
            return
        self._rung.rate_limited = event.rate_limited

    def _diagnosed(self, event: Diagnosed, elapsed_s: float) -> Broken:
        yield from self._everything_told()

    def _scheduled(self, event: RetryScheduled, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        yield from self._backed_off(event.retry)
        if not self._rung.refused:
            self._rung.scheduled = True
            self._rung.due_s = elapsed_s + event.delay_s

    def _retries_over(self, event: RetriesEnded, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        yield from self._backed_off(event.retry)
        self._rung.over = True

    def _backed_off(self, retry: int) -> Broken:
        rung = self._rung
        if rung.refused:
            yield "INT-08"
            return
        if not rung.rate_limited:
            yield "INT-09"
        elif retry != rung.retries + 1:
            yield "INT-11"
        rung.retries = retry

    def _fell(self, event: FellBack, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        if self._task in self._escalated:
            self._failures[self._task] = event.consecutive_failures
            yield "INT-15"
        else:
            yield from self._left()
            if event.before != self._rungs.get(event.ladder) or event.after != _NEXT[event.ladder].get(event.before):
                yield "INT-13"
            failures, certain = self._count, self._rung.failed and not self._is_uncertain
            yield from self._counted(event.consecutive_failures, failures)
            if failures >= CONSECUTIVE_FAILURES and certain:
                yield "INT-14"
        self._rungs[event.ladder] = event.after
        self._at_end = event.after == ESCALATE
        self._rung = Rung()

    def _left(self) -> Broken:
        """The rung is left: was it time?"""
        rung = self._rung
        if not rung.left_rightly:
            yield "INT-09" if rung.failed and rung.rate_limited is None else "INT-12"

    def _raised(self, event: EscalationRaised, elapsed_s: float) -> Broken:
        yield from self._everything_told()
        if event.task != self._task:
            yield "INT-20"
        if self._task not in self._escalated:
            if self._rung.failed:
                yield from self._left()
            yield from self._counted(event.consecutive_failures, self._count)
            named = Trigger.CONSECUTIVE_FAILURES.value in event.triggers
            if named is not (event.consecutive_failures >= CONSECUTIVE_FAILURES):
                yield "INT-14"
            elif not (event.triggers or self._at_end):
                yield "INT-13"
        self._failures[self._task] = event.consecutive_failures
        self._escalated.add(self._task)
        self._calls_for_human = False
        self._rung = Rung()

    def _claimed(self, event: TaskClaimed, elapsed_s: float) -> Broken:
        """A task that can be claimed is no human's any more; see order_tasks.py."""
        self._escalated.discard(event.task)
        self._failures.pop(event.task, None)
        yield from ()

    def _silent(self, event: SystemSilent, elapsed_s: float) -> Broken:
        self._lenient = True
        self._uncertain.add(self._task)
        self._untold = None
        yield "INT-21"


_OF_A_CALL = (
    CallEnded,
    CallPermitted,
    CallRefused,
    AttemptStarted,
    AttemptSucceeded,
    FailureObserved,
    FailureRecorded,
    BreakerTold,
    FailureClassified,
    Diagnosed,
    RecoveryEnded,
    RetryScheduled,
    RetriesEnded,
    FellBack,
    EscalationRaised,
    WaitBegun,
)
_ONLY_IN_A_CALL = (CallEnded, CallPermitted, CallRefused, WaitBegun, RetryScheduled, RetriesEnded, FellBack)


def _calls_for_human(task: CallBegun) -> bool:
    limit = RECOVERY_CONFIDENCE_LIMIT if task.decision == Decision.RECOVERY_STRATEGY else CONFIDENCE_LIMIT
    unsure = task.confidence is not None and task.confidence < limit
    return unsure or task.security_critical or (task.irreversible and not task.rollback)
