"""How what was done is reviewed: static analysis, then three reviewers, and after each fix everything again.

The gate's tasks are the reviews of a plan, one after the other: each begins when its work is verified, since what comes
before may fail, and be tried again, and is no task that is done. A review that blocks stays open (LK-GEN-04), and who
comes next goes on with it: a sibling of the phase that it blocked is reviewed with what is still wrong, not refused.
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
MOST_REVIEWS = 1 << 20  # of one plan
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
        self._number = 0  # of the review, within the plan
        self._is_whole = False  # all that counts in this round has seen what is there now

    def steps(self) -> Steps[bool]:
        """Did it pass, as it is now?

        Who returned in a round that was cut off, or that somebody is missing from, has seen what was there before: it
        is ended, since the gate awaits that, and whatever it says, everything is reviewed again (LK-REV-05).
        """
        answer = self._begun()
        for _ in range(MOST_ROUNDS):
            if answer is None:
                return False
            answer = yield from self._round(answer.round)
            if answer.decision is Decision.PASSED and self._is_whole:
                return True
            answer = yield from self._again(answer)
        return False

    def _again(self, answer: ReviewResult) -> Steps[ReviewResult | None]:
        """The next round, once what blocks is fixed; None when there is none."""
        if answer.decision is Decision.PASSED:
            return self._begun()
        if answer.decision is Decision.PENDING or not (yield from self._fixed(answer)):
            return None
        answer = self._gate.fixed(FixedArguments(self._name), self._now_s)
        return answer if answer.accepted else None

    def _begun(self) -> ReviewResult | None:
        """A review begins, or goes on that was blocked, or cut off; None when nothing can be reviewed."""
        self._number = self._first_open()
        if not self._gate.begin_task(BeginTaskArguments(self._name), self._now_s).begun:
            return None
        answer = self._gate.open(OpenArguments(self._name), self._now_s)
        if not answer.accepted:
            answer = self._gate.fixed(FixedArguments(self._name), self._now_s)
        answer = answer if answer.accepted else self._status(self._name)
        return answer if answer.accepted else None

    def _first_open(self) -> int:
        """The number of the first review of the plan that has not passed; all before it have."""
        passed, later = 0, 1
        while later < MOST_REVIEWS and self._has_passed(later):
            passed, later = later, 2 * later
        while later - passed > 1:
            between = (passed + later) // 2
            if self._has_passed(between):
                passed = between
            else:
                later = between
        return later

    def _has_passed(self, number: int) -> bool:
        return self._status(self._name_of(number)).decision is Decision.PASSED

    def _name_of(self, number: int) -> str:
        plan, _, _ = self._task.rpartition("/")
        return f"{plan}/review/{number}"

    @property
    def _name(self) -> str:
        """What the gate calls the review."""
        return self._name_of(self._number)

    def _round(self, number: int) -> Steps[ReviewResult]:
        issues = yield from self._analysed(number)
        answer = self._gate.analysed(AnalysedArguments(self._name, number, issues), self._now_s)
        self._is_whole = answer.accepted
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
        outcome = yield from self._desk.use(self._crew.use(self._run_of("analysis", number)))
        self._label()
        return (self._crew.issues("", number) or ()) if outcome == DONE else UNANALYSED

    def _returned(self, reviewers: tuple[str, ...], number: int) -> Steps[None]:
        """All of them, one after the other: a session does one thing at a time."""
        for reviewer in reviewers:
            outcome = yield from self._desk.call(self._crew.call(self._run_of(reviewer, number), MODEL))
            self._label()
            issues = self._crew.issues(reviewer, number) if outcome == DONE else None
            if issues is not None:
                self._gate.report(ReportArguments(self._name, number, reviewer, issues), self._now_s)

    def _fixed(self, answer: ReviewResult) -> Steps[bool]:
        """Has somebody tried to mend what was found?"""
        outcome = yield from self._desk.call(self._crew.call(self._run_of("fix", answer.round), FIXER))
        self._label()
        return outcome == DONE

    def _run_of(self, what: str, number: int) -> str:
        """The task that is one run, in that round."""
        return f"{self._task}/{what}-{self._number}.{number}"

    def _status(self, name: str) -> ReviewResult:
        return self._gate.status(StatusArguments(name), self._now_s)

    @property
    def _gate(self) -> ReviewGate:
        return self._desk.systems.review_gate

    @property
    def _now_s(self) -> float:
        return self._desk.moment.clock.now_s()
