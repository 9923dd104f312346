"""The order rules of the error log and of recoveries, INT-23..31; see order.py. Pure.

A session does one thing at a time, so its events are watched one after the other, whatever their ids. After a rule is
broken the watcher goes on from what it saw, so that one defect breaks one rule.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.core.event import Event
from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    CallBegun,
    CallEnded,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureObserved,
    FailureRecorded,
    FellBack,
    NonBlockingFailed,
    RecoveryEnded,
    RetryScheduled,
    SystemSilent,
    UseBegun,
    UseEnded,
)
from harness.core.recent import Recent
from harness.core.task_events import TaskClaimed
from harness.runtime.witness import ASKED
from harness.systems.diagnosis.contract import FLAG_DEFAULTS, Flag, Reflection

ESCALATED = "escalated"
RECOVERIES = int(FLAG_DEFAULTS[Flag.MAX_RECOVERY_ATTEMPTS])
Broken = Iterator[str]


class Trail:
    """A call or a use, from its beginning to its end."""

    def __init__(self) -> None:
        self.lenient = False  # what follows cannot be understood
        self.over = False  # done, or a human has it
        self.running: AttemptStarted | None = None
        self.failed: AttemptStarted | None = None  # the last attempt, when it failed
        self.undiagnosed = False
        self.scheduled = False  # back-off lets the same be tried again
        self.left = False  # the rung of the last attempt
        self.untold: bool | None = None  # how a recovery ended that the diagnosis was not told of
        self.is_recovering = False
        self.recoveries = 0  # that have failed
        self.recommended = ""
        self.asked = False  # the last answer of the diagnosis is to ask the user


class RecoveryOrder:
    """Watches one session; ``record_ids`` are those of all sessions that write one log."""

    def __init__(self, record_ids: Recent | None = None) -> None:
        self._record_ids = Recent() if record_ids is None else record_ids
        self._trail = Trail()
        self._is_use = False
        self._with_human: set[str] = set()
        self._is_due = False  # the record of an attempt's failure
        self._beside: dict[str, bool] = {}  # what failed beside the work, and whether it is recorded
        self._beside_id = ""  # the correlation id of the last
        self._is_reported = False
        self._takes: Mapping[type[Event], Callable[[Any], Broken]] = {
            CallBegun: self._begun,
            UseBegun: self._begun,
            CallEnded: self._ended,
            UseEnded: self._ended,
            AttemptStarted: self._started,
            AttemptSucceeded: self._succeeded,
            FailureObserved: self._failed,
            FailureRecorded: self._recorded,
            Diagnosed: self._diagnosed,
            RetryScheduled: self._scheduled,
            FellBack: self._fell,
            RecoveryEnded: self._told,
            EscalationRaised: self._raised,
            NonBlockingFailed: self._failed_beside,
            ErrorsReported: self._reported,
            SystemSilent: self._silent,
            TaskClaimed: self._claimed,
        }

    def take(self, event: Event) -> Broken:
        """The rules that this event breaks."""
        kind = type(event)
        if self._is_reported and kind in _OF_THE_WORK and self._beside:
            self._is_reported = False
            yield "INT-27"
        take = self._takes.get(kind)
        if take is not None:
            yield from take(event)

    def end(self) -> Broken:
        """The rules that are broken by an end here."""
        yield from self._nothing_open()
        if self._beside and not self._is_reported:
            yield "INT-27"

    # -- the log

    def _recorded(self, event: FailureRecorded) -> Broken:
        if event.name in self._beside:
            if self._beside[event.name] or not self._is_new(event.record_id):
                yield "INT-23"
            elif self._is_reported:
                yield "INT-30"
            self._beside[event.name] = True
        elif not self._is_due or not self._is_new(event.record_id):
            yield "INT-23"
        self._is_due = False
        self._record_ids.add(event.record_id)

    def _is_new(self, record_id: str) -> bool:
        return record_id != "" and record_id not in self._record_ids

    def _failed_beside(self, event: NonBlockingFailed) -> Broken:
        self._beside[event.name] = False
        self._beside_id = event.correlation_id
        self._is_reported = False
        yield from ()

    def _reported(self, event: ErrorsReported) -> Broken:
        yield from self._nothing_open()
        if not set(self._beside) <= set(event.names):
            yield "INT-27"
        elif not all(self._beside.values()):
            yield "INT-30"
        self._is_reported = True

    # -- calls and uses

    def _begun(self, event: CallBegun | UseBegun) -> Broken:
        yield from self._nothing_open()
        if isinstance(event, UseBegun) and event.task in self._with_human:
            yield "INT-15"
        self._trail, self._is_use = Trail(), isinstance(event, UseBegun)

    def _ended(self, event: CallEnded | UseEnded) -> Broken:
        trail = self._trail
        gives_up = isinstance(event, UseEnded) and trail.failed is not None and event.outcome != ESCALATED
        judged = not trail.lenient and not trail.over
        yield from self._nothing_open()
        if judged and gives_up:
            yield "INT-25"
        self._is_use = False

    def _nothing_open(self) -> Broken:
        if not self._trail.lenient and not self._trail.over:
            yield from self._followed_up()
        self._trail = Trail()

    def _followed_up(self) -> Broken:
        """What was due after an attempt ended, when something else is done."""
        trail = self._trail
        if trail.undiagnosed:
            trail.lenient = True
            yield "INT-24"
        elif trail.untold is True:
            trail.lenient = True
            yield "INT-31"

    def _started(self, event: AttemptStarted) -> Broken:
        trail = self._trail
        if not trail.lenient:
            if trail.over:
                if self._is_use:
                    yield "INT-15"
                trail.lenient = True
            else:
                yield from self._followed_up()
        if not trail.lenient:
            yield from self._tries(event)
        trail.running, trail.failed = event, None
        trail.scheduled = trail.left = False

    def _tries(self, event: AttemptStarted) -> Broken:
        """Is it the recovery that was recommended, or the same again because back-off lets it?"""
        trail, last = self._trail, self._trail.failed
        if last is None:
            if event.strategy:
                yield "INT-28"
            return
        same_rung = (last.model, last.approach) == (event.model, event.approach)
        # that a call to a model tries the same without being let is another rule's matter
        if (trail.scheduled or not self._is_use) and same_rung and not trail.left:
            trail.asked = False  # who asks the user waits until back-off has done
            if event.strategy != last.strategy:
                yield "INT-28"
            return
        if trail.untold is not None:
            trail.lenient = True
            yield "INT-31"
        elif trail.asked or trail.recoveries >= RECOVERIES:
            trail.lenient = True
            yield "INT-25"
        elif event.strategy != trail.recommended:
            trail.lenient = True
            yield "INT-28"
        trail.is_recovering = trail.is_recovering or bool(trail.recommended)

    def _succeeded(self, event: AttemptSucceeded) -> Broken:
        trail = self._trail
        if trail.running is not None:
            trail.untold = True if trail.is_recovering else None
            trail.running, trail.failed = None, None
        yield from ()

    def _failed(self, event: FailureObserved) -> Broken:
        self._is_due = True
        trail = self._trail
        if trail.running is not None:
            trail.running, trail.failed = None, trail.running
            trail.undiagnosed = True
            trail.untold = False if trail.is_recovering else None
        yield from ()

    def _diagnosed(self, event: Diagnosed) -> Broken:
        trail = self._trail
        if trail.lenient:
            return
        if not trail.undiagnosed:
            yield "INT-29"
            return
        if event.reflection == Reflection.NONE:
            trail.lenient = True
            yield "INT-24"
            return
        trail.undiagnosed = False
        trail.asked = event.asks_user
        if not trail.is_recovering:
            trail.recommended = event.strategy

    def _scheduled(self, event: RetryScheduled) -> Broken:
        self._trail.scheduled = True
        yield from ()

    def _fell(self, event: FellBack) -> Broken:
        trail = self._trail
        if trail.lenient or trail.over:
            return
        yield from self._left()
        yield from self._unasked()
        trail.left = True

    def _unasked(self) -> Broken:
        """Something else is done: did the diagnosis ask the user?"""
        trail = self._trail
        if trail.asked and not trail.lenient:
            trail.lenient = True
            yield "INT-25"

    def _left(self) -> Broken:
        """What was tried last is left behind."""
        if self._trail.lenient:
            return
        yield from self._followed_up()
        yield from self._untold()

    def _untold(self) -> Broken:
        trail = self._trail
        if trail.untold is not None and not trail.lenient:
            trail.lenient = True
            yield "INT-31"

    def _told(self, event: RecoveryEnded) -> Broken:
        trail = self._trail
        if trail.lenient:
            return
        if trail.untold is None or event.succeeded is not trail.untold:
            trail.lenient = True
            yield "INT-31"
            return
        trail.untold = None
        if event.strategy != trail.recommended:
            yield "INT-28"
        if event.succeeded:
            trail.is_recovering = False
            return
        trail.recoveries += 1
        trail.recommended = event.next_strategy
        trail.asked = trail.asked or event.asks_user

    def _raised(self, event: EscalationRaised) -> Broken:
        self._with_human.add(event.task)
        if event.correlation_id == self._beside_id:
            yield "INT-26"
        elif not self._trail.over:
            if self._trail.failed is not None:
                yield from self._left()
            yield from self._asked(ASKED in event.triggers)
        self._trail.over = True

    def _asked(self, named: bool) -> Broken:
        """A human is called, ``named`` by the diagnosis: when it asks, and only then."""
        trail = self._trail
        if trail.lenient:
            return
        asks = trail.asked or trail.recoveries >= RECOVERIES
        may_ask = asks or (trail.failed is not None and not trail.recommended)
        if (asks and not named) or (named and not may_ask):
            yield "INT-25"

    def _claimed(self, event: TaskClaimed) -> Broken:
        self._with_human.discard(event.task)  # nor would it be claimed
        yield from ()

    def _silent(self, event: SystemSilent) -> Broken:
        self._trail.lenient = True
        if event.system == "error_log":
            self._is_due = False
        yield from ()


_OF_THE_WORK = (CallBegun, UseBegun, NonBlockingFailed)
