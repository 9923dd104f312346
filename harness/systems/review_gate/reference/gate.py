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
    Launch,
    LaunchKind,
    LogCode,
    OpenArguments,
    ReportArguments,
    ReviewResult,
    StatusArguments,
)
from harness.systems.review_gate.reference.kept_state import DamagedStateError, KeptState
from harness.systems.review_gate.reference.state import ANALYSIS, DECIDED, REVIEWING, Memory, Round, blocks
from harness.systems.trace import Trace

STATIC_ANALYSIS: Final = "static-analysis"
Result = TypeVar("Result", BeginTaskResult, ReviewResult)


class ReviewGate:
    """A review gate in one working directory. No operation raises."""

    state_class = KeptState

    def __init__(self, configuration: Configuration, files: Files) -> None:
        self.state = self.state_class(configuration.home, files)

    # -- operations

    def begin_task(self, arguments: BeginTaskArguments, now_s: float) -> BeginTaskResult:
        """A task begins when the one before was reviewed, and passed (LK-REV-01, LK-GEN-04)."""
        del now_s
        trace = Trace()

        def begun(memory: Memory) -> tuple[Memory, BeginTaskResult]:
            if not self.may_begin(memory, arguments.task):
                trace.warning(LogCode.NOT_REVIEWED, f"the review of {memory.last!r} has not passed")
                return memory, BeginTaskResult(begun=False)
            return msgspec.structs.replace(memory, last=arguments.task), BeginTaskResult(begun=True)

        found = self.changed(begun, BeginTaskResult(begun=False), trace)
        return msgspec.structs.replace(found, log=trace.told())

    def open(self, arguments: OpenArguments, now_s: float) -> ReviewResult:
        """The review of the task that was begun last begins, with static analysis (LK-GEN-03)."""
        del now_s
        trace = Trace()

        def opened(memory: Memory) -> tuple[Memory, ReviewResult]:
            if memory.last != arguments.task or arguments.task in memory.rounds:
                trace.warning(LogCode.NOT_OPEN, f"the review of {arguments.task!r} does not begin now")
                return memory, self.refused(memory.rounds.get(arguments.task))
            return self.begun_round(memory, arguments.task, 1)

        return self.reviewed(opened, trace)

    def fixed(self, arguments: FixedArguments, now_s: float) -> ReviewResult:
        """Everything is reviewed again (LK-REV-05)."""
        del now_s
        trace = Trace()

        def again(memory: Memory) -> tuple[Memory, ReviewResult]:
            found = memory.rounds.get(arguments.task)
            if found is None or found.decision is not Decision.BLOCKED:
                trace.warning(LogCode.NOT_OPEN, f"nothing of {arguments.task!r} has to be reviewed again")
                return memory, self.refused(found)
            return self.begun_round(memory, arguments.task, found.number + 1)

        return self.reviewed(again, trace)

    def analysed(self, arguments: AnalysedArguments, now_s: float) -> ReviewResult:
        """Static analysis is complete: all reviewers begin at once (LK-REV-02, LK-REV-03)."""
        trace = Trace()

        def launched(memory: Memory) -> tuple[Memory, ReviewResult]:
            found = memory.rounds.get(arguments.task)
            if found is None or found.number != arguments.round or found.stage != ANALYSIS:
                trace.warning(LogCode.REPORTED_LATE, f"no analysis of {arguments.task!r} is awaited in that round")
                return memory, self.refused(found)
            names = self.names(found.number)
            issues = tuple(filter(blocks, arguments.issues))
            reviewing = Round(found.number, REVIEWING, names, (), issues, now_s)
            return self.kept(memory, arguments.task, reviewing), self.told(reviewing, self.launches(names))

        return self.reviewed(launched, trace)

    def report(self, arguments: ReportArguments, now_s: float) -> ReviewResult:
        """A reviewer has returned; the last one's return decides (LK-REV-04)."""
        del now_s
        trace = Trace()

        def returned(memory: Memory) -> tuple[Memory, ReviewResult]:
            found = memory.rounds.get(arguments.task)
            code = self.why_not(found, arguments)
            if found is None or code is not None:
                trace.warning(code or LogCode.NOT_OPEN, f"{arguments.reviewer!r} is not awaited in that round")
                return memory, self.refused(found)
            after = self.returned(found, arguments)
            return self.kept(memory, arguments.task, after), self.told(after)

        return self.reviewed(returned, trace)

    def status(self, arguments: StatusArguments, now_s: float) -> ReviewResult:
        """How a review stands; reviewers that are overdue are launched anew, once for each time limit."""
        trace = Trace()

        def looked(memory: Memory) -> tuple[Memory, ReviewResult]:
            found = memory.rounds.get(arguments.task)
            if found is None:
                return memory, self.refused(None)
            if not self.is_overdue(found, now_s):
                return memory, self.told(found)
            trace.warning(LogCode.REVIEWER_OVERDUE, f"{', '.join(found.missing)} have not returned")
            anew = msgspec.structs.replace(found, launched_at_s=now_s)
            return self.kept(memory, arguments.task, anew), self.told(anew, self.launches(found.missing))

        return self.reviewed(looked, trace)

    # -- rules

    def may_begin(self, memory: Memory, task: str) -> bool:
        """Was the task before reviewed, and did it pass?"""
        if memory.last is None or memory.last == task:
            return True
        found = memory.rounds.get(memory.last)
        return found is not None and found.decision is Decision.PASSED

    def begun_round(self, memory: Memory, task: str, number: int) -> tuple[Memory, ReviewResult]:
        """A round begins."""
        found = Round(number)
        launch = (Launch(LaunchKind.STATIC_ANALYSIS, STATIC_ANALYSIS),)
        return self.kept(memory, task, found), self.told(found, launch)

    def names(self, number: int) -> tuple[str, ...]:
        """The reviewers of that round, each with a name of its own."""
        return tuple(f"reviewer-{number}-{place}" for place in range(1, REVIEWERS + 1))

    def launches(self, names: tuple[str, ...]) -> tuple[Launch, ...]:
        """These reviewers begin, together."""
        return tuple(Launch(LaunchKind.REVIEWER, name, self.model()) for name in names)

    def model(self) -> str:
        """Who reviews."""
        return MODEL

    def why_not(self, found: Round | None, arguments: ReportArguments) -> LogCode | None:
        """Why that report is not one for this time; None when it is."""
        if found is None:
            return LogCode.NOT_OPEN
        if found.number != arguments.round:
            return LogCode.REPORTED_LATE
        if found.stage == ANALYSIS:
            return LogCode.REPORTED_EARLY
        if arguments.reviewer not in found.reviewers:
            return LogCode.REVIEWER_UNKNOWN
        return LogCode.REPORTED_TWICE if arguments.reviewer in found.returned else None

    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        """The round, after that report."""
        names = (*found.returned, arguments.reviewer)
        issues = (*found.issues, *filter(blocks, arguments.issues))
        stage = DECIDED if self.is_complete(found, names) else REVIEWING
        return msgspec.structs.replace(found, returned=names, issues=issues, stage=stage)

    def is_complete(self, found: Round, names: tuple[str, ...]) -> bool:
        """Have all returned?"""
        return set(found.reviewers) == set(names)

    def is_overdue(self, found: Round, now_s: float) -> bool:
        """Has somebody not returned in time?"""
        return found.stage == REVIEWING and now_s - found.launched_at_s > TIME_LIMIT_S

    # -- answers

    def told(self, found: Round, launch: tuple[Launch, ...] = ()) -> ReviewResult:
        """How a round stands."""
        issues = found.issues if found.stage == DECIDED else ()
        return ReviewResult(accepted=True, decision=found.decision, round=found.number, launch=launch, issues=issues)

    def refused(self, found: Round | None) -> ReviewResult:
        """The same of an operation that changed nothing."""
        if found is None:
            return ReviewResult(accepted=False, decision=Decision.PENDING)
        return msgspec.structs.replace(self.told(found), accepted=False)

    def kept(self, memory: Memory, task: str, found: Round) -> Memory:
        """With that round."""
        return msgspec.structs.replace(memory, rounds={**memory.rounds, task: found})

    def reviewed(self, action: Callable[[Memory], tuple[Memory, ReviewResult]], trace: Trace) -> ReviewResult:
        """Does it, and tells what happened."""
        found = self.changed(action, ReviewResult(accepted=False, decision=Decision.PENDING), trace)
        return msgspec.structs.replace(found, log=trace.told())

    def changed(self, action: Callable[[Memory], tuple[Memory, Result]], otherwise: Result, trace: Trace) -> Result:
        """What the action gives, when what it changed was stored; ``otherwise`` when that failed."""
        try:
            with self.state.locked():
                memory = self.state.read()
                after, result = action(memory)
                if after != memory:
                    self.state.write(after)
                return result
        except DamagedStateError as error:
            trace.error(LogCode.STATE_INVALID, "nobody knows what was reviewed", error)
        except OSError as error:
            trace.error(LogCode.STATE_WRITE_FAILED, "the state cannot be read or stored", error)
        return otherwise


def create(configuration: Configuration, files: Files | None = None) -> ReviewGate:
    """A gate on the files of the machine, unless others are given."""
    return ReviewGate(configuration, RealFiles() if files is None else files)
