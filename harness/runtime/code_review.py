"""How what was done is reviewed: static analysis, then three reviewers, and after each fix everything again.

The gate's task begins when its work is verified: what comes before may fail, and be tried again, and is no task that is
done. One that was reviewed before and is done once more is another task of the gate.
"""

from collections.abc import Callable

from harness.runtime.crew import Crew
from harness.runtime.ports import ReviewGate
from harness.runtime.trial import DONE, Pause, Steps
from harness.runtime.worker import Desk
from harness.systems.review_gate.contract import (
    MODEL,
    REVIEWERS,
    TIME_LIMIT_S,
    AnalysedArguments,
    BeginTaskArguments,
    Decision,
    FixedArguments,
    Issue,
    OpenArguments,
    ReportArguments,
    ReviewResult,
    Severity,
    StatusArguments,
)

MOST_ROUNDS = 3
MOST_NAMES = 20  # of one task that is reviewed again and again
FIXER = "sonnet"
UNANALYSED = (Issue(Severity.HIGH.value, "static analysis could not be run"),)


class CodeReview:
    """The review of one task. ``label`` says what the events that follow belong to.

    What is run for it in each round is a task of its own: a human who has one of them has not the next.
    """

    def __init__(self, task: str, desk: Desk, crew: Crew, label: Callable[[], None]) -> None:
        self._task = task
        self._desk = desk
        self._crew = crew
        self._label = label
        self._name = task  # what the gate calls it

    def steps(self) -> Steps[bool]:
        """Did it pass? Not when the gate still waits for the review of a task before."""
        self._name = self._named()
        if not self._gate.begin_task(BeginTaskArguments(self._name), self._now_s).begun:
            return False
        answer = self._opened()
        for _ in range(MOST_ROUNDS):
            answer = yield from self._round(answer.round)
            if answer.decision is not Decision.BLOCKED:
                break
            yield from self._fixed(answer)
            answer = self._gate.fixed(FixedArguments(self._name), self._now_s)
        return answer.decision is Decision.PASSED

    def _named(self) -> str:
        name = self._task
        for number in range(2, MOST_NAMES):
            if self._status(name).decision is not Decision.PASSED:
                break
            name = f"{self._task}.{number}"
        return name

    def _opened(self) -> ReviewResult:
        """A review begins, or goes on that was blocked, or cut off."""
        answer = self._gate.open(OpenArguments(self._name), self._now_s)
        if not answer.accepted:
            answer = self._gate.fixed(FixedArguments(self._name), self._now_s)
        return answer if answer.accepted else self._status(self._name)

    def _round(self, number: int) -> Steps[ReviewResult]:
        issues = yield from self._analysed(number)
        answer = self._gate.analysed(AnalysedArguments(self._name, number, issues), self._now_s)
        if answer.decision is Decision.BLOCKED:
            return answer
        launched = tuple(launch.name for launch in answer.launch) if answer.accepted else REVIEWERS
        yield from self._returned(launched, number)
        answer = self._status(self._name)
        if answer.decision is Decision.PENDING:
            yield Pause(TIME_LIMIT_S + 1)
            self._label()
            answer = self._status(self._name)
            yield from self._returned(tuple(launch.name for launch in answer.launch), number)
            answer = self._status(self._name)
        return answer

    def _analysed(self, number: int) -> Steps[tuple[Issue, ...]]:
        """What static analysis finds, before any reviewer is called (LK-GEN-03)."""
        outcome = yield from self._desk.use(self._crew.use(f"{self._name}/analysis-{number}"))
        self._label()
        return (self._crew.issues("", number) or ()) if outcome == DONE else UNANALYSED

    def _returned(self, reviewers: tuple[str, ...], number: int) -> Steps[None]:
        """All of them, one after the other: a session does one thing at a time."""
        for reviewer in reviewers:
            outcome = yield from self._desk.call(self._crew.call(f"{self._name}/{reviewer}-{number}", MODEL))
            self._label()
            issues = self._crew.issues(reviewer, number) if outcome == DONE else None
            if issues is not None:
                self._gate.report(ReportArguments(self._name, number, reviewer, issues), self._now_s)

    def _fixed(self, answer: ReviewResult) -> Steps[None]:
        yield from self._desk.call(self._crew.call(f"{self._name}/fix-{answer.round}", FIXER))
        self._label()

    def _status(self, name: str) -> ReviewResult:
        return self._gate.status(StatusArguments(name), self._now_s)

    @property
    def _gate(self) -> ReviewGate:
        return self._desk.systems.review_gate

    @property
    def _now_s(self) -> float:
        return self._desk.moment.clock.now_s()
