"""The three Recovery Procedures of document 000, each the steps that it takes, in order."""

from typing import Final, NamedTuple, Protocol

from harness.systems.queue_files import answerable
from harness.systems.session_recovery.contract import (
    BACKOFF_MULTIPLIER,
    INITIAL_DELAY_S,
    MAX_DELAY_S,
    MAX_RETRIES,
    REDUCED_AGENTS,
    SHOWN_CHARACTERS,
    Action,
    Facts,
    Failure,
    Outcome,
    ResumeResult,
    StepTaken,
)
from harness.systems.session_recovery.reference.breakers import Breakers, Seen
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.tasks import Tasks
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import Continuity, Orchestrator

MOST_FIXES: Final = 3  # ours: after as many fixes that did not help somebody else has to look


class Parts(NamedTuple):
    """What procedures work with."""

    continuity: Continuity
    orchestrator: Orchestrator
    breakers: Breakers
    checkpoints: Checkpoints
    tasks: Tasks


class Procedure(Protocol):
    """A Recovery Procedure. It never raises."""

    def run(self, parts: Parts, facts: Facts, now_s: float, trace: Trace) -> ResumeResult:
        """Takes the steps; ``now_s`` is the time in seconds since the epoch."""
        ...


class ContextLoss:
    """Context Loss Recovery (LK-RC-01)."""

    def run(self, parts: Parts, facts: Facts, now_s: float, trace: Trace) -> ResumeResult:
        """Reads all four whether there is anything to read or not, and goes on from the last checkpoint."""
        continuity = parts.continuity.read(trace)
        phase = parts.orchestrator.phase(trace)
        interrupted = parts.tasks.in_progress(trace)
        last = parts.checkpoints.last(trace)
        name = None if last is None else last.name
        return ResumeResult(
            self.steps(continuity, phase, interrupted, name),
            self.outcome(trace),
            continuity=continuity,
            phase=phase,
            interrupted=interrupted,
            checkpoint=name,
            state=None if last is None else answerable(last.state),
        )

    def steps(
        self, continuity: str | None, phase: str | None, interrupted: tuple[str, ...], name: str | None
    ) -> tuple[StepTaken, ...]:
        """The steps, in the order of the document."""
        return (
            StepTaken(Action.READ_CONTINUITY, ok=continuity is not None),
            StepTaken(Action.READ_ORCHESTRATOR, ok=phase is not None, detail=phase or ""),
            StepTaken(Action.READ_IN_PROGRESS, ok=bool(interrupted)),
            StepTaken(Action.RESUME_FROM_CHECKPOINT, ok=name is not None, detail=name or ""),
        )

    def outcome(self, trace: Trace) -> Outcome:
        """Who cannot read what is there does not know where to go on."""
        return Outcome.FAILED if trace.unread else Outcome.RECOVERED


class RateLimit:
    """Rate Limit Recovery (LK-RC-02)."""

    def run(self, parts: Parts, facts: Facts, now_s: float, trace: Trace) -> ResumeResult:
        """Waits for the breaker that guards what was limited, and goes on with fewer agents, slowly."""
        seen = parts.breakers.look(facts.breaker, trace)
        agents = self.agents(facts.agents)
        tries, outcome = self.tries(facts.failing_tries)
        steps = (*self.waiting(parts.breakers, seen, now_s), self.reducing(agents), *tries)
        return ResumeResult(steps, outcome, agents=agents)

    def waiting(self, breakers: Breakers, seen: Seen, now_s: float) -> tuple[StepTaken, ...]:
        """The breaker is checked; what is left of its cooldown is waited for, if anything is."""
        check = StepTaken(Action.CHECK_BREAKER, detail=seen.state)
        wait_s = breakers.wait_s(seen, now_s)
        return (check, StepTaken(Action.WAIT, wait_s=wait_s)) if wait_s > 0 else (check,)

    def reducing(self, agents: int) -> StepTaken:
        """The load is reduced."""
        return StepTaken(Action.REDUCE_AGENTS, count=agents)

    def agents(self, agents: int) -> int:
        """How many run from now on (Recovery Protocol 3); who has fewer already stays."""
        return max(1, min(agents, REDUCED_AGENTS))

    def tries(self, failing: int) -> tuple[tuple[StepTaken, ...], Outcome]:
        """The tries with exponential backoff, and how they ended; ``failing`` of them are limited again."""
        steps: list[StepTaken] = []
        for number in range(self.most_tries()):
            passes = number >= failing
            steps.append(StepTaken(Action.RETRY, ok=passes, wait_s=self.delay_s(number)))
            if passes:
                return tuple(steps), Outcome.RECOVERED
        return (*steps, StepTaken(Action.GIVE_UP)), Outcome.FAILED

    def most_tries(self) -> int:
        """After as many it is given up (Rate Limit Handling)."""
        return MAX_RETRIES

    def delay_s(self, number: int) -> float:
        """The delay before a try, in seconds; the first has number 0."""
        return min(INITIAL_DELAY_S * float(BACKOFF_MULTIPLIER) ** number, MAX_DELAY_S)


class FailedTests:
    """Test Failure Recovery (LK-RC-03)."""

    def run(self, parts: Parts, facts: Facts, now_s: float, trace: Trace) -> ResumeResult:
        """Reads what the tests said before anything is changed, and ends with the whole suite."""
        failure = self.failure(facts)
        runs = self.runs(facts)
        outcome = Outcome.RECOVERED if runs[-1].ok else Outcome.FAILED
        return ResumeResult((*self.reading(facts, failure), *self.rolling_back(facts), *runs), outcome, failure=failure)

    def reading(self, facts: Facts, failure: Failure) -> tuple[StepTaken, ...]:
        """The output is read, and the failure classified."""
        shown = facts.output[:SHOWN_CHARACTERS]
        return (StepTaken(Action.READ_OUTPUT, detail=shown), StepTaken(Action.CLASSIFY, detail=failure))

    def failure(self, facts: Facts) -> Failure:
        """What passes without a change is flaky; of what was not run again the worse is assumed."""
        return Failure.FLAKY if any(facts.reruns) else Failure.REAL

    def rolling_back(self, facts: Facts) -> tuple[StepTaken, ...]:
        """To the last passing commit, if that is needed and there is one."""
        if not facts.rollback_needed or facts.last_passing_commit is None:
            return ()
        return (StepTaken(Action.ROLLBACK, detail=facts.last_passing_commit),)

    def runs(self, facts: Facts) -> tuple[StepTaken, ...]:
        """A fix and the whole suite, again while it fails."""
        steps: list[StepTaken] = []
        for number in range(MOST_FIXES):
            passes = self.passes(facts, number)
            steps += [StepTaken(Action.FIX), StepTaken(Action.RERUN_ALL, ok=passes)]
            if passes:
                break
        return tuple(steps)

    def passes(self, facts: Facts, number: int) -> bool:
        """What the suite gives after that fix, the first of which has number 0; the last answer goes on for ever."""
        return bool(facts.suite) and facts.suite[min(number, len(facts.suite) - 1)]
