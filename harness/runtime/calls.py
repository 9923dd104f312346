"""One call to a model: through its provider's breaker, with back-off, down the ladders, or up to a human.

What has to be waited for is yielded: the same steps run against real time and processes, and in a simulation that
interleaves many sessions. How the mechanisms meet, where documents are silent: ``order.py`` says it, and checks it.
"""

import re
from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    CallBegun,
    CallEnded,
    EscalationRaised,
    FailureObserved,
    FellBack,
    WaitBegun,
)
from harness.ports.clock import Clock
from harness.ports.launcher import Ended
from harness.runtime.ports import Systems
from harness.runtime.witness import Note
from harness.systems.circuit_breaker.contract import AcquireArguments, AcquireResult, Outcome, RecordArguments
from harness.systems.fallback.contract import (
    ESCALATE,
    Decision,
    EscalationArguments,
    Ladder,
    NextArguments,
)
from harness.systems.rate_limit.contract import ClassifyArguments, DelayArguments

ASK_AGAIN_S = 10.0  # LK-CB-17: what a refused call waits when the breaker does not say how long it stays OPEN
LEAST_WAIT_S = 1.0  # whatever a breaker says, so that none is asked without end at one time
MOST_ATTEMPTS = 100  # of one call; two ladders of three rungs with five retries each have fewer
MOST_STEPS = 10  # so do their rungs; a ladder that goes in circles ends here
DONE = "done"
ESCALATED = "escalated"
_HTTP_STATUS = re.compile(r"\bHTTP(?:/[\d.]+)?[ :]+(\d{3})\b", re.IGNORECASE)
_OF_THE_WORK = ("exit",)  # without an HTTP status: the provider answered, and the work was not done


class Pause(NamedTuple):
    """Nothing happens for so many seconds."""

    for_s: float


class Run(NamedTuple):
    """A command is run; its end is sent back."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    timeout_s: float


T = TypeVar("T")
Steps = Generator[Pause | Run, Ended | None, T]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done, and what is known of it when a human may have to be called.

    ``command`` runs it, with ``{model}``, ``{approach}`` and ``{provider}`` in its words. One that is not ``urgent``
    waits for an OPEN breaker instead of falling back. ``model`` and ``approach`` are the rungs to begin at.
    """

    id: str
    tool: str
    command: tuple[str, ...]
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


class Tally:
    """What a session remembers of its tasks: failures since the last success, and which a human has."""

    def __init__(self) -> None:
        self.failures: dict[str, int] = {}
        self.with_human: set[str] = set()


class Moment(NamedTuple):
    """What a call needs of its session: the time, the stream of events, and the record of failures."""

    clock: Clock
    note: Note
    record: Callable[[FailureObserved], None]
    observed: Callable[[str, Ended], FailureObserved]


class Call:
    """A call of ``task``."""

    def __init__(
        self,
        name: str,
        task: Task,
        systems: Systems,
        providers: Mapping[str, str],
        moment: Moment,
        tally: Tally,
    ) -> None:
        self._name = name
        self._task = task
        self._systems = systems
        self._providers = providers
        self._moment = moment
        self._tally = tally
        self._rungs = {Ladder.MODEL: task.model, Ladder.WORKFLOW: task.approach}
        self._way = Ladder.MODEL  # which ladder the last failure leads down
        self._attempts = 0
        self._steps = 0
        self._retries = 0  # of the rung
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

    def _pause(self, cause: str, for_s: float) -> Pause:
        self._note(WaitBegun, cause=cause, wait_s=for_s, consecutive_failures=self._consecutive)
        return Pause(for_s)

    def _ask(self) -> AcquireResult:
        arguments = AcquireArguments(self._provider, f"{self._name}/{self._attempts + 1}", self._task.urgent)
        return self._systems.breaker.acquire(arguments, self._now_s)

    def _attempt(self) -> Steps[FailureObserved | None]:
        """The failure, recorded first, then told to the breaker; None when there was none."""
        self._attempts += 1
        model, approach = self._rungs[Ladder.MODEL], self._rungs[Ladder.WORKFLOW]
        self._note(
            AttemptStarted,
            tool=self._task.tool,
            attempt=self._attempts,
            provider=self._provider,
            model=model,
            approach=approach,
        )
        names = {"{model}": model, "{approach}": approach, "{provider}": self._provider}
        argv = tuple(_filled(word, names) for word in self._task.command)
        ended = yield Run(argv, self._task.env, self._task.timeout_s)
        assert ended is not None  # noqa: S101 - whoever drives the steps sends the end of what was run
        if ended.kind == "exit" and ended.code == 0:
            self._note(AttemptSucceeded, tool=self._task.tool)
            self._tell(Outcome.SUCCESS, None)
            self._tally.failures[self._task.id] = 0
            return None
        failure = self._moment.observed(self._task.tool, ended)
        self._take(failure)
        return failure

    def _take(self, failure: FailureObserved) -> None:
        self._failed = True
        self._moment.record(failure)
        self._tell(Outcome.FAILURE, failure.message)

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        arguments = RecordArguments(self._provider, f"{self._name}/{self._attempts}", outcome, error)
        self._systems.breaker.record(arguments, self._now_s)

    def _delay_after(self, failure: FailureObserved) -> float | None:
        """How long to back off before the same rung is tried again; None when it is not."""
        found = _HTTP_STATUS.search(failure.message)
        status = None if found is None else int(found[1])
        classified = self._systems.backoff.classify(ClassifyArguments(status, failure.message), self._now_s)
        of_the_work = failure.kind in _OF_THE_WORK and status is None and not classified.rate_limited
        self._way = Ladder.WORKFLOW if of_the_work else Ladder.MODEL
        if not classified.rate_limited:
            return None
        answer = self._systems.backoff.next_delay(DelayArguments(self._retries + 1), self._now_s)
        if not answer.retry or self._attempts >= MOST_ATTEMPTS:
            return None
        self._retries += 1
        return max(answer.delay_s or 0.0, 0.0)

    def _steps_down(self) -> bool:
        """Leaves this rung for the next; false when a human has the task instead."""
        if self._failed:
            self._tally.failures[self._task.id] = self._consecutive + 1
            if self._escalates():
                return False
        self._steps += 1
        before, after = self._rungs[self._way], self._next(self._way) if self._steps < MOST_STEPS else ESCALATE
        self._note(FellBack, ladder=self._way.value, before=before, after=after, consecutive_failures=self._consecutive)
        if after == ESCALATE:
            self._raise(())
            return False
        self._rungs[self._way] = after
        self._retries, self._failed = 0, False
        return True

    def _escalates(self) -> bool:
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
        if answer.escalate:
            self._raise(tuple(trigger.value for trigger in answer.triggers))
        return answer.escalate

    def _raise(self, triggers: tuple[str, ...]) -> None:
        self._tally.with_human.add(self._task.id)
        self._note(EscalationRaised, task=self._task.id, triggers=triggers, consecutive_failures=self._consecutive)

    def _next(self, ladder: Ladder) -> str:
        return self._systems.ladder.next(NextArguments(ladder, self._rungs[ladder]), self._now_s).next

    @property
    def _consecutive(self) -> int:
        return self._tally.failures.get(self._task.id, 0)

    @property
    def _provider(self) -> str:
        model = self._rungs[Ladder.MODEL]
        return self._providers.get(model, model)  # a ladder may name models that nobody calls anywhere

    @property
    def _now_s(self) -> float:
        return self._moment.clock.now_s()

    @property
    def _note(self) -> Note:
        return self._moment.note


def _filled(word: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        word = word.replace(name, value)
    return word
