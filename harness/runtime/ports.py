"""What a session is made of: the systems it asks, each exchangeable, and the outside."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from harness.ports.clock import Clock, Waiter
from harness.ports.files import Files
from harness.ports.launcher import Launcher
from harness.systems.circuit_breaker.contract import AcquireArguments, AcquireResult, RecordArguments, RecordResult
from harness.systems.dead_letter.contract import (
    ListArguments,
    ListResult,
    RecordFailureArguments,
    RecordFailureResult,
    SessionArguments,
    SessionResult,
)
from harness.systems.diagnosis.contract import (
    ObserveArguments,
    ObserveResult,
    OutcomeArguments,
    OutcomeResult,
    PromptArguments,
    PromptResult,
    ReportArguments,
    ReportResult,
)
from harness.systems.error_log.contract import (
    ClassifyArguments as KindArguments,
)
from harness.systems.error_log.contract import (
    ClassifyResult as KindResult,
)
from harness.systems.error_log.contract import FinishArguments, FinishResult, LogArguments, LogResult
from harness.systems.fallback.contract import EscalationArguments, EscalationResult, NextArguments, NextResult
from harness.systems.phase_runner.contract import (
    ReportArguments as PhaseReportArguments,
)
from harness.systems.phase_runner.contract import (
    RunnerResult,
    StartArguments,
    StatusArguments,
    StatusResult,
    VerifiedArguments,
)
from harness.systems.rate_limit.contract import ClassifyArguments, ClassifyResult, DelayArguments, DelayResult
from harness.systems.rationalization.contract import EnforceArguments, EnforceResult
from harness.systems.review_gate.contract import (
    AnalysedArguments,
    BeginTaskArguments,
    BeginTaskResult,
    FixedArguments,
    OpenArguments,
)
from harness.systems.review_gate.contract import ReportArguments as ReviewerArguments
from harness.systems.review_gate.contract import ReviewResult as CodeReviewResult
from harness.systems.review_gate.contract import StatusArguments as GateStatusArguments
from harness.systems.session_recovery.contract import (
    BeginOperationArguments,
    BeginOperationResult,
    ClaimArguments,
    ClaimResult,
    CompleteArguments,
    CompleteResult,
    ResumeArguments,
    ResumeResult,
    StartTaskArguments,
    StartTaskResult,
)
from harness.systems.signals.contract import (
    AssessArguments,
    AssessResult,
    ConsumeArguments,
    ConsumeResult,
    DriftArguments,
    DriftResult,
    EmitArguments,
    EmitResult,
    ReviewArguments,
    ReviewResult,
)
from harness.systems.signals.contract import CheckArguments as LookArguments
from harness.systems.signals.contract import CheckResult as LookResult
from harness.systems.stop_gate.contract import CheckArguments, CheckResult


class UnansweredError(Exception):
    """A system gave no answer to an operation; ``str()`` says why. The session goes on with the careful answer."""


class Gate(Protocol):
    """Whatever answers a stop: the reference, or anyone's over stdio."""

    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """May the session stop at that time?"""
        ...


class Breaker(Protocol):
    """Circuit breakers, by name; all sessions of a machine ask the same."""

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        """May the guarded operation run?"""
        ...

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        """It ended so."""
        ...


