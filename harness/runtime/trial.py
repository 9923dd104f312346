"""What a call to a model and the use of a local tool have in common: attempts, their failures, back-off, recoveries.

What has to be waited for is yielded: the same steps run against real time and processes, and in a simulation that
interleaves many sessions. How the mechanisms meet, where documents are silent: ``order.py`` says it, and checks it.
"""

import re
from collections.abc import Generator, Mapping
from typing import NamedTuple, TypeVar

from harness.core.events import AttemptStarted, AttemptSucceeded, EscalationRaised, FailureObserved, WaitBegun
from harness.ports.launcher import Ended
from harness.runtime.moment import Moment, Work
from harness.runtime.ports import Systems
from harness.runtime.recovery import Recovery
from harness.runtime.witness import Note
from harness.systems.circuit_breaker.contract import Outcome
from harness.systems.rate_limit.contract import ClassifyArguments, DelayArguments

MOST_ATTEMPTS = 100  # of one call; two ladders of three rungs with five retries each have fewer
MOST_STEPS = 10  # so do their rungs; a ladder that goes in circles ends here
DONE = "done"
ESCALATED = "escalated"
_HTTP_STATUS = re.compile(r"\bHTTP(?:/[\d.]+)?[ :]+(\d{3})\b", re.IGNORECASE)


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


class Trial:
    """Attempts at some work, until it is done or a human has it."""

    def __init__(self, name: str, work: Work, systems: Systems, moment: Moment, recovery: type[Recovery]) -> None:
        self._name = name
        self._work = work
        self._systems = systems
        self._moment = moment
        self._recovery = recovery(systems.diagnostician, moment)
        self._attempts = 0
        self._steps = 0
        self._retries = 0  # of what is tried now

    def _attempt(self) -> Steps[FailureObserved | None]:
        """The failure, once it is taken in; None when there was none."""
        self._attempts += 1
        where = self._where()
        strategy = self._recovery.trying
        self._note(AttemptStarted, tool=self._work.tool, attempt=self._attempts, strategy=strategy, **where)
        names = {f"{{{name}}}": value for name, value in where.items()} | {"{strategy}": strategy}
        argv = tuple(_filled(word, names) for word in self._work.command)
        ended = yield Run(argv, self._work.env, self._work.timeout_s)
        assert ended is not None  # noqa: S101 - whoever drives the steps sends the end of what was run
        done = ended.kind == "exit" and ended.code == 0
        self._moment.history.add(self._work.tool, self._work.args, ended.output, success=done)
        if done:
            self._succeed()
            return None
        failure = self._moment.observed(self._work.tool, ended)
        self._take(failure)
        self._ended = ended
        return failure

    def _where(self) -> dict[str, str]:
        """Where an attempt is made now, as its event tells it."""
        return {}

    def _succeed(self) -> None:
        self._note(AttemptSucceeded, tool=self._work.tool)
        self._tell(Outcome.SUCCESS, None)
        self._recovery.succeeded(self._attempts)

    def _take(self, failure: FailureObserved) -> None:
        """It is recorded first, then told to whoever counts failures."""
        self._record(failure)
        self._tell(Outcome.FAILURE, failure.message)

    def _record(self, failure: FailureObserved) -> None:
        self._moment.record(self._attempt_name, failure)

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        """How the attempt ended is told to its breaker, where there is one."""

    def _delay_after(self, failure: FailureObserved) -> float | None:
        """How long to back off before the same is tried again; None when it is not.

        Whatever back-off says, the failure is diagnosed before anything is tried.
        """
        limited = self._is_rate_limit(failure)
        self._diagnose()
        return self._delay() if limited else None

    def _is_rate_limit(self, failure: FailureObserved) -> bool:
        arguments = ClassifyArguments(http_status(failure.message), failure.message)
        return self._systems.backoff.classify(arguments, self._now_s).rate_limited

    def _diagnose(self) -> None:
        self._recovery.diagnose(self._attempt_name, self._work, self._ended, self._attempts)

    def _delay(self) -> float | None:
        answer = self._systems.backoff.next_delay(DelayArguments(self._retries + 1), self._now_s)
        if not answer.retry or self._attempts >= MOST_ATTEMPTS:
            return None
        self._retries += 1
        return max(answer.delay_s or 0.0, 0.0)

    def _pause(self, cause: str, for_s: float) -> Pause:
        self._note(WaitBegun, cause=cause, wait_s=for_s, consecutive_failures=self._consecutive)
        return Pause(for_s)

    def _raise(self, triggers: tuple[str, ...]) -> None:
        task = self._work.task
        self._moment.tally.with_human.add(task)
        self._note(EscalationRaised, task=task, triggers=triggers, consecutive_failures=self._consecutive)
        self._recovery.report()

    @property
    def _consecutive(self) -> int:
        return self._moment.tally.failures.get(self._work.task, 0)

    @property
    def _attempt_name(self) -> str:
        return f"{self._name}/{self._attempts}"

    @property
    def _now_s(self) -> float:
        return self._moment.clock.now_s()

    @property
    def _note(self) -> Note:
        return self._moment.note


def has_status(message: str) -> bool:
    """Did a server answer with an HTTP status?"""
    return http_status(message) is not None


def http_status(message: str) -> int | None:
    """The HTTP status that a server answered with, None when there is none."""
    found = _HTTP_STATUS.search(message)
    return None if found is None else int(found[1])


def _filled(word: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        word = word.replace(name, value)
    return word
