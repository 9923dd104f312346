"""The review between two tasks: static analysis, then three reviewers at once, then a decision on all they found."""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from harness.ports.files import Files, RealFiles
from harness.systems.review_gate.contract import (
    MODEL,
    REVIEWERS,
    TIME_LIMIT_S,
    AnalysedArguments,
    BeginTaskArguments,
    BeginTaskResult,
    Configuration,
    Decision,
    FixedArguments,
    Issue,
    Launch,
    LaunchKind,
    LogCode,
    OpenArguments,
    ReportArguments,
    ReviewResult,
    StatusArguments,
)
from harness.systems.review_gate.reference.kept_state import DamagedStateError, KeptState
from harness.systems.review_gate.reference.state import (
    ANALYSIS,
    BEGUN,
    DECIDED,
    REVIEWING,
    Memory,
    Round,
    Stage,
    blocks,
)
from harness.systems.trace import Trace

STATIC_ANALYSIS: Final = "static-analysis"
MICROSECONDS: Final = 1_000_000
_NOT_REVIEWED: Final = ReviewResult(accepted=False, decision=Decision.PENDING)
Result = TypeVar("Result", BeginTaskResult, ReviewResult)
Action = Callable[[Memory, Trace], tuple[Memory, Result]]


class ReviewGate:
    """A review gate in one working directory. No operation raises."""

    state_class = KeptState
    reviewers: tuple[str, ...] = REVIEWERS
    time_limit_s: float = TIME_LIMIT_S

    def __init__(self, configuration: Configuration, files: Files) -> None:
        self.state = self.state_class(configuration.home, files)

    # -- operations

    def begin_task(self, arguments: BeginTaskArguments, now_s: float) -> BeginTaskResult:
        """A task begins when the one before was reviewed, and passed (LK-REV-01, LK-GEN-04)."""
        del now_s

        def begun(memory: Memory, trace: Trace) -> tuple[Memory, BeginTaskResult]:
            if memory.last == arguments.task:
                return memory, BeginTaskResult(begun=True)
            if not self.may_begin(memory):
                trace.warning(LogCode.NOT_REVIEWED, f"the review of {memory.last!r} has not passed")
                return memory, BeginTaskResult(begun=False)
            return self.with_task(memory, arguments.task), BeginTaskResult(begun=True)

        return self.changed(begun, BeginTaskResult(begun=False))

    def open(self, arguments: OpenArguments, now_s: float) -> ReviewResult:
        """The review of the task that was begun last begins, with static analysis (LK-GEN-03)."""
        del now_s

        def opened(memory: Memory, trace: Trace) -> tuple[Memory, ReviewResult]:
            found = memory.round_of(arguments.task)
            if memory.last != arguments.task or found.is_open:
                trace.warning(LogCode.NOT_OPEN, f"the review of {arguments.task!r} does not begin now")
                return memory, self.refused(found)
            return self.opened(memory, arguments.task)

        return self.changed(opened, _NOT_REVIEWED)

    def fixed(self, arguments: FixedArguments, now_s: float) -> ReviewResult:
        """Everything is reviewed again (LK-REV-05)."""
        del now_s

        def again(memory: Memory, trace: Trace) -> tuple[Memory, ReviewResult]:
            found = memory.round_of(arguments.task)
            if found.decision is not Decision.BLOCKED:
                trace.warning(LogCode.NOT_OPEN, f"nothing of {arguments.task!r} has to be reviewed again")
                return memory, self.refused(found)
            return self.reopened(memory, arguments.task)

        return self.changed(again, _NOT_REVIEWED)

    def analysed(self, arguments: AnalysedArguments, now_s: float) -> ReviewResult:
        """Static analysis is complete: all reviewers begin at once (LK-REV-02, LK-REV-03)."""

        def launched(memory: Memory, trace: Trace) -> tuple[Memory, ReviewResult]:
            found = memory.round_of(arguments.task)
            if not self.awaits_analysis(found, arguments.round):
                trace.warning(LogCode.REPORTED_LATE, f"no analysis of {arguments.task!r} is awaited in that round")
                return memory, self.refused(found)
            return self.analysis_ended(memory, arguments, now_s)

        return self.changed(launched, _NOT_REVIEWED)

    def report(self, arguments: ReportArguments, now_s: float) -> ReviewResult:
        """A reviewer has returned; the last one's return decides (LK-REV-04)."""
        del now_s

        def returned(memory: Memory, trace: Trace) -> tuple[Memory, ReviewResult]:
            found = memory.round_of(arguments.task)
            code = self.why_not(found, arguments)
            if code is not None:
                trace.warning(code, f"{arguments.reviewer!r} is not awaited in that round")
                return memory, self.refused(found)
            after = self.returned(found, arguments)
            return memory.with_round(arguments.task, after), self.told(after)

        return self.changed(returned, _NOT_REVIEWED)

    def status(self, arguments: StatusArguments, now_s: float) -> ReviewResult:
        """How a review stands; reviewers that are overdue are launched anew, once for each time limit."""

        def looked(memory: Memory, trace: Trace) -> tuple[Memory, ReviewResult]:
            found = memory.round_of(arguments.task)
            if not found.is_open:
                return memory, self.refused(found)
            if not self.is_overdue(found, now_s):
                return memory, self.told(found)
            trace.warning(LogCode.REVIEWER_OVERDUE, f"{', '.join(found.missing)} have not returned")
            anew = msgspec.structs.replace(found, launched_at_s=now_s)
            return memory.with_round(arguments.task, anew), self.told(anew, self.launches(self.late(found)))

        return self.changed(looked, _NOT_REVIEWED)

    # -- rules

    def may_begin(self, memory: Memory) -> bool:
        """Was the task before reviewed (LK-REV-01), and did it pass (LK-GEN-04)?"""
        return memory.last is None or memory.round_of(memory.last).has_passed

    def with_task(self, memory: Memory, task: str) -> Memory:
        """After that task was begun; what an earlier review of it found does not count."""
        begun = msgspec.structs.replace(memory, last=task)
        return begun.with_round(task, Round(memory.round_of(task).number, BEGUN))

    def opened(self, memory: Memory, task: str) -> tuple[Memory, ReviewResult]:
        """A round begins, with static analysis, which launches all reviewers when it ends."""
        found = Round(memory.round_of(task).number + 1, ANALYSIS)
        return memory.with_round(task, found), self.told(found, self.first_launches())

    def reopened(self, memory: Memory, task: str) -> tuple[Memory, ReviewResult]:
        """A round begins after a fix: nothing of the round before counts (LK-REV-05)."""
        return self.opened(memory, task)

    def first_launches(self) -> tuple[Launch, ...]:
        """What runs before any reviewer."""
        return (Launch(LaunchKind.STATIC_ANALYSIS, STATIC_ANALYSIS),)

    def awaits_analysis(self, found: Round, number: int) -> bool:
        """Has static analysis to end, in that round (LK-GEN-03)?"""
        return found.stage == ANALYSIS and found.number == number

    def analysis_ended(self, memory: Memory, arguments: AnalysedArguments, now_s: float) -> tuple[Memory, ReviewResult]:
        """The reviewers are launched, whatever static analysis found; what it found blocks with what they find."""
        names = self.wanted(memory.round_of(arguments.task))
        found = Round(arguments.round, REVIEWING, names, self.blocking(arguments.issues), now_s)
        return memory.with_round(arguments.task, found), self.told(found, self.launches(names))

    def wanted(self, found: Round) -> tuple[str, ...]:
        """The reviewers of that round: always all (LK-REV-05)."""
        del found
        return self.reviewers

    def launches(self, names: tuple[str, ...]) -> tuple[Launch, ...]:
        """These reviewers begin, together."""
        return tuple(Launch(LaunchKind.REVIEWER, name, self.model(name)) for name in names)

    def model(self, name: str) -> str | None:
        """Who reviews under that name (LK-REV-03)."""
        del name
        return MODEL

    def why_not(self, found: Round, arguments: ReportArguments) -> LogCode | None:
        """Why that report is not one for this time (LK-REV-04); None when it is."""
        if not found.is_open:
            return LogCode.NOT_OPEN
        if found.number > arguments.round:
            return LogCode.REPORTED_LATE
        if found.number < arguments.round or found.stage == ANALYSIS:
            return LogCode.REPORTED_EARLY
        if arguments.reviewer not in self.reviewers:
            return LogCode.REVIEWER_UNKNOWN
        return None if arguments.reviewer in found.missing else LogCode.REPORTED_TWICE

    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        """The round, after that report."""
        left = tuple(name for name in found.missing if name != arguments.reviewer)
        issues = (*found.issues, *self.blocking(arguments.issues))
        return msgspec.structs.replace(found, missing=left, issues=issues, stage=self.stage_after(left))

    def stage_after(self, missing: tuple[str, ...]) -> Stage:
        """Nothing is decided before all have returned (LK-REV-04)."""
        return REVIEWING if missing else DECIDED

    def blocking(self, issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
        """Those that have to be fixed (LK-GEN-04)."""
        return tuple(filter(blocks, issues))

    def is_overdue(self, found: Round, now_s: float) -> bool:
        """Has somebody not returned in time?"""
        return found.stage == REVIEWING and microseconds(found, now_s) > self.time_limit_s * MICROSECONDS

    def late(self, found: Round) -> tuple[str, ...]:
        """Who is launched anew when somebody is overdue."""
        return found.missing

    # -- answers

    def told(self, found: Round, launch: tuple[Launch, ...] = ()) -> ReviewResult:
        """How a round stands."""
        issues = found.issues if found.stage == DECIDED else ()
        return ReviewResult(accepted=True, decision=found.decision, round=found.number, launch=launch, issues=issues)

    def refused(self, found: Round) -> ReviewResult:
        """The same of an operation that changed nothing."""
        return msgspec.structs.replace(self.told(found), accepted=False)

    def changed(self, action: Action[Result], otherwise: Result) -> Result:
        """What the action gives, when what it changed was stored; ``otherwise`` when that failed."""
        trace = Trace()
        found = otherwise
        try:
            with self.state.locked():
                found = self.stored(action, otherwise, trace)
        except OSError as error:
            trace.error(LogCode.STATE_WRITE_FAILED, "the state cannot be locked", error)
        return msgspec.structs.replace(found, log=trace.told())

    def stored(self, action: Action[Result], otherwise: Result, trace: Trace) -> Result:
        """As ``changed``, by who holds the lock; OSError is none of it."""
        try:
            memory = self.state.read()
        except DamagedStateError as error:
            trace.error(LogCode.STATE_INVALID, "nobody knows what was reviewed", error)
            return otherwise
        except OSError as error:
            trace.error(LogCode.STATE_UNREADABLE, "the state cannot be read", error)
            return otherwise
        after, result = action(memory, trace)
        try:
            if after != memory:
                self.state.write(after)
        except OSError as error:
            trace.error(LogCode.STATE_WRITE_FAILED, "the state cannot be stored", error)
            return otherwise
        return result


def microseconds(found: Round, now_s: float) -> int:
    """How long ago its reviewers were launched: a difference of seconds with a point would not be exact."""
    return round(now_s * MICROSECONDS) - round(found.launched_at_s * MICROSECONDS)


def create(configuration: Configuration, files: Files | None = None) -> ReviewGate:
    """A gate on the files of the machine, unless others are given."""
    return ReviewGate(configuration, RealFiles() if files is None else files)
