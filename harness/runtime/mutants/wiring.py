"""Mutants of sessions: with what their calls and stops are joined."""

from typing import Any

import msgspec

from harness.core.events import FailureObserved
from harness.runtime.calls import Task
from harness.runtime.mutants.table import mutant
from harness.runtime.ports import Breaker, Ladder, Outside, Place, Systems, UnansweredError
from harness.runtime.session import Session
from harness.runtime.trial import Steps
from harness.systems.circuit_breaker.contract import AcquireArguments, AcquireResult, RecordArguments, RecordResult
from harness.systems.fallback.contract import ESCALATE, EscalationArguments, EscalationResult, NextArguments, NextResult
from harness.systems.stop_gate.contract import CheckResult

DEAF_EVERY = 7  # of so many questions one goes unanswered
COOLDOWN_S = 300.0
WINDOW_S = 61.0


class _Redirected:
    """Asks or tells a breaker that nobody means."""

    def __init__(self, breaker: Breaker, *, asking: bool) -> None:
        self._breaker = breaker
        self._asking = asking

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        name = f"{arguments.name}/other" if self._asking else arguments.name
        return self._breaker.acquire(msgspec.structs.replace(arguments, name=name), now_s)

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        name = arguments.name if self._asking else f"{arguments.name}/other"
        return self._breaker.record(msgspec.structs.replace(arguments, name=name), now_s)


class _Misdated:
    """Asks and tells with another time than the clock's; what is told runs further ahead each time."""

    def __init__(self, breaker: Breaker, *, asked_ahead_s: float = 0.0, told_ahead_s: float = 0.0) -> None:
        self._breaker = breaker
        self._asked_ahead_s = asked_ahead_s
        self._told_ahead_s = told_ahead_s
        self._told = 0

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        return self._breaker.acquire(arguments, now_s + self._asked_ahead_s)

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        self._told += 1
        return self._breaker.record(arguments, now_s + self._told * self._told_ahead_s)


class _Silent:
    """A breaker that does not answer now and then."""

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker
        self._asked = 0

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        self._asked += 1
        if self._asked % DEAF_EVERY == 0:
            raise UnansweredError("no answer within 10 s")
        return self._breaker.acquire(arguments, now_s)

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        return self._breaker.record(arguments, now_s)


class _Skipping:
    """A ladder without every second rung."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder

    def next(self, arguments: NextArguments, now_s: float) -> NextResult:
        found = self._ladder.next(arguments, now_s)
        if found.next == ESCALATE:
            return found
        return self._ladder.next(msgspec.structs.replace(arguments, current=found.next), now_s)

    def escalation(self, arguments: EscalationArguments, now_s: float) -> EscalationResult:
        return self._ladder.escalation(arguments, now_s)


class _Uninformed:
    """A ladder that is asked with other facts."""

    def __init__(self, ladder: Ladder, **facts: object) -> None:
        self._ladder = ladder
        self._facts = facts

    def next(self, arguments: NextArguments, now_s: float) -> NextResult:
        return self._ladder.next(arguments, now_s)

    def escalation(self, arguments: EscalationArguments, now_s: float) -> EscalationResult:
        return self._ladder.escalation(msgspec.structs.replace(arguments, **self._facts), now_s)


@mutant("INT-01")
class Unrecorded(Session):
    """A failure is not recorded."""

    def _record(self, name: str, failure: FailureObserved) -> None:
        return


@mutant("INT-03")
class RepeatForgotten(Session):
    """Asks to stop as if for the first time."""

    def request_stop(self) -> CheckResult:
        """See Session.request_stop."""
        self._blocked = False
        return super().request_stop()


@mutant("INT-04")
class AnotherAsked(Session):
    """The breaker of another provider is asked."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(breaker=_Redirected(systems.breaker, asking=True))


@mutant("INT-07")
class AnotherTold(Session):
    """The breaker of another provider is told."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(breaker=_Redirected(systems.breaker, asking=False))


@mutant("INT-13")
class RungSkipped(Session):
    """Every second rung is left out."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(ladder=_Skipping(systems.ladder))


@mutant("INT-14")
class EscalationSwallowed(Session):
    """Three failures call nobody."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(ladder=_Uninformed(systems.ladder, consecutive_failures=0))


@mutant("INT-15")
class TriedAgain(Session):
    """A task that a human has is called again."""

    def steps(self, task: Task) -> Steps[str]:
        """See Session.steps."""
        self._moment.tally.with_human.clear()
        return super().steps(task)


@mutant("INT-17")
class ToldAhead(Session):
    """Each result is told with a time that runs ahead of the clock."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(breaker=_Misdated(systems.breaker, told_ahead_s=WINDOW_S))


@mutant("INT-19")
class AskedAhead(Session):
    """Breakers are asked with a time that is ahead of the clock."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(breaker=_Misdated(systems.breaker, asked_ahead_s=COOLDOWN_S))


@mutant("INT-22")
class FactsUntold(Session):
    """What is known of a task is not told to whoever decides about humans."""

    def _wired(self, systems: Systems) -> Systems:
        return systems._replace(
            ladder=_Uninformed(systems.ladder, confidence=None, security_critical=False, irreversible=False)
        )


@mutant("INT-21")
class Unreached(Session):
    """A breaker does not always answer."""

    def __init__(self, session_id: str, place: Place, outside: Outside, systems: Systems, **rest: Any) -> None:
        silent = systems._replace(breaker=_Silent(systems.breaker))
        super().__init__(session_id, place, outside, silent, **rest)