class Backoff(Protocol):
    """What is done about rate limits."""

    def classify(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        """Is this failure one?"""
        ...

    def next_delay(self, arguments: DelayArguments, now_s: float) -> DelayResult:
        """May it be tried again, and when?"""
        ...


class Ladder(Protocol):
    """What is tried next, and when a human is called."""

    def next(self, arguments: NextArguments, now_s: float) -> NextResult:
        """The rung below."""
        ...

    def escalation(self, arguments: EscalationArguments, now_s: float) -> EscalationResult:
        """Has a human to be called?"""
        ...


class ErrorLog(Protocol):
    """Where every failure is recorded."""

    def classify(self, arguments: KindArguments, now_s: float) -> KindResult:
        """What kind of error is it?"""
        ...

    def log(self, arguments: LogArguments, now_s: float) -> LogResult:
        """It occurred."""
        ...

    def finish(self, arguments: FinishArguments, now_s: float) -> FinishResult:
        """What did not stop the session?"""
        ...


class Diagnostician(Protocol):
    """Why a tool failed, and what is tried against it."""

    def observe(self, arguments: ObserveArguments, now_s: float) -> ObserveResult:
        """A tool call ended."""
        ...

    def outcome(self, arguments: OutcomeArguments, now_s: float) -> OutcomeResult:
        """The recovery that was recommended ended so."""
        ...

    def prompt(self, arguments: PromptArguments, now_s: float) -> PromptResult:
        """What does the next reflection read of it?"""
        ...

    def report(self, arguments: ReportArguments, now_s: float) -> ReportResult:
        """What is the user shown?"""
        ...


class DeadLetters(Protocol):
    """Where tasks lie that failed too often, and who counts failures."""

    def record_failure(self, arguments: RecordFailureArguments, now_s: float) -> RecordFailureResult:
        """An attempt at a task failed."""
        ...

    def start_session(self, arguments: SessionArguments, now_s: float) -> SessionResult:
        """A session begins: is a review due?"""
        ...

    def list(self, arguments: ListArguments, now_s: float) -> ListResult:
        """Which tasks stand in a queue?"""
        ...


class Signals(Protocol):
    """Drifts, reviews by humans, and what one role hands to another. What humans do is no session's."""

    def report_drift(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        """An agent diverges from its task."""
        ...

    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        """Does this need a human?"""
        ...

    def request_review(self, arguments: ReviewArguments, now_s: float) -> ReviewResult:
        """A human has to review a task."""
        ...

    def check_reviews(self, arguments: LookArguments, now_s: float) -> LookResult:
        """What did humans decide, and who waited too long?"""
        ...

    def emit(self, arguments: EmitArguments, now_s: float) -> EmitResult:
        """A signal is raised."""
        ...

    def consume(self, arguments: ConsumeArguments, now_s: float) -> ConsumeResult:
        """A signal is handled, if there is one."""
        ...


class SessionRecovery(Protocol):
    """How a session begins again, and how it comes to its tasks."""

    def resume(self, arguments: ResumeArguments, now_s: float) -> ResumeResult:
        """The one before was lost."""
        ...

    def claim(self, arguments: ClaimArguments, now_s: float) -> ClaimResult:
        """A worker wants a task."""
        ...

    def start_task(self, arguments: StartTaskArguments, now_s: float) -> StartTaskResult:
        """Work on it begins."""
        ...

    def begin_operation(self, arguments: BeginOperationArguments, now_s: float) -> BeginOperationResult:
        """An operation is to begin."""
        ...

    def complete(self, arguments: CompleteArguments, now_s: float) -> CompleteResult:
        """A worker has finished a task."""
        ...


class PhaseRunner(Protocol):
    """What of a plan runs next."""

    def start(self, arguments: StartArguments, now_s: float) -> RunnerResult:
        """A run begins, or goes on."""
        ...

    def report(self, arguments: PhaseReportArguments, now_s: float) -> RunnerResult:
        """The sub-agent of a phase has ended."""
        ...

    def verified(self, arguments: VerifiedArguments, now_s: float) -> RunnerResult:
        """A fresh verification has ended."""
        ...

    def status(self, arguments: StatusArguments, now_s: float) -> StatusResult:
        """How do phases stand?"""
        ...


class ReviewGate(Protocol):
    """What is done about what was done: static analysis, then three reviewers."""

    def begin_task(self, arguments: BeginTaskArguments, now_s: float) -> BeginTaskResult:
        """May a task be begun, after those before it?"""
        ...

    def open(self, arguments: OpenArguments, now_s: float) -> CodeReviewResult:
        """It is done: its review begins."""
        ...

    def analysed(self, arguments: AnalysedArguments, now_s: float) -> CodeReviewResult:
        """Static analysis has ended."""
        ...

    def report(self, arguments: ReviewerArguments, now_s: float) -> CodeReviewResult:
        """A reviewer has returned."""
        ...

    def fixed(self, arguments: FixedArguments, now_s: float) -> CodeReviewResult:
        """What was found is fixed."""
        ...

    def status(self, arguments: GateStatusArguments, now_s: float) -> CodeReviewResult:
        """How does a review stand?"""
        ...


class Watch(Protocol):
    """What is made of an agent's reasons."""

    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        """It gives this as its reason for what it is about to do."""
        ...


class Systems(NamedTuple):
    """The specified systems of a session."""

    gate: Gate
    breaker: Breaker
    backoff: Backoff
    ladder: Ladder
    error_log: ErrorLog
    diagnostician: Diagnostician
    dead_letters: DeadLetters
    signals: Signals
    recovery: SessionRecovery
    runner: PhaseRunner
    review_gate: ReviewGate
    watch: Watch


class Outside(NamedTuple):
    """The machine under a session: in memory for a simulation."""

    clock: Clock
    files: Files
    launcher: Launcher
    waiter: Waiter


TOOLS = ("model", "run_bash", "read_file", "read_dir", "write_file", "http_fetch", "search")


class Place(NamedTuple):
    """Where a session works: absolute paths in its world, the breaker each model is called through, and its tools."""

    home: str
    project: str
    providers: Mapping[str, str] = {}
    tools: tuple[str, ...] = TOOLS
