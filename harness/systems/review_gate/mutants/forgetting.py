"""Mutants of what is forgotten, believed or mixed up while a review goes on for long, or begins once more."""

import msgspec

from harness.systems.review_gate.contract import (
    AnalysedArguments,
    BeginTaskArguments,
    BeginTaskResult,
    Decision,
    FixedArguments,
    Issue,
    OpenArguments,
    ReportArguments,
    ReviewResult,
    StatusArguments,
)
from harness.systems.review_gate.mutants.table import mutant
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.state import ANALYSIS, REVIEWING, Round

Issues = tuple[Issue, ...]


@mutant("findings-die-with-their-process", "LK-GEN-04", "what was found is kept in memory until all have returned")
class FindingsDieWithTheirProcess(ReviewGate):
    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        known: dict[tuple[str, int], Issues] = vars(self).setdefault("known", {})
        key = arguments.task, arguments.round
        after = super().returned(found, arguments)
        known[key] = (*known.get(key, ()), *after.issues)
        return msgspec.structs.replace(after, issues=() if after.stage == REVIEWING else known[key])


@mutant("what-is-launched-anew-starts-over", "LK-GEN-04", "findings are forgotten when reviewers are launched anew")
class WhatIsLaunchedAnewStartsOver(ReviewGate):
    def status(self, arguments: StatusArguments, now_s: float) -> ReviewResult:
        answer = super().status(arguments, now_s)
        if answer.launch:
            memory = self.state.read()
            anew = msgspec.structs.replace(memory.round_of(arguments.task), issues=())
            self.state.write(memory.with_round(arguments.task, anew))
        return answer


@mutant("who-never-returns-found-nothing", "LK-REV-04", "a reviewer that was launched anew three times is left out")
class WhoNeverReturnsFoundNothing(ReviewGate):
    def status(self, arguments: StatusArguments, now_s: float) -> ReviewResult:
        answer = super().status(arguments, now_s)
        times = vars(self)["times"] = vars(self).get("times", 0) + bool(answer.launch)
        if times > 3:
            for each in answer.launch:
                answer = self.report(ReportArguments(arguments.task, answer.round, each.name), now_s)
        return answer


@mutant("only-who-complained-is-heard", "LK-GEN-04", "after a fix only those who complained may complain")
class OnlyWhoComplainedIsHeard(ReviewGate):
    def returned(self, found: Round, arguments: ReportArguments) -> Round:
        heard: set[tuple[str, str]] = vars(self).setdefault("heard", set())
        one = arguments.task, arguments.reviewer
        if self.blocking(arguments.issues) and found.number == 1:
            heard.add(one)
        is_heard = found.number == 1 or one in heard
        return super().returned(found, arguments if is_heard else msgspec.structs.replace(arguments, issues=()))


@mutant("analysis-of-the-round-before-counts", "LK-GEN-03", "static analysis of what was before the fix is enough")
class AnalysisOfTheRoundBeforeCounts(ReviewGate):
    def awaits_analysis(self, found: Round, number: int) -> bool:
        return found.stage == ANALYSIS and 0 < number <= found.number


@mutant("analysis-of-any-task-counts", "LK-GEN-03", "static analysis that ends is that of the task begun last")
class AnalysisOfAnyTaskCounts(ReviewGate):
    def analysed(self, arguments: AnalysedArguments, now_s: float) -> ReviewResult:
        answer = super().analysed(arguments, now_s)
        if answer.accepted:
            return answer
        last = self.state.read().last or arguments.task
        return super().analysed(msgspec.structs.replace(arguments, task=last), now_s)


@mutant("a-fix-of-any-task-counts", "LK-REV-05", "what is fixed is the task begun last, whichever is named")
class AFixOfAnyTaskCounts(ReviewGate):
    def fixed(self, arguments: FixedArguments, now_s: float) -> ReviewResult:
        answer = super().fixed(arguments, now_s)
        return answer if answer.accepted else super().fixed(FixedArguments(self.state.read().last or ""), now_s)


@mutant("a-finding-is-fixed-before-all-returned", "LK-REV-05", "a round is left as soon as what was found is fixed")
class AFindingIsFixedBeforeAllReturned(ReviewGate):
    def fixed(self, arguments: FixedArguments, now_s: float) -> ReviewResult:
        answer = super().fixed(arguments, now_s)
        memory = self.state.read()
        if answer.accepted or not memory.round_of(arguments.task).issues:
            return answer
        after, answer = self.reopened(memory, arguments.task)
        self.state.write(after)
        return answer


@mutant("names-with-blanks-are-alike", "LK-REV-01", "a task whose name differs in a blank counts as begun")
class NamesWithBlanksAreAlike(ReviewGate):
    def begin_task(self, arguments: BeginTaskArguments, now_s: float) -> BeginTaskResult:
        begun: set[str] = vars(self).setdefault("begun", set())
        answer = super().begin_task(arguments, now_s)
        if answer.begun:
            begun.add(arguments.task.strip())
        is_alike = arguments.task.strip() != "" and arguments.task.strip() in begun
        return BeginTaskResult(begun=True) if is_alike and arguments.task.strip() != arguments.task else answer


@mutant("the-first-passing-is-for-good", "LK-REV-01", "a task begins while a review that passed is done once more")
class TheFirstPassingIsForGood(ReviewGate):
    def open(self, arguments: OpenArguments, now_s: float) -> ReviewResult:
        answer = super().open(arguments, now_s)
        if answer.accepted or answer.decision is not Decision.PASSED:
            return answer
        return ReviewResult(
            accepted=True, decision=Decision.PENDING, round=answer.round + 1, launch=self.first_launches()
        )
