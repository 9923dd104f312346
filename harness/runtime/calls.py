"""One call to a model: through its provider's breaker, with back-off, down the ladders, or up to a human.

The ladders say where a failure is recovered from, at which model and with which approach; the diagnosis says how.
"""

from collections.abc import Mapping

import msgspec

from harness.core.events import CallBegun, CallEnded, FailureObserved, FellBack
from harness.runtime.moment import Moment, Work
from harness.runtime.ports import Systems
from harness.runtime.recovery import Recovery
from harness.runtime.trial import DONE, ESCALATED, MOST_STEPS, Steps, Trial, has_status
from harness.runtime.witness import ASKED
from harness.systems.circuit_breaker.contract import AcquireArguments, AcquireResult, Outcome, RecordArguments
from harness.systems.fallback.contract import ESCALATE, Decision, EscalationArguments, Ladder, NextArguments

ASK_AGAIN_S = 10.0  # LK-CB-17: what a refused call waits when the breaker does not say how long it stays OPEN
LEAST_WAIT_S = 1.0  # whatever a breaker says, so that none is asked without end at one time
_OF_THE_WORK = ("exit",)  # without an HTTP status: the provider answered, and the work was not done


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done, and what is known of it when a human may have to be called.

    ``command`` runs it, with ``{model}``, ``{approach}``, ``{provider}`` and ``{strategy}`` in its words; the last is
    the recovery that is tried, empty when none is. One that is not ``urgent`` waits for an OPEN breaker instead of
    falling back. ``model`` and ``approach`` are the rungs to begin at.
    """

    id: str
    tool: str
    command: tuple[str, ...]
    goal: str = ""
    env: Mapping[str, str] = {}
    timeout_s: float = 600.0
    urgent: bool = True
    model: str = "opus"
    approach: str = "complex"
    confidence: float | None = None
    decision: Decision = Decision.GENERAL
    security_critical: bool = False
    irreversible: bool = False
    rollback: bool | None = None


class Call(Trial):
    """A call of ``task``."""

    def __init__(
        self,
        name: str,
        task: Task,
        systems: Systems,
        providers: Mapping[str, str],
        moment: Moment,
        recovery: type[Recovery],
    ) -> None:
        args = {"command": " ".join(task.command)}
        work = Work(task.id, task.tool, args, task.goal or task.id, task.command, task.env, task.timeout_s)
        super().__init__(name, work, systems, moment, recovery)
        self._task = task
        self._providers = providers
        self._rungs = {Ladder.MODEL: task.model, Ladder.WORKFLOW: task.approach}
        self._way = Ladder.MODEL  # which ladder the last failure leads down
        self._failed = False  # on this rung, so that leaving it is a failure of the task

    def steps(self) -> Steps[str]:
        """Runs it; DONE or ESCALATED."""
        task = self._task
        self._note(
            CallBegun,
            task=task.id,
            tool=task.tool,
            model=task.model,
            approach=task.approach,
            decision=task.decision.value,
            confidence=task.confidence,
            security_critical=task.security_critical,
            irreversible=task.irreversible,
            rollback=task.rollback,
        )
        outcome = yield from self._outcome()
        self._note(CallEnded, outcome=outcome, consecutive_failures=self._consecutive)
        return outcome

    def _outcome(self) -> Steps[str]:
        if self._escalates():
            return ESCALATED
        while True:
            if (yield from self._admitted()):
                failure = yield from self._attempt()
                if failure is None:
                    return DONE
                delay_s = self._delay_after(failure)
                if delay_s is not None:
                    yield self._pause("back_off", delay_s)
                    continue
            if not self._steps_down():
                return ESCALATED

    def _admitted(self) -> Steps[bool]:
        """Whether the next attempt may run here, once that is known; false when it goes elsewhere."""
        while True:
            answer = self._ask()
            if answer.permitted:
                return True
            if self._task.urgent and self._next(Ladder.MODEL) != ESCALATE:
                self._way = Ladder.MODEL
                return False
            yield self._pause("cooldown", max(answer.wait_s or ASK_AGAIN_S, LEAST_WAIT_S))

    def _ask(self) -> AcquireResult:
        arguments = AcquireArguments(self._provider, f"{self._name}/{self._attempts + 1}", self._task.urgent)
        return self._systems.breaker.acquire(arguments, self._now_s)

    def _where(self) -> dict[str, str]:
        model, approach = self._rungs[Ladder.MODEL], self._rungs[Ladder.WORKFLOW]
        return {"provider": self._provider, "model": model, "approach": approach}

    def _succeed(self) -> None:
        super()._succeed()
        self._moment.tally.failures[self._task.id] = 0

    def _take(self, failure: FailureObserved) -> None:
        self._failed = True
        super()._take(failure)

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        arguments = RecordArguments(self._provider, self._attempt_name, outcome, error)
        self._systems.breaker.record(arguments, self._now_s)

    def _is_rate_limit(self, failure: FailureObserved) -> bool:
        limited = super()._is_rate_limit(failure)
        of_the_work = failure.kind in _OF_THE_WORK and not has_status(failure.message) and not limited
        self._way = Ladder.WORKFLOW if of_the_work else Ladder.MODEL
        return limited

    def _steps_down(self) -> bool:
        """Leaves this rung for the next; false when a human has the task instead."""
        self._recovery.leave(self._attempts)
        if self._failed:
            self._moment.tally.failures[self._task.id] = self._consecutive + 1
        if (self._failed or self._recovery.asks_user) and self._escalates():
            return False
        self._steps += 1
        before, after = self._rungs[self._way], self._next(self._way) if self._steps < MOST_STEPS else ESCALATE
        self._note(FellBack, ladder=self._way.value, before=before, after=after, consecutive_failures=self._consecutive)
        if after == ESCALATE:
            self._raise(())
            return False
        self._rungs[self._way] = after
        self._retries, self._failed = 0, False
        self._recovery.begin()
        return True

    def _escalates(self) -> bool:
        """Is a human called now? The ladder and the diagnosis are asked; each may demand it."""
        task = self._task
        arguments = EscalationArguments(
            confidence=task.confidence,
            decision=task.decision,
            consecutive_failures=self._consecutive,
            security_critical=task.security_critical,
            irreversible=task.irreversible,
            rollback=task.rollback,
        )
        answer = self._systems.ladder.escalation(arguments, self._now_s)
        demanded = tuple(trigger.value for trigger in answer.triggers) if answer.escalate else ()
        triggers = (*demanded, ASKED) if self._recovery.asks_user else demanded
        if answer.escalate or triggers:
            self._raise(triggers)
            return True
        return False

    def _next(self, ladder: Ladder) -> str:
        return self._systems.ladder.next(NextArguments(ladder, self._rungs[ladder]), self._now_s).next

    @property
    def _provider(self) -> str:
        model = self._rungs[Ladder.MODEL]
        return self._providers.get(model, model)  # a ladder may name models that nobody calls anywhere
